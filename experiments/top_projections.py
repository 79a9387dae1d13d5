"""Figure 3.7 of Tomita's thesis: the projections with most Gini importance on Trunk's problem."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from experiments.arguments import Arguments, parse
from experiments.figures import COLORS, panels, save
from experiments.pages import (
    Expectation,
    at_most,
    expectations_table,
    number,
    table,
    write_measured,
)
from experiments.store import Cell, Store, measure_cells
from experiments.systems import make_forest
from silvan.datasets import make_trunk
from silvan.inspection import TopProjections, top_projections
from silvan.plotting import ProjectionsDisplay
from silvan.projections import AxisAligned, SparseSigns

N, P, K, N_TREES = 1000, 10, 10, 500
DISTRIBUTIONS = {"RerF": SparseSigns(density=0.5), "RF": AxisAligned()}
# Numbers of directions at a node; the thesis chooses d out of bag and does not say which.
DIRECTIONS = {"RerF": (2, 4, P, P**2), "RF": (2, 4, P)}
SHOWN = P
VALUES = ("top_importance", "best_bayes_error", "mean_bayes_error", "nonzeros", "singles", "ninth")


def find_top(system: str, seed: int, d: int = SHOWN) -> TopProjections:
    """The ten best projections of one forest."""
    X, y = make_trunk(N, n_features=P, random_state=seed)
    return top_projections(make_forest(DISTRIBUTIONS[system], seed, d, N_TREES).fit(X, y), K)


def bayes_errors(top: TopProjections) -> NDArray[np.float64]:
    """Bayes error of Trunk's problem along each projection (thesis, appendix B.2)."""
    mean = 1 / np.sqrt(np.arange(1, P + 1))
    directions = top.directions.toarray()
    along = np.abs(directions @ mean) / np.linalg.norm(directions, axis=1)
    return np.asarray(norm.sf(along))


def measure(cell: Cell) -> Cell:
    """How important and how good the ten best projections of one forest are."""
    top = find_top(cell["system"], cell["seed"], cell["d"])
    errors = bayes_errors(top)
    sizes = np.diff(top.directions.indptr)
    ninth = np.flatnonzero((sizes == 1) & (np.abs(top.directions[:, [8]].toarray()[:, 0]) > 0))
    return {
        "top_importance": float(top.importances.sum()),
        "best_bayes_error": float(errors.min()),
        "mean_bayes_error": float(errors.mean()),
        "nonzeros": top.directions.nnz / len(top),
        "singles": int((sizes == 1).sum()),
        "ninth": int(ninth[0]) + 1 if len(ninth) else 0,
    }


def draw_figure(arguments: Arguments) -> None:
    """Heat maps, importances and Bayes errors of the first repetition."""
    figure, axes = panels(1, 4, width=3.4, height=3.2)
    for axis, system in zip(axes[0], DISTRIBUTIONS, strict=False):
        top = find_top(system, 0)
        ProjectionsDisplay.from_projections(top, ax=axis)
        axis.set_title(system)
        ranks = np.arange(1, len(top) + 1)
        style = {"color": COLORS[system], "marker": "o", "markersize": 3, "label": system}
        axes[0, 2].plot(ranks, top.importances / top.importances[0], **style)
        axes[0, 3].plot(ranks, bayes_errors(top), **style)
    axes[0, 2].set(xlabel="projection", ylabel="importance, of the first", ylim=(0, None))
    axes[0, 3].set(xlabel="projection", ylabel="Bayes error along it", ylim=(0, None))
    bayes = float(norm.sf(math.sqrt(sum(1 / j for j in range(1, P + 1)))))
    axes[0, 3].axhline(bayes, color="black", linestyle=":", linewidth=1)
    axes[0, 3].legend(frameon=False)
    save(figure, arguments.output / "top_projections.png")


def check_expectations(store: Store) -> list[Expectation]:
    """RerF's projections are combinations, and better ones."""
    errors = {s: store.mean("mean_bayes_error", system=s, d=SHOWN) for s in DISTRIBUTIONS}
    expectations = [
        at_most("mean Bayes error of the ten: RerF less RF", errors["RerF"] - errors["RF"], 0.0)
    ]
    for d in DIRECTIONS["RerF"]:
        singles = store.mean("singles", system="RerF", d=d)
        claim = f"RerF's ten are all combinations, d = {d}"
        holds = None if math.isnan(singles) else singles == 0
        expectations.append(Expectation(claim, f"{number(singles, 1)} single features", holds))
    places = [place for d in DIRECTIONS["RF"] for place in store.values("ninth", system="RF", d=d)]
    claim = "RF puts the ninth feature third in some draw, with some d"
    told = f"at best {min(places, default=math.nan):g}th"
    return [*expectations, Expectation(claim, told, 3 in places if places else None)]


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("top_projections", __doc__ or "", seeds=10, argv=argv)
    path = arguments.output / "measurements" / "top_projections.csv"
    store = Store(path, ("system", "d", "seed"), VALUES)
    cells = [
        {"system": system, "d": d, "seed": seed}
        for seed in range(arguments.seeds)
        for system, counts in DIRECTIONS.items()
        for d in counts
    ]
    measure_cells(store, cells, measure, arguments)
    draw_figure(arguments)
    rows = [
        [f"{s}, d = {d}", *[number(store.mean(v, system=s, d=d), 3) for v in VALUES[:-1]]]
        for s, counts in DIRECTIONS.items()
        for d in counts
    ]
    header = ["", "importance of the ten", "least Bayes error", "mean Bayes error", "features"]
    header.append("single features")
    parts = [
        f"`{arguments.command}`",
        f"{len(store.distinct('seed'))} repetitions; the figure has the first, with d = p.",
        expectations_table(check_expectations(store)),
        "![The ten best projections of RerF and RF, their importance and Bayes error]"
        "(top_projections.png)",
        table(header, rows),
        "The first table of `silvan.inspection.top_projections`, RerF:",
        f"```text\n{find_top('RerF', 0)}\n```",
    ]
    page = arguments.output / "top_projections.md"
    write_measured(page, "The best projections on Trunk's problem", "\n\n".join(parts))


if __name__ == "__main__":
    main()

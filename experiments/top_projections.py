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
VALUES = ("top_importance", "best_bayes_error", "mean_bayes_error", "nonzeros")


def find_top(system: str, seed: int) -> TopProjections:
    """The ten best projections of one forest, with d = p."""
    X, y = make_trunk(N, n_features=P, random_state=seed)
    return top_projections(make_forest(DISTRIBUTIONS[system], seed, P, N_TREES).fit(X, y), K)


def bayes_errors(top: TopProjections) -> NDArray[np.float64]:
    """Bayes error of Trunk's problem along each projection (thesis, appendix B.2)."""
    mean = 1 / np.sqrt(np.arange(1, P + 1))
    directions = top.directions.toarray()
    along = np.abs(directions @ mean) / np.linalg.norm(directions, axis=1)
    return np.asarray(norm.sf(along))


def measure(cell: Cell) -> Cell:
    """How important and how good the ten best projections of one forest are."""
    top = find_top(cell["system"], cell["seed"])
    errors = bayes_errors(top)
    return {
        "top_importance": float(top.importances.sum()),
        "best_bayes_error": float(errors.min()),
        "mean_bayes_error": float(errors.mean()),
        "nonzeros": top.directions.nnz / len(top),
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
    gap = store.mean("mean_bayes_error", system="RerF") - store.mean(
        "mean_bayes_error", system="RF"
    )
    single = store.mean("nonzeros", system="RerF")
    return [
        at_most("mean Bayes error of the ten: RerF less RF", gap, 0.0),
        Expectation(
            "RerF's ten are combinations",
            f"{number(single, 2)} features",
            None if math.isnan(single) else single > 1,
        ),
    ]


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("top_projections", __doc__ or "", seeds=10, argv=argv)
    path = arguments.output / "measurements" / "top_projections.csv"
    store = Store(path, ("system", "seed"), VALUES)
    cells = [{"system": s, "seed": seed} for seed in range(arguments.seeds) for s in DISTRIBUTIONS]
    measure_cells(store, cells, measure, arguments)
    draw_figure(arguments)
    rows = [[s, *[number(store.mean(name, system=s), 3) for name in VALUES]] for s in DISTRIBUTIONS]
    header = ["", "importance of the ten", "least Bayes error", "mean Bayes error", "features"]
    parts = [
        f"`{arguments.command}`",
        f"{len(store.distinct('seed'))} repetitions; the figure has the first.",
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

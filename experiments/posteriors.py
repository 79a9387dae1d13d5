"""Figure 2.2 of Tomita's thesis: estimated posteriors on sparse parity, raw, affine, corrupted."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from experiments.arguments import Arguments, parse
from experiments.figures import panels, save
from experiments.pages import Expectation, expectations_table, number, table, write_measured
from experiments.robustness import COLOURS, list_directions
from experiments.store import Cell, Store, measure_cells
from experiments.systems import make_forest
from experiments.transformations import SYSTEMS, Transform, make_transform
from silvan import ForestClassifier
from silvan.datasets import make_sparse_parity
from silvan.inspection import hellinger_distance

N, P, N_TEST, SIDE = 1000, 10, 5000, 60
NAMES = ("RF", "F-RC", "Frank", "RR-RF", "RR-RF(r)")
# Affine with factors as in the text, and as in the authors' scripts.
KINDS = ("raw", "affine", "affine by powers", "corrupted")


def fit_tuned(kind: str, system: str, seed: int) -> tuple[ForestClassifier, Transform]:
    """The forest with the least out-of-bag error, and what to do to rows before it sees them.

    Training rows are corrupted, queries are not.
    """
    X, y = make_sparse_parity(N, n_features=P, random_state=seed)
    distribution, scaling = SYSTEMS[system]
    X = make_transform(kind, P, seed)(X)
    forests = [
        make_forest(
            distribution, seed, d, scaling=scaling, min_samples_split=10, oob_score=True
        ).fit(X, y)
        for d in list_directions(P, system)
    ]
    best = max(forests, key=lambda forest: forest.oob_score_)
    return best, make_transform("raw" if kind == "corrupted" else kind, P, seed)


def true_posterior(X: NDArray[np.floating]) -> NDArray[np.float64]:
    """Probabilities of both classes, which are 0 or 1."""
    odd = (X[:, :3] > 0).sum(axis=1) % 2
    return np.column_stack([1 - odd, odd]).astype(np.float64)


def measure(cell: Cell) -> Cell:
    """Mean Hellinger distance from the true posterior, on new rows."""
    forest, transform = fit_tuned(cell["kind"], cell["system"], cell["seed"])
    X, _ = make_sparse_parity(N_TEST, n_features=P, random_state=1_000_000 + cell["seed"])
    distance = hellinger_distance(forest.predict_proba(transform(X)), true_posterior(X))
    return {"hellinger": float(distance.mean())}


def draw_figure(store: Store, arguments: Arguments) -> None:
    """Posteriors on the plane of x1 and x2, and Hellinger distances below."""
    line = np.linspace(-1, 1, SIDE)
    plane = np.zeros((SIDE * SIDE, P))
    plane[:, 0], plane[:, 1] = np.tile(line, SIDE), np.repeat(line, SIDE)
    plane[:, 2] = -0.5
    figure, axes = panels(len(NAMES) + 2, len(KINDS), width=2.5, height=2.0)
    for column, kind in enumerate(KINDS):
        maps = {"truth": true_posterior(plane)[:, 1]}
        for system in NAMES:
            forest, transform = fit_tuned(kind, system, 0)
            maps[system] = forest.predict_proba(transform(plane))[:, 1]
        for axis, (name, values) in zip(axes[:, column], maps.items(), strict=False):
            image = axis.imshow(
                values.reshape(SIDE, SIDE),
                origin="lower",
                extent=(-1, 1, -1, 1),
                vmin=0,
                vmax=1,
                cmap="coolwarm",
            )
            axis.set(xticks=[], yticks=[], title=f"{name}, {kind}")
        distances = [store.mean("hellinger", kind=kind, system=s) for s in NAMES]
        axes[-1, column].bar(NAMES, distances, color=[COLOURS[s] for s in NAMES])
        axes[-1, column].set(ylabel="Hellinger distance", ylim=(0, 0.6))
        axes[-1, column].tick_params(axis="x", rotation=60)
    figure.colorbar(image, ax=axes[:-1], label="P(class 1)", shrink=0.5)
    save(figure, arguments.output / "posteriors.png")


def check_expectations(store: Store) -> list[Expectation]:
    """Frank is best everywhere; corruption hurts what is not ranked."""

    def compare(kind: str, first: str, second: str) -> Expectation:
        a, b = (store.mean("hellinger", kind=kind, system=s) for s in (first, second))
        holds = None if math.isnan(a + b) else a < b
        return Expectation(f"{kind}: {first} closer than {second}", f"{a:.3f} and {b:.3f}", holds)

    return [
        compare("raw", "F-RC", "RF"),
        compare("raw", "Frank", "RF"),
        compare("raw", "RF", "RR-RF"),
        compare("affine", "Frank", "F-RC"),
        compare("affine by powers", "Frank", "F-RC"),
        compare("affine by powers", "RR-RF(r)", "RR-RF"),
        compare("corrupted", "Frank", "F-RC"),
        compare("corrupted", "RR-RF(r)", "RR-RF"),
        compare("corrupted", "Frank", "RF"),
    ]


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("posteriors", __doc__ or "", seeds=5, argv=argv)
    path = arguments.output / "measurements" / "posteriors.csv"
    store = Store(path, ("kind", "system", "seed"), ("hellinger",))
    cells = [
        {"kind": kind, "system": system, "seed": seed}
        for seed in range(arguments.seeds)
        for kind in KINDS
        for system in NAMES
    ]
    measure_cells(store, cells, measure, arguments)
    draw_figure(store, arguments)
    rows = [
        [s, *[number(store.mean("hellinger", kind=kind, system=s), 3) for kind in KINDS]]
        for s in NAMES
    ]
    parts = [
        f"`{arguments.command}`",
        f"{len(store.distinct('seed'))} repetitions, the maps have the first; 100 trees; "
        f"{N_TEST:,} test rows.",
        expectations_table(check_expectations(store)),
        "![True and estimated posteriors, and their Hellinger distance](posteriors.png)",
        table(["mean Hellinger distance", *KINDS], rows),
    ]
    write_measured(
        arguments.output / "posteriors.md", "Posteriors on sparse parity", "\n\n".join(parts)
    )


if __name__ == "__main__":
    main()

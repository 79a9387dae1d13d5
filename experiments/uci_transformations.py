"""Forests on transformed UCI sets: rotated, scaled, affine, corrupted (Tomita, Table 2.1)."""

from __future__ import annotations

import hashlib
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import wilcoxon

from experiments.arguments import Arguments, parse
from experiments.data import Split
from experiments.figures import panels, save
from experiments.pages import Expectation, expectations_table, table, write_measured
from experiments.store import Cell, Store, measure_cells
from experiments.transformations import (
    BY_POWERS,
    SCALE_BOUND,
    SYSTEMS,
    TRANSFORMATIONS,
    make_transform,
)
from experiments.uci import UciSet, load_uci, read_index
from silvan import ForestClassifier
from silvan.projections import UniformCombinations
from silvan.tuning import OutOfBagSearch

# Figure 2.7 compares these on corrupted data only.
ONLY_CORRUPTED = ("F-RC(n)", "F-RC(z)")
# The signs of Table 2.1, transformation by transformation.
THESIS = {
    "F-RC": "++ --",
    "Frank": "++ + ",
    "RR-RF": "-+---",
    "RR-RF(r)": "-+-+-",
}
N_TREES = 100
# A node of sparse directions may project so many values at the root, and always p directions.
VALUES_OF_A_NODE = 100_000
VALUES = ("error", "chance", "d", "fit_s")


def split_set(uci: UciSet) -> Split:
    """UCI's test set where there is one, otherwise two folds."""
    if len(uci.y_test):
        return Split(uci.X, uci.y, uci.X_test, uci.y_test)
    return uci.split(0, 1)


def transform(split: Split, name: str, seed: int) -> Split:
    """The same change of training and test rows."""
    n_train, p = split.X_train.shape
    change = make_transform(BY_POWERS.get(name, name), p, seed)
    X = change(np.concatenate([split.X_train, split.X_test]))
    if name in BY_POWERS:
        X *= 10 ** np.random.default_rng(seed).uniform(-5, 5, p).astype(np.float32)
    return split._replace(X_train=X[:n_train], X_test=X[n_train:])


def list_directions(p: int, n_train: int, oblique: bool) -> list[int]:
    """The thesis' values of d, cut off where they cost too much."""
    if p <= 5:
        values = list(range(1, p + 1))
    else:
        values = [round(p**power) for power in (0.25, 0.5, 0.75, 1.0)]
    if oblique:
        limit = max(p, VALUES_OF_A_NODE // n_train)
        values = [min(d, limit) for d in (*values, round(p**1.5), p**2)]
    return sorted(set(values))


def seed_of(*words: str) -> int:
    """A seed that depends on the words alone."""
    return int.from_bytes(hashlib.sha256(" ".join(words).encode()).digest()[:4], "big")


def measure(cell: Cell) -> Cell:
    """Transform, tune out of bag on the training rows, test once."""
    name, system = cell["dataset"], cell["system"]
    split = split_set(load_uci(cell["data"], name))
    split = transform(split, cell["data_are"], seed_of(name, cell["data_are"]))
    projections, scaling = SYSTEMS[system]
    n_train, p = split.X_train.shape
    grid = {
        "max_features": list_directions(p, n_train, isinstance(projections, UniformCombinations))
    }
    forest = ForestClassifier(
        N_TREES,
        projections=projections,
        scaling=scaling,
        min_samples_split=10,
        voting="hard",
        random_state=0,
        n_jobs=1,
    )
    start = time.process_time()
    search = OutOfBagSearch(forest, grid, min_trees=15).fit(split.X_train, split.y_train)
    seconds = time.process_time() - start
    constant = np.bincount(split.y_train).argmax()
    return {
        "error": 1 - search.score(split.X_test, split.y_test),
        "chance": float(np.mean(split.y_test != constant)),
        "d": search.best_params_["max_features"],
        "fit_s": seconds,
    }


def list_systems() -> dict[str, tuple[str, ...]]:
    """The systems of each transformation."""
    systems: dict[str, tuple[str, ...]] = dict.fromkeys(TRANSFORMATIONS, ("RF", *THESIS))
    systems["corrupted"] += ONLY_CORRUPTED
    return systems | dict.fromkeys(BY_POWERS, ("RF", *SCALE_BOUND))


def list_cells(arguments: Arguments) -> list[Cell]:
    """Every set, transformation and system, the cheapest sets first."""
    return [
        {"dataset": name, "data_are": data_are, "system": system, "data": arguments.data}
        for name in read_index(arguments.data, arguments.quick)
        for data_are, systems in list_systems().items()
        for system in systems
    ]


def relative_errors(
    store: Store, data_are: str, system: str, reference: str
) -> NDArray[np.float64]:
    """Error less that of another system, over that of the commonest class: a value for each set."""
    found = []
    for name in store.distinct("dataset", data_are=data_are):
        ours = store.rows.get((name, data_are, system))
        other = store.rows.get((name, data_are, reference))
        if ours and other:
            gap = float(ours["error"]) - float(other["error"])
            found.append(gap / max(float(ours["chance"]), 1e-9))
    return np.array(found)


def p_values(gaps: NDArray[np.float64]) -> tuple[float, float]:
    """One-sided p-values of Wilcoxon's test: that the gaps are negative, and positive."""
    if not gaps.any():
        return 1.0, 1.0
    less = float(wilcoxon(gaps, alternative="less").pvalue)
    return less, float(wilcoxon(gaps, alternative="greater").pvalue)


def sign(gaps: NDArray[np.float64]) -> str:
    """+ for significantly better, - for significantly worse, as in Table 2.1."""
    better, worse = p_values(gaps)
    return "+" if better < 0.05 else "-" if worse < 0.05 else " "


def sign_table(store: Store) -> str:
    """Our signs with mean gap and p-value, and those of the thesis."""
    rows = []
    for system, theirs in THESIS.items():
        row = [system]
        for data_are, expected in zip(TRANSFORMATIONS, theirs, strict=True):
            row.append(describe(relative_errors(store, data_are, system, "RF"), expected))
        rows.append(row)
    return table(("against RF", *TRANSFORMATIONS), rows)


def powers_table(store: Store) -> str:
    """Signs against RF where factors of scale are uniform in their logarithm."""
    rows = []
    for system in SCALE_BOUND:
        row = [system]
        for data_are in BY_POWERS:
            gaps = relative_errors(store, data_are, system, "RF")
            expected = THESIS[system][TRANSFORMATIONS.index(data_are.split()[0])]
            row.append(describe(gaps, expected))
        rows.append(row)
    return table(("against RF", *BY_POWERS), rows)


def describe(gaps: NDArray[np.float64], expected: str) -> str:
    """Our sign and that of the thesis, the mean gap and the smaller p-value."""
    ours, theirs = sign(gaps).replace(" ", "o"), expected.replace(" ", "o")
    return f"{ours} ({theirs}), {gaps.mean():+.3f}, {min(p_values(gaps)):.1g}"


def list_expectations(store: Store) -> list[Expectation]:
    """The signs that matter."""

    def gaps(system: str, data_are: str) -> NDArray[np.float64]:
        return relative_errors(store, data_are, system, "RF")

    expectations = []
    for data_are in ("raw", "rotated", "affine"):
        p = p_values(gaps("Frank", data_are))[0]
        expectations.append(
            Expectation(f"Frank better than RF, {data_are} data", f"p = {p:.2g}", p < 0.05)
        )
    p = p_values(gaps("Frank", "corrupted"))[1]
    expectations.append(
        Expectation("Frank not worse than RF, corrupted data", f"p = {p:.2g}", p >= 0.05)
    )
    p = p_values(gaps("F-RC", "corrupted"))[1]
    expectations.append(Expectation("F-RC worse than RF, corrupted data", f"p = {p:.2g}", p < 0.05))
    return expectations


def scaling_table(store: Store) -> str:
    """F-RC with other scalings against F-RC, on corrupted data (Figure 2.7)."""
    rows = []
    for system in ("Frank", *ONLY_CORRUPTED):
        gaps = relative_errors(store, "corrupted", system, "F-RC")
        better = p_values(gaps)[0]
        rows.append(
            [
                system,
                f"{(gaps < 0).sum()} / {(gaps > 0).sum()}",
                f"{gaps.mean():+.4f}",
                f"{better:.2g}",
            ]
        )
    return table(("corrupted data, against F-RC", "won / lost", "mean gap", "p"), rows)


def draw_figure(store: Store, path: Path) -> None:
    """How often each relative error falls into each bin, as Figures 2.6 and 2.7."""
    bins = np.array([-np.inf, -0.2, -0.1, -0.05, -0.02, 0, 1e-12, 0.02, 0.05, 0.1, 0.2, np.inf])
    edges = ("-.2", "-.1", "-.05", "-.02", "0", "0", ".02", ".05", ".1", ".2")
    labels = [f"{low} to {high}" for low, high in pairwise(edges)]
    labels[4] = "equal"
    labels = ["below -.2", *labels, "above .2"]
    figure, axes = panels(1, len(TRANSFORMATIONS) + 1, width=2.3, height=3.4)
    columns = [(data_are, list(THESIS), "RF") for data_are in TRANSFORMATIONS]
    columns.append(("corrupted", ["Frank", *ONLY_CORRUPTED], "F-RC"))
    for axis, (data_are, systems, reference) in zip(axes[0], columns, strict=True):
        counts = np.array(
            [
                np.histogram(relative_errors(store, data_are, system, reference), bins)[0]
                for system in systems
            ]
        ).T
        axis.imshow(counts, cmap="Greys", aspect="auto", vmin=0, vmax=45)
        for (i, j), count in np.ndenumerate(counts):
            if count:
                color = "white" if count > 25 else "black"
                axis.text(j, i, str(count), ha="center", va="center", fontsize=7, color=color)
        axis.set_xticks(range(len(systems)), systems, rotation=60, ha="right")
        axis.set_yticks(range(len(labels)), labels if axis is axes[0, 0] else [""] * len(labels))
        axis.set_title(f"{data_are}, less {reference}", fontsize=9)
    axes[0, 0].set_ylabel("relative error; up is better")
    save(figure, path)


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("uci_transformations", __doc__ or "", seeds=1, argv=argv)
    path = arguments.output / "measurements" / "uci_transformations.csv"
    store = Store(path, ("dataset", "data_are", "system"), VALUES)
    measure_cells(store, list_cells(arguments), measure, arguments)
    draw_figure(store, arguments.output / "uci_transformations.png")
    n_sets = len(relative_errors(store, "corrupted", "RR-RF(r)", "RF"))
    parts = [
        f"`{arguments.command}`",
        expectations_table(list_expectations(store)),
        f"{n_sets} sets. + is better than RF, - worse, o neither (one-sided Wilcoxon, p < .05); in "
        "brackets the sign in the thesis, then the mean normalised gap and the smaller p-value:",
        sign_table(store),
        "The same with factors of scale that are uniform in their logarithm, from 1e-5 to 1e5:",
        powers_table(store),
        "Scalings of F-RC, p one-sided:",
        scaling_table(store),
        "![How often each relative error occurs](uci_transformations.png)",
    ]
    page = arguments.output / "uci_transformations.md"
    write_measured(page, "Transformed UCI sets", "\n\n".join(parts))


if __name__ == "__main__":
    main()

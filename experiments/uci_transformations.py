"""Forests on transformed UCI sets: rotated, scaled, affine, corrupted (Tomita, Table 2.1)."""

from __future__ import annotations

import hashlib
import time

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ortho_group

from experiments.arguments import Arguments, parse
from experiments.data import Split
from experiments.store import Cell, Store, measure_cells
from experiments.uci import UciSet, load_uci, read_index
from silvan import ForestClassifier
from silvan.projections import (
    AxisAligned,
    ProjectionDistribution,
    RandomRotation,
    UniformCombinations,
)
from silvan.tuning import OutOfBagSearch

TRANSFORMATIONS = ("raw", "rotated", "scaled", "affine", "corrupted")
# Each system's distribution and scaling; RF on ranks is RF.
SYSTEMS: dict[str, tuple[ProjectionDistribution, str | None]] = {
    "RF": (AxisAligned(), None),
    "F-RC": (UniformCombinations(), None),
    "Frank": (UniformCombinations(), "rank"),
    "RR-RF": (RandomRotation(), None),
    "RR-RF(r)": (RandomRotation(), "rank"),
    "F-RC(n)": (UniformCombinations(), "minmax"),
    "F-RC(z)": (UniformCombinations(), "standard"),
}
# Figure 2.7 compares these on corrupted data only.
ONLY_CORRUPTED = ("F-RC(n)", "F-RC(z)")
# The signs of Table 2.1, transformation by transformation.
THESIS = {
    "F-RC": "++ --",
    "Frank": "++ + ",
    "RR-RF": "-+---",
    "RR-RF(r)": "-+-+-",
}
MOST_ROWS = 400
MOST_FEATURES = 100
N_TREES = 100
VALUES = ("error", "chance", "d", "fit_s")


def split_set(uci: UciSet) -> Split:
    """UCI's test rows where there are any, otherwise two folds; at most `MOST_ROWS` to train on."""
    if len(uci.y_test):
        return Split(uci.X, uci.y, uci.X_test, uci.y_test).head(MOST_ROWS, 0)
    return uci.split(0, 1).head(MOST_ROWS, 0)


def transform(split: Split, name: str, seed: int) -> Split:
    """The same change of training and test rows, as section 2.2.3 describes it."""
    rng = np.random.default_rng(seed)
    X = np.concatenate([split.X_train, split.X_test]).astype(np.float64)
    if name in ("rotated", "affine"):
        X = X @ random_rotation(X.shape[1], rng)
    if name in ("scaled", "affine"):
        X = X * rng.uniform(1e-5, 1e5, X.shape[1])
    if name == "corrupted":
        chosen = rng.permutation(X.size)[: X.size // 5]
        X.ravel()[chosen] *= 10.0 ** rng.integers(2, 6, len(chosen))
    n_train = len(split.X_train)
    X = X.astype(np.float32)
    return split._replace(X_train=X[:n_train], X_test=X[n_train:])


def random_rotation(p: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Uniform over the rotations of p dimensions."""
    if p == 1:
        return np.ones((1, 1))
    rotation: NDArray[np.float64] = ortho_group.rvs(p, random_state=rng)
    rotation[0] *= np.sign(np.linalg.det(rotation))
    return rotation


def list_directions(p: int, n_train: int, oblique: bool) -> list[int]:
    """The thesis' values of d, cut off where they cost too much."""
    if p <= 5:
        values = list(range(1, p + 1))
    else:
        values = [round(p**power) for power in (0.25, 0.5, 0.75, 1.0)]
    if oblique:
        limit = max(round(p**0.75), 20_000 // n_train)
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


def list_cells(arguments: Arguments) -> list[Cell]:
    """Every set, transformation and system, the cheapest sets first."""
    return [
        {"dataset": name, "data_are": data_are, "system": system, "data": arguments.data}
        for name, row in read_index(arguments.data, arguments.quick).items()
        if int(row["p"]) <= MOST_FEATURES
        for data_are in TRANSFORMATIONS
        for system in SYSTEMS
        if data_are == "corrupted" or system not in ONLY_CORRUPTED
    ]


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("uci_transformations", __doc__ or "", seeds=1, argv=argv)
    path = arguments.output / "measurements" / "uci_transformations.csv"
    store = Store(path, ("dataset", "data_are", "system"), VALUES)
    measure_cells(store, list_cells(arguments), measure, arguments)


if __name__ == "__main__":
    main()

"""Forests that are tuned out of bag on folds of the UCI sets: systems and their grids."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from experiments.arguments import Arguments
from experiments.store import Cell, Store
from experiments.uci import Index, load_uci, read_index
from silvan import ForestClassifier
from silvan.projections import (
    AxisAligned,
    CanonicalDirections,
    PrincipalComponents,
    ProjectionDistribution,
    RandomRotation,
    RidgeDirections,
    SparseSigns,
    UniformCombinations,
)
from silvan.tuning import OutOfBagSearch, direction_grid

KEYS = ("dataset", "fold", "system")
VALUES = ("error", "oob_error", "d", "directions", "trees", "fit_s")
N_FOLDS = 5
# Sets with more samples than this have fewer trees and may be reported from fewer folds.
LARGE = 1000
FEWEST_FOLDS = 1
# A node of sparse directions may project so many values at the root, and always p directions.
VALUES_OF_A_NODE = 100_000


@dataclass(frozen=True)
class System:
    """A distribution of directions, options of its forest, and how it grows as published.

    Systems whose trees see all samples have no out-of-bag score: they are tuned with bootstrap
    samples, and the chosen one is grown again with all.
    """

    projections: ProjectionDistribution
    nonzeros: tuple[int, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    published: dict[str, Any] = field(default_factory=dict)


SYSTEMS = {
    "RF": System(AxisAligned()),
    "RerF": System(SparseSigns(), (1, 2, 3, 4, 5)),
    "F-RC": System(UniformCombinations(), (2, 3, 4, 5)),
    "Frank": System(UniformCombinations(), (2, 3, 4, 5), {"scaling": "rank"}),
    "RR-RF(r)": System(RandomRotation(), options={"scaling": "rank"}),
    "Rot-For": System(
        PrincipalComponents(per="tree"),
        options={"scaling": "standard"},
        published={"bootstrap": False, "voting": "soft"},
    ),
    "O-RF": System(RidgeDirections()),
    "CCF": System(CanonicalDirections(max_fits=1), published={"bootstrap": False}),
}


def is_large(n_samples: int) -> bool:
    """Whether a set has so many samples that few trees and folds tell systems apart."""
    return n_samples > LARGE


def make_grid(
    system: str, n_train: int, p: int, values_of_a_node: float = VALUES_OF_A_NODE
) -> dict[str, list[Any]]:
    """What is tried: the thesis' grid, and for fitted directions the size of the fits.

    Groups of Rot-For have 2, 3 or 5 features. O-RF fits p to the powers 1/4, 1/2 and 3/4 features
    with three penalties, one direction at a node as published or the square root of p of them. CCF
    fits log2(p) + 1 features as published, or these powers.
    """
    projections = SYSTEMS[system].projections
    sizes = sorted({math.ceil(p**power) for power in (0.25, 0.5, 0.75)})
    if isinstance(projections, PrincipalComponents):
        groups = sorted({min(k, p) for k in (2, 3, 5)})
        counts = sorted({math.ceil(p**power) for power in (0.5, 0.75, 1.0)})
        rotations = [PrincipalComponents(k, "tree") for k in groups]
        return {"projections": rotations, "max_features": counts}
    if isinstance(projections, RidgeDirections):
        fits = [RidgeDirections(k, alpha) for k in sizes for alpha in (0.1, 1.0, 10.0)]
        return {"projections": fits, "max_features": sorted({1, math.ceil(math.sqrt(p))})}
    if isinstance(projections, CanonicalDirections):
        sizes = sorted({*sizes, min(p, math.ceil(math.log2(p) + 1))})
        return {"projections": [CanonicalDirections(k, max_fits=1) for k in sizes]}
    nonzeros = SYSTEMS[system].nonzeros
    limit = min(p**2, max(p, values_of_a_node / n_train)) if nonzeros else p
    return direction_grid(projections, p, nonzeros=nonzeros, max_directions=int(limit))


def make_search(
    system: str, n_train: int, p: int, seed: int, values_of_a_node: float = VALUES_OF_A_NODE
) -> OutOfBagSearch:
    """The race of the grid's forests."""
    few = is_large(n_train)
    is_canonical = isinstance(SYSTEMS[system].projections, CanonicalDirections)
    forest = ForestClassifier(
        100 if few else 300,
        projections=SYSTEMS[system].projections,
        max_features=None if is_canonical else "sqrt",
        voting="hard",
        random_state=seed,
        n_jobs=1,
        **SYSTEMS[system].options,
    )
    grid = make_grid(system, n_train, p, values_of_a_node)
    return OutOfBagSearch(forest, grid, min_trees=10 if few else 20, factor=4)


def measure(cell: Cell) -> Cell:
    """Tune on four folds, test on the fifth; a cell may allow more directions at a node."""
    split = load_uci(cell["data"], cell["dataset"]).split(cell["fold"])
    start = time.process_time()
    limit = cell.get("values_of_a_node", VALUES_OF_A_NODE)
    search = make_search(cell["system"], *split.X_train.shape, cell["fold"], limit)
    search.fit(split.X_train, split.y_train)
    forest, published = search.best_estimator_, SYSTEMS[cell["system"]].published
    if published:
        forest = clone(forest).set_params(oob_score=False, **published)
        forest.fit(split.X_train, split.y_train)
    return {
        "error": 1 - forest.score(split.X_test, split.y_test),
        "oob_error": 1 - search.best_score_,
        "d": search.best_params_.get("max_features", 0),
        "directions": describe(search.best_params_.get("projections", AxisAligned())),
        "trees": forest.forest_.n_trees,
        "fit_s": time.process_time() - start,
    }


def describe(distribution: ProjectionDistribution) -> str:
    """The parameters that a search chose, in few words."""
    names = ("mean_nonzeros", "n_features", "alpha")
    values = [getattr(distribution, name, None) for name in names]
    return " ".join(f"{value:g}" for value in values if value is not None) or "1"


def list_cells(arguments: Arguments, systems: Iterable[str]) -> list[Cell]:
    """Every set, fold and system, the cheapest first: last are large sets, fold by fold."""
    index = read_index(arguments.data, arguments.quick)
    cells: list[Cell] = [
        {"dataset": name, "fold": fold, "system": system, "data": arguments.data}
        for name in index
        for fold in range(N_FOLDS)
        for system in systems
    ]
    large = {name: is_large(int(row["n"])) for name, row in index.items()}
    return sorted(
        cells,
        key=lambda cell: large[cell["dataset"]] and 1 + cell["fold"],
    )


def shared_folds(store: Store, name: str, systems: Sequence[str]) -> set[str]:
    """The folds of a set that all of these systems have."""
    folds = [set(store.distinct("fold", dataset=name, system=system)) for system in systems]
    return set.intersection(*folds)


def measured_sets(store: Store, index: Index, systems: Sequence[str]) -> list[str]:
    """The sets with enough folds for every system, by name."""
    return sorted(
        name
        for name, row in index.items()
        if len(shared_folds(store, name, systems))
        >= (FEWEST_FOLDS if is_large(int(row["n"])) else N_FOLDS)
    )


def fold_error(store: Store, name: str, system: str, systems: Sequence[str]) -> float:
    """Mean error over the folds that all of these systems have.

    It is rounded, so that means of equal errors in another order are equal.
    """
    folds = shared_folds(store, name, systems)
    errors = [store.mean("error", dataset=name, system=system, fold=k) for k in folds]
    return round(float(np.mean(errors)), 9)


def mean_errors(store: Store, names: list[str], systems: Sequence[str]) -> NDArray[np.float64]:
    """Mean error over the folds, a row for each set and a column for each system."""
    return np.array([[fold_error(store, n, s, systems) for s in systems] for n in names])

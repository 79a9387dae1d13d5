"""The forests whose digests `test_golden.py` keeps: some of every kind that the core grows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from scipy import sparse
from threadpoolctl import threadpool_info

from silvan import (
    DensityForest,
    ForestClassifier,
    ForestRegressor,
    ManifoldEmbedding,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
    projections,
)

N = 400
P = 12
# Every field of ForestArrays that growing fills, in the order in which a digest reads them.
FIELDS = (
    "tree_offsets",
    "leaf_offsets",
    "left",
    "threshold",
    "missing_left",
    "direction_indptr",
    "direction_indices",
    "direction_coefficients",
    "n_samples",
    "weight",
    "impurity",
    "value_indptr",
    "value_outputs",
    "values",
    "member_indptr",
    "members",
)


def _table() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features with ties and constants, three classes, and a number to regress on."""
    rng = np.random.default_rng(7)
    X = rng.random((N, P), dtype=np.float32)
    X[:, 3] = np.round(X[:, 3] * 5)
    X[:, 4] = 1.0
    number = X[:, 0] * 4 + np.where(X[:, 1] > X[:, 2], 2.0, 0.0) + rng.random(N)
    return X, np.digitize(number, [2.0, 4.0]), number


X, CLASSES, NUMBER = _table()
HOLES = np.where(np.random.default_rng(8).random((N, P)) < 0.1, np.nan, X).astype(np.float32)
INTEGER_WEIGHT = np.random.default_rng(9).integers(0, 4, N)
WEIGHT = np.random.default_rng(10).random(N)
MANY = np.random.default_rng(11).integers(0, 30, N)
PAIR = np.column_stack([NUMBER, X[:, 5] - X[:, 6]])
IMAGES = np.random.default_rng(12).integers(0, 256, (N, 6, 7)).astype(np.uint8)
IMAGES[CLASSES == 1, 1:4, 2:6] //= 2
SERIES = np.random.default_rng(13).random((N, 3, 20)).astype(np.float32)
SERIES[CLASSES == 2, :, 5:12] += 0.3
TABLE = pd.DataFrame(X[:, :6], columns=list("abcdef")).assign(
    g=pd.Categorical(np.digitize(X[:, 7] + CLASSES, np.linspace(0, 3, 9)).astype(str)),
    h=pd.Categorical(np.random.default_rng(14).integers(0, 40, N).astype(str)),
)
GRAPH = nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 4))
ATOMS = sparse.csr_array(np.random.default_rng(15).integers(-1, 2, (25, P)) + np.eye(25, P) * 3)


class EveryOther(projections.ProjectionDistribution):
    """A distribution in Python: differences of two features."""

    def sample(self, node: Any, rng: np.random.Generator) -> Any:
        first = rng.integers(P, size=node.n_directions)
        directions = np.zeros((node.n_directions, P))
        directions[np.arange(len(first)), first] = 1
        directions[np.arange(len(first)), (first + 2) % P] = -1
        return sparse.csr_array(directions)


Fit = Callable[[], Any]


def _classify(X: Any = X, y: Any = CLASSES, weight: Any = None, **options: Any) -> Fit:
    return lambda: ForestClassifier(8, random_state=1, **options).fit(X, y, weight)


def _regress(X: Any = X, y: Any = NUMBER, weight: Any = None, **options: Any) -> Fit:
    return lambda: ForestRegressor(8, random_state=1, **options).fit(X, y, weight)


def _manifold(X: Any, y: Any = CLASSES, **options: Any) -> Fit:
    estimator = ManifoldForestClassifier if y is CLASSES else ManifoldForestRegressor
    return lambda: estimator(8, channels="raw", random_state=1, **options).fit(X, y)


def _density(X: Any = X, weight: Any = None, **options: Any) -> Fit:
    return lambda: DensityForest(6, random_state=1, **options).fit(X, sample_weight=weight)


FORESTS: dict[str, Fit] = {
    # distributions of directions
    "axis aligned": _classify(projections=projections.AxisAligned()),
    "sparse signs": _classify(projections=projections.SparseSigns(mean_nonzeros=3)),
    "combinations": _classify(projections=projections.UniformCombinations(3)),
    "rotation": _classify(projections=projections.RandomRotation()),
    "dictionary": _classify(projections=projections.Dictionary(ATOMS)),
    "graph": _classify(projections=projections.GraphNeighborhoods(GRAPH)),
    "mixture": _classify(
        projections=projections.Mixture(
            [(projections.AxisAligned(), 1.0), (projections.SparseSigns(), 2.0)]
        )
    ),
    "python": _classify(projections=EveryOther()),
    "combined windows": _classify(
        X=SERIES.reshape(N, -1),
        projections=projections.RidgeWindows(
            [20] * 3, statistics=("mean", "spread", "slope"), n_drawn=20, n_terms=5
        ),
        max_features=2,
    ),
    # criteria and targets
    "entropy": _classify(criterion="entropy"),
    "thirty classes": _classify(y=MANY),
    "entropy of thirty classes": _classify(y=MANY, criterion="entropy"),
    "squared error": _regress(),
    "two outputs": _regress(y=PAIR),
    "two classes": _classify(y=CLASSES == 1),
    # samples and weights
    "integer weights": _classify(weight=INTEGER_WEIGHT),
    "fractional weights": _classify(weight=WEIGHT),
    "balanced": _classify(class_weight="balanced"),
    "weighted regression": _regress(weight=WEIGHT),
    "no bootstrap": _classify(bootstrap=False, max_samples=0.6),
    "few samples": _regress(max_samples=50),
    "honest": _classify(honest=True),
    "honest regression": _regress(honest=True, honest_fraction=0.3),
    # thresholds
    "random thresholds": _classify(thresholds="random"),
    "random thresholds with missing values": _classify(X=HOLES, thresholds="random"),
    "random thresholds in regression": _regress(thresholds="random", bootstrap=False),
    # limits
    "shallow": _classify(max_depth=3),
    "large leaves": _classify(min_samples_leaf=7),
    "minimal decrease": _regress(min_impurity_decrease=0.01),
    # features
    "missing values": _classify(X=HOLES),
    "missing values in regression": _regress(X=HOLES),
    "bytes": _classify(X=IMAGES.reshape(N, -1)),
    "ranks": _classify(scaling="rank"),
    "standard scaling": _regress(X=X * 1000, scaling="standard"),
    "categories": _classify(X=TABLE),
    "categories in regression": _regress(X=TABLE),
    "honest categories": _classify(X=TABLE, honest=True),
    # grids
    "images": _manifold(IMAGES),
    "large patches": _manifold(IMAGES, max_size=5, n_patches=2),
    "wrapped series": _manifold(SERIES, boundary=("pad", "wrap"), contiguous=(False, True)),
    "long windows": _manifold(SERIES, contiguous=(False, True), max_size=18),
    "grid regression": _manifold(IMAGES.astype(np.float32), NUMBER, boundary="inside", max_size=5),
    "honest grid": _manifold(IMAGES, honest=True, max_size=5),
    "missing cells": _manifold(
        np.where(np.random.default_rng(16).random(SERIES.shape) < 0.02, np.nan, SERIES),
        max_size=15,
        contiguous=(False, True),
    ),
    "signed patches": _manifold(IMAGES, coefficients="signs"),
    # without targets
    "density": _density(),
    "diagonal density": _density(covariance_type="diag", weight=WEIGHT),
    "embedding": lambda: ManifoldEmbedding(n_estimators=6, random_state=1).fit(X).forest_,
}
# LAPACK rounds by the kind of processor, so each kind has digests of its own.
FITTED: dict[str, Fit] = {
    "principal components": _classify(projections=projections.PrincipalComponents()),
    "ridge directions": _classify(projections=projections.RidgeDirections()),
    "canonical directions": _classify(projections=projections.CanonicalDirections()),
}


def digest(forest: Any) -> str:
    """The first half of a SHA-256 over every array of the forest."""
    arrays = forest.forest_
    sha = hashlib.sha256()
    for name in FIELDS:
        array = np.ascontiguousarray(getattr(arrays, name))
        sha.update(f"{array.dtype.str}{array.shape}".encode())
        sha.update(array.tobytes())
    return sha.hexdigest()[:32]


def processor_kind() -> str:
    """What the BLAS of SciPy calls this processor."""
    kinds = {str(info.get("architecture", "unknown")) for info in threadpool_info()}
    return "+".join(sorted(kinds - {"unknown"})) or "unknown"

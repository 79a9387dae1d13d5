"""Which eigenvectors of a graph are coordinates of their own, and which repeat earlier ones.

On a long narrow sheet the smoothest functions are harmonics along its length: functions of the
first coordinate that add nothing to it. A local linear regression tells (Dsilva, Talmon, Coifman
and Kevrekidis 2018): what it predicts from the coordinates chosen so far is not chosen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

# A coordinate repeats others if regression leaves less than this share of its standard deviation.
_NEW = 0.7
# Samples that the regression looks at; more tell no more.
_MAX_SAMPLES = 2000
# Keeps the equations of neighbours that lie on a line solvable, as a share of their spread.
_RIDGE = 1e-6


def n_candidates(n_components: int) -> int:
    """How many eigenvectors to choose so many coordinates from."""
    return n_components + 20


def independent_columns(vectors: NDArray[np.float64], n_components: int) -> NDArray[np.intp]:
    """Numbers of the first columns that are no functions of the chosen ones before them.

    Where there are too few, those follow that repeat the others least.
    """
    if len(vectors) > _MAX_SAMPLES:
        # By the first coordinate: the choice does not depend on the order of the samples.
        order = np.argsort(vectors[:, 0], kind="stable")
        vectors = vectors[order[np.linspace(0, len(order) - 1, _MAX_SAMPLES).astype(np.intp)]]
    chosen: list[int] = []
    repeating: dict[int, float] = {}
    for column in range(vectors.shape[1]):
        if len(chosen) == n_components:
            break
        residual = local_residual(vectors[:, chosen], vectors[:, column]) if chosen else 1.0
        if residual >= _NEW:
            chosen.append(column)
        else:
            repeating[column] = residual
    spare = sorted(repeating, key=lambda column: -repeating[column])
    return np.array([*chosen, *spare[: n_components - len(chosen)]], dtype=np.intp)


def local_residual(predictors: NDArray[np.float64], target: NDArray[np.float64]) -> float:
    """What local linear regression of a target leaves, as a share of its standard deviation.

    A value is predicted from its nearest neighbours by the predictors, itself left out: near 0 for
    a function of them, about 1 for what has nothing to do with them.
    """
    n_samples, n_predictors = predictors.shape
    n_near = min(n_samples - 1, 3 * n_predictors + 12)
    spread = target.std()
    if n_near < n_predictors + 2 or spread == 0.0:
        return 1.0
    near = _neighbours(predictors, n_near)
    steps = predictors[near] - predictors[:, np.newaxis]
    squares = (steps**2).sum(axis=2)
    width = squares.max(axis=1, keepdims=True)
    weights = (1.0 - squares / np.where(width > 0, 1.01 * width, 1.0)) ** 2
    design = np.concatenate([np.ones((*near.shape, 1)), steps], axis=2)
    weighted = design * weights[..., np.newaxis]
    equations = np.einsum("nki,nkj->nij", weighted, design)
    inner = np.arange(1, n_predictors + 1)
    scale = np.trace(equations[:, 1:, 1:], axis1=1, axis2=2)
    equations[:, inner, inner] += np.where(scale > 0, _RIDGE * scale, 1.0)[:, np.newaxis]
    right = np.einsum("nki,nk->ni", weighted, target[near])
    predicted = np.linalg.solve(equations, right[..., np.newaxis])[:, 0, 0]
    return float(np.sqrt(np.mean((target - predicted) ** 2)) / spread)


def _neighbours(points: NDArray[np.float64], n_near: int) -> NDArray[np.intp]:
    """The nearest other points of each, also where several are equal."""
    near = np.asarray(cKDTree(points).query(points, n_near + 1)[1], dtype=np.intp)
    own = near == np.arange(len(points))[:, np.newaxis]
    own[~own.any(axis=1), -1] = True  # among more equal points than were asked for
    others: NDArray[np.intp] = near[~own].reshape(len(points), n_near)
    return others

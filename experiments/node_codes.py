"""Codes of categories written in Python over one-hot columns, to vary what the library fixes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from experiments.data import Split
from experiments.encodings import CategorySplit
from silvan.projections import Node, ProjectionDistribution

SOURCES = ("half of the rows", "all rows", "nobody")
_TINY = 1e-6


class NodeCodes(ProjectionDistribution):
    """Single features of two-class problems; categories have codes learnt from some of the rows.

    Parameters
    ----------
    starts : sequence of int
        First column of each feature, and the number of columns: a number has one, a category one
        for each level.
    source : {"half of the rows", "all rows", "nobody"}
        Whose classes the codes are estimated from; nobody means codes drawn at random.
    """

    def __init__(self, starts: Any = (0, 1), source: str = SOURCES[0]) -> None:
        self.starts = starts
        self.source = source

    def sample(self, node: Node, rng: np.random.Generator) -> csr_array:
        """Draw features without repetition, each with its codes."""
        n_features = len(self.starts) - 1
        chosen = rng.choice(n_features, min(node.n_directions, n_features), replace=False)
        directions = np.zeros((len(chosen), node.n_features), dtype=np.float32)
        for direction, feature in zip(directions, chosen, strict=True):
            start, stop = self.starts[feature], self.starts[feature + 1]
            direction[start:stop] = 1 if stop - start == 1 else self._codes(node, start, stop, rng)
        return csr_array(directions)

    def _codes(
        self, node: Node, start: int, stop: int, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        if self.source == "nobody":
            return rng.uniform(0.5, 1.5, size=stop - start).astype(np.float32)
        weight = np.asarray(node.weights, dtype=np.float64)
        target = np.asarray(node.targets, dtype=np.float64)
        mean = weight @ target / weight.sum() if len(weight) else 0.0
        if self.source == SOURCES[0]:
            weight = weight * (rng.random(len(weight)) < 0.5)
        indicators = np.asarray(node.X[:, start:stop], dtype=np.float64)
        counts = weight @ indicators
        codes = (weight * (target - mean)) @ indicators / np.where(counts > 0, counts, 1)
        # A direction must have a weight that is not zero.
        return np.where(codes == 0, _TINY, codes).astype(np.float32)


def spread(data: CategorySplit) -> tuple[Split, tuple[int, ...]]:
    """Indicators of all levels in the order of the features, and the first column of each."""
    rows, is_categorical = data
    train, test, starts = [], [], [0]
    for j, categorical in enumerate(is_categorical):
        a, b = rows.X_train[:, [j]], rows.X_test[:, [j]]
        if categorical:
            levels = np.arange(max(a.max(), b.max()) + 1)
            a, b = a == levels, b == levels
        train.append(a)
        test.append(b)
        starts.append(starts[-1] + a.shape[1])
    X_train, X_test = (np.hstack(part).astype(np.float32) for part in (train, test))
    return rows._replace(X_train=X_train, X_test=X_test), tuple(starts)

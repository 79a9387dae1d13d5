"""Nodes made by hand, and the core's random streams in Python."""

from types import SimpleNamespace

import numpy as np
from growing import sample_directions

from silvan.projections import Node

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
TREE_SAMPLER, ROOT_NODE = 2, 3


def mix_bits(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def combine_keys(key, value):
    return mix_bits((key * GOLDEN + mix_bits((value + 0x632BE59BD9B4E019) & MASK)) & MASK)


def stream_key(seed, tree, purpose):
    return combine_keys(combine_keys(seed, tree), purpose)


class NativeStream:
    """The core's stream of a key, as much of a NumPy generator as the references need."""

    def __init__(self, key):
        self.state = key

    def below(self, n):
        self.state = (self.state + GOLDEN) & MASK
        return mix_bits(self.state) * int(n) >> 64

    def integers(self, high, size=None):
        if size is not None:
            return np.array([self.below(high) for _ in range(size)])
        if np.ndim(high):
            return np.array([self.below(n) for n in high])
        return self.below(high)

    def choice(self, n, size, replace):
        """The first items of a Fisher-Yates shuffle."""
        assert not replace
        items = np.arange(n)
        for i in range(size):
            j = i + self.below(n - i)
            items[[i, j]] = items[[j, i]]
        return items[:size]


def describe_node(X, targets, weights=None, multiplicity=None, rows=None):
    """The `rows` argument of `_core.sample_directions`."""
    if multiplicity is None:
        multiplicity = np.ones(len(X), dtype=np.int32)
    return {
        "X": X,
        "targets": targets,
        "weights": weights,
        "multiplicity": np.asarray(multiplicity, dtype=np.int32),
        "samples": None if rows is None else np.asarray(rows, dtype=np.uint32),
    }


def make_node(rows, n_directions):
    """The same node for a NumPy reference."""
    X, multiplicity = rows["X"], rows["multiplicity"]
    numbers = np.flatnonzero(multiplicity) if rows["samples"] is None else rows["samples"]
    weights = multiplicity * (1.0 if rows["weights"] is None else rows["weights"])
    data = SimpleNamespace(
        tree=0,
        depth=0,
        n_samples=len(numbers),
        rows=numbers.astype(np.uint32),
        X=X[numbers],
        targets=rows["targets"][numbers],
        weights=np.asarray(weights, dtype=np.float64)[numbers],
    )
    return Node(X.shape[1], n_directions, data)


def to_dense(directions, n_features):
    indptr, indices, weights = directions
    dense = np.zeros((len(indptr) - 1, n_features))
    dense[np.repeat(np.arange(len(indptr) - 1), np.diff(indptr)), indices] = weights
    return dense


def draw_natively(distribution, rows, n_directions, seed=0, tree=0, path=""):
    n_features = rows["X"].shape[1]
    native = distribution._to_native(n_features)
    return to_dense(
        sample_directions(native, seed, tree, path, n_directions, rows=rows), n_features
    )

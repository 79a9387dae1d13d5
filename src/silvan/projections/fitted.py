"""What node-fitted distributions share: their parameters, and the NumPy reference of their samples.

The native counterpart is ``cpp/core/samplers/node_sample.cpp``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan._validation import check_integer, invalid
from silvan.projections.node import Node
from silvan.projections.rotation import MAX_FEATURES

Vector = NDArray[np.float64]

DEFAULT_MAX_SAMPLES = 256
_ALL_SAMPLES = 2**31 - 1


def check_fit(n_features: Any, max_samples: object, n_available: int, *, or_none: bool) -> None:
    """Check the parameters that all fits have: how many features and samples they look at."""
    check_integer("n_features", n_features, 1, or_none=or_none)
    if n_features is not None and min(n_features, n_available) > MAX_FEATURES:
        raise invalid(
            "n_features",
            f"at most {MAX_FEATURES}, because a fit holds a number for each pair of features",
            n_features,
            "pass for example 10",
        )
    check_integer("max_samples", max_samples, 2, or_none=True)


def sample_limit(max_samples: int | None) -> int:
    """The parameter as a number that the core can hold; None is one that no node exceeds."""
    return _ALL_SAMPLES if max_samples is None else min(int(max_samples), _ALL_SAMPLES)


def n_drawn(n_features: int | None, default: float, n_available: int) -> int:
    """How many features a fit draws: the parameter, or the default rounded up; at most all."""
    wanted = math.ceil(default) if n_features is None else int(n_features)
    return min(wanted, n_available)


@dataclass
class FitSample:
    """Samples that a direction is fitted to: centred features and targets in float64, weights."""

    X: NDArray[np.float64]
    targets: NDArray[Any]
    weights: Vector

    @property
    def shares(self) -> Vector:
        """The weights divided by their sum."""
        return np.asarray(self.weights / self.weights.sum())


def thin(rows: NDArray[np.intp], max_samples: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Thin out more than `max_samples` samples: one from each of that many equal parts."""
    if len(rows) <= max_samples:
        return rows
    steps = rng.integers(len(rows), size=max_samples)
    return np.asarray(rows[(np.arange(max_samples) * len(rows) + steps) // max_samples])


def count_samples(rows: NDArray[np.intp], node: Node) -> NDArray[np.int64]:
    """How often each sample of the node is among `rows`."""
    return np.bincount(rows, minlength=node.n_samples)


def read_sample(node: Node, features: NDArray[Any], counts: NDArray[Any]) -> FitSample:
    """The node's samples by how often each counts, those with missing values left out, centred."""
    X = node.X[:, features].astype(np.float64)
    kept = (counts > 0) & ~np.isnan(X).any(axis=1)
    weights = (node.weights * counts)[kept]
    targets = node.targets[kept]
    if targets.ndim == 2:
        targets = center(targets, weights)
    return FitSample(center(X[kept], weights), targets, weights)


def center(values: NDArray[np.float64], weights: Vector) -> NDArray[np.float64]:
    """The first sample is subtracted before the mean: a constant column becomes exactly zero."""
    if len(values) == 0:
        return values
    values = values - values[0]
    return np.asarray(values - weights @ values / weights.sum())


def standardize(sample: FitSample) -> tuple[NDArray[np.float64], Vector, NDArray[np.bool_]]:
    """The columns that vary divided by their deviations, these deviations, and which they are."""
    variance = sample.shares @ sample.X**2
    varies = variance > 0
    deviation = np.sqrt(variance[varies])
    return sample.X[:, varies] / deviation, deviation, varies


def orient(coefficients: Vector) -> Vector | None:
    """Scale to unit length, the first of the largest entries positive; None if all are zero."""
    magnitude = np.abs(coefficients)
    length = np.linalg.norm(coefficients)
    if not (length > 0 and np.isfinite(length)):
        return None
    pivot = np.argmax(magnitude >= (1 - 1e-6) * magnitude.max())
    return np.asarray(coefficients / (length * np.sign(coefficients[pivot])))


def place(features: NDArray[Any], coefficients: Vector, n_features: int) -> Vector:
    """A vector over all features, zero but for these."""
    direction = np.zeros(n_features)
    direction[features] = coefficients
    return direction

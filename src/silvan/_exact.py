"""Weights whose sums do not depend on the order of their terms."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

MANTISSA_BITS = 53


def exact_weights(weights: NDArray[np.float64], bits: int = MANTISSA_BITS) -> NDArray[np.float64]:
    """Round positive weights so that every sum of some of them is exact in float64.

    Weights become multiples of one power of two, their sum at most ``2 ** bits`` of it, so a weight
    is off by at most ``2 ** (2 - bits)`` of the sum. Integers stay as they are. None becomes zero.
    """
    total = math.fsum(weights)
    if all_integers(weights) and total <= 2.0**bits:
        return weights
    # One bit is kept back for what rounding may add to the sum.
    quantum = math.ldexp(1.0, math.frexp(total)[1] - (bits - 1))
    rounded: NDArray[np.float64] = np.maximum(np.rint(weights / quantum), 1.0) * quantum
    return rounded


def all_integers(values: NDArray[np.float64]) -> bool:
    """Whether all values are whole numbers."""
    return bool((values == np.rint(values)).all())

"""What the simulations share: uniform features, fair classes, a check."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from silvan._validation import invalid, is_number

Sample = tuple[NDArray[np.float32], NDArray[np.int64]]


def draw_uniform(
    rng: np.random.RandomState, n_samples: int, n_features: int, bound: float
) -> NDArray[np.float32]:
    """Draw independent features, uniform over (-bound, bound)."""
    return rng.uniform(-bound, bound, size=(n_samples, n_features)).astype(np.float32)


def draw_fair_classes(rng: np.random.RandomState, n_samples: int) -> NDArray[np.int64]:
    """Draw classes 0 and 1, equally likely."""
    return rng.randint(2, size=n_samples).astype(np.int64)


def check_not_negative(name: str, value: object) -> None:
    """Raise an error unless the value is a number of at least 0."""
    if not (is_number(value) and value >= 0):  # type: ignore[operator]
        raise invalid(name, "a finite number >= 0", value, "pass for example 0.1")

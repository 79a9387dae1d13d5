"""The transformations of data that section 2.2.3 of Tomita's thesis compares forests under."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ortho_group

from silvan.projections import (
    AxisAligned,
    ProjectionDistribution,
    RandomRotation,
    UniformCombinations,
)

TRANSFORMATIONS = ("raw", "rotated", "scaled", "affine", "corrupted")
# The same with factors that are uniform in their logarithm, as in the authors' scripts: what each
# is without factors, and the systems that they matter to.
BY_POWERS = {"scaled by powers": "raw", "affine by powers": "rotated"}
SCALE_BOUND = ("F-RC", "RR-RF")
# Directions and scaling of each system; (r), (n) and (z) stand for ranks, [0, 1] and z-scores.
SYSTEMS: dict[str, tuple[ProjectionDistribution, str | None]] = {
    "RF": (AxisAligned(), None),
    "F-RC": (UniformCombinations(2), None),
    "Frank": (UniformCombinations(2), "rank"),
    "F-RC(n)": (UniformCombinations(2), "minmax"),
    "F-RC(z)": (UniformCombinations(2), "standard"),
    "RR-RF": (RandomRotation(), None),
    "RR-RF(r)": (RandomRotation(), "rank"),
    "RR-RF(n)": (RandomRotation(), "minmax"),
    "RR-RF(z)": (RandomRotation(), "standard"),
}

Transform = Callable[[NDArray[np.floating]], NDArray[np.float32]]


def make_transform(name: str, p: int, seed: int) -> Transform:
    """A function that changes rows of p features, the same way whenever it is called.

    Corruption multiplies a fifth of the entries, chosen anew in each call, by 10² to 10⁵.
    """
    rng = np.random.default_rng([seed, p])
    matrix = np.eye(p)
    if name in ("rotated", "affine", "affine by powers"):
        matrix = ortho_group.rvs(p, random_state=rng)
    if name in ("scaled", "affine"):
        matrix = matrix * rng.uniform(1e-5, 1e5, p)
    if name in BY_POWERS:
        matrix = matrix * 10.0 ** rng.uniform(-5, 5, p)

    def transform(X: NDArray[np.floating]) -> NDArray[np.float32]:
        rows: NDArray[np.float64] = X.astype(np.float64) @ matrix
        if name == "corrupted":
            chosen = rng.permutation(rows.size)[: rows.size // 5]
            rows.ravel()[chosen] *= 10.0 ** rng.integers(2, 6, len(chosen))
        return rows.astype(np.float32)

    return transform

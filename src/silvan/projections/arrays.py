"""Arrays and sparse matrices that distributions are given: read with checks, and made shares of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan._sparse import points_within
from silvan._validation import check_unmasked, invalid
from silvan.projections.parameters import is_sparse


def read_array(name: str, given: Any) -> Any:
    """A sparse matrix whose indices lie within it, or an array without masked entries."""
    if is_sparse(given):
        if given.format == "csr":
            check_columns(name, given)
        if not points_within(given):
            raise ValueError(
                f"{name} is a sparse array whose indices do not lie within its shape; make it anew "
                "from rows, columns and values."
            )
        return given
    check_unmasked(name, given)
    try:
        return np.asarray(given)
    except ValueError:
        raise invalid(
            name, "an array, with rows of the same length", given, "complete or drop the others"
        ) from None


def check_columns(what: str, matrix: Any) -> None:
    """Require that the column indices of a CSR matrix are those of features."""
    indices, n_columns = matrix.indices, matrix.shape[1]
    outside = indices[(indices < 0) | (indices >= n_columns)]
    if len(outside):
        raise ValueError(
            f"{what} must have features from 0 to {n_columns - 1}, but it has feature "
            f"{outside[0]}; correct the column indices of the sparse matrix."
        )


def scale_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of which one is positive, with the largest between one half and one.

    Sums of weights near the ends of what a double can hold would leave it; a power of two rounds
    none. Positive weights stay positive.
    """
    scaled = np.ldexp(weights, -np.frexp(weights.max())[1])
    return np.where(weights > 0, np.maximum(scaled, np.finfo(np.float64).tiny), 0.0)


def share_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights over their sum."""
    scaled = scale_weights(weights)
    shares: NDArray[np.float64] = scaled / scaled.sum()
    return shares

"""Samples that are mostly zero, as the core reads them: never as a dense table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, issparse

from silvan import _core


class SparseSamples:
    """Samples whose values that are not zero are kept by samples, to predict, or by features, too.

    Parameters
    ----------
    X : sparse matrix or array
        The samples, of any sparse format.
    grow : bool
        Whether trees are grown on them, which reads features.
    """

    def __init__(self, X: Any, *, grow: bool) -> None:
        rows = csr_array(X, dtype=np.float32)
        if not rows.has_canonical_format or not rows.data.all():
            rows = csr_array(rows, copy=True)
            rows.sum_duplicates()
            rows.eliminate_zeros()
        self.shape: tuple[int, int] = (int(rows.shape[0]), int(rows.shape[1]))
        self._columns = csc_array(rows) if grow else None
        columns = None if self._columns is None else _parts(self._columns)
        self.native = _core.SparseFeatures(self.shape, _parts(rows), columns)

    def __len__(self) -> int:
        return self.shape[0]

    def has_missing(self) -> NDArray[np.bool_]:
        """Whether values of each feature are missing."""
        columns = self._columns
        assert columns is not None
        feature = np.repeat(np.arange(self.shape[1]), np.diff(columns.indptr))
        missing = feature[np.isnan(columns.data)]
        return np.bincount(missing, minlength=self.shape[1]) > 0

    def distinct_values(self) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """The distinct values of each feature, ascending, zero among them, and where each ends.

        Missing values are left out.
        """
        columns = self._columns
        assert columns is not None
        feature = np.repeat(np.arange(self.shape[1]), np.diff(columns.indptr))
        values = columns.data.astype(np.float64)
        has_zero = np.flatnonzero(np.diff(columns.indptr) < self.shape[0])
        feature = np.concatenate([feature, has_zero])
        values = np.concatenate([values, np.zeros(len(has_zero))])
        known = ~np.isnan(values)
        feature, values = feature[known], values[known]
        order = np.lexsort((values, feature))
        feature, values = feature[order], values[order]
        new = np.ones(len(values), dtype=np.bool_)
        new[1:] = (feature[1:] != feature[:-1]) | (values[1:] != values[:-1])
        ends = np.cumsum(np.bincount(feature[new], minlength=self.shape[1]))
        return values[new], ends


def _parts(
    matrix: csr_array | csc_array,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    return (
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        matrix.data,
    )


def points_within(X: Any) -> bool:
    """Whether the indices of a sparse array lie within it; SciPy follows those that do not."""
    if X.format not in ("coo", "csr", "csc", "bsr") or len(X.shape) != 2:
        return True  # positions are computed, or were checked one by one; or X is refused later
    if X.format == "coo":
        return all(_are_below(n, at) for n, at in zip(X.shape, (X.row, X.col), strict=True))
    major, minor = X.shape[::-1] if X.format == "csc" else X.shape
    if X.format == "bsr":
        major, minor = major // X.blocksize[0], minor // X.blocksize[1]
    ends, indices = np.asarray(X.indptr), np.asarray(X.indices)
    return bool(
        ends.shape == (major + 1,)
        and ends[0] == 0
        and (ends[1:] >= ends[:-1]).all()
        and ends[-1] <= min(len(indices), len(X.data))
        and _are_below(minor, indices)
    )


def _are_below(n: int, indices: NDArray[Any]) -> bool:
    return bool(indices.size == 0 or (indices.min() >= 0 and indices.max() < n))


def stored_values(X: Any) -> NDArray[Any]:
    """The values that an array stores: all of a dense one, those that are not zero of others."""
    if not issparse(X):
        return np.asarray(X)
    matrix: Any = X  # kinds of sparse arrays have their values in common, their type does not
    return np.asarray(matrix.data)

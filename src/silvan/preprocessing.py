"""Transformers of features: ranks, learnt on training samples and applied to new ones."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from silvan._exact import all_integers, exact_weights
from silvan._persistence import PersistentMixin, require_fitted
from silvan._validation import check_sample_weight

__all__ = ["RankScaler"]

# Of a feature, ascending, and how many samples have each.
DistinctValues = tuple[NDArray[Any], NDArray[np.float64]]


class RankScaler(
    OneToOneFeatureMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    PersistentMixin,
    BaseEstimator,  # type: ignore[misc]
):
    """Replace the values of each feature by their ranks among the training values.

    The smallest of n training values has rank 1, the largest rank n; equal values share the mean of
    their ranks. A new value between two training values is interpolated linearly; one below all of
    them has rank 0, one above all of them rank n + 1 [1]_. A missing value (NaN) stays missing, and
    n counts the others. Of a feature of which only missing values were seen, every value is
    missing.

    Ranks do not change under any increasing transformation of a feature, and an outlier is no
    further away than its neighbours. A forest of axis-aligned splits does not need them; an
    oblique forest, which adds features up, does where their scales have no meaning. Forests with
    ``scaling="rank"`` use this transformer.

    Attributes
    ----------
    values_ : list of ndarray
        The distinct training values of each feature, ascending.
    ranks_ : list of ndarray
        Their ranks.
    n_values_ : ndarray of shape (n_features_in_,)
        Number n of training values of each feature, as the weights count them.
    n_features_in_ : int
        Number of features seen by `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features; only if `X` had names that are all strings.

    See Also
    --------
    sklearn.preprocessing.QuantileTransformer : Quantiles interpolated between a fixed number of
        them, in [0, 1] or normal; values outside the training range are moved to its ends.

    Notes
    -----
    The transformer holds the distinct values of every feature and their ranks: up to 8 bytes for
    each training value of type float32 (12 for more than four million samples, or for weights that
    are not integers), at most 1280 bytes for a feature of type uint8.

    References
    ----------
    .. [1] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018. Section 2.2.5.

    Examples
    --------
    >>> from silvan.preprocessing import RankScaler
    >>> scaler = RankScaler().fit([[10.0], [30.0], [30.0], [70.0]])
    >>> scaler.transform([[10.0], [30.0], [50.0], [0.0], [1e6]]).ravel()
    array([1.  , 2.5 , 3.25, 0.  , 5.  ])
    """

    _fitted: ClassVar[tuple[str, ...]] = ("values_", "ranks_", "n_values_")

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the ranks of the training values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples; NaN is a missing value.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights of the samples. If all are integers, a weight k stands for k equal
            samples; otherwise only their ratios count, and n is the number of samples whose weight
            is not zero. Samples of weight zero take no part.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        X = self._check(X, reset=True)
        weight = check_sample_weight(sample_weight, X)
        kept = None if weight is None else np.flatnonzero(weight).astype(np.int32)
        return self._learn(X, kept, weight)

    def transform(self, X: ArrayLike) -> NDArray[Any]:
        """Replace values by their ranks.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ranks : ndarray of shape (n_samples, n_features)
            Ranks: float32 if `X` is of type float32 or uint8, otherwise float64.
        """
        check_is_fitted(self)
        X = self._check(X, reset=False)
        dtype = np.float32 if X.dtype in (np.float32, np.uint8) else np.float64
        ranks = np.empty(X.shape, dtype=dtype, order="F" if X.flags.f_contiguous else "C")
        for j in range(X.shape[1]):
            ranks[:, j] = self._scale_column(j, X[:, j])
        return ranks

    def _scale_column(self, j: int, column: NDArray[Any]) -> NDArray[np.float64]:
        """Ranks of values of feature `j`; they are not checked."""
        if column.dtype == np.uint8 and len(column) > 256:
            table = self._scale_column(j, np.arange(256, dtype=np.uint8))
            return np.take(table, column)
        values, ranks = self.values_[j], self.ranks_[j]
        column = column.astype(np.float64)
        if len(values) == 0:
            return np.full(len(column), np.nan)
        at = np.clip(np.searchsorted(values, column, side="right") - 1, 0, len(values) - 1)
        above = np.minimum(at + 1, len(values) - 1)
        lower, upper = values[at].astype(np.float64), values[above].astype(np.float64)
        # Halves, because a difference of two float64 may exceed the largest.
        width = upper / 2 - lower / 2
        step = np.divide(column / 2 - lower / 2, width, out=np.zeros_like(width), where=width > 0)
        low, high = ranks[at].astype(np.float64), ranks[above].astype(np.float64)
        scaled: NDArray[np.float64] = low + step * (high - low)
        scaled[column < values[0]] = 0.0
        scaled[column > values[-1]] = self.n_values_[j] + 1.0
        scaled[np.isnan(column)] = np.nan
        return scaled

    def _learn(
        self, X: NDArray[Any], kept: NDArray[np.int32] | None, weight: NDArray[np.float64] | None
    ) -> Self:
        """Learn from the samples `kept` (None: all) of checked data."""
        counts = sample_counts(weight, kept)
        columns = (X[:, j] if kept is None else X[kept, j] for j in range(X.shape[1]))
        return self._learn_distinct(
            X.shape[1], (distinct_values(column, counts) for column in columns)
        )

    def _learn_distinct(self, n_features: int, features: Iterable[DistinctValues]) -> Self:
        """Learn from the distinct values of each feature, and how many samples have each."""
        self.n_features_in_ = n_features
        self.values_: list[NDArray[Any]] = []
        self.ranks_: list[NDArray[Any]] = []
        self.n_values_ = np.empty(n_features)
        for j, (values, n) in enumerate(features):
            ends = np.cumsum(n)
            self.values_.append(values)
            self.ranks_.append(_as_float32_if_exact(ends - (n - 1.0) / 2))
            self.n_values_[j] = ends[-1] if len(ends) else 0.0
        return self

    def _check(self, X: ArrayLike, *, reset: bool) -> NDArray[Any]:
        """Require finite numbers or NaN, in two dimensions."""
        checked: NDArray[Any] = validate_data(
            self, X, reset=reset, dtype="numeric", ensure_all_finite="allow-nan"
        )
        return checked

    def _belongs_to(self, n_features: int) -> bool:
        """Whether this is a scaling of so many features; for what was read from a file."""
        return type(self.n_features_in_) is int and self.n_features_in_ == n_features

    def _check_fitted(self) -> None:
        pairs = list(zip(self.values_, self.ranks_, strict=True))
        require_fitted(
            {
                "n_features_in_": len(pairs) == self.n_features_in_,
                "n_values_": self.n_values_.shape == (len(pairs),),
                "values_": all(v.ndim == 1 and (v[1:] > v[:-1]).all() for v, _ in pairs),
                "ranks_": all(r.shape == v.shape and np.isfinite(r).all() for v, r in pairs),
            }
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _as_float32_if_exact(ranks: NDArray[np.float64]) -> NDArray[Any]:
    """The ranks in half the memory, where that rounds none of them."""
    small = ranks.astype(np.float32)
    return small if np.array_equal(small, ranks) else ranks


def sample_counts(
    weight: NDArray[np.float64] | None, kept: NDArray[np.integer[Any]] | None
) -> NDArray[np.float64] | None:
    """How many samples each of the samples `kept` (None: all) stands for; None: each for itself.

    An integer weight stands for so many samples. Otherwise weights are scaled to a mean of 1, and
    rounded so that their sums do not depend on the order of the samples.
    """
    if weight is None:
        return None
    weight = weight if kept is None else weight[kept]
    if all_integers(weight):
        return weight
    return exact_weights(weight * (len(weight) / math.fsum(weight)))


def distinct_values(column: NDArray[Any], counts: NDArray[np.float64] | None) -> DistinctValues:
    """Distinct values of a feature that are not missing, ascending, and how many samples have each.

    What is computed from them depends neither on the order of the samples nor on whether samples
    are repeated or have integer weights.
    """
    if column.dtype.kind == "f":
        seen = ~np.isnan(column)
        counts = None if counts is None else counts[seen]
        column = column[seen]
    if counts is None:
        values, n = np.unique(column, return_counts=True)
        return values, n.astype(np.float64)
    values, place = np.unique(column, return_inverse=True)
    return values, np.bincount(place, weights=counts, minlength=len(values)).astype(np.float64)

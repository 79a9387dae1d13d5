"""Forests whose rows lie on a grid: `X` is flattened, and directions are patches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from silvan._persistence import require_fitted
from silvan._validation import InvalidParameterError
from silvan.forests.base import BaseForest
from silvan.projections import Patches

# What these forests call the parameters of patches, and what patches call them.
_PATCHES = {
    "min_patch": "min_size",
    "max_patch": "max_size",
    "boundary": "boundary",
    "contiguous": "contiguous",
    "weights": "weights",
    "n_patches": "n_patches",
    "reach": "reach",
}


class GridForest(BaseForest):
    """A forest whose rows lie on a grid: flattens `X`, and draws its directions from `Patches`."""

    _fitted: ClassVar[tuple[str, ...]] = ("shape_", "_flat_rows")
    _growing: ClassVar[tuple[str, ...]] = tuple(_PATCHES)

    shape_: tuple[int, ...]
    # Whether `fit` was given flat rows.
    _flat_rows: bool = False

    def __init__(
        self,
        n_estimators: int,
        *,
        shape: int | Sequence[int] | None,
        min_patch: int | Sequence[int],
        max_patch: int | Sequence[int] | None,
        boundary: str | Sequence[str],
        contiguous: bool | Sequence[bool],
        weights: str,
        n_patches: int,
        reach: int | Sequence[int] | None,
        **others: Any,
    ) -> None:
        super().__init__(n_estimators, **others)
        self.shape = shape
        self.min_patch = min_patch
        self.max_patch = max_patch
        self.boundary = boundary
        self.contiguous = contiguous
        self.weights = weights
        self.n_patches = n_patches
        self.reach = reach

    def _check_data(
        self, X: Any, y: Any = "no_validation", *, reset: bool = True, **rules: Any
    ) -> Any:
        X, grid = flatten_rows(X)
        if not reset:
            self._check_grid(X, grid)
            return super()._check_data(X, y, reset=False, **rules)
        given = None if self.shape is None else Patches(self.shape)._shape()
        if given is not None and grid not in (None, given):
            raise ValueError(
                f"shape {given} is not the shape {grid} of the rows of X; leave shape out to take "
                "it from X, or pass flat rows."
            )
        checked = super()._check_data(X, y, **rules)
        self.shape_ = given or grid or (self.n_features_in_,)
        self._flat_rows = grid is None
        return checked

    def _row_shape(self) -> tuple[int, ...]:
        return super()._row_shape() if self._flat_rows else self.shape_

    def _check_grid(self, X: Any, grid: tuple[int, ...] | None) -> None:
        """Refuse rows on another grid than that of `fit`."""
        shape = self.shape_
        came = getattr(X, "shape", None) if grid is None else (len(X), *grid)
        if came == shape and shape[0] > 1 and len(shape) > 1:
            raise ValueError(
                f"X has the shape {shape} of a single row; add an axis for the rows, as in X[None]."
            )
        if grid not in (None, shape):
            raise ValueError(
                f"X must have flat rows, or rows of the shape {shape} that the forest was fitted "
                f"on, but its rows have shape {grid}; pass rows of the same grid."
            )

    def _resolve_projections(self, n_features: int) -> Patches:
        given = {theirs: getattr(self, name) for name, theirs in _PATCHES.items()}
        patches = Patches(self.shape_, **given)
        try:
            patches.validate(n_features)
        except InvalidParameterError as error:
            message = str(error)
            for name, theirs in _PATCHES.items():
                message = message.replace(theirs, name)
            raise InvalidParameterError(message) from None
        return patches

    def _check_fitted(self) -> None:
        super()._check_fitted()
        counts = isinstance(self.shape_, tuple) and all(
            type(n) is int and n > 0 for n in self.shape_
        )
        require_fitted(
            {
                "shape_": counts and math.prod(self.shape_) == self.n_features_in_,
                "_flat_rows": isinstance(self._flat_rows, bool),
            }
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        return tags


def flatten_rows(X: Any) -> tuple[Any, tuple[int, ...] | None]:
    """Rows with one axis of features, and the shape that they had if it was another.

    Anything with two axes or fewer is left as it is, data frames with their names among them.
    """
    array = X if hasattr(X, "shape") else np.asarray(X)
    if len(array.shape) <= 2:
        return X, None
    array = np.asarray(array)
    grid = array.shape[1:]
    return array.reshape(len(array), math.prod(grid)), grid

"""Forests whose samples lie on a grid: `X` is flattened, and directions are patches."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from silvan._parameters import keyword_only
from silvan._persistence import require_fitted
from silvan.forests.supervised import SupervisedForest
from silvan.projections import Patches, ProjectionDistribution
from silvan.projections.grids import PatchParameters


@keyword_only
@dataclass(eq=False, repr=False)
class GridParameters(PatchParameters):
    """Patches are described by parameters of the forest itself, so that it takes no others."""

    projections: ProjectionDistribution | None = field(init=False, default=None)


class GridForest(GridParameters, SupervisedForest):
    """A forest whose samples lie on a grid: flattens `X`, and draws directions from `Patches`."""

    _fitted: ClassVar[tuple[str, ...]] = ("shape_", "_flat_samples")

    @staticmethod
    def _default_projections() -> ProjectionDistribution:
        return Patches()

    # Whether `fit` was given flat samples.
    _flat_samples: bool = False

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
                f"shape {given} is not the shape {grid} of the samples of X; leave shape out to "
                "take it from X, or pass flat samples."
            )
        checked = super()._check_data(X, y, **rules)
        self.shape_ = given or grid or (self.n_features_in_,)
        self._flat_samples = grid is None
        return checked

    def _sample_shape(self) -> tuple[int, ...]:
        return super()._sample_shape() if self._flat_samples else self.shape_

    def _check_grid(self, X: Any, grid: tuple[int, ...] | None) -> None:
        """Refuse samples on another grid than that of `fit`."""
        shape = self.shape_
        came = getattr(X, "shape", None) if grid is None else (len(X), *grid)
        if came == shape and shape[0] > 1 and len(shape) > 1:
            raise ValueError(
                f"X has the shape {shape} of a single sample; add an axis in front, as in X[None]."
            )
        if grid not in (None, shape):
            raise ValueError(
                f"X must have flat samples, or samples of the shape {shape} that the forest was "
                f"fitted on, but they have shape {grid}; pass samples of the same grid."
            )

    def patches(self) -> Patches:
        """The patches that the parameters describe, on the grid of `fit`."""
        declared = {name.name: getattr(self, name.name) for name in fields(PatchParameters)}
        return Patches(**declared).resolve(self.shape_)

    def _resolve_projections(self, n_features: int) -> ProjectionDistribution:
        patches = self.patches()
        patches.validate(n_features)
        return patches

    def _check_fitted(self) -> None:
        super()._check_fitted()
        counts = isinstance(self.shape_, tuple) and all(
            type(n) is int and n > 0 for n in self.shape_
        )
        require_fitted(
            {
                "shape_": counts and math.prod(self.shape_) == self.n_features_in_,
                "_flat_samples": isinstance(self._flat_samples, bool),
            }
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        return tags


def flatten_rows(X: Any) -> tuple[Any, tuple[int, ...] | None]:
    """Samples with one axis of features, and the shape that they had if it was another.

    Anything with two axes or fewer is left as it is, data frames with their names among them.
    """
    array = X if hasattr(X, "shape") else np.asarray(X)
    if len(array.shape) <= 2:
        return X, None
    array = np.asarray(array)
    grid = array.shape[1:]
    return array.reshape(len(array), math.prod(grid)), grid

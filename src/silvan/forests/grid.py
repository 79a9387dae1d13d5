"""Forests whose samples lie on a grid: `X` is flattened, and directions are patches or windows."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from silvan import _core
from silvan._parameters import growing, keyword_only
from silvan._persistence import require_fitted
from silvan._validation import TrainingFeatures, check_features, check_flag, invalid
from silvan._windows import MAX_AXES
from silvan.channels import FittedChannels
from silvan.channels.fitting import count_learning_samples, learn_channels
from silvan.channels.plane import contiguous_axes, find_planes
from silvan.forest_arrays import ForestArrays
from silvan.forests.constraints import require_no_constraints
from silvan.forests.fitted import FittedForest
from silvan.forests.fitting import CheckedSamples, TrainingSamples
from silvan.forests.grid_axes import warn_of_sensors, with_neighbours
from silvan.forests.grid_defaults import (
    AUTO,
    RAW,
    default_channels,
    default_growth,
    default_max_features,
    is_auto,
)
from silvan.forests.grid_windows import (
    boundary_on,
    check_raw,
    has_ones,
    n_terms_on,
    windows_on,
)
from silvan.forests.importances import feature_importances
from silvan.forests.labelled import GridAxes, plain_samples
from silvan.forests.sampling import make_sampling
from silvan.forests.supervised import SupervisedForest
from silvan.projections import Patches, ProjectionDistribution, Windows
from silvan.projections.grids import PatchParameters, spread_over_axes

# Cells of channels that prediction has in memory at a time.
_BLOCK_CELLS = 2**26


@keyword_only
@dataclass(eq=False, repr=False)
class GridParameters(PatchParameters):
    """Patches are described by parameters of the forest itself, so that it takes no others."""

    projections: ProjectionDistribution | None = field(init=False, default=None)
    channels: str | Sequence[Any] = AUTO
    statistics: str | Sequence[str] = growing(AUTO)
    shift: int | str = growing(AUTO)
    n_terms: int | str = growing(AUTO)
    boundary: str | Sequence[str] = growing(AUTO)


class GridForest(GridParameters, SupervisedForest):
    """A forest whose samples lie on a grid: flattens `X`, and draws `Patches` or `Windows`."""

    _fitted: ClassVar[tuple[str, ...]] = ("shape_", "_flat_samples", "channels_", "axes_")

    @staticmethod
    def _default_projections() -> ProjectionDistribution:
        return Patches()

    # Neighbours on a grid are read side by side.
    _takes_sparse = False
    # A cell is one number.
    _takes_dates = False
    # Whether directions along series combine several windows where that is left open. Channels
    # follow this, and not parameters that only change growth: searches share them.
    _combines = False
    # Whether `fit` was given flat samples.
    _flat_samples: bool = False
    shape_: tuple[int, ...]
    channels_: FittedChannels | None = None
    axes_: GridAxes | None = None

    def _check_data(
        self, X: Any, y: Any = "no_validation", *, reset: bool = True, **rules: Any
    ) -> Any:
        X, axes = plain_samples(X, None if reset else self.shape_[-1])
        X, grid = flatten_samples(X)
        if not reset:
            self._check_grid(X, grid)
            if axes is not None and self.axes_ is not None:
                self.axes_._refuse_others(axes)
            return super()._check_data(X, y, reset=False, **rules)
        given = None if self.shape is None else Patches(self.shape).grid.shape
        if given is not None and grid not in (None, given):
            raise ValueError(
                f"shape {given} is not the shape {grid} of the samples of X; leave shape out to "
                "take it from X, or pass flat samples."
            )
        checked = super()._check_data(X, y, **rules)
        self.shape_ = given or grid or (self.n_features_in_,)
        self._flat_samples = grid is None
        self.axes_ = axes if axes is not None and axes._belongs_to(self.shape_) else None
        self.channels_ = None
        Patches(self.shape_).validate(self.n_features_in_)
        for run in spread_over_axes("contiguous", self.contiguous, self.shape_):
            check_flag("contiguous", run)
        if self._wants_channels():
            # Of one sample, for the shapes: what is learnt needs the order of all of them.
            check_features(checked[0][:1])
            if self._contiguous() is True and checked[0].dtype != np.uint8:
                warn_of_sensors(self.shape_)
            self.channels_ = self._fit_channels(checked[0][:1], seed=0)
        # What is said of patches must hold of windows, too.
        self.patches().validate(self.n_features_in_)
        return checked

    @property
    def fitted_(self) -> FittedForest:
        """What was learnt, for readers: a view that holds no copies."""
        return replace(super().fitted_, channels=self.channels_, axes=self.axes_)

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

    def _wants_channels(self) -> bool:
        """Whether there are to be channels, for samples that are checked.

        Where that was left open there are none if there can be none: of categories, for patches
        with coefficients, and where more axes than windows have, or none, are contiguous.
        """
        if not is_auto(self.channels):
            return not self._is_raw()
        n_axes = sum(contiguous_axes(self.shape_, self._contiguous()))
        plain = self._categories is None and has_ones(self)
        return plain and 1 <= n_axes <= MAX_AXES

    def _contiguous(self) -> bool | Sequence[bool]:
        """Which axes have neighbours, for channels."""
        return with_neighbours(self.contiguous, self.shape_, self.axes_)

    def _is_raw(self) -> bool:
        """Whether the user asks for sums over patches of the values themselves."""
        return isinstance(self.channels, str) and self.channels == RAW

    def _settled(self) -> Self:
        channels = None if self._is_raw() else vars(self).get("channels_")
        weight = getattr(self, "class_weight", None)
        chosen = {
            name: value
            for name, value in default_growth(
                channels, self._n_terms(), getattr(self, "oob_score", False), weight
            ).items()
            if is_auto(getattr(self, name, None))
            or (name == "max_samples" and self._draws_are_open())
        }
        if is_auto(self.max_features):
            chosen["max_features"] = default_max_features(self.channels_, self._n_terms())
        return type(self)(**{**self.get_params(deep=False), **chosen}) if chosen else self

    def _draws_are_open(self) -> bool:
        return is_auto(getattr(self, "bootstrap", None)) and self.max_samples is None

    def _n_terms(self) -> int:
        """Number of windows that a direction combines."""
        if self.channels_ is None:
            return 1
        return n_terms_on(self, self.channels_)

    def _fit_channels(self, samples: NDArray[Any], seed: int) -> FittedChannels:
        """The channels that the parameters describe, fitted to flat samples."""
        if self._categories is not None:
            raise invalid(
                "channels",
                '"raw" where features are categories',
                self.channels,
                'pass channels="raw", or categorical_features=None',
            )
        boundary = spread_over_axes("boundary", boundary_on(self, 1), self.shape_)
        planes = find_planes(
            self.shape_, self._contiguous(), tuple(rule == "wrap" for rule in boundary)
        )
        channels: Any = self.channels
        if is_auto(channels):
            channels = default_channels(planes, self._combines)
        return learn_channels(channels, samples, planes, seed)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_no_constraints(self)
        if self._is_raw():
            check_raw(self)

    def patches(self) -> Patches:
        """The patches that the parameters describe, on the grid of `fit`."""
        declared = {name.name: getattr(self, name.name) for name in fields(PatchParameters)}
        declared["boundary"] = boundary_on(self, self._n_terms())
        if self.channels_ is not None:
            declared["contiguous"] = self.channels_.planes.contiguous
        return Patches(**declared).resolve(self.shape_)

    def windows(self) -> Windows:
        """The windows that the parameters describe, on the channels of `fit`."""
        assert self.channels_ is not None
        return windows_on(self, self.channels_)

    def _resolve_projections(self, n_features: int) -> ProjectionDistribution:
        drawn = self.patches() if self.channels_ is None else self.windows()
        drawn.validate(n_features)
        return drawn

    def _n_columns(self) -> int:
        return super()._n_columns() if self.channels_ is None else self.channels_.layout.n_cells

    def _read_samples(self, checked: CheckedSamples, seed: int) -> TrainingSamples:
        """The samples as cells of channels."""
        read = super()._read_samples(checked, seed)
        if self.channels_ is None:
            return read
        samples, order = read.features.rows, read.sampling.order
        targets = read.targets.kept(read.sampling.plan)
        repeats = _core.sample_repeats(samples, targets.reshape(len(targets), -1), order)
        distinct = order[np.asarray(repeats) == 0]
        n_learning = count_learning_samples(self.channels_.planes.plane)
        channels = self._fit_channels(samples[distinct[:n_learning]], seed)
        if self.verbose:
            self._tell_memory(channels, len(samples))
        cells = channels.transform(samples)
        features = TrainingFeatures(cells, cells)
        sampling = make_sampling(read.sampling.plan, features, targets, seed)
        return read._replace(features=features, sampling=sampling, channels=channels)

    def _tell_memory(self, channels: FittedChannels, n_samples: int) -> None:
        """Say how much memory cells and windows will take, before there are any."""
        size = (
            n_samples * (channels.bytes_per_sample + self._window_bytes(channels, n_samples)) / 1e6
        )
        arrays = channels.layout.n_channels
        sys.stderr.write(
            f"Windows look at {arrays:,} arrays computed from each of {n_samples:,} samples: "
            f"{size:,.0f} MB.\n"
        )

    def _window_bytes(self, channels: FittedChannels, n_samples: int) -> int:
        """What reading windows takes for each of so many samples: running sums."""
        return windows_on(self, channels).bytes_per_sample(channels.dtype, channels.largest)

    def _grow_on(self, samples: TrainingSamples, earlier: ForestArrays | None) -> None:
        self.channels_ = samples.channels
        super()._grow_on(samples, earlier)

    def _scaled(self, checked: NDArray[Any]) -> NDArray[Any]:
        rows = super()._scaled(checked)
        return rows if self.channels_ is None else self.channels_.transform(rows)

    def _ask_trees(
        self, ask: Callable[[NDArray[Any]], NDArray[Any]], checked: NDArray[Any]
    ) -> NDArray[Any]:
        step = max(1, _BLOCK_CELLS // self._n_columns())
        if self.channels_ is None or len(checked) <= step:
            return super()._ask_trees(ask, checked)
        starts = range(0, len(checked), step)
        answers = [ask(self._scaled(checked[start : start + step])) for start in starts]
        return np.concatenate(answers)

    @cached_property
    def _importances(self) -> NDArray[np.float64]:
        importances = feature_importances(self.forest_, boosted=self.fitted_.start is not None)
        if self.channels_ is None:
            return importances
        return self.channels_.credit_on_grid(importances[None]).ravel()

    def _check_fitted(self) -> None:
        super()._check_fitted()
        counts = isinstance(self.shape_, tuple) and all(
            type(n) is int and n > 0 for n in self.shape_
        )
        channels = self.channels_
        require_fitted(
            {
                "shape_": counts and math.prod(self.shape_) == self.n_features_in_,
                "axes_": self.axes_ is None
                or (isinstance(self.axes_, GridAxes) and self.axes_._belongs_to(self.shape_)),
                "_flat_samples": isinstance(self._flat_samples, bool),
                "channels_": channels is None
                or (not self._is_raw() and channels.check().planes.shape == self.shape_),
            }
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        return tags


def flatten_samples(X: Any) -> tuple[Any, tuple[int, ...] | None]:
    """Samples with one axis of features, and the shape that they had if it was another.

    Anything with two axes or fewer is left as it is, data frames with their names among them.
    """
    X, _ = plain_samples(X)
    array = X if hasattr(X, "shape") else np.asarray(X)
    if len(array.shape) <= 2:
        return X, None
    array = np.asarray(array)
    grid = array.shape[1:]
    return array.reshape(len(array), math.prod(grid)), grid

"""What a manifold forest does where the user leaves it open: by the kind of grid, from evidence.

The evidence is among the results ("Which defaults?"): chosen on training samples alone.
"""

from __future__ import annotations

import math
from typing import Any

from silvan._validation import is_word
from silvan.channels import (
    Channel,
    Convolutions,
    Difference,
    FittedChannels,
    Gradients,
    Raw,
    Spectrum,
)
from silvan.channels.plane import Plane, PlaneGrid

AUTO, RAW = "auto", "raw"
# Series shorter than this have no use for kernels of 9 cells and for spectra.
_MIN_SERIES = 16
# Kernels of all planes together, as long as there are some for each; of values and of differences.
_N_KERNELS = 64
# Candidates at a node along series, in square roots of the number of cells.
_ROOTS_OF_SERIES = 3
# Share of the samples that a tree sees where others must be left out to score it.
OUT_OF_BAG_SAMPLES = 0.7
# Share of the means that are shifted.
SHIFT_PROBABILITY = 0.75


def is_auto(value: object) -> bool:
    """Whether a parameter was left to the forest."""
    return is_word(value, AUTO)


def default_channels(planes: PlaneGrid) -> list[Channel]:
    """The channels of a grid: of a series, an image or a volume, for each plane."""
    plane = planes.plane
    if len(plane.shape) == 1:
        return _series_channels(plane, planes.n_planes)
    if len(plane.shape) <= 3 and max(plane.shape) > 2:
        return [Raw(), Gradients()]
    return [Raw()]


def _series_channels(plane: Plane, n_planes: int) -> list[Channel]:
    length = plane.shape[0]
    channels: list[Channel] = [Raw()]
    if length >= 3:
        channels.append(Difference())
    if length >= _MIN_SERIES:
        n_kernels = max(4, _N_KERNELS // n_planes)
        channels += [Spectrum(), Convolutions(n_kernels), Convolutions(n_kernels, order=1)]
    return channels


def default_statistics(plane: Plane) -> tuple[str, ...]:
    """What windows say of the cells in them."""
    return ("mean", "spread", "slope") if len(plane.shape) == 1 else ("mean",)


def default_max_size(plane: Plane) -> tuple[int, ...]:
    """The longest window along each axis; shorter channels have shorter ones."""
    return plane.shape if len(plane.shape) == 1 else tuple(min(8, n) for n in plane.shape)


def default_whole(plane: Plane) -> float:
    """Share of the windows that cover their channel, where the longest window is left open."""
    return 0.25 if len(plane.shape) == 1 else 0.0


def default_shift(plane: Plane) -> int:
    """How far windows are moved in search of their largest mean."""
    return 0 if len(plane.shape) == 1 else 2


def default_max_features(channels: FittedChannels | None) -> int | str:
    """Number of candidates at a node, where it was left open."""
    if channels is None or len(channels.planes.plane.shape) > 1:
        return "sqrt"
    return _ROOTS_OF_SERIES * math.isqrt(channels.layout.n_cells)


def default_growth(
    channels: FittedChannels | None, out_of_bag: Any, class_weight: Any
) -> dict[str, Any]:
    """Thresholds and draws of samples: those of the papers, or those of windows on channels."""
    if channels is None:
        return {"thresholds": "best", "bootstrap": True}
    is_series = len(channels.planes.plane.shape) == 1
    chosen: dict[str, Any] = {"thresholds": "random" if is_series else "best", "bootstrap": False}
    if class_weight is not None:
        # Weights change nothing in trees of pure leaves that see all samples.
        chosen["bootstrap"] = True
    elif out_of_bag:
        chosen["max_samples"] = OUT_OF_BAG_SAMPLES
    return chosen

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
# Kernels of all planes together, as long as there are some for each, and the largest number of
# cells of their arrays; of values and of differences. The second pair is for combined windows.
_KERNELS, _COMBINED_KERNELS = (64, 32), (128, 16)
# Candidates at a node along series, in square roots of the number of cells.
_ROOTS_OF_SERIES = 3
# Windows that a direction along series combines, those that it draws for each, and such
# directions at a node.
_N_TERMS, DRAWN_PER_TERM, _N_FITS = 40, 8, 2
# Windows of a pool, and the largest number of their values, 4 GiB of them.
_POOL, _POOLED_VALUES = 2**12, 2**30
# Share of the samples that a tree sees where others must be left out to score it.
OUT_OF_BAG_SAMPLES = 0.7
# Share of the means that are shifted.
SHIFT_PROBABILITY = 0.75


def is_auto(value: object) -> bool:
    """Whether a parameter was left to the forest."""
    return is_word(value, AUTO)


def default_channels(planes: PlaneGrid, combined: bool) -> list[Channel]:
    """The channels of a grid: of a series, an image or a volume, for each plane.

    There are more convolutions where several windows are combined.
    """
    plane = planes.plane
    if len(plane.shape) == 1:
        kernels = _COMBINED_KERNELS if combined else _KERNELS
        return _series_channels(plane, planes.n_planes, kernels)
    if len(plane.shape) <= 3 and max(plane.shape) > 2:
        return [Raw(), Gradients()]
    return [Raw()]


def _series_channels(plane: Plane, n_planes: int, kernels: tuple[int, int]) -> list[Channel]:
    length = plane.shape[0]
    channels: list[Channel] = [Raw()]
    if length >= 3:
        channels.append(Difference())
    if length >= _MIN_SERIES:
        n_kernels, max_length = max(4, kernels[0] // n_planes), kernels[1]
        channels.append(Spectrum())
        channels += [Convolutions(n_kernels, max_length, order) for order in (0, 1)]
    return channels


def default_statistics(plane: Plane) -> tuple[str, ...]:
    """What windows say of the cells in them."""
    return ("mean", "spread", "slope") if len(plane.shape) == 1 else ("mean",)


def default_max_size(plane: Plane) -> tuple[int, ...]:
    """The longest window along each axis; shorter channels have shorter ones."""
    return plane.shape if len(plane.shape) == 1 else tuple(min(8, n) for n in plane.shape)


def default_whole(plane: Plane, n_terms: int) -> float:
    """Share of the windows that cover their channel, where the longest window is left open."""
    if len(plane.shape) > 1:
        return 0.0
    return 0.25 if n_terms == 1 else 0.1


def default_shift(plane: Plane) -> int:
    """How far windows are moved in search of their largest mean."""
    return 0 if len(plane.shape) == 1 else 2


def default_terms(channels: FittedChannels) -> int:
    """Number of windows that a direction combines; one where a missing window would spoil many."""
    is_series = len(channels.planes.plane.shape) == 1
    return _N_TERMS if is_series and not channels.with_missing else 1


def root_of_arrays(n_terms: int) -> float:
    """Which root of the number of its arrays a channel's share of windows grows with.

    A fit to few samples learns noise where most of its windows lie on convolutions.
    """
    return 2.0 if n_terms == 1 else 4.0


def default_boundary(n_terms: int) -> str:
    """How windows and patches meet the ends of an axis."""
    return "inside" if n_terms > 1 else "pad"


def default_max_features(channels: FittedChannels | None, n_terms: int) -> int | str:
    """Number of candidates at a node, where it was left open."""
    if n_terms > 1:
        return _N_FITS
    if channels is None or len(channels.planes.plane.shape) > 1:
        return "sqrt"
    return _ROOTS_OF_SERIES * math.isqrt(channels.layout.n_cells)


def default_pool_size(n_samples: int, n_patches: int) -> int:
    """How many windows, or differences of so many, some trees choose from."""
    return max(1, min(_POOL, _POOLED_VALUES // (n_samples * n_patches)))


def default_growth(
    channels: FittedChannels | None, n_terms: int, out_of_bag: Any, class_weight: Any
) -> dict[str, Any]:
    """Thresholds and draws of samples: those of the papers, or those of windows on channels."""
    if channels is None:
        return {"thresholds": "best", "bootstrap": True}
    single = len(channels.planes.plane.shape) == 1 and n_terms == 1
    chosen: dict[str, Any] = {"thresholds": "random" if single else "best", "bootstrap": False}
    if class_weight is not None:
        # Weights change nothing in trees of pure leaves that see all samples.
        chosen["bootstrap"] = True
    elif out_of_bag:
        chosen["max_samples"] = OUT_OF_BAG_SAMPLES
    return chosen

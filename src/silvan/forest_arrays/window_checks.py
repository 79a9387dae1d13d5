"""Checks that the windows of a forest lie on its channels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from silvan._windows import MAX_AXES, STATISTICS
from silvan.forest_arrays.layout import WINDOW_ARRAYS
from silvan.forest_arrays.requiring import require

if TYPE_CHECKING:
    from silvan.forest_arrays.arrays import ForestArrays

_DESCRIPTION = ("channel_shapes", "window_wraps", "window_statistics")
_MAX_INT32 = int(np.iinfo(np.int32).max)


def check_windows(forest: ForestArrays) -> None:
    """Raise a ValueError that names what is wrong with channels or windows, if there are any."""
    if not len(forest.window_max_size):
        for name in (*_DESCRIPTION, *WINDOW_ARRAYS):
            require(not len(getattr(forest, name)), f"{name} has entries, but no axes are known")
        return
    _check_channels(forest)
    _check_table(forest)


def _check_channels(forest: ForestArrays) -> None:
    axes = len(forest.window_max_size)
    require(axes <= MAX_AXES, f"window_max_size has {axes} axes, more than {MAX_AXES}")
    require(
        not len(forest.grid_shape) and not len(forest.n_categories),
        "it has windows besides a grid or categories",
    )
    require(len(forest.window_wraps) == axes, "window_wraps has not one entry for each axis")
    require(bool((forest.window_wraps <= 1).all()), "window_wraps has entries other than 0 and 1")
    sizes = forest.window_max_size
    require(
        bool((sizes >= 1).all() and (sizes <= _MAX_INT32).all()),
        f"window_max_size has entries outside 1 ... {_MAX_INT32}",
    )
    # Integers of Python, which do not overflow.
    lengths: list[int] = forest.channel_shapes.tolist()
    require(
        len(lengths) > 0 and len(lengths) % axes == 0 and min(lengths) > 0,
        "channel_shapes has not a length along each axis for every channel",
    )
    n_cells = sum(math.prod(lengths[i : i + axes]) for i in range(0, len(lengths), axes))
    require(
        n_cells == forest.n_features,
        "channel_shapes has another number of cells than there are features",
    )
    statistics: list[int] = forest.window_statistics.tolist()
    require(
        len(statistics) > 0
        and statistics == sorted(set(statistics))
        and statistics[-1] < len(STATISTICS),
        "window_statistics has entries that are not known, or do not rise",
    )


def _check_table(forest: ForestArrays) -> None:
    axes, n = len(forest.window_max_size), forest.n_windows
    for name in WINDOW_ARRAYS:
        width, length = 2 * axes if name == "window_box" else 1, len(getattr(forest, name))
        require(length == n * width, f"{name} has {length} entries for {n} windows")
    shapes = forest.channel_shapes.reshape(-1, axes)
    channel = forest.window_channel
    require(
        bool(((channel >= 0) & (channel < len(shapes))).all()),
        f"window_channel has entries outside 0 ... {len(shapes) - 1}",
    )
    box = forest.window_box.reshape(n, axes, 2).astype(np.int64)
    require(_boxes_fit(forest, box, shapes[channel]), "window_box has boxes outside their channel")
    require(
        bool(np.isin(forest.window_statistic, forest.window_statistics).all()),
        "window_statistic has entries that window_statistics lacks",
    )
    shifted = forest.window_shift != 0
    require(
        bool((forest.window_statistic[shifted] == STATISTICS.index("mean")).all()),
        "window_shift has shifts of windows that are no means",
    )
    scale = forest.window_scale
    require(
        bool((np.isfinite(scale) & (scale > 0)).all()),
        "window_scale has entries that are not above 0",
    )
    over = forest.direction_indices[forest.direction_indices >= forest.n_features]
    require(
        np.array_equal(over.astype(np.int64), forest.n_features + np.arange(n)),
        "direction_indices do not number the windows in their order",
    )


def _boxes_fit(forest: ForestArrays, box: NDArray[np.int64], shapes: NDArray[np.int64]) -> bool:
    start, end = box[..., 0], box[..., 1]
    size = end - start
    inside = (start >= 0) & (start < shapes) & (size >= 1) & (size <= forest.window_max_size)
    fits = np.where(forest.window_wraps > 0, size <= shapes, end <= shapes)
    return bool((inside & fits).all())

"""The arrays of a forest: their types, and which of them belong together."""

from __future__ import annotations

import numpy as np

DTYPES = {
    "tree_offsets": np.int64,
    "leaf_offsets": np.int64,
    "left": np.int32,
    "threshold": np.float32,
    "missing_left": np.uint8,
    "direction_indptr": np.int64,
    "direction_indices": np.int32,
    "direction_coefficients": np.float32,
    "n_samples": np.int32,
    "weight": np.float64,
    "impurity": np.float32,
    "value_indptr": np.int64,
    "value_outputs": np.int32,
    "values": np.float64,
    "member_indptr": np.int64,
    "members": np.int32,
    "grid_shape": np.int64,
    "grid_contiguous": np.uint8,
    "n_categories": np.int64,
    "channel_shapes": np.int64,
    "window_max_size": np.int64,
    "window_wraps": np.uint8,
    "window_statistics": np.uint8,
    "window_channel": np.int32,
    "window_box": np.int32,
    "window_statistic": np.uint8,
    "window_shift": np.int8,
    "window_scale": np.float32,
}
# Arrays that say what the columns after the features are.
COLUMNS = (
    "grid_shape",
    "grid_contiguous",
    "n_categories",
    "channel_shapes",
    "window_max_size",
    "window_wraps",
    "window_statistics",
)
# Arrays with an entry for each window, or several.
WINDOW_ARRAYS = (
    "window_channel",
    "window_box",
    "window_statistic",
    "window_shift",
    "window_scale",
)
NODE_ARRAYS = ("left", "threshold", "missing_left", "n_samples", "weight", "impurity")
# Arrays that hold positions in another array: appending a forest shifts them by that array's
# length.
POSITIONS = ("tree_offsets", "leaf_offsets", "direction_indptr", "value_indptr", "member_indptr")
# float32 holds whole numbers up to here exactly.
MAX_CATEGORIES = 2**24

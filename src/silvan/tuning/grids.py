"""Grids over directions: that of the thesis, one for patches, and what they may cost."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from sklearn.base import clone

from silvan._validation import check_integer, invalid
from silvan.channels import FittedChannels
from silvan.forests.bagged import BaggedForest
from silvan.forests.defaults import default_projections
from silvan.forests.grid import GridForest
from silvan.forests.shared_samples import directions_of_a_node, features_of_a_sample
from silvan.forests.supervised import SupervisedForest
from silvan.projections import (
    Patches,
    ProjectionDistribution,
    RidgeWindows,
    SparseSigns,
    UniformCombinations,
    UnitFree,
)

# What `direction_grid` varies beside d, for the distributions that have it.
_SPARSITY = {SparseSigns: "mean_nonzeros", UniformCombinations: "n_features"}

# The largest d of a default grid: so many times that of the estimator, or so that a level of a tree
# projects so many values, which takes some 30 ms.
_TIMES_OWN_DIRECTIONS = 4
_VALUES_OF_A_LEVEL = 250_000


def direction_grid(
    projections: ProjectionDistribution | None,
    n_features: int,
    *,
    nonzeros: Iterable[int] = (1, 2, 3, 4, 5),
    max_directions: int | None = None,
) -> dict[str, list[Any]]:
    """The grid of d and sparsity that Tomita's thesis searches (section 3.3.1).

    The number d of directions at a node is p to the powers 1/4, 1/2, 3/4 and 1, rounded. For
    `SparseSigns` and `UniformCombinations`, `UnitFree` or not, d is also p², and a direction has 1
    to 5 features: the former on average (the thesis' λ, times p), the latter always. Other
    distributions stay as they are.

    Parameters
    ----------
    projections : ProjectionDistribution or None
        What directions are drawn from; None is the default of the forests,
        ``UnitFree(SparseSigns())``.
    n_features : int
        Number p of features.
    nonzeros : iterable of int, default=(1, 2, 3, 4, 5)
        Numbers of features of a direction; those above p are left out, and p stands in for all.
    max_directions : int, default=None
        Upper limit of d: p² directions take p times as long as p do. A larger d is cut off there.

    Returns
    -------
    grid : dict of str to list
        A grid for `OutOfBagSearch` or ``sklearn.model_selection.GridSearchCV``.

    Examples
    --------
    >>> from silvan.projections import AxisAligned, UniformCombinations
    >>> from silvan.tuning import direction_grid
    >>> direction_grid(AxisAligned(), n_features=16)
    {'max_features': [2, 4, 8, 16]}
    >>> direction_grid(UniformCombinations(), n_features=16, nonzeros=(2, 3))
    {'max_features': [2, 4, 8, 16, 256], 'projections': [UniformCombinations(), \
UniformCombinations(n_features=3)]}
    """
    projections = default_projections() if projections is None else projections
    check_integer("n_features", n_features, 1)
    check_integer("max_directions", max_directions, 1, or_none=True)
    unit_free = isinstance(projections, UnitFree)
    drawn = projections.distribution if isinstance(projections, UnitFree) else projections
    sparsity = _SPARSITY.get(type(drawn))
    powers = [0.25, 0.5, 0.75, 1.0] + ([] if sparsity is None else [2.0])
    grid: dict[str, list[Any]] = {"max_features": _powers(n_features, powers, max_directions)}
    if sparsity is not None:
        changes: dict[str, Any] = {"density": None} if sparsity == "mean_nonzeros" else {}
        prefix = "distribution__" if unit_free else ""
        grid["projections"] = [
            clone(projections).set_params(
                **{prefix + name: value for name, value in {**changes, sparsity: k}.items()}
            )
            for k in [k for k in nonzeros if k <= n_features] or [n_features]
        ]
    return grid


def patch_grid(patches: Patches, *, max_directions: int | None = None) -> dict[str, list[Any]]:
    """A grid of patches for manifold forests.

    A patch has up to 1 cell, 3 cells, an eighth or a quarter of each contiguous axis, a
    direction has one patch or is the difference of two, and the number d of directions at a node
    is p to the powers 1/2, 3/4 and 1. Axes that are not contiguous, the smallest size and all else
    stay as they are. These are the distributions that did best on images and series, see the
    results ("How large should patches be?", "One patch or several?").

    Parameters
    ----------
    patches : Patches
        The patches to start from; the `projections_` of a fitted forest will do.
    max_directions : int, default=None
        Upper limit of d. A larger d is cut off there.

    Returns
    -------
    grid : dict of str to list
        A grid for `OutOfBagSearch` or ``sklearn.model_selection.GridSearchCV`` over a manifold
        forest.

    Examples
    --------
    >>> from silvan.projections import Patches
    >>> from silvan.tuning import patch_grid
    >>> patch_grid(Patches((28, 28)), max_directions=100)
    {'max_features': [28, 100], 'max_size': [1, 3, 7], 'n_patches': [1, 2]}
    >>> patch_grid(Patches((6, 80), contiguous=(False, True)))["max_size"]
    [(6, 1), (6, 3), (6, 10), (6, 20)]
    """
    if not isinstance(patches, Patches):
        raise invalid(
            "patches", "a silvan.projections.Patches", patches, "pass for example Patches((28, 28))"
        )
    check_integer("max_directions", max_directions, 1, or_none=True)
    axes = patches.grid_axes()
    sizes = []
    for min_cells, share in ((1, 0), (3, 0), (3, 8), (3, 4)):
        size = tuple(
            axis.max_size
            if axis.boundary == "subset"
            else max(
                axis.min_size,
                min(axis.length, max(min_cells, axis.length // share if share else 0)),
            )
            for axis in axes
        )
        sizes.append(size[0] if len(set(size)) == 1 else size)
    n_cells = math.prod(axis.length for axis in axes)
    return {
        "max_features": _powers(n_cells, [0.5, 0.75, 1.0], max_directions),
        "max_size": list(dict.fromkeys(sizes)),
        "n_patches": [1, 2],
    }


def window_grid(
    channels: FittedChannels, *, max_directions: int | None = None
) -> dict[str, list[Any]]:
    """A grid of windows for manifold forests with channels.

    Along series, with or without spread and slope, with windows of up to a quarter of the axis, or
    of any length (None, which also draws windows over whole channels); in images and volumes,
    windows of up to 4, 8 or 16 cells, shifted or not. The number d of directions at a node is p to
    the powers 1/2 and 2/3, where p counts the cells of all channels.

    Parameters
    ----------
    channels : FittedChannels
        The channels of a forest, its `channels_`.
    max_directions : int, default=None
        Upper limit of d. A larger d is cut off there.

    Returns
    -------
    grid : dict of str to list
        A grid for `OutOfBagSearch` or ``sklearn.model_selection.GridSearchCV`` over a manifold
        forest.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.channels import Difference, Raw, fit_channels
    >>> from silvan.tuning import window_grid
    >>> window_grid(fit_channels([Raw(), Difference()], np.zeros((10, 100))))
    {'max_features': [14, 34], 'statistics': [('mean',), ('mean', 'spread', 'slope')], \
'max_size': [25, None]}
    """
    check_integer("max_directions", max_directions, 1, or_none=True)
    plane = channels.planes.plane
    grid: dict[str, list[Any]] = {
        "max_features": _powers(channels.layout.n_cells, [1 / 2, 2 / 3], max_directions)
    }
    if len(plane.shape) == 1:
        length = plane.shape[0]
        grid["statistics"] = [("mean",), ("mean", "spread", "slope")]
        quarter = max(1, length // 4)
        grid["max_size"] = [quarter, None] if quarter < length else [None]
    else:
        grid["max_size"] = sorted({min(size, *plane.shape) for size in (4, 8, 16)})
        grid["shift"] = [0, 1]
    return grid


def default_grid(forest: BaggedForest, max_directions: int | None) -> list[dict[str, list[Any]]]:
    """The grid for a forest that has seen its data.

    Beside the thesis' directions it has some with random thresholds, which take less time. A forest
    with channels is a candidate as it is, so that tuning does not lose its defaults.
    """
    n_features = features_of_a_sample(forest)
    if isinstance(forest, GridForest) and forest.channels_ is not None:
        grid = window_grid(forest.channels_, max_directions=max_directions)
        if not isinstance(forest.windows(), RidgeWindows):
            return [grid, {}]
        # Combinations of windows are few: their number stays.
        combined = {name: values for name, values in grid.items() if name != "max_features"}
        return [grid, combined, {}]
    if isinstance(forest, GridForest):
        return [patch_grid(forest.patches(), max_directions=max_directions)]
    searched = direction_grid(forest.projections, n_features, max_directions=max_directions)
    grids = [searched]
    if isinstance(forest, SupervisedForest) and forest.thresholds == "best":
        directions = searched["max_features"]
        drawn = {**searched, "max_features": directions[-2:], "thresholds": ["random"]}
        if "projections" in drawn:
            drawn["projections"] = drawn["projections"][:3:2]
        grids.append(drawn)
    return grids


def affordable_directions(forest: BaggedForest, n_samples: int) -> int:
    """The largest d that a default grid should have for a forest on so many samples."""
    own = directions_of_a_node(forest)
    return max(_TIMES_OWN_DIRECTIONS * own, _VALUES_OF_A_LEVEL // n_samples)


def _powers(n_features: int, powers: Iterable[float], limit: int | None) -> list[int]:
    """Powers of the number of features, rounded and cut off at the limit, ascending."""
    counts = {max(1, round(n_features**power)) for power in powers}
    return sorted(counts if limit is None else {min(count, limit) for count in counts})

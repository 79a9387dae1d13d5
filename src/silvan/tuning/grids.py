"""The grid over directions that the thesis searches."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from sklearn.base import clone

from silvan._validation import check_integer
from silvan.projections import (
    ProjectionDistribution,
    SparseSigns,
    UniformCombinations,
)

# What `direction_grid` varies beside d, for the distributions that have it.
_SPARSITY = {SparseSigns: "mean_nonzeros", UniformCombinations: "n_features"}


def direction_grid(
    projections: ProjectionDistribution | None,
    n_features: int,
    *,
    nonzeros: Iterable[int] = (1, 2, 3, 4, 5),
    max_directions: int | None = None,
) -> dict[str, list[Any]]:
    """The grid of d and sparsity that Tomita's thesis searches (section 3.3.1).

    The number d of directions at a node is p to the powers 1/4, 1/2, 3/4 and 1, rounded. For
    `SparseSigns` and `UniformCombinations` d is also p², and a direction has 1 to 5 features: the
    former on average (the thesis' λ, times p), the latter always. Other distributions stay as they
    are.

    Parameters
    ----------
    projections : ProjectionDistribution or None
        What directions are drawn from; None is the default of the forests, ``SparseSigns()``.
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
    projections = SparseSigns() if projections is None else projections
    check_integer("n_features", n_features, 1)
    check_integer("max_directions", max_directions, 1, or_none=True)
    sparsity = _SPARSITY.get(type(projections))
    powers = [0.25, 0.5, 0.75, 1.0] + ([] if sparsity is None else [2.0])
    limit = math.inf if max_directions is None else max_directions
    counts = {int(min(max(1, round(n_features**power)), limit)) for power in powers}
    grid: dict[str, list[Any]] = {"max_features": sorted(counts)}
    if sparsity is not None:
        reset = {"density": None} if sparsity == "mean_nonzeros" else {}
        grid["projections"] = [
            clone(projections).set_params(**reset, **{sparsity: k})
            for k in [k for k in nonzeros if k <= n_features] or [n_features]
        ]
    return grid

"""Figures of the cells that single trees cut a plane into."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.datasets import make_moons

from silvan import ForestClassifier, ForestRegressor
from silvan.plotting import RegionsDisplay
from silvan.projections import AxisAligned


def _draw_trees(
    forests: dict[str, Any], X: NDArray[Any], y: NDArray[Any], targets: Any = None, **options: Any
) -> Figure:
    """The first tree of each forest, side by side, under its title."""
    figure = Figure(figsize=(4.2 * len(forests), 3.9), dpi=90, layout="constrained")
    axes = np.atleast_1d(figure.subplots(1, len(forests), sharey=True))
    for axis, (title, forest) in zip(axes, forests.items(), strict=True):
        RegionsDisplay.from_estimator(forest.fit(X, y), X, targets, ax=axis, **options)
        axis.set(title=title)
    for axis in axes[1:]:
        axis.set_ylabel("")
    return figure


def draw_regions() -> Figure:
    """Show the regions of a tree of single features and of one of sparse directions."""
    X, y = make_moons(300, noise=0.25, random_state=0)
    return _draw_trees(
        {
            "AxisAligned()": ForestClassifier(1, projections=AxisAligned(), random_state=0),
            "the default": ForestClassifier(1, random_state=0),
        },
        X,
        y,
        targets=y,
    )


def draw_balance() -> Figure:
    """Show what balanced splits make of trees on noise, whose best splits are at the edges."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 2))
    y = rng.standard_t(2, size=300).clip(-4, 4)
    return _draw_trees(
        {
            f"min_balance={balance}": ForestRegressor(
                1, min_balance=balance, max_depth=4, bootstrap=False, random_state=1
            )
            for balance in (0.0, 0.2, 0.5)
        },
        X,
        y,
        show_key=False,
    )

"""Figures of how nodes are split, and of what parameters change."""

from __future__ import annotations

from typing import Any

import numpy as np
from docs.images.common import GREEN, GREY, ORANGE
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.base import clone

from silvan import ForestClassifier, ForestRegressor
from silvan.datasets import make_sparse_parity, make_trunk
from silvan.projections import (
    AxisAligned,
)
from silvan.tuning import OutOfBagSearch, direction_grid

CROPS = ("millet", "rice", "sorghum", "taro", "wheat")


class BinnedSplits:
    """One direction of one node with two classes: all its splits, and the bounds of its bins."""

    def __init__(self, n_samples: int, n_bins: int | None = None) -> None:
        X, y = make_trunk(n_samples, n_features=10, random_state=0)
        self.value = X[:, 0].astype(np.float64)
        self.n_bins = int(4 * np.sqrt(n_samples)) if n_bins is None else n_bins
        self.edges = np.linspace(self.value.min(), self.value.max(), self.n_bins + 1)
        order = np.argsort(self.value, kind="stable")
        self.sorted_value = self.value[order]
        one_hot = np.column_stack([y == 0, y == 1]).astype(np.float64)[order]
        self.left = np.cumsum(one_hot, axis=0)
        self.total = self.left[-1]
        self.bin = np.minimum(
            ((self.sorted_value - self.edges[0]) / (self.edges[1] - self.edges[0])).astype(int),
            self.n_bins - 1,
        )
        self.ends = np.searchsorted(self.bin, np.arange(self.n_bins), side="right")

    def gain(self, left: NDArray[Any]) -> NDArray[Any]:
        """Decrease of Gini impurity for these counts on the left."""
        right = self.total - left
        n, m, N = left.sum(axis=1), right.sum(axis=1), self.total.sum()
        with np.errstate(invalid="ignore", divide="ignore"):
            score = (left**2).sum(axis=1) / n + (right**2).sum(axis=1) / m
        gain = np.where((n > 0) & (m > 0), score - (self.total**2).sum() / N, 0.0)
        return np.asarray(gain / N)

    def border_gains(self) -> NDArray[Any]:
        """Gain of the split at the upper border of each bin."""
        return self.gain(self.at_borders()[1:])

    def at_borders(self) -> NDArray[Any]:
        """Counts on the left of each border."""
        return np.vstack([np.zeros(2), self.left])[np.concatenate([[0], self.ends])]

    def bounds(self) -> NDArray[Any]:
        """No split inside the bin gains more; that is bound_gains in histogram.hpp."""
        counts, N = self.at_borders(), self.total.sum()
        share = self.total / N
        before = counts.sum(axis=1)
        excess = counts[:-1] - before[:-1, None] * share
        inside = np.diff(counts, axis=0)
        others = np.diff(before)[:, None] - inside
        largest = np.maximum(others * share - excess, excess + inside * (1 - share))
        product = np.minimum(before[:-1] * (N - before[:-1]), before[1:] * (N - before[1:]))
        side = np.maximum(before[:-1], N - before[1:])
        with np.errstate(divide="ignore"):
            by_square = (largest**2).sum(axis=1) / product
        by_weight = (largest * np.maximum(share, 1 - share)).sum(axis=1) / side
        bound = np.minimum(by_square, by_weight)
        return np.asarray(np.where(np.diff(before) > 0, bound, 0.0))

    def flagged(self) -> NDArray[Any]:
        """Bins that may hold a better split than the best border."""
        return np.asarray(self.bounds() >= self.border_gains().max())

    def describe(self) -> str:
        """Say how much is left to search."""
        n_rows = int(np.isin(self.bin, np.flatnonzero(self.flagged())).sum())
        return (
            f"{len(self.value)} samples, {self.n_bins} bins: {self.flagged().sum()} bins with "
            f"{n_rows} samples are searched inside; best border {self.border_gains().max():.6f}, "
            f"best split {self.gain(self.left).max():.6f}"
        )


def draw_bins() -> Figure:
    """Show why few bins need to be searched inside: all bins, and those around the best."""
    for n_samples in (3000, 100_000):
        print(BinnedSplits(n_samples).describe())
    splits = BinnedSplits(3000)
    figure = Figure(figsize=(11, 4.4), dpi=100, layout="constrained")
    border, flagged = splits.border_gains(), splits.flagged()
    figure.suptitle(
        f"{len(splits.value)} samples, {splits.n_bins} bins: only the {flagged.sum()} shaded bins "
        "can hide a better split than the best border",
        fontsize=12,
    )
    whole, close = figure.subplots(1, 2)
    for axis, size in ((whole, 2.5), (close, 5.0)):
        for b in np.flatnonzero(flagged):
            axis.axvspan(*splits.edges[b : b + 2], color=ORANGE, alpha=0.25, linewidth=0)
        axis.stairs(splits.bounds(), splits.edges, color=ORANGE, linewidth=1.5, label="bin's bound")
        gains = splits.gain(splits.left)
        axis.plot(splits.sorted_value, gains, color=GREY, linewidth=0.9, label="all splits")
        axis.plot(splits.edges[1:], border, "o", color=GREEN, markersize=size, label="borders")
        axis.axhline(border.max(), color=GREEN, linestyle="--", linewidth=1, label="best border")
        axis.set_xlabel("projected value")
        axis.spines[["top", "right"]].set_visible(False)
    whole.set(xlim=splits.edges[[0, -1]], ylim=(0, 1.15 * border.max()))
    whole.set_ylabel("decrease of impurity")
    width = splits.edges[1] - splits.edges[0]
    shaded = splits.edges[:-1][flagged]
    close.set_xlim(shaded.min() - 3 * width, shaded.max() + 4 * width)
    close.set_ylim(0.93 * border.max(), 1.05 * border.max())
    whole.legend(frameon=False, loc="upper left")
    return figure


def draw_scaling() -> Figure:
    """Show what each scaling makes of a skewed feature with an outlier, and of new values."""
    rng = np.random.default_rng(3)
    training = np.append(np.exp(0.6 * rng.normal(size=24)), 14.0)
    new = np.linspace(-2.0, 17.0, 1000)
    labels = np.arange(len(training)) % 2
    figure = Figure(figsize=(12, 3.4), dpi=100, layout="constrained")
    titles = {None: "as given", "minmax": '"minmax"', "standard": '"standard"', "rank": '"rank"'}
    for axis, (scaling, title) in zip(figure.subplots(1, 4), titles.items(), strict=True):
        forest = ForestClassifier(1, scaling=scaling, random_state=0)
        forest.fit(training[:, None], labels)
        axis.plot(new, forest.fitted_.read(new[:, None])[:, 0], color=GREY, lw=1)
        scaled = forest.fitted_.read(training[:, None])[:, 0]
        axis.plot(training, scaled, "o", color=GREEN, ms=4)
        left = np.full(len(scaled), -3.4)
        axis.plot(left, scaled, "_", color=ORANGE, ms=9, mew=1.5)
        axis.set(title=title, xlabel="value", xlim=(-4, 17))
    figure.axes[0].set_ylabel("scaled value")
    return figure


def draw_honesty() -> Figure:
    """Show a posterior that rises along a diagonal, and what two forests make of 1000 samples."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(1000, 2))
    y = rng.random(1000) < 0.5 + 0.2 * X.sum(axis=1)
    ticks = np.linspace(-1, 1, 201)
    grid = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    posteriors = {"the truth": 0.5 + 0.2 * grid.sum(axis=1)}
    for title, honest in (("plain forest", False), ("honest forest", True)):
        forest = ForestClassifier(200, honest=honest, random_state=0).fit(X, y)
        posteriors[title] = forest.predict_proba(grid)[:, 1]
    figure = Figure(figsize=(11, 3.6), dpi=90, layout="constrained")
    axes = figure.subplots(1, 3)
    image = None
    for axis, (title, posterior) in zip(axes, posteriors.items(), strict=True):
        shape = (len(ticks), len(ticks))
        image = axis.imshow(
            posterior.reshape(shape),
            origin="lower",
            extent=(-1, 1, -1, 1),
            cmap="RdBu_r",
            vmin=0,
            vmax=1,
        )
        axis.set(title=title, xticks=[-1, 0, 1], yticks=[-1, 0, 1])
    assert image is not None
    figure.colorbar(image, ax=axes, label="probability of class 1")
    return figure


def draw_tuning() -> Figure:
    """Show the out-of-bag error of each candidate, and how well it tells the test error."""
    X, y = make_sparse_parity(1000, n_features=10, random_state=0)
    X_new, y_new = make_sparse_parity(5000, n_features=10, random_state=1)
    grid = direction_grid(None, n_features=10)
    forest = ForestClassifier(100, random_state=0)
    search = OutOfBagSearch(forest, grid, factor=None).fit(X, y)
    errors = 1 - search.results_["oob_score"]
    new = [
        1 - clone(forest).set_params(**params).fit(X, y).score(X_new, y_new)
        for params in search.results_["params"]
    ]
    figure = Figure(figsize=(9, 3.6), dpi=90, layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.3, 1))
    shape = len(grid["max_features"]), len(grid["projections"])
    left.imshow(errors.reshape(shape), cmap="viridis", aspect="auto")
    for (i, j), error in np.ndenumerate(errors.reshape(shape)):
        color = "white" if error < 0.25 else "black"
        left.text(j, i, f"{error:.3f}", ha="center", va="center", color=color, fontsize=9)
    means = [unit_free.distribution.mean_nonzeros for unit_free in grid["projections"]]
    left.set_xticks(range(shape[1]), map(str, means))
    left.set_yticks(range(shape[0]), [f"{d}" for d in grid["max_features"]])
    left.set_xlabel("mean number of features in a direction")
    left.set_ylabel("directions at a node, d")
    left.set_title("out-of-bag error")
    right.scatter(errors, new, s=18, color=GREEN)
    right.plot([0, 0.5], [0, 0.5], color=GREY, linewidth=0.8)
    right.set_xlabel("out-of-bag error")
    right.set_ylabel("error on 5000 new samples")
    right.set_title(f"{len(errors)} candidates")
    return figure


def make_fields(n: int) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Crops and rain with the harvest, as numbers; the example of the guide."""
    rng = np.random.default_rng(0)
    likes_rain = np.array([-1.0, 1.0, -0.5, 0.5, 0.0])
    crop, rain = rng.integers(len(CROPS), size=n), rng.uniform(-1, 1, n)
    harvest = rain + 1.5 * likes_rain[crop] * rain + 0.2 * rng.normal(size=n)
    return np.column_stack([crop, rain]), harvest


def draw_categories() -> Figure:
    """Show the codes of crops at two nodes of a tree, below its first split by rain."""
    tree = ForestRegressor(
        1,
        projections=AxisAligned(),
        categorical_features=[0],
        max_features=None,
        max_depth=2,
        bootstrap=False,
        random_state=0,
    ).fit(*make_fields(1000))
    arrays = tree.forest_
    codes = arrays.stored_directions(0).toarray()[:, arrays.n_features :]
    figure = Figure(figsize=(9, 3.0), dpi=90, layout="constrained")
    first = arrays.left[0]
    for axis, node, sign in zip(figure.subplots(1, 2), (first, first + 1), "≤>", strict=True):
        order = np.argsort(codes[node])
        worth, threshold = codes[node][order], arrays.threshold[node]
        colors = [GREEN if code <= threshold else ORANGE for code in worth]
        axis.axvline(threshold, color=GREY, linestyle="--", linewidth=1)
        axis.scatter(worth, np.arange(len(order)), s=70, color=colors, zorder=3)
        axis.set_yticks(np.arange(len(order)), [CROPS[k] for k in order])
        axis.set_title(f"node {node}: rain {sign} {arrays.threshold[0]:.2f}", fontsize=10)
        axis.text(threshold, len(order) - 0.45, "left | right", ha="center", color=GREY, fontsize=9)
        axis.set(xlim=(-1.4, 1.4), ylim=(-0.6, len(order) - 0.1))
        axis.spines[["top", "right"]].set_visible(False)
    figure.supxlabel(
        "code: distance from the node's mean harvest in standard deviations", fontsize=10
    )
    return figure

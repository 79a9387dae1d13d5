"""Draws the figures of the user guide: ``python docs/images/draw.py`` writes them beside itself.

The figure of the demo comes from ``silvan demo --output docs/images``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_digits

from silvan import ForestClassifier, ForestRegressor, ManifoldForestClassifier
from silvan.datasets import make_impulse, make_sparse_parity, make_trunk
from silvan.plotting import (
    BiasVarianceDisplay,
    ContributionDisplay,
    ImportanceDisplay,
    OutOfBagDisplay,
    ProjectionsDisplay,
    StrengthDisplay,
    TreeDisplay,
)
from silvan.projections import (
    AxisAligned,
    CanonicalDirections,
    Dictionary,
    GraphNeighborhoods,
    Mixture,
    Patches,
    PrincipalComponents,
    ProjectionDistribution,
    RandomRotation,
    RidgeDirections,
    SparseSigns,
    UniformCombinations,
)
from silvan.tuning import OutOfBagSearch, direction_grid

HERE = Path(__file__).parent
N_FEATURES, N_DIRECTIONS = 16, 24
GREEN, ORANGE, GREY = "#1b7837", "#e08214", "0.45"

GRID = (12, 12)
BOUNDARIES = ("corner", "inside", "pad", "wrap")
N_COVERING = 400_000


def distributions() -> dict[str, ProjectionDistribution]:
    """The distributions to show, by their titles."""
    steps = diags_array([-1.0, 1.0], offsets=[0, 1], shape=(N_FEATURES - 1, N_FEATURES))
    return {
        "AxisAligned()": AxisAligned(),
        "SparseSigns()": SparseSigns(),
        'SparseSigns(mean_nonzeros=4,\ncounts="poisson")': SparseSigns(
            mean_nonzeros=4, counts="poisson"
        ),
        "UniformCombinations()": UniformCombinations(),
        "RandomRotation()": RandomRotation(),
        "Dictionary(steps)": Dictionary(steps),
        "Mixture of single\nfeatures and steps": Mixture(
            [(AxisAligned(), 1.0), (Dictionary(steps), 1.0)]
        ),
    }


def draw_geometries() -> Figure:
    """Show a direction of each geometry over a sample of data, for light and dark pages alike."""
    ink, paper = "#7d8894", "#9aa4af"
    added, subtracted = "#2b9348", "#e8871e"
    figure = Figure(figsize=(12, 3.3), layout="constrained")
    figure.patch.set_alpha(0)
    table, image, line, graph = figure.subplots(1, 4)

    direction = SparseSigns(mean_nonzeros=3).draw(1, 8, random_state=4).toarray()[0]
    values = np.random.default_rng(1).uniform(0.1, 0.6, size=(9, 8))
    for (i, j), value in np.ndenumerate(values):
        colour = {1: added, -1: subtracted}.get(int(direction[j]), paper)
        alpha = value if direction[j] == 0 else 0.4 + value
        table.add_patch(Rectangle((j, -i), 0.9, 0.86, color=colour, alpha=alpha, linewidth=0))
    for j in np.flatnonzero(direction):
        sign = "+" if direction[j] > 0 else "\N{MINUS SIGN}"
        table.text(j + 0.45, 1.05, sign, ha="center", fontsize=15, color=ink)
    table.set(xlim=(-0.1, 8), ylim=(-8.2, 2), title="tables: a few columns")

    digit = load_digits().images[5] / 16
    patches = Patches((8, 8), min_size=2, max_size=3, n_patches=2, boundary="inside")
    weights = patches.draw(1, 64, random_state=12).toarray().reshape(8, 8)
    for (i, j), value in np.ndenumerate(digit):
        colour = {1: added, -1: subtracted}.get(int(weights[i, j]), ink)
        alpha = 0.9 * value + 0.05 if weights[i, j] == 0 else 0.45 + 0.5 * value
        image.add_patch(Rectangle((j, -i), 0.94, 0.94, color=colour, alpha=alpha, linewidth=0))
    image.set(xlim=(-0.1, 8.1), ylim=(-7.1, 1.1), title="images: patches")

    series = make_impulse(6, random_state=4)
    row = series[0][np.flatnonzero(series[1])[0]]
    window = Patches(100, min_size=12, max_size=15).draw(1, 100, random_state=3).indices
    line.plot(row, color=ink, linewidth=1)
    line.plot(window, row[window], color=added, linewidth=2.5)
    line.axvspan(window.min(), window.max(), color=added, alpha=0.25, linewidth=0)
    line.set(ylim=(-4, 4), title="series: windows")

    places, links = make_sensors()
    chosen = GraphNeighborhoods(links, min_size=8).draw(1, 80, random_state=5).toarray()[0] > 0
    edges = places[np.column_stack(links.nonzero())]
    graph.add_collection(LineCollection(list(edges), colors=paper, linewidths=0.8, alpha=0.6))
    graph.scatter(*places[~chosen].T, s=22, color=ink, zorder=2, linewidths=0)
    graph.scatter(*places[chosen].T, s=60, color=added, zorder=3, linewidths=0)
    graph.set_title("graphs: neighbourhoods")
    for axis in (table, image, line, graph):
        axis.set_axis_off()
        axis.set_title(axis.get_title(), color=ink, fontsize=13)
    return figure


def draw_directions() -> Figure:
    """Show the directions of one node for each distribution, a column for each direction."""
    figure = Figure(figsize=(12, 5.6), dpi=100, layout="constrained")
    axes = figure.subplots(2, 4)
    image = None
    for axis, (title, distribution) in zip(axes.flat, distributions().items(), strict=False):
        directions = np.zeros((N_FEATURES, N_DIRECTIONS))
        drawn = distribution.draw(N_DIRECTIONS, N_FEATURES, random_state=1).toarray().T
        directions[:, : drawn.shape[1]] = drawn
        image = axis.imshow(directions, cmap="RdBu_r", vmin=-1, vmax=1)
        if drawn.shape[1] < N_DIRECTIONS:
            axis.axvspan(drawn.shape[1] - 0.5, N_DIRECTIONS - 0.5, color="0.9")
        axis.set_title(title, fontsize=11)
        axis.set(xticks=[], yticks=[])
    axes[0, 0].set_ylabel(f"{N_FEATURES} features")
    axes[1, 0].set_ylabel(f"{N_FEATURES} features")
    for axis in axes[1]:
        axis.set_xlabel(f"{N_DIRECTIONS} directions asked for")
    axes[-1, -1].set_axis_off()
    assert image is not None
    bar = figure.colorbar(image, cax=axes[-1, -1].inset_axes((0.05, 0.1, 0.07, 0.8)))
    bar.set_label("weight")
    return figure


def draw_fitted_directions() -> Figure:
    """Show what each distribution fits to the same node: lines along the directions of a root."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], 150)
    centres = np.array([[-1.2, 0.0], [1.2, 0.4], [0.6, -1.9]])
    X = centres[y] + rng.normal(size=(450, 2)) @ np.array([[1.3, 0.9], [0.0, 0.45]])
    distributions = {
        "UniformCombinations()": UniformCombinations(),
        "PrincipalComponents()": PrincipalComponents(n_features=2),
        "RidgeDirections()": RidgeDirections(n_features=2),
        "CanonicalDirections()": CanonicalDirections(n_features=2),
    }
    figure = Figure(figsize=(12, 3.4), dpi=90, layout="constrained")
    for axis, (title, distribution) in zip(
        figure.subplots(1, 4), distributions.items(), strict=True
    ):
        for label, color in enumerate((GREEN, ORANGE, GREY)):
            axis.plot(*X[y == label].T, ".", color=color, markersize=3, alpha=0.6)
        for direction in distribution.draw(24, n_features=2, random_state=0, X=X, y=y).toarray():
            x, dx = X.mean(axis=0), 3.6 * direction / np.linalg.norm(direction)
            axis.plot(*np.transpose([x - dx, x + dx]), color="black", linewidth=0.7, alpha=0.6)
        axis.set_title(title, fontsize=11)
        axis.set(xticks=[], yticks=[], aspect="equal", xlim=(-4.6, 4.6), ylim=(-4.6, 4.2))
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
        axis.plot(new, forest._rows(new[:, None])[:, 0], color=GREY, lw=1)
        scaled = forest._rows(training[:, None])[:, 0]
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


def draw_bins(splits: BinnedSplits) -> Figure:
    """Show why few bins need to be searched inside: all bins, and those around the best."""
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


def tile(images: NDArray[Any], n_columns: int) -> NDArray[Any]:
    """Put small images side by side on one, with a gap of NaN between them."""
    framed = np.pad(images.astype(float), ((0, 0), (0, 1), (0, 1)), constant_values=np.nan)
    rows = [np.hstack(framed[i : i + n_columns]) for i in range(0, len(framed), n_columns)]
    return np.asarray(np.vstack(rows)[:-1, :-1])


def draw_patches() -> Figure:
    """Show patches that each boundary rule draws, and how often each cell is covered."""
    figure = Figure(figsize=(11, 6.2), dpi=80, layout="constrained")
    axes = figure.subplots(2, len(BOUNDARIES))
    n_cells = GRID[0] * GRID[1]
    covered = {}
    for top, boundary in zip(axes[0], BOUNDARIES, strict=True):
        distribution = Patches(GRID, min_size=2, max_size=6, boundary=boundary)
        drawn = distribution.draw(12, n_cells, random_state=2).toarray().reshape(-1, *GRID)
        top.set_facecolor("white")
        top.imshow(tile(drawn, 3), cmap="Greens", vmin=-0.15, vmax=1.4)
        top.set_title(f'boundary="{boundary}"', fontsize=12)
        often = distribution.draw(N_COVERING, n_cells, random_state=0).mean(axis=0)
        covered[boundary] = np.asarray(often).reshape(GRID)
        print(
            f"{boundary}: cells are covered by {often.min():.4f} to {often.max():.4f} of the "
            f"patches, {often.mean():.4f} on average"
        )
    highest = max(float(cover.max()) for cover in covered.values())
    image = None
    for bottom, cover in zip(axes[1], covered.values(), strict=True):
        image = bottom.imshow(100 * cover, cmap="viridis", vmin=0, vmax=100 * highest)
        bottom.set_xlabel(f"{100 * cover.min():.1f} % to {100 * cover.max():.1f} %")
    for axis in axes.flat:
        axis.set(xticks=[], yticks=[])
        axis.spines[:].set_visible(False)
    axes[0, 0].set_ylabel("12 patches")
    axes[1, 0].set_ylabel("coverage of each cell")
    assert image is not None
    figure.colorbar(image, ax=list(axes[1]), label="% of the patches")
    return figure


def draw_several_patches() -> Figure:
    """Show directions of one, two and three patches: added in green, subtracted in purple."""
    figure = Figure(figsize=(11, 3.1), dpi=80)
    figure.subplots_adjust(0.01, 0.02, 0.99, 0.9, wspace=0.08)
    for axis, n_patches in zip(figure.subplots(1, 3), (1, 2, 3), strict=True):
        distribution = Patches(GRID, min_size=2, max_size=4, n_patches=n_patches)
        drawn = (
            distribution.draw(12, GRID[0] * GRID[1], random_state=2).toarray().reshape(-1, *GRID)
        )
        axis.set_facecolor("white")
        axis.imshow(tile(drawn, 4), cmap="PRGn", vmin=-2, vmax=2)
        axis.set_title(f"n_patches={n_patches}", fontsize=12)
        axis.set(xticks=[], yticks=[])
        axis.spines[:].set_visible(False)
    return figure


def make_sensors() -> tuple[NDArray[np.float64], csr_array]:
    """Places of 80 sensors in a square, and the graph of those that are close together."""
    places = np.random.default_rng(4).uniform(size=(80, 2))
    distance = np.linalg.norm(places[:, None] - places, axis=2)
    return places, csr_array(((distance < 0.19) & (distance > 0)).astype(float))


def draw_neighborhoods() -> Figure:
    """Show neighbourhoods that a graph distribution draws, and how often each node is covered."""
    places, graph = make_sensors()
    figure = Figure(figsize=(11, 3.1), dpi=80, layout="constrained")
    axes = figure.subplots(1, 4)
    distribution = GraphNeighborhoods(graph, min_size=1, max_size=12)
    drawn = distribution.draw(3, len(places), random_state=5).toarray()
    often = np.asarray(
        distribution.draw(N_COVERING, len(places), random_state=0).mean(axis=0)
    ).ravel()
    print(f"graph: nodes are covered by {often.min():.3f} to {often.max():.3f} of the directions")
    for number, axis in enumerate(axes):
        edges = places[np.column_stack(graph.nonzero())]
        axis.add_collection(LineCollection(list(edges), colors="0.8", linewidths=0.8, zorder=1))
        axis.set_aspect("equal")
        axis.set_axis_off()
        if number < len(drawn):
            colour = np.where(drawn[number] > 0, GREEN, "white")
            axis.scatter(*places.T, c=colour, s=38, edgecolors="0.5", zorder=2)
            axis.set_title(f"{int(drawn[number].sum())} nodes", fontsize=11)
        else:
            nodes = axis.scatter(*places.T, c=100 * often, s=38, vmin=0, edgecolors="0.5", zorder=2)
            axis.set_title("coverage", fontsize=11)
            figure.colorbar(nodes, ax=axis, label="% of the directions")
    return figure


def draw_importance() -> Figure:
    """Show what a manifold forest looks at to tell each of the digits from the others."""
    digits = load_digits()
    forest = ManifoldForestClassifier(100, random_state=0).fit(digits.images, digits.target)
    display = ImportanceDisplay.from_estimator(forest, kind="gain", per_class=True)
    display.figure_.set_size_inches(11, 4.6)
    return display.figure_


def draw_line_and_graph() -> Figure:
    """Show importance along a series and on a graph."""
    figure = Figure(figsize=(11, 3.6), dpi=80, layout="constrained")
    line, graph_axis = figure.subplots(1, 2, width_ratios=(1.6, 1))
    X, y = make_impulse(1000, random_state=0)
    series = ManifoldForestClassifier(100, max_size=15, random_state=0).fit(X, y)
    ImportanceDisplay.from_estimator(series, X, ax=line)
    line.set_title("a bump that starts at step 20")
    places, graph = make_sensors()
    X, y, raised = make_sensor_data(graph)
    distribution = GraphNeighborhoods(graph, max_size=12)
    forest = ForestClassifier(100, projections=distribution, random_state=0).fit(X, y)
    ImportanceDisplay.from_estimator(forest, positions=places, ax=graph_axis)
    graph_axis.scatter(*places[raised].T, s=160, facecolors="none", edgecolors="red", zorder=3)
    graph_axis.set_title(f"a rise of {raised.sum()} sensors (circles)")
    return figure


def draw_contributions() -> Figure:
    """Show what raised and lowered the probability of the predicted class of some digits."""
    digits = load_digits()
    forest = ManifoldForestClassifier(200, random_state=0)
    forest.fit(digits.images[:1200], digits.target[:1200])
    X, y = digits.images[1200:], digits.target[1200:]
    is_right = forest.predict(X) == y
    right = [np.flatnonzero(is_right & (y == label))[1] for label in (0, 3, 4, 6, 8)]
    rows = np.concatenate([right, np.flatnonzero(~is_right)[:5]])
    display = ContributionDisplay.from_estimator(forest, X[rows])
    for axis, label in zip(display.axes_, y[rows], strict=True):
        axis.set_title(f"{axis.get_title()} (is {label})")
    display.figure_.set_size_inches(11, 4.6)
    return display.figure_


def draw_contribution_bars() -> Figure:
    """Show what raised and lowered the predictions for two people."""
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    forest = ForestRegressor(200, projections=AxisAligned(), random_state=0).fit(X, y)
    display = ContributionDisplay.from_estimator(forest, X.iloc[[2, 9]], max_features=6)
    display.figure_.set_size_inches(7, 5)
    return display.figure_


def draw_projections() -> Figure:
    """Show the best projections of an oblique forest on a problem whose signal is a sum."""
    X, y = make_trunk(1000, random_state=0)
    distribution = SparseSigns(mean_nonzeros=2)
    forest = ForestClassifier(200, projections=distribution, max_features=20, random_state=0).fit(
        X, y
    )
    return ProjectionsDisplay.from_estimator(forest, k=12).figure_


def draw_image_projections() -> Figure:
    """Show the best patches of a manifold forest on digits."""
    digits = load_digits()
    forest = ManifoldForestClassifier(200, random_state=0).fit(digits.images, digits.target)
    return ProjectionsDisplay.from_estimator(forest, k=10).figure_


def draw_trees() -> Figure:
    """Show strength against correlation, and the out-of-bag error as the forests grow."""
    figure = Figure(figsize=(11, 3.8), dpi=80, layout="constrained")
    left, right = figure.subplots(1, 2)
    X, y = make_trunk(500, random_state=0)
    for d in (1, 3, 10, 30):
        distribution = SparseSigns(density=0.3)
        forest = ForestClassifier(
            300, projections=distribution, max_features=d, random_state=0
        ).fit(X, y)
        StrengthDisplay.from_estimator(forest, X, y, name=f"d = {d}", ax=left)
        OutOfBagDisplay.from_estimator(forest, X, y, name=f"d = {d}", ax=right, linewidth=1)
    return figure


def draw_bias_variance() -> Figure:
    """Show where the errors of two forests on sparse parity come from."""
    axes = None
    for name, distribution in (("RF", AxisAligned()), ("RerF", SparseSigns(mean_nonzeros=2))):
        forest = ForestClassifier(50, projections=distribution, max_features=8, n_jobs=1)
        display = BiasVarianceDisplay.from_estimator(
            forest,
            lambda n, random_state: make_sparse_parity(n, n_features=8, random_state=random_state),
            sizes=(100, 200, 400, 800),
            name=name,
            ax=axes,
            n_repeats=20,
            n_test=2000,
            random_state=0,
        )
        axes = display.axes_
    return display.figure_


def draw_image_tree() -> Figure:
    """Show the top of a tree whose directions are patches of digits."""
    digits = load_digits()
    forest = ManifoldForestClassifier(100, max_size=4, random_state=0)
    forest.fit(digits.images, digits.target)
    return TreeDisplay.from_estimator(forest).figure_


def draw_table_tree() -> Figure:
    """Show the top of a tree whose directions are sums of the columns of a table."""
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    forest = ForestRegressor(100, min_samples_leaf=5, random_state=0).fit(X, y)
    return TreeDisplay.from_estimator(forest).figure_


def make_sensor_data(graph: csr_array) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.bool_]]:
    """Noise on the sensors, and in class 1 a rise around sensor 7; the example of the guide."""
    rng = np.random.default_rng(0)
    raised = np.zeros(graph.shape[0], dtype=bool)
    raised[[7, *graph[[7]].indices]] = True
    y = rng.integers(2, size=1000)
    return rng.normal(size=(1000, len(raised))) + 0.5 * y[:, None] * raised, y, raised


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
    left.set_xticks(
        range(shape[1]), [f"{distribution.mean_nonzeros}" for distribution in grid["projections"]]
    )
    left.set_yticks(range(shape[0]), [f"{d}" for d in grid["max_features"]])
    left.set_xlabel("mean number of features in a direction")
    left.set_ylabel("directions at a node, d")
    left.set_title("out-of-bag error")
    right.scatter(errors, new, s=18, color=GREEN)
    right.plot([0, 0.5], [0, 0.5], color=GREY, linewidth=0.8)
    right.set_xlabel("out-of-bag error")
    right.set_ylabel("error on 5000 new samples")
    right.set_title("25 candidates")
    return figure


CROPS = ("millet", "rice", "sorghum", "taro", "wheat")


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


if __name__ == "__main__":
    draw_geometries().savefig(HERE / "geometries.png", dpi=160)
    draw_directions().savefig(HERE / "directions.png")
    draw_fitted_directions().savefig(HERE / "fitted_directions.png")
    draw_patches().savefig(HERE / "patches.png")
    draw_several_patches().savefig(HERE / "several_patches.png")
    draw_neighborhoods().savefig(HERE / "neighborhoods.png")
    draw_importance().savefig(HERE / "importance_digits.png", dpi=80)
    draw_line_and_graph().savefig(HERE / "importance_series_graph.png")
    draw_scaling().savefig(HERE / "scaling.png")
    draw_tuning().savefig(HERE / "tuning.png")
    draw_categories().savefig(HERE / "categories.png")
    draw_honesty().savefig(HERE / "honesty.png")
    draw_contributions().savefig(HERE / "contributions_digits.png", dpi=80)
    draw_contribution_bars().savefig(HERE / "contributions_table.png", dpi=80)
    draw_projections().savefig(HERE / "top_projections.png", dpi=80)
    draw_image_projections().savefig(HERE / "top_patches.png", dpi=80)
    draw_image_tree().savefig(HERE / "tree_digits.png", dpi=80)
    draw_table_tree().savefig(HERE / "tree_table.png", dpi=80)
    draw_trees().savefig(HERE / "strength_and_out_of_bag.png")
    draw_bias_variance().savefig(HERE / "bias_variance.png", dpi=80)
    small = BinnedSplits(3000)
    draw_bins(small).savefig(HERE / "bins.png")
    for n_samples in (3000, 100_000):
        print(BinnedSplits(n_samples).describe())

"""Figures of what distributions draw."""

from __future__ import annotations

from typing import Any

import numpy as np
from docs.images.common import GREEN, GREY, ORANGE, make_sensors
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray
from scipy.sparse import diags_array
from sklearn.datasets import load_digits

from silvan.datasets import make_impulse
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

N_FEATURES, N_DIRECTIONS = 16, 24
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


def tile(images: NDArray[Any], n_columns: int) -> NDArray[Any]:
    """Put small images side by side on one, with a gap of NaN between them."""
    framed = np.pad(images.astype(float), ((0, 0), (0, 1), (0, 1)), constant_values=np.nan)
    rows = [np.hstack(framed[i : i + n_columns]) for i in range(0, len(framed), n_columns)]
    return np.asarray(np.vstack(rows)[:-1, :-1])


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

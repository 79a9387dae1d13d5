"""The figure of the demo: the data, the comparison, and what the forest looks at."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Rectangle
from numpy.typing import NDArray
from sklearn.base import clone

from silvan import ForestClassifier
from silvan.app.comparison import Result
from silvan.forest_arrays import ForestArrays
from silvan.forests.importances import split_gains
from silvan.projections import ProjectionDistribution

SIDE = 8
TITLE = 12.5
COLOURS = ("#1b7837", "#c51b7d", "#7b3294", "#e08214", "#4d4d4d", "#9a9a9a")
PLUS, MINUS = "#b2182b", "#2166ac"


def draw_figure(
    results: Sequence[Result],
    distributions: Mapping[str, ProjectionDistribution],
    forest: ForestClassifier,
    X: NDArray[Any],
    y: NDArray[Any],
) -> Figure:
    """Draw the five panels; `forest` is not fitted yet and has the parameters to use."""
    fitted = clone(forest).set_params(oob_score=True).fit(X, y)
    margins = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1, rect=(0.01, 0.005, 0.98, 0.985))
    figure = Figure(figsize=(13.5, 8.6), dpi=110, layout=margins)
    figure.suptitle(
        f"Forests of {forest.n_estimators} trees on {len(X)} handwritten digits",
        fontsize=16,
        weight="bold",
    )
    top, bottom = figure.subfigures(2, 1, squeeze=False, height_ratios=[1.08, 1])[:, 0]
    digits, accuracy, growth = top.subfigures(1, 3, width_ratios=[1, 1.25, 1])
    importance, directions = bottom.subfigures(1, 2, width_ratios=[1, 2.25])
    draw_digits(digits, fitted, X, y)
    draw_accuracy(accuracy.subplots(), results)
    draw_growth(growth.subplots(), distributions, forest, X, y)
    draw_importance(importance.subplots(), fitted)
    draw_directions(directions, fitted.forest_, X)
    return figure


def draw_digits(figure: SubFigure, forest: Any, X: NDArray[Any], y: NDArray[Any]) -> None:
    """Show four digits that the forest is sure of, then those that it is most mistaken about."""
    probability = forest.oob_decision_function_
    truth = probability[np.arange(len(y)), y]
    verdict = forest.classes_[probability.argmax(axis=1)]
    sure = [np.flatnonzero(y == label)[truth[y == label].argmax()] for label in (0, 2, 3, 8)]
    by_mistake = np.argsort(truth - probability.max(axis=1), kind="stable")
    n_wrong = int(np.count_nonzero(verdict != y))
    figure.suptitle(f"{n_wrong} of {len(y)} digits are misclassified out of bag", fontsize=TITLE)
    axes = figure.subplots(3, 4)
    for axis, row in zip(axes.flat, [*sure, *by_mistake], strict=False):
        show_image(axis, X[row], cmap="Greys")
        if verdict[row] == y[row]:
            axis.set_xlabel(f"{y[row]}", color=COLOURS[0])
        else:
            axis.set_xlabel(f"{y[row]} predicted as {verdict[row]}", color=PLUS)


def draw_accuracy(axis: Axes, results: Sequence[Result]) -> None:
    """Show a dot for each fold and the mean with its standard deviation."""
    jitter = np.random.default_rng(0)
    for place, (result, colour) in enumerate(zip(results, COLOURS, strict=True)):
        accuracy = 100 * np.array(result.scores)
        height = -place + jitter.uniform(-0.16, 0.16, size=len(accuracy))
        axis.plot(accuracy, height, "o", color=colour, alpha=0.35, markersize=5, markeredgewidth=0)
        axis.errorbar(
            accuracy.mean(),
            -place,
            xerr=accuracy.std(ddof=1),
            fmt="o",
            color=colour,
            markersize=8,
            capsize=4,
            linewidth=2,
        )
    axis.set_yticks(-np.arange(len(results)), [label_lines(result.name) for result in results])
    axis.set_xlabel("correct, %")
    axis.set_title("Held-out accuracy: parts, mean ± sd", fontsize=TITLE)
    tidy(axis, "x")


def draw_growth(
    axis: Axes,
    distributions: Mapping[str, ProjectionDistribution],
    forest: ForestClassifier,
    X: NDArray[Any],
    y: NDArray[Any],
) -> None:
    """Show the out-of-bag error of each distribution while a warm start adds trees."""
    sizes = np.unique(np.geomspace(5, forest.n_estimators, 14).astype(int))
    for (name, distribution), colour in zip(distributions.items(), COLOURS, strict=False):
        growing = clone(forest).set_params(
            projections=distribution, oob_score=True, warm_start=True
        )
        errors = []
        for size in sizes:
            with warnings.catch_warnings():
                # A few trees leave some rows without an out-of-bag vote.
                warnings.simplefilter("ignore", UserWarning)
                growing.set_params(n_estimators=int(size)).fit(X, y)
            errors.append(100 * (1 - growing.oob_score_))
        axis.plot(sizes, errors, "o-", color=colour, label=name, markersize=4.5, linewidth=1.8)
    axis.set_xscale("log")
    ticks = [size for size in (5, 10, 25, 50, 100, 200) if size <= sizes[-1]]
    axis.set_xticks(ticks, [str(tick) for tick in ticks])
    axis.minorticks_off()
    axis.set_ylim(bottom=0)
    axis.set_xlabel("trees")
    axis.set_ylabel("misclassified out of bag, %")
    axis.set_title("More trees, fewer errors", fontsize=TITLE)
    axis.legend(frameon=False)
    tidy(axis, "y")


def draw_importance(axis: Axes, forest: Any) -> None:
    """Show the importance of each pixel."""
    importance = 100 * forest.feature_importances_.reshape(SIDE, SIDE)
    image = axis.imshow(importance, cmap="YlGn", vmin=0)
    axis.set(xticks=[], yticks=[])
    axis.set_title("Pixels that the sparse forest uses", fontsize=TITLE)
    bar = axis.figure.colorbar(image, ax=axis, shrink=0.9)
    bar.set_label("share of the decrease of impurity, %")
    bar.outline.set_visible(False)


def draw_directions(figure: SubFigure, forest: ForestArrays, X: NDArray[Any]) -> None:
    """Show the directions of two and more pixels that brought most."""
    figure.suptitle(
        "Its best directions add the red pixels and subtract the blue ones", fontsize=TITLE
    )
    figure.supxlabel(
        "drawn over the mean digit; share of the decrease of impurity below each", fontsize=10
    )
    axes = figure.subplots(2, 6)
    background = X.mean(axis=0)
    for axis, (indices, coefficients, share) in zip(
        axes.flat, most_gainful_directions(forest, axes.size), strict=False
    ):
        show_image(axis, background, cmap="Greys", vmax=3 * background.max())
        for index, coefficient in zip(indices, coefficients, strict=True):
            draw_sign(axis, index % SIDE, index // SIDE, coefficient > 0)
        axis.set_xlabel(f"{100 * share:.2f} %")
    for axis in axes.flat:
        axis.set(xticks=[], yticks=[])


def draw_sign(axis: Axes, column: int, row: int, positive: bool) -> None:
    """Show the sign of a pixel's coefficient by colour and symbol."""
    colour = PLUS if positive else MINUS
    axis.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, color=colour))
    axis.text(
        column,
        row,
        "+" if positive else "\N{MINUS SIGN}",
        color="white",
        weight="bold",
        ha="center",
        va="center_baseline",
        fontsize=10,
    )


def most_gainful_directions(
    forest: ForestArrays, n_directions: int
) -> list[tuple[tuple[int, ...], tuple[float, ...], float]]:
    """Directions of several features by their share in the decrease of impurity, largest first.

    A direction and its negative divide rows alike, so they count as one, the first coefficient
    positive.
    """
    gains = split_gains(forest)
    gains /= np.add.reduceat(gains, forest.tree_offsets[:-1])[forest.node_trees()] * forest.n_trees
    shares: dict[tuple[tuple[int, ...], tuple[float, ...]], float] = {}
    for node in np.flatnonzero(np.diff(forest.direction_indptr) > 1):
        entries = slice(*forest.direction_indptr[node : node + 2])
        coefficients = forest.direction_coefficients[entries]
        key = (
            tuple(forest.direction_indices[entries].tolist()),
            tuple((coefficients * np.sign(coefficients[0])).tolist()),
        )
        shares[key] = shares.get(key, 0.0) + float(gains[node])
    best = sorted(shares, key=lambda key: -shares[key])[:n_directions]
    return [(*key, shares[key]) for key in best]


def show_image(axis: Axes, pixels: NDArray[Any], **options: Any) -> None:
    """Draw one digit in a thin frame."""
    axis.imshow(pixels.reshape(SIDE, SIDE), **options)
    axis.set(xticks=[], yticks=[])
    for spine in axis.spines.values():
        spine.set(color="0.7", linewidth=0.8)


def label_lines(name: str) -> str:
    """Break a name after its library."""
    return name.replace(", ", ",\n").replace("scikit-learn ", "scikit-learn,\n")


def tidy(axis: Axes, grid: str) -> None:
    """Leave only the lines that help to read off values."""
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(axis="x" if grid == "x" else "y", color="0.9")
    axis.set_axisbelow(True)

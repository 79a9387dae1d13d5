"""The figure of the demo: what the data look like, who errs how often, where the forest looks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from silvan.app.comparison import Result
from silvan.inspection import importance_map

if TYPE_CHECKING:
    from silvan.app.demo import Story

SIDE = 8
TITLE = 12.5
OURS, RED = "#1b7837", "#b2182b"
COLOURS = (OURS, "#7b3294", "#4d4d4d", "#9a9a9a")


def draw_figure(
    stories: tuple[Story, Story],
    results: tuple[Sequence[Result], Sequence[Result]],
    n_trees: int,
    n_jobs: int,
) -> Figure:
    """Draw a row of three panels for each story."""
    margins = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1, rect=(0.01, 0.005, 0.98, 0.985))
    figure = Figure(figsize=(13.5, 8.2), dpi=110, layout=margins)
    figure.suptitle(f"Forests of {n_trees} trees with their defaults", fontsize=16, weight="bold")
    top, bottom = figure.subfigures(2, 1, squeeze=False)[:, 0]
    digits, sensors = stories
    panels = top.subfigures(1, 3, width_ratios=[1.1, 1.25, 0.9])
    forest, test = fit_first(digits, n_trees, n_jobs)
    draw_digits(panels[0], forest, digits.X[test], digits.y[test])
    draw_errors(panels[1].subplots(), results[0], "Error on digits, 100 to learn from")
    draw_pixels(panels[2].subplots(), forest)
    panels = bottom.subfigures(1, 3, width_ratios=[1.1, 1.25, 0.9])
    forest, test = fit_first(sensors, n_trees, n_jobs)
    draw_recordings(panels[0], sensors)
    draw_errors(panels[1].subplots(), results[1], "Error on recordings, 300 to learn from")
    draw_sensors(panels[2].subplots(), forest)
    return figure


def fit_first(story: Story, n_trees: int, n_jobs: int) -> tuple[Any, Any]:
    """The forest of windows, fitted to the first part, and the samples to test it with."""
    train, test = story.folds[0]
    forest = story.systems(n_trees, n_jobs)[0].estimator
    return forest.fit(story.X[train], story.y[train]), test


def draw_digits(figure: SubFigure, forest: Any, X: Any, y: Any) -> None:
    """Show digits that the forest is sure of, then those that it is most mistaken about."""
    probability = forest.predict_proba(X)
    truth = probability[np.arange(len(y)), y]
    verdict = forest.classes_[probability.argmax(axis=1)]
    sure = [np.flatnonzero(y == label)[truth[y == label].argmax()] for label in (0, 2, 3, 8)]
    by_mistake = np.argsort(truth - probability.max(axis=1), kind="stable")
    n_wrong = int(np.count_nonzero(verdict != y))
    figure.suptitle(f"Of {len(y):,} new digits {n_wrong} are misclassified", fontsize=TITLE)
    axes = figure.subplots(3, 4)
    for axis, sample in zip(axes.flat, [*sure, *by_mistake], strict=False):
        axis.imshow(X[sample].reshape(SIDE, SIDE), cmap="Greys")
        axis.set(xticks=[], yticks=[])
        for spine in axis.spines.values():
            spine.set(color="0.7", linewidth=0.8)
        right = verdict[sample] == y[sample]
        told = f"{y[sample]}" if right else f"{y[sample]}, not {verdict[sample]}"
        axis.set_xlabel(told, color=OURS if right else RED)


def draw_errors(axis: Axes, results: Sequence[Result], title: str) -> None:
    """Show a dot for each part, and the mean."""
    jitter = np.random.default_rng(0)
    for place, (result, colour) in enumerate(zip(results, COLOURS, strict=True)):
        errors = 100 * (1 - np.array(result.scores))
        height = -place + jitter.uniform(-0.16, 0.16, size=len(errors))
        axis.plot(errors, height, "o", color=colour, alpha=0.35, markersize=5, markeredgewidth=0)
        axis.plot(errors.mean(), -place, "o", color=colour, markersize=9)
        axis.annotate(
            f"{errors.mean():.1f} %",
            (errors.mean(), -place + 0.24),
            color=colour,
            ha="center",
            va="bottom",
            weight="bold",
        )
    names = [result.name.replace(", ", ",\n").replace("learn ", "learn,\n") for result in results]
    axis.set_yticks(-np.arange(len(results)), names)
    axis.set_ylim(0.6 - len(results), 0.6)
    axis.set_xlim(left=0)
    axis.set_xlabel("misclassified, %")
    axis.set_title(title, fontsize=TITLE)
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(axis="x", color="0.9")
    axis.set_axisbelow(True)


def draw_pixels(axis: Axes, forest: Any) -> None:
    """Show where windows on the digits lie."""
    _show_map(axis, importance_map(forest, "gain"), "Where it looks")


def draw_recordings(figure: SubFigure, story: Story) -> None:
    """Show a recording of each class."""
    axes = figure.subplots(1, 2, sharey=True)
    shape = story.grid["shape"]
    for label, axis in enumerate(axes):
        recording = story.X[np.flatnonzero(story.y == label)[0]].reshape(shape)
        for sensor, series in enumerate(recording):
            axis.plot(series - 5 * sensor, color=COLOURS[2] if label == 0 else OURS, linewidth=0.8)
        axis.set_title(f"class {label}", fontsize=TITLE)
        axis.set_xlabel("step")
        axis.spines[["top", "right", "left"]].set_visible(False)
    axes[0].set_yticks(-5 * np.arange(shape[0]), [f"sensor {i + 1}" for i in range(shape[0])])
    axes[0].tick_params(axis="y", length=0)
    axes[1].tick_params(axis="y", length=0)


def draw_sensors(axis: Axes, forest: Any) -> None:
    """Show at which times of which sensors windows lie."""
    _show_map(axis, importance_map(forest, "gain"), "Where it looks", aspect="auto")
    axis.set_yticks(range(forest.shape_[0]), [str(i + 1) for i in range(forest.shape_[0])])
    axis.set_xticks([0, 50, 100, 150])
    axis.set(xlabel="step", ylabel="sensor")


def _show_map(axis: Axes, values: Any, title: str, **options: Any) -> None:
    # Otherwise neighbouring sensors would be blended where steps are about as wide as pixels.
    options |= {"cmap": "YlGn", "vmin": 0, "interpolation": "nearest"}
    image = axis.imshow(100 * values / values.sum(), **options)
    axis.set(xticks=[], yticks=[])
    axis.set_title(title, fontsize=TITLE)
    bar = axis.figure.colorbar(image, ax=axis, shrink=0.9)
    bar.set_label("share of the importance, %")
    bar.outline.set_visible(False)

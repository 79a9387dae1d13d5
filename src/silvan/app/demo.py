"""The demo: forests on few handwritten digits and on recordings, as tables and a page."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedShuffleSplit

from silvan import ForestClassifier, ManifoldForestClassifier
from silvan.app.comparison import Fold, Result, System, compare, format_table
from silvan.app.console import say, steps
from silvan.app.data import Dataset
from silvan.app.outputs import check_folder, reported, writing
from silvan.app.report import Subject, write_report
from silvan.datasets import make_recordings

WINDOWS, SPARSE = "silvan, windows", "silvan, sparse directions"
RANDOM_FOREST, EXTRA_TREES = "scikit-learn RandomForest", "scikit-learn ExtraTrees"
FIGURE_NAME, MODEL_NAME, PAGE_NAME = "demo.png", "digits.silvan", "report.html"
SENSORS, STEPS = 8, 200
WIDTH = 96


@dataclass(frozen=True, eq=False)
class Story:
    """A problem, and parts of it to learn from and to test with."""

    title: str
    X: NDArray[Any]
    y: NDArray[Any]
    folds: Sequence[Fold]
    grid: dict[str, Any]

    def systems(self, n_trees: int, n_jobs: int) -> list[System]:
        """Forests of equal numbers of trees, with their defaults."""
        common: dict[str, Any] = {"n_estimators": n_trees, "random_state": 0, "n_jobs": n_jobs}
        forests = {
            WINDOWS: ManifoldForestClassifier(**self.grid, **common),
            SPARSE: ForestClassifier(**common),
            RANDOM_FOREST: RandomForestClassifier(**common),
            EXTRA_TREES: ExtraTreesClassifier(**common),
        }
        return [System(name, forest, has_out_of_bag=False) for name, forest in forests.items()]

    def compare(self, n_trees: int, n_jobs: int) -> list[Result]:
        """Fit every forest to every part, and print the table."""
        say_folded(self.title)
        systems = self.systems(n_trees, n_jobs)
        found = compare(systems, self.X, self.y, self.folds)
        results = list(steps(found, len(systems), "forests compared"))
        say(format_table(results) + "\n")
        return results


def make_stories(*, quick: bool) -> tuple[Story, Story]:
    """Handwritten digits of which few are labelled, and recordings with a response and a rhythm."""
    n_draws, n_sensor_draws = (3, 2) if quick else (10, 5)
    X, y = load_digits(return_X_y=True)
    digits = Story(
        "Handwritten digits, 8 x 8 pixels, 10 classes: 100 to learn from, the other "
        f"{len(X) - 100:,} to test with; {n_draws} draws.",
        X,
        y,
        draw_folds(y, 100, n_draws),
        {"shape": (8, 8)},
    )
    recordings, labels = make_recordings(1000, random_state=0)
    sensors = Story(
        f"Simulated recordings, {SENSORS} sensors x {STEPS} steps, 2 classes: 300 to learn from, "
        f"700 to test with; {n_sensor_draws} draws. Class 1 has a response, whose time varies, and "
        "a rhythm, whose phase varies.",
        recordings.reshape(len(labels), -1),
        labels,
        draw_folds(labels, 300, n_sensor_draws),
        {"shape": (SENSORS, STEPS), "contiguous": (False, True)},
    )
    return digits, sensors


def draw_folds(y: NDArray[Any], n_train: int, n_draws: int) -> list[Fold]:
    """Samples to learn from, with equal shares of the classes, and all others to test with."""
    splitter = StratifiedShuffleSplit(n_draws, train_size=n_train, random_state=0)
    return list(splitter.split(np.zeros(len(y)), y))


def explain(digits: Sequence[Result], sensors: Sequence[Result]) -> str:
    """Say in words what the tables show."""
    told = [tell_errors(results) for results in (digits, sensors)]
    return (
        "The forests differ in what a node may look at. scikit-learn's look at one pixel, or at "
        "one moment of one sensor; sparse directions add and subtract about two of them. Windows "
        "know the grid: they look at rectangles of neighbouring pixels, of the image and of its "
        "gradients, and at mean, spread and slope of stretches of time, of the series, its "
        "differences, its spectrum and random convolutions of it. All parameters are defaults; the "
        "forest is told the shape of the data, and that sensors have no order.\n\n"
        f"Errors on the same parts, windows against scikit-learn's random forest: {told[0]} of the "
        f"digits and {told[1]} of the recordings. Accuracy is the mean ± standard deviation over "
        "the parts; times are medians."
    )


def tell_errors(results: Sequence[Result]) -> str:
    """The mean errors of the first forest and of the random forest."""
    errors = {result.name: 100 * (1 - float(np.mean(result.scores))) for result in results}
    return f"{errors[WINDOWS]:.1f} % against {errors[RANDOM_FOREST]:.1f} %"


def run_demo(output: Path, n_jobs: int, *, quick: bool) -> None:
    """Compare, explain, draw, and write the page."""
    check_folder(output)
    start = time.perf_counter()
    n_trees = 50 if quick else 200
    stories = make_stories(quick=quick)
    say_folded(f"Every forest has {n_trees} trees; {describe_threads(n_jobs)}.")
    digits, sensors = (story.compare(n_trees, n_jobs) for story in stories)
    say_folded(explain(digits, sensors))
    with reported(output):
        output.mkdir(parents=True, exist_ok=True)
    draw(stories, (digits, sensors), n_trees, n_jobs, output / FIGURE_NAME)
    page = write_page(digits, n_trees, n_jobs, output)
    say(f"The model is   {output / MODEL_NAME}")
    say(f"The report is  {page}")
    say(f"               open it in a browser: {page.resolve().as_uri()}")
    say(f"Done in {time.perf_counter() - start:.0f} s.")


def write_page(results: Sequence[Result], n_trees: int, n_jobs: int, output: Path) -> Path:
    """Fit the manifold forest to all digits, save it, and write the report page about it."""
    digits = load_digits()
    data = Dataset(digits.images.astype(np.float32), digits.target, "image", "digit")
    forest = ManifoldForestClassifier(
        n_trees, shape=(8, 8), oob_score=True, random_state=0, n_jobs=n_jobs
    )
    forest.fit(data.rows.reshape(len(data.y), -1), data.y)
    with reported(output / MODEL_NAME):
        forest.save(output / MODEL_NAME)
    subject = Subject(
        forest,
        data,
        results=results,
        model_path=str(output / MODEL_NAME),
        title="Handwritten digits, classified by a manifold forest",
    )
    write_report(output / PAGE_NAME, subject)
    return output / PAGE_NAME


def draw(
    stories: tuple[Story, Story],
    results: tuple[Sequence[Result], Sequence[Result]],
    n_trees: int,
    n_jobs: int,
    path: Path,
) -> None:
    """Write the figure, or say what is missing for it."""
    if find_spec("matplotlib") is None:
        say_folded(
            "There is no figure, because matplotlib is not installed; get it with "
            '"python -m pip install matplotlib" and run the demo again.'
        )
        return
    from silvan.app.figure import draw_figure

    figure = draw_figure(stories, results, n_trees, n_jobs)
    with writing(path) as temporary:
        figure.savefig(temporary)
    say(f"The figure is  {path}")


def describe_threads(n_jobs: int) -> str:
    """Write the number of threads in words."""
    if n_jobs == 1:
        return "one thread"
    return "all processors" if n_jobs == -1 else f"n_jobs={n_jobs}"


def say_folded(text: str) -> None:
    """Print paragraphs, folded to the width of the table."""
    for paragraph in text.split("\n\n"):
        say(textwrap.fill(paragraph, WIDTH) + "\n")

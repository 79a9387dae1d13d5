"""The demo: forests of silvan and scikit-learn on handwritten digits, as a table and a page."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.model_selection import RepeatedStratifiedKFold

from silvan import ForestClassifier, ManifoldForestClassifier
from silvan.app.comparison import Result, System, compare, format_table
from silvan.app.console import say, steps
from silvan.app.data import Dataset
from silvan.app.outputs import check_folder, reported, writing
from silvan.app.report import Subject, write_report
from silvan.projections import AxisAligned, Patches, SparseSigns, UniformCombinations

PATCHES = "silvan, patches"
SPARSE, SINGLE, PAIRS = "silvan, sparse signs", "silvan, single pixels", "silvan, weighted pairs"
RANDOM_FOREST, EXTRA_TREES = "scikit-learn RandomForest", "scikit-learn ExtraTrees"
DISTRIBUTIONS = {
    SPARSE: SparseSigns(),
    PATCHES: Patches((8, 8)),
    SINGLE: AxisAligned(),
    PAIRS: UniformCombinations(),
}
FIGURE_NAME, MODEL_NAME, PAGE_NAME = "digits.png", "digits.silvan", "report.html"
WIDTH = 96


def make_systems(n_trees: int, n_jobs: int) -> list[System]:
    """The six forests: equal numbers of trees and of candidates per node, else their defaults."""
    common: dict[str, Any] = {"n_estimators": n_trees, "random_state": 0, "n_jobs": n_jobs}
    forests = [
        System(name, ForestClassifier(projections=distribution, **common))
        for name, distribution in DISTRIBUTIONS.items()
    ]
    return [
        *forests,
        System(RANDOM_FOREST, RandomForestClassifier(**common)),
        # Without a bootstrap no row is out of bag.
        System(EXTRA_TREES, ExtraTreesClassifier(**common), has_out_of_bag=False),
    ]


def explain(results: Sequence[Result], n_fits: int) -> str:
    """Say in words what the table shows."""
    by_name = {result.name: result for result in results}
    ours, theirs = by_name[SPARSE], by_name[RANDOM_FOREST]
    gain = 100 * (np.array(ours.scores) - np.array(theirs.scores))
    ratio = np.median(theirs.fit_seconds) / np.median(ours.fit_seconds)
    return (
        "The forests differ in what a node may look at. Single pixels are Breiman's random forest; "
        "patches are sums over small rectangles of neighbouring pixels; sparse signs compare sums "
        "and differences of about two pixels; weighted pairs weight two pixels at random; "
        "ExtraTrees draws its thresholds at random, too. Accuracy is the mean ± standard deviation "
        f"over {n_fits} held-out parts; times are medians over the same fits. Out of bag is the "
        "accuracy on training rows, each scored only by the trees that did not see it: it "
        "estimates the first column without holding anything out.\n\n"
        f"On the same parts, sparse signs score {gain.mean():+.1f} points against scikit-learn's "
        f"random forest ({gain.min():+.1f} to {gain.max():+.1f}, part by part) and fit "
        f"{ratio:.1f} times as fast. Read differences within that range as a tie."
    )


def run_demo(output: Path, n_jobs: int, *, quick: bool) -> None:
    """Compare, explain, draw, and write the page."""
    check_folder(output)
    start = time.perf_counter()
    n_trees, n_repeats = (25, 1) if quick else (200, 2)
    X, y = load_digits(return_X_y=True)
    splitter = RepeatedStratifiedKFold(n_splits=5, n_repeats=n_repeats, random_state=0)
    folds = list(splitter.split(X, y))
    systems = make_systems(n_trees, n_jobs)

    say_folded(
        f"{len(X)} handwritten digits, 8 x 8 pixels, 10 classes. Every forest has {n_trees} trees "
        f"and weighs 8 candidates at a node; {len(folds)} fits each (5-fold cross-validation"
        f"{', twice' if n_repeats == 2 else ''}) on {describe_threads(n_jobs)}."
    )
    results = list(steps(compare(systems, X, y, folds), len(systems), "forests compared"))
    say(format_table(results) + "\n")
    say_folded(explain(results, len(folds)))
    with reported(output):
        output.mkdir(parents=True, exist_ok=True)
    draw(results, X, y, n_trees, n_jobs, output / FIGURE_NAME)
    page = write_page(results, n_trees, n_jobs, output)
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
        results=sorted(results, key=lambda result: result.name != PATCHES),
        model_path=str(output / MODEL_NAME),
        title="Handwritten digits, classified by a manifold forest",
    )
    write_report(output / PAGE_NAME, subject)
    return output / PAGE_NAME


def draw(results: Sequence[Result], X: Any, y: Any, n_trees: int, n_jobs: int, path: Path) -> None:
    """Write the figure, or say what is missing for it."""
    if find_spec("matplotlib") is None:
        say_folded(
            "There is no figure, because matplotlib is not installed; get it with "
            '"python -m pip install matplotlib" and run the demo again.'
        )
        return
    from silvan.app.figure import draw_figure

    forest = ForestClassifier(n_trees, random_state=0, n_jobs=n_jobs)
    figure = draw_figure(results, DISTRIBUTIONS, forest, X, y)
    with writing(path) as temporary:
        figure.savefig(temporary)
    say(f"The figure is {path}")


def describe_threads(n_jobs: int) -> str:
    """Write the number of threads in words."""
    if n_jobs == 1:
        return "one thread"
    return "all processors" if n_jobs == -1 else f"n_jobs={n_jobs}"


def say_folded(text: str) -> None:
    """Print paragraphs, folded to the width of the table."""
    for paragraph in text.split("\n\n"):
        say(textwrap.fill(paragraph, WIDTH) + "\n")

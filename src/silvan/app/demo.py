"""The demo: forests of silvan and scikit-learn on handwritten digits, as a table and a picture.

Run it with ``python -m silvan.app.demo``; ``--help`` lists its options.
"""

from __future__ import annotations

import argparse
import sys
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

from silvan import ForestClassifier
from silvan.app.comparison import Result, System, compare, format_table
from silvan.projections import AxisAligned, SparseSigns, UniformCombinations

SPARSE, SINGLE, PAIRS = "silvan, sparse signs", "silvan, single pixels", "silvan, weighted pairs"
RANDOM_FOREST, EXTRA_TREES = "scikit-learn RandomForest", "scikit-learn ExtraTrees"
LAWS = {SPARSE: SparseSigns(), SINGLE: AxisAligned(), PAIRS: UniformCombinations()}
PICTURE_NAME = "digits.png"
WIDTH = 96


def make_systems(n_trees: int, n_jobs: int) -> list[System]:
    """The five forests: equal numbers of trees and of candidates per node, else their defaults."""
    common: dict[str, Any] = {"n_estimators": n_trees, "random_state": 0, "n_jobs": n_jobs}
    forests = [
        System(name, ForestClassifier(projections=law, **common)) for name, law in LAWS.items()
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
    gain = 100 * (np.array(ours.accuracy) - np.array(theirs.accuracy))
    ratio = np.median(theirs.fit_seconds) / np.median(ours.fit_seconds)
    return (
        "The forests differ in what a node may look at. Single pixels are Breiman's random forest; "
        "sparse signs compare sums and differences of about two pixels; weighted pairs weight two "
        "pixels at random; ExtraTrees draws its thresholds at random, too. Accuracy is the mean ± "
        f"standard deviation over {n_fits} held-out parts; times are medians over the same fits. "
        "Out of bag is the accuracy on training rows, each judged only by the trees that did not "
        "see it: it estimates the first column without holding anything out.\n\n"
        f"On the same parts, sparse signs score {gain.mean():+.1f} points against scikit-learn's "
        f"random forest ({gain.min():+.1f} to {gain.max():+.1f}, part by part) and fit "
        f"{ratio:.1f} times as fast. Read differences within that range as a tie."
    )


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m silvan.app.demo",
        description="Trains forests of silvan and scikit-learn on the handwritten digits that come "
        "with scikit-learn, prints how they compare and draws what the forest has learnt.",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("demo-output"),
        metavar="DIR",
        help="folder for the picture, made if missing (default: %(default)s)",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=1,
        metavar="N",
        help="threads of every forest, -1 for all processors; changes the times and nothing else "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer trees and fits, for a look within seconds"
    )
    arguments = parser.parse_args(argv)
    if arguments.jobs == 0:
        parser.error("--jobs must be at least 1, or -1 for all processors")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Run the demo; return the exit status."""
    arguments = parse_arguments(argv)
    start = time.perf_counter()
    n_trees, n_repeats = (25, 1) if arguments.quick else (200, 2)
    X, y = load_digits(return_X_y=True)
    splitter = RepeatedStratifiedKFold(n_splits=5, n_repeats=n_repeats, random_state=0)
    folds = list(splitter.split(X, y))
    systems = make_systems(n_trees, arguments.jobs)

    say(
        f"{len(X)} handwritten digits, 8 x 8 pixels, 10 classes. Every forest has {n_trees} trees "
        f"and weighs 8 candidates at a node; {len(folds)} fits each (5-fold cross-validation"
        f"{', twice' if n_repeats == 2 else ''}) on {describe_threads(arguments.jobs)}."
    )
    results = []
    for result in compare(systems, X, y, folds):
        results.append(result)
        show_progress(f"{len(results)} of {len(systems)} forests compared")
    show_progress("")
    print(format_table(results), end="\n\n")
    say(explain(results, len(folds)))
    draw(results, X, y, n_trees, arguments)
    print(f"Done in {time.perf_counter() - start:.0f} s.")
    return 0


def draw(
    results: Sequence[Result], X: Any, y: Any, n_trees: int, arguments: argparse.Namespace
) -> None:
    """Write the picture, or say what is missing for it."""
    if find_spec("matplotlib") is None:
        say(
            "There is no picture, because matplotlib is not installed; get it with "
            '"python -m pip install matplotlib" and run the demo again.'
        )
        return
    from silvan.app.picture import draw_picture

    path = arguments.output / PICTURE_NAME
    arguments.output.mkdir(parents=True, exist_ok=True)
    forest = ForestClassifier(n_trees, random_state=0, n_jobs=arguments.jobs)
    draw_picture(results, LAWS, forest, X, y).savefig(path)
    print(f"The picture is {path}")


def describe_threads(n_jobs: int) -> str:
    """Write the number of threads in words."""
    if n_jobs == 1:
        return "one thread"
    return "all processors" if n_jobs == -1 else f"n_jobs={n_jobs}"


def say(text: str) -> None:
    """Print paragraphs, folded to the width of the table."""
    for paragraph in text.split("\n\n"):
        print(textwrap.fill(paragraph, WIDTH), end="\n\n")


def show_progress(text: str) -> None:
    """Overwrite the last line of a terminal; a file gets nothing."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text}\x1b[K")
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())

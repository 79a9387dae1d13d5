"""Whether the time of a fit depends on the width of its patches, on series of 1,000 steps.

``python -m benchmarks.patch_width --output docs/results/patch_width.md``
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from silvan import ForestClassifier
from silvan.projections import Patches

LENGTH = 1_000
WIDTHS = (5, 20, 100, 400)
ROUNDS = 5


def make_series(n: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return white noise, to which class 1 adds a step of half a standard deviation."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, LENGTH)).astype(np.float32)
    y = rng.integers(0, 2, n)
    X[y == 1, 400:420] += 0.5
    return X, y


def time_fit(X: NDArray[np.float32], y: NDArray[np.int64], width: int) -> tuple[float, int]:
    """Return the seconds of one fit on one thread, and the number of nodes grown."""
    distribution = Patches(LENGTH, width, width)
    forest = ForestClassifier(
        20, projections=distribution, max_features=31, random_state=0, n_jobs=1
    )
    start = time.perf_counter()
    forest.fit(X, y)
    return time.perf_counter() - start, forest.forest_.n_nodes


def main() -> None:
    """Measure all widths in turn, and write the best of several rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="Markdown file to write")
    arguments = parser.parse_args()
    lines = [
        "# Time against the width of patches",
        "",
        "`python -m benchmarks.patch_width --output docs/results/patch_width.md`",
        "",
        f"Series of {LENGTH:,} steps, 20 trees, 31 patches of one fixed width at a node, one",
        f"thread; the widths take turns, best of {ROUNDS} rounds. Narrow patches are read cell by",
        "cell, wide ones as the difference of two running sums. The number of nodes differs since",
        "the trees do.",
        "",
        "| rows | width | seconds | times width 5 | nodes |",
        "| ---: | ---: | ---: | ---: | ---: |",
    ]
    for n in (1_000, 10_000):
        X, y = make_series(n)
        best = dict.fromkeys(WIDTHS, (float("inf"), 0))
        for _ in range(ROUNDS):
            for width in WIDTHS:
                best[width] = min(best[width], time_fit(X, y, width))
        for width in WIDTHS:
            seconds, nodes = best[width]
            ratio = seconds / best[WIDTHS[0]][0]
            lines.append(f"| {n:,} | {width} | {seconds:.3f} | {ratio:.2f} | {nodes:,} |")
    text = "\n".join(lines) + "\n"
    print(text)
    if arguments.output:
        arguments.output.write_text(text)


if __name__ == "__main__":
    main()

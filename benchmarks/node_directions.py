"""What a node-fitted direction costs beside a random one with as many features.

``python -m benchmarks.node_directions --output docs/results/node_directions.md``
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import describe_machine
from silvan import ForestClassifier
from silvan.datasets import make_trunk
from silvan.projections import (
    CanonicalDirections,
    PrincipalComponents,
    ProjectionDistribution,
    RidgeDirections,
    UniformCombinations,
)

ROUNDS = 5
N_DIRECTIONS = 32
NODE_ROWS = (10, 100, 1_000, 10_000)
DIMENSIONS = (16, 64)
FOREST_ROWS = 5_000
MAX_SAMPLES = (64, 256, 1024, None)
N_SEEDS = 3
# Each distribution beside random combinations of as many features as its directions have.
FITTED = {
    "PrincipalComponents()": (PrincipalComponents(), lambda p: 3),
    'PrincipalComponents(per="tree")': (PrincipalComponents(per="tree"), lambda p: 3),
    "RidgeDirections()": (RidgeDirections(), RidgeDirections()._n_drawn),
    "CanonicalDirections()": (CanonicalDirections(), CanonicalDirections()._n_drawn),
}


def time_fit(
    distribution: ProjectionDistribution,
    X: NDArray[np.float32],
    y: NDArray[np.int64],
    n_trees: int,
    stump: bool,
) -> tuple[float, int]:
    """Return the processor seconds of one fit on one thread, and the number of nodes.

    A stump is a tree of one split, so that all distributions meet the same node: all rows.
    """
    forest = ForestClassifier(
        n_trees,
        projections=distribution,
        max_features=N_DIRECTIONS if stump else "sqrt",
        max_depth=1 if stump else None,
        bootstrap=not stump,
        random_state=0,
        n_jobs=1,
    )
    start = time.process_time()
    forest.fit(X, y)
    return time.process_time() - start, forest.forest_.n_nodes


def measure(p: int, n: int, n_trees: int, stump: bool) -> list[tuple[str, float, float, int, int]]:
    """Name, best seconds and nodes of each distribution and its random counterpart, in turns."""
    X, y = make_trunk(n, n_features=p, random_state=0)
    pairs = {
        name: (distribution, UniformCombinations(n_features=size(p)))
        for name, (distribution, size) in FITTED.items()
    }
    best = {(name, i): (float("inf"), 0) for name in pairs for i in range(2)}
    for _ in range(ROUNDS):
        for name, i in best:
            best[name, i] = min(best[name, i], time_fit(pairs[name][i], X, y, n_trees, stump))
    return [
        (name, best[name, 0][0], best[name, 1][0], best[name, 0][1], best[name, 1][1])
        for name in pairs
    ]


def nodes_table() -> list[str]:
    """Microseconds of one direction, drawn, projected and searched, at nodes of several sizes."""
    lines = [
        "| features | rows | distribution | microseconds | random one | ratio |",
        "| ---: | ---: | --- | ---: | ---: | ---: |",
    ]
    for p in DIMENSIONS:
        for n in NODE_ROWS:
            n_trees = max(5, 100_000 // (n + 100))
            per = 1e6 / (n_trees * N_DIRECTIONS)
            for name, fitted, random, _, _ in measure(p, n, n_trees, stump=True):
                lines.append(
                    f"| {p} | {n:,} | `{name}` | {per * fitted:.1f} | {per * random:.1f} "
                    f"| {fitted / random:.1f} |"
                )
    return lines


def forests_table() -> list[str]:
    """Whole forests of 20 trees."""
    lines = [
        "| features | distribution | seconds | random ones | ratio | nodes | random ones' nodes |",
        "| ---: | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for p in DIMENSIONS:
        for name, fitted, random, nodes, random_nodes in measure(p, FOREST_ROWS, 20, stump=False):
            lines.append(
                f"| {p} | `{name}` | {fitted:.3f} | {random:.3f} | {fitted / random:.1f} "
                f"| {nodes:,} | {random_nodes:,} |"
            )
    return lines


def max_samples_table() -> list[str]:
    """Test error and time of forests of 20 trees against the rows that a fit looks at."""
    lines = [
        "| features | distribution | " + " | ".join(f"{m or 'all'}" for m in MAX_SAMPLES) + " |",
        "| ---: | --- |" + " ---: |" * len(MAX_SAMPLES),
    ]
    for p in DIMENSIONS:
        for distribution in (PrincipalComponents, RidgeDirections, CanonicalDirections):
            errors = np.zeros((N_SEEDS, len(MAX_SAMPLES)))
            seconds = np.zeros_like(errors)
            for seed in range(N_SEEDS):
                X, y = make_trunk(FOREST_ROWS, n_features=p, random_state=seed)
                X_new, y_new = make_trunk(10_000, n_features=p, random_state=1_000 + seed)
                for i, max_samples in enumerate(MAX_SAMPLES):
                    forest = ForestClassifier(
                        20,
                        projections=distribution(max_samples=max_samples),
                        random_state=seed,
                        n_jobs=1,
                    )
                    start = time.process_time()
                    forest.fit(X, y)
                    seconds[seed, i] = time.process_time() - start
                    errors[seed, i] = 1 - forest.score(X_new, y_new)
            cells = zip(errors.mean(axis=0), seconds.min(axis=0), strict=True)
            shown = " | ".join(f"{error:.4f}, {best:.2f} s" for error, best in cells)
            lines.append(f"| {p} | `{distribution.__name__}` | {shown} |")
    return lines


def report() -> Sequence[str]:
    """Return the lines of the page."""
    load = os.getloadavg()[0]
    return [
        "# Cost of node-fitted directions",
        "",
        "`python -m benchmarks.node_directions --output docs/results/node_directions.md`",
        "",
        *[f"* {line}" for line in describe_machine()],
        f"* load average when it started: {load:.1f}",
        "",
        "Trunk's problem, two classes. A random direction is one of `UniformCombinations`, of as",
        "many features as the fitted one. The distributions take turns; tables have the best of",
        f"{ROUNDS} rounds, in processor time of one thread. Ratios compare runs of the same",
        "minute; the times themselves depend on what else the machine does.",
        "",
        "## One direction",
        "",
        f"Trees of one split on all rows, {N_DIRECTIONS} directions each: what it costs to draw a",
        "direction, to project the rows and to search the best threshold. (A rotation per tree is",
        "paid for by one node here, by all nodes of a tree in a forest.)",
        "",
        *nodes_table(),
        "",
        "## A forest",
        "",
        f"20 trees on {FOREST_ROWS:,} rows, grown until the leaves are pure, sqrt(p) directions",
        "at a node. Better directions need fewer nodes, which pays for some of the fits.",
        "",
        *forests_table(),
        "",
        "## Rows that a fit looks at",
        "",
        f"Test error (mean of {N_SEEDS} draws) and seconds (the best of them) of forests of 20",
        f"trees on {FOREST_ROWS:,} rows against `max_samples`.",
        "",
        *max_samples_table(),
    ]


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="Markdown file to write")
    arguments = parser.parse_args()
    text = "\n".join(report()) + "\n"
    print(text)
    if arguments.output:
        arguments.output.write_text(text)


if __name__ == "__main__":
    main()

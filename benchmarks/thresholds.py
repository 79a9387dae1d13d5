"""Drawn against best thresholds on real tables: the same samples, the same directions at a node.

``python -m benchmarks.thresholds --instruction-set avx2 --output docs/results/thresholds.md``
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

from benchmarks.data import DataSpec, default_source, load_table
from benchmarks.machine import describe_machine
from benchmarks.systems import force_instruction_set
from silvan import ForestClassifier
from silvan.projections import AxisAligned

TABLES = (
    DataSpec("connect_4", 57_557, 42),
    DataSpec("bank_full", 35_211, 48),
    DataSpec("covtype_20k", 15_000, 54),
    DataSpec("kddcup99_10pct", 100_000, 41),
    DataSpec("eeg_eye_state", 11_980, 14),
)
HEADER = (
    "| table | directions | best thresholds, s | drawn, s | times as fast | nodes of a tree, best "
    "| drawn | times as fast per node |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
)
PEER_HEADER = (
    "| table | silvan extra trees, s | ExtraTrees, s | times as fast "
    "|\n| --- | ---: | ---: | ---: |"
)


def n_nodes(forest: Any) -> float:
    """Nodes of a tree, on average."""
    return float(forest.forest_.n_nodes / forest.n_estimators)


def best_seconds(forests: list[Any], X: Any, y: Any, rounds: int) -> list[float]:
    """Processor time of each fit, the best of some rounds in which the forests take turns."""
    seconds = np.full(len(forests), np.inf)
    for _ in range(rounds):
        for i, forest in enumerate(forests):
            start = time.process_time()
            forest.fit(X, y)
            seconds[i] = min(seconds[i], time.process_time() - start)
    return [float(s) for s in seconds]


def rows_of(spec: DataSpec, args: argparse.Namespace) -> tuple[list[str], str]:
    """Both kinds of directions, then scikit-learn's extra trees, on one table."""
    (X, y), _ = load_table(args.data, spec, 0)
    shared = {"n_estimators": args.trees, "n_jobs": 1, "random_state": 0}
    d = isqrt(spec.n_features)
    single = {**shared, "projections": AxisAligned(), "max_features": d}
    extra = ForestClassifier(**single, thresholds="random", bootstrap=False)
    groups = [(f"single features, d = {d}", single), ("as the default draws them", shared)]
    rows = []
    for name, options in groups:
        forests = [ForestClassifier(**options, thresholds=t) for t in ("best", "random")]
        best, drawn = best_seconds(forests, X, y, args.rounds)
        nodes = [n_nodes(forest) for forest in forests]
        rows.append(
            f"| {spec} | {name} | {best:.3f} | {drawn:.3f} | {best / drawn:.2f} | {nodes[0]:,.0f} "
            f"| {nodes[1]:,.0f} | {best / drawn * nodes[1] / nodes[0]:.2f} |"
        )
    peer = ExtraTreesClassifier(args.trees, max_features=d, n_jobs=1, random_state=0)
    ours, theirs = best_seconds([extra, peer], X, y, args.rounds)
    return rows, f"| {spec} | {ours:.3f} | {theirs:.3f} | {theirs / ours:.2f} |"


def main() -> None:
    """Measure, print and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data", type=Path, default=default_source())
    parser.add_argument("--instruction-set", help="kernels, such as avx2 (default: the best)")
    parser.add_argument("--output", type=Path)
    args = parser.parse_args()
    kernels = force_instruction_set(args.instruction_set)
    load = f"load average when it started: {os.getloadavg()[0]:.1f}"
    machine = [*describe_machine(), f"silvan's kernels: {kernels}", load]
    rows, peers = [], []
    for spec in TABLES:
        of_silvan, of_peer = rows_of(spec, args)
        print("\n".join([*of_silvan, of_peer]), flush=True)
        rows += of_silvan
        peers.append(of_peer)
    parts = [
        "# Drawn thresholds",
        f"`python -m benchmarks.thresholds {shlex.join(sys.argv[1:])}`",
        "\n".join(f"* {line}" for line in machine),
        f"Forests of {args.trees} trees on one thread, which take turns; processor time, the best "
        f"of {args.rounds} rounds.",
        "## Against the best thresholds",
        "The same bootstrap samples and as many directions at a node, drawn alike.",
        "\n".join([HEADER, *rows]),
        "## Against scikit-learn's ExtraTrees",
        "Single features, as many at a node; no bootstrap.",
        "\n".join([PEER_HEADER, *peers]),
    ]
    if args.output is not None:
        args.output.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Peak memory of boosting 1,000,000 samples of 50 features.

``python -m benchmarks.boosting_memory`` measures every case in a process of its own. Allowed are
the data, one copy, the bins of the columns (a byte for each sample and column), the model, and 20 %
of all that.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
from dataclasses import fields
from typing import Any

import numpy as np

from benchmarks.boosting import simulate
from benchmarks.machine import describe_machine
from benchmarks.memory import CLEAR, can_measure, status_bytes
from silvan import BoostedForestClassifier
from silvan.projections import AxisAligned

N_SAMPLES, N_FEATURES, N_ROUNDS = 1_000_000, 50, 10
# Columns of the pool, whose bytes lie in groups of eight: features, and as many directions.
CASES: dict[str, tuple[dict[str, Any], int]] = {
    "single features": ({"projections": AxisAligned(), "early_stopping": False}, 56),
    "single features, early stopping": ({"projections": AxisAligned()}, 56),
    "default, no early stopping": ({"early_stopping": False}, 112),
    "default": ({}, 112),
}


def measure(case: str, n_threads: int) -> dict[str, int]:
    """Fit in this process; return bytes."""
    options, n_columns = CASES[case]
    X, y = simulate(N_SAMPLES, N_FEATURES)
    forest = BoostedForestClassifier(N_ROUNDS, random_state=0, n_jobs=n_threads, **options)
    forest.fit(X[:20_000].copy(), y[:20_000])  # every code path is then loaded
    gc.collect()
    CLEAR.write_text("5")
    before = status_bytes("VmRSS")
    forest.fit(X, y)
    arrays = (getattr(forest.forest_, field.name) for field in fields(forest.forest_))
    return {
        "added": status_bytes("VmHWM") - before,
        "data": X.nbytes,
        "bins": N_SAMPLES * n_columns,
        "model": sum(array.nbytes for array in arrays if isinstance(array, np.ndarray)),
    }


def write_row(case: str, threads: int, found: dict[str, int]) -> str:
    """Return a row of the table, in MiB."""
    held = found["data"] + found["bins"] + found["model"]
    allowed = held + 0.2 * (found["data"] + held)
    figures = [found["data"], found["bins"], found["added"], allowed]
    cells = [f"{value / 2**20:.0f}" for value in figures]
    kept = "yes" if found["added"] <= allowed else "**no**"
    return f"| {' | '.join([case, str(threads), *cells, kept])} |"


def main() -> None:
    """Measure all cases, or the one that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="numbers of threads")
    parser.add_argument("--case", choices=list(CASES), help="measure it in this process")
    arguments = parser.parse_args()
    if not can_measure():
        raise SystemExit("Peaks of memory are told by Linux alone.")
    if arguments.case:
        print(json.dumps(measure(arguments.case, arguments.threads[0])))
        return
    print("\n".join(f"* {line}" for line in describe_machine()), end="\n\n")
    print("| forest | threads | data MiB | bins MiB | added at peak MiB | allowed MiB | kept |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for case in CASES:
        for threads in arguments.threads:
            command = [sys.executable, "-W", "ignore", "-m", "benchmarks.boosting_memory"]
            command += ["--case", case, "--threads", str(threads)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            print(write_row(case, threads, json.loads(done.stdout)), flush=True)


if __name__ == "__main__":
    main()

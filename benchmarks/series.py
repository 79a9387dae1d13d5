"""Processor time of forests on windows of series beside aeon's R-STSF, whose fits take turns.

``SILVAN_DATA=... python -m benchmarks.series`` in an environment that has aeon prints a table.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from experiments.data import Split, load_series
from experiments.pages import table
from experiments.time_series import make_system
from threadpoolctl import threadpool_limits

from benchmarks.data import default_source
from benchmarks.machine import describe_machine

SETS = ("ItalyPowerDemand", "GunPoint", "TwoLeadECG", "ECG200", "Lightning7", "SwedishLeaf")
SYSTEMS = ("channels", "R-STSF")
WARM_UP = "SmoothSubspace"


def time_system(name: str, split: Split, shape: tuple[int, ...], seed: int) -> tuple[float, ...]:
    """Processor seconds of fit and prediction, and the test error."""
    system: Any = make_system(name, shape, seed)
    if system is None:
        raise SystemExit("aeon is not installed here; see experiments/requirements.txt.")
    start = time.process_time()
    system.fit(split.X_train, split.y_train)
    fitted = time.process_time()
    predicted = system.predict(split.X_test)
    done = time.process_time()
    return fitted - start, done - fitted, float(np.mean(predicted != split.y_test))


def measure_set(file: Path, repeats: int) -> list[str]:
    """A line of the table: the systems take turns, and the shortest times count."""
    split, shape = load_series(file)
    runs: dict[str, list[tuple[float, ...]]] = {name: [] for name in SYSTEMS}
    for seed in range(repeats):
        for name in SYSTEMS:
            runs[name].append(time_system(name, split, shape, seed))
    best = {name: np.min(run, axis=0)[:2] for name, run in runs.items()}
    ours, other = (best[name].sum() for name in SYSTEMS)
    errors = [f"{np.mean(runs[name], axis=0)[2]:.3f}" for name in SYSTEMS]
    seconds = [f"{each:.2f}" for name in SYSTEMS for each in best[name]]
    sizes = [f"{len(split.y_train):,}", f"{len(split.y_test):,}", str(split.X_train.shape[1])]
    return [file.stem, *sizes, *seconds, f"{ours / other:.2f}", *errors]


def main() -> None:
    """Measure each set, and print a page's table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=list(SETS), help="names of UCR sets")
    parser.add_argument("--repeats", type=int, default=3, help="rounds (default: %(default)s)")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    source = default_source()
    if source is None:
        raise SystemExit("Set SILVAN_DATA to the folder of the data sets.")
    folder = source / "ucr"
    columns = ("training", "test", "length", "fit", "predict", "R-STSF fit", "predict")
    with threadpool_limits(limits=1):
        # aeon compiles its functions when they are first called.
        measure_set(folder / f"{WARM_UP}.npz", 1)
        rows = [measure_set(folder / f"{name}.npz", arguments.repeats) for name in arguments.sets]
    print("\n".join(describe_machine()))
    print(table(("set", *columns, "time / R-STSF's", "error", "R-STSF's"), rows))


if __name__ == "__main__":
    main()

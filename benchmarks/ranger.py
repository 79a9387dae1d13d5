"""The time of ranger, the forest of the thesis's Figure 3.10, beside silvan and scikit-learn.

``python -m benchmarks.ranger --instruction-set avx2 --output docs/results/speed_ranger.md``

ranger is a package of R (Debian's `r-cran-ranger`); `benchmarks/ranger.R` grows it, from samples
that are written for it and read by it before its clock starts. The systems take turns.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from benchmarks.boosting import simulate
from benchmarks.data import load_mnist
from benchmarks.machine import describe_machine
from benchmarks.systems import force_instruction_set
from silvan import presets

N_TREES = 32
N_TEST = 10_000
HIGGS = (250_000, 31)
SYSTEMS = ("silvan, RerF", "silvan, RF", "scikit-learn RF", "ranger")
SCRIPT = Path(__file__).with_suffix(".R")


class Data(NamedTuple):
    """Training and test samples, and the folder where ranger finds them."""

    X: NDArray[Any]
    y: NDArray[Any]
    X_test: NDArray[Any]
    y_test: NDArray[Any]
    folder: Path


class Measured(NamedTuple):
    """Seconds of a fit, seconds of all processors, and the test error."""

    wall: float
    cpu: float
    error: float


def make_data(name: str, source: Path | None, folder: Path, share: int) -> Data:
    """MNIST, or a simulated table of the size of the Higgs challenge; one sample of `share`."""
    if name == "MNIST":
        (X, y), (X_test, y_test) = load_mnist(source)
    else:
        n, p = HIGGS
        X, y = simulate(n + N_TEST, p)
        X, X_test, y, y_test = X[:n], X[n:], y[:n], y[n:]
    X, y = X[::share], y[::share]
    folder.mkdir()
    for part, rows, classes in (("train", X, y), ("test", X_test, y_test)):
        rows.T.astype(np.float64).tofile(
            folder / f"X_{part}"
        )  # columns one after the other, as in R
        classes.astype(np.int32).tofile(folder / f"y_{part}")
    return Data(X, y, X_test, y_test, folder)


def fit(system: str, data: Data, threads: int, seed: int) -> Measured:
    """Grow one forest; all have the square root of the features as candidates at a node."""
    if system == "ranger":
        numbers = (data.X.shape[1], N_TREES, threads, seed)
        command = ["Rscript", str(SCRIPT), str(data.folder), *map(str, numbers)]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return Measured(*map(float, told.split()))
    shared = {"max_features": "sqrt", "n_jobs": threads, "random_state": seed}
    make = {"silvan, RerF": presets.sporf, "silvan, RF": presets.rf}.get(
        system, RandomForestClassifier
    )
    forest = make(N_TREES, **shared)
    wall, cpu = time.perf_counter(), time.process_time()
    forest.fit(data.X, data.y)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Measured(wall, cpu, float(np.mean(forest.predict(data.X_test) != data.y_test)))


def measure(data: Data, threads: int, repeats: int) -> dict[str, Measured]:
    """Shortest times of every system, which take turns, and mean errors."""
    runs: dict[str, list[Measured]] = {system: [] for system in SYSTEMS}
    for repeat in range(repeats):
        turn = repeat % len(SYSTEMS)
        for system in SYSTEMS[turn:] + SYSTEMS[:turn]:
            runs[system].append(fit(system, data, threads, repeat))
    return {
        system: Measured(
            min(run.wall for run in of),
            min(run.cpu for run in of),
            np.mean([run.error for run in of]),
        )
        for system, of in runs.items()
    }


def main() -> None:
    """Measure both tables with every number of threads, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="Markdown file to write")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="numbers of threads")
    parser.add_argument("--repeats", type=int, default=3, help="rounds of measurements")
    parser.add_argument("--instruction-set", help="silvan's kernels, such as avx2 (default: best)")
    parser.add_argument("--quick", action="store_true", help="one sample of twenty")
    parser.add_argument("--data", type=Path, default=os.environ.get("SILVAN_DATA"))
    arguments = parser.parse_args()
    if shutil.which("Rscript") is None:
        parser.error("ranger needs R: install Debian's packages r-base-core and r-cran-ranger")
    kernels = force_instruction_set(arguments.instruction_set)
    command = f"python -m benchmarks.ranger --repeats {arguments.repeats}"
    command += " --quick" * arguments.quick
    if arguments.instruction_set:
        command += f" --instruction-set {kernels}"
    lines = [
        "# Speed against ranger",
        "",
        *(f"- {line}" for line in describe_machine()),
        f"- kernels of silvan: {kernels}",
        f"- command: `{command}`",
        "",
        f"Seconds of a tree, {N_TREES} trees with pure leaves and the square root of the features "
        f"as candidates at a node; the shortest of {arguments.repeats} round(s) in which systems "
        "take turns, in brackets times silvan's RF. Errors are means of the rounds, on 10,000 "
        "samples. MNIST has 60,000 samples of 784 features, Higgs 250,000 of 31, simulated.",
        "",
        f"| table | threads | {' | '.join(SYSTEMS)} |",
        "| --- | ---: |" + " ---: |" * len(SYSTEMS),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name in ("MNIST", "Higgs"):
            data = make_data(
                name, arguments.data, Path(folder) / name, 20 if arguments.quick else 1
            )
            for threads in arguments.threads:
                found = measure(data, threads, arguments.repeats)
                base = found["silvan, RF"].wall
                cells = [
                    f"{one.wall / N_TREES:.4f} ({one.wall / base:.2f})" for one in found.values()
                ]
                lines.append(f"| {name} | {threads} | {' | '.join(cells)} |")
                print(lines[-1], flush=True)
            errors = [f"{one.error:.4f}" for one in found.values()]
            lines.append(f"| {name}, error | | {' | '.join(errors)} |")
            print(lines[-1], flush=True)
    text = "\n".join(lines) + "\n"
    if arguments.output:
        arguments.output.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()

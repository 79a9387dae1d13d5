"""Processor time of windows on channels of MNIST beside patches of raw values, with the same d.

``SILVAN_DATA=... python -m benchmarks.windows`` prints a table: how many times as long a fit takes.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from experiments.pages import table
from numpy.typing import NDArray

from benchmarks.data import default_source, load_mnist
from benchmarks.machine import describe_machine
from benchmarks.systems import force_instruction_set
from silvan import ManifoldForestClassifier
from silvan.channels import Gradients, Raw

# Grey value, magnitude of the gradient and six of its directions.
EIGHT = (Raw(), Gradients(6))
SYSTEMS: dict[str, dict[str, Any]] = {
    "raw patches": {"channels": "raw", "max_size": 8},
    "eight channels, windows stay": {"channels": EIGHT, "shift": 0},
    "eight channels, windows shift": {"channels": EIGHT},
    "default: ten channels, windows shift": {},
    "default without pools": {"pool_size": None},
}
Images = tuple[NDArray[Any], NDArray[Any]]


def time_fit(
    training: Images, test: Images, n_trees: int, d: int, options: dict[str, Any]
) -> tuple[float, float, float]:
    """Processor seconds of one fit, those for each node in microseconds, and the test error."""
    forest = ManifoldForestClassifier(
        n_trees, max_features=d, bootstrap=False, random_state=0, n_jobs=1, **options
    )
    start = time.process_time()
    forest.fit(*training)
    seconds = time.process_time() - start
    return seconds, 1e6 * seconds / forest.forest_.n_nodes, 1 - forest.score(*test)


def main() -> None:
    """Measure the systems in turn for each number of images, and print a page's table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", nargs="+", type=int, default=[1_000, 5_000, 20_000])
    parser.add_argument("--directions", type=int, default=88, help="d (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=2, help="rounds (default: %(default)s)")
    parser.add_argument("--instruction-set", help="kernels, such as avx2 (default: best)")
    arguments = parser.parse_args()
    kernels = force_instruction_set(arguments.instruction_set)
    (X, y), (X_test, y_test) = load_mnist(default_source())
    test = (X_test.reshape(-1, 28, 28), y_test)
    rows = []
    for n in arguments.images:
        n_trees = max(25, 50_000 // n)
        training = (X[:n].reshape(n, 28, 28), y[:n])
        runs = np.array(
            [
                [
                    time_fit(training, test, n_trees, arguments.directions, s)
                    for s in SYSTEMS.values()
                ]
                for _ in range(arguments.repeats)
            ]
        )
        best = runs.min(axis=0)
        for name, (seconds, of_node, error) in zip(SYSTEMS, best, strict=True):
            ratio = f"{seconds / best[0, 0]:.2f}"
            times = [f"{seconds:.2f}", ratio, f"{of_node:.0f}", f"{100 * error:.1f} %"]
            rows.append([name, f"{n:,}", str(n_trees), *times])
    print("\n".join([*describe_machine(), f"kernels: {kernels}"]))
    head = (f"d = {arguments.directions}", "images", "trees", "seconds", "times raw patches")
    print(table((*head, "microseconds a node", "test error"), rows))


if __name__ == "__main__":
    main()

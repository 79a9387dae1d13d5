"""Sparse text against scikit-learn's forest: seconds and peak memory, each in a process of its own.

``python -m benchmarks.sparse`` makes 20,000 samples of 100,000 features, .1 % of them not zero.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np
from scipy import sparse

SYSTEMS = ("silvan", "silvan-single-features", "silvan-defaults", "scikit-learn")


def make_text(n_samples: int, n_features: int, density: float, seed: int = 0) -> tuple:
    """Counts of words: frequent ones first, and topics that prefer some of them."""
    rng = np.random.default_rng(seed)
    n_classes, n_words = 20, max(1, int(density * n_features))
    y = rng.integers(0, n_classes, n_samples)
    frequency = 1.0 / (np.arange(n_features) + 50.0)
    words = rng.choice(n_features, size=(n_samples, n_words), p=frequency / frequency.sum())
    own = rng.random((n_samples, n_words)) < 0.1
    topics = rng.integers(0, n_features, (n_classes, 200))
    words[own] = topics[
        np.repeat(y, n_words).reshape(words.shape)[own], rng.integers(0, 200, own.sum())
    ]
    rows = np.repeat(np.arange(n_samples), n_words)
    counts = sparse.csr_array(
        (np.ones(words.size, dtype=np.float32), (rows, words.ravel())),
        shape=(n_samples, n_features),
    )
    counts.sum_duplicates()
    # scikit-learn's trees read indices of 32 bits.
    counts.indices = counts.indices.astype(np.int32)
    counts.indptr = counts.indptr.astype(np.int32)
    return counts, y


def make_forest(system: str, n_trees: int):
    if system == "scikit-learn":
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(n_trees, random_state=0)
    from silvan import ForestClassifier
    from silvan.projections import AxisAligned

    if system == "silvan-defaults":
        return ForestClassifier(n_trees, random_state=0)
    projections = AxisAligned() if system == "silvan-single-features" else None
    return ForestClassifier(n_trees, projections=projections, max_features="sqrt", random_state=0)


def measure(system: str, shape: tuple[int, int], density: float, n_trees: int) -> dict[str, float]:
    """Fit and predict; the last tenth of the samples is for testing."""
    X, y = make_text(*shape, density)
    n_train = shape[0] * 9 // 10
    forest = make_forest(system, n_trees)
    # Of the processor: both use one thread, and other programs may run besides.
    start = time.process_time()
    forest.fit(X[:n_train], y[:n_train])
    fitted = time.process_time()
    accuracy = float(forest.score(X[n_train:], y[n_train:]))
    predicted = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "fit_s": fitted - start,
        "predict_s": predicted - fitted,
        "peak_mb": peak,
        "accuracy": accuracy,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small table")
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--system", choices=SYSTEMS, help="one system, in this process")
    arguments = parser.parse_args()
    shape, density = ((2000, 10_000), 0.01) if arguments.quick else ((20_000, 100_000), 0.001)
    if arguments.system:
        print(json.dumps(measure(arguments.system, shape, density, arguments.trees)))
        return
    for system in SYSTEMS:
        command = [sys.executable, "-m", "benchmarks.sparse", "--system", system]
        command += ["--trees", str(arguments.trees)] + ["--quick"] * arguments.quick
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        result = json.loads(done.stdout.splitlines()[-1])
        print(system, {name: round(value, 2) for name, value in result.items()}, flush=True)


if __name__ == "__main__":
    main()

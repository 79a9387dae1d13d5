"""Shapley values of 1,000 samples: seconds, and how far sampled values may be off.

``python -m benchmarks.shapley`` explains forests of 100 trees by 100 background samples on two
threads, and scikit-learn's forest by the package shap, where that is installed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from silvan import ForestClassifier
from silvan.explanations import shapley_values
from silvan.projections import AxisAligned


def timed(explain: Callable[[], Any]) -> tuple[Any, str]:
    """What is explained, and seconds by the clock and of the processor."""
    clock, processor = time.perf_counter(), time.process_time()
    explained = explain()
    seconds = time.perf_counter() - clock, time.process_time() - processor
    return explained, f"{seconds[0]:6.1f} s, {seconds[1]:6.1f} s of the processor"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few samples")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    X, y = make_classification(1000, 50, n_informative=10, random_state=0)
    background, samples = X[:100], X[: 20 if arguments.quick else 1000]
    forests = {
        "sparse oblique, sampled": ForestClassifier(100, random_state=0),
        "single features, exact": ForestClassifier(100, projections=AxisAligned(), random_state=0),
    }
    for name, forest in forests.items():
        forest.fit(X, y)
        explained, seconds = timed(
            lambda forest=forest: shapley_values(
                forest, samples, background, random_state=0, n_jobs=arguments.threads
            )
        )
        total = explained.base_values + explained.values.sum(axis=1)
        off = np.abs(total - forest.predict_proba(samples)).max()
        size, told = np.abs(explained.values).mean(), explained.standard_errors.mean()
        print(
            f"{name:26} {seconds}; mean size {size:.4f}, standard error {told:.4f}, off {off:.0e}"
        )
    try:
        from shap import TreeExplainer
    except ImportError:
        return
    random_forest = RandomForestClassifier(100, random_state=0).fit(X, y)
    explainer = TreeExplainer(random_forest, background, feature_perturbation="interventional")
    _, seconds = timed(lambda: explainer.shap_values(samples, check_additivity=False))
    print(f"{'shap, RandomForest':26} {seconds}")


if __name__ == "__main__":
    main()

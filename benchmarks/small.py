"""What a small fit and a single prediction cost from Python, all overhead included."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from silvan import ForestClassifier, presets
from silvan.datasets import make_trunk

N_TREES, N_SAMPLES, N_FEATURES = 10, 1_000, 20
N_TREES_PREDICTING, N_FEATURES_PREDICTING = 100, 50
SYSTEMS: dict[str, Callable[..., Any]] = {
    "silvan, axis-aligned": presets.rf,
    "silvan, defaults": ForestClassifier,
    "scikit-learn RF": RandomForestClassifier,
}


def small_section(n_repeats: int) -> str:
    """Measure fits of a cross-validation's size and predictions of one sample, libraries by turns.

    Parameters
    ----------
    n_repeats : int
        Number of rounds; the best time counts.

    Returns
    -------
    section : str
        A section of the report.
    """
    X, y = make_trunk(N_SAMPLES, n_features=N_FEATURES, random_state=0)
    fitting = {name: make(N_TREES, n_jobs=1, random_state=0) for name, make in SYSTEMS.items()}
    fits = _best_of({name: lambda f=f: f.fit(X, y) for name, f in fitting.items()}, n_repeats)
    Z, y = make_trunk(N_SAMPLES, n_features=N_FEATURES_PREDICTING, random_state=0)
    fitted = {
        name: make(N_TREES_PREDICTING, n_jobs=1, random_state=0).fit(Z, y)
        for name, make in SYSTEMS.items()
    }
    one = Z[:1].astype(np.float32)
    answers = _best_of({n: lambda f=f: f.predict_proba(one) for n, f in fitted.items()}, n_repeats)
    lines = [
        "## Small fits and single samples",
        "",
        f"One thread, best of {n_repeats} rounds, with Python's overhead. Fit: {N_TREES} trees of "
        f"{N_SAMPLES:,} x {N_FEATURES}; prediction: `predict_proba` of one sample, "
        f"{N_TREES_PREDICTING} trees, {N_FEATURES_PREDICTING} features. Silvan's defaults try more "
        "directions at a node than single features.",
        "",
        "| system | fit, ms | one sample, microseconds |",
        "| --- | ---: | ---: |",
        *[f"| {name} | {1e3 * fits[name]:.1f} | {1e6 * answers[name]:.0f} |" for name in SYSTEMS],
    ]
    return "\n".join(lines)


def _best_of(jobs: dict[str, Callable[[], Any]], n_repeats: int) -> dict[str, float]:
    best = dict.fromkeys(jobs, float("inf"))
    for job in jobs.values():
        job()
    for _ in range(n_repeats):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            best[name] = min(best[name], time.perf_counter() - start)
    return best

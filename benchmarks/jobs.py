"""Runs and times one fit or one prediction; the same code here and in a worker process."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.systems import SYSTEMS, Work

Reply = dict[str, Any]

WARM_UP_ROWS = 256


class Jobs:
    """Carries out commands on data sets saved as ``<path>/X.npy``, ``y.npy``, ``X_test.npy``, ...

    The last model of each system is kept, so that it can predict as often as wanted.
    """

    def __init__(self) -> None:
        self._path = ""
        self._arrays: dict[str, NDArray[Any]] = {}
        self._models: dict[str, Any] = {}

    def hello(self, system: str) -> Reply:
        """Import the library."""
        return {"version": SYSTEMS[system].version()}

    def warm_up(self, system: str, data: str, work: Reply) -> Reply:
        """Fit a few rows, so that nothing is loaded for the first time while the clock runs."""
        X, y = self._load(data, "X")[:WARM_UP_ROWS], self._load(data, "y")[:WARM_UP_ROWS]
        one = SYSTEMS[system]
        model = one.fit(Work(**work), one.prepare_fit(X, y))
        one.predict(model, one.prepare_predict(model, X), 1)
        return {}

    def fit(self, system: str, data: str, work: Reply) -> Reply:
        """Grow a forest; reply with the seconds of wall clock and of processor time."""
        one = SYSTEMS[system]
        self._models.pop(system, None)
        prepared = one.prepare_fit(self._load(data, "X"), self._load(data, "y"))
        self._models[system], seconds = timed(lambda: one.fit(Work(**work), prepared))
        return seconds

    def predict(self, system: str, data: str, n_jobs: int) -> Reply:
        """Predict the test rows with the last forest; reply with seconds and the test error."""
        one, model = SYSTEMS[system], self._models[system]
        prepared = one.prepare_predict(model, self._load(data, "X_test"))
        labels, seconds = timed(lambda: one.predict(model, prepared, n_jobs))
        return {**seconds, "error": float(np.mean(labels != self._load(data, "y_test")))}

    def _load(self, path: str, name: str) -> NDArray[Any]:
        if path != self._path:
            self._path, self._arrays = path, {}
        if name not in self._arrays:
            self._arrays[name] = np.load(Path(path) / f"{name}.npy")
        return self._arrays[name]


def timed(action: Callable[[], Any]) -> tuple[Any, Reply]:
    """Return what an action returns, and how long it took.

    Parameters
    ----------
    action : callable
        Called once, after a garbage collection.

    Returns
    -------
    result : object
        What the action returned.
    seconds : dict
        ``wall`` and ``cpu`` seconds; with one thread, a wall clock far above the processor time
        says that the machine was busy with something else.
    """
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    result = action()
    return result, {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}

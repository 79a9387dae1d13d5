"""Fit a system, time it, and count its errors."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from experiments.data import Split


def score_system(system: Any, split: Split) -> dict[str, float]:
    """Test error, and the processor seconds of fitting and predicting.

    Processor seconds, unlike those of the clock, do not count the work of other programs.
    """
    start = time.process_time()
    system.fit(split.X_train, split.y_train)
    fitted = time.process_time()
    predicted = system.predict(split.X_test)
    done = time.process_time()
    error = float(np.mean(predicted != split.y_test))
    return {"error": error, "fit_s": fitted - start, "predict_s": done - fitted}


SCORES = ("error", "fit_s", "predict_s")

"""Recordings of several sensors, in which classes differ by a response and by a rhythm."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter
from sklearn.utils import check_random_state

from silvan._validation import check_integer
from silvan.datasets.drawing import Sample, check_not_negative, draw_fair_classes

# Where the response and the rhythm are strongest, as shares of the row of sensors.
_RESPONSE_AT, _RHYTHM_AT, _SENSOR_WIDTH = 0.25, 0.75, 0.12
# When the response peaks, how long it lasts and how much that varies, as shares of the time.
_PEAK, _PEAK_WIDTH, _PEAK_JITTER = 0.35, 0.05, 0.03
_PERIOD = 10  # steps of a cycle
_MEMORY = 0.8  # of the background, from step to step


def make_recordings(
    n_samples: int,
    *,
    n_sensors: int = 8,
    n_steps: int = 200,
    response: float = 1.5,
    rhythm: float = 0.7,
    random_state: Any = None,
) -> Sample:
    """Draw recordings of a row of sensors, as of an electroencephalogram.

    The classes are equally likely. The background of every sensor is noise that changes slowly,
    with standard deviation 1; a third of its variance is common to neighbouring sensors. Class 1
    adds two things that class 0 lacks: a *response*, a bump about a third of the way through whose
    time varies from sample to sample, around the sensor a quarter along the row; and a *rhythm* of
    10 steps with a random phase, in the second half of the time, around the sensor three quarters
    along. A mean over samples shows the response; the rhythm has no mean, since its phase varies.

    Parameters
    ----------
    n_samples : int
        Number of recordings.
    n_sensors : int, default=8
        Number of sensors, in a row.
    n_steps : int, default=200
        Number of times, at least 40.
    response, rhythm : float, default=1.5 and 0.7
        Height of the response and amplitude of the rhythm at their sensors, at least 0.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : float32 array of shape (n_samples, n_sensors, n_steps)
        The recordings.
    y : int64 array of shape (n_samples,)
        Classes 0 (background) and 1 (with response and rhythm).

    Examples
    --------
    >>> from silvan.datasets import make_recordings
    >>> X, y = make_recordings(300, random_state=0)
    >>> X.shape
    (300, 8, 200)
    """
    check_integer("n_samples", n_samples, 1)
    check_integer("n_sensors", n_sensors, 1)
    check_integer("n_steps", n_steps, 40)
    check_not_negative("response", response)
    check_not_negative("rhythm", rhythm)
    rng = check_random_state(random_state)
    y = draw_fair_classes(rng, n_samples)
    X = _draw_background(rng, n_samples, n_sensors, n_steps)
    time = np.arange(n_steps)
    peak = n_steps * (_PEAK + _PEAK_JITTER * rng.standard_normal((n_samples, 1)))
    bump = np.exp(-0.5 * ((time - peak) / (n_steps * _PEAK_WIDTH)) ** 2)
    phase = rng.uniform(0, 2 * np.pi, size=(n_samples, 1))
    wave = np.sin(2 * np.pi * time / _PERIOD + phase) * (time >= n_steps // 2)
    place = np.linspace(0, 1, n_sensors) if n_sensors > 1 else np.array([0.5])
    for strength, centre, course in ((response, _RESPONSE_AT, bump), (rhythm, _RHYTHM_AT, wave)):
        reach = np.exp(-0.5 * ((place - centre) / _SENSOR_WIDTH) ** 2)
        X += strength * y[:, None, None] * reach[:, None] * course[:, None, :]
    return X.astype(np.float32), y


def _draw_background(
    rng: np.random.RandomState, n_samples: int, n_sensors: int, n_steps: int
) -> NDArray[np.float64]:
    """Noise of variance 1, a third of which a sensor has in common with its two neighbours."""
    own = _draw_noise(rng, (n_samples, n_sensors, n_steps))
    between = _draw_noise(rng, (n_samples, n_sensors + 1, n_steps))
    return np.asarray(np.sqrt(2 / 3) * own + np.sqrt(1 / 6) * (between[:, 1:] + between[:, :-1]))


def _draw_noise(rng: np.random.RandomState, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """First-order autoregressions along the last axis, of variance 1 from the first step on."""
    new = rng.standard_normal(shape)
    new[..., 1:] *= np.sqrt(1 - _MEMORY**2)
    return np.asarray(lfilter([1.0], [1.0, -_MEMORY], new))

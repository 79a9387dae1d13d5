"""Colours and data that several figures share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

GREEN, ORANGE, GREY = "#1b7837", "#e08214", "0.45"


def make_sensors() -> tuple[NDArray[np.float64], csr_array]:
    """Places of 80 sensors in a square, and the graph of those that are close together."""
    places = np.random.default_rng(4).uniform(size=(80, 2))
    distance = np.linalg.norm(places[:, None] - places, axis=2)
    return places, csr_array(((distance < 0.19) & (distance > 0)).astype(float))


def make_sensor_data(graph: csr_array) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.bool_]]:
    """Noise on the sensors, and in class 1 a rise around sensor 7; the example of the guide."""
    rng = np.random.default_rng(0)
    raised = np.zeros(graph.shape[0], dtype=bool)
    raised[[7, *graph[[7]].indices]] = True
    y = rng.integers(2, size=1000)
    return rng.normal(size=(1000, len(raised))) + 0.5 * y[:, None] * raised, y, raised

"""Simulated problems: those of the papers, as their authors drew them, and recordings.

Every function returns ``X`` as float32, which forests read without a copy, and ``y`` as int64
from 0. Labels are computed from the float32 values. The same `random_state` gives the same
data.
"""

from silvan.datasets.grids import make_bars, make_circle_segments, make_impulse
from silvan.datasets.recordings import make_recordings
from silvan.datasets.tables import (
    make_orthant,
    make_parallel_hyperplanes,
    make_sparse_parity,
    make_trunk,
)

__all__ = [
    "make_bars",
    "make_circle_segments",
    "make_impulse",
    "make_orthant",
    "make_parallel_hyperplanes",
    "make_recordings",
    "make_sparse_parity",
    "make_trunk",
]

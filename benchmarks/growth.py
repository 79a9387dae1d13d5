"""Fit time along one quantity at a time, from a base of Trunk's Gaussians: what is measured."""

from __future__ import annotations

from dataclasses import dataclass, replace

from benchmarks.data import CLASSES, DataSpec
from benchmarks.systems import Work

BASE = DataSpec(CLASSES, 100_000, 50)
BASE_WORK = Work(10, 7)
N_SAMPLES = (10_000, 30_000, 100_000, 300_000, 1_000_000, 5_000_000)
N_FEATURES = (10, 50, 200, 1_000, 10_000)
N_DIRECTIONS = (3, 7, 15, 30, 50)
N_CLASSES = (2, 10, 100, 1_000)
# Data of p = 10,000 and as many samples as the base would take 4 GB.
MAX_CELLS = 250_000_000


@dataclass(frozen=True)
class Growth:
    """Fit time along one quantity, all else equal."""

    name: str
    points: tuple[tuple[DataSpec, Work], ...]
    values: tuple[int, ...]


Row = tuple[Growth, str, list[float]]  # what is varied, the library, seconds at each point


def growth_cases(mean_nonzeros: float | None, n_threads: int, *, quick: bool) -> list[Growth]:
    """Return the growth measurements for one kind of direction.

    Parameters
    ----------
    mean_nonzeros : float or None
        Mean number of features in a direction; None for single features.
    n_threads : int
        Largest number of threads.
    quick : bool
        Whether to use a twentieth of the samples.

    Returns
    -------
    cases : list of Growth
        Growth with samples, features, directions, classes and threads.
    """
    shrink = 20 if quick else 1
    base = replace(BASE, n_samples=BASE.n_samples // shrink)
    work = replace(BASE_WORK, mean_nonzeros=mean_nonzeros)
    n_samples = tuple(n // shrink for n in N_SAMPLES[: 4 if quick else None])
    n_features = N_FEATURES[: 3 if quick else None]
    n_classes = N_CLASSES[: 3 if quick else None]
    n_jobs = tuple(2**i for i in range(n_threads.bit_length()))
    # Where features are varied, all points have the samples that fit with the most of them.
    narrow = replace(base, n_samples=min(base.n_samples, MAX_CELLS // n_features[-1]))
    return [
        _along("n", n_samples, [(replace(base, n_samples=n), work) for n in n_samples]),
        _along("p", n_features, [(replace(narrow, n_features=p), work) for p in n_features]),
        _along("d", N_DIRECTIONS, [(base, replace(work, n_directions=d)) for d in N_DIRECTIONS]),
        _along("classes", n_classes, [(replace(base, n_classes=k), work) for k in n_classes]),
        _along("threads", n_jobs, [(base, replace(work, n_jobs=j)) for j in n_jobs]),
    ]


def _along(name: str, values: tuple[int, ...], points: list[tuple[DataSpec, Work]]) -> Growth:
    return Growth(name, tuple(points), values)

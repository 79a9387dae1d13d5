"""Fit time along one quantity at a time, from a base of Trunk's Gaussians: cases, table, plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.data import CLASSES, DataSpec
from benchmarks.report import seconds, table
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


def growth_section(rows: Sequence[Row]) -> str:
    """Return how fit time grows, as exponents of a power law fitted by least squares.

    Parameters
    ----------
    rows : sequence of (growth, label, seconds)
        One line of the table each.

    Returns
    -------
    section : str
        The exponents, with the exponent that n log² n would show over the same range.
    """
    lines = []
    for growth, label, times in rows:
        x = np.array(growth.values, float)
        theory = {"p": 0.0, "d": 1.0, "classes": 1.0, "threads": -1.0}.get(growth.name)
        if theory is None:
            theory = exponent(x, x * np.log(x) ** 2)
        fitted = f"{exponent(x, times):.2f}" if len(times) > 1 else ""
        points = (f"{v:,}: {seconds(t)}" for v, t in zip(growth.values, times, strict=True))
        lines.append([growth.name, label, fitted, f"{theory:.2f}", ", ".join(points)])
    head = ["along", "system", "exponent", "at most", "seconds"]
    spec = rows[0][0].points[0][0]
    note = (
        f"Gaussian classes as in Trunk's problem, {rows[0][0].points[0][1].n_trees} trees; the "
        f"base is {BASE} with d = {BASE_WORK.n_directions} and {spec.n_classes} classes, and one "
        "quantity at a time differs from it (features: with fewer samples). At most: n log² n at "
        "fixed d, no dependence on p, proportional to d and to the classes, and inverse to the "
        "threads."
    )
    return "\n\n".join(["## Growth of fit time", note, table(head, lines)])


def exponent(x: Sequence[float] | np.ndarray, y: Sequence[float] | np.ndarray) -> float:
    """Return the slope of log y on log x."""
    return float(np.polyfit(np.log(np.asarray(x, float)), np.log(np.asarray(y, float)), 1)[0])


def draw_growth(rows: Sequence[Row], path: Path) -> None:
    """Plot seconds against each quantity on logarithmic axes, one panel for each."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    names = list(dict.fromkeys(growth.name for growth, _, _ in rows))
    labels = list(dict.fromkeys(label for _, label, _ in rows))
    figure, panels = plt.subplots(1, len(names), figsize=(3.2 * len(names), 3.2), squeeze=False)
    for panel, name in zip(panels[0], names, strict=True):
        for growth, label, times in rows:
            if growth.name == name:
                color = f"C{labels.index(label)}"
                panel.loglog(growth.values, times, "o-", color=color, label=label, markersize=4)
        panel.set_xlabel(name)
        panel.grid(alpha=0.3)
    panels[0][0].set_ylabel("seconds to fit")
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    figure.set_layout_engine("constrained")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)

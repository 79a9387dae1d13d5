"""How fit time grows, as a table of exponents and as plots."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.growth import Row
from benchmarks.report import seconds, table


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
        theory = {"p": 1.0, "d": 1.0, "classes": 1.0, "threads": -1.0}.get(growth.name)
        if theory is None:
            theory = exponent(x, x * np.log(x) ** 2)
        fitted = f"{exponent(x, times):.2f}" if len(times) > 1 else ""
        points = (f"{v:,}: {seconds(t)}" for v, t in zip(growth.values, times, strict=True))
        lines.append([growth.name, label, fitted, f"{theory:.2f}", ", ".join(points)])
    head = ["along", "system", "exponent", "at most", "seconds"]
    base, work = next(growth.points[0] for growth, _, _ in rows if growth.name == "threads")
    note = (
        f"Gaussian classes as in Trunk's problem, {work.n_trees} trees; the base is "
        f"{base.n_samples:,} x {base.n_features} with d = {work.n_directions} and "
        f"{base.n_classes} classes, and one quantity at a time differs from it (features: with "
        "fewer samples). At most: n log² n at fixed d, proportional to p (X is read once: what "
        "wide tables cost), to d and to the classes, and inverse to the threads."
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
        values = next(growth.values for growth, _, _ in rows if growth.name == name)
        panel.set_xticks(values, [_short(value) for value in values], fontsize=8)
        panel.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
        panel.grid(alpha=0.3)
    panels[0][0].set_ylabel("seconds to fit")
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    figure.set_layout_engine("constrained")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _short(value: int) -> str:
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return str(value)

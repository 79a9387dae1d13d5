"""The look that all figures share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

COLORS = {
    "MORF": "#d1353b",
    "MORF, corner": "#f0898d",
    "SPORF": "#e08f2c",
    "RF": "#2c6fb3",
    "CNN": "#6b4c9a",
    "CNN, stopped early": "#b9a5d6",
    "MLP": "#a65d7b",
    "kNN": "#777777",
    "LogReg": "#98b85a",
    "linear SVM": "#3f9b8f",
    "RBF SVM": "#2f5d50",
    "S-RerF": "#2f9e77",
    "control": "#777777",
    "RerF": "#e08f2c",
    "RerF, drop": "#f2c894",
    "F-RC": "#7a3fa0",
    "RR-RF": "#777777",
    "Frank": "#c35fb0",
    "channels": "#1d8a3f",
    "boosted": "#0b4f24",
    "raw sums": "#b8a02a",
    "shuffled graph": "#777777",
    "Rot-For": "#2f9e77",
    "RR-RF(r)": "#777777",
    "Rot-For per node": "#98b85a",
    "O-RF": "#d1353b",
    "CCF": "#6b4c9a",
}
STRONG = ("MORF", "SPORF", "RF")


def panels(n_rows: int, n_columns: int, width: float = 4.0, height: float = 3.2) -> Any:
    """A figure and its axes."""
    plt.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    return plt.subplots(
        n_rows,
        n_columns,
        figsize=(width * n_columns, height * n_rows),
        squeeze=False,
        layout="constrained",
    )


def draw_curves(axis: Any, sizes: Sequence[int], curves: Mapping[str, Sequence[float]]) -> None:
    """Values against the number of training rows, one line for each system."""
    for name, values in curves.items():
        strong = name in STRONG
        axis.plot(
            sizes,
            values,
            marker="o",
            markersize=4 if strong else 2.5,
            linewidth=2 if strong else 1,
            color=COLORS.get(name),
            label=name,
            zorder=3 if strong else 2,
        )
    axis.set_xscale("log")
    axis.set_xticks(sizes, [f"{n:,}" for n in sizes])
    axis.minorticks_off()
    axis.set_xlabel("training samples")


def save(figure: Any, path: Path) -> None:
    """Write the figure and forget it."""
    figure.savefig(path, dpi=110)
    plt.close(figure)

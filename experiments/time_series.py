"""Windows and patches in time against other classifiers, on the splits of the UCR archive."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from experiments.arguments import REMEDY, Arguments, parse
from experiments.data import load_series
from experiments.figures import COLORS, panels, save
from experiments.pages import number, table, write_measured
from experiments.patch_sizes import largest_size
from experiments.scoring import SCORES, score_system
from experiments.store import Cell, Store, measure_cells
from experiments.systems import make_forest, make_rf, make_sporf
from silvan import ManifoldForestClassifier
from silvan.projections import Patches

N_TREES = 200
OURS = ("channels", "MORF", "MORF, pairs", "SPORF", "RF")
AEON = ("TSF", "R-STSF", "MiniRocket")
QUICK = ("Chinatown", "SmoothSubspace", "BasicMotions")


class Series:
    """A classifier of aeon on flat rows; its warnings about tiny intervals are of no interest."""

    def __init__(self, classifier: Any, shape: tuple[int, ...]) -> None:
        self.classifier = classifier
        self.shape = shape if len(shape) == 2 else (1, *shape)

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> Series:
        """Fit on series of shape (channels, length)."""
        self.classifier.fit(X.reshape(-1, *self.shape).astype(np.float64), y)
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Predict for series of shape (channels, length)."""
        return np.asarray(self.classifier.predict(X.reshape(-1, *self.shape).astype(np.float64)))


def make_patches(name: str, shape: tuple[int, ...]) -> Patches:
    """Patches of the default sizes, or differences of two of up to an eighth of the length.

    The latter had the best mean rank out of bag in `experiments.patch_pairs`.
    """
    patches = Patches(shape, contiguous=True if len(shape) == 1 else (False, True))
    if name == "MORF, pairs":
        longest = largest_size("W/8", shape[-1])
        patches.set_params(n_patches=2, max_size=(*shape[:-1], longest))
    return patches


def make_system(name: str, shape: tuple[int, ...], seed: int) -> Any:
    """A classifier for rows of a shape; None where aeon is not installed."""
    if name == "channels":
        sensors = {} if len(shape) == 1 else {"contiguous": (False, True)}
        return ManifoldForestClassifier(
            N_TREES, shape=shape, random_state=seed, n_jobs=1, **sensors
        )
    if name == "RF":
        return make_rf(seed, N_TREES)
    if name == "SPORF":
        return make_sporf(seed, n_trees=N_TREES)
    if name.startswith("MORF"):
        return make_forest(make_patches(name, shape), seed, n_trees=N_TREES)
    if importlib.util.find_spec("aeon") is None:
        return None
    from aeon.classification.convolution_based import MiniRocketClassifier
    from aeon.classification.interval_based import RSTSF, TimeSeriesForestClassifier

    if name == "MiniRocket":
        return Series(MiniRocketClassifier(random_state=seed, n_jobs=1), shape)
    kind = TimeSeriesForestClassifier if name == "TSF" else RSTSF
    return Series(kind(n_estimators=N_TREES, random_state=seed, n_jobs=1), shape)


def measure(cell: Cell) -> Cell | None:
    """Error and times of one system on one set."""
    split, shape = load_series(Path(cell["file"]))
    system = make_system(cell["system"], shape, cell["seed"])
    return None if system is None else score_system(system, split)


def list_cells(arguments: Arguments) -> list[Cell]:
    """Every fit: forests of the library first, small sets first."""
    folder = arguments.data / "ucr"
    files = sorted(folder.glob("*.npz"), key=lambda file: file.stat().st_size)
    if not files and not arguments.report:
        raise FileNotFoundError(f"{folder} with its .npz files is missing; {REMEDY}.")
    return [
        {"dataset": file.stem, "system": system, "seed": seed, "file": file}
        for system in (*OURS, *AEON)
        for file in files
        if not arguments.quick or file.stem in QUICK
        for seed in range(arguments.seeds if system in OURS else 1)
    ]


def mean_errors(store: Store, systems: tuple[str, ...]) -> tuple[list[str], NDArray[np.float64]]:
    """Sets that all systems were measured on, and the errors, one column for each system."""
    names = sorted(store.distinct("dataset"))
    errors = np.array([[store.mean("error", dataset=d, system=s) for s in systems] for d in names])
    complete = ~np.isnan(errors).any(axis=1)
    return [n for n, whole in zip(names, complete, strict=True) if whole], errors[complete]


def rank_table(store: Store, systems: tuple[str, ...]) -> str:
    """Mean ranks, wins and mean errors over the sets that all were measured on."""
    names, errors = mean_errors(store, systems)
    if not names:
        return ""
    ranks = rankdata(errors.round(6), axis=1)
    rows = [
        [
            system,
            f"{ranks[:, k].mean():.2f}",
            str(int((errors[:, k] <= errors.min(axis=1)).sum())),
            number(float(errors[:, k].mean())),
        ]
        for k, system in enumerate(systems)
    ]
    return table((f"{len(names)} sets", "mean rank", "best or shared best", "mean error"), rows)


def error_table(store: Store, systems: tuple[str, ...]) -> str:
    """All errors."""
    rows = [
        [name, *[number(store.mean("error", dataset=name, system=s)) for s in systems]]
        for name in sorted(store.distinct("dataset"))
    ]
    return table(("error", *systems), rows)


def draw_figure(store: Store, arguments: Arguments) -> None:
    """Error of the default, windows on channels, against that of each other system."""
    pairs = {other: mean_errors(store, (OURS[0], other))[1] for other in (*OURS[1:], *AEON)}
    pairs = {other: errors for other, errors in pairs.items() if len(errors)}
    figure, axes = panels(1, max(len(pairs), 1), width=3.0, height=3.1)
    for axis, (other, errors) in zip(axes[0], pairs.items(), strict=False):
        axis.scatter(errors[:, 1], errors[:, 0], s=18, color=COLORS.get(other, "#555555"))
        limit = 1.05 * max(errors.max(), 0.1)
        axis.plot([0, limit], [0, limit], color="black", linewidth=0.8)
        wins, losses = (errors[:, 0] < errors[:, 1]).sum(), (errors[:, 0] > errors[:, 1]).sum()
        axis.set_title(f"better on {wins}, worse on {losses}", fontsize=9)
        axis.set_xlabel(f"error of {other}")
        axis.set_ylabel("error with channels")
        axis.set_aspect("equal")
    save(figure, arguments.output / "time_series.png")


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("time_series", __doc__ or "", seeds=3, argv=argv)
    path = arguments.output / "measurements" / "time_series.csv"
    store = Store(path, ("dataset", "system", "seed"), SCORES)
    measure_cells(store, list_cells(arguments), measure, arguments)
    draw_figure(store, arguments)
    systems = tuple(s for s in (*OURS, *AEON) if store.distinct("dataset", system=s))
    parts = [
        f"`{arguments.command}`",
        rank_table(store, systems),
        rank_table(store, (*OURS, *AEON[1:])) if systems != OURS else "",
        "![Error of the manifold forest against the others](time_series.png)",
        error_table(store, systems),
    ]
    page = arguments.output / "time_series.md"
    write_measured(page, "Time series", "\n\n".join(part for part in parts if part))


if __name__ == "__main__":
    main()

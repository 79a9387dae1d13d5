"""Evidence for what manifold forests look at by default: channels, statistics, draws of samples.

Training samples alone: series by folds of their training samples, images by parts of theirs, the
impulse by draws of its own.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from experiments.arguments import Arguments, parse
from experiments.data import load_images, load_series
from experiments.pages import number, table, write_measured
from experiments.store import Cell, Store, measure_cells
from silvan import ManifoldForestClassifier
from silvan.channels import (
    Convolutions,
    Difference,
    FittedChannels,
    Gradients,
    LocalContrast,
    Raw,
    Spectrum,
)
from silvan.datasets import make_impulse

N_TREES, MAX_SERIES, MAX_FOLDS = 100, 200, 3
IMAGES = {"mnist": (1000, 3000), "fashion_mnist": (1000, 3000), "cifar10": (1000, 2000)}
DEFAULT = "default"
# Samples to learn from, and draws of the impulse, with other seeds than those of `simulations`.
IMPULSES, N_DRAWS, N_HELD_OUT, FIRST_DRAW = (
    {"impulse, 50": 50, "impulse, 200": 200},
    6,
    4000,
    70_000,
)
_BASE = [Raw(), Difference(), Spectrum()]


def halve(channels: FittedChannels) -> tuple[float, ...]:
    """Weights of arrays that give half of all windows to convolutions, where there are any."""
    weights = np.array(channels.weights())
    convolved = np.array(["convolution" in name for name in channels.layout.names])
    if convolved.any():
        weights[convolved] *= weights[~convolved].sum() / weights[convolved].sum()
    return tuple(weights.tolist())


SERIES_SETTINGS: dict[str, dict[str, Any]] = {
    DEFAULT: {},
    "raw": {"channels": "raw"},
    "values only": {"channels": [Raw()]},
    "single windows": {"n_terms": 1},
    "combinations of 20 windows": {"n_terms": 20},
    "combinations of 60 windows": {"n_terms": 60},
    "as many windows in small nodes": {"fits": {"terms_per_root": None}},
    "4√n windows": {"fits": {"terms_per_root": 4.0}},
    "200 windows drawn": {"fits": {"n_drawn": 200}},
    "640 windows drawn": {"fits": {"n_drawn": 640}},
    "no more windows on convolutions than on the rest": {"weights": halve},
    "shares by square roots": {"weights": FittedChannels.weights},
    "no pools": {"pool_size": None},
    "pools of 1024": {"pool_size": 1024},
    "pools of 16384": {"pool_size": 16384},
    "windows cut off at the ends": {"boundary": "pad"},
    "no spectrum": {"channels": [Raw(), Difference(), Convolutions(128, 16)]},
    "no convolutions": {"channels": _BASE},
    "128 convolutions of values only": {"channels": [*_BASE, Convolutions(128, 16)]},
    "64 convolutions of each kind": {
        "channels": [*_BASE, Convolutions(64), Convolutions(64, order=1)]
    },
    "mean": {"statistics": ("mean",)},
    "mean and spread": {"statistics": ("mean", "spread")},
    "windows of a quarter": {"max_size": "quarter"},
    "pairs of windows": {"n_patches": 2},
    "shifts of 2": {"shift": 2},
    "random thresholds": {"thresholds": "random"},
    "bootstrap": {"bootstrap": True},
    "0.7 of the samples": {"max_samples": 0.7},
}
IMAGE_SETTINGS: dict[str, dict[str, Any]] = {
    DEFAULT: {},
    "raw": {"channels": "raw"},
    "values only": {"channels": [Raw()]},
    "12 directions": {"channels": [Raw(), Gradients(12)]},
    "local contrast, too": {"channels": [Raw(), Gradients(), LocalContrast()]},
    "16 convolutions, too": {"channels": [Raw(), Gradients(), Convolutions(16)]},
    "mean and spread": {"statistics": ("mean", "spread")},
    "windows of 5": {"max_size": 5},
    "windows of 12": {"max_size": 12},
    "no shifts": {"shift": 0},
    "shifts of 1": {"shift": 1},
    "shifts of 3": {"shift": 3},
    "pairs of windows": {"n_patches": 2},
    "random thresholds": {"thresholds": "random"},
    "bootstrap": {"bootstrap": True},
    "twice the candidates": {"max_features": "twice"},
    "shares by fourth roots": {"weights": partial(FittedChannels.weights, root=4.0)},
    "no pools": {"pool_size": None},
    "pools of 1024": {"pool_size": 1024},
    "pools of 16384": {"pool_size": 16384},
}


def series_names(data: Path) -> list[str]:
    """The impulse, and the sets of series, small ones first."""
    files = sorted((data / "ucr").glob("*.npz"), key=lambda file: file.stat().st_size)
    return [*IMPULSES, *(path.stem for path in files)]


def make_kind(
    fits: dict[str, Any], weigh: Callable[[FittedChannels], tuple[float, ...]] | None
) -> type[ManifoldForestClassifier]:
    """A manifold forest whose windows, or combinations of them, have other parameters."""

    class Refitted(ManifoldForestClassifier):
        def windows(self) -> Any:
            drawn = super().windows().set_params(**fits)
            assert self.channels_ is not None
            return drawn if weigh is None else drawn.set_params(weights=weigh(self.channels_))

    return Refitted if fits or weigh is not None else ManifoldForestClassifier


def measure(cell: Cell) -> Cell:
    """Mean error over the parts that are held out, and the seconds of all fits."""
    name, seed, data = cell["dataset"], cell["seed"], Path(cell["data"])
    is_image = name in IMAGES
    settings = dict((IMAGE_SETTINGS if is_image else SERIES_SETTINGS)[cell["setting"]])
    kind = make_kind(settings.pop("fits", {}), settings.pop("weights", None))
    errors, seconds = [], 0.0
    list_parts = _image_parts if is_image else _draws if name in IMPULSES else _folds
    for X, y, X_held, y_held in list_parts(name, data, seed):
        if settings.get("max_size") == "quarter":
            length = max(1, X.shape[-1] // 4)
            settings["max_size"] = length if X.ndim == 2 else (X.shape[1], length)
        if settings.get("max_features") == "twice":
            default = ManifoldForestClassifier(1, random_state=0).fit(X[:50], y[:50])
            settings["max_features"] = 2 * math.isqrt(default.channels_.layout.n_cells)
        if X.ndim == 3 and not is_image:
            settings["contiguous"] = (False, True)
        forest = kind(N_TREES, random_state=seed, n_jobs=1, **settings)
        start = time.process_time()
        forest.fit(X, y)
        seconds += time.process_time() - start
        errors.append(1 - forest.score(X_held, y_held))
    return {"error": float(np.mean(errors)), "seconds": seconds}


Parts = list[tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]]


def _folds(name: str, data: Path, seed: int) -> Parts:
    """Folds of the training samples of a set of series."""
    split, shape = load_series(data / "ucr" / f"{name}.npz")
    chosen = np.random.default_rng(0).permutation(len(split.y_train))[:MAX_SERIES]
    X, y = split.X_train[chosen].reshape(-1, *shape), split.y_train[chosen]
    rarest = int(np.unique(y, return_counts=True)[1].min())
    folds = StratifiedKFold(max(2, min(MAX_FOLDS, rarest)), shuffle=True, random_state=seed)
    return [(X[a], y[a], X[b], y[b]) for a, b in folds.split(X, y)]


def _draws(name: str, data: Path, seed: int) -> Parts:
    """Draws of the impulse."""
    n, first = IMPULSES[name], FIRST_DRAW + N_DRAWS * seed
    return [
        (
            *make_impulse(n, random_state=draw),
            *make_impulse(N_HELD_OUT, random_state=draw + FIRST_DRAW),
        )
        for draw in range(first, first + N_DRAWS)
    ]


def _image_parts(name: str, data: Path, seed: int) -> Parts:
    """Two parts of the training images."""
    if name == "cifar10":
        with np.load(data / name / "cifar10_5k_1k.npz") as file:
            X, y = file["X_train"], file["y_train"].ravel()
    else:
        split = load_images(data / name)
        X, y = split.X_train.reshape(-1, 28, 28), split.y_train
    n, m = IMAGES[name]
    order = np.random.default_rng(seed).permutation(len(y))
    a, b = order[:n], order[n : n + m]
    return [(X[a], y[a], X[b], y[b])]


def list_cells(arguments: Arguments) -> list[Cell]:
    """Every data set with every setting of its kind, and every seed."""
    series, images = series_names(arguments.data), list(IMAGES)
    if arguments.quick:
        series, images = series[:3], images[:1]
    kinds = [(series, SERIES_SETTINGS), (images, IMAGE_SETTINGS)]
    return [
        {"dataset": name, "setting": setting, "seed": seed, "data": arguments.data}
        for names, settings in kinds
        for name in names
        for setting in settings
        for seed in range(arguments.seeds)
    ]


def series_table(store: Store, names: list[str]) -> str:
    """Mean errors over the sets of series, and how often a setting beats the default."""
    rows = []
    for setting in SERIES_SETTINGS:
        errors, own = (
            np.array([store.mean("error", dataset=name, setting=each) for name in names])
            for each in (setting, DEFAULT)
        )
        seconds = sum(store.mean("seconds", dataset=name, setting=setting) for name in names)
        won, lost = int((errors < own).sum()), int((errors > own).sum())
        rows.append([setting, number(errors.mean()), f"{won} / {lost}", number(seconds, 0)])
    head = (f"{len(names)} sets of series", "mean error", "better / worse", "seconds")
    return table(head, rows)


def error_table(store: Store, names: list[str], settings: dict[str, dict[str, Any]]) -> str:
    """Errors of all settings on each of these sets."""
    rows = [
        [setting, *(number(store.mean("error", dataset=d, setting=setting)) for d in names)]
        for setting in settings
    ]
    return table(("error", *names), rows) if names else ""


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then write."""
    arguments = parse("channel_defaults", __doc__ or "", seeds=1, argv=argv)
    path = arguments.output / "measurements" / "channel_defaults.csv"
    store = Store(path, ("dataset", "setting", "seed"), ("error", "seconds"))
    cells = list_cells(arguments)
    measure_cells(store, cells, measure, arguments)
    missing = {cell["dataset"] for cell in cells if store.key(cell) not in store.rows}
    names = list(dict.fromkeys(cell["dataset"] for cell in cells))
    whole = [name for name in names if name not in missing]
    series = [name for name in whole if name not in IMAGES and name not in IMPULSES]
    parts = [
        f"`{arguments.command}`",
        *([series_table(store, series), f"Sets: {', '.join(series)}."] if series else []),
        error_table(store, [name for name in whole if name in IMPULSES], SERIES_SETTINGS),
        error_table(store, [name for name in whole if name in IMAGES], IMAGE_SETTINGS),
    ]
    page = arguments.output / "channel_defaults.md"
    write_measured(
        page, "What should windows look at?", "\n\n".join(part for part in parts if part)
    )


if __name__ == "__main__":
    main()

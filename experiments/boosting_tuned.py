"""Gradient boosting with equal tuning budgets: every library tries as many settings on UCI sets."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from experiments.arguments import parse
from experiments.boosting_systems import Coded, is_installed, log_loss_of, make_booster
from experiments.boosting_tables import collect, compare_groups, compare_times, summarise
from experiments.data import Split
from experiments.pages import number, table, write_measured
from experiments.store import Cell, Store, measure_cells
from experiments.uci import load_uci, read_index

SYSTEMS = ("silvan", "LightGBM", "XGBoost", "HistGradientBoosting")
SCORES = ("error", "log_loss", "fit_s", "setting")
# Settings that a system tries; the first are its defaults.
N_SETTINGS = 10
INNER_FOLDS = 3
MAX_SAMPLES = 3000
# What is drawn, and what each library calls it; trees of XGBoost are bounded by depth.
CHOICES: dict[str, tuple[Any, ...]] = {
    "rounds": (50, 100, 200, 400),
    "rate": (0.02, 0.05, 0.1, 0.2),
    "leaves": (4, 8, 16, 31),
    "least": (2, 5, 10, 20),
    "l2": (0.0, 1.0, 10.0),
    "columns": (0.5, 1.0),
}
NAMES = {
    "silvan": {
        "rounds": "n_estimators",
        "rate": "learning_rate",
        "leaves": "max_leaf_nodes",
        "least": "min_samples_leaf",
        "l2": "l2_regularization",
        "columns": "colsample",
    },
    "LightGBM": {
        "rounds": "n_estimators",
        "rate": "learning_rate",
        "leaves": "num_leaves",
        "least": "min_child_samples",
        "l2": "reg_lambda",
        "columns": "colsample_bytree",
    },
    "XGBoost": {
        "rounds": "n_estimators",
        "rate": "learning_rate",
        "leaves": "max_depth",
        "least": "min_child_weight",
        "l2": "reg_lambda",
        "columns": "colsample_bytree",
    },
    "HistGradientBoosting": {
        "rounds": "max_iter",
        "rate": "learning_rate",
        "leaves": "max_leaf_nodes",
        "least": "min_samples_leaf",
        "l2": "l2_regularization",
        "columns": "max_features",
    },
}
DEPTHS = {4: 2, 8: 3, 16: 4, 31: 6}
# XGBoost bounds the sum of hessians, of which a sample has at most a quarter.
HESSIAN = 0.25


def draw_settings(system: str, seed: int) -> list[dict[str, Any]]:
    """The defaults, then settings drawn alike for every system."""
    rng = np.random.default_rng(seed)
    drawn = [
        {key: values[rng.integers(len(values))] for key, values in CHOICES.items()}
        for _ in range(N_SETTINGS - 1)
    ]
    if system == "XGBoost":
        for setting in drawn:
            setting["leaves"] = DEPTHS[setting["leaves"]]
            setting["least"] *= HESSIAN
    names = NAMES[system]
    return [{}, *({names[key]: value for key, value in one.items()} for one in drawn)]


def make(system: str, setting: dict[str, Any], seed: int) -> Coded:
    """A classifier of a system with other parameters than its defaults."""
    booster = make_booster(system, seed)
    if system == "HistGradientBoosting":
        # Otherwise sets of more than 10,000 samples would stop early.
        booster.set_params(early_stopping=False)
    return Coded(booster.set_params(**setting))


def judge(system: str, setting: dict[str, Any], split: Split, seed: int) -> float:
    """Mean log loss of a setting in folds of the training samples."""
    folds = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed)
    losses = []
    for train, test in folds.split(split.X_train, split.y_train):
        model = make(system, setting, seed).fit(split.X_train[train], split.y_train[train])
        probabilities = model.predict_proba(split.X_train[test])
        losses.append(log_loss_of(probabilities, model.classes_, split.y_train[test]))
    return float(np.mean(losses))


def measure(cell: Cell) -> Cell | None:
    """Choose a setting on training samples, fit it to all of them, and score test samples."""
    system, fold = cell["system"], int(cell["fold"])
    if not is_installed(system):
        return None
    split = load_uci(cell["data"], cell["dataset"]).split(fold)
    settings = draw_settings(system, fold)
    start = time.process_time()
    chosen = int(np.argmin([judge(system, setting, split, fold) for setting in settings]))
    model = make(system, settings[chosen], fold).fit(split.X_train, split.y_train)
    spent = time.process_time() - start
    probabilities = model.predict_proba(split.X_test)
    predicted = model.classes_[probabilities.argmax(axis=1)]
    return {
        "error": float(np.mean(predicted != split.y_test)),
        "log_loss": log_loss_of(probabilities, model.classes_, split.y_test),
        "fit_s": spent,
        "setting": chosen,
    }


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then write the page."""
    arguments = parse("boosting_tuned", __doc__ or "", seeds=2, argv=argv)
    index = read_index(arguments.data, arguments.quick)
    n = {name: int(row["n"]) for name, row in index.items()}
    cells = [
        {"dataset": name, "fold": fold, "system": system, "data": arguments.data}
        for fold in range(arguments.seeds)
        for name in n
        if n[name] <= MAX_SAMPLES
        for system in SYSTEMS
    ]
    path = arguments.output / "measurements" / "boosting_tuned.csv"
    store = Store(path, ("dataset", "fold", "system"), SCORES)
    measure_cells(store, cells, measure, arguments)
    systems = [name for name in SYSTEMS if store.distinct("dataset", system=name)]
    parts, single = [f"`{arguments.command}`"], []
    for score in ("log_loss", "error"):
        found, column = collect(store, score, systems), score.replace("_", " ")
        parts += [summarise(found, column, systems), compare_groups(found, column, systems, n)]
        single.append(
            table([column, *systems], [[k, *map(number, found[k])] for k in sorted(found)])
        )
    parts += [compare_times(store, systems, found), *single]
    page = arguments.output / "boosting_tuned.md"
    write_measured(page, "Gradient boosting with equal tuning budgets", "\n\n".join(parts))


if __name__ == "__main__":
    main()

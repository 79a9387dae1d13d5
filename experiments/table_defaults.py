"""The default for tables: candidates on one half of the sets, its rivals on the other half."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.model_selection import KFold, StratifiedKFold

from experiments.arguments import Arguments, parse
from experiments.pages import write_measured
from experiments.store import Cell, Store, measure_cells
from experiments.table_defaults_page import write_tables
from experiments.table_tasks import Task, is_chosen_on, list_tasks, load_task
from silvan import ForestClassifier, ForestRegressor
from silvan.projections import (
    AxisAligned,
    CanonicalDirections,
    Mixture,
    SparseSigns,
    UniformCombinations,
    UnitFree,
)

# Trees of every forest: candidates, then the comparison.
CHOOSING_TREES = 50
TREES = 100
CHOOSING_REPETITIONS = 2
REPETITIONS = 10
AXIS, SIGNS = AxisAligned(), SparseSigns()
CANONICAL = CanonicalDirections(max_fits=1)
Make = Callable[[int, int, int], Any]  # features, trees, seed -> estimator


class Candidate(NamedTuple):
    """A setting of a forest; d is a function of the number p of features."""

    projections: Any = None
    d: Callable[[int], int] | None = None
    options: dict[str, Any] = {}  # noqa: RUF012

    def make(self, Forest: type[Any], p: int, n_trees: int, seed: int) -> Any:
        """The forest for data of p features."""
        options = dict(self.options)
        if self.d is not None:
            options["max_features"] = self.d(p)
        return Forest(n_trees, projections=self.projections, random_state=seed, n_jobs=1, **options)


def up_to(limit: int) -> Callable[[int], int]:
    """All features up to a limit, and the square root where that is more."""
    return lambda p: min(p, max(limit, math.isqrt(p)))


def root(p: int) -> int:
    """The square root, rounded down."""
    return max(1, math.isqrt(p))


def mix(axis: float, signs: float, canonical: float = 0.0) -> UnitFree:
    """Single features, sums of three features on average, and canonical directions."""
    parts = [(AXIS, axis), (SparseSigns(mean_nonzeros=3), signs), (CANONICAL, canonical)]
    return UnitFree(Mixture([part for part in parts if part[1] > 0]))


NO_BOOTSTRAP = {"bootstrap": False}
CANDIDATES: dict[str, dict[str, Candidate]] = {
    "classes": {
        "signs 2 in units, d = sqrt (before)": Candidate(SIGNS, root),
        "signs 2, d = sqrt": Candidate(UnitFree(SIGNS), root),
        "signs 2, d = 10": Candidate(UnitFree(SIGNS), up_to(10)),
        "signs 2, d = 16": Candidate(UnitFree(SIGNS), up_to(16)),
        "signs 2, d = 24": Candidate(UnitFree(SIGNS), up_to(24)),
        "signs 2, d = p": Candidate(UnitFree(SIGNS), lambda p: p),
        "signs 3, d = 24": Candidate(UnitFree(SparseSigns(mean_nonzeros=3)), up_to(24)),
        "uniform 2, d = 24": Candidate(UnitFree(UniformCombinations()), up_to(24)),
        "1/4 axis, 3/4 signs 3, d = 24": Candidate(mix(1, 3), up_to(24)),
        "1/2 axis, 1/2 signs 3, d = 24": Candidate(mix(1, 1), up_to(24)),
        "2/5 axis, 2/5 signs 3, 1/5 canonical, d = 24": Candidate(mix(2, 2, 1), up_to(24)),
        "signs 2, d = 24, .632 of the samples": Candidate(
            UnitFree(SIGNS), up_to(24), {**NO_BOOTSTRAP, "max_samples": 0.632}
        ),
        "signs 2, d = 24, .8 of the samples": Candidate(
            UnitFree(SIGNS), up_to(24), {**NO_BOOTSTRAP, "max_samples": 0.8}
        ),
        "signs 2, d = 24, random thresholds, all samples": Candidate(
            UnitFree(SIGNS), up_to(24), {**NO_BOOTSTRAP, "thresholds": "random"}
        ),
        "signs 2, d = 24, entropy": Candidate(UnitFree(SIGNS), up_to(24), {"criterion": "entropy"}),
    },
    "numbers": {
        "signs 2 in units, d = p (before)": Candidate(SIGNS, lambda p: p),
        "signs 2, d = p/3": Candidate(UnitFree(SIGNS), lambda p: max(1, round(p / 3))),
        "signs 2, d = p": Candidate(UnitFree(SIGNS), lambda p: p),
        "signs 2, d = 2p": Candidate(UnitFree(SIGNS), lambda p: 2 * p),
        "1/2 axis, 1/2 signs 3, d = p": Candidate(mix(1, 1), lambda p: p),
        "1/2 axis, 1/2 signs 3, d = 2p": Candidate(mix(1, 1), lambda p: 2 * p),
        "2/5 axis, 2/5 signs 3, 1/5 canonical, d = p": Candidate(mix(2, 2, 1), lambda p: p),
        "1/2 axis, 1/2 signs 3, d = p, random thresholds, all samples": Candidate(
            mix(1, 1), lambda p: p, {**NO_BOOTSTRAP, "thresholds": "random"}
        ),
    },
}
CHOSEN = {"classes": "signs 2, d = 24", "numbers": "signs 2, d = p"}

FORESTS = {"classes": ForestClassifier, "numbers": ForestRegressor}
RIVALS: dict[str, dict[str, Make]] = {
    "classes": {
        "silvan": lambda p, n, seed: ForestClassifier(n, random_state=seed, n_jobs=1),
        "RandomForest": lambda p, n, seed: RandomForestClassifier(n, random_state=seed),
        "ExtraTrees": lambda p, n, seed: ExtraTreesClassifier(n, random_state=seed),
        "HistGradientBoosting": lambda p, n, seed: HistGradientBoostingClassifier(
            random_state=seed
        ),
    },
    "numbers": {
        "silvan": lambda p, n, seed: ForestRegressor(n, random_state=seed, n_jobs=1),
        "RandomForest": lambda p, n, seed: RandomForestRegressor(n, random_state=seed),
        "ExtraTrees": lambda p, n, seed: ExtraTreesRegressor(n, random_state=seed),
        "HistGradientBoosting": lambda p, n, seed: HistGradientBoostingRegressor(random_state=seed),
    },
}


def make_system(stage: str, target: str, system: str) -> tuple[Make, int]:
    """How a system is made, and with how many trees."""
    if stage == "choose":
        candidate = CANDIDATES[target][system]
        return lambda p, n, s: candidate.make(FORESTS[target], p, n, s), CHOOSING_TREES
    return RIVALS[target][system], TREES


def split_in_two(task: Task, repetition: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Training and test samples of both folds of a repetition."""
    kind = StratifiedKFold if task.target == "classes" else KFold
    folds = kind(2, shuffle=True, random_state=repetition)
    return list(folds.split(task.X, task.y if task.target == "classes" else None))


def measure(cell: Cell) -> Cell:
    """Error of a system over the two folds of one repetition, and that of the best constant."""
    task = load_task(cell["target"], cell["task"], cell["data"])
    make, n_trees = make_system(cell["stage"], cell["target"], cell["system"])
    repetition = int(cell["repetition"])
    errors, chances, seconds = [], [], 0.0
    for train, test in split_in_two(task, repetition):
        X, y, X_test, y_test = task.X[train], task.y[train], task.X[test], task.y[test]
        model = make(X.shape[1], n_trees, repetition)
        start = time.process_time()
        model.fit(X, y)
        seconds += time.process_time() - start
        predicted = model.predict(X_test)
        if task.target == "classes":
            errors.append(np.mean(predicted != y_test))
            chances.append(np.mean(y_test != np.bincount(y).argmax()))
        else:
            errors.append(np.mean((predicted - y_test) ** 2))
            chances.append(np.mean((y.mean() - y_test) ** 2))
    return {
        "error": float(np.mean(errors)),
        "chance": float(np.mean(chances)),  # error of the commonest class, or of the mean
        "fit_s": seconds,
    }


def list_cells(arguments: Arguments, stage: str) -> list[Cell]:
    """The cells of a stage, repetition by repetition, so that what is there is a fair sample."""
    repetitions = CHOOSING_REPETITIONS if stage == "choose" else REPETITIONS
    cells = []
    for repetition in range(1 if arguments.quick else repetitions):
        for target, task in list_tasks(arguments.data, arguments.quick):
            if stage == "choose" and not is_chosen_on(target, task, arguments.data):
                continue
            systems = CANDIDATES[target] if stage == "choose" else RIVALS[target]
            for system in systems:
                if system == "HistGradientBoosting" and repetition >= 2:
                    continue  # for the record only
                cells.append(
                    {
                        "stage": stage,
                        "target": target,
                        "task": task,
                        "system": system,
                        "repetition": repetition,
                        "data": arguments.data,
                    }
                )
    return cells


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, the comparison before the candidates, then write the page."""
    arguments = parse("table_defaults", __doc__ or "", seeds=REPETITIONS, argv=argv)
    path = arguments.output / "measurements" / "table_defaults.csv"
    keys = ("stage", "target", "task", "system", "repetition")
    store = Store(path, keys, ("error", "chance", "fit_s"))
    for stage in ("compare", "choose"):
        measure_cells(store, list_cells(arguments, stage), measure, arguments)
    page = Path(arguments.output / "table_defaults.md")
    parts = write_tables(store, arguments, CHOSEN)
    write_measured(page, "Which default for tables?", "\n\n".join(parts))


if __name__ == "__main__":
    main()

"""The systems of the experiment on categories, and how each is measured."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

from experiments.data import Split
from experiments.encodings import CategorySplit, encode, load_categories, simulate
from experiments.node_codes import NodeCodes, spread
from experiments.store import Cell
from silvan import ForestClassifier
from silvan.projections import AxisAligned, ProjectionDistribution

DISTRIBUTIONS: dict[str, ProjectionDistribution | None] = {
    "default": None,
    "single features": AxisAligned(),
}
ENCODINGS = ("native", "one-hot", "codes", "target")
# On simulations alone: as many candidate directions as columns, and what spoils out-of-bag errors.
MORE = "native, d = p"
LEAKING = "target, all rows"
SIMULATED_ENCODINGS = (*ENCODINGS, MORE, LEAKING)
BOOSTING = {"distribution": "boosting", "encoding": "native"}
MAX_SAMPLES = 2000
SIZES = (4000, 5000)
ABLATION_SIZES, ABLATION_TREES = (2000, 4000), 30
VALUES = ("error", "oob_error", "fit_s")


def make_system(cell: Cell, is_categorical: NDArray[np.bool_], seed: int) -> Any:
    """The classifier of a cell, with its defaults."""
    if cell["distribution"] == "boosting":
        flags = np.sort(is_categorical)[::-1]
        return HistGradientBoostingClassifier(categorical_features=flags, random_state=seed)
    return ForestClassifier(
        projections=DISTRIBUTIONS[cell["distribution"]],
        max_features=None if cell["encoding"] == MORE else "sqrt",
        categorical_features=is_categorical if cell["encoding"] in ("native", MORE) else None,
        oob_score=True,
        n_jobs=1,
        random_state=seed,
    )


def score(system: Any, split: Split, start: float) -> Cell:
    """Errors on the test rows and out of bag, and the processor seconds since `start`."""
    system.fit(split.X_train, split.y_train)
    seconds = time.process_time() - start
    return {
        "error": float(np.mean(system.predict(split.X_test) != split.y_test)),
        "oob_error": 1 - getattr(system, "oob_score_", np.nan),
        "fit_s": seconds,
    }


def measure(cell: Cell) -> Cell:
    """Encode and fit on four folds of a UCI set, test on the fifth."""
    data = load_categories(cell["data"], cell["dataset"], cell["fold"], MAX_SAMPLES)
    return _measure_encoding(cell, data, cell["fold"])


def measure_simulated(cell: Cell) -> Cell:
    """Encode and fit on one draw of a simulation."""
    world = simulate(cell["levels"], cell["useless"], cell["effect"], SIZES, cell["seed"])
    found = _measure_encoding(cell, world.split, cell["seed"])
    return {**found, "bayes_error": world.bayes_error}


def _measure_encoding(cell: Cell, data: CategorySplit, seed: int) -> Cell:
    start = time.process_time()
    name = "grouped" if cell["distribution"] == "boosting" else cell["encoding"]
    split = encode("native" if name == MORE else name, data, seed)
    return score(make_system(cell, data.is_categorical, seed), split, start)


def measure_ablation(cell: Cell) -> Cell:
    """Codes from other rows than the library takes, for single features."""
    world = simulate(cell["levels"], cell["useless"], cell["effect"], ABLATION_SIZES, cell["seed"])
    options = {"oob_score": True, "n_jobs": 1, "random_state": cell["seed"]}
    split = world.split.rows
    p = split.X_train.shape[1]
    forest = ForestClassifier(
        ABLATION_TREES,
        projections=AxisAligned(),
        categorical_features=world.split.is_categorical,
        **options,
    )
    if cell["source"] != "the library":
        split, starts = spread(world.split)
        distribution = NodeCodes(starts, cell["source"])
        forest = ForestClassifier(
            ABLATION_TREES, projections=distribution, max_features=int(np.sqrt(p)), **options
        )
    return score(forest, split, time.process_time())


def systems(encodings: Sequence[str] = ENCODINGS) -> list[Cell]:
    """Every distribution with every encoding, and boosting."""
    return [
        {"distribution": distribution, "encoding": name}
        for distribution in DISTRIBUTIONS
        for name in encodings
    ] + [BOOSTING]

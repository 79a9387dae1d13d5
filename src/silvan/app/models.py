"""Which forest to grow for which data, and how it comes back from a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import silvan
from silvan import presets
from silvan.app.data import Dataset, Layout
from silvan.app.data.dataset import NUMBER, TEXT
from silvan.app.errors import ModelError, UsageError
from silvan.app.names import AUTO, BOOST, PARAMETERS, SKLEARN, suggest
from silvan.app.numbers import write_count
from silvan.app.parsing import check_model
from silvan.files import FileFormatError
from silvan.forests.base import BaseForest
from silvan.forests.dates import DateColumn
from silvan.forests.defaults import default_projections
from silvan.inspection import grid_of
from silvan.projections import UnitFree

_ON_GRIDS = ("s_rerf", "morf", "mf")
# Whole numbers with more different values than this are taken for measurements.
_MAX_CLASSES = 20
# Of a column of categories, for estimators that read numbers.
_MAX_COLUMNS = 50
# Boosted or not, on a grid or not, and the task.
_KINDS: dict[tuple[bool, bool, str], Any] = {
    (False, False, "classification"): silvan.ForestClassifier,
    (False, False, "regression"): silvan.ForestRegressor,
    (False, True, "classification"): silvan.ManifoldForestClassifier,
    (False, True, "regression"): silvan.ManifoldForestRegressor,
    (True, False, "classification"): silvan.BoostedForestClassifier,
    (True, False, "regression"): silvan.BoostedForestRegressor,
    (True, True, "classification"): silvan.BoostedManifoldForestClassifier,
    (True, True, "regression"): silvan.BoostedManifoldForestRegressor,
}


@dataclass(frozen=True)
class Growing:
    """How to grow forests: what the options of the command line say."""

    n_trees: int | None = None  # None: as many rounds as a boosted forest has by default, else 100
    n_jobs: int = -1
    seed: int = 0
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def n_bagged(self) -> int:
        """How many trees a forest has that is not boosted."""
        return self.n_trees or 100

    def describe_trees(self, names: Sequence[str]) -> str:
        """How many trees forests of such names have, in words."""
        text = f"{write_count(self.n_bagged, 'tree')} each"
        if self.n_trees is None and BOOST in names:
            text += ", boosted forests as by default"
        return text


_OTHER_TARGET = "name another target with --target, or pass data like those that it was fitted on"


def decide_task(
    y: NDArray[Any], asked: str | None, *, to_learn: bool = True
) -> tuple[NDArray[Any], str]:
    """The targets as they are learnt, and whether they are classes or measurements.

    Where nothing is to be learnt, it is a forest that asks for one of them.

    >>> decide_task(np.array([1.0, 2.0, 1.0]), None)
    (array([1, 2, 1]), 'classification')
    >>> decide_task(np.array([0.5, 2.0, 1.0]), None)[1]
    'regression'
    """
    numeric = y.dtype.kind in "iuf"
    if numeric and not np.isfinite(y).all():
        raise UsageError("the target has values that are not finite; remove these rows.")
    if asked == "regression":
        if not numeric:
            rule = "--task regression needs" if to_learn else "the forest predicts"
            remedy = "leave it out" if to_learn else _OTHER_TARGET
            raise UsageError(f"{rule} numbers, but the target is, for example, {y[0]!s}; {remedy}.")
        return y.astype(np.float64), "regression"
    whole = numeric and np.array_equal(y, np.rint(y))
    if asked is None and numeric and not (whole and len(np.unique(y)) <= _MAX_CLASSES):
        return y.astype(np.float64), "regression"
    if numeric and not whole:
        rule = "--task classification needs text or whole numbers"
        remedy = "leave it out to predict numbers, or write classes as text"
        if not to_learn:
            rule, remedy = "the forest predicts classes", _OTHER_TARGET
        raise UsageError(
            f"{rule}, but the target has, for example, {y[y != np.rint(y)][0]:g}; {remedy}."
        )
    return _as_labels(y), "classification"


def _as_labels(y: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers as int64 where that holds all of them.

    Larger ones stay unsigned, or become text where they are floats, which merge in 64 bits.

    >>> _as_labels(np.array([1e19, 2e19])), _as_labels(np.array([1.0, 2.0]))
    (array(['1e19', '2e19'], dtype='<U4'), array([1, 2]))
    """
    if y.dtype.kind == "i" or (y.dtype.kind in "uf" and (np.abs(y) < 2.0**63).all()):
        return y.astype(np.int64)
    if y.dtype.kind != "f":
        return y
    # As people write them: files that say 1e19 get 1e19 back.
    return np.array([str(label).replace("e+", "e") for label in y.tolist()])


def make_forest(name: str, data: Dataset, task: str, growing: Growing) -> Any:
    """The estimator of a name for these data; not fitted, for flat rows."""
    options: dict[str, Any] = {"n_jobs": growing.n_jobs, "random_state": growing.seed}
    grid: dict[str, Any] = {"shape": data.row_shape, "contiguous": data.contiguous}
    if name == SKLEARN:
        kinds = {"classification": RandomForestClassifier, "regression": RandomForestRegressor}
        return _one_hot(data.categorical, kinds[task](growing.n_bagged, **options))
    if name in (AUTO, BOOST):
        on_grid = data.kind != "table"
        kind = _KINDS[name == BOOST, on_grid, task]
        size = growing.n_trees if name == BOOST else growing.n_bagged
        counted = {} if size is None else {"n_estimators": size}
        forest: Any = kind(**counted, **(grid if on_grid else {}), **options)
    else:
        forest = _make_preset(name, data, task, growing.n_bagged, grid, options)
    return set_parameters(forest, growing.settings)


def _one_hot(categorical: list[int], estimator: Any) -> Any:
    """The estimator behind a column of 0 and 1 for each category; rare and new ones share one."""
    if not categorical:
        return estimator
    encoder = OneHotEncoder(
        max_categories=_MAX_COLUMNS, handle_unknown="infrequent_if_exist", sparse_output=False
    )
    columns = ColumnTransformer([("categories", encoder, categorical)], remainder="passthrough")
    return make_pipeline(columns, estimator)


def _make_preset(
    name: str, data: Dataset, task: str, n_trees: int, grid: dict[str, Any], options: dict[str, Any]
) -> Any:
    if name in _ON_GRIDS and data.kind == "table":
        raise UsageError(
            f"the forest {name!r} needs rows on a grid; say which with --shape, for example 28x28."
        )
    if name == "s_rerf":
        options = options | {"shape": data.row_shape}
    elif name in _ON_GRIDS:
        options = options | grid
    return getattr(presets, name)(n_trees, task=task, **options)


def set_parameters(forest: Any, settings: dict[str, Any]) -> Any:
    """Apply what --set says."""
    for name, value in settings.items():
        try:
            forest.set_params(**{name: value})
        except (ValueError, AttributeError):  # the latter where a part has no parameters
            raise UsageError(_explain_setting(forest, name)) from None
    return forest


def _explain_setting(forest: Any, wrong: str) -> str:
    """What the parameters are where there is none of this name."""
    known = sorted(set(forest.get_params(deep=False)) & set(PARAMETERS))
    directions = []
    if "projections" in known:
        given = forest.projections or default_projections()
        inner = given.distribution if isinstance(given, UnitFree) else given
        directions = list(inner.get_params(deep=False))
    first, _, last = wrong.partition("__")
    if directions and first == "projections":
        return (
            f"--set {wrong}=... is not a parameter of the directions of this forest"
            f"{suggest(last, directions)}; they have {', '.join(directions)}; choose other "
            "directions with --forest."
        )
    nested = [f"projections__{name}" for name in directions]
    return (
        f"--set {wrong}=... is not a parameter of {type(forest).__name__}"
        f"{suggest(wrong, (*known, *nested))}; it has {', '.join(known)}."
    )


def fit_rows(data: Dataset) -> Any:
    """Rows as forests are fitted on them: a table with its names, or flat rows."""
    return data.X if data.names else data.X.reshape(len(data.X), -1)


def load_model(path: Path) -> BaseForest:
    """A fitted forest from its file."""
    check_model(path)
    try:
        forest = silvan.load(path)
    except (FileFormatError, OSError) as error:
        raise ModelError(f"{path}: {error}") from None
    if not (isinstance(forest, BaseForest) and hasattr(forest, "predict")):
        raise ModelError(
            f"{path} holds a {type(forest).__name__}, which does not predict; pass a classifier or "
            "regressor."
        )
    return forest


def layout_of(forest: BaseForest, keep: tuple[str, ...] = ()) -> Layout:
    """What a row must have for this forest."""
    names = getattr(forest, "feature_names_in_", None)
    patches = grid_of(forest)
    table = forest.fitted_.categories
    columns = [] if table is None else table.categories
    return Layout(
        n_features=forest.n_features_in_,
        names=None if names is None else tuple(str(name) for name in names),
        shape=None if patches is None else patches.grid.shape,
        keep=keep,
        kinds=tuple(_kind_of(known) for known in columns),
        target=getattr(forest, "target_name_", None),
    )


def _kind_of(known: NDArray[Any] | DateColumn | None) -> str | None:
    """Whether categories are text or numbers, which is what files can hold."""
    if known is None or isinstance(known, DateColumn):
        return None if known is None else known.kind
    if known.dtype != object:
        return NUMBER
    if not all(isinstance(category, str) for category in known):
        raise ModelError(
            "the forest knows categories that are neither all text nor all numbers, for example "
            f"{[known[0], known[-1]]}, which files cannot hold; predict in Python."
        )
    return TEXT

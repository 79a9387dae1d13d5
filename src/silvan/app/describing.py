"""A fitted forest in words: what `silvan info` prints and the report page opens with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

import silvan
from silvan.app.numbers import write_count
from silvan.forests.base import BaseForest
from silvan.inspection import grid_of
from silvan.projections import Mixture, ProjectionDistribution, RidgeWindows, UnitFree, Windows

_MAX_NAMES = 10
# What is said of thresholds that are not searched for.
_THRESHOLDS = {
    "random": ", at random thresholds",
    "agnostic": ", at random thresholds that ignore the target",
}
_UNINTERESTING = ("n_jobs", "verbose", "n_estimators", "oob_score", "shape", "projections")


def describe_model(forest: BaseForest, path: Path | None = None) -> list[tuple[str, str]]:
    """Names and values of what is worth knowing about a forest."""
    arrays = forest.forest_
    lines = [("forest", type(forest).__name__), ("directions", describe_directions(forest))]
    if is_classifier(forest):
        labels = [str(label) for label in forest.classes_]
        what = f"{write_count(len(labels), 'class')}: {_shorten(labels)}"
    else:
        what = "a number" if forest.n_outputs_ == 1 else "several numbers"
    name = getattr(forest, "target_name_", None)
    lines.append(("predicts", what if name is None else f"{name}: {what}"))
    lines.append(("rows", _describe_rows(forest)))
    if forest.categories_ is not None:
        lines.append(("categories", _describe_categories(forest, forest.categories_)))
    dates = _describe_dates(forest)
    if dates:
        lines.append(("dates", dates))
    lines.append(("fitted on", write_count(forest.fitted_.sampling.plan.n_samples, "row")))
    lines.append(("trees", f"{arrays.n_trees:,}{_describe_rounds(forest)}"))
    leaves = np.diff(arrays.leaf_offsets)
    lines.append(("leaves", f"{arrays.n_leaves:,} ({leaves.mean():,.0f} in a tree)"))
    lines.append(("parameters", ", ".join(changed_parameters(forest)) or "all at their defaults"))
    if np.isfinite(getattr(forest, "oob_score_", np.nan)):
        name = "accuracy" if is_classifier(forest) else "R²"
        lines.append(("out of bag", f"{name} {forest.oob_score_:.3f}"))
    lines.append(("most important", _describe_importances(forest)))
    if path is not None:
        lines.append(("file", f"{path}, {path.stat().st_size / 1e6:.1f} MB"))
        lines.append(("load it with", f"silvan.load({str(path)!r})"))
    lines.append(("silvan", silvan.__version__))
    return lines


def _describe_rounds(forest: Any) -> str:
    """Of a boosted forest, how many rounds they were grown in, and by which loss."""
    if forest.fitted_.start is None:
        return ""
    stopped = " (stopped early)" if forest.n_iter_ < forest.n_estimators else ""
    name = forest.loss if isinstance(forest.loss, str) else type(forest.loss_).__name__
    rounds = write_count(forest.n_iter_, "round")
    return f" in {rounds}{stopped}, fitted by {name.replace('_', ' ')}"


def describe_directions(forest: BaseForest) -> str:
    """What the nodes of a forest split along, in words and as it is written in Python."""
    given = forest.projections_
    return _describe_windows(forest) or f"{_in_words(given)}: {_as_given(given)!r}"


def splits_in_words(forest: BaseForest) -> str:
    """Directions without the names of distributions, and thresholds that are not searched for."""
    directions = _describe_windows(forest) or _in_words(forest.projections_)
    return directions + _THRESHOLDS.get(getattr(forest, "thresholds", ""), "")


def _describe_windows(forest: BaseForest) -> str | None:
    """Statistics and channels of windows, or None where directions are others."""
    channels, projections = forest.fitted_.channels, forest.projections_
    if channels is None or not isinstance(projections, Windows):
        return None
    statistics = ", ".join(projections.statistics)
    windows = f"windows ({statistics}) on {describe_channels(channels.layout.names)}"
    if isinstance(projections, RidgeWindows):
        return f"combinations of up to {projections.n_terms} {windows}"
    return windows


def describe_channels(names: Sequence[str]) -> str:
    """Names of channels, those of a kind counted.

    >>> describe_channels(["value", "convolution 1", "convolution 2", "convolution 1 of spectrum"])
    'value, 2 convolutions, convolution of spectrum'
    >>> describe_channels(["value of plane 0", "value of plane 1"])
    'value, of 2 planes'
    """
    planes = {name.rpartition(" of plane ")[2] for name in names if " of plane " in name}
    plain = dict.fromkeys(name.partition(" of plane ")[0] for name in names)
    kinds = Counter(re.sub(r" \d+(?= of |$)", "", name) for name in plain)
    texts = [
        kind if n == 1 else f"{n} {re.sub(' of |$', lambda end: 's' + end[0], kind, count=1)}"
        for kind, n in kinds.items()
    ]
    return _shorten(texts) + (f", of {len(planes)} planes" if len(planes) > 1 else "")


def _as_given(projections: ProjectionDistribution) -> ProjectionDistribution:
    """The distribution without the spreads that a fit has measured."""
    if isinstance(projections, UnitFree):
        return UnitFree(projections.distribution)
    if isinstance(projections, Mixture):
        return Mixture([(_as_given(part), weight) for part, weight in projections.components])
    return projections


def _in_words(projections: ProjectionDistribution) -> str:
    """What a distribution draws, by the first clause of its docstring."""
    if isinstance(projections, UnitFree):
        return _in_words(projections.distribution)
    if isinstance(projections, Mixture):
        return " or ".join(_in_words(part) for part, weight in projections.components if weight)
    kind = type(projections)
    if not kind.__doc__:
        return f"directions of {kind.__name__}"
    clause = re.split(r"[,:.\[\n]", kind.__doc__, maxsplit=1)[0].strip()
    return clause[0].lower() + clause[1:]


def changed_parameters(forest: BaseForest) -> list[str]:
    """Parameters that are not at their defaults, as name=value."""
    kind: Any = type(forest)
    defaults = kind().get_params(deep=False)
    given: dict[str, Any] = clone(forest).get_params(deep=False)
    return [
        f"{name}={value!r}"
        for name, value in given.items()
        if name not in _UNINTERESTING and repr(value) != repr(defaults[name])
    ]


def _describe_rows(forest: BaseForest) -> str:
    names = getattr(forest, "feature_names_in_", None)
    if names is not None:
        return f"{write_count(len(names), 'column')}: {_shorten([str(name) for name in names])}"
    patches = grid_of(forest)
    if patches is None:
        return write_count(forest.n_features_in_, "number")
    return f"a grid of {' x '.join(str(size) for size in patches.grid.shape)}"


def _describe_categories(forest: BaseForest, categories: list[Any]) -> str:
    """Say how many categories each column has."""
    names = forest.fitted_.feature_names
    return _shorten(
        [
            f"{_feature_name(forest, names, j)} ({len(known):,})"
            for j, known in enumerate(categories)
            if known is not None
        ]
    )


def _describe_dates(forest: BaseForest) -> str:
    """Say what is read of each column of dates."""
    table, names = forest.fitted_.categories, getattr(forest, "feature_names_in_", ())
    dates = {} if table is None else table.dates
    return _shorten(
        [
            f"{names[j]} ({', '.join(part.replace('_', ' ') for part in column.parts)})"
            for j, column in dates.items()
        ]
    )


def _describe_importances(forest: BaseForest) -> str:
    importances = forest.feature_importances_
    names = forest.fitted_.feature_names
    best = np.argsort(-importances, kind="stable")[:5]
    labels = [_feature_name(forest, names, int(k)) for k in best]
    return ", ".join(f"{label} {importances[k]:.1%}" for label, k in zip(labels, best, strict=True))


def _feature_name(forest: BaseForest, names: Any, k: int) -> str:
    if names is not None:
        return str(names[k])
    patches = grid_of(forest)
    if patches is None:
        return f"x{k}"
    if len(patches.grid.shape) == 1:
        return f"step {k}"
    place = np.unravel_index(k, patches.grid.shape)
    return "(" + ", ".join(str(int(i)) for i in place) + ")"


def _shorten(names: list[str]) -> str:
    text = ", ".join(names[:_MAX_NAMES])
    return text + (f", ... ({len(names)} in all)" if len(names) > _MAX_NAMES else "")

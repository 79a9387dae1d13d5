"""What all named systems share: forests by task, and Breiman's rules."""

from __future__ import annotations

from typing import Any

from silvan._validation import check_choice
from silvan.forests import (
    ForestClassifier,
    ForestRegressor,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
)
from silvan.projections import ProjectionDistribution

Forest = ForestClassifier | ForestRegressor

_FORESTS: dict[str, type[Forest]] = {
    "classification": ForestClassifier,
    "regression": ForestRegressor,
}
MANIFOLD_FORESTS: dict[str, type[Forest]] = {
    "classification": ManifoldForestClassifier,
    "regression": ManifoldForestRegressor,
}
# Breiman's rules: the square root of p directions and a vote of each tree, or a third of p.
_RULES: dict[str, dict[str, Any]] = {
    "classification": {"max_features": "sqrt", "voting": "hard"},
    "regression": {"max_features": 1 / 3},
}


def make_forest(
    task: str, n_estimators: int, projections: ProjectionDistribution, options: dict[str, Any]
) -> Forest:
    """The forest of a system that differs from Breiman's in its directions."""
    return configure(_FORESTS, task, n_estimators, {"projections": projections}, options)


def configure(
    forests: dict[str, type[Forest]],
    task: str,
    n_estimators: int,
    system: dict[str, Any],
    options: dict[str, Any],
) -> Forest:
    """The forest of a system; options win over its rules and over the system's own settings."""
    check_choice("task", task, forests)
    return forests[task](n_estimators, **{**_RULES[task], **system, **options})

"""Writes the tables of the guide's page "Coming from RandomForest".

``python docs/compare_random_forest.py`` does. Names come from scikit-learn's classes and ours; what
differs is said here, once.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from silvan import ForestClassifier, ForestRegressor

PAGE = Path(__file__).parent / "guide" / "random_forest.md"
PAIRS = (
    (RandomForestClassifier, ForestClassifier),
    (RandomForestRegressor, ForestRegressor),
    (ExtraTreesClassifier, ForestClassifier),
    (ExtraTreesRegressor, ForestRegressor),
)

# What is not the same.
NOTES = {
    "bootstrap": "the same; samples are drawn in proportion to their weights, and the default is "
    "True as in RandomForest",
    "criterion": 'the same names; `"friedman_mse"` is another name of `"squared_error"`',
    "class_weight": 'the same; with `"balanced_subsample"` every tree draws all classes alike',
    "max_features": "the number of candidate *directions*, which may exceed that of the features; "
    'the default of classifiers is `"auto"`',
    "max_samples": 'the same, and without replacement where `bootstrap=False`; also `"n**0.8"`',
    "min_samples_leaf": "the same; counts distinct samples",
    "min_samples_split": "the same; counts distinct samples",
    "n_estimators": "the same; all others are passed by name",
    "n_jobs": "the same; threads of the core, without joblib",
    "oob_score": "the same; also with `bootstrap=False` and `max_samples`",
    "random_state": "the same; the order of the samples does not matter",
    "verbose": "a progress bar",
    "estimators_": "the trees, each as a forest of one tree that shares the arrays",
    "feature_importances_": "the same; a split along several features is shared among them",
    "decision_path": "the same; nodes are numbered as `apply` numbers them",
}

# What to do instead of what we lack.
INSTEAD = {
    "max_leaf_nodes": "limit trees by `max_depth`, `min_samples_leaf` or `ccp_alpha`",
    "monotonic_cst": "boosted forests have it (`BoostedForestRegressor`)",
    "estimator_": "`clone(forest[0])` is a forest of one tree, not fitted",
}


def public_names(theirs: type) -> tuple[list[str], list[str], list[str]]:
    """The parameters, methods and fitted attributes of one of scikit-learn's classes."""
    parameters = list(inspect.signature(theirs).parameters)
    methods = sorted(
        name
        for name in dir(theirs)
        if not name.startswith("_") and callable(getattr(theirs, name)) and not name.endswith("_")
    )
    section = (theirs.__doc__ or "").split("Attributes\n    ----------")[1].split("See Also")[0]
    attributes = re.findall(r"^    (\w+_) :", section, flags=re.M)
    return parameters, methods, attributes


def ours_has(ours: type, name: str) -> bool:
    """Whether one of our classes has a parameter, method or fitted attribute of this name."""
    documented = re.search(rf"^    (?:\w+, )*{name}(?:, \w+)* :", ours.__doc__ or "", flags=re.M)
    return hasattr(ours, name) or documented is not None


def make_table(kind: int) -> list[str]:
    """The rows of one table; kind is 0 for parameters, 1 for methods, 2 for attributes."""
    rows: dict[str, Any] = {}
    for theirs, ours in PAIRS:
        for name in public_names(theirs)[kind]:
            rows.setdefault(name, []).append((theirs.__name__, ours_has(ours, name)))
    lines = ["| scikit-learn | of | silvan |", "| --- | --- | --- |"]
    for name, found in sorted(rows.items()):
        classes = {
            theirs.removeprefix("RandomForest").removeprefix("ExtraTrees") for theirs, _ in found
        }
        of = "both" if len(classes) == 2 else f"{classes.pop().lower()}s"
        if all(has for _, has in found):
            note = NOTES.get(name, "the same")
        else:
            note = f"not there: {INSTEAD[name]}"
        lines.append(f"| `{name}` | {of} | {note} |")
    return lines


def fill(page: str) -> str:
    """The page with its tables written anew."""
    for kind, name in enumerate(("parameters", "methods", "attributes")):
        table = "\n".join(make_table(kind))
        before, after = page.split(f"<!-- {name} -->")
        page = f"{before}<!-- {name} -->\n{table}\n<!-- end -->{after.split('<!-- end -->', 1)[1]}"
    return page


if __name__ == "__main__":
    PAGE.write_text(fill(PAGE.read_text()))

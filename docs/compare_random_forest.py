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
    "criterion": 'the same names; `"friedman_mse"` is another name for `"squared_error"`',
    "class_weight": 'the same; with `"balanced_subsample"` every tree draws all classes alike',
    "max_features": "the number of candidate *directions*, which may exceed that of the features; "
    'the default of classifiers is `"auto"`, the square root and with the default directions at '
    "least 24",
    "max_samples": 'the same, and without replacement where `bootstrap=False`; also `"n**0.8"`',
    "min_samples_leaf": "the same; counts distinct samples",
    "min_samples_split": "the same; counts distinct samples",
    "monotonic_cst": "the same, where directions are single features "
    "(`projections=AxisAligned()`); also a dictionary of names",
    "n_estimators": "the same; all others are passed by name",
    "n_jobs": "the same; threads of the core, without joblib",
    "oob_score": "the same; also with `bootstrap=False` and `max_samples`",
    "random_state": "the same; the order of the samples does not matter",
    "verbose": "a progress bar",
    "estimators_": "the trees, each as a forest of one tree that shares the arrays",
    "estimators_samples_": "the same, drawn again when asked for; `.copy()` makes a list",
    "feature_importances_": "the same; a split along several features is shared among them",
    "decision_path": "the same; nodes are numbered as `apply` numbers them",
}

# What to do instead of what we lack.
INSTEAD = {
    "estimator_": "`clone(forest[0])` is an unfitted forest of one tree",
}

# What is refused: what is asked for, code that asks for it, words of the answer, and what to do.
REFUSED = (
    (
        "sparse `X` with `scaling=`",
        'ForestClassifier(scaling="rank").fit(csr_array(X), y)',
        "scaling must be None where X is sparse",
        "scale before, with `MaxAbsScaler`, or pass `X.toarray()`",
    ),
    (
        "sparse `X` with `categorical_features=`",
        "ForestClassifier(categorical_features=[0]).fit(csr_array(X), y)",
        "where X is sparse, which has numbers alone",
        "encode categories before, or pass `X.toarray()`",
    ),
    (
        "sparse `X` with large patches or windows",
        "ForestClassifier(projections=Patches((4, 4), max_size=4)).fit(csr_array(X), y)",
        "X must be dense where directions are over large patches",
        "`X.toarray()`",
    ),
    (
        "sparse `X` in boosted and manifold forests",
        "BoostedForestClassifier().fit(csr_array(X), y)",
        "X must be dense in a BoostedForestClassifier",
        "`X.toarray()`, or fewer columns by `TruncatedSVD`, or a bagged forest",
    ),
    (
        "sparse `X` where single values are read, as by `shapley_values`",
        "shapley_values(forest.fit(csr_array(X), y), csr_array(X), background=X)",
        "X must be dense here",
        "`X[rows].toarray()` of the samples in question",
    ),
    (
        "a sparse matrix of labels as `y`",
        "forest.fit(X, csr_array(Y))",
        "sparse multilabel-indicator for y is not supported",
        "`y.toarray()`",
    ),
    (
        'several outputs of classes with `voting="hard"`',
        'ForestClassifier(voting="hard").fit(X, Y)',
        'voting must be "soft" where y has several outputs',
        "`MultiOutputClassifier(forest)`",
    ),
    (
        "several outputs of classes in boosted forests",
        "BoostedForestClassifier().fit(X, Y)",
        "y must have one output in a BoostedForestClassifier",
        "`MultiOutputClassifier(forest)`",
    ),
    (
        "several outputs of classes where probabilities of one are read: ONNX, text, explanations",
        "shapley_values(forest.fit(X, Y), X, background=X)",
        "a classifier of one output here",
        "`MultiOutputClassifier(forest)`",
    ),
    (
        "`monotonic_cst` with directions of several features",
        "ForestClassifier(monotonic_cst=[1] + [0] * 15).fit(X, y == 1)",
        "monotonic_cst must be None where directions have several features",
        "`projections=AxisAligned()`",
    ),
    (
        "`monotonic_cst` with several outputs or more than two classes",
        "ForestClassifier(monotonic_cst=[1] + [0] * 15, projections=AxisAligned()).fit(X, y)",
        "monotonic_cst must be None with more than two classes",
        "a forest for each output or class, as of `OneVsRestClassifier`",
    ),
    (
        "`oob_score=True` where every tree sees every sample",
        "ForestClassifier(bootstrap=False, oob_score=True).fit(X, y)",
        "Out of bag estimation only available if",
        "`bootstrap=True` or `max_samples`",
    ),
    (
        "a criterion that is an object",
        "ForestClassifier(criterion=object()).fit(X, y)",
        "criterion must be one of",
        "its name",
    ),
    (
        "`warm_start=True` on other samples",
        "more = ForestClassifier(5, warm_start=True).fit(X, y)\n"
        "more.set_params(n_estimators=9).fit(X[1:], y[1:])",
        "warm_start=True grows more trees on the same samples",
        "`warm_start=False`",
    ),
    (
        "`sklearn.tree.plot_tree` and `export_text` of a tree, which know scikit-learn's classes",
        "plot_tree(forest.fit(X, y)[0])",
        "must be an instance of",
        "`TreeDisplay` and `to_text`",
    ),
    (
        '`partial_dependence(method="recursion")`, which knows them, too',
        'partial_dependence(ForestRegressor(5).fit(X, y), X, [0], method="recursion")',
        "support the 'recursion' method",
        '`method="auto"`, the default, or `"brute"`',
    ),
    (
        "`shap.TreeExplainer`, which knows no oblique trees",
        "TreeExplainer(forest.fit(X, y))",
        "not yet supported by TreeExplainer",
        "`shapley_values`, [with shap's plots](ecosystem.md#shap)",
    ),
)


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
            note = f"missing; {INSTEAD[name]}"
        lines.append(f"| `{name}` | {of} | {note} |")
    return lines


def list_refused() -> list[str]:
    """The table of what is refused, and what to do instead."""
    rows = [f"| {asked} | {instead} |" for asked, _, _, instead in REFUSED]
    return ["| refused | instead |", "| --- | --- |", *rows]


def fill(page: str) -> str:
    """The page with its tables written anew."""
    names = ("parameters", "methods", "attributes")
    tables = {name: make_table(kind) for kind, name in enumerate(names)}
    for name, lines in (tables | {"refused": list_refused()}).items():
        table = "\n".join(lines)
        before, after = page.split(f"<!-- {name} -->")
        page = f"{before}<!-- {name} -->\n{table}\n<!-- end -->{after.split('<!-- end -->', 1)[1]}"
    return page


if __name__ == "__main__":
    PAGE.write_text(fill(PAGE.read_text()))

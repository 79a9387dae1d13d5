"""Silvan's forests under the names of scikit-learn's, as a plugin that runs its tests with them.

``cd tests/drop_in && python -m pytest -p substitutes --pyargs sklearn.ensemble.tests.test_forest``

Of other files than that, such as ``sklearn.inspection``, the tests that use a forest are run.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass

import pytest
import sklearn.ensemble
from sklearn.base import BaseEstimator

import silvan
from silvan._parameters import growing
from silvan.projections import AxisAligned, ProjectionDistribution


class _SingleFeatures:
    @staticmethod
    def _default_projections() -> ProjectionDistribution:
        return AxisAligned()


@dataclass(kw_only=True, eq=False, repr=False)
class RandomForestClassifier(_SingleFeatures, silvan.ForestClassifier):
    pass


@dataclass(kw_only=True, eq=False, repr=False)
class RandomForestRegressor(_SingleFeatures, silvan.ForestRegressor):
    pass


@dataclass(kw_only=True, eq=False, repr=False)
class ExtraTreesClassifier(_SingleFeatures, silvan.ForestClassifier):
    bootstrap: bool = False
    thresholds: str = growing("random")


@dataclass(kw_only=True, eq=False, repr=False)
class ExtraTreesRegressor(_SingleFeatures, silvan.ForestRegressor):
    bootstrap: bool = False
    thresholds: str = growing("random")


SUBSTITUTES = {
    cls.__name__: cls
    for cls in (
        RandomForestClassifier,
        RandomForestRegressor,
        ExtraTreesClassifier,
        ExtraTreesRegressor,
    )
}

# Tests of what is no forest with targets, or no interface: left out.
NOT_APPLICABLE = {
    "test_random_hasher": "RandomTreesEmbedding",
    "test_random_hasher_sparse_data": "RandomTreesEmbedding",
    "test_random_trees_dense_equal": "RandomTreesEmbedding",
    "test_random_trees_dense_type": "RandomTreesEmbedding",
    "test_random_trees_embedding_feature_names_out": "RandomTreesEmbedding",
    "test_random_trees_embedding_raise_error_oob": "RandomTreesEmbedding",
    "test_validate_y_class_weight": "calls the private method _validate_y_class_weight",
    "test_class_weights_forest": "reads the private attribute _sample_weight",
    "test_max_samples_geq_one": "reads the private attribute _n_samples_bootstrap",
    "test_oob_not_computed_twice": "replaces a private method",
    "test_forest_multioutput_integral_regression_target": "repeats the draws of scikit-learn",
    "test_memory_layout": "reads the splitter of a template tree, which does not exist",
    "test_mse_criterion_object_segfault_smoke_test": "passes a private object as criterion",
    "test_backend_respected": "counts calls of joblib; threads are the core's own",
}
# Tests that fail, and why; a part of the test's parameters may stand in brackets.
DIFFERENT = {
    "test_distribution": "nodes are numbered with the children of a split side by side",
    "test_importances[RandomForestClassifier-gini]": "an integer weight counts as repeated samples",
    "test_importances[RandomForestRegressor-squared_error]": "an integer weight counts as repeated "
    "samples",
    "test_class_weight_errors": "a warm start on other targets is refused in any case",
    "test_max_samples_bootstrap": "max_samples draws without replacement where bootstrap=False",
    "test_friedman_mse_deprecation": "another name of squared_error, which stays",
    "test_recursion_decision_tree_vs_forest_and_gbdt": "where two features divide a node equally "
    "well, the draws of scikit-learn decide",
    "test_set_estimator_drop": "expects the draws of scikit-learn",
    "test_multiclass_raises": "the error has other words",
    "test_multiple_output_raises": "the error has other words",
    "test_bad_monotonic_cst_raises": "the error has other words",
}
if "max_leaf_nodes" not in silvan.ForestClassifier().get_params():
    DIFFERENT["test_max_leaf_nodes_max_depth"] = "trees have no max_leaf_nodes"


def pytest_configure(config: pytest.Config) -> None:
    for name, cls in SUBSTITUTES.items():
        setattr(sklearn.ensemble, name, cls)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    applicable = [item for item in items if _applies(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in applicable])
    items[:] = applicable
    for item in items:
        for test, reason in DIFFERENT.items():
            if _matches(item, test):
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


def _applies(item: pytest.Item) -> bool:
    if "RandomTreesEmbedding" in item.name or not _uses_forest(item):
        return False
    return not any(_matches(item, test) for test in NOT_APPLICABLE)


def _uses_forest(item: pytest.Item) -> bool:
    """Whether a test is one of forests, names one, or has one among its parameters."""
    if item.path.name == "test_forest.py":
        return True
    if any(name in inspect.getsource(item.function) for name in SUBSTITUTES):
        return True
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return any(_has_forest(value) for value in given)


def _has_forest(value: object) -> bool:
    """Whether a value is a forest, its class, or has one inside."""
    if isinstance(value, type):
        return value in SUBSTITUTES.values()
    if isinstance(value, BaseEstimator) and not isinstance(value, tuple(SUBSTITUTES.values())):
        value = value.get_params(deep=False)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return any(map(_has_forest, value))
    return isinstance(value, tuple(SUBSTITUTES.values()))


def _matches(item: pytest.Item, test: str) -> bool:
    function, _, part = test.partition("[")
    name, _, parameters = item.name.partition("[")
    return name == function and part.rstrip("]") in parameters

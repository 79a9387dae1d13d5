"""The native tree equals the NumPy reference tree: same splits, same leaves."""

import numpy as np
import pytest
from growing import draw_rows, estimation_rows, make_options, make_rows
from growing import grow as grow_natively
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from projections.nodes import describe_node
from reference_tree import ReferenceTree, native_nodes

from silvan import _core

SETTINGS = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)


def make_distribution(kind, n_features):
    if kind == "axis":
        return _core.axis_aligned(n_features)
    if kind == "signs":
        return _core.sparse_signs(n_features, 2.0, False)
    if kind == "components":
        return _core.principal_components(n_features, 2, False, 40)
    if kind == "rotation":
        return _core.principal_components(n_features, 2, True, 40)
    if kind == "ridge":
        return _core.ridge_directions(n_features, 2, 1.0, 40)
    if kind == "canonical":
        return _core.canonical_directions(n_features, 3, True, 40, 2)
    return _core.uniform_combinations(n_features, 2)


def make_features(rng, n, p, kind):
    if kind == "ties":
        return rng.integers(0, 4, (n, p)).astype(np.float32)
    if kind == "uint8":
        return rng.integers(0, 256, (n, p)).astype(np.uint8)
    if kind == "skewed":
        return (np.exp(4 * rng.normal(size=(n, p))) * rng.choice([-1, 1], (n, p))).astype(
            np.float32
        )
    X = rng.normal(size=(n, p)).astype(np.float32)
    if kind == "missing":
        X[rng.random((n, p)) < 0.2] = np.nan
    return X


def default_options(**changes):
    return make_options(**({"n_directions": 3, "seed": 0} | changes))


def grow(X, y, weights, distribution, options, *, bootstrap=True, trees=1, honest=0.0):
    n = len(X)
    rows = make_rows(n, replace=bootstrap) | {"estimation_share": honest}
    given = {"rows": rows, "weights": weights, "source": X, "trees": trees}
    return grow_natively(X, y, distribution, options, **given), rows


def assert_tree_equals_reference(arrays, reference):
    native = native_nodes(arrays)
    assert native.keys() == reference.nodes.keys()
    for path, node in reference.nodes.items():
        ours = native[path]
        assert ours["n_samples"] == len(node["rows"])
        assert ours["weight"] == node["weight"]
        assert ours["leaf"] == (node["split"] is None)
        if node["split"] is None:
            np.testing.assert_array_equal(ours["rows"], node["members"])
            value = np.zeros(len(node["value"]))
            for output, v in ours["value"].items():
                value[output] = v
            np.testing.assert_allclose(value, node["value"], rtol=1e-12, atol=1e-12)
        else:
            split = node["split"]
            np.testing.assert_array_equal(ours["indices"], split["indices"])
            np.testing.assert_array_equal(ours["weights"], split["weights"])
            assert ours["threshold"] == split["threshold"]
            assert ours["missing_left"] == split["missing_left"]


def find_estimation_rows(rows, options):
    """List the rows that fill the leaves of the first tree, or give None if it is not honest."""
    estimation = estimation_rows(rows, options["seed"], 0).astype(np.intp)
    return estimation if rows["estimation_share"] else None


def check_classification(
    seed, n, p, n_classes, features, family, options, weighted=False, honest=0.0
):
    rng = np.random.default_rng(seed)
    X = make_features(rng, n, p, features)
    y = rng.integers(0, n_classes, n).astype(np.int32)
    options = default_options(n_outputs=n_classes, seed=seed, **options)
    weights = rng.integers(1, 1024, n) / 256.0 if weighted else None
    distribution = make_distribution(family, p)
    arrays, rows = grow(X, y, weights, distribution, options, honest=honest)
    multiplicity = draw_rows(rows, options["seed"], 0)
    weight = multiplicity * (weights if weighted else 1.0)
    one_hot = np.eye(n_classes)[y]
    kinds = {
        "data": describe_node(X, y, weights, multiplicity),
        "estimation": find_estimation_rows(rows, options),
    }
    reference = ReferenceTree(X, one_hot, weight, distribution, options, **kinds)
    assert_tree_equals_reference(arrays, reference)


FEATURES = st.sampled_from(["normal", "ties", "uint8", "skewed", "missing"])
FAMILIES = st.sampled_from(["axis", "signs", "uniform"])
FITTED = pytest.mark.parametrize("family", ["components", "rotation", "ridge", "canonical"])


@SETTINGS
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 120),
    p=st.integers(1, 6),
    n_classes=st.integers(1, 12),
    features=FEATURES,
    family=FAMILIES,
    leaf=st.sampled_from([1, 1, 1, 2, 5]),
    depth=st.sampled_from([1, 3, 1000]),
)
def test_classification_tree_equals_the_reference(
    seed, n, p, n_classes, features, family, leaf, depth
):
    options = {"min_samples_leaf": leaf, "max_depth": depth}
    check_classification(seed, n, p, n_classes, features, family, options)


@pytest.mark.parametrize("features", ["normal", "ties", "uint8", "skewed", "missing"])
@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("leaf", [1, 7])
def test_large_nodes_equal_the_reference_too(features, n_classes, leaf):
    options = {"min_samples_leaf": leaf, "max_depth": 4}
    for seed in range(3):
        check_classification(seed, 700, 4, n_classes, features, "signs", options)


@SETTINGS
@given(
    seed=st.integers(0, 10**6), n=st.integers(2, 80), features=FEATURES, n_classes=st.integers(2, 5)
)
def test_weighted_tree_equals_the_reference(seed, n, features, n_classes):
    check_classification(seed, n, 3, n_classes, features, "signs", {}, weighted=True)


@pytest.mark.parametrize("features", ["normal", "missing"])
def test_entropy_tree_equals_the_reference(features):
    for seed in range(20):
        check_classification(
            seed, 60, 4, 3, features, "uniform", {"criterion": "entropy", "max_depth": 3}
        )


@SETTINGS
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 150),
    n_outputs=st.integers(1, 3),
    features=FEATURES,
    family=FAMILIES,
    leaf=st.sampled_from([1, 1, 3]),
)
def test_regression_tree_equals_the_reference(seed, n, n_outputs, features, family, leaf):
    check_regression(seed, n, n_outputs, features, family, {"min_samples_leaf": leaf})


@pytest.mark.parametrize("features", ["normal", "ties", "uint8", "skewed", "missing"])
@pytest.mark.parametrize("leaf", [1, 7])
def test_large_regression_nodes_equal_the_reference_too(features, leaf):
    for seed in range(3):
        check_regression(
            seed, 600, 1, features, "signs", {"min_samples_leaf": leaf, "max_depth": 4}
        )


@FITTED
@pytest.mark.parametrize("features", ["normal", "ties", "uint8", "skewed", "missing"])
def test_trees_of_node_fitted_directions_equal_the_reference(family, features):
    for seed in range(3):
        check_classification(seed, 90, 4, 3, features, family, {}, weighted=seed == 2)
        check_regression(seed, 90, 1 + seed, features, family, {})


def check_regression(seed, n, n_outputs, features, family, options, honest=0.0):
    rng = np.random.default_rng(seed)
    X = make_features(rng, n, 4, features)
    y = rng.integers(-512, 512, (n, n_outputs)) / 64.0
    options = default_options(criterion="squared_error", n_outputs=n_outputs, seed=seed, **options)
    distribution = make_distribution(family, 4)
    arrays, rows = grow(X, y, None, distribution, options, honest=honest)
    multiplicity = draw_rows(rows, options["seed"], 0)
    kinds = {
        "data": describe_node(X, y, None, multiplicity),
        "estimation": find_estimation_rows(rows, options),
    }
    reference = ReferenceTree(X, y, multiplicity * 1.0, distribution, options, **kinds)
    assert_tree_equals_reference(arrays, reference)


@SETTINGS
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 120),
    n_classes=st.integers(1, 6),
    features=FEATURES,
    family=FAMILIES,
    share=st.sampled_from([0.1, 0.5, 0.5, 0.9]),
    leaf=st.sampled_from([1, 1, 4]),
    weighted=st.booleans(),
)
def test_honest_classification_tree_equals_the_reference(
    seed, n, n_classes, features, family, share, leaf, weighted
):
    options = {"min_samples_leaf": leaf}
    check_classification(seed, n, 4, n_classes, features, family, options, weighted, share)


@SETTINGS
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 150),
    n_outputs=st.integers(1, 3),
    features=FEATURES,
    family=FAMILIES,
    share=st.sampled_from([0.1, 0.5, 0.9]),
)
def test_honest_regression_tree_equals_the_reference(seed, n, n_outputs, features, family, share):
    check_regression(seed, n, n_outputs, features, family, {}, share)


@pytest.mark.parametrize("features", ["normal", "ties", "uint8", "skewed", "missing"])
def test_large_honest_trees_equal_the_reference_too(features):
    options = {"max_depth": 5}
    for seed in range(2):
        check_classification(seed, 900, 4, 3, features, "signs", options, honest=0.4)
        check_regression(seed, 600, 1, features, "signs", options, honest=0.6)


@FITTED
@pytest.mark.parametrize("features", ["normal", "missing"])
def test_honest_trees_of_node_fitted_directions_equal_the_reference(family, features):
    for seed in range(2):
        check_classification(seed, 90, 4, 3, features, family, {}, honest=0.5)
        check_regression(seed, 90, 1 + seed, features, family, {}, honest=0.5)


@pytest.mark.parametrize("decrease", [0.001, 0.01, 0.05])
def test_min_impurity_decrease_equals_the_reference(decrease):
    for seed in range(10):
        check_classification(seed, 90, 4, 3, "normal", "axis", {"min_impurity_decrease": decrease})


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_min_impurity_decrease_is_a_mean_over_regression_outputs(n_outputs):
    for seed in range(5):
        check_regression(seed, 90, n_outputs, "normal", "axis", {"min_impurity_decrease": 0.5})

"""Trees of the further criteria and limits equal the NumPy reference tree, too."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from projections.nodes import describe_node
from reference_tree import ReferenceTree
from test_reference import (
    FAMILIES,
    FEATURES,
    SETTINGS,
    assert_tree_equals_reference,
    default_options,
    draw_rows,
    find_estimation_rows,
    grow,
    make_distribution,
    make_features,
)


def check(rng, X, y, targets, family, options, *, weighted=False, honest=0.0):
    """`targets` are those of the reference: numbers, or indicators of classes."""
    options = default_options(**options)
    weights = rng.integers(1, 64, len(X)) / 16.0 if weighted else None
    distribution = make_distribution(family, X.shape[1])
    arrays, rows = grow(X, y, weights, distribution, options, honest=honest)
    multiplicity = draw_rows(rows, options["seed"], 0)
    kinds = {
        "data": describe_node(X, y, weights, multiplicity),
        "estimation": find_estimation_rows(rows, options),
    }
    weight = multiplicity * (weights if weighted else 1.0)
    reference = ReferenceTree(X, targets, weight, distribution, options, **kinds)
    assert_tree_equals_reference(arrays, reference)


@SETTINGS
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 100),
    n_outputs=st.integers(1, 3),
    features=FEATURES,
    family=FAMILIES,
    criterion=st.sampled_from(["absolute_error", "poisson"]),
    leaf=st.sampled_from([1, 1, 4]),
    weighted=st.booleans(),
    honest=st.sampled_from([0.0, 0.0, 0.5]),
)
def test_regression_by_other_criteria_equals_the_reference(
    seed, n, n_outputs, features, family, criterion, leaf, weighted, honest
):
    rng = np.random.default_rng(seed)
    X = make_features(rng, n, 4, features)
    low = 0 if criterion == "poisson" else -64
    y = rng.integers(low, 64, (n, n_outputs)) / 8.0
    options = {"criterion": criterion, "n_outputs": n_outputs, "seed": seed}
    options["min_samples_leaf"] = leaf
    check(rng, X, y, y, family, options, weighted=weighted, honest=honest)


@SETTINGS
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 100),
    n_classes=st.lists(st.integers(1, 4), min_size=2, max_size=3),
    features=FEATURES,
    criterion=st.sampled_from(["gini", "entropy"]),
    weighted=st.booleans(),
)
def test_classes_of_several_outputs_equal_the_reference(
    seed, n, n_classes, features, criterion, weighted
):
    rng = np.random.default_rng(seed)
    X = make_features(rng, n, 4, features)
    y = np.column_stack([np.eye(k)[rng.integers(0, k, n)] for k in n_classes])
    if sum(n_classes) == len(n_classes):
        return  # nothing to tell apart, and no criterion of classes takes it
    options = {"criterion": criterion, "n_outputs": sum(n_classes), "n_averaged": len(n_classes)}
    check(rng, X, y, y, "signs", options | {"seed": seed}, weighted=weighted)


@SETTINGS
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 150),
    features=FEATURES,
    criterion=st.sampled_from(["gini", "entropy", "squared_error", "absolute_error"]),
    share=st.sampled_from([0.01, 0.05, 0.2, 0.5]),
    weighted=st.booleans(),
    random=st.booleans(),
)
def test_leaves_of_a_least_weight_equal_the_reference(
    seed, n, features, criterion, share, weighted, random
):
    rng = np.random.default_rng(seed)
    X = make_features(rng, n, 4, features)
    options = {"criterion": criterion, "min_weight_fraction_leaf": share, "seed": seed}
    options["random_thresholds"] = random
    if criterion in ("gini", "entropy"):
        y = rng.integers(0, 3, n).astype(np.int32)
        check(rng, X, y, np.eye(3)[y], "signs", options | {"n_outputs": 3}, weighted=weighted)
    else:
        y = rng.integers(-64, 64, (n, 1)) / 8.0
        check(rng, X, y, y, "signs", options | {"n_outputs": 1}, weighted=weighted)


@pytest.mark.parametrize("features", ["normal", "ties", "missing"])
def test_large_nodes_of_absolute_error_equal_the_reference(features):
    rng = np.random.default_rng(1)
    X = make_features(rng, 600, 3, features)
    y = rng.integers(-512, 512, (600, 1)) / 64.0
    options = {"criterion": "absolute_error", "n_outputs": 1, "max_depth": 3}
    check(rng, X, y, y, "signs", options)

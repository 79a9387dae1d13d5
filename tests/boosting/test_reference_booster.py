"""The native booster grows the trees of the NumPy reference: the same splits, values and scores."""

import numpy as np
import pytest
from boosting.boosters import draw_gradients, draw_table, make_booster
from boosting.reference_booster import ReferenceTree

CASES = {
    "default": {},
    "few leaves": {"max_leaf_nodes": 4},
    "shallow": {"max_depth": 2},
    "large leaves": {"min_samples_leaf": 25},
    "heavy leaves": {"min_child_weight": 20.0},
    "large gains": {"min_gain": 3.0},
    "l2": {"l2": 5.0},
    "l1": {"l1": 2.0},
    "both": {"l1": 1.0, "l2": 1.0, "learning_rate": 1.0},
    "rising": {"monotone": [1, 0, 0, 0, 0]},
    "rising and falling": {"monotone": [1, -1, -1, 1, 0], "l2": 1.0},
    "groups": {"interaction_groups": [[0, 1], [1, 2, 3], [4]]},
}


def grow(X, g, h, **options):
    booster = make_booster(X, **options)
    scores = np.zeros_like(g)
    booster.grow_round(0, g, h, scores, 1)
    return booster.take_trees(), scores


def assert_same_tree(arrays, reference, tree=0):
    """Tree number `tree` of the arrays, whose nodes follow those of the trees before."""
    nodes = slice(*arrays["tree_offsets"][tree : tree + 2])
    terms = slice(*arrays["direction_indptr"][[nodes.start, nodes.stop]])
    values = slice(*arrays["value_indptr"][arrays["leaf_offsets"][tree : tree + 2]])
    for name, expected in reference.arrays().items():
        place = {"direction_indices": terms, "values": values}.get(name, nodes)
        actual = arrays[name][place]
        if np.asarray(expected).dtype.kind == "f":
            np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=1e-9, err_msg=name)
        else:
            np.testing.assert_array_equal(actual, expected, err_msg=name)


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("case", CASES)
def test_trees_equal_the_reference(case, missing):
    X = draw_table(300, 5, missing=missing)
    g, h = draw_gradients(300, 1)
    arrays, scores = grow(X, g, h, **CASES[case])
    reference = ReferenceTree(X, g, h, **CASES[case])
    assert len(reference.nodes) > 1
    assert_same_tree(arrays, reference)
    # Bounds of constrained values are from the rounded sums that splits are found by.
    np.testing.assert_allclose(scores, reference.predict(X), rtol=1e-7)


def test_trees_without_a_limit_split_the_same_nodes_in_another_order():
    X = draw_table(200, 3, missing=0.1)
    g, h = draw_gradients(200, 1)
    arrays, scores = grow(X, g, h, max_leaf_nodes=0, min_samples_leaf=5)
    reference = ReferenceTree(X, g, h, max_leaf_nodes=0, min_samples_leaf=5)
    assert len(arrays["left"]) == len(reference.nodes)
    np.testing.assert_allclose(scores, reference.predict(X), rtol=1e-9)


def test_equal_hessians_change_no_split():
    X = draw_table(300, 9, missing=0.1)
    g, _ = draw_gradients(300, 1)
    h = np.full_like(g, 0.75)
    arrays, _ = grow(X, g, h, l2=0.5)
    assert_same_tree(arrays, ReferenceTree(X, g, h, l2=0.5))


@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_every_output_has_its_tree(missing):
    X = draw_table(250, 4, missing=missing)
    g, h = draw_gradients(250, 3)
    arrays, scores = grow(X, g, h)
    for k in range(3):
        reference = ReferenceTree(X, g[:, [k]], h[:, [k]])
        assert_same_tree(arrays, reference, tree=k)
        np.testing.assert_allclose(scores[:, [k]], reference.predict(X), rtol=1e-9)
    n_leaves = np.diff(arrays["leaf_offsets"])
    np.testing.assert_array_equal(arrays["value_outputs"], np.repeat([0, 1, 2], n_leaves))


def test_vector_leaves_add_up_the_gains_of_all_outputs():
    X = draw_table(250, 4, missing=0.1)
    g, h = draw_gradients(250, 3)
    h[:, 1] = 1.0
    arrays, scores = grow(X, g, h, vector_leaves=True, l2=1.0)
    reference = ReferenceTree(X, g, h, l2=1.0)
    assert_same_tree(arrays, reference)
    np.testing.assert_allclose(scores, reference.predict(X), rtol=1e-9)
    np.testing.assert_array_equal(arrays["value_outputs"], np.tile([0, 1, 2], 31))

"""What every projection distribution promises; one suite over the registry."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from growing import sample_directions
from projections.nodes import describe_node
from projections.registry import CASES, named
from sklearn.base import clone

from silvan import ForestClassifier, _core
from silvan.projections import Node

all_cases = pytest.mark.parametrize("case", CASES, ids=named)

# 64 and 65 are the last that fit in a word and the first that do not.
SHAPES = [(1, 1), (3, 1), (2, 3), (4, 5), (50, 5), (20, 64), (20, 65), (3, 300)]


def draw(case, n_directions, n_features, seed=0):
    return case.build(n_features).draw(n_directions, n_features, random_state=seed)


@all_cases
@pytest.mark.parametrize(("n_directions", "n_features"), SHAPES)
def test_directions_are_sorted_distinct_in_range_and_never_empty(case, n_directions, n_features):
    for seed in range(5):
        directions = draw(case, n_directions, n_features, seed)
        n_drawn = directions.shape[0]
        assert directions.shape[1] == n_features
        assert case.fewest(n_directions, n_features) <= n_drawn
        assert n_drawn <= case.max_drawn(n_directions, n_features)
        for start, end in pairwise(directions.indptr):
            features = directions.indices[start:end]
            assert len(features) > 0
            assert (np.diff(features) > 0).all()
            assert 0 <= features[0] <= features[-1] < n_features
        assert np.isfinite(directions.data).all()
        assert (directions.data != 0).all()


@all_cases
def test_the_same_seed_gives_the_same_directions_and_another_gives_others(case):
    first, again, other = (draw(case, 8, 40, seed).toarray() for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@all_cases
def test_nodes_and_trees_have_directions_of_their_own(case):
    native = case.build(40)._to_native(40)
    drawn = [
        tuple(map(bytes, sample_directions(native, 5, tree, path, 8)))
        for tree in (0, 1)
        for path in ("", "L", "R", "LR", "RL")
    ]
    assert len(set(drawn)) == len(drawn)


@all_cases
def test_a_split_is_one_of_the_directions_that_its_node_draws(case):
    """So what a node draws depends on its place and rows, not on the nodes grown before it."""
    X = np.random.default_rng(0).normal(size=(200, 12)).astype(np.float32)
    y = (X[:, :3].sum(axis=1) > 0).astype(int)
    projections = case.build(12)
    fitted = ForestClassifier(2, projections=projections, max_features=4, random_state=0).fit(X, y)
    forest, native = fitted.forest_, projections._to_native(12)
    for tree in range(2):
        rows = describe_node(X, y.astype(np.int32), None, fitted._sampling.multiplicities(tree))
        node_rows = rows_of_nodes(forest, tree)
        paths = {0: ""}
        start = forest.tree_offsets[tree]
        for node in range(forest.tree_offsets[tree + 1] - start):
            left, path = forest.left[start + node], paths[node]
            if left < 0:
                continue
            paths[left], paths[left + 1] = path + "L", path + "R"
            nonzeros = slice(*forest.direction_indptr[[start + node, start + node + 1]])
            chosen = (
                forest.direction_indices[nonzeros].tolist(),
                forest.direction_coefficients[nonzeros].tolist(),
            )
            indptr, indices, weights = sample_directions(
                native,
                fitted._sampling.seed,
                tree,
                path,
                4,
                rows=rows | {"samples": node_rows[node]},
            )
            drawn = [(indices[a:b].tolist(), weights[a:b].tolist()) for a, b in pairwise(indptr)]
            assert chosen in drawn


def rows_of_nodes(forest, tree):
    """The training rows of each node, ascending: those of the leaves below it."""
    start, end = forest.tree_offsets[[tree, tree + 1]]
    rows = {}
    for node in reversed(range(end - start)):
        left = forest.left[start + node]
        if left < 0:
            leaf = forest.leaf_offsets[tree] - 1 - left
            members = forest.members[slice(*forest.member_indptr[[leaf, leaf + 1]])]
            rows[node] = np.sort(members).astype(np.uint32)
        else:
            rows[node] = np.sort(np.concatenate([rows[left], rows[left + 1]]))
    return rows


@all_cases
def test_parameters_can_be_read_set_cloned_and_pickled(case):
    distribution = case.build(6)
    for copy in (
        clone(distribution),
        pickle.loads(pickle.dumps(distribution)),
        clone(distribution).set_params(**distribution.get_params()),
    ):
        assert copy == distribution
        assert copy is not distribution
        assert np.array_equal(
            copy.draw(5, 6, random_state=3).toarray(),
            distribution.draw(5, 6, random_state=3).toarray(),
        )


@all_cases
def test_repr_is_one_short_line_with_the_class_in_front(case):
    text = repr(case.build(6))
    assert text.startswith(type(case.build(6)).__name__ + "(")
    assert len(text) < 120
    assert "\n" not in text


@all_cases
def test_an_unknown_parameter_is_named_in_the_error(case):
    with pytest.raises(ValueError, match="Invalid parameter 'nonsense'"):
        case.build(6).set_params(nonsense=1)


@all_cases
def test_the_numpy_reference_gives_directions_of_the_same_shape(case):
    distribution = case.build(5)
    directions = distribution.sample(Node(5, 7), np.random.default_rng(0))
    assert case.fewest(7, 5) <= directions.shape[0] <= case.max_drawn(7, 5)
    assert directions.shape[1] == 5
    assert (np.diff(directions.indptr) > 0).all()


@pytest.mark.parametrize("n", [0, -1, 2.5, "many", None, True])
def test_draw_checks_the_numbers_of_directions_and_features(n):
    distribution = CASES[0].build(3)
    with pytest.raises(ValueError, match="n_directions must be an integer >= 1"):
        distribution.draw(n, 3)
    with pytest.raises(ValueError, match="n_features must be an integer >= 1"):
        distribution.draw(3, n)


@pytest.mark.parametrize("path", ["l", "LX", "0"])
def test_a_path_holds_left_and_right_only(path):
    with pytest.raises(ValueError, match="path may hold L and R only"):
        sample_directions(_core.axis_aligned(3), 0, 0, path, 1)

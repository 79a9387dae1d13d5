"""Forest weights, quantiles and importances against plain references."""

import numpy as np
import pytest

from silvan import ForestClassifier, ForestRegressor
from silvan.forests import weights as weights_module
from silvan.projections import AxisAligned


def weights_by_loops(forest, queries):
    """alpha_i(x) from its definition, one query and one tree at a time."""
    arrays = forest.forest_
    nodes = forest.apply(queries)
    alpha = np.zeros((len(queries), forest._sampling.plan.n_samples))
    for tree in range(arrays.n_trees):
        drawn_weights = forest._sampling.drawn_weights(tree)
        for i in range(len(queries)):
            leaf = (
                arrays.leaf_offsets[tree]
                - 1
                - arrays.left[arrays.tree_offsets[tree] + nodes[i, tree]]
            )
            members = arrays.members[slice(*arrays.member_indptr[leaf : leaf + 2])]
            alpha[i, members] += drawn_weights[members] / drawn_weights[members].sum()
    return alpha / arrays.n_trees


CASES = {
    "bootstrap": {},
    "weighted bootstrap": {"weighted": True},
    "weights": {"weighted": True, "bootstrap": False},
    "no bootstrap": {"bootstrap": False},
    "subsample": {"bootstrap": False, "max_samples": 0.5},
    "stumps": {"max_depth": 1},
}


@pytest.fixture(params=CASES)
def case(request):
    parameters = {"n_estimators": 15, "random_state": 0, "min_samples_leaf": 3} | CASES[
        request.param
    ]
    weighted = parameters.pop("weighted", False)
    weight = np.random.default_rng(0).exponential(size=150) if weighted else None
    if weighted:
        weight[::4] = 0.0
    return parameters, weight


def test_weights_are_the_mean_share_in_the_leaves(case, numeric):
    parameters, weight = case
    X, y = numeric
    forest = ForestRegressor(**parameters).fit(X, y, weight)
    alpha = forest.forest_weights(X[:30])
    assert alpha.shape == (30, len(X))
    assert alpha.has_sorted_indices
    np.testing.assert_allclose(alpha.sum(axis=1), 1.0)
    np.testing.assert_allclose(alpha.toarray(), weights_by_loops(forest, X[:30]), atol=1e-14)


def test_weighted_targets_are_the_predictions(case, numeric, two_outputs):
    parameters, weight = case
    for X, y in (numeric, two_outputs):
        forest = ForestRegressor(**parameters).fit(X, y, weight)
        np.testing.assert_allclose(forest.forest_weights(X) @ y, forest.predict(X), rtol=1e-9)


def test_weighted_indicators_are_the_probabilities(case, labelled):
    parameters, weight = case
    X, y = labelled
    forest = ForestClassifier(**parameters, class_weight="balanced").fit(X, y, weight)
    np.testing.assert_allclose(
        forest.forest_weights(X) @ np.eye(3)[y], forest.predict_proba(X), atol=1e-12
    )


def test_groups_of_trees_and_blocks_of_queries_change_nothing(numeric, monkeypatch):
    X, y = numeric
    forest = ForestRegressor(15, random_state=0, min_samples_leaf=4).fit(X, y)
    alpha, quantiles = forest.forest_weights(X), forest.predict_quantiles(X, [0.2, 0.7])
    monkeypatch.setattr(weights_module, "_ENTRIES_AT_ONCE", 250)
    np.testing.assert_allclose(forest.forest_weights(X).toarray(), alpha.toarray(), atol=1e-15)
    np.testing.assert_array_equal(forest.predict_quantiles(X, [0.2, 0.7]), quantiles)


def quantile_by_loops(alpha, y, q):
    order = np.argsort(y, kind="stable")
    distribution = np.cumsum(alpha[:, order], axis=1)
    reached = distribution >= q - 1e-9
    return y[order][reached.argmax(axis=1)]


def test_quantiles_invert_the_weighted_distribution_function(case, numeric):
    parameters, weight = case
    X, y = numeric
    y = np.round(y)
    forest = ForestRegressor(**parameters).fit(X, y, weight)
    alpha = weights_by_loops(forest, X[:40])
    levels = [0.05, 0.25, 0.5, 0.9, 1.0]
    quantiles = forest.predict_quantiles(X[:40], levels)
    assert quantiles.shape == (40, 5)
    for k, q in enumerate(levels):
        np.testing.assert_array_equal(quantiles[:, k], quantile_by_loops(alpha, y, q))
    assert (np.diff(quantiles, axis=1) >= 0).all()


def test_quantiles_of_a_stump_are_sample_quantiles():
    X = np.zeros((8, 1))
    y = np.arange(8.0)
    forest = ForestRegressor(3, bootstrap=False, random_state=0).fit(X, y)
    levels = np.arange(1, 9) / 8
    np.testing.assert_array_equal(forest.predict_quantiles(X[:1], levels)[0], y)
    assert forest.predict_quantiles(X[:1], 0.0) == 0.0


def test_single_level_and_several_outputs_have_their_shapes(numeric, two_outputs):
    X, y = numeric
    forest = ForestRegressor(5, random_state=0).fit(X, y)
    assert forest.predict_quantiles(X[:7]).shape == (7,)
    assert forest.predict_quantiles(X[:7], [0.5]).shape == (7, 1)
    np.testing.assert_array_equal(
        forest.predict_quantiles(X[:7]), forest.predict_quantiles(X[:7], [0.5])[:, 0]
    )
    X, Y = two_outputs
    both = ForestRegressor(5, random_state=0).fit(X, Y)
    assert both.predict_quantiles(X[:7]).shape == (7, 2)
    quantiles = both.predict_quantiles(X[:7], [0.1, 0.5, 0.9])
    assert quantiles.shape == (7, 3, 2)
    alpha = weights_by_loops(both, X[:7])
    np.testing.assert_array_equal(quantiles[:, 2, 1], quantile_by_loops(alpha, Y[:, 1], 0.9))


@pytest.mark.parametrize("q", [-0.1, 1.5, np.nan, [], [[0.5]]])
def test_levels_outside_the_unit_interval_are_refused(numeric, q):
    X, y = numeric
    forest = ForestRegressor(2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"q must be a level in \[0, 1\]"):
        forest.predict_quantiles(X, q)


def importances_by_loops(forest):
    arrays = forest.forest_
    total = np.zeros(arrays.n_features)
    for tree in range(arrays.n_trees):
        first, end = arrays.tree_offsets[tree : tree + 2]
        own = np.zeros(arrays.n_features)
        for node in range(first, end):
            if arrays.left[node] < 0:
                continue
            left = first + arrays.left[node]
            spread = arrays.weight * arrays.impurity.astype(np.float64)
            gain = spread[node] - spread[left] - spread[left + 1]
            entries = slice(*arrays.direction_indptr[node : node + 2])
            share = np.abs(arrays.direction_coefficients[entries])
            if forest.fitted_.spreads is not None:
                share = share * forest.fitted_.spreads[arrays.direction_indices[entries]]
            own[arrays.direction_indices[entries]] += gain * share / share.sum()
        total += own / own.sum() if own.sum() > 0 else 0
    return total / total.sum()


@pytest.mark.parametrize("projections", [None, AxisAligned()], ids=["sparse", "axes"])
def test_importances_share_gains_by_absolute_weight(numeric, labelled, projections):
    for forest, (X, y) in (
        (ForestRegressor(6, projections=projections, max_depth=4, random_state=0), numeric),
        (ForestClassifier(6, projections=projections, random_state=0), labelled),
    ):
        forest.fit(X, y)
        assert forest.feature_importances_.sum() == pytest.approx(1)
        np.testing.assert_allclose(
            forest.feature_importances_, importances_by_loops(forest), atol=1e-6
        )
        assert forest._importances is forest._importances  # computed once


def test_importances_follow_a_new_fit(numeric):
    X, y = numeric
    forest = ForestRegressor(10, projections=AxisAligned(), random_state=0).fit(X, y)
    before = forest.feature_importances_
    after = forest.fit(X[:, ::-1], y).feature_importances_
    assert before.argmax() == 5 - after.argmax()


def test_importances_without_splits_are_zero():
    forest = ForestClassifier(3, random_state=0).fit(np.ones((5, 2)), [0, 1, 0, 1, 0])
    np.testing.assert_array_equal(forest.feature_importances_, [0.0, 0.0])
    np.testing.assert_allclose(forest.predict_proba([[1, 1]]).sum(), 1)

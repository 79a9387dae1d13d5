"""Single trees' predictions, and out-of-bag errors as the forest grows."""

from contextlib import nullcontext

import numpy as np
import pytest
from sklearn.datasets import load_digits

from silvan import ForestClassifier, ForestRegressor, ManifoldForestClassifier
from silvan.inspection import out_of_bag_curve, out_of_bag_mask, tree_predictions


def drawn(forest):
    sampling = forest._sampling
    return np.array([sampling.drawn_weights(t) > 0 for t in range(forest.forest_.n_trees)]).T


@pytest.mark.parametrize("max_depth", [None, 3])
def test_trees_vote_as_forests_of_one_tree(labelled, max_depth):
    X, y = labelled
    forest = ForestClassifier(6, max_depth=max_depth, random_state=0).fit(X, y)
    votes = tree_predictions(forest, X)
    assert votes.shape == (120, 6)
    hard = ForestClassifier(6, max_depth=max_depth, voting="hard", random_state=0).fit(X, y)
    whole = 0
    for tree in range(6):
        one = ForestClassifier(1, voting="hard")
        one.__dict__.update(hard.__dict__, forest_=hard.forest_.tree(tree))
        share = one.predict_proba(X)
        voted = np.searchsorted(forest.classes_, votes[:, tree])
        assert (share[np.arange(120), voted] == share.max(axis=1)).all()
        whole += np.count_nonzero(share.max(axis=1) == 1)
    assert whole > 600


def test_ties_of_a_leaf_go_to_either_class():
    y = np.repeat([0, 1], 20)
    X = np.zeros((40, 1))
    forest = ForestClassifier(400, bootstrap=False, random_state=0).fit(X, y)
    votes = tree_predictions(forest, X[:1])[0]
    assert 150 < votes.sum() < 250
    more = ForestClassifier(410, bootstrap=False, random_state=0).fit(X, y)
    np.testing.assert_array_equal(tree_predictions(more, X[:1])[0, :400], votes)


def test_trees_of_a_regressor_average_to_the_forest(numeric):
    X, y = numeric
    forest = ForestRegressor(7, random_state=0).fit(X, y)
    np.testing.assert_allclose(tree_predictions(forest, X).mean(axis=1), forest.predict(X))
    both = ForestRegressor(7, random_state=0).fit(X, np.column_stack([y, -y]))
    assert tree_predictions(both, X).shape == (80, 7, 2)
    np.testing.assert_allclose(tree_predictions(both, X).mean(axis=1), both.predict(X))


@pytest.mark.parametrize("n_trees", [1, 8, 13])
def test_mask_is_true_where_a_tree_did_not_draw_the_row(labelled, n_trees):
    forest = ForestClassifier(n_trees, random_state=3).fit(*labelled)
    np.testing.assert_array_equal(out_of_bag_mask(forest), ~drawn(forest))


def test_rows_of_weight_zero_are_never_out_of_bag(labelled):
    X, y = labelled
    weight = np.ones(120)
    weight[[3, 50]] = 0
    forest = ForestClassifier(9, random_state=0).fit(X, y, weight)
    mask = out_of_bag_mask(forest)
    assert not mask[[3, 50]].any()
    others = weight > 0
    np.testing.assert_array_equal(mask[others], ~drawn(forest)[others])


@pytest.mark.parametrize("voting", ["soft", "hard"])
def test_curve_is_the_error_of_each_shorter_forest(labelled, voting):
    X, y = labelled
    options = {"voting": voting, "max_depth": 4, "random_state": 0}
    forest = ForestClassifier(12, **options).fit(X, y)
    curve = out_of_bag_curve(forest, X, y)
    # A forest of fewer trees has the first of these trees.
    for n_trees in (1, 2, 5, 12):
        shorter = ForestClassifier(n_trees, **options).fit(X, y)
        with (
            pytest.warns(UserWarning, match="drawn by every tree")
            if n_trees < 12
            else nullcontext()
        ):
            shorter.set_params(oob_score=True).fit(X, y)
        assert curve[n_trees - 1] == pytest.approx(1 - shorter.oob_score_)


def test_curve_of_a_regressor_is_the_mean_squared_error(numeric):
    X, y = numeric
    targets = np.column_stack([y, y**2])
    forest = ForestRegressor(10, random_state=0).fit(X, targets)
    out = ~drawn(forest)
    predictions = tree_predictions(forest, X)
    curve = out_of_bag_curve(forest, X, targets)
    for t in range(10):
        seen = out[:, : t + 1].any(axis=1)
        means = [
            predictions[i, : t + 1][out[i, : t + 1]].mean(axis=0) for i in np.flatnonzero(seen)
        ]
        assert curve[t] == pytest.approx(((np.array(means) - targets[seen]) ** 2).mean())


def test_curve_does_not_depend_on_the_size_of_blocks(labelled, monkeypatch):
    X, y = labelled
    forest = ForestClassifier(10, random_state=0).fit(X, y)
    whole = out_of_bag_curve(forest, X, y)
    monkeypatch.setattr("silvan.forests.weights._ENTRIES_AT_ONCE", 200)
    np.testing.assert_allclose(out_of_bag_curve(forest, X, y), whole)


@pytest.mark.parametrize("change", ["fewer", "features", "targets", "order"])
def test_other_rows_than_those_of_training_are_refused(labelled, change):
    X, y = labelled
    forest = ForestClassifier(5, random_state=0).fit(X, y)
    others = {
        "fewer": (X[:60], y[:60]),
        "features": (X + 1, y),
        "targets": (X, np.roll(y, 1)),
        "order": (X[::-1], y[::-1]),
    }
    with pytest.raises(ValueError, match="must be the 120 training samples, in order"):
        out_of_bag_curve(forest, *others[change])


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.uint8])
def test_rows_of_any_type_are_recognised(dtype):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 9, (50, 4)).astype(dtype), rng.integers(0, 2, 50)
    weight = rng.integers(0, 3, 50)
    forest = ForestClassifier(20, random_state=0).fit(X, y, weight)
    assert 0 < out_of_bag_curve(forest, X, y)[-1] < 1


def test_images_are_recognised_as_they_were_given():
    digits = load_digits()
    X, y = digits.images[:200], digits.target[:200]
    forest = ManifoldForestClassifier(20, oob_score=True, random_state=0).fit(X, y)
    assert out_of_bag_curve(forest, X, y)[-1] == pytest.approx(1 - forest.oob_score_)


@pytest.mark.parametrize(
    "options", [{"scaling": "rank"}, {"scaling": "standard"}, {"honest": True}], ids=str
)
def test_scaled_and_honest_forests_know_their_rows(labelled, options):
    forest = ForestClassifier(40, oob_score=True, random_state=0, **options).fit(*labelled)
    assert out_of_bag_curve(forest, *labelled)[-1] == pytest.approx(1 - forest.oob_score_)


def test_trees_that_see_all_rows_have_no_error_out_of_bag(labelled):
    forest = ForestClassifier(3, bootstrap=False).fit(*labelled)
    with pytest.raises(ValueError, match="nothing is out of bag; fit with bootstrap"):
        out_of_bag_curve(forest, *labelled)

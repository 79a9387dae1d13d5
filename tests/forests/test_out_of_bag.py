"""Out-of-bag estimates against a direct count over the trees."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, mean_absolute_error, r2_score

from silvan import ForestClassifier, ForestRegressor, _core
from silvan.forest_arrays import ForestArrays


def tree_predictions(forest, X, hard=False):
    """Leaf values of each tree at each row, of shape (n_trees, n_rows, n_outputs)."""
    arrays: ForestArrays = forest.forest_
    nodes = forest.apply(X)
    predictions = np.zeros((arrays.n_trees, len(X), arrays.n_outputs))
    for tree in range(arrays.n_trees):
        leaf = (
            arrays.leaf_offsets[tree] - 1 - arrays.left[arrays.tree_offsets[tree] + nodes[:, tree]]
        )
        for row, start, end in zip(
            range(len(X)), arrays.value_indptr[leaf], arrays.value_indptr[leaf + 1], strict=True
        ):
            predictions[tree, row, arrays.value_outputs[start:end]] = arrays.values[start:end]
    if hard:
        best = predictions == predictions.max(axis=2, keepdims=True)
        return best / best.sum(axis=2, keepdims=True)
    return predictions


def out_of_bag_means(forest, X, hard=False):
    sampling = forest._sampling
    out = np.array([sampling.drawn_weights(t) == 0 for t in range(forest.forest_.n_trees)])
    predictions = tree_predictions(forest, X, hard)
    with np.errstate(invalid="ignore"):
        return (predictions * out[:, :, None]).sum(axis=0) / out.sum(axis=0)[:, None]


@pytest.mark.parametrize("voting", ["soft", "hard"])
def test_decision_function_is_the_mean_over_trees_that_did_not_draw_the_row(labelled, voting):
    X, y = labelled
    forest = ForestClassifier(40, voting=voting, oob_score=True, random_state=0).fit(X, y)
    expected = out_of_bag_means(forest, X, voting == "hard")
    np.testing.assert_allclose(forest.oob_decision_function_, expected, atol=1e-12)
    assert forest.oob_score_ == accuracy_score(y, expected.argmax(axis=1))
    assert 0.5 < forest.oob_score_ < forest.score(X, y)


def test_predictions_are_the_mean_over_trees_that_did_not_draw_the_row(two_outputs):
    X, y = two_outputs
    forest = ForestRegressor(40, oob_score=True, random_state=0).fit(X, y)
    expected = out_of_bag_means(forest, X)
    np.testing.assert_allclose(forest.oob_prediction_, expected)
    assert forest.oob_score_ == pytest.approx(r2_score(y, expected))


def test_single_output_predictions_are_one_dimensional(numeric):
    X, y = numeric
    forest = ForestRegressor(40, oob_score=mean_absolute_error, random_state=0).fit(X, y)
    assert forest.oob_prediction_.shape == y.shape
    assert forest.oob_score_ == pytest.approx(mean_absolute_error(y, forest.oob_prediction_))


def test_subsamples_without_replacement_have_out_of_bag_rows(labelled):
    X, y = labelled
    forest = ForestClassifier(
        30, bootstrap=False, max_samples=0.6, oob_score=True, random_state=0
    ).fit(X, y)
    np.testing.assert_allclose(
        forest.oob_decision_function_, out_of_bag_means(forest, X), atol=1e-12
    )


def test_callable_score_gets_labels(labelled):
    X, y = labelled
    names = np.array(["x", "y", "z"])[y]
    seen = []

    def score(y_true, y_pred):
        seen.extend([set(y_true), set(y_pred)])
        return 0.25

    forest = ForestClassifier(30, oob_score=score, random_state=0).fit(X, names)
    assert forest.oob_score_ == 0.25
    assert seen == [{"x", "y", "z"}] * 2


def test_rows_that_every_tree_drew_are_missing_and_reported(labelled):
    X, y = labelled
    forest = ForestClassifier(2, oob_score=True, random_state=0)
    with pytest.warns(
        UserWarning, match=r"\d+ of 150 samples were drawn by every tree .* more trees"
    ):
        forest.fit(X, y)
    never = np.isnan(forest.oob_decision_function_).all(axis=1)
    drawn = [forest._sampling.multiplicities(tree) > 0 for tree in range(2)]
    np.testing.assert_array_equal(never, np.logical_and(*drawn))
    assert forest.oob_score_ == accuracy_score(
        y[~never], forest.oob_decision_function_[~never].argmax(axis=1)
    )


def test_rows_of_weight_zero_take_no_part(labelled):
    X, y = labelled
    weight = np.ones(len(y))
    weight[:20] = 0
    forest = ForestClassifier(40, oob_score=True, random_state=0).fit(X, y, weight)
    assert np.isnan(forest.oob_decision_function_[:20]).all()
    without = ForestClassifier(40, oob_score=True, random_state=0).fit(X[20:], y[20:])
    np.testing.assert_array_equal(
        forest.oob_decision_function_[20:], without.oob_decision_function_
    )
    assert forest.oob_score_ == without.oob_score_


def test_single_sample_out_of_bag_has_no_score_and_no_warning_but_ours(numeric):
    X, y = numeric
    forest = ForestRegressor(1, bootstrap=False, max_samples=len(y) - 1, oob_score=True)
    with pytest.warns(UserWarning, match=f"{len(y) - 1} of {len(y)} samples") as caught:
        forest.fit(X, y)
    assert len(caught) == 1
    assert np.isfinite(forest.oob_prediction_).sum() == 1
    assert np.isnan(forest.oob_score_)


def test_estimates_are_forgotten_by_a_fit_without_them(labelled):
    X, y = labelled
    forest = ForestClassifier(30, oob_score=True, random_state=0).fit(X, y)
    forest.set_params(oob_score=False).fit(X, y)
    assert not hasattr(forest, "oob_score_")
    assert not hasattr(forest, "oob_decision_function_")


def test_warm_start_updates_the_estimate(labelled):
    X, y = labelled
    forest = ForestClassifier(20, oob_score=True, warm_start=True, random_state=0).fit(X, y)
    forest.set_params(n_estimators=40).fit(X, y)
    at_once = ForestClassifier(40, oob_score=True, random_state=0).fit(X, y)
    np.testing.assert_array_equal(forest.oob_decision_function_, at_once.oob_decision_function_)


def test_core_draws_rows_as_the_estimator_says(numeric):
    X, y = numeric
    forest = ForestRegressor(3, random_state=0).fit(X, y)
    sampling = forest._sampling
    for tree in range(3):
        draws = _core.draw_samples(sampling.native(), sampling.seed, tree)
        np.testing.assert_array_equal(draws, sampling.multiplicities(tree))
        assert draws.sum() == len(y)

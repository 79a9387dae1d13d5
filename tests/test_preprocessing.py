"""Ranks of features: ties, unseen values, missing values, weights, scikit-learn's contract."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from silvan import ForestClassifier
from silvan.preprocessing import RankScaler


@parametrize_with_checks([RankScaler()])
def test_scaler_keeps_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def rank_by_definition(values, x):
    """Rank of one new value, by the words of Tomita 2.2.5."""
    values = np.sort(values)
    if np.isnan(x) or len(values) == 0:
        return np.nan
    if x < values[0]:
        return 0.0
    if x > values[-1]:
        return len(values) + 1.0
    ranks = rankdata(values)
    if x in values:
        return ranks[values == x][0]
    above = int(np.argmax(values > x))
    share = (x - values[above - 1]) / (values[above] - values[above - 1])
    return ranks[above - 1] + share * (ranks[above] - ranks[above - 1])


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    training=st.lists(st.integers(-5, 5) | st.just(None), min_size=1, max_size=12),
    new=st.lists(st.floats(-7, 7, width=32) | st.just(np.nan), min_size=1, max_size=8),
)
def test_ranks_follow_their_definition(training, new):
    column = np.array([np.nan if v is None else v for v in training], dtype=float)
    scaler = RankScaler().fit(column[:, None])
    seen = column[~np.isnan(column)]
    np.testing.assert_array_equal(
        scaler.transform(column[:, None])[:, 0], [rank_by_definition(seen, v) for v in column]
    )
    np.testing.assert_allclose(
        scaler.transform(np.array(new)[:, None])[:, 0],
        [rank_by_definition(seen, v) for v in new],
        rtol=1e-12,
    )


def test_training_ranks_are_those_of_scipy():
    X = np.random.default_rng(0).integers(0, 30, (200, 3)).astype(np.float32)
    ranks = RankScaler().fit_transform(X)
    np.testing.assert_array_equal(ranks, rankdata(X, axis=0))


def test_ranks_do_not_change_under_increasing_transformations():
    X = np.random.default_rng(0).normal(size=(100, 3))
    np.testing.assert_array_equal(
        RankScaler().fit_transform(X), RankScaler().fit_transform(np.exp(X) * 1e5)
    )


@pytest.mark.parametrize(
    ("given", "returned"),
    [("float32", "float32"), ("uint8", "float32"), ("float64", "float64"), ("int64", "float64")],
)
def test_small_types_stay_small(given, returned):
    X = np.array([[3], [1], [2], [1]], dtype=given)
    ranks = RankScaler().fit_transform(X)
    assert ranks.dtype == returned
    np.testing.assert_array_equal(ranks[:, 0], [4, 1.5, 3, 1.5])


def test_integer_weights_are_repeated_rows_and_zero_weights_no_rows():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (40, 2)).astype(float)
    weight = rng.integers(0, 4, 40)
    weighted = RankScaler().fit(X, sample_weight=weight)
    repeated = RankScaler().fit(np.repeat(X, weight, axis=0))
    new = rng.uniform(-1, 7, (50, 2))
    np.testing.assert_array_equal(weighted.transform(new), repeated.transform(new))


def test_of_fractional_weights_only_the_ratios_count():
    X = np.array([[1.0], [2.0], [4.0]])
    ranks = [
        RankScaler().fit(X, sample_weight=scale * np.array([0.5, 1.5, 1.0])).transform(X)
        for scale in (1.0, 0.3)
    ]
    np.testing.assert_allclose(ranks[0], ranks[1], rtol=1e-12)
    np.testing.assert_allclose(ranks[0][:, 0], [0.75, 1.75, 3.0])


def test_order_of_weighted_rows_changes_nothing():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (60, 2)).astype(float)
    weight = rng.exponential(size=60)
    shuffled = rng.permutation(60)
    one = RankScaler().fit(X, sample_weight=weight)
    two = RankScaler().fit(X[shuffled], sample_weight=weight[shuffled])
    np.testing.assert_array_equal(one.transform(X), two.transform(X))


def test_features_that_were_always_missing_stay_missing():
    scaler = RankScaler().fit([[np.nan, 1.0], [np.nan, 2.0]])
    np.testing.assert_array_equal(scaler.transform([[3.0, 2.0]]), [[np.nan, 2.0]])


def test_ends_of_the_number_range_are_ranked():
    X = np.array([[-1.7e308], [0.0], [5e-324], [1.7e308]])
    scaler = RankScaler().fit(X)
    np.testing.assert_array_equal(scaler.transform(X)[:, 0], [1, 2, 3, 4])
    assert 3 < scaler.transform([[1e308]])[0, 0] < 4


def test_infinite_values_and_negative_weights_are_refused():
    with pytest.raises(ValueError, match="infinity"):
        RankScaler().fit([[np.inf]])
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        RankScaler().fit([[1.0], [2.0]], sample_weight=[1, -1])


@pytest.mark.parametrize(("library", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_frames_keep_their_names(library, frame):
    X = frame({"a": [1.0, 2.0, 5.0], "b": [3.0, 3.0, 1.0]})
    scaler = RankScaler().set_output(transform=library).fit(X)
    ranks = scaler.transform(X)
    assert isinstance(ranks, frame)
    assert list(ranks.columns) == ["a", "b"] == list(scaler.get_feature_names_out())
    np.testing.assert_array_equal(ranks.to_numpy(), [[1, 2.5], [2, 2.5], [3, 1]])


def test_scaler_works_in_a_pipeline_and_survives_pickling():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] > 0).astype(int)
    pipeline = make_pipeline(RankScaler(), ForestClassifier(5, random_state=0)).fit(X, y)
    again = pickle.loads(pickle.dumps(pipeline))
    np.testing.assert_array_equal(pipeline.predict_proba(X), again.predict_proba(X))

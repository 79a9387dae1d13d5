"""The simulated problems have the distributions and the Bayes errors that the papers give them."""

import re

import numpy as np
import pytest
from scipy.stats import kstest, norm, poisson

from silvan.datasets import (
    make_bars,
    make_circle_segments,
    make_impulse,
    make_orthant,
    make_parallel_hyperplanes,
    make_sparse_parity,
    make_trunk,
)

ALL = [
    (make_sparse_parity, 20),
    (make_trunk, 10),
    (make_orthant, 6),
    (make_parallel_hyperplanes, 20),
    (make_circle_segments, 100),
    (make_bars, 784),
    (make_impulse, 100),
]
every_problem = pytest.mark.parametrize(("make", "n_features"), ALL)


def assert_rate(hits, probability):
    """The share of hits within six standard errors of the probability."""
    hits = np.asarray(hits)
    error = np.sqrt(probability * (1 - probability) / len(hits))
    assert abs(hits.mean() - probability) <= 6 * error


def assert_uniform(counts):
    counts = np.asarray(counts)
    expected = counts.sum() / len(counts)
    assert (np.abs(counts - expected) <= 6 * np.sqrt(expected)).all()


@every_problem
def test_shapes_types_and_defaults(make, n_features):
    X, y = make(50)
    assert X.shape == (50, n_features)
    assert X.dtype == np.float32
    assert X.flags.c_contiguous
    assert y.shape == (50,)
    assert y.dtype == np.int64


@every_problem
def test_the_same_seed_gives_the_same_data_and_another_gives_other_data(make, n_features):
    first, again, other = (make(200, random_state=seed) for seed in (0, 0, 1))
    assert np.array_equal(first[0], again[0])
    assert np.array_equal(first[1], again[1])
    assert not np.array_equal(first[0], other[0])
    X, y = make(200, random_state=np.random.RandomState(0))
    assert np.array_equal(X, first[0])
    assert np.array_equal(y, first[1])


@every_problem
def test_one_sample_is_enough(make, n_features):
    X, y = make(1, random_state=0)
    assert len(X) == len(y) == 1


@every_problem
@pytest.mark.parametrize("n_samples", [0, -1, 2.5, "ten", None, True])
def test_the_number_of_samples_must_be_a_positive_integer(make, n_features, n_samples):
    with pytest.raises(ValueError, match="n_samples must be an integer >= 1, but it is"):
        make(n_samples)


@every_problem
def test_all_parameters_but_the_first_are_keywords(make, n_features):
    with pytest.raises(TypeError, match="positional argument"):
        make(10, 10)


@pytest.mark.parametrize("make", [make for make, _ in ALL if make is not make_orthant])
def test_two_classes_are_equally_likely(make):
    _, y = make(20_000, random_state=0)
    assert_rate(y == 1, 0.5)
    assert set(y) == {0, 1}


def test_sparse_parity_is_the_parity_of_the_first_features():
    X, y = make_sparse_parity(20_000, n_features=8, n_informative=4, random_state=0)
    assert np.array_equal((X[:, :4] > 0).sum(axis=1) % 2, y)
    for feature in X.T:
        assert kstest(feature, "uniform", args=(-1, 2)).pvalue > 1e-8


def test_no_single_feature_tells_the_sparse_parity():
    X, y = make_sparse_parity(20_000, random_state=0)
    for feature in X.T:
        assert_rate((feature > 0) == y, 0.5)


@pytest.mark.parametrize("n_features", [1, 3, 10])
def test_trunk_has_its_means_and_its_bayes_error(n_features):
    X, y = make_trunk(40_000, n_features=n_features, random_state=0)
    mean = 1 / np.sqrt(np.arange(1, n_features + 1))
    for label, sign in ((0, -1), (1, 1)):
        found = X[y == label].mean(axis=0)
        assert (np.abs(found - sign * mean) <= 6 / np.sqrt(np.count_nonzero(y == label))).all()
        assert np.abs(np.cov(X[y == label].T) - np.eye(n_features)).max() < 6 * 2 / np.sqrt(40_000)
    assert_rate((X @ mean > 0) != y, norm.cdf(-np.linalg.norm(mean)))


def test_orthants_are_numbered_by_their_signs_and_equally_likely():
    X, y = make_orthant(40_000, n_features=4, random_state=0)
    assert np.array_equal(((y[:, None] >> np.arange(4)) & 1).astype(bool), X > 0)
    assert_uniform(np.bincount(y, minlength=16))


def test_parallel_hyperplanes_part_by_the_sum_of_two_features_alone():
    X, y = make_parallel_hyperplanes(20_000, random_state=0)
    total = np.where(y == 1, 1, -1) * (X[:, 0].astype(np.float64) + X[:, 1])
    assert abs(total.mean() - 0.1) <= 6 * 0.01 / np.sqrt(len(total))
    assert abs(total.std() - 0.01) <= 6 * 0.01 / np.sqrt(2 * len(total))
    assert np.array_equal(X[:, 0] + X[:, 1] > 0, y == 1)
    for j in (0, *range(2, 20)):
        assert kstest(X[:, j], "uniform", args=(-0.5, 1)).pvalue > 1e-8
        assert abs(np.corrcoef(X[:, j], y)[0, 1]) <= 6 / np.sqrt(len(y))


def test_noisy_hyperplanes_have_their_bayes_error():
    X, y = make_parallel_hyperplanes(40_000, offset=0.1, noise=0.1, random_state=0)
    assert_rate((X[:, 0] + X[:, 1] > 0) != y, norm.cdf(-1))


def run_lengths(row):
    """Lengths of the runs of ones on the circle, and of the zeros between them."""
    start = np.flatnonzero((row == 1) & (np.roll(row, 1) == 0))
    rotated = np.roll(row, -start[0])
    edges = np.flatnonzero(np.diff(rotated)) + 1
    runs = np.diff(np.concatenate([[0], edges, [len(row)]]))
    return runs[::2], runs[1::2]


@pytest.mark.parametrize("n_features", [12, 13, 100])
def test_circle_segments_have_their_lengths_and_a_gap_on_both_sides(n_features):
    X, y = make_circle_segments(500, n_features=n_features, random_state=0)
    assert set(np.unique(X)) == {0, 1}
    for row, label in zip(X, y, strict=True):
        ones, zeros = run_lengths(row)
        assert sorted(ones) == ([5, 5] if label == 0 else [4, 6])
        assert len(zeros) == 2
        assert zeros.min() >= 1


def test_circle_segments_lie_everywhere_equally_often():
    X, y = make_circle_segments(40_000, n_features=20, random_state=0)
    for label in (0, 1):
        assert_uniform(X[y == label].sum(axis=0))
    after_the_shorter = []
    for row in X[y == 1][:8_000]:
        ones, zeros = run_lengths(row)
        after_the_shorter.append(zeros[ones.argmin()])
    assert_uniform(np.bincount(after_the_shorter)[1:])


def test_bars_are_full_rows_in_class_0_and_full_columns_in_class_1():
    X, y = make_bars(4_000, shape=(6, 9), rate=3.0, random_state=0)
    images = X.reshape(-1, 6, 9)
    assert set(np.unique(X)) == {0, 1}
    rows, columns = images[y == 0], images[y == 1]
    assert (rows == rows[:, :, :1]).all()
    assert (columns == columns[:, :1, :]).all()
    # A place has a bar unless none of k ~ Poisson(3) uniform draws hits it: thinning.
    for at_row in range(6):
        assert_rate(rows[:, at_row, 0], 1 - np.exp(-3 / 6))
    for at_column in range(9):
        assert_rate(columns[:, 0, at_column], 1 - np.exp(-3 / 9))


def test_the_number_of_bars_is_poisson():
    X, y = make_bars(20_000, shape=(500, 1), rate=2.0, random_state=0)
    n_bars = X[y == 0].sum(axis=1)
    # With 500 places hardly any two coincide.
    assert abs((n_bars == 0).mean() - poisson.pmf(0, 2)) < 0.02
    assert abs(n_bars.mean() - 500 * (1 - np.exp(-2 / 500))) < 6 * np.sqrt(2 / len(n_bars))


def test_no_bars_at_all_at_rate_zero():
    assert not make_bars(5, rate=0, random_state=0)[0].any()


def test_impulse_has_its_shape_and_its_bayes_error():
    X, y = make_impulse(40_000, random_state=0)
    t = np.arange(100)
    impulse = np.where(t >= 20, np.exp(-0.1 * (t - 20.0)), 0.0)
    assert (np.abs(X[y == 0].mean(axis=0)) <= 6 / np.sqrt(np.count_nonzero(y == 0))).all()
    found = X[y == 1].mean(axis=0)
    assert (np.abs(found - impulse) <= 6 / np.sqrt(np.count_nonzero(y == 1))).all()
    assert kstest(X[y == 0].ravel()[:50_000], "norm").pvalue > 1e-8
    bayes_error = norm.cdf(-np.linalg.norm(impulse) / 2)
    assert bayes_error == pytest.approx(0.1201, abs=5e-5)
    assert_rate((X @ impulse > impulse @ impulse / 2) != y, bayes_error)


BAD = [
    (make_sparse_parity, {"n_features": 0}, "n_features must be an integer >= 1, but it is 0"),
    (
        make_sparse_parity,
        {"n_informative": 21},
        "n_informative must be an integer between 1 and n_features (20), but it is 21; pass fewer",
    ),
    (make_sparse_parity, {"n_informative": 0}, "n_informative must be an integer between 1 and"),
    (make_trunk, {"n_features": 2.5}, "n_features must be an integer >= 1, but it is 2.5"),
    (make_orthant, {"n_features": 63}, "n_features must be an integer between 1 and 62"),
    (make_parallel_hyperplanes, {"n_features": 1}, "n_features must be an integer >= 2"),
    (make_parallel_hyperplanes, {"noise": -1}, "noise must be a finite number >= 0, but it is -1"),
    (make_parallel_hyperplanes, {"offset": "far"}, "offset must be a finite number >= 0"),
    (make_circle_segments, {"n_features": 11}, "n_features must be an integer >= 12"),
    (
        make_bars,
        {"shape": 28},
        "shape must be a pair of integers >= 1 (height, width), but it is 28",
    ),
    (make_bars, {"shape": (28, 0)}, "shape must be a pair of integers >= 1 (height, width)"),
    (make_bars, {"shape": (2, 3, 4)}, "shape must be a pair of integers >= 1 (height, width)"),
    (make_bars, {"rate": np.inf}, "rate must be a finite number >= 0, but it is inf"),
    (make_impulse, {"onset": 100}, "onset must be an integer between 0 and n_features - 1 (99)"),
    (make_impulse, {"onset": -1}, "onset must be an integer between 0 and n_features - 1 (99)"),
    (make_impulse, {"decay": np.nan}, "decay must be a finite number >= 0, but it is nan"),
]


@pytest.mark.parametrize(("make", "parameters", "message"), BAD, ids=range(len(BAD)))
def test_a_bad_parameter_is_explained(make, parameters, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make(10, **parameters)

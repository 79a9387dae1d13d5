"""Rows are drawn by their distribution and independently of the order in which they are given."""

import sys

import numpy as np
import pytest
from growing import draw_rows, estimation_rows, grow, make_draws, make_options
from scipy.stats import binom, chisquare

from silvan import _core


def make_rows(order, n_draws, *, replace=True, cumulative=None):
    return {
        "order": np.asarray(order, dtype=np.uint32),
        "cumulative": cumulative,
        "n_draws": n_draws,
        "replace": replace,
    }


def draw_many(rows, n_trees=4000):
    return np.stack([draw_rows(rows, 3, tree) for tree in range(n_trees)])


def test_bootstrap_draws_every_row_equally_often():
    draws = draw_many(make_rows(np.arange(8), 8))
    assert (draws.sum(axis=1) == 8).all()
    mean = draws.mean(axis=0)
    # The mean of 4,000 binomial(8, 1/8) counts has standard error 0.0148.
    np.testing.assert_allclose(mean, 1.0, atol=6 * 0.0148)
    np.testing.assert_allclose(draws.var(axis=0), 7 / 8, atol=0.12)


def test_draw_probabilities_are_proportional_to_weights():
    weights = np.array([0.5, 2.0, 0.25, 5.0])
    draws = draw_many(make_rows(np.arange(4), 10, cumulative=np.cumsum(weights)))
    expected = 10 * weights / weights.sum()
    np.testing.assert_allclose(draws.mean(axis=0), expected, atol=6 * np.sqrt(10 * 0.25 / 4000))


def test_whole_weights_draw_like_repeated_rows():
    rows = make_rows([2, 0, 1], 6, cumulative=np.array([3.0, 4.0, 6.0]))
    repeated = make_rows([0, 1, 2, 3, 4, 5], 6)
    for tree in range(50):
        weighted = draw_rows(rows, 9, tree)
        single = draw_rows(repeated, 9, tree)
        np.testing.assert_array_equal(weighted[[2, 0, 1]], np.add.reduceat(single, [0, 3, 4]))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_draws", [129, 400, 30_000, 2**31 - 1])
def test_many_draws_have_the_distribution_of_single_ones(n_draws, weighted):
    weights = np.array([1.0, 40, 3, 5, 0.6, 2, 7, 6]) if weighted else np.ones(8)
    share = weights / weights.sum()
    cumulative = np.cumsum(weights) if weighted else None
    draws = draw_many(make_rows([3, 0, 1, 2, 4, 5, 6, 7], n_draws, cumulative=cumulative), 3000)
    assert (draws.sum(axis=1, dtype=np.int64) == n_draws).all()
    assert draws.min() >= 0
    place = np.array([3, 0, 1, 2, 4, 5, 6, 7])
    for position, p in enumerate(share):
        counts = draws[:, place[position]].astype(np.int64)
        distribution = binom(n_draws, p)
        # The distribution of a count, in classes of about 300 draws.
        edges = np.unique(distribution.ppf(np.linspace(0, 1, 11)[1:-1]))
        expected = np.diff(np.concatenate([[0.0], distribution.cdf(edges), [1.0]]))
        found = np.bincount(np.searchsorted(edges, counts), minlength=len(expected))
        kept = expected > 0
        assert found[~kept].sum() == 0
        if np.count_nonzero(kept) > 1:
            assert chisquare(found[kept], 3000 * expected[kept]).pvalue > 1e-5
    # Counts of different rows are correlated as those of a multinomial distribution.
    covariance = np.cov(draws.astype(np.float64), rowvar=False)[np.ix_(place, place)]
    expected = n_draws * (np.diag(share) - np.outer(share, share))
    deviation = np.sqrt(np.diag(expected))
    difference = (covariance - expected) / np.outer(deviation, deviation)
    np.testing.assert_allclose(difference, 0, atol=6 * 2 / np.sqrt(3000))


def test_equal_weights_draw_like_none():
    order = np.random.default_rng(0).permutation(20)
    plain = draw_many(make_rows(order, 20), 30)
    weighted = draw_many(make_rows(order, 20, cumulative=np.arange(1.0, 21.0)), 30)
    np.testing.assert_array_equal(plain, weighted)


def test_subsamples_hold_distinct_rows_equally_often():
    draws = draw_many(make_rows(np.arange(7), 3, replace=False))
    assert draws.max() == 1
    assert (draws.sum(axis=1) == 3).all()
    np.testing.assert_allclose(draws.mean(axis=0), 3 / 7, atol=6 * np.sqrt(0.25 / 4000))


def test_a_subsample_of_all_rows_is_all_rows():
    draws = draw_many(make_rows(np.arange(5), 5, replace=False), 3)
    np.testing.assert_array_equal(draws, 1)


@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_draws", [1, 12, 40, 2000])
@pytest.mark.parametrize("strata", [None, [5, 38, 40]])
def test_a_list_of_draws_has_the_rows_that_were_drawn(n_draws, weighted, replace, strata):
    rng = np.random.default_rng(1)
    cumulative = np.cumsum(rng.exponential(size=40)) if weighted else None
    rows = make_rows(rng.permutation(40), n_draws, replace=replace, cumulative=cumulative)
    rows["strata"] = None if strata is None else np.array(strata)
    draws = make_draws(**rows)
    for tree in range(10):
        counted = draw_rows(rows, 7, tree)
        samples, counts = _core.list_draws(draws, 7, tree)
        np.testing.assert_array_equal(samples, np.flatnonzero(counted))
        np.testing.assert_array_equal(counts, counted[samples])


@pytest.mark.skipif(sys.platform != "linux", reason="takes 8 GB elsewhere")
def test_a_list_of_draws_has_rows_beyond_31_bits():
    # Linux keeps no memory for zeros that are only read. Without replacement, a draw that repeats
    # another is the sample at the end of the range drawn from.
    order = np.zeros(2**31 + 1000, dtype=np.uint32)
    order[-4:] = 2**31 + np.array([9, 6, 999, 7])
    samples, counts = _core.list_draws(make_draws(order, 4, False), 0, 0)
    assert samples.dtype == np.uint32
    np.testing.assert_array_equal(samples, [0, *(2**31 + np.array([6, 7, 999]))])
    np.testing.assert_array_equal(counts, 1)


def test_a_list_of_given_draws_has_those():
    given = np.array([0, 2, 0, 1], dtype=np.int32)
    draws = make_draws(np.arange(4, dtype=np.uint32), 3, False, given=given)
    samples, counts = _core.list_draws(draws, 0, 0)
    np.testing.assert_array_equal(samples, [1, 3])
    np.testing.assert_array_equal(counts, [2, 1])


def test_trees_draw_different_rows():
    draws = draw_many(make_rows(np.arange(50), 50), 20)
    assert len(np.unique(draws, axis=0)) == 20


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_canonical_order_follows_the_rows_through_a_permutation(dtype):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 255, (200, 5)).astype(dtype)
    y = rng.normal(size=(200, 2))
    permutation = rng.permutation(200)
    order = _core.sample_order(X, y)
    shuffled = _core.sample_order(X[permutation], y[permutation])
    np.testing.assert_array_equal(np.sort(order), np.arange(200))
    np.testing.assert_array_equal(X[order], X[permutation][shuffled])
    np.testing.assert_array_equal(y[order], y[permutation][shuffled])


def test_canonical_order_puts_equal_rows_side_by_side():
    X = np.array([[1, 2], [3, 4], [1, 2], [3, 4], [-0.0, 1], [0.0, 1]], dtype=np.float32)
    y = np.zeros((6, 1))
    order = _core.sample_order(X, y)
    blocks = X[order].reshape(3, 2, 2)
    np.testing.assert_array_equal(blocks[:, 0], blocks[:, 1])


def test_canonical_order_does_not_depend_on_the_layout():
    X = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32)
    y = np.zeros((50, 1))
    np.testing.assert_array_equal(
        _core.sample_order(X, y), _core.sample_order(np.asfortranarray(X), y)
    )


def honest_rows(n, *, share=0.5, repeats=None, **others):
    rows = make_rows(np.arange(n), n, **others)
    return rows | {"estimation_share": share, "repeats": repeats}


@pytest.mark.parametrize(
    ("share", "n", "n_estimation"), [(0.5, 9, 5), (0.3, 10, 3), (0.01, 10, 1), (0.99, 10, 9)]
)
def test_estimation_rows_are_so_many_of_all_distinct_rows(share, n, n_estimation):
    rows = honest_rows(n, share=share, replace=False)
    for tree in range(50):
        assert len(estimation_rows(rows, 3, tree)) == n_estimation


def test_every_drawn_row_is_an_estimation_row_equally_often():
    rows = honest_rows(8)
    drawn, chosen = np.zeros(8), np.zeros(8)
    for tree in range(4000):
        multiplicity = draw_rows(rows, 3, tree)
        estimation = estimation_rows(rows, 3, tree)
        assert (multiplicity[estimation] > 0).all()
        drawn += multiplicity > 0
        chosen[estimation] += 1
    share = chosen / drawn
    # About 2,600 draws of each row: a standard error of 0.01.
    np.testing.assert_allclose(share, share.mean(), atol=0.06)
    assert abs(share.mean() - 0.5) < 0.05


def test_pairs_of_rows_are_divided_independently_of_their_places():
    rows = honest_rows(6, replace=False)
    together = np.zeros((6, 6))
    for tree in range(4000):
        estimation = estimation_rows(rows, 1, tree)
        together[np.ix_(estimation, estimation)] += 1
    pairs = together[np.triu_indices(6, 1)] / 4000
    np.testing.assert_allclose(pairs, 3 / 6 * 2 / 5, atol=6 * np.sqrt(0.2 * 0.8 / 4000))


def test_equal_rows_are_on_the_same_side():
    X = np.repeat(np.arange(5.0, dtype=np.float32), 3)[:, None]
    y = np.zeros((15, 1))
    order = _core.sample_order(X, y)
    repeats = _core.sample_repeats(X, y, order)
    assert repeats.reshape(5, 3).tolist() == [[0, 1, 1]] * 5
    rows = {"order": order, "cumulative": None, "n_draws": 15, "replace": False}
    rows |= {"estimation_share": 0.4, "repeats": repeats}
    for tree in range(20):
        chosen = np.bincount(estimation_rows(rows, 0, tree) // 3, minlength=5)
        assert sorted(chosen.tolist()) == [0, 0, 0, 3, 3]


def test_a_single_distinct_row_serves_for_structure_and_estimation():
    assert estimation_rows(honest_rows(1), 0, 0).tolist() == [0]
    same = honest_rows(4, repeats=np.array([0, 1, 1, 1], dtype=np.uint8), replace=False)
    assert estimation_rows(same, 0, 0).tolist() == [0, 1, 2, 3]


def test_trees_that_are_not_honest_have_no_estimation_rows():
    assert len(estimation_rows(make_rows(np.arange(9), 9), 0, 0)) == 0


def test_hashes_sort_rows_as_the_canonical_order_does():
    X = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    X[30:] = X[:20]
    y = (X[:, :1] > 0).astype(np.int32)
    hashes = _core.sample_hashes(X, y)
    np.testing.assert_array_equal(np.argsort(hashes, kind="stable"), _core.sample_order(X, y))
    parts = [_core.sample_hashes(X[part], y[part]) for part in (slice(0, 7), slice(7, 50))]
    np.testing.assert_array_equal(np.concatenate(parts), hashes)
    with pytest.raises(ValueError, match="targets need one entry per sample"):
        _core.sample_hashes(X, y[1:])


@pytest.mark.parametrize("n_categories", [None, [0, 4, 0]])
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_tree_from_the_rows_that_it_drew_is_that_from_all_rows(n_categories, share):
    random = np.random.default_rng(1)
    X = random.normal(size=(200, 3)).astype(np.float32)
    X[:, 1] = random.integers(0, 4, size=200)
    y = (X[:, 0] + X[:, 1] + random.normal(size=200) > 1).astype(np.int32)
    order = _core.sample_order(X, y[:, None])
    rows = {"order": order, "n_draws": 120, "estimation_share": share}
    options = make_options(n_categories=n_categories)
    whole = grow(X, y, _core.sparse_signs(3, 2.0, True), options, rows=rows)

    drawn = draw_rows(rows, options["seed"], 0)
    numbers = np.flatnonzero(drawn)
    rank = np.empty(200, dtype=np.uint32)
    rank[order] = np.arange(200)
    given = {
        "order": np.argsort(rank[numbers]).astype(np.uint32),
        "n_draws": len(numbers),
        "estimation_share": share,
        "given": drawn[numbers],
        "ranks": rank[numbers],
    }
    part = grow(
        np.ascontiguousarray(X[numbers]),
        y[numbers],
        _core.sparse_signs(3, 2.0, True),
        options,
        rows=given,
    )
    members = numbers[part.pop("members")]
    np.testing.assert_array_equal(members, whole.pop("members"))
    for name, array in whole.items():
        np.testing.assert_array_equal(part[name], array, err_msg=name)

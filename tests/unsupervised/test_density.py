"""Density forests: densities that integrate to one, fit unseen rows, and can be drawn from."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.mixture import GaussianMixture

from silvan import DensityForest
from silvan.projections import (
    AxisAligned,
    Dictionary,
    GraphNeighborhoods,
    Mixture,
    Patches,
    PrincipalComponents,
    ProjectionDistribution,
    RandomRotation,
    RidgeDirections,
    SparseSigns,
    UniformCombinations,
)
from silvan.unsupervised.base import GaussianForest


def two_bananas(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    side = rng.choice([-1, 1], n)
    return np.column_stack([x, side * (3 + x**2 / 2) + 0.4 * rng.normal(size=n)])


def mixed_line(n, seed):
    rng = np.random.default_rng(seed)
    parts = [rng.normal(0, 1, n // 2), rng.normal(5, 0.3, n // 4), rng.uniform(7, 9, n // 4)]
    return np.concatenate(parts)[:, None]


@pytest.fixture(scope="module")
def bananas():
    return two_bananas(800, 0)


@pytest.fixture(scope="module")
def forest(bananas):
    return DensityForest(60, random_state=0).fit(bananas)


def integrate_line(forest, low, high, n=4000):
    points = np.linspace(low, high, n)[:, None]
    return np.trapezoid(np.exp(forest.score_samples(points)), points[:, 0])


def integrate_plane(forest, low, high, n=250):
    x, y = (np.linspace(a, b, n) for a, b in zip(low, high, strict=True))
    grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    density = np.exp(forest.score_samples(grid)).reshape(n, n)
    return np.trapezoid(np.trapezoid(density, y, axis=1), x)


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
def test_density_on_a_line_integrates_to_one(covariance_type):
    X = mixed_line(600, 1)
    forest = DensityForest(30, covariance_type=covariance_type, random_state=0).fit(X)
    assert abs(integrate_line(forest, -8, 14) - 1) < 0.02


@pytest.mark.parametrize("changes", [{}, {"projections": AxisAligned(), "covariance_type": "diag"}])
def test_density_in_the_plane_integrates_to_one(bananas, changes):
    forest = DensityForest(20, random_state=0, **changes).fit(bananas)
    assert abs(integrate_plane(forest, (-8, -20), (8, 20)) - 1) < 0.02


def test_each_tree_is_a_density_by_its_partition_function(bananas):
    forest = DensityForest(1, max_depth=4, random_state=3).fit(bananas)
    assert 0.3 < forest.partition_[0] < 1
    assert abs(integrate_plane(forest, (-9, -25), (9, 25), n=400) - 1) < 0.02


def test_masses_are_those_of_boxes_under_normal_distributions():
    """One split on an axis: the masses are those on either side of the threshold."""
    from scipy.stats import norm

    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-1, 1, 300), rng.normal(1, 1, 300)])[:, None]
    forest = DensityForest(1, max_depth=1, random_state=0).fit(X)
    threshold = forest.forest_.threshold[0]
    means, sds = forest.means_[:, 0], np.sqrt(forest.covariances_[:, 0, 0])
    left = norm.cdf((threshold - means[0]) / sds[0])
    right = norm.sf((threshold - means[1]) / sds[1])
    np.testing.assert_allclose(forest.masses_, [left, right], atol=0.01)


def test_unseen_rows_are_likelier_than_under_one_gaussian(forest, bananas):
    new = two_bananas(1000, 1)
    single = GaussianMixture(1).fit(bananas).score(new)
    assert forest.score(new) > single + 0.5
    assert forest.score(new) == pytest.approx(forest.score_samples(new).mean())


def energy_statistic(a, b):
    return 2 * cdist(a, b).mean() - cdist(a, a).mean() - cdist(b, b).mean()


def test_draws_pass_an_energy_test_against_fresh_rows(forest):
    """The permutation test at 1 %; rows of another distribution fail it."""
    drawn, fresh = forest.sample(300, random_state=0), two_bananas(300, 2)
    rng = np.random.default_rng(0)

    def p_value(a, b):
        both = np.concatenate([a, b])
        seen = energy_statistic(a, b)
        others = []
        for _ in range(99):
            order = rng.permutation(len(both))
            others.append(energy_statistic(both[order[: len(a)]], both[order[len(a) :]]))
        return (1 + np.sum(np.array(others) >= seen)) / 100

    assert p_value(drawn, fresh) > 0.01
    gaussian = np.random.default_rng(1).multivariate_normal(
        fresh.mean(axis=0), np.cov(fresh.T), size=300
    )
    assert p_value(gaussian, fresh) <= 0.01


def test_draws_follow_the_density_of_the_forest(forest):
    """The mean log density of draws equals the negative entropy that integration gives."""
    drawn = forest.sample(4000, random_state=1)
    n = 120
    x, y = np.linspace(-7, 7, n), np.linspace(-18, 18, n)
    grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    log_density = forest.score_samples(grid)
    area = (x[1] - x[0]) * (y[1] - y[0])
    entropy = -np.sum(np.exp(log_density) * log_density) * area
    assert forest.score(drawn) == pytest.approx(-entropy, abs=0.08)


def test_the_forest_is_a_mixture_of_its_leaves(forest):
    assert forest.n_components_ == forest.forest_.n_leaves == len(forest.means_)
    assert forest.covariances_.shape == (forest.n_components_, 2, 2)
    assert forest.weights_.sum() == pytest.approx(1)
    per_tree = np.add.reduceat(forest.priors_, forest.forest_.leaf_offsets[:-1])
    np.testing.assert_allclose(per_tree, 1)
    forest.forest_.check()


def test_samples_are_reproducible(forest):
    np.testing.assert_array_equal(
        forest.sample(20, random_state=3), forest.sample(20, random_state=3)
    )
    assert not np.array_equal(forest.sample(20, random_state=3), forest.sample(20, random_state=4))


def test_forest_does_not_depend_on_threads_order_or_repetition(bananas):
    forest = DensityForest(4, random_state=0, bootstrap=False, min_samples_leaf=1, max_depth=4)
    expected = forest.fit(bananas).score_samples(bananas[:50])
    order = np.random.default_rng(0).permutation(len(bananas))
    shuffled = clone(forest).set_params(n_jobs=2).fit(bananas[order])
    np.testing.assert_allclose(shuffled.score_samples(bananas[:50]), expected)
    weighted = clone(forest).fit(bananas, sample_weight=np.full(len(bananas), 3))
    np.testing.assert_allclose(weighted.score_samples(bananas[:50]), expected)


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
@pytest.mark.parametrize("weighted", [False, True])
def test_order_of_rows_does_not_matter_to_the_last_bit(bananas, weighted, covariance_type):
    rng = np.random.default_rng(0)
    for seed in range(4):
        weight = rng.exponential(size=len(bananas)) if weighted else None
        order = rng.permutation(len(bananas))
        forest = DensityForest(5, covariance_type=covariance_type, random_state=seed)
        given = clone(forest).fit(bananas, sample_weight=weight)
        shuffled = clone(forest).fit(
            bananas[order], sample_weight=weight[order] if weighted else None
        )
        np.testing.assert_array_equal(given.score_samples(bananas), shuffled.score_samples(bananas))


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
def test_constant_columns_have_the_density_of_the_stored_numbers(covariance_type):
    forest = DensityForest(10, covariance_type=covariance_type, random_state=0)
    varies = np.random.default_rng(0).normal(size=300)
    for X in (np.full((300, 1), 0.1), np.column_stack([np.full(300, 0.1), varies])):
        stored = X.astype(np.float32)
        expected = clone(forest).fit(stored).score(stored)
        assert abs(expected) < 10
        assert clone(forest).fit(X).score(X) == expected
        weight = np.random.default_rng(1).exponential(size=300)
        assert abs(clone(forest).fit(X, sample_weight=weight).score(X)) < 10


def test_rows_of_weight_zero_take_no_part(bananas):
    weight = np.ones(len(bananas))
    weight[:400] = 0
    forest = DensityForest(3, bootstrap=False, random_state=0)
    weighted = clone(forest).fit(bananas, sample_weight=weight)
    alone = clone(forest).fit(bananas[400:])
    np.testing.assert_allclose(weighted.score_samples(bananas), alone.score_samples(bananas))


def test_warm_start_arrives_at_the_same_forest(bananas):
    forest = DensityForest(3, warm_start=True, random_state=0).fit(bananas)
    forest.set_params(n_estimators=6).fit(bananas)
    once = DensityForest(6, random_state=0).fit(bananas)
    np.testing.assert_allclose(forest.score_samples(bananas), once.score_samples(bananas))
    assert len(forest.partition_) == 6


@pytest.mark.parametrize(
    "X",
    [
        np.zeros((1, 3)),
        np.full((30, 3), 5.0),
        np.repeat(np.eye(3), 20, axis=0),
        np.random.default_rng(0).normal(size=(8, 40)),
        np.column_stack([np.arange(60.0), np.zeros(60)]),
        np.full((50, 2), 1e30) * np.random.default_rng(0).normal(size=(50, 2)),
    ],
    ids=["one row", "constant", "duplicates", "n < p", "constant column", "huge"],
)
def test_degenerate_data_give_finite_densities(X):
    forest = DensityForest(5, min_samples_leaf=2, random_state=0).fit(X)
    assert np.isfinite(forest.score_samples(X)).all()
    assert np.isfinite(forest.score_samples(X + 1)).all()
    assert np.isfinite(forest.sample(10, random_state=0)).all()
    assert np.isfinite(forest.forest_.impurity).all()


def test_patches_split_images():
    images = np.random.default_rng(0).integers(0, 256, (150, 36)).astype(np.uint8)
    forest = DensityForest(
        5, projections=Patches((6, 6)), covariance_type="diag", random_state=0
    ).fit(images)
    assert forest.forest_.n_leaves > 20
    assert np.isfinite(forest.score(images))


class EveryPair(ProjectionDistribution):
    """A distribution in Python: differences of neighbouring features."""

    def sample(self, node, rng):
        first = rng.integers(node.n_features - 1, size=node.n_directions)
        directions = np.zeros((node.n_directions, node.n_features))
        directions[np.arange(len(first)), first] = 1
        directions[np.arange(len(first)), first + 1] = -1
        return csr_array(directions)


@pytest.mark.parametrize(
    "distribution",
    [
        AxisAligned(),
        SparseSigns(),
        RandomRotation(),
        PrincipalComponents(),
        UniformCombinations(4),
        Dictionary(np.eye(6)[:4]),
        Mixture([(AxisAligned(), 1.0), (RandomRotation(), 1.0)]),
        Patches((2, 3)),
        GraphNeighborhoods(np.eye(6, k=1) + np.eye(6, k=-1)),
        EveryPair(),
    ],
    ids=lambda distribution: type(distribution).__name__,
)
def test_directions_may_come_from_any_distribution(distribution):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6)) + 5 * rng.integers(0, 2, (200, 1))
    forest = DensityForest(5, projections=distribution, criterion_dim=3, random_state=0).fit(X)
    assert (forest.forest_.depth() >= 2).all()
    far = X + 20 * rng.choice([-1, 1], (200, 6))
    assert forest.score(X) > forest.score(far) + 10


def test_bad_parameters_are_refused(bananas):
    for name, value in {
        "covariance_type": "tied",
        "reg_covar": 0.0,
        "criterion_dim": 0,
        "max_thresholds": 0,
    }.items():
        with pytest.raises(ValueError, match=f"^{name} must be"):
            DensityForest(**{name: value}).fit(bananas)
    with pytest.raises(ValueError, match=r"^projections must be .* \(RidgeDirections does\)"):
        DensityForest(projections=Mixture([(RidgeDirections(), 1.0)])).fit(bananas)
    with pytest.raises(ValueError, match="NaN"):
        DensityForest().fit([[np.nan, 1.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match="n_samples must be"):
        DensityForest(2).fit(bananas).sample(0)
    with pytest.raises(ValueError, match="covariance_type must be 'diag'"):
        DensityForest().fit(np.zeros((2000, 800), dtype=np.float32))


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
def test_too_many_features_to_measure_leaves_are_refused_before_trees_grow(
    covariance_type, monkeypatch
):
    monkeypatch.setattr(GaussianForest, "_grow", lambda *arguments: pytest.fail("trees grew"))
    forest = DensityForest(2, covariance_type=covariance_type)
    with pytest.raises(ValueError, match=r"X must have at most 21201 features .* it has 21202; "):
        forest.fit(np.zeros((3, 21202), dtype=np.float32))

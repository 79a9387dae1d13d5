"""Each built-in distribution by its own numbers, exactly or within six standard errors."""

from itertools import pairwise

import numpy as np
import pytest
from growing import sample_directions
from projections.registry import CyclicDifferences, cyclic_differences
from scipy.special import gammaln
from scipy.stats import kstest, poisson

from silvan import _core
from silvan.projections import (
    AxisAligned,
    Dictionary,
    Mixture,
    RandomRotation,
    SparseSigns,
    UniformCombinations,
)


def assert_frequencies(counts, probabilities):
    """Each count within six standard errors of a multinomial distribution."""
    n = counts.sum()
    expected = n * np.asarray(probabilities)
    error = np.sqrt(np.maximum(expected * (1 - np.asarray(probabilities)), 1.0))
    assert (np.abs(counts - expected) <= 6 * error).all()


def sizes(directions):
    return np.diff(directions.indptr)


# Axis-aligned


def test_axis_aligned_directions_are_distinct_features_with_weight_one():
    directions = AxisAligned().draw(6, 20, random_state=0)
    assert (directions.data == 1).all()
    assert len(set(directions.indices)) == 6


def test_asking_for_more_axes_than_features_gives_each_feature_once_in_random_order():
    native = _core.axis_aligned(4)
    orders = [tuple(sample_directions(native, 0, tree, "", 9)[1]) for tree in range(24_000)]
    found, counts = np.unique(orders, axis=0, return_counts=True)
    assert len(found) == 24
    assert (np.sort(found, axis=1) == np.arange(4)).all()
    assert_frequencies(counts, np.full(24, 1 / 24))


# Sparse signs


@pytest.mark.parametrize("n_features", [10, 200])
@pytest.mark.parametrize("density", [0.05, 0.3, 0.5, 0.55, 0.95, 1.0])
def test_matrix_counts_place_exactly_the_nonzeros_that_the_density_says(n_features, density):
    directions = SparseSigns(density=density).draw(100, n_features, random_state=0)
    n_wanted = round(density * n_features * 100)
    n_filled = directions.nnz - n_wanted
    assert 0 <= n_filled <= np.count_nonzero(sizes(directions) == 1)
    if density * n_features >= 20:
        assert n_filled == 0


def test_matrix_counts_place_at_least_one_and_at_most_all():
    assert SparseSigns(mean_nonzeros=1e-9).draw(1, 5, random_state=0).nnz == 1
    assert SparseSigns(mean_nonzeros=1e9).draw(7, 5, random_state=0).nnz == 35


def test_empty_directions_with_matrix_counts_get_a_uniform_feature():
    directions = SparseSigns(mean_nonzeros=1e-9).draw(60_000, 6, random_state=0)
    assert (sizes(directions) == 1).all()
    assert_frequencies(np.bincount(directions.indices), np.full(6, 1 / 6))


@pytest.mark.parametrize("n_features", [12, 120])
def test_matrix_counts_give_hypergeometric_direction_sizes(n_features):
    """With d directions of p cells and n nonzeros, the size of a direction is hypergeometric."""
    native = _core.sparse_signs(n_features, 1.5, False)
    n_directions, n_nonzeros = 4, 6
    first = [
        np.diff(sample_directions(native, 0, tree, "", n_directions)[0])[0]
        for tree in range(30_000)
    ]
    n_cells = n_features * n_directions

    def log_choose(n, k):
        return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)

    k = np.arange(n_nonzeros + 1)
    expected = np.exp(
        log_choose(n_features, k)
        + log_choose(n_cells - n_features, n_nonzeros - k)
        - log_choose(n_cells, n_nonzeros)
    )
    expected[1] += expected[0]
    assert_frequencies(np.bincount(first, minlength=n_nonzeros + 1)[1:], expected[1:])


@pytest.mark.parametrize(
    ("n_features", "mean"), [(8, 0.3), (8, 3.0), (40, 3.0), (200, 3.0), (200, 120.0), (30, 500.0)]
)
def test_poisson_counts_give_clipped_poisson_direction_sizes(n_features, mean):
    distribution = SparseSigns(mean_nonzeros=mean, counts="poisson")
    counts = np.bincount(
        sizes(distribution.draw(30_000, n_features, random_state=0)), minlength=n_features + 1
    )
    expected = poisson.pmf(np.arange(n_features + 1), mean)
    expected[1] += expected[0]
    expected[n_features] += poisson.sf(n_features, mean)
    assert counts[0] == 0
    assert_frequencies(counts[1:], expected[1:])


@pytest.mark.parametrize(
    ("n_features", "mean"), [(20, 3.0), (64, 9.0), (65, 3.0), (300, 7.0), (300, 40.0)]
)
@pytest.mark.parametrize("counts", ["matrix", "poisson"])
def test_features_are_used_equally_often_and_signs_are_balanced(n_features, mean, counts):
    distribution = SparseSigns(mean_nonzeros=mean, counts=counts)
    directions = distribution.draw(20_000, n_features, random_state=1)
    # Features repeat less than independent draws would, so a multinomial bound is safe.
    assert_frequencies(np.bincount(directions.indices, minlength=n_features), 1 / n_features)
    assert np.unique(directions.data).tolist() == [-1.0, 1.0]
    assert abs(directions.data.sum()) <= 6 * np.sqrt(directions.nnz)
    by_feature = np.bincount(directions.indices, weights=directions.data)
    assert (np.abs(by_feature) <= 6 * np.sqrt(directions.nnz / n_features * 1.5)).all()


def test_pairs_of_features_are_equally_likely():
    directions = SparseSigns(mean_nonzeros=2.0, counts="poisson").draw(80_000, 70, random_state=0)
    pairs = directions.indices[
        directions.indptr[:-1][sizes(directions) == 2][:, None] + np.arange(2)
    ]
    counts = np.zeros((70, 70))
    np.add.at(counts, tuple(pairs.T), 1)
    assert_frequencies(counts[np.triu_indices(70, 1)], 2 / (70 * 69))


def test_very_sparse_directions_of_very_many_features_stay_sorted():
    distribution = SparseSigns(mean_nonzeros=20.0, counts="poisson")
    directions = distribution.draw(200, 500_000, random_state=0)
    for start, end in pairwise(directions.indptr):
        assert (np.diff(directions.indices[start:end]) > 0).all()
    assert abs(directions.indices.mean() / 500_000 - 0.5) < 6 / np.sqrt(12 * directions.nnz)


def test_density_and_mean_nonzeros_say_the_same_thing():
    for counts in ("matrix", "poisson"):
        by_density = SparseSigns(density=0.2, counts=counts).draw(50, 30, random_state=4)
        by_mean = SparseSigns(mean_nonzeros=6.0, counts=counts).draw(50, 30, random_state=4)
        assert np.array_equal(by_density.toarray(), by_mean.toarray())


# Uniform combinations


@pytest.mark.parametrize(("n_features", "size"), [(6, 3), (100, 3), (100, 8), (100, 9), (100, 60)])
def test_uniform_combinations_have_uniform_supports_and_weights(n_features, size):
    directions = UniformCombinations(size).draw(8_000, n_features, random_state=0)
    assert (sizes(directions) == size).all()
    assert_frequencies(np.bincount(directions.indices, minlength=n_features), 1 / n_features)
    weights = directions.data.astype(np.float64)
    assert (np.abs(weights) < 1).all()
    assert abs(weights.mean()) <= 6 * np.sqrt(1 / 3 / len(weights))
    assert abs((weights**2).mean() - 1 / 3) <= 6 * np.sqrt(4 / 45 / len(weights))
    assert kstest(weights, "uniform", args=(-1, 2)).pvalue > 1e-8


def test_more_features_than_the_data_have_means_all_of_them():
    assert (sizes(UniformCombinations(50).draw(4, 5, random_state=0)) == 5).all()


# Random rotation


def rotations(n_features, n_trees):
    native = _core.random_rotation(n_features)
    for tree in range(n_trees):
        _, _, weights = sample_directions(native, 3, tree, "", n_features)
        yield weights.reshape(n_features, n_features).astype(np.float64)


@pytest.mark.parametrize("n_features", [1, 2, 3, 10, 150])
def test_the_directions_of_a_rotation_are_orthonormal(n_features):
    for axes in rotations(n_features, 3):
        assert np.abs(axes @ axes.T - np.eye(n_features)).max() < 1e-5


@pytest.mark.parametrize("n_features", [1, 2, 3, 4, 11])
def test_a_rotation_has_determinant_plus_one(n_features):
    """The columns come in random order, so their own order is read off the axis-aligned sampler."""
    identity = _core.axis_aligned(n_features)
    for tree, axes in enumerate(rotations(n_features, 40)):
        _, order, _ = sample_directions(identity, 3, tree, "", n_features)
        assert np.linalg.det(axes[np.argsort(order)]) == pytest.approx(1.0, abs=1e-5)


def test_a_rotation_is_uniform_over_the_sphere():
    """The first coordinate of a uniform unit vector in 3 dimensions is uniform over (-1, 1)."""
    axes = np.stack(list(rotations(3, 4_000)))
    for direction in range(3):
        for coordinate in range(3):
            drawn = axes[:, direction, coordinate]
            assert kstest(drawn, "uniform", args=(-1, 2)).pvalue > 1e-8


def test_rotations_in_the_plane_have_uniform_angles():
    identity = _core.axis_aligned(2)
    angles = []
    for tree, axes in enumerate(rotations(2, 6_000)):
        _, order, _ = sample_directions(identity, 3, tree, "", 2)
        x, y = axes[np.argsort(order)][0]
        angles.append(np.arctan2(y, x))
    assert kstest(angles, "uniform", args=(-np.pi, 2 * np.pi)).pvalue > 1e-8


def test_the_nodes_of_a_tree_share_their_rotation_and_trees_do_not():
    native = _core.random_rotation(6)
    axes = [
        sample_directions(native, 0, tree, path, 6)[2].reshape(6, 6)
        for tree, path in [(0, ""), (0, "LR"), (1, "")]
    ]
    in_order = [a[np.lexsort(a.T)] for a in axes]
    assert np.array_equal(in_order[0], in_order[1])
    assert not np.array_equal(in_order[0], in_order[2])


# Dictionary and subclass


def test_atoms_come_as_often_as_their_probabilities_say():
    weights = np.array([5.0, 0.0, 1.0, 3.0, 0.0, 1e-3, 2.0])
    directions = Dictionary(np.diag(np.arange(1.0, 8.0)), weights).draw(90_000, 7, random_state=0)
    counts = np.bincount(directions.indices, minlength=7)
    assert (counts[weights == 0] == 0).all()
    assert_frequencies(counts, weights / weights.sum())
    assert (directions.data == directions.indices + 1).all()


def test_atoms_without_probabilities_are_equally_likely():
    directions = Dictionary(np.eye(700)).draw(350_000, 700, random_state=0)
    assert_frequencies(np.bincount(directions.indices, minlength=700), 1 / 700)


def test_an_array_and_a_sparse_matrix_of_any_format_are_the_same_dictionary():
    dense = cyclic_differences(5, 2).toarray()
    wanted = Dictionary(dense).draw(30, 5, random_state=0).toarray()
    for atoms in (dense.tolist(), *(cyclic_differences(5, 2).asformat(f) for f in ("csc", "coo"))):
        assert np.array_equal(Dictionary(atoms).draw(30, 5, random_state=0).toarray(), wanted)


def test_zeros_that_a_sparse_matrix_stores_are_not_features():
    atoms = cyclic_differences(4, 1)
    atoms.data[0] = 0.0
    assert (Dictionary(atoms).draw(200, 4, random_state=0).data != 0).all()


def test_a_subclass_has_the_distribution_of_the_dictionary_of_its_atoms():
    atoms = cyclic_differences(6, 2)
    for distribution in (CyclicDifferences(lag=2), Dictionary(atoms)):
        directions = distribution.draw(30_000, 6, random_state=0)
        found, counts = np.unique(directions.toarray(), axis=0, return_counts=True)
        assert np.array_equal(found, np.unique(atoms.toarray().astype(np.float32), axis=0))
        assert_frequencies(counts, 1 / 6)


# Mixture


def test_the_components_of_a_mixture_get_their_shares():
    mixture = Mixture(
        [
            (Dictionary(np.eye(3) * 2), 1.0),
            (UniformCombinations(2), 0.0),
            (Dictionary(-np.eye(3)), 3.0),
        ]
    )
    data = mixture.draw(40_000, 3, random_state=0).data
    n_first = np.count_nonzero(data == 2)
    assert_frequencies(np.array([n_first, len(data) - n_first]), [0.25, 0.75])
    assert (data[:n_first] == 2).all()
    assert (data[n_first:] == -1).all()


def test_axes_of_a_mixture_do_not_repeat_within_a_node():
    mixture = Mixture([(AxisAligned(), 9.0), (Dictionary(-np.eye(5)), 1.0)])
    for seed in range(20):
        directions = mixture.draw(50, 5, random_state=seed)
        assert np.count_nonzero(directions.data == 1) == 5
        assert directions.shape[0] < 50


def test_mixtures_may_be_nested_and_hold_subclasses():
    inner = Mixture([(RandomRotation(), 1.0), (CyclicDifferences(), 1.0)])
    outer = Mixture([(inner, 1.0), (SparseSigns(), 1.0)])
    assert 1 <= outer.draw(40, 6, random_state=0).shape[0] <= 40

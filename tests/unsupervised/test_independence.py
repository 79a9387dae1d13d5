"""Coordinates that repeat none: harmonics are left out, dimensions are not."""

import numpy as np
import pytest
from sklearn.datasets import make_swiss_roll
from sklearn.manifold import trustworthiness

from silvan import ForestRegressor, ManifoldEmbedding
from silvan.unsupervised.affinities import BinaryAffinity, GaussianAffinity
from silvan.unsupervised.eigenmap import Graph, embed_graph
from silvan.unsupervised.independence import independent_columns, local_residual


def sheet(n, modes, seed=0):
    """Eigenfunctions of the Laplacian on a rectangle: cos(i pi s) cos(j pi w)."""
    place = np.random.default_rng(seed).uniform(size=(n, 2))
    columns = [np.cos(i * np.pi * place[:, 0]) * np.cos(j * np.pi * place[:, 1]) for i, j in modes]
    return np.column_stack(columns)


def test_harmonics_are_left_out_and_the_second_dimension_is_found():
    # As they come on a sheet that is 3.5 times as long as wide.
    vectors = sheet(1500, [(1, 0), (2, 0), (3, 0), (0, 1), (1, 1), (4, 0), (2, 1), (0, 2)])
    np.testing.assert_array_equal(independent_columns(vectors, 2), [0, 3])
    np.testing.assert_array_equal(independent_columns(vectors, 5)[:2], [0, 3])


def test_where_nothing_is_new_the_least_repeating_ones_come_in():
    vectors = sheet(1500, [(1, 0), (2, 0), (3, 0), (4, 0)])
    chosen = independent_columns(vectors, 2)
    np.testing.assert_array_equal(chosen, [0, 3])
    assert set(independent_columns(vectors, 4)) == {0, 1, 2, 3}


def test_residuals_of_functions_vanish_and_those_of_strangers_do_not():
    rng = np.random.default_rng(1)
    place = rng.uniform(size=(1000, 2))
    function = np.sin(3 * place[:, 0]) * place[:, 1] ** 2
    assert local_residual(place, function) < 0.02
    assert 0.9 < local_residual(place, rng.normal(size=1000)) < 1.2
    assert local_residual(place, place @ [2.0, -1.0] + 3.0) < 1e-4


def test_equal_points_and_few_points_are_no_trouble():
    vectors = np.repeat(sheet(40, [(1, 0), (2, 0), (0, 1)]), 60, axis=0)
    assert len(independent_columns(vectors, 2)) == 2
    assert len(independent_columns(np.eye(4), 2)) == 2
    assert len(independent_columns(np.zeros((100, 3)), 2)) == 2


def test_the_choice_does_not_depend_on_the_order_of_the_samples():
    vectors = sheet(3000, [(1, 0), (2, 0), (3, 0), (0, 1), (1, 1), (4, 0)])
    shuffled = vectors[np.random.default_rng(2).permutation(len(vectors))]
    np.testing.assert_array_equal(independent_columns(vectors, 3), independent_columns(shuffled, 3))


@pytest.fixture(scope="module")
def roll():
    return make_swiss_roll(3000, random_state=0)


def test_two_dimensions_show_the_whole_roll(roll):
    X, position = roll
    places = ManifoldEmbedding(50, random_state=0).fit_transform(X)
    harmonics = ManifoldEmbedding(50, selection="smoothest", random_state=0).fit_transform(X)
    some = np.random.default_rng(0).permutation(len(X))[:800]
    assert trustworthiness(X[some], places[some], n_neighbors=10) > 0.97
    assert trustworthiness(X[some], harmonics[some], n_neighbors=10) < 0.95
    ranks = np.argsort(np.argsort(places[:, 0])), np.argsort(np.argsort(position))
    assert abs(np.corrcoef(*ranks)[0, 1]) > 0.95


def test_eigenvalues_and_gaps_are_those_of_the_chosen_vectors():
    strip = np.random.default_rng(3).uniform(size=(500, 2)) * [4.0, 1.0]
    embedding = ManifoldEmbedding(20, random_state=0).fit(strip)
    graph = Graph(embedding.affinity_matrix_, False)
    every = embed_graph(graph, 20)
    chosen = [np.abs(every.vectors.T @ vector).argmax() for vector in embedding.embedding_.T]
    assert chosen != [0, 1]
    np.testing.assert_allclose(embedding.eigenvalues_, every.values[chosen], atol=1e-6)
    np.testing.assert_allclose(embedding.eigengaps_, every.gaps[chosen], atol=1e-6)


def test_the_affinity_follows_data_and_forest(roll):
    X, position = roll[0][:200], roll[1][:200]
    wide = np.random.default_rng(0).normal(size=(60, 11))
    assert isinstance(ManifoldEmbedding(3, random_state=0).fit(X)._affinity, GaussianAffinity)
    assert isinstance(ManifoldEmbedding(3, random_state=0).fit(wide)._affinity, BinaryAffinity)
    supervised = ManifoldEmbedding(forest=ForestRegressor(5, min_samples_leaf=9, random_state=0))
    assert isinstance(supervised.fit(X, position)._affinity, BinaryAffinity)
    same = ManifoldEmbedding(
        forest=ForestRegressor(5, min_samples_leaf=9, random_state=0),
        selection="smoothest",
        affinity="binary",
    ).fit(X, position)
    np.testing.assert_array_equal(supervised.embedding_, same.embedding_)


def test_other_selections_are_refused(roll):
    with pytest.raises(ValueError, match="selection must be one of 'auto', 'independent'"):
        ManifoldEmbedding(selection="all").fit(roll[0])

"""Neighbourhoods of edges, perturbed hyperplanes, and directions that come out empty."""

import networkx as nx
import numpy as np
import pytest
from growing import sample_directions

from silvan import ForestClassifier
from silvan.projections import (
    EdgeNeighborhoods,
    GraphNeighborhoods,
    PerturbedHyperplanes,
    SparseSigns,
)


def test_neighbourhoods_of_edges_are_those_of_the_line_graph():
    graph = nx.random_regular_graph(3, 12, seed=0)
    edges = list(graph.edges())
    line = nx.line_graph(graph)
    adjacency = nx.to_scipy_sparse_array(line, nodelist=edges)
    ours = EdgeNeighborhoods(edges, 2, 6)
    theirs = GraphNeighborhoods(adjacency, 2, 6)
    given = EdgeNeighborhoods(graph, 2, 6)
    for seed in range(5):
        expected = theirs.draw(20, len(edges), random_state=seed).toarray()
        np.testing.assert_array_equal(ours.draw(20, len(edges), seed).toarray(), expected)
        np.testing.assert_array_equal(given.draw(20, len(edges), seed).toarray(), expected)


def test_every_neighbourhood_of_edges_is_connected():
    graph = nx.gnm_random_graph(15, 30, seed=1)
    edges = np.array(graph.edges())
    directions = EdgeNeighborhoods(edges, 1, 6).draw(200, len(edges), random_state=0)
    for direction in directions.toarray():
        assert nx.is_connected(nx.Graph(edges[direction != 0].tolist()))


def test_edges_with_a_shifted_neighbourhood_are_found():
    rng = np.random.default_rng(0)
    graph = nx.grid_2d_graph(6, 6)
    edges = list(graph.edges())
    raised = np.array([any(node in ((2, 2), (2, 3)) for node in edge) for edge in edges])
    y = rng.integers(2, size=800)
    X = rng.normal(size=(800, len(edges))) + 0.5 * y[:, None] * raised
    accuracy = {}
    for name, projections in (
        ("edges", EdgeNeighborhoods(graph, 3, 9)),
        ("signs", SparseSigns()),
    ):
        forest = ForestClassifier(60, projections=projections, random_state=0)
        accuracy[name] = forest.fit(X[:400], y[:400]).score(X[400:], y[400:])
    assert accuracy["edges"] > accuracy["signs"] + 0.02


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(0, 1)], "edges has 1 edges but X has 2 features"),
        ([0, 1], "edges must be an array of whole numbers with two columns"),
        ([(0.5, 1.0), (1.0, 2.0)], "edges must be an array of whole numbers"),
    ],
)
def test_wrong_edges_are_refused(edges, message):
    with pytest.raises(ValueError, match=message):
        ForestClassifier(projections=EdgeNeighborhoods(edges)).fit([[0, 1], [1, 0]], [0, 1])


def test_nodes_with_too_many_edges_are_refused_before_work():
    star = np.stack([np.zeros(10_001, dtype=int), np.arange(1, 10_002)], axis=1)
    with pytest.raises(ValueError, match="a node with 10,001 edges makes"):
        EdgeNeighborhoods(star).draw(1, len(star), random_state=0)


def test_edges_of_a_graph_are_compared_and_shown_as_such():
    graph = nx.path_graph(["a", "b", "c"])
    assert EdgeNeighborhoods(graph) == EdgeNeighborhoods(graph.copy())
    assert EdgeNeighborhoods(graph) != EdgeNeighborhoods(nx.star_graph(2))
    assert (
        repr(EdgeNeighborhoods(graph))
        == "EdgeNeighborhoods(edges=<Graph with 3 nodes and 2 edges>)"
    )


def draw_hyperplanes(n_perturbations, X, y, n_directions=100):
    distribution = PerturbedHyperplanes(n_perturbations=n_perturbations)
    return distribution.draw(n_directions, X.shape[1], random_state=0, X=X, y=y).toarray()


def test_perturbed_hyperplanes_turn_towards_the_boundary():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(250, 3))
    normal = np.array([2.0, -1.0, 2.0]) / 3
    for y in (X @ normal > 0, 10 * (X @ normal > 0) + 0.1 * X[:, 0]):
        cosines = [np.mean(np.abs(draw_hyperplanes(n, X, y) @ normal)) for n in (0, 10, 100)]
        assert abs(cosines[0] - 0.5) < 0.1  # uniform over the sphere: mean |cos| is 1/2
        assert cosines[0] + 0.1 < cosines[1] < cosines[2]
        assert cosines[2] > 0.95


def test_hyperplanes_do_not_depend_on_units():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3)).astype(np.float32)
    y = X.sum(axis=1) > 0
    units = np.array([1.0, 1024.0, 0.125], dtype=np.float32)
    ours, scaled = draw_hyperplanes(10, X, y) * 1.0, draw_hyperplanes(10, X * units, y) * units
    scaled /= np.linalg.norm(scaled, axis=1, keepdims=True)
    np.testing.assert_allclose(np.abs(scaled), np.abs(ours), atol=1e-5)


def test_hyperplanes_of_hopeless_nodes_are_single_features():
    X = np.ones((50, 4))
    directions = draw_hyperplanes(5, X, np.arange(50) % 2)
    np.testing.assert_array_equal((directions != 0).sum(axis=1), 1)
    forest = ForestClassifier(3, projections=PerturbedHyperplanes(), random_state=0)
    X = np.random.default_rng(2).normal(size=(100, 4))
    X[::7, 1] = np.nan
    assert forest.fit(X, X[:, 0] > 0).score(X, X[:, 0] > 0) > 0.9


@pytest.mark.parametrize("n_features", [12, 120])
def test_dropped_directions_are_those_that_would_have_been_empty(n_features):
    drop = SparseSigns(mean_nonzeros=0.5, empty="drop")._to_native(n_features)
    numbers = []
    for tree in range(3000):
        indptr = sample_directions(drop, 0, tree, "", 8)[0]
        assert (np.diff(indptr) > 0).all()
        assert indptr[-1] == 4  # all nonzeros that the density says, and no more
        numbers.append(len(indptr) - 1)
    # Four of 8 p cells without replacement: a direction is empty with the hypergeometric chance.
    cells = 8 * n_features
    chance = np.prod([(cells - n_features - k) / (cells - k) for k in range(4)])
    assert abs(np.mean(numbers) - 8 * (1 - chance)) < 6 * np.std(numbers) / np.sqrt(len(numbers))


def test_empty_directions_of_poisson_counts_cannot_be_dropped():
    with pytest.raises(ValueError, match="empty must be fill with"):
        SparseSigns(counts="poisson", empty="drop").draw(2, 5)

"""Neighbourhoods in graphs: the distribution by enumeration, and what counts as a graph."""

import pickle
import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from projections.exact_distributions import (
    RAREST,
    as_dictionary,
    assert_counts,
    assert_distribution,
    neighborhood_distribution,
    supports,
)
from scipy.sparse import coo_array, csr_array, csr_matrix, dok_array
from scipy.sparse.csgraph import connected_components
from scipy.stats import kstest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from silvan import ForestClassifier
from silvan.projections import GraphNeighborhoods, Node


def from_edges(n_nodes, edges):
    adjacency = np.zeros((n_nodes, n_nodes), dtype=int)
    for i, j in edges:
        adjacency[i, j] = adjacency[j, i] = 1
    return adjacency


GRAPHS = {
    "path": from_edges(6, [(i, i + 1) for i in range(5)]),
    "cycle": from_edges(7, [(i, (i + 1) % 7) for i in range(7)]),
    "star": from_edges(6, [(2, i) for i in range(6) if i != 2]),
    "disconnected": from_edges(7, [(0, 3), (3, 5), (1, 6)]),
    "two hubs": from_edges(8, [(0, 1), (0, 2), (0, 3), (3, 4), (4, 5), (4, 6), (4, 7), (1, 2)]),
    "complete": from_edges(5, [(i, j) for i in range(5) for j in range(i)]),
    "no edges": from_edges(4, []),
    "single": from_edges(1, []),
}
SIZES = [(1, 3), (2, 5), (4, 4), (1, 20)]
PATH = csr_array(GRAPHS["path"])


def draw(distribution, n_directions, n_features, seed=0):
    return distribution.draw(n_directions, n_features, random_state=seed)


# The distribution


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("adjacency", GRAPHS.values(), ids=GRAPHS)
def test_neighborhoods_have_the_distribution_of_their_enumeration(adjacency, sizes):
    p, expected = len(adjacency), neighborhood_distribution(adjacency, *sizes)
    neighborhoods = GraphNeighborhoods(csr_array(adjacency), *sizes)
    directions = draw(neighborhoods, 10_000, p)
    assert (directions.data == 1).all()
    assert_distribution(supports(directions), expected)
    assert_distribution(supports(draw(as_dictionary(expected, p), 10_000, p)), expected)
    reference = neighborhoods.sample(Node(p, 500), np.random.default_rng(0))
    assert_distribution(supports(reference), expected)


def test_the_enumeration_tells_graphs_apart():
    directions = draw(GraphNeighborhoods(PATH, 2, 3), 2_000, 6)
    with pytest.raises(AssertionError):
        assert_distribution(supports(directions), neighborhood_distribution(GRAPHS["star"], 2, 3))


@pytest.fixture(scope="module")
def mesh():
    """A random graph of 200 nodes and few edges, most of them in one component."""
    rng = np.random.default_rng(4)
    return from_edges(200, rng.integers(200, size=(330, 2)).tolist())


def test_every_neighborhood_is_connected_and_as_large_as_its_component_allows(mesh):
    _, component = connected_components(csr_array(mesh))
    room = np.bincount(component)[component]
    drawn = supports(draw(GraphNeighborhoods(csr_array(mesh), 3, 15), 1_500, 200))
    for nodes in drawn:
        n_parts, _ = connected_components(csr_array(mesh[np.ix_(nodes, nodes)]))
        assert n_parts == 1
        assert min(3, room[nodes[0]]) <= len(nodes) <= min(15, room[nodes[0]])
    assert {room[nodes[0]] for nodes in drawn} == set(room)


def test_sizes_are_uniform_where_the_component_is_large_enough():
    cycle = from_edges(50, [(i, (i + 1) % 50) for i in range(50)])
    directions = draw(GraphNeighborhoods(csr_array(cycle), 4, 9), 20_000, 50)
    sizes = np.diff(directions.indptr)
    assert_distribution(sizes.tolist(), {size: Fraction(1, 6) for size in range(4, 10)})
    # A cycle looks alike from everywhere, so its features are used equally often.
    counts = np.bincount(directions.indices, minlength=50)
    assert_counts(counts, 20_000, [6.5 / 50] * 50)


def test_a_component_smaller_than_the_size_is_taken_whole():
    drawn = supports(draw(GraphNeighborhoods(csr_array(GRAPHS["disconnected"]), 9, 9), 8_000, 7))
    shares = {(0, 3, 5): 3, (1, 6): 2, (2,): 1, (4,): 1}
    assert_distribution(drawn, {nodes: Fraction(n, 7) for nodes, n in shares.items()})


def test_coefficients_have_their_distributions_and_leave_the_neighborhoods_alone():
    expected = neighborhood_distribution(GRAPHS["two hubs"], 2, 6)
    drawn = {
        coefficients: draw(
            GraphNeighborhoods(csr_array(GRAPHS["two hubs"]), 2, 6, coefficients=coefficients),
            10_000,
            8,
        )
        for coefficients in ("signs", "uniform", "normal")
    }
    for directions in drawn.values():
        assert_distribution(supports(directions), expected)
    signs = Counter(drawn["signs"].data.tolist())
    assert signs.keys() == {-1.0, 1.0}
    assert_counts(np.array([signs[1.0]]), drawn["signs"].nnz, [0.5])
    assert kstest(drawn["uniform"].data, "uniform", args=(-1, 2)).pvalue > RAREST
    assert kstest(drawn["normal"].data, "norm").pvalue > RAREST


# What counts as a graph

HUBS = GRAPHS["two hubs"]
LOOPS = HUBS + np.eye(8)
TWICE = coo_array(HUBS)
EQUAL_GRAPHS = {
    "dense": HUBS,
    "truth values": HUBS.astype(bool),
    "csr matrix": csr_matrix(HUBS),
    "dok": dok_array(HUBS),
    "one direction only": csr_array(np.triu(HUBS)),
    "other direction only": csr_array(np.tril(HUBS)),
    "weights of either sign": csr_array(np.triu(HUBS) * -0.25 + np.tril(HUBS) * 7.0),
    "loops": csr_array(LOOPS),
    "stored zeros": csr_array(
        (np.append(np.ones(TWICE.nnz), 0.0), (np.append(TWICE.row, 5), np.append(TWICE.col, 6)))
    ),
    "edges listed twice": coo_array(
        (np.ones(2 * TWICE.nnz), (np.tile(TWICE.row, 2), np.tile(TWICE.col, 2)))
    ),
    "entries that cancel": coo_array(
        (
            np.append(np.ones(TWICE.nnz), [1.0, -1.0]),
            (np.append(TWICE.row, [5, 5]), np.append(TWICE.col, [6, 6])),
        )
    ),
}


def assert_same_draws(graph):
    wanted = draw(GraphNeighborhoods(csr_array(HUBS), 1, 5), 200, 8).toarray()
    assert np.array_equal(draw(GraphNeighborhoods(graph, 1, 5), 200, 8).toarray(), wanted)


@pytest.mark.parametrize("graph", EQUAL_GRAPHS.values(), ids=EQUAL_GRAPHS)
def test_only_who_neighbours_whom_counts(graph):
    assert_same_draws(graph)


@pytest.mark.parametrize("kind", ["Graph", "DiGraph", "MultiGraph", "MultiDiGraph"])
@pytest.mark.parametrize("names", [range(8), "hgfedcba", [(i, "x") for i in range(8)]])
def test_the_nodes_of_a_networkx_graph_are_features_in_their_order(kind, names):
    networkx = pytest.importorskip("networkx")
    graph = getattr(networkx, kind)()
    graph.add_nodes_from(names)
    for i, j in zip(*np.nonzero(np.triu(HUBS)), strict=True):
        graph.add_edge(names[j], names[i], weight=0.0)
    graph.add_edge(names[3], names[3])
    assert_same_draws(graph)


def test_neighborhoods_in_a_networkx_graph_are_shown_compared_cloned_and_pickled():
    networkx = pytest.importorskip("networkx")
    distribution = GraphNeighborhoods(networkx.path_graph("abcdef"), 2, 4)
    assert repr(distribution) == (
        "GraphNeighborhoods(graph=<Graph with 6 nodes and 5 edges>, min_size=2, max_size=4)"
    )
    for copy in (clone(distribution), pickle.loads(pickle.dumps(distribution))):
        assert copy == distribution
        assert copy.graph is not distribution.graph
        assert np.array_equal(draw(copy, 9, 6).toarray(), draw(distribution, 9, 6).toarray())
    for graph in (
        networkx.path_graph("fedcba"),
        networkx.path_graph("abcde"),
        networkx.cycle_graph("abcdef"),
        networkx.Graph(),
        PATH,
    ):
        assert GraphNeighborhoods(graph, 2, 4) != distribution
    assert GraphNeighborhoods(networkx.path_graph("abcdef"), 2, 5) != distribution


def test_neighborhoods_in_a_matrix_are_shown_compared_cloned_and_pickled():
    distribution = GraphNeighborhoods(PATH, coefficients="signs")
    assert (
        repr(distribution) == "GraphNeighborhoods(graph=<6x6 sparse matrix>, coefficients='signs')"
    )
    for copy in (clone(distribution), pickle.loads(pickle.dumps(distribution))):
        assert copy == distribution
    assert GraphNeighborhoods(csr_array(GRAPHS["path"] * 2), coefficients="signs") != distribution
    assert GraphNeighborhoods(PATH) != distribution
    assert GraphNeighborhoods(PATH) != "GraphNeighborhoods"
    with pytest.raises(TypeError, match="unhashable"):
        hash(distribution)


# Parameters

BAD = [
    (GraphNeighborhoods(csr_array(np.eye(5))), "graph has 5 nodes but X has 6 features; pass a"),
    (GraphNeighborhoods(csr_array((0, 0))), "graph has 0 nodes but X has 6 features"),
    (GraphNeighborhoods(PATH[:5]), "row and a column for each feature, but its shape is (5, 6)"),
    (GraphNeighborhoods(np.ones(6)), "row and a column for each feature, but its shape is (6,)"),
    (GraphNeighborhoods(PATH * 1j), "graph must hold real numbers, but its dtype is complex128"),
    (GraphNeighborhoods(np.full((6, 6), "a")), "graph must hold real numbers, but its dtype is <U"),
    (GraphNeighborhoods(PATH * np.nan), "whether it is an edge, but it contains NaN; put zero"),
    (GraphNeighborhoods(None), "graph must be an adjacency matrix or a networkx graph, but it is"),
    (GraphNeighborhoods([(0, 1), (1, 2)]), "pass for example scipy.sparse.csr_array(adjacency)"),
    (GraphNeighborhoods(PATH, 0), "min_size must be an integer >= 1, but it is 0"),
    (GraphNeighborhoods(PATH, 1.5), "min_size must be an integer >= 1, but it is 1.5"),
    (GraphNeighborhoods(PATH, True), "min_size must be an integer >= 1, but it is True"),
    (GraphNeighborhoods(PATH, 1, (3, 3)), "max_size must be an integer >= 1, but it is (3, 3)"),
    (GraphNeighborhoods(PATH, 1, 10**30), "max_size must be at most 2147483647, but it is 1"),
    (GraphNeighborhoods(PATH, 1, None), "max_size must be an integer >= 1, but it is None"),
    (GraphNeighborhoods(PATH, 4, 3), "min_size must be at most max_size (3), but it is 4; swap"),
    (
        GraphNeighborhoods(PATH, coefficients="one"),
        "coefficients must be one of 'ones', 'signs', 'uniform'",
    ),
]

X = np.random.default_rng(0).normal(size=(80, 6)).astype(np.float32)
Y = (X[:, 2:5].sum(axis=1) > 0).astype(int)


@pytest.mark.parametrize(("neighborhoods", "message"), BAD, ids=range(len(BAD)))
def test_a_bad_parameter_is_explained_before_anything_is_drawn(neighborhoods, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        neighborhoods.draw(3, 6)
    with pytest.raises(ValueError, match=re.escape(message)):
        ForestClassifier(2, projections=neighborhoods).fit(X, Y)


def test_a_networkx_graph_without_nodes_is_explained():
    networkx = pytest.importorskip("networkx")
    with pytest.raises(ValueError, match="graph has 0 nodes but X has 6 features"):
        GraphNeighborhoods(networkx.Graph()).draw(3, 6)


def test_forests_grow_on_graphs_and_a_grid_search_reaches_their_sizes():
    search = GridSearchCV(
        ForestClassifier(10, projections=GraphNeighborhoods(PATH), random_state=0),
        {"projections__max_size": [np.int64(1), 3], "projections__min_size": [1]},
        cv=2,
    ).fit(X, Y)
    assert search.best_estimator_.score(X, Y) > 0.95

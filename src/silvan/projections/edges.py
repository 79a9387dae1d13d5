"""Connected neighbourhoods of features that are the edges of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from silvan import _core
from silvan._validation import invalid
from silvan.projections.arrays import read_array
from silvan.projections.base import ProjectionDistribution
from silvan.projections.graphs import GraphNeighborhoods
from silvan.projections.node import Node
from silvan.projections.parameters import is_networkx, same_value

# Pairs of edges at one node; each takes 12 bytes, several times over while they are sorted.
_MAX_PAIRS = 1e8


class EdgeNeighborhoods(ProjectionDistribution):
    """Sums over random collections of neighbouring edges, where features are those of a graph [1]_.

    Samples have a value on each edge: traffic on roads, connectivity of brain regions, friendship.
    Two edges are neighbours if they share a node. A centre is drawn uniformly among the edges and a
    size uniformly from `min_size` to `max_size`; the neighbourhood grows from it breadth first, as
    in :class:`GraphNeighborhoods`.

    Parameters
    ----------
    edges : array-like of shape (n_features, 2) or networkx graph
        The two nodes of each edge, as integers; feature i is the value on edge i. The edges of a
        networkx graph are taken in its own order.
    min_size, max_size : int, default=1 and 8
        Smallest and largest number of edges.
    coefficients : {"ones", "signs", "uniform", "normal"}, default="ones"
        Coefficients of the edges: all one; +1 or -1; uniform over (-1, 1); standard normal.

    See Also
    --------
    GraphNeighborhoods : The same where features are nodes.

    References
    ----------
    .. [1] R. Perry. Manifold-aware forests: closing the gap to convolutional neural networks.
       Johns Hopkins University, 2020, section 3.1.

    Examples
    --------
    The edges of a square and one that hangs on it:

    >>> from silvan.projections import EdgeNeighborhoods
    >>> edges = [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4)]
    >>> neighborhoods = EdgeNeighborhoods(edges, min_size=3, max_size=3)
    >>> neighborhoods.draw(1, n_features=5, random_state=0).sum()
    np.float32(3.0)
    """

    def __init__(
        self, edges: Any, min_size: int = 1, max_size: int = 8, coefficients: str = "ones"
    ) -> None:
        self.edges = edges
        self.min_size = min_size
        self.max_size = max_size
        self.coefficients = coefficients

    def validate(self, n_features: int) -> None:
        """Raise an error if a parameter is wrong, or if there is not one edge per feature."""
        edges = self._read_edges()
        n_edges = len(edges)
        if n_edges != n_features:
            raise ValueError(
                f"edges has {n_edges} edges but X has {n_features} features; pass the two nodes of "
                "each feature's edge."
            )
        GraphNeighborhoods(None, self.min_size, self.max_size, self.coefficients)._check_sizes()
        edges_of_a_node = np.unique(edges, return_counts=True)[1].astype(np.float64)
        n_pairs = float(edges_of_a_node @ edges_of_a_node)
        if n_pairs > _MAX_PAIRS:
            raise ValueError(
                f"edges must have at most {_MAX_PAIRS:.0e} pairs of neighbours, but a node with "
                f"{edges_of_a_node.max():,.0f} edges makes {n_pairs:.1e}; leave such nodes out, or "
                "pass the neighbours that count to GraphNeighborhoods."
            )

    def sample(self, node: Node, rng: np.random.Generator) -> sparse.csr_array[np.float64]:
        """Draw directions for one node in NumPy, as a reference for the core."""
        return self._on_line_graph().sample(node, rng)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EdgeNeighborhoods) or type(other) is not type(self):
            return NotImplemented
        return same_value(self._saved_params(), other._saved_params())

    __hash__ = None  # type: ignore[assignment]  # parameters may change

    def _saved_params(self) -> dict[str, Any]:
        """A networkx graph is kept as its edges."""
        params = super()._saved_params()
        return params | {"edges": self._read_edges()} if is_networkx(self.edges) else params

    def _read_edges(self) -> NDArray[np.int64]:
        given = self.edges
        if is_networkx(given):
            numbers = {node: number for number, node in enumerate(given.nodes)}
            given = [(numbers[a], numbers[b]) for a, b in given.edges()]
        edges: NDArray[Any] = read_array("edges", given)
        if edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype.kind not in "iu":
            raise invalid(
                "edges",
                "an array of whole numbers with two columns, the nodes of each edge, or a networkx "
                "graph",
                self.edges,
                "pass for example [(0, 1), (1, 2)]",
            )
        return edges.astype(np.int64)

    def _on_line_graph(self) -> GraphNeighborhoods:
        """The same neighbourhoods on the graph whose nodes are the edges."""
        edges = self._read_edges()
        nodes = np.unique(edges, return_inverse=True)[1].reshape(edges.shape)
        numbers = np.repeat(np.arange(len(edges)), 2)
        incidence = sparse.csr_array(
            (np.ones(len(numbers)), (numbers, nodes.ravel())),
            shape=(len(edges), int(nodes.max(initial=-1)) + 1),
        )
        return GraphNeighborhoods(
            sparse.csr_array(incidence @ incidence.T),
            self.min_size,
            self.max_size,
            self.coefficients,
        )

    def _to_native(self, n_features: int) -> _core.ProjectionDistribution:
        return self._on_line_graph()._to_native(n_features)

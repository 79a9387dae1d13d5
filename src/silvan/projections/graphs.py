"""Connected neighbourhoods of features that are the nodes of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from silvan import _core
from silvan._validation import check_choice, check_integer, invalid
from silvan.projections.arrays import read_array
from silvan.projections.base import ProjectionDistribution
from silvan.projections.grids import COEFFICIENTS, draw_coefficients
from silvan.projections.node import Node
from silvan.projections.parameters import is_networkx, is_sparse, same_value

_MAX_SIZE = 2**31 - 1


class GraphNeighborhoods(ProjectionDistribution):
    """Sums over random connected neighbourhoods in a graph of features [1]_, [2]_.

    A centre is drawn uniformly among the features and a size uniformly from `min_size` to
    `max_size`. The neighbourhood grows from the centre breadth first: all nodes at distance one,
    then at distance two, and so on; at the first distance that does not fit any more, it takes a
    random subset. If the centre's component has fewer nodes than the size, it takes them all.

    Parameters
    ----------
    graph : sparse matrix or array of shape (n_features, n_features), or networkx graph
        The neighbours of each feature. A nonzero entry (i, j), whatever its sign, is an edge
        between features i and j. All edges of a networkx graph count, and its i-th node, whatever
        its name, is feature i. Edges count in both directions; loops are ignored.
    min_size, max_size : int, default=1 and 8
        Smallest and largest number of features.
    coefficients : {"ones", "signs", "uniform", "normal"}, default="ones"
        Coefficients of the features: all one; +1 or -1; uniform over (-1, 1); standard normal.

    References
    ----------
    .. [1] R. Perry et al. Manifold forests: closing the gap on neural networks, section 3.1.
    .. [2] R. Perry. Manifold-aware forests: closing the gap to convolutional neural networks.
       Johns Hopkins University, 2020, section 3.1.

    Examples
    --------
    >>> from scipy.sparse import diags_array
    >>> from silvan.projections import GraphNeighborhoods
    >>> path = diags_array([1.0] * 5, offsets=1, shape=(6, 6))
    >>> neighborhoods = GraphNeighborhoods(path, min_size=3, max_size=3)
    >>> neighborhoods.draw(1, n_features=6, random_state=1).toarray()
    array([[0., 0., 0., 1., 1., 1.]], dtype=float32)
    """

    def __init__(
        self, graph: Any, min_size: int = 1, max_size: int = 8, coefficients: str = "ones"
    ) -> None:
        self.graph = graph
        self.min_size = min_size
        self.max_size = max_size
        self.coefficients = coefficients

    def validate(self, n_features: int) -> None:
        """Raise an error if a parameter is wrong, or the graph has another number of nodes."""
        self._check_sizes()
        n_nodes = self.adjacency().shape[0]
        if n_nodes != n_features:
            raise ValueError(
                f"graph has {n_nodes} nodes but X has {n_features} features; pass a graph with one "
                "node for each feature."
            )

    def _check_sizes(self) -> None:
        check_integer("min_size", self.min_size, 1)
        check_integer("max_size", self.max_size, 1, maximum=_MAX_SIZE)
        check_choice("coefficients", self.coefficients, COEFFICIENTS)
        if self.min_size > self.max_size:
            raise invalid(
                "min_size",
                f"at most max_size ({self.max_size})",
                self.min_size,
                "swap or change them",
            )

    def sample(self, node: Node, rng: np.random.Generator) -> sparse.csr_array[np.float64]:
        """Draw directions for one node in NumPy, as a reference for the core."""
        adjacency = self.adjacency().toarray() != 0
        directions = np.zeros((node.n_directions, node.n_features))
        for direction in directions:
            inside = np.zeros(node.n_features, dtype=bool)
            inside[rng.integers(node.n_features)] = True
            size = rng.integers(self.min_size, self.max_size + 1)
            while inside.sum() < size:
                level = np.flatnonzero(adjacency[inside].any(axis=0) & ~inside)
                if len(level) == 0:
                    break
                room = size - inside.sum()
                inside[level if len(level) <= room else rng.choice(level, room, False)] = True
            direction[inside] = draw_coefficients(self.coefficients, int(inside.sum()), rng)
        return sparse.csr_array(directions)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GraphNeighborhoods) or type(other) is not type(self):
            return NotImplemented
        mine, theirs = self.get_params(), other.get_params()
        if is_networkx(self.graph) and is_networkx(other.graph):  # graphs that compare by identity
            from networkx.utils import graphs_equal

            if list(mine["graph"]) != list(theirs["graph"]):
                return False
            if not graphs_equal(mine.pop("graph"), theirs.pop("graph")):
                return False
        return same_value(mine, theirs)

    __hash__ = None  # type: ignore[assignment]  # parameters may change

    def _saved_params(self) -> dict[str, Any]:
        """A networkx graph is kept as its adjacency, which is all of it that forests read."""
        params = super()._saved_params()
        if is_networkx(self.graph):
            from networkx import to_scipy_sparse_array

            params["graph"] = to_scipy_sparse_array(self.graph, weight=None)
        return params

    def adjacency(self) -> sparse.csr_array[np.float64]:
        """Symmetric adjacency of zeros and ones without loops."""
        graph = self.graph
        if is_networkx(self.graph):
            from networkx import to_scipy_sparse_array

            graph = to_scipy_sparse_array(graph, weight=None) if len(graph) else np.zeros((0, 0))
        if not (is_sparse(graph) or isinstance(graph, np.ndarray)):
            raise invalid(
                "graph",
                "an adjacency matrix or a networkx graph",
                graph,
                "pass for example scipy.sparse.csr_array(adjacency)",
            )
        graph = read_array("graph", graph)
        if graph.ndim != 2 or graph.shape[0] != graph.shape[1]:
            raise ValueError(
                "graph must have a row and a column for each feature, but its shape is "
                f"{graph.shape}; pass a square adjacency matrix."
            )
        if graph.dtype.kind not in "biuf":
            raise ValueError(
                f"graph must hold real numbers, but its dtype is {graph.dtype}; pass a matrix of "
                "zeros and ones."
            )
        entries = sparse.csr_array(graph, dtype=np.float64, copy=True)
        entries.sum_duplicates()
        if np.isnan(entries.data).any():
            raise ValueError(
                "graph must say of each pair whether it is an edge, but it contains NaN; put zero "
                "where there is no edge."
            )
        edges = entries.tocoo()
        keep = (edges.data != 0) & (edges.row != edges.col)
        rows: NDArray[Any] = np.concatenate([edges.row[keep], edges.col[keep]])
        columns: NDArray[Any] = np.concatenate([edges.col[keep], edges.row[keep]])
        adjacency = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=graph.shape)
        adjacency.sum_duplicates()
        adjacency.data[:] = 1.0
        return adjacency

    def _to_native(self, n_features: int) -> _core.ProjectionDistribution:
        adjacency = self.adjacency()
        return _core.graph_neighborhoods(
            adjacency.indptr.astype(np.int64),
            adjacency.indices.astype(np.int32),
            (int(self.min_size), int(self.max_size)),
            self.coefficients,
        )

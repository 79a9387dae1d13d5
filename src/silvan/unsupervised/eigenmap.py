"""Laplacian eigenmaps of an affinity graph, matrix-free, component by component."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, csr_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from silvan.unsupervised.independence import independent_columns, n_candidates

# Graphs of fewer nodes are solved as dense matrices, which is exact and quicker.
_SMALL = 200
# Eigenvectors whose eigenvalue of the Laplacian is 1 say nothing of the graph.
_NO_STRUCTURE = 1e-9

# Restarts of the solver; graphs with structure take a handful.
_MAX_RESTARTS = 1000

Product = Callable[[NDArray[np.float64]], NDArray[np.float64]]


class Graph(NamedTuple):
    """An affinity graph: W itself, or a matrix Z with W = Z Zᵀ, which is never multiplied out."""

    matrix: csr_array
    factored: bool

    def components(self) -> NDArray[np.integer]:
        """Connected component of each row."""
        graph = self.matrix
        if self.factored:  # rows and columns are the two sides of a bipartite graph
            graph = block_array([[None, graph], [graph.T, None]], format="csr")
        labels = connected_components(graph, directed=False)[1][: self.matrix.shape[0]]
        numbers: NDArray[np.integer] = np.unique(labels, return_inverse=True)[1]
        return numbers

    def restrict(self, rows: NDArray[np.integer]) -> Graph:
        """The graph of some rows that are linked to no others."""
        part = self.matrix[rows]
        return Graph(
            part[:, np.unique(part.indices)] if self.factored else part[:, rows], self.factored
        )

    def product(self) -> Product:
        """Multiplication of W with a vector."""
        matrix = self.matrix
        if not self.factored:
            return lambda v: matrix @ v
        transposed = matrix.T.tocsr()
        return lambda v: matrix @ (transposed @ v)


class Eigenmap(NamedTuple):
    """Eigenvectors of L = I - D^-1/2 W D^-1/2 but for the trivial one."""

    vectors: NDArray[np.float64]  # (n_rows, n_components), zero where the graph has no more
    values: NDArray[np.float64]  # (n_components,), ascending, 1 where the graph has no more
    gaps: NDArray[np.float64]  # (n_components,): how much larger the next one of the graph is

    def take(self, columns: NDArray[np.intp]) -> Eigenmap:
        """Some of them."""
        return Eigenmap(self.vectors[:, columns], self.values[columns], self.gaps[columns])


def embed_graph(graph: Graph, n_components: int, *, independent: bool = False) -> Eigenmap:
    """The smoothest functions on a connected graph, each of unit length.

    Where they must be independent, those are left out that are functions of the others.
    """
    if not independent or n_components == 1:
        return _smoothest(graph, n_components)
    all_of_them = _smoothest(graph, n_candidates(n_components))
    n_found = int(np.count_nonzero(all_of_them.values < 1.0 - _NO_STRUCTURE))
    if n_found <= n_components:
        return all_of_them.take(np.arange(n_components))
    return all_of_them.take(independent_columns(all_of_them.vectors[:, :n_found], n_components))


def _smoothest(graph: Graph, n_components: int) -> Eigenmap:
    n_rows = graph.matrix.shape[0]
    multiply = graph.product()
    degrees = multiply(np.ones(n_rows))
    scale = 1.0 / np.sqrt(degrees)
    trivial = np.sqrt(degrees / degrees.sum())

    def normalised(v: NDArray[np.float64]) -> NDArray[np.float64]:
        v = v.ravel()
        product: NDArray[np.float64] = scale * multiply(scale * v) - trivial * (trivial @ v)
        return product

    largest, vectors = _largest(normalised, n_rows, min(n_components + 1, n_rows - 1))
    values = np.ones(n_components + 1)
    values[: len(largest)] = np.clip(1.0 - largest, 0.0, 1.0)
    embedding = np.zeros((n_rows, n_components))
    n_found = int(np.count_nonzero(values[:n_components] < 1.0 - _NO_STRUCTURE))
    embedding[:, :n_found] = _fix_signs(vectors[:, :n_found])
    return Eigenmap(embedding, values[:-1], np.diff(values))


def _largest(multiply: Product, n: int, k: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The k largest eigenvalues of a symmetric operator, descending, and their vectors."""
    if n <= max(_SMALL, 3 * k):
        dense = np.column_stack([multiply(column) for column in np.eye(n)])
        values, vectors = np.linalg.eigh((dense + dense.T) / 2)
        return values[::-1][:k], vectors[:, ::-1][:, :k]
    operator = LinearOperator((n, n), matvec=multiply, dtype=np.float64)
    start = np.random.default_rng(0).normal(size=n)
    n_vectors = min(n - 1, max(4 * k, 40))
    try:
        values, vectors = eigsh(
            operator, k, which="LA", v0=start, ncv=n_vectors, tol=1e-7, maxiter=_MAX_RESTARTS
        )
    except ArpackNoConvergence as error:
        raise RuntimeError(
            f"the {k} smoothest functions on the affinity graph could not be separated; grow more "
            "trees or larger leaves, ask for fewer components, or use another affinity."
        ) from error
    order = np.argsort(-values)
    return values[order], vectors[:, order]


def _fix_signs(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Make the entry of largest magnitude positive, so that a run can be repeated."""
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.where(vectors[largest, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
    signed: NDArray[np.float64] = vectors * signs
    return signed

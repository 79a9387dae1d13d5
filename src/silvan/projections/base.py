"""The base class of every projection distribution, built-in or a user's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import check_array, check_consistent_length, check_random_state

from silvan import _core
from silvan._sparse import points_within
from silvan._validation import check_integer
from silvan.projections.arrays import check_columns
from silvan.projections.node import Node, NodeData
from silvan.projections.parameters import ParameterHolder, is_sparse
from silvan.projections.spreads import measure_spreads

_Arrays = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]


class ProjectionDistribution(ParameterHolder, ABC):
    """A distribution from which each node of a forest draws its candidate split directions.

    A direction is a sparse vector a: a node sorts its samples by a·x and looks for the best
    threshold. It is never empty and has no feature twice.

    A subclass implements `sample`, stores the arguments of its constructor under their own names
    and does nothing else there, and may implement `validate`. In the built-in distributions
    `sample` is a slow, plain reference for what the native core draws; a subclass written in Python
    is called at every node, which takes about 50 microseconds and runs on one thread at a time.

    See Also
    --------
    Node : What `sample` sees of the node.
    Dictionary : A finite list of directions, drawn natively.

    Examples
    --------
    Differences of neighbouring features:

    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from silvan.projections import ProjectionDistribution
    >>> class Differences(ProjectionDistribution):
    ...     def __init__(self, lag=1):
    ...         self.lag = lag
    ...
    ...     def sample(self, node, rng):
    ...         first = rng.integers(node.n_features - self.lag, size=node.n_directions)
    ...         directions = np.zeros((node.n_directions, node.n_features))
    ...         directions[np.arange(node.n_directions), first] = -1
    ...         directions[np.arange(node.n_directions), first + self.lag] = 1
    ...         return csr_array(directions)
    >>> Differences(lag=2).draw(n_directions=3, n_features=5, random_state=0).sum(axis=1)
    array([0., 0., 0.], dtype=float32)
    """

    @abstractmethod
    def sample(self, node: Node, rng: np.random.Generator) -> Any:
        """Draw directions for one node.

        Parameters
        ----------
        node : Node
            The node; it can be read during this call only.
        rng : numpy.random.Generator
            The only source of randomness to use, so that a forest depends on nothing but its seed.

        Returns
        -------
        directions : scipy sparse matrix or array
            One direction in each row: `node.n_directions` of them, or fewer (at least one) if
            the distribution has no more, and `node.n_features` columns.
        """

    def resolve(self, shape: tuple[int, ...]) -> ProjectionDistribution:
        """The distribution for samples of this shape: itself, unless it was left without one.

        Forests call it once before growing.

        Parameters
        ----------
        shape : tuple of int
            Shape of one sample.

        Returns
        -------
        distribution : ProjectionDistribution
            This distribution, or a copy that knows the shape.
        """
        return self

    def validate(self, n_features: int) -> None:
        """Raise an error if a parameter is wrong, or wrong for this number of features.

        Forests call it once before growing. The default accepts everything.

        Parameters
        ----------
        n_features : int
            Number of features of the data.
        """

    def draw(
        self,
        n_directions: int,
        n_features: int,
        random_state: Any = None,
        *,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
    ) -> sparse.csr_array[np.float32]:
        """Draw directions as the root of a tree does, to look at the distribution.

        Parameters
        ----------
        n_directions : int
            Number of directions to ask for.
        n_features : int
            Number of features of the data.
        random_state : int, RandomState instance or None, default=None
            Seed; an int makes the draw reproducible.
        X : array-like of shape (n_samples, n_features), default=None
            The samples of the root, for distributions that use the data.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
            The targets of `X`: floats mean regression, anything else classes. Without it all
            samples are of one class.

        Returns
        -------
        directions : scipy.sparse.csr_array of shape (n_directions, n_features)
            One direction in each row; fewer rows if the distribution has no more.
        """
        check_integer("n_directions", n_directions, 1)
        check_integer("n_features", n_features, 1)
        distribution = self.resolve((int(n_features),))
        distribution.validate(n_features)
        seed = int(check_random_state(random_state).randint(2**63, dtype=np.int64))
        rows = None
        if X is not None:
            features = check_samples(X, n_features)
            rows = describe_samples(features, y)
            distribution = distribution._with_spreads(measure_spreads(features))
        native = distribution._to_native(n_features)
        (indptr, indices, coefficients), windows = _core.sample_windows(
            native, _core.NodePlace(seed, 0), n_directions, rows
        )
        indptr, indices, coefficients = _core.expand_directions(
            native.columns, n_features, indptr, indices, coefficients, windows
        )
        directions = (coefficients, indices, indptr)
        return sparse.csr_array(directions, shape=(len(indptr) - 1, int(n_features)))

    def _with_spreads(self, spreads: NDArray[np.float64]) -> ProjectionDistribution:
        """The distribution for features of these spreads: itself, unless it was left without."""
        return self

    def _to_native(self, n_features: int) -> _core.ProjectionDistribution:
        """Return the native distribution for so many features; `validate` has been called."""
        name = f"{type(self).__name__}.sample"

        def sample(data: NodeData, n_directions: int, key: int) -> _Arrays:
            node = Node(n_features, n_directions, data)
            rng = np.random.Generator(np.random.Philox(key=key))
            return to_arrays(self.sample(node, rng), node, name)

        return _core.python_distribution(n_features, sample, name)


def check_samples(X: ArrayLike, n_features: int) -> NDArray[Any]:
    """Samples that are not in a forest as the core reads them."""
    rows: NDArray[Any] = check_array(X, dtype=[np.float32, np.uint8], ensure_all_finite="allow-nan")
    if rows.shape[1] != n_features:
        raise ValueError(
            f"X must have n_features={n_features} columns, but it has {rows.shape[1]}; pass "
            "n_features=X.shape[1]."
        )
    return rows


def describe_samples(rows: NDArray[Any], y: ArrayLike | None) -> _core.NodeSamples:
    """Describe checked samples that are not in a forest, each drawn once."""
    targets = np.zeros(len(rows), dtype=np.int32) if y is None else np.asarray(y)
    check_consistent_length(rows, targets)
    if targets.dtype.kind == "f":
        targets = np.ascontiguousarray(targets.reshape(len(rows), -1), dtype=np.float64)
    else:
        targets = np.unique(targets, return_inverse=True)[1].astype(np.int32)
    return _core.NodeSamples(rows, targets, None, np.ones(len(rows), dtype=np.int32), None)


def to_arrays(directions: Any, node: Node, name: str) -> _Arrays:
    """Return what a `sample` gave as the arrays of a CSR matrix, its type and shape checked.

    The core checks the rest (no empty direction, finite coefficients) and puts the same name in
    front.
    """
    if not is_sparse(directions):
        raise TypeError(
            f"{name} must return a scipy sparse matrix, but it returned a "
            f"{type(directions).__name__}; wrap it in scipy.sparse.csr_array."
        )
    if directions.dtype.kind not in "biuf":
        raise TypeError(
            f"{name} must return real numbers, but its matrix has dtype {directions.dtype}; "
            "convert it to float32."
        )
    n_rows, n_columns = directions.shape if directions.ndim == 2 else (0, 0)
    if n_columns != node.n_features or not 1 <= n_rows <= node.n_directions:
        raise ValueError(
            f"{name} must return 1 to {node.n_directions} rows (n_directions) and "
            f"{node.n_features} columns (n_features), but its matrix has shape "
            f"{directions.shape}; return one direction in each row."
        )
    return to_canonical_arrays(directions, f"what {name} returns")


def to_canonical_arrays(directions: Any, what: str) -> _Arrays:
    """Return the arrays of a sparse matrix with ascending indices, no duplicates and no zeros."""
    with np.errstate(over="ignore"):  # becomes infinite, which the core reports
        canonical = sparse.csr_array(directions, dtype=np.float32, copy=True)
    # Not left to the core, which reads 32 bits: 2**32 + 1 would become feature 1.
    check_columns(what, canonical)
    if not points_within(canonical):
        raise ValueError(
            f"{what} must be a sparse matrix whose row ends ascend and lie within its entries; "
            "make it anew from rows, columns and values."
        )
    canonical.sum_duplicates()
    canonical.eliminate_zeros()
    return (
        canonical.indptr.astype(np.int64, copy=False),
        canonical.indices.astype(np.int32, copy=False),
        canonical.data,
    )

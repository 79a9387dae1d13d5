"""What a distribution may know about the node that it draws directions for."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class NodeData(Protocol):
    """The part of a node that the core provides."""

    @property
    def tree(self) -> int:
        """The number of the tree."""

    @property
    def depth(self) -> int:
        """The depth of the node."""

    @property
    def n_samples(self) -> int:
        """The number of distinct samples."""

    @property
    def samples(self) -> NDArray[np.uint32]:
        """The sample numbers."""

    @property
    def X(self) -> NDArray[Any]:  # noqa: N802
        """The features of the samples."""

    @property
    def targets(self) -> NDArray[Any]:
        """The targets of the samples."""

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights of the samples."""


class Node:
    """A node of a growing tree, as `ProjectionDistribution.sample` sees it.

    Parameters
    ----------
    n_features : int
        Number of features p of the data.
    n_directions : int
        Number of directions d that the node asks for.
    data : object, default=None
        Where the other attributes come from; None stands for the root of tree 0 with no samples in
        it.

    Examples
    --------
    >>> from silvan.projections import Node
    >>> node = Node(n_features=4, n_directions=2)
    >>> node.depth, node.n_samples, node.X.shape
    (0, 0, (0, 4))
    """

    __slots__ = ("_data", "n_directions", "n_features")

    def __init__(self, n_features: int, n_directions: int, data: NodeData | None = None) -> None:
        self.n_features = n_features
        self.n_directions = n_directions
        self._data = data

    @property
    def tree(self) -> int:
        """The number of the tree, from 0."""
        return 0 if self._data is None else self._data.tree

    @property
    def depth(self) -> int:
        """The depth of the node; the root has 0."""
        return 0 if self._data is None else self._data.depth

    @property
    def n_samples(self) -> int:
        """The number of distinct training samples in the node."""
        return 0 if self._data is None else self._data.n_samples

    @property
    def samples(self) -> NDArray[np.uint32]:
        """The numbers of those samples, ascending (a copy)."""
        return np.empty(0, dtype=np.uint32) if self._data is None else self._data.samples

    @property
    def X(self) -> NDArray[Any]:  # noqa: N802
        """The features of those samples, (n_samples, n_features), float32 or uint8 (a copy)."""
        if self._data is None:
            return np.empty((0, self.n_features), dtype=np.float32)
        return self._data.X

    @property
    def targets(self) -> NDArray[Any]:
        """The targets of those samples as the forest sees them (a copy).

        In classification the numbers of their classes in `classes_`, int32 of shape (n_samples,).
        In regression float64 of shape (n_samples, n_outputs), from the middle of their range over
        all training samples.
        """
        return np.empty(0, dtype=np.int32) if self._data is None else self._data.targets

    @property
    def weights(self) -> NDArray[np.float64]:
        """How much each sample counts: how often the tree drew it times its weight (a copy).

        With ``bootstrap=True`` sample weights are in the draws already.
        """
        return np.empty(0) if self._data is None else self._data.weights

    def asking_for(self, n_directions: int) -> Node:
        """The same node with another number of directions, for a distribution that delegates."""
        return Node(self.n_features, n_directions, self._data)

    def scaled(self, factors: NDArray[np.float64]) -> Node:
        """The same node with features times these factors, for a distribution that delegates."""
        data = None if self._data is None else _ScaledData(self._data, factors)
        return Node(self.n_features, self.n_directions, data)


class _ScaledData:
    """What the core provides, with the features multiplied by factors."""

    def __init__(self, data: NodeData, factors: NDArray[np.float64]) -> None:
        self._data = data
        self._factors = factors.astype(np.float32)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._data, name)

    @property
    def X(self) -> NDArray[Any]:  # noqa: N802
        """The features of the samples."""
        return self._data.X * self._factors

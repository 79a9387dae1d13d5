"""A fitted forest as its readers see it: inspection, plotting, export, explanations, embeddings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan import _core
from silvan.channels import FittedChannels
from silvan.forest_arrays import ForestArrays
from silvan.forests.categories import CategoryTable
from silvan.forests.labelled import GridAxes
from silvan.forests.sampling import Sampling
from silvan.forests.scaling import Scaler
from silvan.forests.targets import Targets
from silvan.projections import ProjectionDistribution, UnitFree
from silvan.projections.mixture import find_component


@dataclass(frozen=True, eq=False)
class FittedForest:
    """What a forest learnt, to be read and not to be changed; ``forest.fitted_`` of any forest.

    Parameters
    ----------
    arrays : ForestArrays
        The trees.
    projections : ProjectionDistribution
        The distribution that the directions were drawn from.
    sampling : Sampling
        Which samples each tree drew.
    n_threads : int
        Number of threads that the forest predicts with.
    read : callable
        Checks samples and returns them as the trees read them: flat, scaled, with category codes.
    check : callable
        The same before scaling.
    sample_shape : tuple of int
        The shape of a sample as `fit` was given it.
    n_features : int
        Number of features; that of the columns of `X`, unless some hold dates.
    feature_names : ndarray of shape (n_features,) or None
        Their names; None if `X` had none.
    encode : callable or None
        Encodes targets as `fit` does; None for a forest without targets.
    scaler : Scaler or None
        How features are scaled.
    categories : CategoryTable or None
        What columns hold that is no number: categories or dates; None if all hold numbers.
    hard_votes : bool
        Whether a tree casts one vote instead of handing over its leaf's values.
    criterion : str
        What the core calls the criterion.
    start : ndarray of shape (n_outputs,) or None
        Of a boosted forest, what the leaf values of its trees are added to; None where predictions
        are means over the trees.
    channels : FittedChannels or None
        What turns samples into the cells that windows lie on; None for a forest without windows.
    axes : GridAxes or None
        Names and coordinates of the axes of a sample, where `X` had them.
    constant : ndarray of shape (n_features,) or None
        Which features had one value in all training samples, where directions have no units.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import ForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> fitted = ForestClassifier(5, random_state=0).fit(X, y).fitted_
    >>> fitted.arrays.n_trees, fitted.hard_votes, fitted.scaler
    (5, False, None)
    >>> fitted.nodes(fitted.read(X)).shape
    (150, 5)
    """

    arrays: ForestArrays
    projections: ProjectionDistribution
    sampling: Sampling
    n_threads: int
    read: Callable[[Any], NDArray[Any]]
    check: Callable[[Any], NDArray[Any]]
    sample_shape: tuple[int, ...]
    n_features: int
    feature_names: Sequence[str] | None = None
    encode: Callable[[NDArray[Any]], Targets] | None = None
    scaler: Scaler | None = None
    categories: CategoryTable | None = None
    hard_votes: bool = False
    criterion: str = "gaussian"
    start: NDArray[np.float64] | None = None
    channels: FittedChannels | None = None
    axes: GridAxes | None = None
    constant: NDArray[np.bool_] | None = None

    @property
    def channel_names(self) -> tuple[str, ...]:
        """Names of the arrays that windows lie on, by sensor where `X` had names for them."""
        if self.channels is None:
            return ()
        names, contiguous = self.channels.layout.names, self.channels.planes.contiguous
        places = None if self.axes is None else self.axes.name_planes(contiguous)
        if places is None:
            return names
        stems = (name.rpartition(" of plane ") for name in names)
        return tuple(f"{stem} of {places[int(plane)]}" for stem, _, plane in stems)

    @property
    def spreads(self) -> NDArray[np.float64] | None:
        """The spread of each feature where directions have no units; None where they have."""
        unit_free = find_component(self.projections, UnitFree)
        return (
            None
            if unit_free is None
            else np.ldexp(1.0, unit_free.exponents(self.arrays.n_features))
        )

    @property
    def credit_spreads(self) -> NDArray[np.float64] | None:
        """What coefficients are multiplied by in importances: the spreads, 0 of constants."""
        spreads = self.spreads
        return spreads if spreads is None or self.constant is None else spreads * ~self.constant

    @property
    def voting_arrays(self) -> ForestArrays:
        """The trees with leaves that hold what they add to a prediction: their values, or votes."""
        return self.arrays.with_votes() if self.hard_votes else self.arrays

    def nodes(self, rows: NDArray[Any]) -> NDArray[np.int32]:
        """The leaf of each tree that samples end in, by its number among the nodes of the tree."""
        nodes: NDArray[np.int32] = _core.apply(self.arrays, rows, self.n_threads)
        return nodes

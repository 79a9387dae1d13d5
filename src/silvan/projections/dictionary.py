"""Directions drawn from a given list of atoms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from silvan import _core
from silvan.projections.arrays import read_array, share_weights
from silvan.projections.base import ProjectionDistribution, to_canonical_arrays
from silvan.projections.node import Node


class Dictionary(ProjectionDistribution):
    """Atoms drawn from a finite list: any distribution that can be written down [1]_.

    Each of the d directions is a row of `atoms`, drawn independently and with replacement.

    Parameters
    ----------
    atoms : sparse matrix or array-like of shape (n_atoms, p)
        One direction in each row. No row may be all zero.
    probabilities : array-like of shape (n_atoms,), default=None
        Non-negative probability of each atom, up to a common factor. None means equally likely.

    References
    ----------
    .. [1] R. Perry. Manifold-aware forests: closing the gap to convolutional neural networks.
       Johns Hopkins University, 2020, section 3.1.

    Examples
    --------
    >>> from silvan.projections import Dictionary
    >>> pairs = Dictionary([[1, -1, 0], [0, 1, -1], [5, 5, 5]], probabilities=[3, 1, 0])
    >>> directions = pairs.draw(n_directions=400, n_features=3, random_state=0)
    >>> float(abs(directions.sum()))
    0.0
    """

    def __init__(self, atoms: Any, probabilities: ArrayLike | None = None) -> None:
        self.atoms = atoms
        self.probabilities = probabilities

    def validate(self, n_features: int) -> None:
        """Raise an error if a parameter is wrong, or the atoms are for other data."""
        atoms = self._read_atoms()
        n_atoms, n_columns = atoms.shape
        if n_columns != n_features:
            raise ValueError(
                f"atoms must have one column for each feature, but it has shape {atoms.shape} and "
                f"X has {n_features} features; write the atoms for these features."
            )
        indptr, _, coefficients = to_canonical_arrays(atoms, "atoms")
        if not np.isfinite(coefficients).all():
            raise ValueError(
                "atoms must be finite, but it contains NaN, infinity or a number beyond float32; "
                "replace those coefficients."
            )
        empty = np.flatnonzero(np.diff(indptr) == 0)
        if len(empty) > 0:
            raise ValueError(
                f"atoms must have a nonzero coefficient in every row, but {len(empty)} of "
                f"{n_atoms} rows have none (the first is row {empty[0]}); drop them."
            )
        if self.probabilities is not None:
            _check_probabilities(read_array("probabilities", self.probabilities), n_atoms)

    def sample(self, node: Node, rng: np.random.Generator) -> sparse.csr_array[np.float64]:
        """Draw directions for one node in NumPy, as a reference for the core."""
        atoms = self._read_atoms()
        chosen = rng.choice(
            atoms.shape[0], size=node.n_directions, p=self._normalised_probabilities(atoms.shape[0])
        )
        return atoms[chosen]

    def _read_atoms(self) -> sparse.csr_array[np.float64]:
        atoms = read_array("atoms", self.atoms)
        if atoms.ndim != 2 or atoms.shape[0] == 0:
            raise ValueError(
                "atoms must be a matrix with at least one row, but it has shape "
                f"{atoms.shape}; put one direction in each row."
            )
        if atoms.dtype.kind not in "biuf":
            raise ValueError(
                f"atoms must hold real numbers, but its dtype is {atoms.dtype}; convert it to "
                "floats."
            )
        return sparse.csr_array(atoms, dtype=np.float64)

    def _normalised_probabilities(self, n_atoms: int) -> NDArray[np.float64]:
        if self.probabilities is None:
            return np.full(n_atoms, 1.0 / n_atoms)
        return share_weights(np.asarray(self.probabilities, dtype=np.float64))

    def _to_native(self, n_features: int) -> _core.ProjectionDistribution:
        atoms = self._read_atoms()
        cumulative = to_cumulative(self._normalised_probabilities(atoms.shape[0]))
        return _core.dictionary(n_features, *to_canonical_arrays(atoms, "atoms"), cumulative)


def to_cumulative(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the running sum, ending in exactly one."""
    cumulative = np.cumsum(probabilities)
    return np.asarray(cumulative / cumulative[-1], dtype=np.float64)


def _check_probabilities(probabilities: NDArray[Any], n_atoms: int) -> None:
    if probabilities.shape != (n_atoms,):
        raise ValueError(
            f"probabilities must have one entry for each of the {n_atoms} atoms, but its shape is "
            f"{probabilities.shape}; pass one number per row of atoms, or None."
        )
    if probabilities.dtype.kind not in "biuf" or not np.isfinite(probabilities).all():
        raise ValueError(
            "probabilities must be finite numbers, but they contain "
            f"{'NaN or infinity' if probabilities.dtype.kind == 'f' else probabilities.dtype}; "
            "replace those."
        )
    if (probabilities < 0).any() or not (probabilities > 0).any():
        raise ValueError(
            "probabilities must not be negative, and one must be positive, but they range from "
            f"{probabilities.min():g} to {probabilities.max():g}; give unwanted atoms zero."
        )

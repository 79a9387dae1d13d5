"""Differences of patches near each other, as a dictionary of atoms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from silvan.projections import Dictionary


def make_pairs(
    side: int, max_size: int, reach: int, n_pairs: int = 1, n_atoms: int = 60_000
) -> Dictionary:
    """A dictionary of random differences of patches in an image of `side` x `side` pixels.

    An atom is the sum over one rectangle less the sum over another, or `n_pairs` such differences
    added up. All have sides of 1 to `max_size` pixels; the centre of the first is uniform over the
    image, that of any other at most `reach` pixels from it along each axis. Where two overlap their
    weights add up, and what lies outside the image is cut off.
    """
    rng = np.random.default_rng(0)
    first = rng.integers(0, side, (n_atoms, 2))
    atoms = np.zeros((n_atoms, side * side), dtype=np.int8)
    for term in range(2 * n_pairs):
        shift = rng.integers(-reach, reach + 1, (n_atoms, 2)) if term else 0
        centres = first + shift
        for begin in range(0, n_atoms, 5000):
            part = slice(begin, begin + 5000)
            rectangles = _draw_rectangles(centres[part], side, max_size, rng)
            atoms[part] += rectangles if term % 2 == 0 else -rectangles
    kept = atoms[atoms.any(axis=1)]
    return Dictionary(sparse.csr_array(kept, dtype=np.float32))


def _draw_rectangles(
    centres: NDArray[np.int64], side: int, max_size: int, rng: np.random.Generator
) -> NDArray[np.int8]:
    """Flat masks of rectangles with random sides around the centres."""
    sizes = rng.integers(1, max_size + 1, centres.shape)
    low = centres - sizes // 2
    at = np.arange(side)
    inside = (at >= low[..., None]) & (at < (low + sizes)[..., None])
    masks = inside[:, 0, :, None] & inside[:, 1, None, :]
    return masks.reshape(len(centres), side * side).astype(np.int8)

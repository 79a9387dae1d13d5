"""Differences of two patches near each other, as a dictionary of atoms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from silvan.projections import Dictionary


def make_pairs(
    side: int, max_size: int, reach: int, n_atoms: int = 60_000, seed: int = 0
) -> Dictionary:
    """A dictionary of random differences of patches in an image of `side` x `side` pixels.

    An atom is the sum over one rectangle less the sum over another. Both have sides of 1 to
    `max_size` pixels; the centre of the first is uniform over the image, that of the second at most
    `reach` pixels from it along each axis. Where they overlap the pixels cancel, and what lies
    outside the image is cut off.
    """
    rng = np.random.default_rng(seed)
    first = rng.integers(0, side, (n_atoms, 2))
    second = first + rng.integers(-reach, reach + 1, (n_atoms, 2))
    atoms = np.zeros((n_atoms, side * side), dtype=np.int8)
    for begin in range(0, n_atoms, 5000):
        part = slice(begin, begin + 5000)
        plus = _draw_rectangles(first[part], side, max_size, rng)
        minus = _draw_rectangles(second[part], side, max_size, rng)
        atoms[part] = plus.astype(np.int8) - minus
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

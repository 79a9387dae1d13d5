"""Images of handwriting made upright: each is sheared until it has no slant."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import affine_transform

from experiments.data import IMAGE_SHAPE


def straighten(images: NDArray[Any]) -> NDArray[np.uint8]:
    """Each image upright and in the middle; nothing is learnt from other images."""
    upright = np.empty_like(images)
    for image, target in zip(images, upright, strict=True):
        target[:] = straighten_one(image.reshape(IMAGE_SHAPE).astype(np.float64)).ravel()
    return upright


def straighten_one(image: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Shift rows until column and row are uncorrelated over the ink, and its mean to the middle.

    The slant is the slope of the regression of the column on the row.
    """
    ink = image.sum()
    rows, columns = np.indices(image.shape)
    centre = np.array([(rows * image).sum(), (columns * image).sum()]) / max(ink, 1.0)
    down, across = rows - centre[0], columns - centre[1]
    spread = (down**2 * image).sum()
    slant = (down * across * image).sum() / spread if spread > 0 else 0.0
    shear = np.array([[1.0, 0.0], [slant, 1.0]])
    middle = (np.array(image.shape) - 1) / 2 if ink > 0 else centre
    moved = affine_transform(image, shear, offset=centre - shear @ middle, order=1)
    return np.asarray(np.rint(moved), dtype=np.uint8)

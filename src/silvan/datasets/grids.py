"""Problems on a circle, on images and in time, from the thesis on manifold-aware forests."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from silvan._validation import check_integer, invalid, is_integer
from silvan.datasets.drawing import Sample, check_not_negative, draw_fair_classes


def make_circle_segments(
    n_samples: int, *, n_features: int = 100, random_state: Any = None
) -> Sample:
    """Draw two segments of ones on a circle, which the classes give different lengths.

    The features are the places of a circle, in order; the last is next to the first. Each sample
    has two segments of ones with at least one zero between them on either side: of lengths 5
    and 5 in class 0, of lengths 4 and 6 in class 1. The classes are equally likely. The first
    segment starts anywhere, and the number of zeros between its end and the second is uniform
    over what fits. The Bayes error is 0.

    Parameters
    ----------
    n_samples : int
        Number of samples.
    n_features : int, default=100
        Number of places on the circle, at least 12.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : float32 array of shape (n_samples, n_features)
        Zeros and ones, ten ones in each sample.
    y : int64 array of shape (n_samples,)
        Classes 0 and 1.

    References
    ----------
    R. Perry. Manifold-aware forests: closing the gap to convolutional neural networks. Johns
    Hopkins University, 2020, section 5.1, experiment A.

    Examples
    --------
    >>> from silvan.datasets import make_circle_segments
    >>> X, y = make_circle_segments(3, n_features=16, random_state=0)
    >>> X.sum(axis=1)
    array([10., 10., 10.], dtype=float32)
    """
    check_integer("n_samples", n_samples, 1)
    check_integer("n_features", n_features, 12)
    rng = check_random_state(random_state)
    y = draw_fair_classes(rng, n_samples)
    first, both = np.where(y == 0, 5, 4)[:, None], 10
    start = rng.randint(n_features, size=(n_samples, 1))
    gap = rng.randint(1, n_features - both, size=(n_samples, 1))
    place = (np.arange(n_features) - start) % n_features
    in_second = (place >= first + gap) & (place < both + gap)
    return ((place < first) | in_second).astype(np.float32), y


def make_bars(
    n_samples: int,
    *,
    shape: tuple[int, int] = (28, 28),
    rate: float = 10.0,
    random_state: Any = None,
) -> Sample:
    """Draw images of horizontal bars against images of vertical bars.

    The classes are equally likely. An image has k ~ Poisson(`rate`) bars, each a full row of
    ones in class 0 and a full column of ones in class 1, on a background of zeros. The places
    of the bars are uniform and independent, so that bars may coincide, and neighbouring ones
    make a thick bar. The Bayes error of square images is half the chance that one is all zeros
    or all ones, 2e-5 at the defaults.

    Parameters
    ----------
    n_samples : int
        Number of images.
    shape : (int, int), default=(28, 28)
        Height and width.
    rate : float, default=10.0
        Mean number of bars, at least 0.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : float32 array of shape (n_samples, height * width)
        Zeros and ones, row by row: ``X.reshape(-1, height, width)`` are the images.
    y : int64 array of shape (n_samples,)
        Classes 0 (horizontal) and 1 (vertical).

    References
    ----------
    R. Perry. Manifold-aware forests: closing the gap to convolutional neural networks. Johns
    Hopkins University, 2020, section 5.1, experiment B.

    Examples
    --------
    >>> from silvan.datasets import make_bars
    >>> X, y = make_bars(2, shape=(3, 4), rate=1.5, random_state=3)
    >>> X.reshape(-1, 3, 4)[0]
    array([[0., 0., 0., 0.],
           [0., 0., 0., 0.],
           [1., 1., 1., 1.]], dtype=float32)
    """
    check_integer("n_samples", n_samples, 1)
    height, width = _check_shape(shape)
    check_not_negative("rate", rate)
    rng = check_random_state(random_state)
    y = draw_fair_classes(rng, n_samples)
    image = np.repeat(np.arange(n_samples), rng.poisson(rate, size=n_samples))
    lies_flat = y[image] == 0
    place = rng.randint(np.where(lies_flat, height, width))
    X = np.zeros((n_samples, height, width), dtype=np.float32)
    X[image[lies_flat], place[lies_flat], :] = 1
    X[image[~lies_flat], :, place[~lies_flat]] = 1
    return X.reshape(n_samples, -1), y


def make_impulse(
    n_samples: int,
    *,
    n_features: int = 100,
    onset: int = 20,
    decay: float = 0.1,
    random_state: Any = None,
) -> Sample:
    """Draw white noise against white noise plus a decaying impulse.

    The classes are equally likely. The features are times t = 0, 1, ...: independent N(0, 1),
    and in class 1 plus exp(-`decay` (t - `onset`)) from `onset` on. The Bayes error is
    Φ(-‖s‖/2) with s the impulse, 0.1201 at the defaults.

    Parameters
    ----------
    n_samples : int
        Number of samples.
    n_features : int, default=100
        Number of times.
    onset : int, default=20
        Time at which the impulse begins with height 1, below `n_features`.
    decay : float, default=0.1
        Rate at which it decays, at least 0.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : float32 array of shape (n_samples, n_features)
        Features.
    y : int64 array of shape (n_samples,)
        Classes 0 (noise) and 1 (impulse).

    Notes
    -----
    The thesis prints the impulse as exp(t - 20), which grows; its text and figure show it
    decay. The decay of 0.1 is that of the author's program.

    References
    ----------
    R. Perry. Manifold-aware forests: closing the gap to convolutional neural networks. Johns
    Hopkins University, 2020, section 5.1, experiment C.

    Examples
    --------
    >>> from silvan.datasets import make_impulse
    >>> X, y = make_impulse(2000, random_state=0)
    >>> bool(X[y == 1, 20].mean() > 0.9)
    True
    """
    check_integer("n_samples", n_samples, 1)
    check_integer("n_features", n_features, 1)
    if not (is_integer(onset) and 0 <= onset < n_features):
        raise invalid(
            "onset",
            f"an integer between 0 and n_features - 1 ({n_features - 1})",
            onset,
            "pass an earlier time, or more features",
        )
    check_not_negative("decay", decay)
    rng = check_random_state(random_state)
    y = draw_fair_classes(rng, n_samples)
    X = rng.standard_normal((n_samples, n_features))
    X[y == 1, onset:] += np.exp(-decay * np.arange(n_features - onset))
    return X.astype(np.float32), y


def _check_shape(shape: object) -> tuple[int, int]:
    if (
        isinstance(shape, tuple | list)
        and len(shape) == 2
        and all(is_integer(length) and length >= 1 for length in shape)
    ):
        return int(shape[0]), int(shape[1])
    raise invalid(
        "shape", "a pair of integers >= 1 (height, width)", shape, "pass for example (28, 28)"
    )

"""Distance between estimated and true class probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from silvan._validation import invalid


def hellinger_distance(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
    """Hellinger distance between two distributions over the classes, sample by sample.

    It is sqrt(Σ_k (√p_k - √q_k)² / 2): 0 where they are the same and 1 where no class has positive
    probability in both. [1]_ compares estimated posteriors with the true ones by its mean.

    Parameters
    ----------
    p, q : array-like of shape (n_samples, n_classes)
        Probabilities; each row sums to 1.

    Returns
    -------
    distance : ndarray of shape (n_samples,)
        In [0, 1].

    References
    ----------
    .. [1] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018, section 2.3.1.

    Examples
    --------
    >>> from silvan.inspection import hellinger_distance
    >>> hellinger_distance([[0.5, 0.5], [1.0, 0.0]], [[0.5, 0.5], [0.0, 1.0]])
    array([0., 1.])
    """
    first, second = (np.asarray(values, dtype=np.float64) for values in (p, q))
    if first.ndim != 2 or first.shape != second.shape:
        raise ValueError(
            f"p and q must have the same shape (n_samples, n_classes), but p has shape "
            f"{first.shape} and q has shape {second.shape}; pass a row of probabilities for each "
            "sample in both."
        )
    for name, values in (("p", first), ("q", second)):
        if not ((values >= 0).all() and np.allclose(values.sum(axis=1), 1.0)):
            raise invalid(name, "probabilities that sum to 1 in each row", values, "normalise them")
    squares = ((np.sqrt(first) - np.sqrt(second)) ** 2).sum(axis=1) / 2
    distance: NDArray[np.float64] = np.sqrt(np.minimum(squares, 1.0))
    return distance

"""Losses of classifiers: targets are the codes of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, softmax

from silvan.losses.base import Floats, Loss

# Log-odds of a class that no sample has, or all of them, end here.
_EPSILON = float(np.finfo(np.float64).eps)


class BinaryLogLoss(Loss):
    """The log loss of two classes; the raw score is the log-odds of the second.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.losses import BinaryLogLoss
    >>> loss = BinaryLogLoss()
    >>> loss.inverse_link(np.array([[0.0], [np.log(3.0)]]))
    array([[0.5 , 0.5 ],
           [0.25, 0.75]])
    """

    def losses(self, y: NDArray[Any], raw: Floats) -> Floats:
        """-log of the probability of the target's class."""
        score = raw[:, 0]
        against = np.where(y > 0, -score, score)
        # log(1 + exp(s)) = max(s, 0) + log(1 + exp(-|s|)), by vectors, unlike np.logaddexp.
        losses = np.abs(against)
        np.negative(losses, out=losses)
        np.exp(losses, out=losses)
        np.log1p(losses, out=losses)
        losses += np.maximum(against, 0.0)
        return losses

    def derivatives(self, y: NDArray[Any], raw: Floats) -> tuple[Floats, Floats]:
        """Differences p - y, and p (1 - p)."""
        # The exponential of what is not positive cannot overflow. Arrays are used again: fresh
        # memory takes as long as the arithmetic.
        smaller = np.abs(raw)
        np.negative(smaller, out=smaller)
        np.exp(smaller, out=smaller)
        gradients = 1.0 + smaller
        np.divide(1.0, gradients, out=gradients)  # the larger probability
        smaller *= gradients
        hessians = gradients * smaller
        np.copyto(gradients, smaller, where=raw < 0)
        gradients -= y[:, None]
        return gradients, hessians

    def start(self, y: NDArray[Any], weight: Floats | None = None) -> Floats:
        """Log-odds of the second class."""
        share = np.average(y, weights=weight)
        return np.array([logit(np.clip(share, _EPSILON, 1 - _EPSILON))])

    def inverse_link(self, raw: Floats) -> Floats:
        """Probabilities of both classes."""
        return np.concatenate([expit(-raw), expit(raw)], axis=1)


class MultinomialLogLoss(Loss):
    """The log loss of several classes; probabilities are the softmax of the raw scores.

    The hessians are the diagonal of the matrix of second derivatives.

    Parameters
    ----------
    n_classes : int
        Number of classes.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.losses import MultinomialLogLoss
    >>> loss = MultinomialLogLoss(3)
    >>> loss.inverse_link(np.log([[1.0, 1.0, 2.0]]))
    array([[0.25, 0.25, 0.5 ]])
    """

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes

    def losses(self, y: NDArray[Any], raw: Floats) -> Floats:
        """-log of the probability of the target's class."""
        scores = _by_class(raw)
        losses: Floats = np.log(np.exp(scores).sum(axis=0)) - scores[y, np.arange(len(y))]
        return losses

    def derivatives(self, y: NDArray[Any], raw: Floats) -> tuple[Floats, Floats]:
        """p_k - [y = k], and p_k (1 - p_k)."""
        p = _by_class(raw)
        np.exp(p, out=p)
        p /= p.sum(axis=0)
        hessians = p * (1.0 - p)
        p[y, np.arange(len(y))] -= 1.0
        return p.T, hessians.T

    def start(self, y: NDArray[Any], weight: Floats | None = None) -> Floats:
        """Logarithms of the shares of the classes, with mean zero."""
        totals = np.bincount(y, weights=weight, minlength=self.n_classes)
        scores = np.log(np.clip(totals / totals.sum(), _EPSILON, 1.0))
        return np.asarray(scores - scores.mean())

    def inverse_link(self, raw: Floats) -> Floats:
        """Probabilities of the classes."""
        probabilities: Floats = softmax(raw, axis=1)
        return probabilities


def _by_class(raw: Floats) -> Floats:
    """Raw scores less the largest of each sample, a row for each class.

    NumPy adds up many long rows much faster than as many short ones.
    """
    scores = raw.T.copy()
    scores -= scores.max(axis=0)
    return scores

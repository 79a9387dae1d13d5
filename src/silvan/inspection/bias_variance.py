"""Bias and variance of classifiers under 0-1 loss, as James defines them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from silvan._validation import check_integer, invalid

Simulator = Callable[..., tuple[Any, Any]]
Posterior = Callable[[Any], ArrayLike]


@dataclass(frozen=True)
class BiasVariance:
    """Where the error of a classifier comes from.

    ``error = bayes_error + systematic_effect + variance_effect``.

    Attributes
    ----------
    bias : float
        Share of samples whose most common prediction is not the Bayes classifier's.
    variance : float
        Mean share of the predictions of a sample that are not its most common one.
    systematic_effect : float
        Increase of the error from the Bayes classifier to the most common prediction.
    variance_effect : float
        Further increase to the classifier itself; negative where varying predictions are better
        than the most common one.
    bayes_error : float
        Error of the Bayes classifier.
    error : float
        Mean error of the classifier.
    """

    bias: float
    variance: float
    systematic_effect: float
    variance_effect: float
    bayes_error: float
    error: float


def bias_variance(
    estimator: Any,
    simulate: Simulator,
    n_samples: int,
    *,
    posterior: Posterior | None = None,
    n_repeats: int = 100,
    n_test: int = 10_000,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> BiasVariance:
    """Bias, variance and their effects on the error of a classifier, by simulation [1]_ [2]_.

    The classifier is fitted to `n_repeats` training sets and predicts the same test samples each
    time; see `decompose_error` for what is computed from the predictions.

    Parameters
    ----------
    estimator : classifier
        Any classifier with the interface of scikit-learn. It is cloned, and a parameter
        `random_state` is set anew for each training set.
    simulate : callable
        ``simulate(n_samples, random_state=seed)`` returns samples and classes, as the functions of
        :mod:`silvan.datasets` do.
    n_samples : int
        Number of samples of a training set.
    posterior : callable, default=None
        ``posterior(X)`` returns the true class probabilities of samples, with a column for each
        class in the order of the sorted labels. None assumes that the class is a function of the
        features, so that the Bayes error is zero, as in sparse parity.
    n_repeats : int, default=100
        Number of training sets.
    n_test : int, default=10000
        Number of test samples.
    random_state : int, RandomState or None, default=None
        Seed of the test samples, the training sets and the fits.
    n_jobs : int, default=None
        Number of fits that run at the same time.

    Returns
    -------
    measures : BiasVariance
        The decomposition.

    References
    ----------
    .. [1] G. M. James. Variance and bias for general loss functions. Machine Learning 51, 2003.
    .. [2] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018, section 3.3.4.

    Examples
    --------
    >>> from functools import partial
    >>> from silvan import ForestClassifier
    >>> from silvan.datasets import make_sparse_parity
    >>> from silvan.inspection import bias_variance
    >>> simulate = partial(make_sparse_parity, n_features=5)
    >>> few, many = (
    ...     bias_variance(ForestClassifier(10), simulate, n, n_repeats=10, n_test=500,
    ...                   random_state=0)
    ...     for n in (50, 500))
    >>> few.bias > many.bias, few.variance > many.variance
    (True, True)
    """
    for name, value in (("n_samples", n_samples), ("n_repeats", n_repeats), ("n_test", n_test)):
        check_integer(name, value, 1)
    random = check_random_state(random_state)
    seeds = random.randint(0, 2**31 - 1, size=n_repeats + 1)
    X_test, y_test = simulate(n_test, random_state=int(seeds[0]))
    runs = Parallel(n_jobs=n_jobs)(
        delayed(_predict_after_fit)(clone(estimator), simulate, n_samples, int(seed), X_test)
        for seed in seeds[1:]
    )
    classes = np.unique(np.concatenate([np.unique(labels) for pair in runs for labels in pair]))
    classes = np.union1d(classes, y_test)
    if posterior is None:
        truth = (np.asarray(y_test)[:, None] == classes).astype(np.float64)
    else:
        truth = np.asarray(posterior(X_test), dtype=np.float64)
    if truth.shape != (n_test, len(classes)):
        raise ValueError(
            f"posterior must return a row of {len(classes)} probabilities, one for each of the "
            f"classes {classes[:10]}, for each of {n_test} test samples, but it returned shape "
            f"{truth.shape}; put the classes in the order of the sorted labels."
        )
    codes = np.stack([np.searchsorted(classes, predicted) for predicted, _ in runs])
    return decompose_error(codes, truth)


def _predict_after_fit(
    estimator: Any, simulate: Simulator, n_samples: int, seed: int, X_test: Any
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Predictions of a classifier that is fitted to a training set of its own, and its classes."""
    X, y = simulate(n_samples, random_state=seed)
    if "random_state" in estimator.get_params(deep=False):
        estimator.set_params(random_state=seed)
    return np.asarray(estimator.fit(X, y).predict(X_test)), np.unique(y)


def decompose_error(predictions: ArrayLike, posterior: ArrayLike) -> BiasVariance:
    """Decompose the error of predictions that were made from several training sets [1]_ [2]_.

    Let h*(x) be the most probable class of a sample, h̄(x) its most common prediction, and P the
    true probabilities. Then, with expectations over the samples and the training sets,

    - bias is P(h̄ ≠ h*) and variance is P(h ≠ h̄);
    - the systematic effect is E[P(Y = h* | x) - P(Y = h̄ | x)];
    - the variance effect is E[P(Y = h̄ | x) - P(Y = h | x)].

    (Equation 3.1 of [2]_ has = instead of ≠.) If several classes are equally common or probable,
    the first one counts.

    Parameters
    ----------
    predictions : array-like of shape (n_repeats, n_samples)
        Numbers 0, 1, ... of the classes that were predicted from each training set.
    posterior : array-like of shape (n_samples, n_classes)
        True class probabilities; each row sums to 1.

    Returns
    -------
    measures : BiasVariance
        The decomposition.

    References
    ----------
    .. [1] G. M. James. Variance and bias for general loss functions. Machine Learning 51, 2003.
    .. [2] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018, section 3.3.4.

    Examples
    --------
    >>> from silvan.inspection import decompose_error
    >>> measures = decompose_error([[0, 1], [0, 0], [1, 1]], [[0.9, 0.1], [0.8, 0.2]])
    >>> measures.bias, round(measures.variance, 3), round(measures.systematic_effect, 3)
    (0.5, 0.333, 0.3)
    """
    truth = np.asarray(posterior, dtype=np.float64)
    codes = np.asarray(predictions)
    if truth.ndim != 2 or codes.ndim != 2 or codes.shape[1] != len(truth) or not codes.size:
        raise ValueError(
            "predictions must have shape (n_repeats, n_samples) and posterior shape (n_samples, "
            f"n_classes), but they have shapes {codes.shape} and {truth.shape}; pass a prediction "
            "of each training set for each row of the posterior."
        )
    n_samples, n_classes = truth.shape
    if not (codes.dtype.kind in "iu" and codes.min() >= 0 and codes.max() < n_classes):
        raise invalid(
            "predictions", f"integers from 0 to {n_classes - 1}", predictions, "encode the classes"
        )
    if not ((truth >= 0).all() and np.allclose(truth.sum(axis=1), 1.0)):
        raise invalid(
            "posterior", "probabilities that sum to 1 in each row", posterior, "normalise them"
        )
    cells = np.arange(n_samples) * n_classes + codes
    counts = np.bincount(cells.ravel(), minlength=n_samples * n_classes).reshape(
        n_samples, n_classes
    )
    common = counts / len(codes)
    best, usual = truth.argmax(axis=1), counts.argmax(axis=1)
    row = np.arange(n_samples)
    bayes = 1.0 - float(truth[row, best].mean())
    usual_error = 1.0 - float(truth[row, usual].mean())
    error = 1.0 - float((truth * common).sum(axis=1).mean())
    return BiasVariance(
        bias=float(np.mean(best != usual)),
        variance=1.0 - float(common[row, usual].mean()),
        systematic_effect=usual_error - bayes,
        variance_effect=error - usual_error,
        bayes_error=bayes,
        error=error,
    )

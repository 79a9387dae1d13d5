"""Shapley values: predictions divided among the features by what each adds to any of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray

from silvan import _core
from silvan._validation import (
    as_samples,
    check_features,
    check_integer,
    check_predictor,
    count_threads,
)
from silvan.explanations.hybrid_rows import sample_orders
from silvan.forests.base import BaseForest
from silvan.forests.fitted import FittedForest
from silvan.forests.fitting import draw_seed
from silvan.forests.scaling import scale_samples

Floats = NDArray[np.float64]

# Walks of a sample along random orders, at least, where their number is left open.
_MIN_WALKS = 8000


@dataclass(frozen=True, eq=False, repr=False)
class ShapleyValues:
    """Shapley values of predictions, which they add up to with the base value.

    Parameters
    ----------
    values : ndarray of shape (n_samples, ..., n_outputs), or (n_samples, ...)
        The part of each feature in each prediction, in the shape of the samples. The outputs are
        the classes of a classifier. Regressors of one output, and boosted forests of two classes,
        have no axis for them.
    base_values : ndarray of shape (n_outputs,), or float
        The mean prediction for the background samples.
    standard_errors : ndarray of the shape of `values`
        Of what was sampled; zero where values are exact.
    data : ndarray of shape (n_samples, ...)
        The samples, with the names of their categories.
    feature_names : list of str or None
        Names of the features, where the forest was fitted on a data frame.
    output_names : list of str or None
        The classes, where `values` have an axis for them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import ForestClassifier
    >>> from silvan.explanations import shapley_values
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ForestClassifier(20, random_state=0).fit(X, y)
    >>> explained = shapley_values(forest, X[:3], X[::5], random_state=0)
    >>> explained.values.shape, explained.base_values.shape, explained.output_names
    ((3, 4, 3), (3,), ['0', '1', '2'])
    """

    values: Floats
    base_values: Floats | float
    standard_errors: Floats
    data: NDArray[Any]
    feature_names: list[str] | None = None
    output_names: list[str] | None = None

    def __repr__(self) -> str:
        sampled = float(np.max(self.standard_errors, initial=0.0))
        kind = f"standard errors up to {sampled:.2g}" if sampled > 0 else "exact"
        return f"<ShapleyValues of shape {self.values.shape}, {kind}>"

    def to_shap(self) -> Any:
        """The values as a `shap.Explanation`, which the plots of the package shap draw.

        Returns
        -------
        explanation : shap.Explanation
            With an axis for the outputs where `values` have one; plots of tables draw one of them,
            as in ``explanation[..., 0]``.
        """
        try:
            from shap import Explanation
        except ImportError as error:
            raise ImportError(
                "to_shap needs the package shap, which is not installed; install it with "
                '"python -m pip install shap".'
            ) from error
        base = np.broadcast_to(self.base_values, (len(self.values), *np.shape(self.base_values)))
        return Explanation(
            self.values,
            base_values=base.copy(),
            data=self.data,
            feature_names=self.feature_names,
            output_names=self.output_names,
        )


def shapley_values(
    forest: BaseForest,
    X: ArrayLike,
    background: ArrayLike,
    *,
    n_permutations: int | None = None,
    max_exact_features: int = 12,
    random_state: int | RandomState | None = None,
    n_jobs: int | None = None,
) -> ShapleyValues:
    """Interventional Shapley values of the predictions of a forest [1]_.

    A set of features is worth the mean prediction for samples that have these features from the
    sample that is explained, and all others from a background sample. The Shapley value of a
    feature is what it adds to such a set, averaged over all orders in which features may join it.
    Features that are combined in a direction share what they do together; none of them gets it
    all.

    The values add up: ``base_values + values.sum(axis=1)`` is `predict_proba` of a classifier and
    `predict` of a regressor, but for rounding, whether they are exact or sampled. Of a boosted
    forest it is the raw score, the `decision_function` of a classifier. With two classes positive
    values then speak for ``classes_[1]`` and negative ones for ``classes_[0]``.

    Parameters
    ----------
    forest : fitted forest
        A classifier or regressor of this library.
    X : array-like of shape (n_samples, n_features)
        Samples; those of a manifold forest may have the shape of its grid.
    background : array-like of shape (n_background, n_features)
        The samples that features are compared with: about 100, for example drawn from the training
        samples. Time grows with their number.
    n_permutations : int, default=None
        Random orders of the features for each sample, background sample and tree whose values are
        not exact. Orders are taken forwards and backwards in turns. Standard errors fall with the
        square root of their number. None takes 1, and more where trees and background samples are
        few; for forests on a grid, whose trees share them, 2, which is the minimum there.
    max_exact_features : int, default=12
        Values are exact where the directions of a tree are single features, and where hybrids of a
        sample and a background sample involve at most this many features on their paths down the
        tree. Each of these may double the time. Trees that mostly involve more are sampled.
    random_state : int, RandomState or None, default=None
        Seed of the random orders; an integer gives the same values at every call.
    n_jobs : int, default=None
        Number of threads; None takes that of the forest. The values are the same for any.

    Returns
    -------
    explained : ShapleyValues
        ``values``, ``base_values`` and ``standard_errors``.

    See Also
    --------
    feature_contributions : Parts of the path that a sample takes; faster, and without a background.

    Notes
    -----
    Exact values of a single split along several features are #P-hard already, so that they are
    enumerated where features are few, and sampled elsewhere. For single features the method is that
    of [1]_. Each tree and background sample has random orders of its own, so that their errors
    average out. Some orders are drawn twice, all of them where they are few: standard errors are
    estimated from these.

    Forests on channels, and on patches of more than 12 cells, compute what they look at from all
    values of a sample. Their hybrids of samples are made and predicted one by one, which takes
    ``2 * n_permutations * (n_features + 1)`` predictions for each sample and background sample;
    explain few samples, with a background of 10 to 20.

    References
    ----------
    .. [1] S. M. Lundberg, G. Erion, H. Chen et al. From local explanations to global understanding
       with explainable AI for trees. Nature Machine Intelligence 2, 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> from silvan import ForestRegressor
    >>> from silvan.explanations import shapley_values
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = ForestRegressor(50, random_state=0).fit(X, y)
    >>> explained = shapley_values(forest, X[:5], X[::9], random_state=0)
    >>> explained.values.shape
    (5, 10)
    >>> total = explained.base_values + explained.values.sum(axis=1)
    >>> np.allclose(total, forest.predict(X[:5]))
    True
    """
    check_predictor(forest)
    check_integer("n_permutations", n_permutations, 1, or_none=True)
    check_integer("max_exact_features", max_exact_features, 0)
    fitted = forest.fitted_
    n_threads = fitted.n_threads if n_jobs is None else count_threads(n_jobs)
    orders = _Orders(n_permutations, max_exact_features, draw_seed(random_state))
    game = _Game(fitted, n_threads)
    samples = game.read(X)
    try:
        others = game.read(background)
    except ValueError as error:
        raise ValueError(
            f"background must have samples as X has them, but it was refused: {error}"
        ) from error
    values, variances = game.play(samples, others, orders)
    base = game.predict(others).mean(axis=0)
    if fitted.start is not None:
        base += fitted.start
    shape = (len(samples), *fitted.sample_shape)
    shown = fitted.check(X) if fitted.categories is None else fitted.categories.show(X)
    classes = getattr(forest, "classes_", None)
    names = fitted.feature_names
    explained = ShapleyValues(
        values.reshape(*shape, -1),
        base,
        np.sqrt(variances).reshape(*shape, -1),
        shown.reshape(shape),
        None if names is None else [str(name) for name in names],
        None if classes is None else [str(name) for name in classes],
    )
    single = len(base) == 1 and (fitted.start is not None or classes is None)
    return _without_outputs(explained) if single else explained


class _Orders(NamedTuple):
    """How features join: all orders of so many, or random ones."""

    n_permutations: int | None
    max_exact_features: int
    seed: int


class _Game:
    """The predictions of a forest as a function of the features, without its start."""

    def __init__(self, fitted: FittedForest, n_threads: int) -> None:
        self._fitted = fitted
        self._arrays = fitted.voting_arrays
        self._n_threads = n_threads

    def read(self, X: ArrayLike) -> NDArray[Any]:
        """The samples with a column per feature, scaled and with category codes."""
        checked = self._fitted.check(X)
        check_features(checked)
        scaler, categories = self._fitted.scaler, self._fitted.categories
        if scaler is not None:
            return scale_samples(scaler, checked, None, "C", categories)
        samples: NDArray[Any] = as_samples(checked)
        return samples

    def predict(self, rows: NDArray[Any]) -> Floats:
        """Means over the trees, or sums of a boosted forest."""
        if self._fitted.channels is not None:
            rows = self._fitted.channels.transform(rows)
        means: Floats = _core.predict(self._arrays, rows, False, self._n_threads)
        return means if self._fitted.start is None else means * self._arrays.n_trees

    def play(
        self, samples: NDArray[Any], background: NDArray[Any], orders: _Orders
    ) -> tuple[Floats, Floats]:
        """The Shapley values and their variances: of shape (samples, features, outputs)."""
        given = orders.n_permutations
        if self._arrays.n_windows or len(self._arrays.grid_shape):
            n_permutations = 2 if given is None else given
            check_integer("n_permutations", n_permutations, 2)
            return sample_orders(self.predict, samples, background, n_permutations, orders.seed)
        n_walks = self._arrays.n_trees * len(background)
        n_permutations = -(-_MIN_WALKS // n_walks) if given is None else given
        values, variances = _core.shapley_values(
            self._arrays,
            np.ascontiguousarray(samples, dtype=np.float32),
            np.ascontiguousarray(background, dtype=np.float32),
            _core.ShapleyOptions(orders.max_exact_features, n_permutations, orders.seed),
            self._n_threads,
        )
        n_added = self._arrays.n_trees if self._fitted.start is None else 1
        shape = (*samples.shape, self._arrays.n_outputs)
        return values.reshape(shape) / n_added, variances.reshape(shape) / n_added**2


def _without_outputs(explained: ShapleyValues) -> ShapleyValues:
    """The same without an axis for the one output."""
    return ShapleyValues(
        explained.values[..., 0],
        float(np.asarray(explained.base_values)[0]),
        explained.standard_errors[..., 0],
        explained.data,
        explained.feature_names,
    )

"""OutOfBagSearch: the meta-estimator that chooses by out-of-bag score."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from silvan._progress import ProgressBar
from silvan._validation import check_integer, invalid, is_integer, is_word
from silvan.forests.bagged import BaggedForest
from silvan.forests.fitting import draw_seed, unchanged_on_failure
from silvan.forests.shared_samples import SharedSamples, can_share_samples
from silvan.tuning.grids import affordable_directions, default_grid
from silvan.tuning.race import (
    Candidate,
    Readers,
    count_trees,
    plan_rounds,
    quiet_unless,
    seconds_left,
    tabulate,
)

F = TypeVar("F", bound=Callable[..., Any])


def _where_the_forest_has(method: str) -> Callable[[F], F]:
    """Have the method only if the forest that is searched over has it."""
    decorate: Callable[[F], F] = available_if(lambda search: hasattr(search.estimator, method))
    return decorate


class OutOfBagSearch(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Choose the parameters of a forest by its out-of-bag score: one fit, no folds.

    Each candidate is a forest whose trees predict the samples that they did not draw. That is how
    Tomita's thesis chooses the number d of directions and their sparsity λ [1]_.

    The candidates race: all grow `min_trees` trees, the best 1 / `factor` of them go on to `factor`
    times as many, and so on, until the trees of `estimator` are reached. Nothing is grown twice:
    those that go on keep their trees, and the forest that wins is the one that a fit with its
    parameters would have grown. Checked data, the copy by columns, encoded targets and draws of
    samples are shared, so that the scores of candidates are paired: tree t sees the same samples in
    each of them.

    Parameters
    ----------
    estimator : forest
        The forest to tune, for example ``ForestClassifier(500, random_state=0)``; it is cloned. Its
        `n_estimators` is the number of trees of the winner, its `n_jobs` the number of threads. If
        its `oob_score` is a function, that is the score, and greater is better; otherwise it is the
        accuracy or R².
    param_grid : dict or list of dict, default=None
        Values to try for each parameter, as in ``sklearn.model_selection.GridSearchCV``. None is
        `direction_grid` for the estimator's projections, with up to four more candidates that have
        ``thresholds="random"``, and `window_grid` for a manifold forest, of single windows and of
        combinations where those are its default, and the forest as it is (`patch_grid` for one
        with ``channels="raw"``).
        `n_estimators` cannot be searched: more trees are never worse.
    min_trees : int, default=20
        Trees of every candidate in the first round.
    factor : int, default=3
        How much each round divides the number of candidates and multiplies that of their trees, at
        least 2. None is no race: every candidate has all trees.
    max_directions : int, "auto" or None, default="auto"
        Upper limit of d where `param_grid` is None. The time of a candidate is proportional to d:
        "auto" allows four times the d of `estimator`, or more if d times the number of samples is
        at most 250,000. None sets no limit.
    verbose : int, default=0
        1 shows a progress bar, counted in trees, on the standard error stream.

    Attributes
    ----------
    best_estimator_ : forest
        The forest that won, with its out-of-bag attributes: its `oob_score` is on.
    best_params_ : dict
        Its parameters, as the grid has them.
    best_score_ : float
        Its out-of-bag score with all trees. As the best of many it is a little too good.
    best_index_ : int
        Its number among the candidates.
    results_ : dict of str to list or array
        For every candidate its "params" and "param_NAME", the "n_trees" it came to, the "oob_score"
        with these, the "rank" (1 is best) and the seconds it took ("fit_time").
    classes_ : ndarray of shape (n_classes,)
        The labels of the classes, if the forest is a classifier.
    n_features_in_ : int
        Number of features seen by `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features; only if `X` had names that are all strings.

    See Also
    --------
    direction_grid : The thesis' grid.
    window_grid : A grid for manifold forests.
    patch_grid : A grid for manifold forests with ``channels="raw"``.

    Notes
    -----
    Equal scores go to the candidate that comes first in the grid. With few trees the out-of-bag
    score favours trees that are strong one by one; a larger `min_trees` is safer and slower.

    References
    ----------
    .. [1] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018, sections 2.2.6 and 3.3.1.

    Examples
    --------
    >>> from silvan import ForestClassifier
    >>> from silvan.datasets import make_sparse_parity
    >>> from silvan.tuning import OutOfBagSearch
    >>> X, y = make_sparse_parity(500, n_features=6, random_state=0)
    >>> search = OutOfBagSearch(ForestClassifier(100, random_state=0)).fit(X, y)
    >>> sorted(search.best_params_)[:2]
    ['max_features', 'projections']
    >>> search.best_estimator_.forest_.n_trees
    100
    >>> default = ForestClassifier(100, oob_score=True, random_state=0).fit(X, y)
    >>> search.best_score_ > default.oob_score_
    True
    """

    best_estimator_: BaggedForest

    def __init__(
        self,
        estimator: BaggedForest,
        param_grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]] | None = None,
        *,
        min_trees: int = 20,
        factor: int | None = 3,
        max_directions: Any = "auto",
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.min_trees = min_trees
        self.factor = factor
        self.max_directions = max_directions
        self.verbose = verbose

    def fit(self, X: ArrayLike, y: ArrayLike, **fit_params: Any) -> Self:
        """Grow the candidates and keep the best.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples, as the forest takes them.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        **fit_params : dict
            `sample_weight`, handed to the forests. Scores count every sample of positive weight
            once.

        Returns
        -------
        self : object
            The fitted search.
        """
        with unchanged_on_failure(self):
            self._fit(X, y, **fit_params)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> None:
        self._check_parameters()
        candidates = self._candidates(X, y, sample_weight)
        n_trees = int(self.estimator.n_estimators)
        rounds = plan_rounds(len(candidates), n_trees, self.min_trees, self.factor)
        racing = list(candidates)
        told: set[SharedSamples] = set()
        total = count_trees(rounds)
        with ProgressBar(total, what="trees") if self.verbose else nullcontext() as progress:
            done = 0
            for number, (n_racing, trees) in enumerate(rounds):
                for candidate in racing[n_racing:]:
                    candidate.forest = None
                racing = racing[:n_racing]
                # The slowest first, so that the time left is known early.
                for candidate in sorted(racing, key=lambda candidate: -candidate.work):
                    done += trees - candidate.n_trees
                    # Those that share samples draw the same ones, so that one speaks for all.
                    with quiet_unless(trees == n_trees and candidate.reader not in told):
                        candidate.grow(trees)
                    told |= {candidate.reader} if trees == n_trees else set()
                    if progress is not None:
                        progress(done, seconds_left(candidates, rounds[number:]))
                # Stable: of equal candidates the first in the grid stays first.
                racing.sort(key=lambda candidate: candidate.order)
        self._keep(candidates, racing[0])

    def _check_parameters(self) -> None:
        if not isinstance(self.estimator, BaggedForest):
            raise invalid(
                "estimator",
                "a forest of silvan whose trees leave samples out (boosted forests do not)",
                self.estimator,
                "pass for example silvan.ForestClassifier(500), or tune boosted forests with "
                "scikit-learn's HalvingRandomSearchCV",
            )
        if not can_share_samples(self.estimator):
            raise invalid(
                "estimator",
                "a forest of one machine, whose candidates share their samples",
                self.estimator,
                "tune silvan." + type(self.estimator).__name__ + " on a sample of the data, or fit "
                "candidates to the cluster one by one and compare their oob_score_",
            )
        check_integer("n_estimators", self.estimator.n_estimators, 1)
        check_integer("min_trees", self.min_trees, 1)
        check_integer("factor", self.factor, 2, or_none=True)
        limit = self.max_directions
        if not (limit is None or is_word(limit, "auto") or (is_integer(limit) and limit >= 1)):
            raise invalid(
                "max_directions",
                'an integer >= 1, "auto" or None',
                limit,
                'pass for example "auto"',
            )
        if not isinstance(self.verbose, bool):
            check_integer("verbose", self.verbose, 0)

    def _candidates(self, X: Any, y: Any, sample_weight: Any) -> list[Candidate]:
        """All candidates, checked before any work; those that can share their samples do."""
        base = clone(self.estimator).set_params(verbose=0, warm_start=False)
        base.oob_score = self.estimator.oob_score or True
        if not is_integer(base.random_state):
            # One seed for all, so that their draws are the same.
            base.random_state = draw_seed(base.random_state) % 2**32
        readers = Readers(base, (X, y, sample_weight))
        return [Candidate(params, readers.find(params)) for params in self._settings(readers)]

    def _settings(self, readers: Readers) -> list[dict[str, Any]]:
        if self.param_grid is None:
            reader = readers.find({})
            limit = self.max_directions
            if limit == "auto":
                limit = affordable_directions(reader.forest, reader.n_samples)
            return list(ParameterGrid(default_grid(reader.forest, limit)))
        settings = list(ParameterGrid(self.param_grid))
        if not settings:
            raise invalid(
                "param_grid",
                "None or a grid with at least one candidate",
                self.param_grid,
                "pass for example {'max_features': ['sqrt', 1.0]}",
            )
        if any("n_estimators" in params for params in settings):
            raise invalid(
                "param_grid",
                "without n_estimators, since more trees are never worse",
                self.param_grid,
                "set the n_estimators of the estimator to what you can afford",
            )
        return settings

    def _keep(self, candidates: list[Candidate], best: Candidate) -> None:
        assert best.forest is not None
        self.best_estimator_ = best.forest.set_params(
            verbose=self.estimator.verbose, warm_start=self.estimator.warm_start
        )
        self.best_params_ = best.params
        self.best_score_ = best.score
        self.best_index_ = candidates.index(best)
        self.results_ = tabulate(candidates, self.best_index_)

    @_where_the_forest_has("predict")
    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict with the best forest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Predictions.
        """
        return self._best().predict(X)  # type: ignore[no-any-return]

    @_where_the_forest_has("predict_proba")
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the probability of each class with the best forest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Probabilities in the order of `classes_`.
        """
        return self._best().predict_proba(X)  # type: ignore[no-any-return]

    @_where_the_forest_has("predict_log_proba")
    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the logarithm of the probability of each class with the best forest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            Logarithms of `predict_proba`.
        """
        return self._best().predict_log_proba(X)  # type: ignore[no-any-return]

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy or R² of the best forest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            True targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        score : float
            The score.
        """
        return float(self._best().score(X, y, sample_weight))

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels of the classes."""
        return self._best().classes_  # type: ignore[no-any-return]

    @property
    def n_features_in_(self) -> int:
        """Number of features seen by `fit`."""
        return self._fitted("n_features_in_")  # type: ignore[no-any-return]

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the features."""
        return self._fitted("feature_names_in_")  # type: ignore[no-any-return]

    def _best(self) -> Any:
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_

    def _fitted(self, name: str) -> Any:
        """An attribute of the best forest; before `fit` there is none, so hasattr says no."""
        if "best_estimator_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no {name} before it is fitted.")
        return getattr(self.best_estimator_, name)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        forest = get_tags(self.estimator)
        tags.estimator_type = forest.estimator_type
        tags.classifier_tags = copy.deepcopy(forest.classifier_tags)
        tags.regressor_tags = copy.deepcopy(forest.regressor_tags)
        tags.target_tags = copy.deepcopy(forest.target_tags)
        tags.input_tags = copy.deepcopy(forest.input_tags)
        return tags

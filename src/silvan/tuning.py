"""Choosing the parameters of a forest by its out-of-bag score."""

from __future__ import annotations

import copy
import math
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from joblib import hash as content_hash
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from silvan._progress import ProgressBar
from silvan._validation import check_integer, invalid, is_integer
from silvan.forests.base import BaseForest
from silvan.forests.fitting import TrainingRows, draw_seed, unchanged_on_failure
from silvan.projections import (
    AxisAligned,
    ProjectionDistribution,
    RandomRotation,
    SparseSigns,
    UniformCombinations,
)

F = TypeVar("F", bound=Callable[..., Any])

__all__ = ["OutOfBagSearch", "direction_grid"]

# Candidates that differ in these alone are grown on the same rows, draws and targets.
_GROWTH = {
    "projections",
    "max_features",
    "criterion",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_impurity_decrease",
    "voting",
    "min_patch",
    "max_patch",
    "boundary",
    "contiguous",
    "weights",
}
# What `direction_grid` varies beside d, for the distributions that have it.
_SPARSITY = {SparseSigns: "mean_nonzeros", UniformCombinations: "n_features"}
# Distributions with p directions at most.
_AT_MOST_P = (AxisAligned, RandomRotation)


def direction_grid(
    projections: ProjectionDistribution | None,
    n_features: int,
    *,
    nonzeros: Iterable[int] = (1, 2, 3, 4, 5),
    max_directions: int | None = None,
) -> dict[str, list[Any]]:
    """The grid of d and sparsity that Tomita's thesis searches (section 3.3.1).

    The number d of directions at a node is p to the powers 1/4, 1/2, 3/4, 1 and 2, rounded; 2 is
    left out for distributions that have no more than p directions. The mean number of features of a
    direction (the thesis' λ, times p) is 1 to 5 for `SparseSigns`, and so is the number of features
    of `UniformCombinations`. Other distributions stay as they are.

    Parameters
    ----------
    projections : ProjectionDistribution or None
        What directions are drawn from; None is the default of the forests, ``SparseSigns()``.
    n_features : int
        Number p of features.
    nonzeros : iterable of int, default=(1, 2, 3, 4, 5)
        Numbers of features of a direction; those above p are left out.
    max_directions : int, default=None
        Upper limit of d: p² directions take p times as long as p do. A larger d is cut off there.

    Returns
    -------
    grid : dict of str to list
        A grid for `OutOfBagSearch` or ``sklearn.model_selection.GridSearchCV``.

    Examples
    --------
    >>> from silvan.projections import AxisAligned, UniformCombinations
    >>> from silvan.tuning import direction_grid
    >>> direction_grid(AxisAligned(), n_features=16)
    {'max_features': [2, 4, 8, 16]}
    >>> direction_grid(UniformCombinations(), n_features=16, nonzeros=(2, 3))
    {'max_features': [2, 4, 8, 16, 256], 'projections': [UniformCombinations(), \
UniformCombinations(n_features=3)]}
    """
    projections = SparseSigns() if projections is None else projections
    check_integer("n_features", n_features, 1)
    check_integer("max_directions", max_directions, 1, or_none=True)
    powers = [0.25, 0.5, 0.75, 1.0] + ([] if isinstance(projections, _AT_MOST_P) else [2.0])
    limit = math.inf if max_directions is None else max_directions
    counts = {int(min(max(1, round(n_features**power)), limit)) for power in powers}
    grid: dict[str, list[Any]] = {"max_features": sorted(counts)}
    sparsity = _SPARSITY.get(type(projections))
    if sparsity is not None:
        reset = {"density": None} if sparsity == "mean_nonzeros" else {}
        grid["projections"] = [
            clone(projections).set_params(**reset, **{sparsity: k})
            for k in nonzeros
            if k <= n_features
        ]
    return grid


class _Group(NamedTuple):
    """Candidates that share their rows."""

    reader: BaseForest  # what the data taught; candidates take it over
    rows: TrainingRows


class _Candidate:
    """One setting of the parameters, and how far it came."""

    def __init__(self, params: Mapping[str, Any], forest: BaseForest, group: _Group) -> None:
        self.params = dict(params)
        self.forest: BaseForest | None = forest
        self.group = group
        self.n_trees = 0
        self.score = math.nan
        self.seconds = 0.0

    def grow(self, n_trees: int) -> None:
        """Have `n_trees` trees, those already there among them, and score them out of bag."""
        assert self.forest is not None
        start = time.perf_counter()
        self.forest.n_estimators = n_trees
        self.forest._grow_on(self.group.rows, getattr(self.forest, "forest_", None))
        self.n_trees, self.score = n_trees, self.forest.oob_score_
        self.seconds += time.perf_counter() - start

    @property
    def order(self) -> tuple[int, float]:
        """Sorts the best candidate first: who came furthest, then who scores best."""
        return -self.n_trees, math.inf if math.isnan(self.score) else -self.score


def _where_the_forest_has(method: str) -> Callable[[F], F]:
    """Have the method only if the forest that is searched over has it."""
    decorate: Callable[[F], F] = available_if(lambda search: hasattr(search.estimator, method))
    return decorate


class OutOfBagSearch(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Choose the parameters of a forest by its out-of-bag score: one fit, no folds.

    Each candidate is a forest whose trees predict the rows that they did not draw. That is how
    Tomita's thesis chooses the number d of directions and their sparsity λ [1]_.

    The candidates race: all grow `min_trees` trees, the best 1 / `factor` of them go on to `factor`
    times as many, and so on, until the trees of `estimator` are reached. Nothing is grown twice:
    those that go on keep their trees, and the forest that wins is the one that a fit with its
    parameters would have grown. Checked data, the copy by columns, encoded targets and draws of
    rows are shared, so that the scores of candidates are paired: tree t sees the same rows in
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
        `direction_grid` for the estimator's projections. `n_estimators` cannot be searched: more
        trees are never worse.
    min_trees : int, default=20
        Trees of every candidate in the first round.
    factor : int, default=3
        How much each round divides the number of candidates and multiplies that of their trees, at
        least 2. None is no race: every candidate has all trees.
    max_directions : int, default=None
        Upper limit of d where `param_grid` is None; see `direction_grid`.
    verbose : int, default=0
        1 shows a progress bar, counted in trees, on the standard error stream.

    Attributes
    ----------
    best_estimator_ : forest
        The forest that won.
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
    >>> sorted(search.best_params_)
    ['max_features', 'projections']
    >>> search.best_estimator_.forest_.n_trees
    100
    >>> default = ForestClassifier(100, oob_score=True, random_state=0).fit(X, y)
    >>> search.best_score_ > default.oob_score_
    True
    """

    best_estimator_: BaseForest

    def __init__(
        self,
        estimator: BaseForest,
        param_grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]] | None = None,
        *,
        min_trees: int = 20,
        factor: int | None = 3,
        max_directions: int | None = None,
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
            Training rows, as the forest takes them.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        **fit_params : dict
            `sample_weight`, handed to the forests. Scores count every row of positive weight once.

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
        total = count_trees(rounds)
        with ProgressBar(total, what="trees") if self.verbose else nullcontext() as progress:
            done = 0
            for n_racing, trees in rounds:
                for candidate in racing[n_racing:]:
                    candidate.forest = None
                racing = racing[:n_racing]
                for candidate in racing:
                    done += trees - candidate.n_trees
                    with _quiet_unless(trees == n_trees):
                        candidate.grow(trees)
                    if progress is not None:
                        progress(done)
                # Stable: of equal candidates the first in the grid stays first.
                racing.sort(key=lambda candidate: candidate.order)
        self._keep(candidates, racing[0])

    def _check_parameters(self) -> None:
        if not isinstance(self.estimator, BaseForest):
            raise invalid(
                "estimator",
                "a forest of silvan",
                self.estimator,
                "pass for example silvan.ForestClassifier(500)",
            )
        check_integer("n_estimators", self.estimator.n_estimators, 1)
        check_integer("min_trees", self.min_trees, 1)
        check_integer("factor", self.factor, 2, or_none=True)
        if not isinstance(self.verbose, bool):
            check_integer("verbose", self.verbose, 0)

    def _candidates(self, X: Any, y: Any, sample_weight: Any) -> list[_Candidate]:
        """All candidates, checked before any work; those that can share their rows do."""
        base = clone(self.estimator).set_params(verbose=0, warm_start=False)
        base.oob_score = self.estimator.oob_score or True
        if not is_integer(base.random_state):
            # One seed for all, so that their draws are the same.
            base.random_state = draw_seed(base.random_state) % 2**32
        _check_leaves_rows_out(base)
        checked = base._check_fit(X, y, sample_weight)
        settings = self._settings(base.n_features_in_)
        readers: dict[str, tuple[BaseForest, Any]] = {content_hash({}): (base, checked)}
        keys = []
        for params in settings:
            reading = {name: value for name, value in params.items() if not _is_growth(name)}
            keys.append(content_hash(reading))
            if keys[-1] not in readers:
                reader = clone(base).set_params(**reading)
                _check_leaves_rows_out(reader)
                readers[keys[-1]] = reader, reader._check_fit(X, y, sample_weight)
        forests = [
            _prepare(readers[key][0], params) for key, params in zip(keys, settings, strict=True)
        ]
        for key, forest in zip(keys, forests, strict=True):
            forest._check_parameters()
            forest._growth(readers[key][1].plan.n_kept, forest.n_features_in_)
        # All is checked; work begins.
        groups = {
            key: _Group(reader, reader._read_rows(data, draw_seed(reader.random_state)))
            for key, (reader, data) in readers.items()
            if key in keys
        }
        return [
            _Candidate(params, forest, groups[key])
            for params, forest, key in zip(settings, forests, keys, strict=True)
        ]

    def _settings(self, n_features: int) -> list[dict[str, Any]]:
        if self.param_grid is None:
            projections = getattr(self.estimator, "projections", AxisAligned())
            grid = direction_grid(projections, n_features, max_directions=self.max_directions)
            return list(ParameterGrid(grid))
        settings = list(ParameterGrid(self.param_grid))
        if any("n_estimators" in params for params in settings):
            raise invalid(
                "param_grid",
                "without n_estimators, since more trees are never worse",
                self.param_grid,
                "set the n_estimators of the estimator to what you can afford",
            )
        return settings

    def _keep(self, candidates: list[_Candidate], best: _Candidate) -> None:
        assert best.forest is not None
        self.best_estimator_ = best.forest.set_params(
            verbose=self.estimator.verbose, warm_start=self.estimator.warm_start
        )
        self.best_params_ = best.params
        self.best_score_ = best.score
        self.best_index_ = candidates.index(best)
        self.results_ = _tabulate(candidates, self.best_index_)

    @_where_the_forest_has("predict")
    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict with the best forest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

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
            Rows.

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
            Rows.

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
            Rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            True targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

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


def plan_rounds(
    n_candidates: int, n_trees: int, min_trees: int, factor: int | None
) -> list[tuple[int, int]]:
    """How many candidates take part in each round, and how many trees each has at its end."""
    rounds = []
    racing, trees = n_candidates, min_trees
    while factor is not None and racing > 1 and trees < n_trees:
        rounds.append((racing, trees))
        racing, trees = math.ceil(racing / factor), trees * factor
    return [*rounds, (racing, n_trees)]


def count_trees(rounds: Sequence[tuple[int, int]]) -> int:
    """Number of trees that are grown in all rounds together."""
    before = [0, *(trees for _, trees in rounds[:-1])]
    return sum(
        racing * (trees - start) for (racing, trees), start in zip(rounds, before, strict=True)
    )


def _is_growth(name: str) -> bool:
    return name.split("__")[0] in _GROWTH


def _prepare(reader: BaseForest, params: Mapping[str, Any]) -> BaseForest:
    """A forest with these parameters that knows the data as `reader` does."""
    learnt = {k: v for k, v in vars(reader).items() if k not in reader.get_params(deep=False)}
    forest = clone(reader).set_params(**clone(params, safe=False))
    vars(forest).update(learnt)
    return forest  # type: ignore[no-any-return]


def _check_leaves_rows_out(forest: BaseForest) -> None:
    if not forest.bootstrap and forest.max_samples is None:
        raise invalid(
            "bootstrap",
            "True, or max_samples be set, for trees to leave out rows that score them",
            forest.bootstrap,
            "set bootstrap=True, or for example max_samples=0.6",
        )


@contextmanager
def _quiet_unless(last: bool) -> Iterator[None]:
    """Hide the warning that rows have no out-of-bag prediction while more trees are to come."""
    with warnings.catch_warnings():
        if not last:
            warnings.filterwarnings("ignore", message=".*no out-of-bag prediction")
        yield


def _tabulate(candidates: Sequence[_Candidate], best: int) -> dict[str, Any]:
    """The results, one entry for each candidate."""
    order = sorted(range(len(candidates)), key=lambda i: (i != best, candidates[i].order))
    rank = np.empty(len(candidates), dtype=np.int64)
    rank[order] = np.arange(1, len(candidates) + 1)
    results: dict[str, Any] = {
        "params": [candidate.params for candidate in candidates],
        "n_trees": np.array([candidate.n_trees for candidate in candidates]),
        "oob_score": np.array([candidate.score for candidate in candidates]),
        "rank": rank,
        "fit_time": np.array([candidate.seconds for candidate in candidates]),
    }
    for name in dict.fromkeys(name for candidate in candidates for name in candidate.params):
        results[f"param_{name}"] = [candidate.params.get(name) for candidate in candidates]
    return results

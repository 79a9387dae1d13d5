"""ForestClassifier: a forest whose leaves hold class probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.multiclass import check_classification_targets

from silvan._persistence import require_fitted
from silvan._validation import check_choice, invalid, is_integer, is_number
from silvan.forests._docs import shared_docs
from silvan.forests.base import BaseForest
from silvan.forests.sampling import RowPlan, plan_rows
from silvan.forests.weights import row_blocks
from silvan.projections import ProjectionDistribution

# Shares of the classes in a leaf add up to 1, but for this.
_ROUNDING = 1e-9


@shared_docs
class ForestClassifier(ClassifierMixin, BaseForest):  # type: ignore[misc]
    """A forest that predicts classes, for any distribution of split directions.

    Each tree is grown on rows of its own by splitting nodes along the best of a few directions that
    are drawn at random from `projections`. Axis-aligned directions give Breiman's random forest,
    sparse signed ones a sparse projection oblique forest, patches of pixels a manifold forest.

    Parameters
    ----------
    {n_estimators}
    {projections}
    {classifier_criterion}
    max_features : int, float, "sqrt", "log2" or None, default="sqrt"
        {max_features}
    {limits}
    {categorical_features}
    {classifier_voting}
    {running}

    Attributes
    ----------
    {classifier_fitted}
    {fitted}

    See Also
    --------
    ForestRegressor : The same for numeric targets.
    ManifoldForestClassifier : The same with patches, for images, series and other grids.

    Notes
    -----
    {notes}

    References
    ----------
    L. Breiman, "Random Forests", Machine Learning 45, 2001.

    T. M. Tomita et al., "Sparse Projection Oblique Randomer Forests", Journal of Machine Learning
    Research 21, 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import ForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> forest.predict(X[:2])
    array([0, 0])
    >>> forest.score(X, y) > 0.95
    True
    """

    _criteria: ClassVar[Mapping[str, str]] = {
        "gini": "gini",
        "entropy": "entropy",
        "log_loss": "entropy",
    }
    _multi_output = False
    _metric = staticmethod(accuracy_score)

    _fitted: ClassVar[tuple[str, ...]] = ("classes_", "n_classes_", "oob_decision_function_")
    _growing: ClassVar[tuple[str, ...]] = ("voting",)

    classes_: NDArray[Any]

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        projections: ProjectionDistribution | None = None,
        criterion: str = "gini",
        max_features: int | float | str | None = "sqrt",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        max_samples: int | float | str | None = None,
        honest: bool = False,
        honest_fraction: float = 0.5,
        scaling: str | None = None,
        categorical_features: Sequence[int | bool | str] | str | None = "from_dtype",
        voting: str = "soft",
        oob_score: bool | Callable[..., float] = False,
        class_weight: Mapping[Any, float] | str | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        super().__init__(
            n_estimators,
            projections=projections,
            criterion=criterion,
            max_features=max_features,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_impurity_decrease=min_impurity_decrease,
            bootstrap=bootstrap,
            max_samples=max_samples,
            honest=honest,
            honest_fraction=honest_fraction,
            scaling=scaling,
            categorical_features=categorical_features,
            oob_score=oob_score,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            warm_start=warm_start,
        )
        self.voting = voting
        self.class_weight = class_weight

    @shared_docs
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the forest.

        Parameters
        ----------
        {fit_rows}
        y : array-like of shape (n_samples,)
            Class labels: numbers or strings.
        {fit_weights}
        """
        return super().fit(X, y, sample_weight)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Most probable classes. Where the whole forest finds several equally probable, the first
            of them in `classes_`, as in scikit-learn; this is the only place where the order of the
            classes counts, and `predict_proba` tells such ties.
        """
        rows = self._rows(X)
        codes = np.empty(len(rows), dtype=np.intp)
        for block in row_blocks(len(rows), self.n_classes_):
            codes[block] = self._predict_values(rows[block]).argmax(axis=1)
        return self.classes_[codes]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes_)
            Means over the trees of leaf probabilities (soft voting) or votes (hard voting), in the
            order of `classes_`.
        """
        return self._predict_values(self._rows(X))

    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the logarithm of the probability of each class; it is -inf for probability 0.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes_)
            Logarithms of `predict_proba`.
        """
        probabilities = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.log(probabilities, out=probabilities)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("voting", self.voting, ("soft", "hard"))
        known = self.class_weight is None or self.class_weight == "balanced"
        if isinstance(self.class_weight, Mapping):
            known = all(is_number(w) and w >= 0 for w in self.class_weight.values())
        if not known:
            raise invalid(
                "class_weight",
                'None, "balanced" or a dictionary from labels to weights >= 0',
                self.class_weight,
                'pass for example "balanced"',
            )

    def _encode_targets(self, y: NDArray[Any]) -> NDArray[np.int32]:
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.n_classes_ = len(self.classes_)
        self.n_outputs_ = 1
        return codes.astype(np.int32)

    def _plan_rows(self, y: NDArray[Any], sample_weight: NDArray[np.float64] | None) -> RowPlan:
        weights = self._class_weights(y, sample_weight)
        return plan_rows(
            len(y),
            sample_weight,
            None if weights is None else weights[y],
            bootstrap=self.bootstrap,
            max_samples=self.max_samples,
            estimation_share=self.honest_fraction if self.honest else 0.0,
            numeric_targets=False,
        )

    def _class_weights(
        self, codes: NDArray[np.int32], sample_weight: NDArray[np.float64] | None
    ) -> NDArray[np.float64] | None:
        """Weights of the classes, with 24 bits: their products with integer weights stay exact."""
        if self.class_weight is None:
            return None
        if isinstance(self.class_weight, Mapping):
            left_out = [c for c in self.classes_.tolist() if c not in self.class_weight]
            if left_out and len(left_out) + len(self.class_weight) != self.n_classes_:
                raise ValueError(
                    f"class_weight has labels that y does not have, and leaves out {left_out[:5]}; "
                    f"the classes are {self.classes_[:10]}, use these labels."
                )
            weights = np.array([self.class_weight.get(c, 1.0) for c in self.classes_.tolist()])
        else:
            totals = np.bincount(codes, weights=sample_weight, minlength=self.n_classes_)
            present = totals > 0
            weights = np.zeros(self.n_classes_)
            weights[present] = totals.sum() / (np.count_nonzero(present) * totals[present])
        return weights.astype(np.float32).astype(np.float64)

    def _grow_targets(self, y: NDArray[Any], plan: RowPlan) -> tuple[NDArray[Any], int]:
        return y, self.n_classes_

    def _keep_out_of_bag(
        self, predictions: NDArray[np.float64], y: NDArray[Any], scored: NDArray[np.bool_]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        self.oob_decision_function_ = predictions
        return self.classes_[y[scored]], self.classes_[predictions[scored].argmax(axis=1)]

    def _hard_votes(self) -> bool:
        return self.voting == "hard"

    def _check_fitted(self) -> None:
        super()._check_fitted()
        forest, n_samples = self.forest_, self._sampling.plan.n_samples
        votes = getattr(self, "oob_decision_function_", None)
        totals = np.add.reduceat(forest.values, forest.value_indptr[:-1])
        require_fitted(
            {
                "n_classes_": is_integer(self.n_classes_) and self.n_classes_ == forest.n_outputs,
                "classes_": self.classes_.shape == (self.n_classes_,),
                "n_outputs_": self.n_outputs_ == 1,
                "oob_decision_function_": votes is None
                or (votes.shape == (n_samples, self.n_classes_) and votes.dtype == np.float64),
                "forest_.values": bool((forest.values >= 0).all())
                and bool((np.abs(totals - 1) < _ROUNDING).all()),
            }
        )

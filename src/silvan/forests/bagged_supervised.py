"""What bagged forests with targets do alike: score out of bag, weigh training samples."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from silvan import _core
from silvan._persistence import require_fitted
from silvan._validation import check_choice, invalid, warn_user
from silvan.forest_arrays import ForestArrays
from silvan.forests.agnostic import check_agnostic_directions
from silvan.forests.bagged import BaggedForest
from silvan.forests.constraints import (
    monotone_signs,
    require_numbers,
    require_one_number,
    require_single_features,
)
from silvan.forests.fitted import FittedForest
from silvan.forests.fitting import CheckedSamples, TrainingSamples
from silvan.forests.parameters import (
    NO_LIMIT,
    BaggedSupervisedParameters,
    check_bagged_supervised_parameters,
)
from silvan.forests.sample_numbers import check_members
from silvan.forests.sampling import DrawRule, SamplePlan, plan_samples
from silvan.forests.supervised import SupervisedForest
from silvan.forests.targets import Targets, check_leaf_values
from silvan.forests.trees import TreesMixin
from silvan.forests.weights import SampleWeighting
from silvan.projections import ProjectionDistribution

_OUT_OF_BAG = ("oob_score_", "oob_decision_function_", "oob_prediction_")


class BaggedSupervisedForest(
    TreesMixin, BaggedSupervisedParameters, SupervisedForest, BaggedForest
):
    """A forest of independent trees that learns from targets."""

    # Names of the criteria, and what the core calls them.
    _criteria: ClassVar[Mapping[str, str]]
    # Score of out-of-bag predictions unless `oob_score` is a callable.
    _metric: Callable[..., float]
    _fitted: ClassVar[tuple[str, ...]] = ("oob_score_", "_criterion", "_hard_votes")

    # What the core calls the criterion, and whether a tree casts one vote instead of handing over
    # its leaf's values: as the parameters were in `fit`, which may have been set since.
    _criterion: str
    _hard_votes: bool

    @abstractmethod
    def _keep_out_of_bag(
        self, predictions: NDArray[np.float64], y: NDArray[Any], scored: NDArray[np.bool_]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Keep the predictions; return true and predicted targets of the scored samples."""

    def _asks_for_hard_votes(self) -> bool:
        """Whether the parameters say that a tree casts one vote."""
        return False

    @property
    def fitted_(self) -> FittedForest:
        """What was learnt, for readers: a view that holds no copies."""
        return replace(
            super().fitted_,
            hard_votes=self._hard_votes,
            criterion=self._criterion,
        )

    def _plan_samples(self, targets: Targets, weight: NDArray[np.float64] | None) -> SamplePlan:
        settled = self._settled()
        plan = plan_samples(
            len(targets.encoded),
            weight,
            self._class_factor(targets, weight),
            DrawRule(
                settled.bootstrap,
                settled.max_samples,
                self.honest_fraction if self.honest else 0.0,
                self._draws_by_class(),
            ),
            numeric_targets=targets.numeric,
        )
        check_leaf_values(targets, plan, pruned=self._pruning() > 0)
        return plan

    def _draws_by_class(self) -> bool:
        """Whether every tree draws as many samples of each class as their weights ask for."""
        class_weight = getattr(self, "class_weight", None)
        return isinstance(class_weight, str) and class_weight == "balanced_subsample"

    def _pruning(self) -> float:
        return float(self.ccp_alpha)

    def _check_fit(self, X: Any, y: Any, sample_weight: Any) -> CheckedSamples:
        checked = super()._check_fit(X, y, sample_weight)
        if self.monotonic_cst is not None:
            require_one_number(self.monotonic_cst, checked.targets)
        return checked

    def _growth(self, plan: SamplePlan) -> tuple[ProjectionDistribution, _core.GrowOptions]:
        projections, options = super()._growth(plan)
        if options.agnostic:
            check_agnostic_directions(projections, self._n_categories())
        if self.max_leaf_nodes is not None:
            options.max_leaf_nodes = min(int(self.max_leaf_nodes), NO_LIMIT)
        signs = monotone_signs(self, self._n_columns())
        if signs is not None:
            require_single_features("monotonic_cst", self.monotonic_cst, projections)
            require_numbers(signs, self._n_categories(), self.monotonic_cst)
            options.monotone = signs
        return projections, options

    def _choose_criterion(
        self, options: _core.GrowOptions, plan: SamplePlan, n_features: int
    ) -> None:
        options.criterion = self._criteria[self.criterion]
        options.min_weight_fraction_leaf = float(self.min_weight_fraction_leaf)
        thresholds = self._settled().thresholds
        options.random_thresholds = thresholds != "best"
        options.agnostic = thresholds == "agnostic"

    def _grow_on(self, samples: TrainingSamples, earlier: ForestArrays | None) -> None:
        """Grow the trees that `earlier` lacks, then score out of bag if asked for."""
        self._criterion = self._criteria[self.criterion]
        self._hard_votes = self._asks_for_hard_votes()
        super()._grow_on(samples, earlier)
        for name in _OUT_OF_BAG:
            self.__dict__.pop(name, None)
        if self.oob_score:
            self._score_out_of_bag(samples)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("criterion", self.criterion, self._criteria)
        check_bagged_supervised_parameters(self._settled())

    def _out_of_bag_votes(
        self, samples: TrainingSamples
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Sums of votes over the trees that did not draw a sample, and how many these are."""
        sampling, hard = samples.sampling, self._hard_votes
        sums, counts = _core.predict_out_of_bag(
            self.forest_,
            samples.features.rows,
            hard,
            sampling.native(),
            sampling.seed,
            self._n_threads(),
        )
        return sums, counts

    def _score_out_of_bag(self, samples: TrainingSamples) -> None:
        sampling = self._sampling
        sums, counts = self._out_of_bag_votes(samples)
        n_missed = int(np.count_nonzero(counts == 0))
        if n_missed:
            # A tree leaves out a share of about exp(-n_draws / n) of n samples.
            repeated = sampling.plan.n_draws > 2 * len(counts)
            remedy = (
                "whole weights count as repeated samples, so pass relative ones, such as "
                "sample_weight / sample_weight.mean(), or a smaller max_samples"
                if repeated
                else "grow more trees"
            )
            warn_user(
                # scikit-learn's words, which programs may filter by.
                f"Some inputs do not have OOB scores: {n_missed} of {len(counts)} samples were "
                f"drawn by every tree and have no out-of-bag prediction (NaN); {remedy}."
            )
        predictions = np.full((sampling.plan.n_samples, sums.shape[1]), np.nan)
        scored = np.zeros(len(predictions), dtype=np.bool_)
        scored[sampling.sample_numbers(np.flatnonzero(counts))] = True
        predictions[scored] = sums[counts > 0] / counts[counts > 0, None]
        y_true, y_pred = self._keep_out_of_bag(predictions, samples.targets.encoded, scored)
        metric = self.oob_score if callable(self.oob_score) else self._metric
        score = metric(y_true, y_pred) if len(y_true) else np.nan
        try:
            self.oob_score_ = float(score)
        except (TypeError, ValueError):
            raise invalid(
                "what oob_score returns",
                "a number",
                score,
                "pass a function such as sklearn.metrics.balanced_accuracy_score, or True",
            ) from None

    def forest_weights(self, X: ArrayLike) -> csr_array:
        """How much each training sample counts in the prediction for each sample of `X`.

        The weight alpha_i(x) is the mean over trees of the share of training sample i in the leaf
        that x ends in; in an honest forest, of its share in the samples that fill the leaf. Rows
        sum to 1. The product with the training targets is `predict` of a regressor, and with their
        indicators it is `predict_proba` of a classifier with soft voting.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Samples.

        Returns
        -------
        weights : csr_array of shape (n_queries, n_samples)
            Weights of the training samples, in the order in which they were given to `fit`.
        """
        check_members(self._sampling.plan.n_samples, "forest_weights")
        leaves = self.apply(X)
        return SampleWeighting(self.forest_, self._sampling)(leaves)

    def _predict_values(self, checked: NDArray[Any]) -> NDArray[np.float64]:
        """Means over the trees of leaf values or votes, for samples that were checked."""
        hard, n_threads = self._hard_votes, self._n_threads()
        values: NDArray[np.float64] = self._ask_trees(
            lambda samples: _core.predict(self.forest_, samples, hard, n_threads), checked
        )
        return values

    def _check_fitted(self) -> None:
        super()._check_fitted()
        score = getattr(self, "oob_score_", 0.0)
        require_fitted(
            {
                "oob_score_": isinstance(score, float),
                "_criterion": self._criterion in self._criteria.values(),
                "_hard_votes": isinstance(self._hard_votes, bool),
            }
        )

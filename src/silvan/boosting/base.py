"""Boosted forests: each round's trees are fitted to what the trees before them left over."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from silvan import _core
from silvan._persistence import require_fitted
from silvan._progress import ProgressBar
from silvan._validation import TrainingFeatures, invalid, is_integer
from silvan.boosting.answers import ask_start, renews_leaves
from silvan.boosting.parameters import (
    OUT_OF_BAG,
    BoostedParameters,
    boost_options,
    check_boosted_parameters,
    settle_leaves,
    stops_early,
)
from silvan.boosting.parts import Parts, make_parts
from silvan.boosting.rounds import Boosting, Curves, Stopping, rounds_to_keep, run_rounds
from silvan.boosting.scores import ScoredSamples, Scoring
from silvan.forest_arrays import ForestArrays
from silvan.forests.constraints import part_features, require_numbers
from silvan.forests.fitted import FittedForest
from silvan.forests.fitting import CheckedSamples, TrainingSamples, check_more_trees
from silvan.forests.sampling import DrawRule, SamplePlan, plan_samples
from silvan.forests.supervised import SupervisedForest
from silvan.forests.targets import Targets
from silvan.losses import Loss
from silvan.projections import (
    AxisAligned,
    Mixture,
    ProjectionDistribution,
    SparseSigns,
    UnitFree,
)

Floats = NDArray[np.float64]


class BoostedForest(BoostedParameters, SupervisedForest):
    """A forest whose trees add up to a raw score; subclasses say by which losses.

    Leaves do not know the training samples in them.
    """

    _fitted: ClassVar[tuple[str, ...]] = (
        "loss_",
        "start_",
        "n_iter_",
        "train_score_",
        "validation_score_",
    )

    loss_: Loss
    start_: Floats
    n_iter_: int
    train_score_: Floats
    validation_score_: Floats

    @staticmethod
    def _default_projections() -> ProjectionDistribution:
        return Mixture([(AxisAligned(), 1.0), (UnitFree(SparseSigns()), 1.0)])

    @abstractmethod
    def _make_loss(self, targets: Targets) -> Loss:
        """The loss for these targets, checked against them."""

    @abstractmethod
    def _n_predicted(self, targets: Targets) -> int:
        """Number of predictions for a sample: of outputs, or of probabilities."""

    @property
    def fitted_(self) -> FittedForest:
        """What was learnt, for readers: a view that holds no copies."""
        return replace(super().fitted_, start=self.start_, criterion="gain")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_boosted_parameters(self)

    def _check_fit(self, X: Any, y: Any, sample_weight: Any) -> CheckedSamples:
        checked = super()._check_fit(X, y, sample_weight)
        loss = self._make_loss(checked.targets)
        if self.monotonic_cst is not None and renews_leaves(loss):
            raise invalid(
                "monotonic_cst",
                f"None with the loss {loss!r}, whose own values of leaves no constraint binds",
                self.monotonic_cst,
                'leave it out, or pass another loss such as "huber"',
            )
        return checked

    def _plan_samples(self, targets: Targets, weight: Floats | None) -> SamplePlan:
        return plan_samples(
            len(targets.encoded),
            weight,
            self._class_factor(targets, weight),
            DrawRule(bootstrap=False),
            numeric_targets=False,
        )

    def _growth(self, plan: SamplePlan) -> tuple[ProjectionDistribution, _core.BoostOptions]:
        n_features = self._n_columns()
        projections = self._resolve_projections(n_features)
        options = boost_options(self, projections, plan.n_kept, n_features)
        monotone = np.asarray(options.monotone)
        if monotone.size:
            require_numbers(monotone, self._n_categories(), self.monotonic_cst)
        return projections, options

    def _check_more_trees(self, earlier: ForestArrays) -> None:
        check_more_trees(int(self.n_estimators), self.n_iter_, "rounds")

    def _grow_on(self, samples: TrainingSamples, earlier: ForestArrays | None) -> None:
        """Grow the rounds that `earlier` lacks."""
        super()._grow_on(samples, earlier)
        for name, value in samples.targets.attributes.items():
            if not name.startswith("_"):
                setattr(self, name, value)
        self._sampling = samples.sampling
        self._keep_constants(samples, earlier)
        projections, options = self._growth(samples.sampling.plan)
        options.seed = samples.sampling.seed
        if samples.spreads is not None:
            projections = projections._with_spreads(samples.spreads)
        self.projections_ = clone(projections, safe=False)
        if earlier is None or self.n_iter_ < self.n_estimators:
            self._boost(samples, options, earlier)

    def _boost(
        self,
        samples: TrainingSamples,
        options: _core.BoostOptions,
        earlier: ForestArrays | None,
    ) -> None:
        stops = stops_early(self, samples.sampling.plan.n_kept)
        stopping = Stopping(int(self.n_iter_no_change), float(self.tol)) if stops else None
        out_of_bag = self.early_stopping == OUT_OF_BAG
        held_out = self.validation_fraction if stops and not out_of_bag else None
        parts = make_parts(samples, held_out, self._n_threads())
        training = parts.training
        settle_leaves(self, len(training.y), options)
        loss = self._make_loss(samples.targets).adapt(training.y, training.weight)
        start = ask_start(loss, training.y, training.weight, self._n_predicted(samples.targets))
        n_earlier = 0
        if earlier is not None:
            self._check_same_loss(loss, start)
            self._check_same_leaves(earlier, options)
            # Directions may be fitted to the gradients of the round that they are drawn in.
            n_earlier = self.n_iter_ - self.n_iter_ % options.redraw_every
            earlier = earlier.trees(0, n_earlier * (earlier.n_trees // self.n_iter_))
        booster = self._make_booster(parts, samples, options, len(start))
        boosting = Boosting(
            booster, parts, loss, options.learning_rate, self._n_threads(), self._n_categories()
        )
        boosting.scores_out_of_bag = out_of_bag
        boosting.begin(start, earlier if n_earlier else None, n_earlier)
        scoring = Scoring(loss, self.scoring, self)
        scored = ScoredSamples(training, samples.sampling.seed, scoring.sees_features)
        curves = self._earlier_curves(n_earlier)
        if n_earlier == 0:
            boosting.score(scoring, scored, curves)
        else:
            boosting.check_score(scoring, scored, curves)

        def score() -> Curves:
            boosting.score(scoring, scored, curves)
            return curves

        numbers = range(n_earlier, int(self.n_estimators))
        n_rounds = n_earlier
        with self._progress(len(numbers)) as progress:
            for number in run_rounds(boosting, numbers, score, stopping, self._n_threads()):
                n_rounds = number + 1
                if progress is not None:
                    progress(n_rounds - n_earlier, note=_describe(curves, self.scoring))
        self.n_iter_ = rounds_to_keep(curves, n_rounds, stopping)
        self.forest_ = boosting.forest(self.n_iter_)
        self.loss_, self.start_ = loss, start
        self.train_score_ = np.array(curves.training)
        self.validation_score_ = np.array(curves.validation)

    def _check_same_loss(self, loss: Loss, start: Floats) -> None:
        """Require that a warm start goes on with the loss that it began with."""
        if repr(loss) != repr(self.loss_) or not np.array_equal(start, self.start_):
            raise ValueError(
                "warm_start=True goes on with the same loss and the same samples, but the loss, "
                "early_stopping or validation_fraction is not what it was; pass the same ones, or "
                "set warm_start=False."
            )

    def _check_same_leaves(self, earlier: ForestArrays, options: _core.BoostOptions) -> None:
        """Require that all rounds have the same number of trees."""
        one_tree = earlier.n_trees == self.n_iter_
        if earlier.n_outputs > 1 and one_tree != options.vector_leaves:
            raise invalid(
                "vector_leaves",
                f"{one_tree}, as it was for the first rounds, with warm_start=True",
                self.vector_leaves,
                "set it back, or set warm_start=False",
            )

    def _make_booster(
        self, parts: Parts, given: TrainingSamples, options: _core.BoostOptions, n_outputs: int
    ) -> _core.Booster:
        training = parts.training
        n_features = training.features.shape[1]
        use_source = training.features is given.features.columns
        features = given.features if use_source else TrainingFeatures(training.features, None)
        n_samples = len(training.y)
        samples = _core.TrainingSet(
            *features,
            _core.Targets(np.zeros((n_samples, n_outputs)), training.weight, n_outputs),
            _core.SampleDraws(parts.order, n_samples, False),
            self._n_categories(),
        )
        _, drawn = part_features(self.projections_)
        native = None if drawn is None else drawn._to_native(n_features)
        return _core.Booster(samples, native, options)

    def _earlier_curves(self, n_rounds: int) -> Curves:
        """The scores of the rounds that a warm start goes on from."""
        if n_rounds == 0:
            return Curves([], [])
        kept = slice(n_rounds + 1)
        return Curves(self.train_score_[kept].tolist(), self.validation_score_[kept].tolist())

    def _progress(self, n_rounds: int) -> Any:
        return ProgressBar(n_rounds, what="rounds") if self.verbose else nullcontext()

    def _raw_scores(self, checked: NDArray[Any]) -> Floats:
        """Sums over the trees, for samples that were checked."""

        def add_up(samples: NDArray[Any]) -> Floats:
            raw = np.tile(self.start_, (len(samples), 1))
            n_trees = self.forest_.n_trees
            _core.add_leaf_values(self.forest_, samples, raw, (0, n_trees), self._n_threads())
            return raw

        return self._ask_trees(add_up, checked)

    def _staged_raw_scores(self, X: ArrayLike) -> Iterator[Floats]:
        """Raw scores after each round; the same array every time."""
        samples = self._encoded(X)
        raw = np.tile(self.start_, (len(samples), 1))
        per_round = self.forest_.n_trees // self.n_iter_
        for first in range(0, self.forest_.n_trees, per_round):
            trees = (first, first + per_round)
            _core.add_leaf_values(self.forest_, samples, raw, trees, self._n_threads())
            yield raw

    def _predict_values(self, checked: NDArray[Any]) -> Floats:
        return self.loss_.inverse_link(self._raw_scores(checked))

    def _check_fitted(self) -> None:
        super()._check_fitted()
        forest, n_rounds = self.forest_, self.n_iter_
        curves = (self.train_score_, self.validation_score_)
        require_fitted(
            {
                "loss_": isinstance(self.loss_, Loss),
                "start_": self.start_.shape == (forest.n_outputs,)
                and self.start_.dtype == np.float64
                and bool(np.isfinite(self.start_).all()),
                "n_iter_": is_integer(n_rounds)
                and n_rounds >= 1
                and forest.n_trees in (n_rounds, n_rounds * forest.n_outputs),
                "forest_.members": len(forest.members) == 0,
                "train_score_": all(c.dtype == np.float64 and c.ndim == 1 for c in curves),
            }
        )


def _describe(curves: Curves, scoring: object) -> str:
    """The last scores, as a progress bar shows them."""
    sign, name = (-1.0, "loss") if scoring == "loss" else (1.0, "score")
    text = f"{name} of training samples {sign * curves.training[-1]:.4g}"
    if curves.validation:
        text += f", of held-out samples {sign * curves.validation[-1]:.4g}"
    return text

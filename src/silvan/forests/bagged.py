"""Forests whose trees are grown one by one, each on samples of its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np
from sklearn.base import clone

from silvan import _core
from silvan._persistence import require_fitted
from silvan._progress import ProgressBar
from silvan.forest_arrays import ForestArrays
from silvan.forest_arrays.joining import join_forests
from silvan.forest_arrays.pruning import prune
from silvan.forests.base import BaseForest
from silvan.forests.fitting import TrainingSamples
from silvan.forests.guiding import Guide
from silvan.forests.parameters import BaggedParameters, check_bagged_parameters, grow_options
from silvan.forests.sampling import SamplePlan
from silvan.projections import ProjectionDistribution

# A distribution and the options of the core.
Growth = tuple[ProjectionDistribution, _core.GrowOptions]


class BaggedForest(BaggedParameters, BaseForest):
    """A forest of independent trees; subclasses say what they learn from, and by which criterion.

    Its leaves know the training samples in them, unless these are too many to be numbered.
    """

    # Whether several forests can grow on samples that are read once.
    _shares_samples: ClassVar[bool] = True

    @abstractmethod
    def _choose_criterion(
        self, options: _core.GrowOptions, plan: SamplePlan, n_features: int
    ) -> None:
        """Set the criterion, and what the core must know of it besides."""

    def _growth(self, plan: SamplePlan) -> Growth:
        """The distribution to draw from and the options of the core, checked against the data."""
        n_features = self._n_columns()
        projections = self._resolve_projections(n_features)
        options = grow_options(self._settled(), plan.n_kept, n_features)
        self._choose_criterion(options, plan, n_features)
        return projections, options

    def _grow_on(self, samples: TrainingSamples, earlier: ForestArrays | None) -> None:
        """Grow the trees that `earlier` lacks."""
        for name, value in samples.targets.attributes.items():
            setattr(self, name, value)
        self._sampling = samples.sampling
        self._keep_constants(samples, earlier)
        projections, options = self._growth_on(samples)
        guide = Guide(projections)
        parts = [] if earlier is None else [earlier]
        drawn_from = projections if earlier is None else guide.follow(earlier)
        begin, end = sum(part.n_trees for part in parts), int(self.n_estimators)
        with self._show_progress(end - begin) as progress:
            for first, last in guide.rounds(begin, end):
                if first > begin:
                    drawn_from = guide.distribution()
                on_progress = progress and partial(_count_from, progress, first - begin)
                grown = self._grow(samples, (drawn_from, options), (first, last), on_progress)
                guide.learn(grown)
                parts.append(grown)
        self.forest_ = join_forests(parts) if len(parts) > 1 else parts[0]
        if begin < end:
            self.projections_ = clone(drawn_from, safe=False)

    def _show_progress(self, n_trees: int) -> AbstractContextManager[ProgressBar | None]:
        """A bar of so many trees, where it is asked for."""
        return ProgressBar(n_trees, what="trees") if self.verbose else nullcontext()

    def _growth_on(self, samples: TrainingSamples) -> Growth:
        """The distribution, with what it learns from the samples, and the options of the core."""
        projections, options = self._growth(samples.sampling.plan)
        if samples.spreads is not None:
            projections = projections._with_spreads(samples.spreads)
        options.seed = samples.sampling.seed
        return projections, options

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_bagged_parameters(self._settled())

    def _grow(
        self,
        samples: TrainingSamples,
        growth: Growth,
        trees: tuple[int, int],
        on_progress: Callable[[int], object] | None,
    ) -> ForestArrays:
        """Grow the trees from the first number to before the last."""
        grown = self._grow_range(samples, growth, trees, on_progress)
        alpha = self._pruning()
        if alpha > 0:
            grown = prune(grown, alpha)
        values = samples.targets.leaf_values(grown, samples.sampling, trees[0], pruned=alpha > 0)
        return replace(grown, values=values)

    def _pruning(self) -> float:
        """The price of a leaf in minimal cost-complexity pruning; 0 does not prune."""
        return 0.0

    def _grow_range(
        self,
        samples: TrainingSamples,
        growth: Growth,
        trees: tuple[int, int],
        on_progress: Callable[[int], object] | None,
    ) -> ForestArrays:
        """The same, with leaf values in terms of the targets that the core reads."""
        sampling, n_features = samples.sampling, samples.features.columns.shape[1]
        projections, options = growth
        arrays = _core.grow(
            self._training_set(samples),
            projections._to_native(n_features),
            options,
            trees,
            self._n_threads(),
            on_progress,
        )
        members = sampling.member_numbers(arrays["members"])
        if members is None:
            members = arrays["members"][:0]
            arrays["member_indptr"] = np.zeros_like(arrays["member_indptr"])
        arrays["members"] = members
        return ForestArrays.from_native(
            arrays, n_features, samples.targets.n_values, self._n_categories()
        )

    def _check_fitted(self) -> None:
        super()._check_fitted()
        has_members = len(self.forest_.members) > 0
        require_fitted({"forest_.members": has_members == self._sampling.plan.has_members})


def _count_from(progress: Callable[[int], object], before: int, done: int) -> None:
    """Report what is done of a round, after the trees of the rounds before."""
    progress(before + done)

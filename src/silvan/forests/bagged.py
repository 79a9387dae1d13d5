"""Forests whose trees are grown one by one, each on samples of its own."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import nullcontext
from dataclasses import replace

from sklearn.base import clone

from silvan import _core
from silvan._persistence import require_fitted
from silvan._progress import ProgressBar
from silvan.forest_arrays import ForestArrays
from silvan.forests.base import BaseForest
from silvan.forests.fitting import TrainingSamples
from silvan.forests.parameters import BaggedParameters, check_bagged_parameters, grow_options
from silvan.forests.sampling import SamplePlan
from silvan.projections import ProjectionDistribution


class BaggedForest(BaggedParameters, BaseForest):
    """A forest of independent trees; subclasses say what they learn from, and by which criterion.

    Its leaves know the training samples in them.
    """

    @abstractmethod
    def _choose_criterion(
        self, options: _core.GrowOptions, plan: SamplePlan, n_features: int
    ) -> None:
        """Set the criterion, and what the core must know of it besides."""

    def _growth(self, plan: SamplePlan) -> tuple[ProjectionDistribution, _core.GrowOptions]:
        """The distribution to draw from and the options of the core, checked against the data."""
        n_features = self._n_columns()
        projections = self._resolve_projections(n_features)
        options = grow_options(self._settled(), plan.n_kept, n_features)
        self._choose_criterion(options, plan, n_features)
        return projections, options

    def _grow_on(self, rows: TrainingSamples, earlier: ForestArrays | None) -> None:
        """Grow the trees that `earlier` lacks."""
        for name, value in rows.targets.attributes.items():
            setattr(self, name, value)
        self._sampling = rows.sampling
        projections, options = self._growth(rows.sampling.plan)
        if rows.spreads is not None:
            projections = projections._with_spreads(rows.spreads)
        self.projections_ = clone(projections, safe=False)
        n_warm = 0 if earlier is None else earlier.n_trees
        if n_warm < self.n_estimators:
            grown = self._grow(rows, projections, options, n_warm)
            self.forest_ = grown if earlier is None else earlier.append(grown)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_bagged_parameters(self._settled())

    def _grow(
        self,
        rows: TrainingSamples,
        projections: ProjectionDistribution,
        options: _core.GrowOptions,
        first: int,
    ) -> ForestArrays:
        """Grow the trees from number `first` on."""
        sampling, targets = rows.sampling, rows.targets
        n_features = rows.features.columns.shape[1]
        options.seed = sampling.seed
        n_trees = int(self.n_estimators) - first
        with ProgressBar(n_trees, what="trees") if self.verbose else nullcontext() as progress:
            arrays = _core.grow(
                self._training_set(rows),
                projections._to_native(n_features),
                options,
                (first, first + n_trees),
                self._n_threads(),
                progress,
            )
        arrays["members"] = sampling.sample_numbers(arrays["members"])
        grown = ForestArrays.from_native(arrays, n_features, targets.n_values, self._n_categories())
        return replace(grown, values=targets.leaf_values(grown, sampling, first))

    def _check_fitted(self) -> None:
        super()._check_fitted()
        require_fitted({"forest_.members": len(self.forest_.members) > 0})

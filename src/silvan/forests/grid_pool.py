"""Pools of windows: what the nodes of a manifold forest draw their candidates from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from silvan import _core
from silvan._validation import invalid, is_integer
from silvan.forests.bagged_supervised import BaggedSupervisedForest
from silvan.forests.grid import GridForest
from silvan.forests.grid_defaults import default_pool_size, is_auto

if TYPE_CHECKING:
    from silvan.channels import FittedChannels
    from silvan.forests.sampling import SamplePlan
    from silvan.projections import ProjectionDistribution

MAX_POOL = 2**24


class PooledGridForest(GridForest, BaggedSupervisedForest):
    """A forest whose nodes choose among windows that some trees share."""

    pool_size: int | str | None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        size: Any = self.pool_size
        if not (is_auto(size) or size is None or (is_integer(size) and 1 <= size <= MAX_POOL)):
            rule = f'an integer from 1 to {MAX_POOL}, "auto" or None'
            raise invalid("pool_size", rule, size, 'leave it at "auto", which is up to 4096')

    def _growth(self, plan: SamplePlan) -> tuple[ProjectionDistribution, _core.GrowOptions]:
        projections, options = super()._growth(plan)
        options.pool_size = self._n_pooled(plan.n_kept)
        return projections, options

    def _window_bytes(self, channels: FittedChannels, n_samples: int) -> int:
        n_pooled = self._n_pooled(n_samples)
        if n_pooled == 0 or self._n_new_trees() < _core.FEWEST_TREES_AHEAD:
            return super()._window_bytes(channels, n_samples)
        return 4 * n_pooled * int(self.n_patches)

    def _n_new_trees(self) -> int:
        """Number of trees that this call of `fit` grows."""
        is_warm = self.warm_start and hasattr(self, "forest_")
        return int(self.n_estimators) - (self.forest_.n_trees if is_warm else 0)

    def _n_pooled(self, n_samples: int) -> int:
        """Number of windows in the pool of so many samples; 0: there is none."""
        if self.channels_ is None or self.pool_size is None:
            return 0
        if is_integer(self.pool_size):
            return int(self.pool_size)
        return default_pool_size(n_samples, int(self.n_patches))

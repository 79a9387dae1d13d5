"""Samples that are checked and read once, for many forests that differ only in how trees grow."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from sklearn.base import clone

from silvan._validation import invalid
from silvan.forests.bagged import BaggedForest
from silvan.forests.fitting import TrainingSamples, draw_seed
from silvan.forests.parameters import n_directions


class SharedSamples:
    """A forest that has checked the data, and their samples as it reads them.

    Tuning makes its candidates here: those that differ from the forest only in parameters that
    change how trees grow (`silvan._parameters.growing_parameters`), with directions that are
    without units where the forest's are (`draws_without_units`).
    """

    def __init__(self, forest: BaggedForest, data: tuple[Any, Any, Any]) -> None:
        settled = forest._settled()
        if not settled.bootstrap and settled.max_samples is None:
            raise invalid(
                "bootstrap",
                "True, or max_samples be set, for trees to leave out samples that score them",
                forest.bootstrap,
                "set bootstrap=True, or for example max_samples=0.6",
            )
        self.forest = forest
        self._checked = forest._check_fit(*data)

    @property
    def n_samples(self) -> int:
        """Number of samples that take part."""
        return self._checked.plan.n_kept

    @cached_property
    def samples(self) -> TrainingSamples:
        """Columns, encoded targets and draws, made once."""
        return self.forest._read_samples(self._checked, draw_seed(self.forest.random_state))

    def make(self, params: Mapping[str, Any]) -> BaggedForest:
        """A forest with these parameters that knows the data as this one does."""
        own = self.forest.get_params(deep=False)
        learnt = {name: value for name, value in vars(self.forest).items() if name not in own}
        forest: BaggedForest = clone(self.forest).set_params(**clone(dict(params), safe=False))
        forest.__dict__.update(learnt)
        forest._check_parameters()
        forest._growth(self._checked.plan)
        return forest


def grow_to(n_trees: int, forest: BaggedForest, samples: TrainingSamples) -> None:
    """Grow a forest that `SharedSamples` made to so many trees, those that it has among them."""
    forest.n_estimators = n_trees
    forest._grow_on(samples, getattr(forest, "forest_", None))


def can_share_samples(forest: BaggedForest) -> bool:
    """Whether several forests of the kind can grow on samples that are read once."""
    return forest._shares_samples


def draws_without_units(forest: BaggedForest) -> bool:
    """Whether the samples that trees draw depend on the spreads of the features."""
    return forest._has_unit_free_directions()


def features_of_a_sample(forest: BaggedForest) -> int:
    """Number of features of a forest that has checked its data; a date has several."""
    return forest._n_features()


def directions_of_a_node(forest: BaggedForest) -> int:
    """Number of directions that a node tries, of a forest that has checked its data."""
    return n_directions(forest._settled(), forest._n_columns())

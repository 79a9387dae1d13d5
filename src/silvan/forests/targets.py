"""What forests learn from: classes, numbers or nothing, as the core reads them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets

from silvan._validation import warn_user
from silvan.forest_arrays import ForestArrays
from silvan.forests.sampling import SamplePlan, Sampling, TargetRounding, middle, target_bits
from silvan.forests.weights import leaf_means

# Squares of targets must fit into the float32 that holds a node's impurity.
_LARGEST_RANGE = 1e18
# With fewer bits than this, rounded targets are good enough for choosing splits but not for leaf
# values.
_BITS_OF_A_LEAF_VALUE = 32


class Targets(ABC):
    """The targets of all samples that `fit` was given; encoding them changes no estimator."""

    # Whether sums of weight times target must be exact.
    numeric: ClassVar[bool]
    # Class codes, or numbers with a column per output.
    encoded: NDArray[Any]

    @property
    @abstractmethod
    def n_values(self) -> int:
        """Number of values at a leaf."""

    @property
    @abstractmethod
    def attributes(self) -> dict[str, Any]:
        """What a fitted estimator says of its targets."""

    def kept(self, plan: SamplePlan) -> NDArray[Any]:
        """Encoded targets of the samples that take part."""
        return self.encoded if plan.kept is None else self.encoded[plan.kept]

    def native(self, plan: SamplePlan) -> NDArray[Any]:
        """Targets of the samples that take part, as the core reads them."""
        return self.kept(plan)

    def rounding(self, plan: SamplePlan) -> TargetRounding | None:
        """How the core's targets are rounded, so that sums are exact; None if they are not."""
        return None

    def leaf_values(
        self, forest: ForestArrays, sampling: Sampling, first: int
    ) -> NDArray[np.float64]:
        """Leaf values in terms of the targets as given; `first` is the number of the first tree."""
        return forest.values


@dataclass(frozen=True, eq=False)
class ClassTargets(Targets):
    """Class labels, encoded as their places in the sorted classes."""

    classes: NDArray[Any]
    encoded: NDArray[np.int32]
    numeric: ClassVar[bool] = False

    @classmethod
    def encode(cls, y: NDArray[Any]) -> ClassTargets:
        """Find the classes among labels."""
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        return cls(classes, codes.astype(np.int32))

    @property
    def n_values(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def attributes(self) -> dict[str, Any]:
        """The classes, and how many there are."""
        return {"classes_": self.classes, "n_classes_": self.n_values, "n_outputs_": 1}


@dataclass(frozen=True, eq=False)
class NumberTargets(Targets):
    """Numbers to regress on, a column for each output."""

    encoded: NDArray[np.float64]
    numeric: ClassVar[bool] = True

    @classmethod
    def encode(cls, y: NDArray[Any]) -> NumberTargets:
        """Make a column for each output, and refuse what cannot be summed."""
        if y.ndim == 2 and y.shape[1] == 1:
            warn_user(
                "A column-vector y was passed when a 1d array was expected; pass y.ravel().",
                DataConversionWarning,
            )
        if y.ndim == 2 and y.shape[1] == 0:
            raise ValueError("y must have at least one column, but it has none; pass the targets.")
        columns = np.ascontiguousarray(y, dtype=np.float64).reshape(len(y), -1)
        half_range = float((columns.max(axis=0) / 2 - columns.min(axis=0) / 2).max())
        if half_range > _LARGEST_RANGE / 2:
            raise ValueError(
                f"the targets y must span at most {_LARGEST_RANGE:g}, but they span 2 * "
                f"{half_range:g}; rescale them."
            )
        return cls(columns)

    @property
    def n_values(self) -> int:
        """Number of outputs."""
        return int(self.encoded.shape[1])

    @property
    def attributes(self) -> dict[str, Any]:
        """The targets themselves, for quantiles, and the number of outputs."""
        return {"_y": self.encoded, "n_outputs_": self.n_values}

    def native(self, plan: SamplePlan) -> NDArray[np.float64]:
        """Targets that are centred and rounded, so that every sum of them is exact."""
        return self.rounding(plan)(self.kept(plan))

    def rounding(self, plan: SamplePlan) -> TargetRounding:
        """Centre and last place of the targets that take part."""
        return TargetRounding.of(self.kept(plan), target_bits(plan))

    def leaf_values(
        self, forest: ForestArrays, sampling: Sampling, first: int
    ) -> NDArray[np.float64]:
        """Mean targets, with the centre added again that growing went without."""
        if target_bits(sampling.plan) < _BITS_OF_A_LEAF_VALUE:
            means = leaf_means(forest, sampling, self.encoded, first)
            leaf = np.repeat(np.arange(forest.n_leaves), np.diff(forest.value_indptr))
            return means[leaf, forest.value_outputs]
        return forest.values + middle(self.kept(sampling.plan))[forest.value_outputs]


@dataclass(frozen=True, eq=False)
class NoTargets(Targets):
    """Stands where a forest has no targets: zeros, which tell no two samples apart."""

    encoded: NDArray[np.float64]
    numeric: ClassVar[bool] = True

    @classmethod
    def of(cls, n_samples: int) -> NoTargets:
        """The targets of so many samples."""
        return cls(np.zeros((n_samples, 1)))

    @property
    def n_values(self) -> int:
        """A leaf has one value, its weight."""
        return 1

    @property
    def attributes(self) -> dict[str, Any]:
        """A forest without targets counts as one of a single output."""
        return {"n_outputs_": 1}

    def leaf_values(
        self, forest: ForestArrays, sampling: Sampling, first: int
    ) -> NDArray[np.float64]:
        """Shares of the tree's weight, the priors of the leaves."""
        weight = forest.weight[forest.tree_offsets[:-1]]
        return forest.values / np.repeat(weight, np.diff(forest.leaf_offsets))

"""What forests learn from: classes, numbers or nothing, as the core reads them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets

from silvan._exact import MANTISSA_BITS
from silvan._validation import warn_user
from silvan.forest_arrays import ForestArrays
from silvan.forests.odd_values import refuse_missing_targets
from silvan.forests.sampling import SamplePlan, Sampling, target_bits
from silvan.forests.target_rounding import TargetRounding, middle
from silvan.forests.weights import leaf_means, leaf_medians

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
    def n_averaged(self) -> int | None:
        """Number of outputs that impurities are means over; None: one for each value."""
        return None

    @property
    @abstractmethod
    def attributes(self) -> dict[str, Any]:
        """What a fitted estimator says of its targets."""

    def with_encoded(self, encoded: NDArray[Any]) -> Targets:
        """Targets of other samples, encoded in the same way."""
        other: Targets = replace(cast(Any, self), encoded=encoded)
        return other

    def kept(self, plan: SamplePlan) -> NDArray[Any]:
        """Encoded targets of the samples that take part."""
        return self.encoded if plan.kept is None else self.encoded[plan.kept]

    def native(self, plan: SamplePlan) -> NDArray[Any]:
        """Targets of the samples that take part, as the core reads them."""
        return self.kept(plan)

    def rounding(self, plan: SamplePlan) -> TargetRounding | None:
        """How the core's targets are rounded, so that sums are exact; None if they are not."""
        return None

    def leaf_values_read_members(self, plan: SamplePlan, *, pruned: bool) -> bool:
        """Whether values of leaves are computed from their members."""
        return False

    def leaf_values(
        self, forest: ForestArrays, sampling: Sampling, first: int, *, pruned: bool = False
    ) -> NDArray[np.float64]:
        """Leaf values in terms of the targets as given; `first` is the number of the first tree.

        Leaves of `pruned` trees have means of the values that the core gave to several.
        """
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
        _check_labels(y)
        return cls(*_find_classes(y))

    @property
    def outputs(self) -> list[tuple[NDArray[Any], NDArray[np.int32]]]:
        """The classes of each output, and the codes of the samples."""
        return [(self.classes, self.encoded)]

    @property
    def n_values(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def attributes(self) -> dict[str, Any]:
        """The classes, and how many there are."""
        return {"classes_": self.classes, "n_classes_": self.n_values, "n_outputs_": 1}


@dataclass(frozen=True, eq=False)
class SeveralClassTargets(Targets):
    """Class labels of several outputs, a column for each.

    The core reads indicators of all classes, and a leaf has a probability for each of them.
    """

    classes: list[NDArray[Any]]
    encoded: NDArray[np.int32]
    numeric: ClassVar[bool] = False

    @classmethod
    def encode(cls, y: NDArray[Any]) -> SeveralClassTargets:
        """Find the classes of each output."""
        _check_labels(y)
        found = [_find_classes(column) for column in y.T]
        return cls(
            [classes for classes, _ in found], np.column_stack([codes for _, codes in found])
        )

    @property
    def outputs(self) -> list[tuple[NDArray[Any], NDArray[np.int32]]]:
        """The classes of each output, and the codes of the samples."""
        return list(zip(self.classes, self.encoded.T, strict=True))

    @property
    def n_values(self) -> int:
        """Number of classes of all outputs together."""
        return sum(map(len, self.classes))

    def each_label(self) -> NDArray[Any]:
        """A small table with every label in its column."""
        n_rows = max(map(len, self.classes))
        return np.column_stack([np.resize(classes, n_rows) for classes in self.classes])

    @property
    def n_averaged(self) -> int:
        """Number of outputs."""
        return len(self.classes)

    @property
    def attributes(self) -> dict[str, Any]:
        """The classes of each output, and how many there are."""
        n_classes = [len(classes) for classes in self.classes]
        return {"classes_": self.classes, "n_classes_": n_classes, "n_outputs_": len(n_classes)}

    def native(self, plan: SamplePlan) -> NDArray[np.float64]:
        """Indicators of the classes, output after output."""
        codes = self.kept(plan)
        indicators = np.zeros((len(codes), self.n_values))
        first = np.cumsum([0, *map(len, self.classes[:-1])])
        np.put_along_axis(indicators, codes + first, 1.0, axis=1)
        return indicators


@dataclass(frozen=True, eq=False)
class NumberTargets(Targets):
    """Numbers to regress on, a column for each output."""

    encoded: NDArray[np.float64]
    # What a leaf says of its targets, and whether they may be moved to the middle of their range.
    median: bool = False
    centred: bool = True
    numeric: ClassVar[bool] = True

    @classmethod
    def encode(cls, y: NDArray[Any], criterion: str = "squared_error") -> NumberTargets:
        """Make a column for each output, and refuse what cannot be summed."""
        warn_of_column(y)
        if criterion == "poisson":
            _check_counts(y)
        if y.ndim == 2 and y.shape[1] == 0:
            raise ValueError("y must have at least one column, but it has none; pass the targets.")
        columns = np.ascontiguousarray(y, dtype=np.float64).reshape(len(y), -1)
        half_range = float((columns.max(axis=0) / 2 - columns.min(axis=0) / 2).max())
        if half_range > _LARGEST_RANGE / 2:
            raise ValueError(
                f"the targets y must span at most {_LARGEST_RANGE:g}, but they span 2 * "
                f"{half_range:g}; rescale them."
            )
        return cls(columns, median=criterion == "absolute_error", centred=criterion != "poisson")

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
        return TargetRounding.of(self.kept(plan), target_bits(plan), centred=self.centred)

    def leaf_values_read_members(self, plan: SamplePlan, *, pruned: bool) -> bool:
        """Where rounded targets are not good enough, or values of several leaves are not."""
        return target_bits(plan) < _BITS_OF_A_LEAF_VALUE or (pruned and self.median)

    def leaf_values(
        self, forest: ForestArrays, sampling: Sampling, first: int, *, pruned: bool = False
    ) -> NDArray[np.float64]:
        """Mean targets or medians, with the centre added again that growing went without."""
        if self.leaf_values_read_members(sampling.plan, pruned=pruned):
            summarise = leaf_medians if self.median else leaf_means
            values = summarise(forest, sampling, self.encoded, first)
            leaf = np.repeat(np.arange(forest.n_leaves), np.diff(forest.value_indptr))
            return values[leaf, forest.value_outputs]
        return forest.values + self._centre(self.kept(sampling.plan))[forest.value_outputs]

    def _centre(self, kept: NDArray[np.float64]) -> NDArray[np.float64]:
        return middle(kept) if self.centred else np.zeros(self.n_values)


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
        self, forest: ForestArrays, sampling: Sampling, first: int, *, pruned: bool = False
    ) -> NDArray[np.float64]:
        """Shares of the tree's weight, the priors of the leaves."""
        weight = forest.weight[forest.tree_offsets[:-1]]
        return forest.values / np.repeat(weight, np.diff(forest.leaf_offsets))


def check_leaf_values(targets: Targets, plan: SamplePlan, *, pruned: bool) -> None:
    """Refuse leaf values that would be computed from members that leaves do not have."""
    if not plan.has_members and targets.leaf_values_read_members(plan, pruned=pruned):
        raise ValueError(
            f"X has {plan.n_samples} samples, so many that leaves do not keep theirs, which their "
            "values would be computed from; pass max_samples of at most "
            f"{2 ** (MANTISSA_BITS - _BITS_OF_A_LEAF_VALUE)}, bootstrap=True if samples have "
            "weights, and ccp_alpha=0 with criterion='absolute_error'."
        )


def warn_of_column(y: NDArray[Any]) -> None:
    """Warn about targets with a single column, which were to have one dimension."""
    if y.ndim == 2 and y.shape[1] == 1:
        warn_user(
            "A column-vector y was passed when a 1d array was expected; pass y.ravel().",
            DataConversionWarning,
        )


def _check_labels(y: NDArray[Any]) -> None:
    """Require labels that have an order."""
    refuse_mixed_labels(y)
    if y.dtype.kind in "mM" and np.isnat(y).any():
        raise ValueError(
            "y must have a label for every sample, but it has NaT; drop those samples."
        )
    try:
        check_classification_targets(y)
    except ValueError as error:
        if "label type: unknown" not in str(error):
            raise
        labels = y.ravel().tolist()
        odd = next((label for label in labels if not _is_plain(label)), labels[0])
        raise ValueError(
            "Unknown label type: y must hold text, numbers or dates of one type, but it has "
            f"objects such as {odd!r:.40}; drop samples without a label, and convert the others, "
            "such as with y.astype(str)."
        ) from error


def _is_plain(label: Any) -> bool:
    """Whether a label is text or a number that NumPy has a type for."""
    whole = isinstance(label, int)
    return abs(label) < 2**63 if whole else isinstance(label, str | float)


def refuse_mixed_labels(*labels: NDArray[Any]) -> None:
    """Refuse text among other labels: they have no order."""
    kinds: dict[bool, Any] = {}  # a label that is text, and one that is not
    for part in labels:
        if part.dtype == object:
            kinds |= {isinstance(label, str): label for label in part.ravel().tolist()}
        elif part.size:
            kinds[part.dtype.kind == "U"] = part.flat[0]
    if len(kinds) > 1:
        refuse_missing_targets(*labels)
        raise ValueError(
            f"y must hold labels of one kind, but it has the text {str(kinds[True])[:40]!r} and "
            f"{kinds[False]!s:.40}, which is not text; convert all of them to text, such as with "
            "y.astype(str)."
        )


def _find_classes(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The sorted classes, and the place of each label among them."""
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.astype(np.int32)


def _check_counts(y: NDArray[Any]) -> None:
    """Require targets that Poisson deviance is defined for."""
    remedy = "use criterion='squared_error' for such targets"
    if (y < 0).any():
        raise ValueError(
            "Some value(s) of y are negative which is not allowed for Poisson regression; "
            f"{remedy}."
        )
    if not (y.sum(axis=0) > 0).all():
        raise ValueError(
            "Sum of y is not strictly positive which is necessary for Poisson regression; "
            f"{remedy}."
        )

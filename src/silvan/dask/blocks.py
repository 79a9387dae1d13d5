"""What workers do with one partition: look at it, encode it, hash it, pick samples from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.multiclass import check_classification_targets

from silvan import _core
from silvan._validation import (
    as_samples,
    check_features,
    check_sample_weight,
    check_unmasked,
)
from silvan.dask.partitions import SPARSE, check_lengths, count_samples, learnt, n_bytes
from silvan.forests.categories import CategoryTable
from silvan.forests.classifier import ForestClassifier
from silvan.forests.joined_categories import join_categories
from silvan.forests.odd_values import refuse_odd_targets
from silvan.forests.scaling import Scaler, scale_samples
from silvan.forests.supervised import SupervisedForest
from silvan.forests.targets import refuse_mixed_labels
from silvan.preprocessing import DistinctValues, distinct_values

# What all partitions must have in common.
_ALIKE = ("n_features_in_", "feature_names_in_", "shape_", "_flat_samples")
# Cells of channels that a worker has in memory at a time, besides those of trees.
_CELLS_AT_ONCE = 2**24


class Survey(NamedTuple):
    """What the client must know of a partition before it can be encoded."""

    n_samples: int
    dtype: np.dtype[Any] | None = None
    learnt: dict[str, Any] | None = None
    labels: list[NDArray[Any]] | None = None  # distinct ones of each output
    numbers: NDArray[Any] | None = None  # all targets, where they are no labels
    weight: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Encoding:
    """How partitions become numbers: what all of them together have shown."""

    forest: SupervisedForest  # knows names, categories and shape of the samples
    dtype: np.dtype[Any]  # that all partitions have together
    classes: list[NDArray[Any]] | None  # of each output; None: targets are numbers


@dataclass(frozen=True, eq=False)
class Block:
    """An encoded partition."""

    X: NDArray[Any]
    y: NDArray[
        Any
    ]  # class codes, with a column per output if there are several, or numbers with one

    def __sizeof__(self) -> int:
        return n_bytes((self.X, self.y))


class Picks(NamedTuple):
    """The samples of a partition that a tree drew, and what the tree must know of them."""

    steps: NDArray[np.unsignedinteger[Any]]  # to the place of each from that before, or from 0
    counts: NDArray[np.integer[Any]]  # how often each was drawn
    weights: NDArray[np.float64] | None
    ranks: NDArray[np.uint32] | None  # in the canonical order, where categories ask for them

    @property
    def places(self) -> NDArray[np.uint32]:
        """Where in the partition the samples are, ascending."""
        return np.cumsum(self.steps, dtype=np.uint32)


class PackedPicks(NamedTuple):
    """Picks of several trees in one: few arrays travel faster than many."""

    sizes: list[int]  # number of samples that each tree drew
    joined: Picks

    @classmethod
    def pack(cls, picks: list[Picks]) -> PackedPicks:
        """All of them, one tree after the other."""
        sizes = [len(of_tree.steps) for of_tree in picks]
        return cls(sizes, Picks(*(join_optional(values) for values in zip(*picks, strict=True))))

    def unpack(self) -> Iterator[Picks]:
        """Those of each tree."""
        for start, end in pairwise([0, *accumulate(self.sizes)]):
            yield Picks(*(_slice_optional(values, start, end) for values in self.joined))


class Picked(NamedTuple):
    """Those samples themselves."""

    X: NDArray[Any]
    y: NDArray[Any]
    numbers: NDArray[np.int32] | None  # in the whole table, where leaves have members
    counts: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    ranks: NDArray[np.uint32] | None


def survey_partition(forest: SupervisedForest, number: int, X: Any, y: Any, weight: Any) -> Survey:
    """Check a partition by itself."""
    check_lengths([X], [y], "y", number)
    if weight is not None:
        check_lengths([X], [weight], "sample_weight", number)
    n_samples = count_samples(X)
    if n_samples == 0:
        return Survey(0)
    if issparse(X):
        raise TypeError(SPARSE)
    for name, values in (("X", X), ("y", y), ("sample_weight", weight)):
        check_unmasked(name, values)
    forest._learn_target_name(y)
    numeric = forest._numeric_targets
    if numeric:
        refuse_odd_targets(y)
    checked, targets = forest._check_data(
        X, y, multi_output=forest._multi_output, y_numeric=numeric
    )
    check_features(checked)
    labels = None
    if isinstance(forest, ForestClassifier):
        refuse_mixed_labels(targets)
        labels = [np.unique(column) for column in as_columns(targets).T]
        for distinct in labels:
            # Thrice, because few samples of many classes are taken for a mistake.
            check_classification_targets(np.tile(distinct, 3))
    checked_weight = None
    if weight is not None and np.any(np.asarray(weight)):
        checked_weight = check_sample_weight(weight, checked)
    elif weight is not None:
        checked_weight = np.zeros(n_samples)
    numbers = targets if labels is None else None
    return Survey(n_samples, checked.dtype, learnt(forest), labels, numbers, checked_weight)


def merge_learnt(surveys: list[Survey]) -> dict[str, Any]:
    """What the partitions have shown of the samples, if they agree."""
    first = next(survey.learnt for survey in surveys if survey.learnt is not None)
    merged = dict(first)
    tables: list[CategoryTable | None] = []
    for number, survey in enumerate(surveys):
        if survey.learnt is None:
            continue
        tables.append(survey.learnt["_categories"])
        for name in _ALIKE:
            was: Any = first.get(name)
            now: Any = survey.learnt.get(name)
            if not np.array_equal(was, now):
                raise ValueError(
                    f"all partitions of X must have the same features, but {name} is {was} in the "
                    f"first and {now} in partition {number}; give all the same columns."
                )
    merged["_categories"] = join_categories(tables, first["n_features_in_"])
    return merged


def encode_partition(encoding: Encoding, n_samples: int, X: Any, y: Any) -> Block:
    """The samples as numbers of the common type, and the codes of their classes."""
    forest = encoding.forest
    if count_samples(X) != n_samples:
        raise changed_data(f"had {n_samples} samples and has {count_samples(X)} now")
    empty = np.empty((0, forest._n_features()))
    samples = (forest._check_samples(X) if n_samples else empty).astype(encoding.dtype, copy=False)
    if forest.scaling is None:
        samples = as_samples(samples)
    samples = np.ascontiguousarray(samples)
    if encoding.classes is None:
        numbers = np.ascontiguousarray(y, dtype=np.float64)
        return Block(samples, as_columns(numbers))
    return Block(samples, encode_labels(encoding.classes, y))


def encode_labels(
    classes: list[NDArray[Any]], y: Any, dtype: type[np.integer[Any]] = np.int32
) -> NDArray[np.integer[Any]]:
    """The places of labels among the classes of each output, as `Block` has them."""
    labels = as_columns(np.asarray(y))
    if len(labels) == 0:
        labels = np.empty((0, len(classes)), dtype=classes[0].dtype)
    if labels.shape[1] != len(classes):
        raise changed_data(f"had {len(classes)} outputs and has {labels.shape[1]} now")
    codes = np.empty(labels.shape, dtype=dtype)
    for j, of_output in enumerate(classes):
        places = np.searchsorted(of_output, labels[:, j])
        codes[:, j] = np.minimum(places, len(of_output) - 1)
        if not np.array_equal(of_output[codes[:, j]], labels[:, j]):
            raise changed_data("has classes that it had not")
    return codes if len(classes) > 1 else codes[:, 0]


def changed_data(how: str) -> ValueError:
    """The error for partitions that are not the same each time they are computed."""
    return ValueError(
        f"a partition of X and y {how}, but partitions are read several times and must stay the "
        "same; fix the seeds of what makes them, or persist them first."
    )


def scale_block(scaler: Scaler, table: CategoryTable | None, block: Block) -> Block:
    """The same partition with scaled samples."""
    return Block(scale_samples(scaler, block.X, None, "C", table), block.y)


def hash_block(
    forest: SupervisedForest, factors: NDArray[np.float32] | None, block: Block
) -> NDArray[np.uint64]:
    """The hashes that the canonical order sorts samples by, as the trees read them."""
    targets = as_columns(block.y)
    hashes = np.empty(len(block.X), dtype=np.uint64)
    for part in slices_of_cells(forest, block):
        hashes[part] = _core.sample_hashes(forest._scaled(block.X[part]), targets[part], factors)
    return hashes


def slices_of_cells(forest: SupervisedForest, block: Block) -> list[slice]:
    """Parts of a partition that the trees can read one by one within a bounded memory."""
    step = max(1, _CELLS_AT_ONCE // forest._n_columns())
    return [slice(start, start + step) for start in range(0, len(block.X), step)]


def as_columns(y: NDArray[Any]) -> NDArray[Any]:
    """Targets with a column per output."""
    return y if y.ndim == 2 else y[:, None]


def join_optional(parts: Sequence[NDArray[Any] | None]) -> Any:
    """The parts one after the other, or None if there are none."""
    return None if parts[0] is None else np.concatenate(parts)  # type: ignore[arg-type]


def _slice_optional(values: Any, start: int, end: int) -> Any:
    return None if values is None else values[start:end]


def list_distinct(
    features: range,
    kept: NDArray[np.integer[Any]] | None,
    counts: NDArray[np.float64] | None,
    block: Block,
) -> list[DistinctValues]:
    """Distinct values of some features, and how many samples have each."""
    X = block.X if kept is None else block.X[kept]
    return [distinct_values(X[:, j], counts) for j in features]


def merge_distinct(parts: list[DistinctValues]) -> DistinctValues:
    """The same over partitions."""
    values = np.concatenate([values for values, _ in parts])
    counts = np.concatenate([counts for _, counts in parts])
    return distinct_values(values, counts)


def pick_samples(
    start: int | None, sizes: list[int], picks: PackedPicks, block: Block
) -> list[list[Picked]]:
    """The samples that trees drew, for groups of so many trees.

    The first sample of the partition has number `start`, if trees must know.
    """
    picked = (_pick(block, start, of_tree) for of_tree in picks.unpack())
    return [list(islice(picked, n_trees)) for n_trees in sizes]


def _pick(block: Block, start: int | None, picks: Picks) -> Picked:
    places = picks.places
    numbers = None if start is None else (places + start).astype(np.int32)
    given = picks.counts.astype(np.int32)
    return Picked(block.X[places], block.y[places], numbers, given, picks.weights, picks.ranks)

"""Samples stay in their partitions: those that a tree draws travel to the worker that grows it."""

from __future__ import annotations

from copy import copy
from functools import partial
from operator import getitem
from typing import TYPE_CHECKING, Any, cast

import dask
import numpy as np
from distributed import Future
from numpy.typing import NDArray

from silvan._validation import check_sample_weight, invalid
from silvan.channels import FittedChannels
from silvan.dask.blocks import (
    Encoding,
    Survey,
    encode_labels,
    encode_partition,
    hash_block,
    list_distinct,
    merge_distinct,
    merge_learnt,
    scale_block,
    survey_partition,
)
from silvan.dask.drawing import GrowingJob, TreeDrawer, Votes
from silvan.dask.growing import TreeBatches
from silvan.dask.learning import learn_channels, learn_spreads
from silvan.dask.ordering import canonical_order
from silvan.dask.partitions import Part
from silvan.dask.running import ClusterError, Session, give_back_memory
from silvan.forest_arrays import ForestArrays
from silvan.forest_arrays.joining import ForestCollector
from silvan.forests.bagged_supervised import BaggedSupervisedForest
from silvan.forests.classifier import ForestClassifier
from silvan.forests.fitting import CheckedSamples, TrainingSamples
from silvan.forests.grid import GridForest
from silvan.forests.sample_numbers import MAX_SAMPLES_IN_ORDER
from silvan.forests.sampling import SamplePlan, sampling_in_order, unit_factors
from silvan.forests.scaling import Scaler, scaler_of
from silvan.forests.targets import (
    ClassTargets,
    NumberTargets,
    SeveralClassTargets,
    Targets,
    refuse_mixed_labels,
)
from silvan.preprocessing import sample_counts

if TYPE_CHECKING:
    from silvan.dask.forest import ClusterForest

# Shares of the cluster's memory: for partitions that stay on workers between passes, and for the
# samples of all trees that are grown at the same time.
_SHARE_OF_PARTITIONS = 0.3
_SHARE_OF_TREES = 0.2
# A worker holds the samples of a tree as they come, in columns, and joined from their partitions.
_COPIES_OF_A_TREE = 3
# Draws go through the client and the scheduler (8 and 3 bytes each as a rule), so many at a time:
# as many as this, or a share of all samples, of which the client has the order.
_DRAWS_AT_ONCE = 2**22
_SHARE_OF_DRAWS = 1 / 64
_TREES_PER_THREAD = 16


class Partitioned:
    """Passes over the partitions: look, encode, hash; then one for each batch of trees."""

    def __init__(self, session: Session, parts: list[Part]) -> None:
        self._session = session
        self._parts = parts
        self._starts: NDArray[np.int64]  # number of the first sample of each partition, and n
        self._encoding: Encoding
        self._blocks: list[Any]  # futures that stay on workers, or delayed values
        self._drawer: TreeDrawer
        self._scaler: Scaler | None = None

    def check(self, forest: ClusterForest) -> CheckedSamples:
        """Learn from all partitions what a local fit learns from the table."""
        session = self._session
        reader = forest._unfitted()
        surveys: list[Survey] = session.results(
            session.compute(
                [(partial(survey_partition, reader, k), *p) for k, p in enumerate(self._parts)]
            )
        )
        self._starts = np.cumsum([0, *(survey.n_samples for survey in surveys)])
        _check_number(int(self._starts[-1]))
        forest.__dict__.update(merge_learnt(surveys))
        if isinstance(forest, GridForest) and not forest._wants_channels():
            forest.channels_ = None  # of all partitions together, some of which may want them
        seen = [survey for survey in surveys if survey.n_samples]
        classes = None
        if isinstance(forest, ForestClassifier):
            classes = _join_classes([survey.labels for survey in seen if survey.labels])
        dtype = np.result_type(*(survey.dtype for survey in seen))
        self._encoding = Encoding(forest._reader(), dtype, classes)
        self._encode()
        targets = self._targets(seen)
        weight = self._weight(seen)
        layout: Any = self
        return CheckedSamples(layout, targets, weight, forest._plan_samples(targets, weight))

    def read(self, forest: ClusterForest, checked: CheckedSamples, seed: int) -> TrainingSamples:
        """Scale the samples if asked for, learn from them, and find their canonical order."""
        plan = checked.plan
        if forest.scaling is not None:
            self._scale(forest, checked)
        spreads = constant = None
        if forest._has_unit_free_directions():
            kept = [self._kept_part(k, plan.kept, None)[0] for k in range(len(self._blocks))]
            spreads, constant = learn_spreads(
                self._session, self._blocks, kept, forest._n_categories()
            )
        reader = forest._reader()
        channels = None
        if isinstance(reader, GridForest) and reader.channels_ is not None:
            channels = reader.channels_ = self._learn_channels(reader, plan, seed)
        honest = plan.estimation_share > 0
        order, repeats = self._order(reader, spreads, plan, with_repeats=honest)
        if plan.stratified:
            raise invalid(
                "class_weight",
                '"balanced", a dictionary or None where samples stay in their partitions',
                "balanced_subsample",
                'pass "balanced", or layout="replicated"',
            )
        sampling = sampling_in_order(plan, order, repeats, seed)
        self._drawer = TreeDrawer(
            sampling, self._starts, with_ranks=forest._n_categories() is not None
        )
        layout: Any = self
        return TrainingSamples(
            layout, checked.targets, sampling, spreads, self._scaler, channels, constant
        )

    def _order(
        self,
        reader: BaggedSupervisedForest,
        spreads: NDArray[np.float64] | None,
        plan: SamplePlan,
        *,
        with_repeats: bool,
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint8] | None]:
        """The canonical order of the samples that take part, and which equal the one before."""
        session = self._session
        give_back_memory()
        hash_one = partial(hash_block, reader, unit_factors(spreads))
        hashes = session.compute([(hash_one, block) for block in self._blocks])
        found = canonical_order(session, hashes, self._starts, plan, with_repeats=with_repeats)
        session.drop(hashes)
        give_back_memory()
        return found

    def _learn_channels(self, reader: Any, plan: SamplePlan, seed: int) -> FittedChannels:
        """Let channels learn from distinct samples, in the canonical order of what was given."""
        raw = copy(reader)
        raw.channels_ = None
        order, repeats = self._order(raw, None, plan, with_repeats=True)
        assert repeats is not None
        first = order[repeats == 0]
        numbers = first if plan.kept is None else plan.kept[first]
        return learn_channels(
            self._session, reader, self._blocks, self._starts, numbers.astype(np.int64), seed
        )

    def grow(
        self, forest: ClusterForest, samples: TrainingSamples, trees: tuple[int, int], progress: Any
    ) -> ForestArrays:
        """Grow batches of trees, each from one pass over the partitions."""
        job = GrowingJob(
            forest._reader(),
            samples.sampling.plan.without_samples(),
            samples.targets.with_encoded(samples.targets.encoded[:0]),
            samples.targets.rounding(samples.sampling.plan),
            samples.spreads,
            samples.sampling.seed,
        )
        first, last = trees
        at_once = self._trees_at_once(samples)
        batches = TreeBatches(self._session, self._blocks, self._drawer)
        grown = ForestCollector()
        for start in range(first, last, at_once):
            n_grown = start - first
            for part in batches.grow(job, (start, min(start + at_once, last))):
                grown.add(part)
                n_grown += part.n_trees
                if progress is not None:
                    progress(n_grown)
                del part  # before the next one comes
            give_back_memory()
        return grown.collected()

    def out_of_bag(self, forest: ClusterForest) -> Votes:
        """Sums of out-of-bag votes, and the number of trees that cast them."""
        plan = forest._sampling.plan
        at_once = max(1, self._draws_at_once() // min(plan.n_draws, plan.n_kept))
        found = TreeBatches(self._session, self._blocks, self._drawer).vote(forest, at_once)
        kept = plan.kept
        sums = np.concatenate([sums for sums, _ in found])
        counts = np.concatenate([counts for _, counts in found])
        return (sums, counts) if kept is None else (sums[kept], counts[kept])

    def _encode(self) -> None:
        """Encode the partitions, once if they fit into the workers' memory."""
        width = self._encoding.forest._n_features() * self._encoding.dtype.itemsize
        fit_in = int(self._starts[-1]) * width <= _SHARE_OF_PARTITIONS * self._session.memory()
        calls = [
            (partial(encode_partition, self._encoding, size), part.X, part.y)
            for size, part in zip(np.diff(self._starts).tolist(), self._parts, strict=True)
        ]
        if fit_in:
            self._blocks = self._session.compute(calls)
        else:
            self._blocks = [dask.delayed(encode)(X, y) for encode, X, y in calls]

    def _targets(self, seen: list[Survey]) -> Targets:
        classes = self._encoding.classes
        if classes is None:
            numbers = [survey.numbers for survey in seen if survey.numbers is not None]
            _check_widths([part.shape[1:] for part in numbers])
            criterion = getattr(self._encoding.forest, "criterion", "")
            return NumberTargets.encode(np.concatenate(numbers), criterion)
        codes = self._codes(classes)
        if len(classes) == 1:
            return ClassTargets(classes[0], codes)
        targets = SeveralClassTargets(classes, codes)
        cast(ForestClassifier, self._encoding.forest)._check_several(targets.each_label())
        return targets

    def _codes(self, classes: list[NDArray[Any]]) -> NDArray[Any]:
        """The codes of all samples, which only weights of classes and out-of-bag scores read."""
        reader = cast(ForestClassifier, self._encoding.forest)
        if reader.class_weight is None and not reader.oob_score:
            shape = (int(self._starts[-1]), len(classes))
            return np.broadcast_to(np.uint8(0), shape if len(classes) > 1 else shape[:1])
        # As short as can be: of a large table these are much of what the client holds.
        dtype = np.min_scalar_type(max(map(len, classes))).type
        encode = partial(encode_labels, classes, dtype=dtype)
        futures = self._session.compute([(encode, part.y) for part in self._parts])
        return np.concatenate(self._session.results(futures))

    def _weight(self, seen: list[Survey]) -> NDArray[np.float64] | None:
        if seen[0].weight is None:
            return None
        weight = np.concatenate([survey.weight for survey in seen])
        return check_sample_weight(weight, weight)

    def _scale(self, forest: ClusterForest, checked: CheckedSamples) -> None:
        """Learn the scaling from distinct values, a few features at a time, and apply it."""
        session, plan = self._session, checked.plan
        counts = sample_counts(checked.weight, plan.kept)
        n_features = forest._n_features()
        bytes_per_feature = 16 * int(self._starts[-1])
        step = max(1, int(_SHARE_OF_TREES * self._session.memory() / bytes_per_feature))
        features = []
        for first in range(0, n_features, step):
            some = range(first, min(first + step, n_features))
            listed = session.compute(
                [
                    (partial(list_distinct, some, *self._kept_part(k, plan.kept, counts)), block)
                    for k, block in enumerate(self._blocks)
                ]
            )
            for j in range(len(some)):
                columns = [session.submit(getitem, part, j) for part in listed]
                features.append(session.submit(merge_distinct, columns))
                session.drop(columns)
            session.drop(listed)
        self._scaler = scaler_of(str(forest.scaling), n_features, map(session.result, features))
        table = forest._categories
        scale = partial(scale_block, self._scaler, table)
        if isinstance(self._blocks[0], Future):
            scaled = session.compute([(scale, block) for block in self._blocks])
            session.drop(self._blocks)
            self._blocks = scaled
        else:
            self._blocks = [dask.delayed(scale)(block) for block in self._blocks]

    def _kept_part(
        self, k: int, kept: NDArray[np.integer[Any]] | None, counts: NDArray[np.float64] | None
    ) -> tuple[NDArray[np.integer[Any]] | None, NDArray[np.float64] | None]:
        """Places of the samples of a partition that take part, and how many each stands for."""
        start, end = self._starts[k : k + 2]
        if kept is None:
            return None, None if counts is None else counts[start:end]
        inside = slice(*np.searchsorted(kept, [start, end]))
        return kept[inside] - start, None if counts is None else counts[inside]

    def _trees_at_once(self, samples: TrainingSamples) -> int:
        """How many trees the memory of the workers has room for."""
        encoding, plan = self._encoding, samples.sampling.plan
        itemsize = 1 if encoding.dtype == np.uint8 and self._scaler is None else 4
        width = encoding.forest._n_features() * itemsize + 8 * samples.targets.n_values + 16
        if samples.channels is not None:
            width += samples.channels.bytes_per_sample
        n_drawn = min(plan.n_draws, plan.n_kept)
        tree = n_drawn * width
        smallest = self._session.smallest_memory()
        if _COPIES_OF_A_TREE * tree > smallest:
            raise ClusterError(
                f"a tree draws samples of {tree / 2**20:.0f} MiB, of which a worker needs "
                f"{_COPIES_OF_A_TREE} copies, but the smallest has {smallest / 2**20:.0f} MiB of "
                "memory; pass a smaller max_samples, or give the workers more memory."
            )
        memory = self._session.memory()
        at_once = min(_SHARE_OF_TREES * memory / tree, self._draws_at_once() / n_drawn)
        if isinstance(self._blocks[0], Future):  # passes over them cost little
            at_once = min(at_once, _TREES_PER_THREAD * self._session.n_threads())
        return max(1, int(at_once))

    def _draws_at_once(self) -> int:
        return max(_DRAWS_AT_ONCE, int(_SHARE_OF_DRAWS * self._starts[-1]))


def _join_classes(labels: list[list[NDArray[Any]]]) -> list[NDArray[Any]]:
    """The classes of each output in all partitions."""
    _check_widths([() if len(part) == 1 else (len(part),) for part in labels])
    refuse_mixed_labels(*(distinct for part in labels for distinct in part))
    return [np.unique(np.concatenate(of_output)) for of_output in zip(*labels, strict=True)]


def _check_widths(widths: list[tuple[int, ...]]) -> None:
    for width in widths:
        if width != widths[0]:
            raise ValueError(
                "y must have the same number of columns in all partitions, but its samples have "
                f"shape {widths[0]} in one and {width} in another; give all the same columns."
            )


def _check_number(n_samples: int) -> None:
    if n_samples == 0:
        raise ValueError("X must have samples, but all its partitions are empty; pass some.")
    if n_samples > MAX_SAMPLES_IN_ORDER:
        raise ValueError(
            f"X must have at most {MAX_SAMPLES_IN_ORDER} samples, because they have numbers of 32 "
            f"bits, but it has {n_samples}; fit the forest on a part of them."
        )

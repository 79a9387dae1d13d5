"""Which samples each tree sees and how much each counts: what sample weights mean, in exact sums.

With ``bootstrap=True`` a tree draws samples with replacement, with probability proportional to
their weight, and a sample counts as often as it was drawn. With ``bootstrap=False`` a tree sees
every sample once (or ``max_samples`` of them, without replacement) and a sample counts by its
weight. The samples of an honest tree are divided further: some decide its splits, the others fill
its leaves.

Draws run over the samples in a canonical order, sorted by a hash of their content and then by
weight. So a forest depends neither on the order of the samples nor on whether a sample is repeated
or has an integer weight, provided that no sum depends on the order of its terms; `exact_weights`
and `exact_targets` see to that.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from silvan import _core
from silvan._exact import MANTISSA_BITS, all_integers, exact_weights
from silvan._validation import MAX_SAMPLES, TrainingFeatures, invalid, is_integer
from silvan.forests.sample_numbers import MAX_SAMPLES_IN_ORDER, has_members, number_type

_MAX_DRAWS = 2**31 - 1


@dataclass(frozen=True, eq=False)
class SamplePlan:
    """How many samples a tree draws, and from which; all that is known before the data are read."""

    n_samples: int  # samples given to fit
    kept: NDArray[np.integer[Any]] | None  # samples of positive weight; None: all
    weights: NDArray[np.float64] | None  # weights of the kept samples; None: all equal
    n_draws: int
    replace: bool
    weight_bits: int  # no sum of weights exceeds 2 ** weight_bits times their last binary place
    estimation_share: float  # of the samples of an honest tree; 0: trees are not honest
    stratified: bool = False  # every tree draws as many of each class as its weight asks for

    @property
    def n_kept(self) -> int:
        """Number of samples that take part."""
        return self.n_samples if self.kept is None else len(self.kept)

    @property
    def has_members(self) -> bool:
        """Whether leaves know their members."""
        return has_members(self.n_samples)

    def without_samples(self) -> SamplePlan:
        """The same without what it knows of single rows."""
        return replace(self, n_samples=self.n_kept, kept=None, weights=None)

    def check(self) -> SamplePlan:
        """Verify what was read from a file; raise a ValueError that names what is wrong."""
        kept, weights = self.kept, self.weights
        _require_integer("n_samples", self.n_samples, 1, MAX_SAMPLES_IN_ORDER)
        _require(
            kept is None
            or (
                _is_vector(kept, number_type(self.n_samples))
                and (kept[0] >= 0 and kept[-1] < self.n_samples)
                and bool((kept[1:] > kept[:-1]).all())
            ),
            "the numbers of its samples do not rise",
        )
        _require(
            weights is None
            or (_is_vector(weights, np.float64, self.n_kept) and _all_positive(weights)),
            "its weights are not positive numbers, one for each sample",
        )
        _require(isinstance(self.replace, bool), "replace is neither true nor false")
        max_draws = _MAX_DRAWS if self.replace else self.n_kept
        _require_integer("n_draws", self.n_draws, 1, max_draws)
        _require_integer("weight_bits", self.weight_bits, 0, MANTISSA_BITS)
        share = self.estimation_share
        _require(isinstance(share, float) and 0 <= share < 1, "estimation_share is not in [0, 1)")
        _require(isinstance(self.stratified, bool), "stratified is neither true nor false")
        return self


@dataclass(frozen=True, eq=False)
class Sampling:
    """The samples of every tree, as a function of the tree's number."""

    plan: SamplePlan
    order: NDArray[np.uint32]
    cumulative: NDArray[np.float64] | None
    weights: NDArray[np.float64] | None  # weight of each kept sample besides its multiplicity
    seed: int
    repeats: NDArray[np.uint8] | None  # honest: where a sample in order equals the one before
    strata: NDArray[np.int64] | None = None  # stratified: where each class ends in order
    first_tree: int = 0  # number of the first tree, where the forest is a part of another

    def native(self) -> _core.SampleDraws:
        """The draws as the core reads them."""
        draws = _core.SampleDraws(self.order, self.plan.n_draws, self.plan.replace)
        draws.cumulative = self.cumulative
        draws.estimation_share = self.plan.estimation_share
        draws.repeats = self.repeats
        draws.strata = self.strata
        draws.first_tree = self.first_tree
        return draws

    def multiplicities(self, tree: int) -> NDArray[np.int32]:
        """How often the tree drew each kept sample."""
        draws: NDArray[np.int32] = _core.draw_samples(self.native(), self.seed, tree)
        return draws

    def drawn_weights(self, tree: int) -> NDArray[np.float64]:
        """How much each sample given to fit counts in the tree: multiplicity times weight."""
        draws = self.multiplicities(tree)
        weights = draws.astype(np.float64) if self.weights is None else draws * self.weights
        if self.plan.kept is None:
            return weights
        all_weights = np.zeros(self.plan.n_samples)
        all_weights[self.plan.kept] = weights
        return all_weights

    def sample_numbers(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
        """Numbers that kept samples had when they were given to fit."""
        return rows if self.plan.kept is None else self.plan.kept[rows]

    def member_numbers(self, rows: NDArray[np.int32]) -> NDArray[np.integer[Any]] | None:
        """The same for members of leaves, if leaves have them."""
        return self.sample_numbers(rows) if self.plan.has_members else None

    def check(self) -> Sampling:
        """Verify what was read from a file; raise a ValueError that names what is wrong."""
        _require(isinstance(self.plan, SamplePlan), "it has no plan")
        n_samples = self.plan.check().n_kept
        _require(
            _is_vector(self.order, np.uint32, n_samples)
            and np.array_equal(np.sort(self.order), np.arange(n_samples)),
            "its order has not every sample once",
        )
        _require(
            self.cumulative is None
            or (
                (_is_vector(self.cumulative, np.float64, n_samples))
                and _all_positive(self.cumulative)
                and bool((self.cumulative[1:] >= self.cumulative[:-1]).all())
            ),
            "its running sums of weights do not rise",
        )
        _require(
            self.weights is None
            or (_is_vector(self.weights, np.float64, n_samples) and _all_positive(self.weights)),
            "its weights are not positive numbers, one for each sample",
        )
        _require(
            self.repeats is None or _is_vector(self.repeats, np.uint8, n_samples),
            "it does not say of every sample whether it is repeated",
        )
        _require(
            self.strata is None
            or (
                _is_vector(self.strata, np.int64)
                and bool((np.diff(self.strata, prepend=0) > 0).all())
                and self.strata[-1] == n_samples
            ),
            "its classes do not end one after the other",
        )
        _require_integer("seed", self.seed, 0, 2**63 - 1)
        _require_integer("first_tree", self.first_tree, 0, 2**31 - 1)
        return self

    def same_as(self, other: Sampling) -> bool:
        """Whether both draw the same samples of the same data in the same way."""
        mine, theirs = self.plan, other.plan
        return (
            (mine.n_samples, mine.n_draws, mine.replace, mine.estimation_share)
            == (theirs.n_samples, theirs.n_draws, theirs.replace, theirs.estimation_share)
            and np.array_equal(self.order, other.order)
            and _same_array(mine.kept, theirs.kept)
            and _same_array(mine.weights, theirs.weights)
        )


class DrawRule(NamedTuple):
    """How every tree draws samples, as parameters of the forest say it."""

    bootstrap: bool
    max_samples: Any = None
    estimation_share: float = 0.0
    stratified: bool = False


def plan_samples(
    n_samples: int,
    sample_weight: NDArray[np.float64] | None,
    class_factor: NDArray[np.float64] | None,
    rule: DrawRule,
    *,
    numeric_targets: bool,
) -> SamplePlan:
    """Apply the meaning of sample weights; `class_factor` is the class weight of each sample."""
    bootstrap, max_samples, estimation_share, stratified = rule
    kept, weights = _positive_weights(n_samples, sample_weight, class_factor)
    n_kept = n_samples if kept is None else len(kept)
    n_draws = _number_of_draws(n_kept, n_samples, sample_weight, bootstrap, max_samples)
    total_bits = (n_draws - 1).bit_length()
    if weights is not None and numeric_targets and not bootstrap:
        bits = shared_weight_bits(n_kept)
        weights = exact_weights(weights, bits)
        integers = all_integers(weights)
        total_bits = min(bits, (int(weights.sum()) - 1).bit_length()) if integers else bits
    elif weights is not None:
        weights = exact_weights(weights)
    return SamplePlan(
        n_samples,
        kept,
        weights,
        n_draws,
        bool(bootstrap),
        total_bits,
        float(estimation_share),
        stratified and bool(bootstrap),
    )


def make_sampling(
    plan: SamplePlan,
    features: TrainingFeatures,
    y: NDArray[Any],
    seed: int,
    spreads: NDArray[np.float64] | None = None,
    n_threads: int = 1,
) -> Sampling:
    """Fix the canonical order of the kept samples, and with it every draw."""
    targets = y.reshape(len(y), -1)
    order = order_samples(features.rows, targets, plan, spreads, n_threads)
    strata = None
    if plan.stratified:
        order, strata = _order_by_class(order, targets)
    honest = plan.estimation_share > 0
    factors = unit_factors(spreads)
    repeats = (
        _core.sample_repeats(features.rows, targets, order, factors, n_threads) if honest else None
    )
    return replace(sampling_in_order(plan, order, repeats, seed), strata=strata)


def _order_by_class(
    order: NDArray[np.uint32], targets: NDArray[Any]
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The samples class after class, each in canonical order, and where each class ends."""
    _, labels = np.unique(targets[order], axis=0, return_inverse=True)
    by_class = np.argsort(labels.ravel(), kind="stable")
    return order[by_class], np.cumsum(np.bincount(labels.ravel()), dtype=np.int64)


def sampling_in_order(
    plan: SamplePlan, order: NDArray[np.uint32], repeats: NDArray[np.uint8] | None, seed: int
) -> Sampling:
    """The draws over rows whose canonical order is known."""
    if not plan.replace:
        return Sampling(plan, order, None, plan.weights, seed, repeats)
    cumulative = None if plan.weights is None else np.cumsum(plan.weights[order])
    return Sampling(plan, order, cumulative, None, seed, repeats)


def order_samples(
    rows: NDArray[Any],
    targets: NDArray[Any],
    plan: SamplePlan,
    spreads: NDArray[np.float64] | None,
    n_threads: int = 1,
) -> NDArray[np.uint32]:
    """The canonical order of the kept samples; with spreads it does not depend on units."""
    factors = unit_factors(spreads)
    order: NDArray[np.uint32] = _core.sample_order(rows, targets, plan.weights, factors, n_threads)
    return order


def unit_factors(spreads: NDArray[np.float64] | None) -> NDArray[np.float32] | None:
    """What values are multiplied with to have no units."""
    return None if spreads is None else (1.0 / spreads).astype(np.float32)


def power_of_samples(max_samples: str) -> float:
    """The exponent of a power such as "n**0.8"; NaN if the text is not one."""
    match = re.fullmatch(r"n ?\*\* ?(0?\.\d+)", max_samples)
    return float(match[1]) if match and float(match[1]) > 0 else math.nan


def shared_weight_bits(n_samples: int) -> int:
    """Bits for a sum of weights where sums of weight times target must be exact, too.

    Of the 53 bits of a float64, ``b = ceil(log2(n_samples))`` go to the sum over the samples; the
    rest is shared equally between a weight and a target. At 1000 samples each has 21 bits (a
    precision of 5e-7), at a million 16 bits (2e-5).
    """
    sample_bits = (n_samples - 1).bit_length()
    return sample_bits + (MANTISSA_BITS - sample_bits) // 2


def target_bits(plan: SamplePlan) -> int:
    """Bits that a target may have for every sum of weight times target to be exact."""
    return MANTISSA_BITS - plan.weight_bits


def _positive_weights(
    n_samples: int,
    sample_weight: NDArray[np.float64] | None,
    class_factor: NDArray[np.float64] | None,
) -> tuple[NDArray[np.integer[Any]] | None, NDArray[np.float64] | None]:
    """Samples of positive weight (None: all) and their weights (None: all equal)."""
    parts = [part for part in (sample_weight, class_factor) if part is not None]
    if not parts:
        return None, None
    weights = np.prod(parts, axis=0)
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if not 1e-200 < total < 1e200:
        raise ValueError(
            "the weights of the samples (sample_weight times class_weight) must have a sum between "
            f"1e-200 and 1e200, but it is {total:g}; rescale them."
        )
    kept = np.flatnonzero(weights).astype(number_type(n_samples))
    weights = weights[kept]
    equal = bool((weights == weights[0]).all())
    return None if len(kept) == n_samples else kept, None if equal else weights


def _number_of_draws(
    n_kept: int,
    n_samples: int,
    sample_weight: NDArray[np.float64] | None,
    bootstrap: bool,
    max_samples: Any,
) -> int:
    base = float(n_kept)
    if bootstrap and sample_weight is not None:
        integers = all_integers(sample_weight)
        base = math.fsum(sample_weight) if integers else float(np.count_nonzero(sample_weight))
    elif bootstrap:
        base = float(n_samples)
    if max_samples is None:
        n_draws = int(base)
    elif is_integer(max_samples):
        n_draws = int(max_samples)
    elif isinstance(max_samples, str):
        n_draws = max(1, round(base ** power_of_samples(max_samples)))
    else:
        n_draws = max(1, round(max_samples * base))
    if not bootstrap and n_draws > n_kept:
        raise invalid(
            "max_samples",
            f"at most {n_kept}, the number of samples with a positive weight, when bootstrap=False",
            max_samples,
            "draw fewer samples, or set bootstrap=True to draw them with replacement",
        )
    if min(n_draws, n_kept) > MAX_SAMPLES:
        rule = f"so small that a tree draws at most {MAX_SAMPLES} samples"
        raise invalid("max_samples", rule, max_samples, "pass for example 1000000")
    if n_draws > _MAX_DRAWS and is_integer(max_samples):
        raise invalid(
            "max_samples", f"at most {_MAX_DRAWS}", max_samples, "draw fewer samples for a tree"
        )
    if n_draws > _MAX_DRAWS:
        raise ValueError(
            f"a tree can draw at most {_MAX_DRAWS} samples, but the integers of sample_weight, "
            f"which count as repeated samples, ask for {n_draws}; pass max_samples as an integer, "
            "or relative weights, such as sample_weight / sample_weight.mean()."
        )
    return n_draws


def _same_array(a: NDArray[Any] | None, b: NDArray[Any] | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(f"this is not the sampling of a forest: {otherwise}; fit it again.")


def _require_integer(name: str, value: object, low: int, high: int) -> None:
    inside = type(value) is int and low <= value <= high
    _require(inside, f"{name} is no integer in {low} ... {high}")


def _is_vector(array: object, dtype: type, length: int | None = None) -> bool:
    if not (isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype == dtype):
        return False
    return len(array) > 0 if length is None else len(array) == length


def _all_positive(values: NDArray[np.float64]) -> bool:
    return bool(((values > 0) & np.isfinite(values)).all())

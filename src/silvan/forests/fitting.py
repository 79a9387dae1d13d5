"""What surrounds the growing of trees: samples, seeds, warm starts, and undoing a failed fit."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from silvan._validation import TrainingFeatures, invalid, warn_user
from silvan.forests.categories import CategoryTable
from silvan.forests.sampling import SamplePlan, Sampling

if TYPE_CHECKING:
    from silvan.channels import FittedChannels
    from silvan.forests.scaling import Scaler
    from silvan.forests.targets import Targets


class CheckedSamples(NamedTuple):
    """What `fit` was given, checked, with encoded targets."""

    X: NDArray[Any]
    targets: Targets
    weight: NDArray[np.float64] | None
    plan: SamplePlan


class TrainingSamples(NamedTuple):
    """What trees are grown on; forests that differ only in how they grow can share it."""

    features: TrainingFeatures  # of the samples that take part
    targets: Targets  # of all samples
    sampling: Sampling
    spreads: NDArray[np.float64] | None  # of the features, where directions have no units
    scaler: Scaler | None = None
    channels: FittedChannels | None = None
    constant: NDArray[np.bool_] | None = None  # which features have one value; None as spreads


@contextmanager
def unchanged_on_failure(estimator: object) -> Iterator[None]:
    """Give the estimator its attributes back if what runs inside fails or is interrupted."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


@dataclass(frozen=True)
class TreeSeed:
    """What the draws of one tree come from: the seed of a forest, and the tree's number in it."""

    seed: int
    tree: int


def draw_seed(random_state: object) -> int:
    """A seed for the core's random streams."""
    if isinstance(random_state, TreeSeed):
        return random_state.seed
    try:
        random = check_random_state(random_state)
    except ValueError as error:
        raise invalid(
            "random_state",
            "None, an integer in [0, 2**32) or a numpy.random.RandomState",
            random_state,
            "pass for example 0",
        ) from error
    return int(random.randint(0, 2**63 - 1, dtype=np.int64))


def check_warm_start(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Require that a warm start goes on with the same kind of data.

    `earlier` and `now` are the attributes of the estimator before and after it saw the data.
    """
    for name in ("n_features_in_", "shape_", "n_outputs_", "classes_"):
        was: Any = earlier.get(name)
        is_now: Any = now.get(name)
        if not _same(was, is_now):
            raise ValueError(
                f"warm_start=True grows more trees on the same data, but {name} was {was} and is "
                f"{is_now}; pass the same data, or set warm_start=False."
            )
    table: CategoryTable | None = now.get("_categories")
    was_table: CategoryTable | None = earlier.get("_categories")
    same = was_table is None if table is None else table.same_as(was_table)
    if not same:
        raise ValueError(
            "warm_start=True grows more trees on the same data, but its categories are not what "
            "they were; pass the same data, or set warm_start=False."
        )


def _same(one: Any, other: Any) -> bool:
    """Whether two attributes are the same; classes of several outputs are lists of arrays."""
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return all(map(np.array_equal, one, other))
    return np.array_equal(one, other)


def check_more_trees(n_estimators: int, n_trees: int, what: str = "trees") -> None:
    """Require that a warm start asks for as many trees as there are, and for more to do work."""
    if n_estimators < n_trees:
        raise invalid(
            "n_estimators",
            f"at least {n_trees}, the number of {what} that the forest has, with warm_start=True",
            n_estimators,
            f"ask for more {what}, or set warm_start=False",
        )
    if n_estimators == n_trees:
        warn_user(
            # scikit-learn's words, which programs may filter by.
            "Warm-start fitting without increasing n_estimators does not fit new trees: the forest "
            f"has its {n_trees} {what} already; increase n_estimators to grow more."
        )


# Parameters, of those that a forest may have, that say which samples its trees are grown on.
_OF_SAMPLES = ("class_weight", "bootstrap", "max_samples", "honest", "honest_fraction", "scaling")


def check_same_samples(earlier: Sampling, now: Sampling, parameters: Collection[str]) -> None:
    """Require that a warm start goes on with the samples that the first trees were grown on."""
    if now.same_as(earlier):
        return
    *names, last = ["X", "y", "sample_weight", *(n for n in _OF_SAMPLES if n in parameters)]
    raise ValueError(
        f"warm_start=True grows more trees on the same samples, but {', '.join(names)} or {last} "
        "is not what it was; pass the same ones, or set warm_start=False."
    )

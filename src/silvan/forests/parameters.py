"""The parameters that forests share: declared once, with rules and the core's options."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from silvan import _core
from silvan._parameters import growing
from silvan._validation import (
    InvalidParameterError,
    check_choice,
    check_flag,
    check_integer,
    count_threads,
    invalid,
    is_integer,
    is_number,
    is_word,
)
from silvan.forests.agnostic import check_agnostic_parameters
from silvan.forests.categories import check_categorical_features
from silvan.forests.defaults import DefaultProjectionsMixin
from silvan.forests.sampling import power_of_samples
from silvan.forests.scaling import SCALINGS
from silvan.projections import ProjectionDistribution, UnitFree
from silvan.projections.mixture import find_component

NO_LIMIT = 2**31 - 1
# A million trees more change no prediction, but the memory for them may not be there.
MAX_TREES = 10_000_000
_MAX_DIRECTIONS = 10_000_000
# "auto" draws so many directions without units, see the results ("Which default for tables?").
_AUTO_DIRECTIONS = 24


@dataclass(kw_only=True, eq=False, repr=False)
class ForestParameters(DefaultProjectionsMixin):
    """What every forest has; a class of its own names only what differs.

    Estimators are dataclasses of their parameters, so that a parameter is declared in one place and
    a constructor is never written by hand.
    """

    # What min_samples_leaf may be besides numbers.
    _leaf_rules: ClassVar[tuple[str, ...]] = ()

    n_estimators: int = field(default=100, kw_only=False)
    projections: ProjectionDistribution | None = growing(None)
    max_features: int | float | str | None = growing(1.0)
    max_depth: int | None = growing(None)
    min_samples_leaf: int | float | str = growing(1)
    n_jobs: int | None = None
    random_state: int | np.random.RandomState | None = None
    verbose: int = 0
    warm_start: bool = False


@dataclass(kw_only=True, eq=False, repr=False)
class BaggedParameters(ForestParameters):
    """What forests have besides whose trees are grown one by one, on samples of their own."""

    min_samples_split: int | float = growing(2)
    min_impurity_decrease: float = growing(0.0)
    min_balance: float = growing(0.0)
    bootstrap: bool = True
    max_samples: int | float | str | None = None


@dataclass(kw_only=True, eq=False, repr=False)
class SupervisedParameters(ForestParameters):
    """What forests with targets have besides."""

    # The ways to find thresholds that a forest knows.
    _thresholds: ClassVar[tuple[str, ...]] = ("best", "random")

    thresholds: str = growing("best")
    scaling: str | None = None
    categorical_features: Sequence[int | bool | str] | str | None = "from_dtype"


@dataclass(kw_only=True, eq=False, repr=False)
class BaggedSupervisedParameters(SupervisedParameters, BaggedParameters):
    """What forests have that are both."""

    _thresholds: ClassVar[tuple[str, ...]] = ("best", "random", "agnostic")

    criterion: str = growing("squared_error")
    max_leaf_nodes: int | None = growing(None)
    monotonic_cst: ArrayLike | Mapping[str, int] | None = growing(None)
    min_weight_fraction_leaf: float = growing(0.0)
    ccp_alpha: float = growing(0.0)
    honest: bool = False
    honest_fraction: float = 0.5
    oob_score: bool | Callable[..., float] = False


def check_parameters(forest: ForestParameters) -> None:
    """Check every parameter whose rule does not depend on the data."""
    check_integer("n_estimators", forest.n_estimators, 1, maximum=MAX_TREES)
    check_integer("max_depth", forest.max_depth, 1, or_none=True)
    if not is_word(forest.min_samples_leaf, *forest._leaf_rules):
        _check_count_or_fraction(
            "min_samples_leaf",
            forest.min_samples_leaf,
            1,
            "".join(f' or "{rule}"' for rule in forest._leaf_rules),
            whole=False,
        )
    count_threads(forest.n_jobs)
    if not isinstance(forest.verbose, bool):
        check_integer("verbose", forest.verbose, 0)
    _check_max_features(forest.max_features)


def check_bagged_parameters(forest: BaggedParameters) -> None:
    """The same of those that only bagged forests have."""
    _check_count_or_fraction("min_samples_split", forest.min_samples_split, 2)
    if not (is_number(forest.min_impurity_decrease) and forest.min_impurity_decrease >= 0):
        raise invalid(
            "min_impurity_decrease",
            "a number >= 0",
            forest.min_impurity_decrease,
            "0.0 sets no limit",
        )
    if not (is_number(forest.min_balance) and 0 <= forest.min_balance <= 0.5):
        raise invalid(
            "min_balance",
            "a number between 0 and 0.5, the share of a node's samples on either side of its split",
            forest.min_balance,
            "0.0 sets no limit",
        )
    check_flag("bootstrap", forest.bootstrap)
    _check_max_samples(forest.max_samples)


def check_supervised_parameters(forest: SupervisedParameters) -> None:
    """The same of those that forests with targets have."""
    check_choice("thresholds", forest.thresholds, forest._thresholds)
    if forest.scaling is not None:
        check_choice("scaling", forest.scaling, SCALINGS)
    check_categorical_features(forest.categorical_features)


def check_bagged_supervised_parameters(forest: BaggedSupervisedParameters) -> None:
    """The same of those that only bagged forests with targets have."""
    check_integer("max_leaf_nodes", forest.max_leaf_nodes, 2, or_none=True)
    fraction = forest.min_weight_fraction_leaf
    if not (is_number(fraction) and 0 <= fraction <= 0.5):
        raise invalid(
            "min_weight_fraction_leaf",
            "a number between 0 and 0.5, the share of a tree's weight that a leaf needs",
            fraction,
            "0.0 sets no limit",
        )
    if not (is_number(forest.ccp_alpha) and forest.ccp_alpha >= 0):
        raise invalid("ccp_alpha", "a number >= 0", forest.ccp_alpha, "0.0 does not prune")
    if forest.ccp_alpha and forest.honest:
        raise invalid(
            "ccp_alpha",
            "0.0 in honest forests, whose leaves other samples fill",
            forest.ccp_alpha,
            "limit trees by min_samples_leaf or max_depth",
        )
    if forest.thresholds == "agnostic":
        check_agnostic_parameters(forest)
    check_flag("honest", forest.honest)
    if forest.honest and forest.monotonic_cst is not None:
        raise invalid(
            "honest",
            "False with monotonic_cst, since leaves of honest trees have values of other samples",
            forest.honest,
            "leave one of them out",
        )
    if not (is_number(forest.honest_fraction) and 0 < forest.honest_fraction < 1):
        raise invalid(
            "honest_fraction",
            "a number between 0 and 1, the share of samples that fill the leaves of an honest tree",
            forest.honest_fraction,
            "pass for example 0.5",
        )
    if not callable(forest.oob_score):
        check_flag("oob_score", forest.oob_score)
    if forest.oob_score and not forest.bootstrap and forest.max_samples is None:
        raise InvalidParameterError(
            "Out of bag estimation only available if bootstrap=True or max_samples leaves samples "
            "out of every tree, but bootstrap is False and max_samples is None; set one of them, "
            "or leave oob_score out."
        )


def resolve_projections(projections: object, n_features: int) -> ProjectionDistribution:
    """The distribution to draw directions from, checked against the number of features."""
    if not isinstance(projections, ProjectionDistribution):
        raise invalid(
            "projections",
            "None or an object of a class derived from silvan.projections.ProjectionDistribution",
            projections,
            "pass for example silvan.projections.AxisAligned()",
        )
    resolved = projections.resolve((n_features,))
    resolved.validate(n_features)
    return resolved


def grow_options(forest: BaggedParameters, n_samples: int, n_features: int) -> _core.GrowOptions:
    """What the core needs to know of the parameters, with fractions turned into counts."""
    max_depth = NO_LIMIT if forest.max_depth is None else min(int(forest.max_depth), NO_LIMIT)
    options = _core.GrowOptions()
    options.n_directions = n_directions(forest, n_features)
    options.max_depth = max_depth
    options.min_samples_split = max(2, count_samples(forest.min_samples_split, n_samples))
    options.min_samples_leaf = count_samples(forest.min_samples_leaf, n_samples)
    options.min_impurity_decrease = float(forest.min_impurity_decrease)
    options.min_balance = float(forest.min_balance)
    return options


def n_directions(forest: ForestParameters, n_features: int) -> int:
    """Number d of candidate directions at a node."""
    max_features: object = forest.max_features
    if max_features == "auto":
        unit_free = find_component(forest._given_projections(), UnitFree) is not None
        d: float = math.isqrt(n_features)
        if unit_free:
            d = max(d, min(n_features, _AUTO_DIRECTIONS))
    elif max_features is None:
        d = n_features
    elif max_features == "sqrt":
        d = math.isqrt(n_features)
    elif max_features == "log2":
        d = int(math.log2(n_features))
    elif is_integer(max_features):
        d = int(max_features)  # type: ignore[call-overload]
    else:
        d = float(max_features) * n_features  # type: ignore[arg-type]
    if d > _MAX_DIRECTIONS:
        raise invalid(
            "max_features",
            f"such that a node has at most {_MAX_DIRECTIONS} candidate directions",
            max_features,
            f"X has {n_features} features, pass a smaller number or fraction",
        )
    return max(1, round(d))


def _check_max_features(value: object) -> None:
    if value is None or (isinstance(value, str) and value in ("auto", "sqrt", "log2")):
        return
    if not (is_number(value) and value > 0):  # type: ignore[operator]
        raise invalid(
            "max_features",
            'an integer >= 1, a fraction > 0 of the number of features, "auto", "sqrt", "log2" '
            "or None",
            value,
            'pass for example "sqrt"',
        )


def _check_max_samples(value: object) -> None:
    if value is None or (isinstance(value, str) and math.isfinite(power_of_samples(value))):
        return
    power = ', a power such as "n**0.8" with an exponent between 0 and 1, or None'
    _check_count_or_fraction("max_samples", value, 1, power)


def _check_count_or_fraction(
    name: str, value: object, minimum: int, alternatives: str = "", *, whole: bool = True
) -> None:
    """Require a number of samples, or a fraction of them; all of them (1.0) only if `whole`."""
    count = is_integer(value) and value >= minimum  # type: ignore[operator]
    fraction = is_number(value) and not is_integer(value) and 0 < value <= 1  # type: ignore[operator]
    if not (count or (fraction and (whole or value < 1))):  # type: ignore[operator]
        raise invalid(
            name,
            f"an integer >= {minimum} or a fraction in (0, 1{']' if whole else ')'}{alternatives}",
            value,
            f"pass for example {max(minimum, 2)} or 0.5",
        )


def count_samples(value: Any, n_samples: int) -> int:
    """A number of samples, given as such or as a fraction of all samples (rounded up)."""
    return min(int(value), NO_LIMIT) if is_integer(value) else math.ceil(value * n_samples)

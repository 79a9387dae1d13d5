"""The parameters that boosted forests share: declared once, with rules and the core's options."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from silvan import _core
from silvan._parameters import growing
from silvan._validation import (
    check_choice,
    check_flag,
    check_integer,
    invalid,
    is_integer,
    is_number,
    is_word,
)
from silvan.forests.constraints import (
    monotone_signs,
    part_features,
    require_single_features,
)
from silvan.forests.guiding import refuse_rounds
from silvan.forests.parameters import (
    NO_LIMIT,
    SupervisedParameters,
    count_samples,
    n_directions,
)
from silvan.losses import Loss
from silvan.projections import ProjectionDistribution

# Codes of bins are bytes, and missing values have one of their own.
_MAX_BINS = 255
# Validation takes time and samples; with fewer than these both are better spent on rounds.
_AUTO_STOPPING = 10_000
# Leaves have so many samples, or this share of the distinct ones where these are few.
_AUTO_LEAF = 20
_AUTO_LEAF_SHARE = 1 / 5
# Few samples ask for small trees: max_leaf_nodes="auto".
_MIN_LEAVES, _MAX_LEAVES, _SAMPLES_FOR_A_LEAF = 8, 31, 625
# Of early_stopping.
OUT_OF_BAG = "out_of_bag"
AUTO = "auto"


@dataclass(kw_only=True, eq=False, repr=False)
class BoostedParameters(SupervisedParameters):
    """What boosted forests have besides."""

    _leaf_rules: ClassVar[tuple[str, ...]] = (AUTO,)

    loss: str | Loss = growing("squared_error")
    learning_rate: float = growing(0.1)
    max_leaf_nodes: int | str | None = growing(31)
    min_samples_leaf: int | float | str = growing(AUTO)
    min_child_weight: float = growing(1e-3)
    l1_regularization: float = growing(0.0)
    l2_regularization: float = growing(0.0)
    subsample: float = growing(1.0)
    colsample: float = growing(1.0)
    redraw_every: int = growing(1)
    max_bins: int = growing(255)
    vector_leaves: bool = growing(False)
    early_stopping: bool | str = AUTO
    scoring: str | Callable[..., float] | None = "loss"
    validation_fraction: int | float | None = 0.1
    n_iter_no_change: int = 10
    tol: float = 1e-7
    monotonic_cst: ArrayLike | Mapping[str, int] | None = growing(None)
    interaction_cst: Sequence[Sequence[int | str]] | str | None = growing(None)


def check_boosted_parameters(forest: BoostedParameters) -> None:
    """Check every parameter of boosted forests whose rule does not depend on the data."""
    _check_share("learning_rate", forest.learning_rate)
    n_leaves = forest.max_leaf_nodes
    if isinstance(n_leaves, str) and n_leaves != AUTO:
        rule = 'an integer >= 2, "auto" or None'
        raise invalid("max_leaf_nodes", rule, n_leaves, "pass for example 31")
    if not isinstance(n_leaves, str):
        check_integer("max_leaf_nodes", n_leaves, 2, or_none=True)
    for name in ("min_child_weight", "l1_regularization", "l2_regularization", "tol"):
        value = getattr(forest, name)
        if not (is_number(value) and value >= 0):
            raise invalid(name, "a number >= 0", value, "pass for example 0.0")
    _check_share("subsample", forest.subsample)
    _check_share("colsample", forest.colsample)
    check_integer("redraw_every", forest.redraw_every, 1)
    if not (is_integer(forest.max_bins) and 2 <= forest.max_bins <= _MAX_BINS):
        raise invalid(
            "max_bins", f"an integer from 2 to {_MAX_BINS}", forest.max_bins, "pass for example 255"
        )
    check_flag("vector_leaves", forest.vector_leaves)
    _check_stopping(forest)


def _check_stopping(forest: BoostedParameters) -> None:
    stopping = forest.early_stopping
    if not (isinstance(stopping, bool | np.bool_) or is_word(stopping, AUTO, OUT_OF_BAG)):
        rule = '"auto", "out_of_bag", True or False'
        raise invalid("early_stopping", rule, stopping, "pass one of them")
    if stopping == OUT_OF_BAG and forest.subsample == 1:
        raise invalid(
            "subsample",
            'below 1 with early_stopping="out_of_bag", so that every round leaves samples out',
            forest.subsample,
            "pass for example 0.7",
        )
    scoring = forest.scoring
    if not (scoring is None or isinstance(scoring, str) or callable(scoring)):
        raise invalid(
            "scoring",
            '"loss", the name of a scorer of scikit-learn, a callable or None',
            scoring,
            'pass for example "loss"',
        )
    check_integer("n_iter_no_change", forest.n_iter_no_change, 1)
    share = forest.validation_fraction
    count = is_integer(share) and share >= 1  # type: ignore[operator]
    fraction = is_number(share) and 0 < share < 1  # type: ignore[operator]
    if not (share is None or count or fraction):
        raise invalid(
            "validation_fraction",
            "an integer >= 1, a fraction in (0, 1) or None",
            share,
            "pass for example 0.1",
        )


def _check_share(name: str, value: object) -> None:
    if not (is_number(value) and 0 < value <= 1):  # type: ignore[operator]
        raise invalid(name, "a number in (0, 1]", value, "pass for example 0.5")


def stops_early(forest: BoostedParameters, n_samples: int) -> bool:
    """Whether a fit on so many samples may end before all rounds are grown."""
    if forest.early_stopping == AUTO:
        return n_samples > _AUTO_STOPPING
    return bool(forest.early_stopping)


def settle_leaves(forest: BoostedParameters, n_distinct: int, options: _core.BoostOptions) -> None:
    """Set what depends on how many distinct samples there are to grow on."""
    if forest.min_samples_leaf == AUTO:
        share = int(_AUTO_LEAF_SHARE * n_distinct)
        options.min_samples_leaf = min(max(share, 1), _AUTO_LEAF)


OTHER_LOSS = "pass one of them, or an object of a class that derives from silvan.losses.Loss"


def boost_options(
    forest: BoostedParameters, projections: ProjectionDistribution, n_samples: int, n_features: int
) -> _core.BoostOptions:
    """What the core needs to know of the parameters, with fractions turned into counts."""
    refuse_rounds(projections, "in boosted forests, whose rounds follow gradients")
    use_features, drawn = part_features(projections)
    options = _core.BoostOptions()
    options.use_features = use_features
    options.n_directions = 0 if drawn is None else n_directions(forest, n_features)
    options.redraw_every = min(int(forest.redraw_every), NO_LIMIT)
    options.max_bins = int(forest.max_bins)
    n_leaves, depth = forest.max_leaf_nodes, forest.max_depth
    if n_leaves == AUTO:
        n_leaves = min(max(n_samples // _SAMPLES_FOR_A_LEAF, _MIN_LEAVES), _MAX_LEAVES)
    options.max_leaf_nodes = 0 if n_leaves is None else min(int(n_leaves), NO_LIMIT)
    options.max_depth = NO_LIMIT if depth is None else min(int(depth), NO_LIMIT)
    if forest.min_samples_leaf != AUTO:
        options.min_samples_leaf = count_samples(forest.min_samples_leaf, n_samples)
    options.min_child_weight = float(forest.min_child_weight)
    options.l1 = float(forest.l1_regularization)
    options.l2 = float(forest.l2_regularization)
    options.learning_rate = float(forest.learning_rate)
    options.subsample = float(forest.subsample)
    options.colsample = float(forest.colsample)
    options.random_thresholds = forest.thresholds == "random"
    options.vector_leaves = bool(forest.vector_leaves)
    monotone = monotone_signs(forest, n_features)
    groups = _interaction_groups(forest, n_features)
    for name, given in (("monotonic_cst", monotone), ("interaction_cst", groups)):
        if given is not None:
            require_single_features(name, getattr(forest, name), projections)
    if monotone is not None and forest.vector_leaves:
        raise invalid(
            "vector_leaves",
            "False with monotonic_cst",
            forest.vector_leaves,
            "leave one of them out",
        )
    options.monotone = np.zeros(0, dtype=np.int8) if monotone is None else monotone
    options.interaction_groups = [] if groups is None else groups
    return options


def _interaction_groups(forest: Any, n_features: int) -> list[list[int]] | None:
    """Groups of features that may meet on one path; features in none of them are one more."""
    given = forest.interaction_cst
    if given is None:
        return None
    if isinstance(given, str):
        check_choice("interaction_cst", given, ("no_interactions", "pairwise"))
        size = 1 if given == "no_interactions" else 2
        return [list(group) for group in itertools.combinations(range(n_features), size)]
    named = forest._feature_names()
    place = {} if named is None else {name: j for j, name in enumerate(named)}
    try:
        groups = [sorted({place.get(j, j) for j in group}) for group in given]
        # A word is no group of letters.
        known = not any(isinstance(group, str) for group in given) and all(
            is_integer(j) and 0 <= j < n_features for group in groups for j in group
        )
    except TypeError:
        known = False
    if not known:
        raise invalid(
            "interaction_cst",
            '"no_interactions", "pairwise" or groups of features, by their names in X or by their '
            f"positions from 0 to {n_features - 1}",
            given,
            "pass for example [[0, 1], [2, 3, 4]]",
        )
    rest = sorted(set(range(n_features)).difference(*groups)) if groups else []
    return [[int(j) for j in group] for group in [*groups, rest] if group] or None

"""Monotone constraints: what they say of each feature, and where they can be kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from silvan._validation import invalid
from silvan.forests.targets import ClassTargets, Targets
from silvan.projections import AxisAligned, Mixture, ProjectionDistribution


def part_features(
    projections: ProjectionDistribution,
) -> tuple[bool, ProjectionDistribution | None]:
    """Whether single features are candidates, and the distribution of the others, if any."""
    if isinstance(projections, AxisAligned):
        return True, None
    if not isinstance(projections, Mixture):
        return False, projections
    used = [(component, weight) for component, weight in projections.components if weight > 0]
    others = [(component, w) for component, w in used if not isinstance(component, AxisAligned)]
    features = len(others) < len(used)
    if not others:
        return True, None
    return features, others[0][0] if len(others) == 1 else Mixture(others)


def require_single_features(name: str, given: object, projections: ProjectionDistribution) -> None:
    """Refuse a constraint on single features where directions have several."""
    if part_features(projections) != (True, None):
        raise invalid(
            name,
            "None where directions have several features",
            given,
            "pass projections=silvan.projections.AxisAligned(), or leave it out",
        )


def require_no_constraints(forest: Any) -> None:
    """Refuse constraints on single features in a forest that takes no other directions."""
    kind = "Classifier" if is_classifier(forest) else "Regressor"
    plain = ("BoostedForest" if hasattr(forest, "interaction_cst") else "Forest") + kind
    for name in ("monotonic_cst", "interaction_cst"):
        given = getattr(forest, name, None)
        if given is not None:
            raise invalid(
                name,
                "None in a manifold forest, whose splits read several cells of the grid at once",
                given,
                f"leave it out, or fit a {plain} with "
                "projections=silvan.projections.AxisAligned() to flat samples",
            )


def require_one_number(given: object, targets: Targets) -> None:
    """Refuse monotone constraints where a prediction is not one number or one probability."""
    if isinstance(targets, ClassTargets):
        if targets.n_values > 2:
            raise invalid(
                "monotonic_cst",
                f"None with more than two classes (there are {targets.n_values}), since "
                "probabilities of several classes cannot all rise",
                given,
                "leave it out",
            )
    elif targets.n_values > 1:
        raise invalid(
            "monotonic_cst",
            f"None with several outputs (there are {targets.attributes['n_outputs_']})",
            given,
            "fit a forest for each output, or leave it out",
        )


def require_numbers(
    signs: NDArray[np.int8], n_categories: NDArray[np.int64] | None, given: object
) -> None:
    """Refuse monotone constraints on categories, which have no order."""
    if n_categories is None:
        return
    constrained = np.flatnonzero((signs != 0) & (n_categories > 0))
    if constrained.size:
        raise invalid(
            "monotonic_cst",
            f"0 for categories, which have no order, and so for column {constrained[0]}",
            given,
            "leave that column out of it, or pass ordered categories as numbers",
        )


def monotone_signs(forest: Any, n_features: int) -> NDArray[np.int8] | None:
    """The constraint of each feature: -1, 0 or 1; None where there are none."""
    given: Any = forest.monotonic_cst
    if given is None:
        return None
    constraints = np.zeros(n_features, dtype=np.int8)
    rule = f"None, a sequence of {n_features} numbers -1, 0 or 1, or a dictionary of these by names"
    remedy = "pass one for each feature"
    if isinstance(given, Mapping):
        known_names = forest._feature_names()
        names = [] if known_names is None else list(known_names)
        unknown = [name for name in given if name not in names]
        if unknown:
            raise invalid("monotonic_cst", rule, given, f"X has no column named {unknown[0]!r}")
        known = all(value in (-1, 0, 1) for value in given.values())
        for name, value in given.items() if known else ():
            constraints[names.index(name)] = value
    else:
        values = np.asarray(given)
        known = values.shape == (n_features,) and bool(np.isin(values, (-1, 0, 1)).all())
        constraints = values.astype(np.int8) if known else constraints
    if not known:
        raise invalid("monotonic_cst", rule, given, remedy)
    return constraints if constraints.any() else None

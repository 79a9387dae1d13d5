"""Trees that do not look at targets: what such a forest must do without."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan._validation import invalid, is_integer
from silvan.forests.guiding import refuse_rounds
from silvan.projections import (
    CanonicalDirections,
    PerturbedHyperplanes,
    ProjectionDistribution,
    RidgeDirections,
    RidgeWindows,
)
from silvan.projections.mixture import find_component

_WITH = 'with thresholds="agnostic", where targets decide nothing but the values of leaves'
_WITHOUT = {
    "min_impurity_decrease": 0.0,
    "ccp_alpha": 0.0,
    "monotonic_cst": None,
    "class_weight": None,
}
_REMEDIES = {
    "class_weight": "pass sample_weight to fit, which weights the values of leaves",
    "ccp_alpha": "limit trees by max_leaf_nodes, max_depth or min_samples_leaf",
    "min_impurity_decrease": "limit trees by max_leaf_nodes, max_depth or min_samples_leaf",
}


def check_agnostic_parameters(forest: Any) -> None:
    """Refuse parameters that let targets decide which samples a tree draws and where it splits."""
    for name, without in _WITHOUT.items():
        given = getattr(forest, name, None)
        if given is not None and (without is None or given != without):
            remedy = _REMEDIES.get(name, "leave one of them out")
            raise invalid(name, f"{without} {_WITH}", given, remedy)
    n_terms = getattr(forest, "n_terms", None)
    if is_integer(n_terms) and n_terms != 1:
        rule = f'1 or "auto" {_WITH}, since combinations of windows are fitted to targets'
        raise invalid("n_terms", rule, n_terms, "pass n_terms=1")
    if forest.criterion == "poisson":
        rule = f'another criterion than "poisson" {_WITH}'
        raise invalid("criterion", rule, forest.criterion, 'pass for example "squared_error"')


def check_agnostic_directions(
    projections: ProjectionDistribution, n_categories: NDArray[np.int64] | None
) -> None:
    """Refuse directions and columns that are learnt from targets."""
    for learnt in (RidgeDirections, RidgeWindows, CanonicalDirections, PerturbedHyperplanes):
        if find_component(projections, learnt) is not None:
            rule = f"a distribution that does not read targets {_WITH}"
            raise invalid("projections", rule, projections, "pass for example SparseSigns()")
    refuse_rounds(projections, _WITH)
    if n_categories is not None and n_categories.any():
        raise ValueError(
            "X must have no categorical columns, whose codes are learnt from targets, "
            f"{_WITH}; encode them as numbers before, or leave them out."
        )

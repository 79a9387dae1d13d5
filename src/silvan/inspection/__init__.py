"""What a fitted forest looks at, how its trees relate, and where its errors come from."""

from silvan.inspection.bias_variance import BiasVariance, bias_variance, decompose_error
from silvan.inspection.features import (
    background_share,
    grid_of,
    importance_map,
    projection_counts,
)
from silvan.inspection.out_of_bag import out_of_bag_curve, out_of_bag_mask
from silvan.inspection.polytopes import LeafPolytope, leaf_polytope
from silvan.inspection.posteriors import hellinger_distance
from silvan.inspection.projections import TopProjections, top_projections
from silvan.inspection.strength import StrengthCorrelation, strength_and_correlation
from silvan.inspection.trees import tree_predictions
from silvan.inspection.windows import TopWindows, top_windows

__all__ = [
    "BiasVariance",
    "LeafPolytope",
    "StrengthCorrelation",
    "TopProjections",
    "TopWindows",
    "background_share",
    "bias_variance",
    "decompose_error",
    "grid_of",
    "hellinger_distance",
    "importance_map",
    "leaf_polytope",
    "out_of_bag_curve",
    "out_of_bag_mask",
    "projection_counts",
    "strength_and_correlation",
    "top_projections",
    "top_windows",
    "tree_predictions",
]

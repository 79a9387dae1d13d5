"""Why a forest predicts what it predicts: the parts of the features in each prediction."""

from silvan.explanations.contributions import Contributions, feature_contributions
from silvan.explanations.shapley import ShapleyValues, shapley_values

__all__ = ["Contributions", "ShapleyValues", "feature_contributions", "shapley_values"]

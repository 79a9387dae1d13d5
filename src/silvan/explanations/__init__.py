"""Why a forest predicts what it predicts: the parts of the features in each prediction."""

from silvan.explanations.contributions import Contributions, feature_contributions

__all__ = ["Contributions", "feature_contributions"]

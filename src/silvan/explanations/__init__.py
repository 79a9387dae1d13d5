"""Why a forest predicts what it predicts: the parts of the features in each prediction."""

from silvan.explanations.contributions import Contributions, feature_contributions
from silvan.explanations.display import ContributionDisplay

__all__ = ["ContributionDisplay", "Contributions", "feature_contributions"]

"""What tests hand to the native grower: options without limits, and rows in the order given."""

import numpy as np


def make_options(**changes):
    options = {
        "criterion": "gini",
        "n_outputs": 2,
        "n_directions": 4,
        "max_depth": 1000,
        "min_samples_split": 2,
        "min_samples_leaf": 1,
        "min_impurity_decrease": 0.0,
        "seed": 5,
    }
    return options | changes


def make_rows(n, *, replace=True):
    """As many draws as rows; without replacement that is every row once."""
    order = np.arange(n, dtype=np.uint32)
    return {"order": order, "cumulative": None, "n_draws": n, "replace": replace}

"""The statistics behind the default for tables, and its candidates."""

import numpy as np
import pytest
from experiments.table_defaults import CANDIDATES, CHOSEN, FORESTS
from experiments.table_defaults_page import resampled_p, worse_after_holm

from silvan.forests.parameters import n_directions


def measured(**errors):
    return {
        system: {r: {"error": str(error)} for r, error in enumerate(values)}
        for system, values in errors.items()
    }


def test_worse_tasks_are_those_that_survive_the_correction():
    noise = np.random.default_rng(0).normal(size=(20, 10)) * 0.01
    found = {f"task {i}": measured(silvan=0.3 + noise[i], rival=0.3 - noise[i]) for i in range(20)}
    assert worse_after_holm(found, "rival") == []
    found["clear"] = measured(silvan=0.4 + noise[0], rival=0.3 + noise[1])
    assert worse_after_holm(found, "rival") == ["clear"]
    found["won"] = measured(silvan=0.2 + noise[0], rival=0.3 + noise[1])
    assert worse_after_holm(found, "rival") == ["clear"]


def test_equal_errors_are_not_worse():
    same = np.full(10, 0.2)
    assert resampled_p(same, same) == 1.0
    assert resampled_p(same + 0.1, same) < 1e-6


@pytest.mark.parametrize("target", FORESTS)
@pytest.mark.parametrize("p", [3, 24, 100, 900])
def test_the_chosen_candidate_is_the_default(target, p):
    chosen = CANDIDATES[target][CHOSEN[target]].make(FORESTS[target], p, 10, 0)
    default = FORESTS[target](10, random_state=0, n_jobs=1)
    assert chosen._given_projections() == default._given_projections()
    assert n_directions(chosen, p) == n_directions(default, p)
    ignored = ("projections", "max_features")
    mine, theirs = (
        {k: v for k, v in forest.get_params(deep=False).items() if k not in ignored}
        for forest in (chosen, default)
    )
    assert mine == theirs

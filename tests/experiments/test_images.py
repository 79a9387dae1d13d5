"""The pages on images say what was measured, also where forests are not ahead."""

from pathlib import Path

import pytest
from experiments.images import SIZES, check_expectations
from experiments.pages import expectations_table
from experiments.scoring import SCORES
from experiments.store import Store
from experiments.systems import CLASSICS

RESULTS = Path(__file__).parents[2] / "docs" / "results"

pytestmark = pytest.mark.skipif(
    not RESULTS.exists(), reason="the documentation is not part of the source package"
)


@pytest.mark.parametrize(("name", "bound"), [("mnist", 0.026), ("fashion", 0.121)])
def test_forests_are_compared_with_every_classifier(name, bound):
    measured = RESULTS / "measurements" / f"{name}.csv"
    expectations = check_expectations(
        Store(measured, ("system", "n", "seed"), SCORES), SIZES, bound
    )
    compared = {
        expectation.claim.split(" no worse than ")[-1].split(" at ")[0]
        for expectation in expectations[3:]
    }
    assert compared == {"RF", "SPORF", *CLASSICS}
    assert all(expectation.holds is not None for expectation in expectations)
    assert expectations_table(expectations) in (RESULTS / f"{name}.md").read_text(encoding="utf-8")

"""The pages on images say what was measured, also where forests are not ahead."""

from pathlib import Path

import pytest
from experiments import fashion, mnist
from experiments.images import DEFAULTS, SIZES, check_expectations
from experiments.pages import expectations_table
from experiments.scoring import SCORES
from experiments.store import Store
from experiments.systems import CLASSICS

RESULTS = Path(__file__).parents[2] / "docs" / "results"

pytestmark = pytest.mark.skipif(
    not RESULTS.exists(), reason="the documentation is not part of the source package"
)


@pytest.mark.parametrize("module", [mnist, fashion])
def test_forests_are_compared_with_every_classifier(module):
    name = module.__name__.split(".")[-1]
    measured = RESULTS / "measurements" / f"{name}.csv"
    store = Store(measured, ("system", "n", "seed"), SCORES)
    expectations = check_expectations(store, SIZES, module.BOUNDS)
    claims = [expectation.claim for expectation in expectations]
    for system in set(DEFAULTS) & set(store.distinct("system")):
        assert any(claim.startswith(f"{system} no worse than CNN") for claim in claims)
    for other in ("RF", "SPORF", *CLASSICS):
        assert any(claim.startswith(f"MORF no worse than {other} at") for claim in claims)
    assert all(expectation.holds is not None for expectation in expectations)
    assert expectations_table(expectations) in (RESULTS / f"{name}.md").read_text(encoding="utf-8")

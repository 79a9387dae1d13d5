"""The pages on images say what was measured, also where forests are not ahead."""

from pathlib import Path

import numpy as np
import pytest
from experiments import fashion, mnist
from experiments.cnn import is_flat
from experiments.images import (
    DEFAULTS,
    SIZES,
    check_expectations,
    count_draws,
    list_systems,
    make_system,
    outcomes,
)
from experiments.pages import describe_outcome, expectations_table
from experiments.scoring import SCORES
from experiments.store import Store
from experiments.systems import CLASSICS, Standardised
from sklearn.neighbors import KNeighborsClassifier

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


def test_the_page_says_against_each_classifier_where_morf_is_behind():
    store = Store(RESULTS / "measurements" / "mnist.csv", ("system", "n", "seed"), SCORES)
    assert outcomes(store, SIZES) in (RESULTS / "mnist.md").read_text(encoding="utf-8")


def test_outcomes_name_the_sizes_at_which_a_system_is_behind():
    nan = float("nan")
    assert describe_outcome((10, 20), (-0.1, 0.0)) == "ahead at every n"
    assert (
        describe_outcome((10, 2000, 3), (-0.1, 0.004, 0.1)) == "behind at 2,000 (+0.4), 3 (+10.0)"
    )
    assert describe_outcome((10, 2000), (-0.1, nan)) == "ahead to 10"
    assert describe_outcome((10,), (nan,)) == "-"


def test_plans_say_which_systems_are_measured_how_often(monkeypatch):
    systems = list_systems(mnist.PLAN)
    assert {"MORF, corner", "CNN, stopped early", "kNN, z-scores"} <= set(systems)
    assert not any("corner" in s or "z-scores" in s for s in list_systems(fashion.PLAN))
    monkeypatch.setattr("experiments.images.has_gpu", lambda: False)
    assert [count_draws("CNN, stopped early", n, 3) for n in (100, 10_000, 60_000)] == [5, 5, 0]
    assert [count_draws("RBF SVM", n, 3) for n in (3000, 10_000, 60_000)] == [3, 2, 0]
    assert [count_draws("MORF, corner", n, 3) for n in (3000, 60_000)] == [3, 1]
    for system in systems:
        if not system.startswith("CNN"):
            assert hasattr(make_system(system, 100, 0, 2), "predict")


def test_standardised_classifiers_see_pixels_without_mean_and_spread():
    X = np.random.default_rng(0).integers(256, size=(40, 5)).astype(np.uint8)
    X[:, 4] = 7
    seen = Standardised(KNeighborsClassifier()).fit(X, X[:, 0] > 100).classifier._fit_X
    np.testing.assert_allclose(seen.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(seen.std(axis=0), [1, 1, 1, 1, 0], atol=1e-6)


def test_training_stops_where_the_last_five_losses_hardly_differ():
    assert is_flat([9.0, 0.5, 0.5001, 0.4999, 0.5, 0.5])
    assert not is_flat([0.5, 0.5, 0.5, 0.5, 0.6])

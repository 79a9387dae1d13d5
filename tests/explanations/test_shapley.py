"""Shapley values are those of the definition, exact or within their standard errors, and add up."""

import math
import sys
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from projections.registry import CASES, named
from scipy.sparse import csr_array
from sklearn.datasets import make_classification, make_regression

from silvan import (
    BoostedForestClassifier,
    BoostedForestRegressor,
    DensityForest,
    ForestClassifier,
    ForestRegressor,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
)
from silvan.explanations import shapley_values
from silvan.projections import AxisAligned, Dictionary, RandomRotation

N_FEATURES = 6


def predictions(forest, X):
    """What values add up to, with an axis for the outputs."""
    if hasattr(forest, "start_"):
        raw = getattr(forest, "decision_function", forest.predict)(X)
    else:
        raw = getattr(forest, "predict_proba", forest.predict)(X)
    return raw.reshape(len(raw), -1)


def brute_force(forest, X, background):
    """The definition: every set of features, every background sample."""
    n_features = X.shape[1]
    worth = {}
    for size in range(n_features + 1):
        for chosen in combinations(range(n_features), size):
            hybrids = np.repeat(background[None], len(X), axis=0)
            hybrids[:, :, chosen] = X[:, None, chosen]
            flat = predictions(forest, hybrids.reshape(-1, n_features))
            worth[chosen] = flat.reshape(len(X), len(background), -1).mean(axis=1)
    values = np.zeros((len(X), n_features, worth[()].shape[1]))
    for chosen, with_them in worth.items():
        for j in chosen:
            without = worth[tuple(k for k in chosen if k != j)]
            weight = 1 / (n_features * math.comb(n_features - 1, len(chosen) - 1))
            values[:, j] += weight * (with_them - without)
    return values


def flat(values, n_features=N_FEATURES):
    return values.reshape(len(values), n_features, -1)


def assert_adds_up(forest, X, explained):
    n_features = math.prod(np.shape(X)[1:])
    total = explained.base_values + flat(explained.values, n_features).sum(axis=1)
    np.testing.assert_allclose(total, predictions(forest, X), rtol=1e-10, atol=1e-10)


def table(kind):
    if kind == "regression":
        X, y = make_regression(120, N_FEATURES, n_informative=4, random_state=0)
        return X.astype(np.float32), y
    X, y = make_classification(
        120, N_FEATURES, n_informative=4, n_redundant=0, n_classes=3, random_state=0
    )
    return X.astype(np.float32), y


def two_outputs(n_trees):
    X, y = table("regression")
    return ForestRegressor(n_trees, random_state=0).fit(X, np.column_stack([y, -(y**2)])), X


def with_missing(n_trees):
    X, y = table("classes")
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    return ForestClassifier(n_trees, random_state=0).fit(X, y), X


def classes(n_trees, Forest=ForestClassifier, **parameters):
    X, y = table("classes")
    return Forest(n_trees, random_state=0, **parameters).fit(X, y), X


def two_classes(n_trees):
    X, y = table("classes")
    return BoostedForestClassifier(n_trees, random_state=0).fit(X, y > 0), X


def numbers(n_trees, Forest=ForestRegressor, **parameters):
    X, y = table("regression")
    return Forest(n_trees, random_state=0, **parameters).fit(X, y), X


FORESTS = {
    "oblique": lambda: classes(4),
    "single features": lambda: classes(4, projections=AxisAligned()),
    "dense": lambda: numbers(2, projections=RandomRotation()),
    "hard votes": lambda: classes(4, voting="hard"),
    "scaled and honest": lambda: numbers(4, scaling="rank", honest=True),
    "missing values": lambda: with_missing(4),
    "two outputs": lambda: two_outputs(3),
    "boosted": lambda: numbers(4, BoostedForestRegressor),
    "boosted, two classes": lambda: two_classes(4),
    "boosted, three classes": lambda: classes(4, BoostedForestClassifier),
    "raw patches": lambda: classes(
        3, ManifoldForestClassifier, shape=(2, 3), channels="raw", max_size=(2, 3)
    ),
}


@pytest.fixture(scope="module", params=list(FORESTS))
def explained_forest(request):
    """A forest, samples, background samples, and the Shapley values by definition."""
    forest, X = FORESTS[request.param]()
    X, background = X[:6], X[50:58]
    return forest, X, background, brute_force(forest, X, background)


def test_exact_values_are_those_of_the_definition(explained_forest):
    forest, X, background, expected = explained_forest
    explained = shapley_values(forest, X, background, random_state=0)
    np.testing.assert_allclose(flat(explained.values), expected, rtol=1e-6, atol=1e-6)
    assert not explained.standard_errors.any()
    assert_adds_up(forest, X, explained)


def test_sampled_values_cover_the_definition(explained_forest):
    forest, X, background, expected = explained_forest
    explained = shapley_values(
        forest, X, background, n_permutations=30, max_exact_features=0, random_state=1
    )
    assert_adds_up(forest, X, explained)
    if isinstance(forest.projections_, AxisAligned):
        np.testing.assert_allclose(flat(explained.values), expected, atol=1e-6)
        assert not explained.standard_errors.any()
        return
    assert_covered(flat(explained.values), expected, flat(explained.standard_errors))


def assert_covered(values, expected, told):
    """Errors are those that were told; what hardly ever happens may never have been drawn."""
    error, unseen = np.abs(values - expected), 0.01 * np.ptp(expected)
    assert (told > 0).mean() > 0.3
    z = error / np.maximum(told, unseen / 5)
    assert z.max() < 5


@pytest.mark.parametrize("n_permutations", [12, 300], ids=["few orders", "many orders"])
def test_standard_errors_are_those_of_repeated_sampling(n_permutations):
    forest, X = classes(4)
    X, background = X[:6], X[50:58]
    expected = brute_force(forest, X, background)
    z = []
    for seed in range(20):
        explained = shapley_values(
            forest,
            X,
            background,
            n_permutations=n_permutations,
            max_exact_features=0,
            random_state=seed,
        )
        z.append((explained.values - expected) / explained.standard_errors)
    assert abs(np.mean(z)) < 0.05
    assert 0.8 < np.mean(np.square(z)) < 1.25


@pytest.mark.parametrize("case", CASES, ids=named)
def test_they_add_up_for_every_distribution(case):
    X, y = make_classification(80, 16, n_informative=6, random_state=0)
    X = X.astype(np.float32)
    X[::3, 5] = np.nan
    forest = ForestClassifier(3, projections=case.build(16), random_state=0).fit(X, y)
    assert_adds_up(forest, X[:4], shapley_values(forest, X[:4], X[40:50], random_state=0))


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 80, 150).astype(float),
            "town": rng.choice(["Bern", "Genf", "Thun", "Chur"], 150),
            "work": rng.choice(["a", "b", None], 150),
            "sum": rng.normal(size=150),
        }
    )
    y = (X["town"].isin(["Bern", "Thun"]) ^ (X["age"] > 50)) & (X["sum"] > -1)
    return X, y


def brute_force_frame(forest, X, background):
    """The same for data frames, with pandas."""
    names, worth = list(X.columns), {}
    for size in range(len(names) + 1):
        for chosen in combinations(range(len(names)), size):
            parts = []
            for i in range(len(X)):
                hybrids = background.copy()
                for j in chosen:
                    hybrids[names[j]] = X[names[j]].iloc[i]
                parts.append(predictions(forest, hybrids).mean(axis=0))
            worth[chosen] = np.array(parts)
    values = np.zeros((len(X), len(names), worth[()].shape[1]))
    for chosen, with_them in worth.items():
        for j in chosen:
            weight = 1 / (len(names) * math.comb(len(names) - 1, len(chosen) - 1))
            values[:, j] += weight * (with_them - worth[tuple(k for k in chosen if k != j)])
    return values


def test_a_categorical_feature_is_one_feature(people):
    X, y = people
    forest = ForestClassifier(8, random_state=0).fit(X, y)
    background = X[100:106]
    explained = shapley_values(forest, X[:5], background)
    expected = brute_force_frame(forest, X[:5], background)
    np.testing.assert_allclose(explained.values, expected, atol=1e-6)
    assert explained.feature_names == ["age", "town", "work", "sum"]
    assert explained.data[0].tolist()[1:3] == [X["town"][0], X["work"][0]]
    sampled = shapley_values(
        forest, X[:5], background, n_permutations=100, max_exact_features=0, random_state=0
    )
    assert_adds_up(forest, X[:5], sampled)
    assert_covered(sampled.values, expected, sampled.standard_errors)


def test_many_pairs_are_exact_among_sampled_ones():
    X, y = make_classification(200, 30, n_informative=6, random_state=0)
    forest = BoostedForestClassifier(10, max_leaf_nodes=6, random_state=0).fit(X, y)
    few = shapley_values(forest, X[:5], X[50:70], random_state=0, max_exact_features=3)
    many = shapley_values(forest, X[:5], X[50:70], random_state=0, max_exact_features=30)
    assert few.standard_errors.any()
    assert not many.standard_errors.any()
    assert_adds_up(forest, X[:5], few)
    assert_adds_up(forest, X[:5], many)
    assert_covered(few.values, many.values, few.standard_errors)


def test_features_that_must_all_be_there_share_equally():
    # The one sample of ones is told from each other sample by the feature that is zero there.
    n = 40
    X = np.vstack([np.ones(n), 1 - np.eye(n)])
    y = np.arange(n + 1) == 0
    forest = ForestRegressor(
        1, projections=AxisAligned(), max_features=n, bootstrap=False, random_state=0
    ).fit(X, y)
    assert forest.forest_.depth()[0] == n
    explained = shapley_values(forest, X[:1], np.zeros((1, n)))
    np.testing.assert_allclose(explained.values, 1 / n, rtol=1e-10)


def test_features_of_a_direction_share_what_they_do_together():
    X = np.random.default_rng(0).normal(size=(400, 2))
    forest = ForestRegressor(30, max_depth=1, random_state=0).fit(X, X.sum(axis=1) > 0)
    explained = shapley_values(forest, [[3.0, 3.0]], [[-3.0, -3.0]])
    assert explained.values.min() > 0.35 * explained.values.sum()


@pytest.mark.parametrize("max_exact_features", [0, 12])
def test_values_are_the_same_for_any_number_of_threads(max_exact_features):
    forest, X = classes(5)
    same = {"random_state": 3, "max_exact_features": max_exact_features}
    one = shapley_values(forest, X[:9], X[20:30], n_jobs=1, **same)
    three = shapley_values(forest, X[:9], X[20:30], n_jobs=3, **same)
    np.testing.assert_array_equal(one.values, three.values)
    np.testing.assert_array_equal(one.standard_errors, three.standard_errors)


def test_a_feature_that_is_never_used_gets_nothing():
    atoms = Dictionary([[1, 1, 0, 0, 0, 0], [0, 1, 0, -1, 0, 0], [0, 0, 0, 1, 2, 0]])
    forest, X = classes(5, projections=atoms)
    for limit in (0, 12):
        explained = shapley_values(
            forest, X[:3], X[50:60], max_exact_features=limit, random_state=0
        )
        assert not explained.values[:, [2, 5]].any()
        assert explained.values[:, [0, 1, 3, 4]].all()


@pytest.mark.parametrize("Forest", [ManifoldForestClassifier, ManifoldForestRegressor])
def test_values_on_a_grid_have_its_shape_and_cover_the_definition(Forest):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2, 4)).astype(np.float32)
    X[::4, 1, 2] = np.nan
    y = np.nanmean(X[:, :, :2], axis=(1, 2)) > 0
    forest = Forest(4, random_state=0).fit(X, y)
    samples, background = X[:3], X[40:44]
    explained = shapley_values(forest, samples, background, n_permutations=60, random_state=0)
    assert forest.channels_ is not None
    assert explained.values.shape[:3] == (3, 2, 4)
    assert explained.data.shape == (3, 2, 4)
    assert_adds_up(forest, samples, explained)
    expected = brute_force(forest, samples.reshape(3, 8), background.reshape(4, 8))
    assert_covered(flat(explained.values, 8), expected, flat(explained.standard_errors, 8))


def test_base_values_are_the_mean_prediction_for_the_background():
    forest, X = classes(5)
    explained = shapley_values(forest, X[:2], X[30:60])
    np.testing.assert_allclose(explained.base_values, forest.predict_proba(X[30:60]).mean(axis=0))
    assert explained.output_names == ["0", "1", "2"]
    forest, X = numbers(5)
    explained = shapley_values(forest, X[:2], X[30:60])
    assert isinstance(explained.base_values, float)
    assert explained.values.shape == explained.standard_errors.shape == (2, N_FEATURES)
    assert explained.output_names is None


def test_what_cannot_be_explained_is_refused():
    forest, X = classes(2)
    with pytest.raises(ValueError, match="X must be dense here"):
        shapley_values(forest, csr_array(X), X)
    with pytest.raises(ValueError, match=r"background must have samples .* 4 features, but Forest"):
        shapley_values(forest, X, X[:, :4])
    with pytest.raises(ValueError, match="n_permutations must be an integer >= 1"):
        shapley_values(forest, X, X, n_permutations=0)
    with pytest.raises(ValueError, match="max_exact_features must be an integer >= 0"):
        shapley_values(forest, X, X, max_exact_features=-1)
    with pytest.raises(ValueError, match="forest must be a classifier or a regressor"):
        shapley_values(DensityForest(2, random_state=0).fit(X), X, X)
    labels = np.column_stack([X[:, 0] > 0, X[:, 1] > 0]).astype(int)
    several = ForestClassifier(2, random_state=0).fit(X, labels)
    with pytest.raises(ValueError, match="a classifier of one output here"):
        shapley_values(several, X, X)
    grid = ManifoldForestClassifier(2, shape=(2, 3), random_state=0).fit(X, labels[:, 0])
    with pytest.raises(ValueError, match=r"n_permutations must be an integer >= 2"):
        shapley_values(grid, X, X, n_permutations=1)


def test_a_forest_without_splits_gives_no_credit():
    X, _ = table("classes")
    forest = ForestClassifier(2, random_state=0).fit(X, np.zeros(len(X)))
    explained = shapley_values(forest, X[:2], X[5:8])
    assert explained.base_values.tolist() == [1.0]
    assert not explained.values.any()


def test_without_shap_it_is_said_how_to_get_it(monkeypatch):
    forest, X = numbers(2)
    explained = shapley_values(forest, X[:2], X[5:8])
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(ImportError, match="pip install shap"):
        explained.to_shap()


@pytest.mark.parametrize("n_jobs", [0, "two", 1.5])
def test_wrong_numbers_of_threads_are_refused(n_jobs):
    forest, X = numbers(2)
    with pytest.raises(ValueError, match="n_jobs must be None or an integer that is not 0"):
        shapley_values(forest, X[:2], X[5:8], n_jobs=n_jobs)


def test_the_text_is_short():
    X, y = make_regression(40, 8, random_state=0)
    exact = shapley_values(ForestRegressor(2, random_state=0).fit(X, y), X[:3], X[:5])
    assert repr(exact) == "<ShapleyValues of shape (3, 8), exact>"


def test_plots_of_shap():
    shap = pytest.importorskip("shap", reason="shap is not installed")
    plt = pytest.importorskip("matplotlib.pyplot")
    forest, X = classes(3)
    explanation = shapley_values(forest, X[:20], X[50:60]).to_shap()
    assert isinstance(explanation, shap.Explanation)
    assert explanation.shape == (20, N_FEATURES, 3)
    assert explanation.base_values.shape == (20, 3)
    shap.plots.beeswarm(explanation[..., 0], show=False)
    shap.plots.bar(explanation[..., 1], show=False)
    plt.close("all")
    forest, X = numbers(3)
    shap.plots.waterfall(shapley_values(forest, X[:2], X[50:60]).to_shap()[0], show=False)
    plt.close("all")

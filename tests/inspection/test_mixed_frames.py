"""Everything that looks at a forest takes data frames with categories, text and missing values."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from mixed_frames import COLOURS, make_frame, new_rows
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import PartialDependenceDisplay, partial_dependence, permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from silvan import (
    ForestClassifier,
    ForestRegressor,
    ManifoldEmbedding,
    ManifoldForestClassifier,
    presets,
)
from silvan.explanations import feature_contributions
from silvan.inspection import (
    background_share,
    bias_variance,
    importance_map,
    out_of_bag_curve,
    projection_counts,
    strength_and_correlation,
    top_projections,
)
from silvan.plotting import (
    ContributionDisplay,
    EmbeddingDisplay,
    ImportanceDisplay,
    OutOfBagDisplay,
    ProjectionsDisplay,
    TreeDisplay,
)
from silvan.projections import RidgeDirections
from silvan.tuning import OutOfBagSearch

mpl.use("Agg")


@pytest.fixture(scope="module")
def data():
    return make_frame()


@pytest.fixture(scope="module")
def classifier(data):
    X, y, _ = data
    options = {"max_features": 6, "oob_score": True, "random_state": 0}
    return ForestClassifier(40, **options).fit(X, y)


@pytest.fixture(scope="module")
def regressor(data):
    X, _, y = data
    return ForestRegressor(40, max_features=6, oob_score=True, random_state=0).fit(X, y)


@pytest.fixture(params=["pandas", "polars"])
def rows(request):
    """Rows with unseen and missing categories, as a frame of either library."""
    if request.param == "pandas":
        return new_rows()
    polars = pytest.importorskip("polars")
    # Version 1.0 reads text with missing values from Arrow alone.
    return polars.from_arrow(pa.Table.from_pandas(new_rows(), preserve_index=False))


def test_contributions_add_up(classifier, regressor, rows):
    bias, values = feature_contributions(classifier, rows)
    assert values.shape == (60, 4, 3)
    np.testing.assert_allclose(
        bias + values.sum(axis=1), classifier.predict_proba(rows), rtol=0, atol=1e-6
    )
    bias, values = feature_contributions(regressor, rows)
    np.testing.assert_allclose(
        bias + values.sum(axis=1), regressor.predict(rows), rtol=0, atol=1e-6
    )


@pytest.mark.parametrize(
    "forest",
    [
        ForestClassifier(10, voting="hard", honest=True, random_state=0),
        ForestClassifier(10, projections=RidgeDirections(), random_state=0),
        ManifoldForestClassifier(10, channels="raw", scaling="rank", random_state=0),
    ],
)
def test_contributions_add_up_for_every_kind_of_forest(forest, data, rows):
    X, y, target = data
    bias, values = feature_contributions(forest.fit(X, y), rows)
    expected = forest.predict_proba(rows)
    np.testing.assert_allclose(bias + values.sum(axis=1), expected, rtol=0, atol=1e-6)
    several = ForestRegressor(10, scaling="standard", random_state=0)
    several.fit(X, np.column_stack([target, -target, target**2]))
    bias, values = feature_contributions(several, rows)
    expected = several.predict(rows)
    np.testing.assert_allclose(bias + values.sum(axis=1), expected, rtol=0, atol=1e-6)


def test_contributions_are_drawn_with_the_names_of_categories(classifier, rows):
    display = ContributionDisplay.from_estimator(classifier, rows[:4])
    labels = [[text.get_text() for text in axis.get_yticklabels()] for axis in display.axes_]
    assert "colour = mauve" in labels[0]
    assert "shop = a new shop" in labels[0]
    assert {"colour = missing", "shop = missing"} < set(labels[3])
    assert any(label.startswith("size = 0.") for label in labels[3])


def test_maps_and_projections_have_an_entry_for_each_column(classifier, data):
    assert projection_counts(classifier).shape == (4,)
    for kind in ("counts", "gain"):
        importance = importance_map(classifier, kind, per_class=True)
        assert importance.shape == (3, 4)
        assert importance.sum() == pytest.approx(1.0)
    assert background_share(importance_map(classifier), data[0]) == 0.0
    same = data[0].assign(colour="red", noise=1.0)
    expected = importance_map(classifier)[[0, 3]].sum()
    assert background_share(importance_map(classifier), same) == pytest.approx(expected)
    top = top_projections(classifier, None)
    assert top.importances.sum() == pytest.approx(1.0)
    assert np.isfinite(top.directions.data).all()
    # Projections are the same whatever the codes of their categories.
    formulas = top.formulas()
    assert len(set(formulas)) == len(formulas) < 100
    assert {"colour", "colour + shop"} < set(formulas)
    assert any({"size", "shop", "noise"} <= set(formula.split()) for formula in formulas)
    assert top.n_splits[formulas.index("colour")] > 20
    assert "- colour" not in " ".join(formulas)


def test_plots(classifier, data):
    X, y, _ = data
    tree = TreeDisplay.from_estimator(classifier, max_depth=2)
    words = " ".join(text.get_text() for text in tree.texts_)
    assert "{" in words
    assert any(f"{colour}: " in words for colour in X["colour"].cat.categories)
    ProjectionsDisplay.from_estimator(classifier, k=5)
    display = ImportanceDisplay.from_estimator(classifier, X.fillna({"size": 0.0, "noise": 0.0}))
    np.testing.assert_array_equal(np.isnan(display.background), [True, False, True, False])
    OutOfBagDisplay.from_estimator(classifier, X, y)


def test_out_of_bag_measures(classifier, regressor, data):
    X, y, target = data
    errors = out_of_bag_curve(classifier, X, y)
    assert errors[-1] == pytest.approx(1 - classifier.oob_score_)
    assert np.isfinite(out_of_bag_curve(regressor, X, target)[-1])
    assert strength_and_correlation(classifier, X, y).strength > 0
    other = X.assign(colour=X["colour"].astype(object).where(X["colour"] != "red", "blue"))
    with pytest.raises(ValueError, match="training samples"):
        out_of_bag_curve(classifier, other, y)


def test_weights_of_training_rows_give_the_prediction(regressor, data, rows):
    weights = regressor.forest_weights(rows)
    np.testing.assert_allclose(weights @ data[2], regressor.predict(rows))
    quantiles = regressor.predict_quantiles(rows, [0.1, 0.9])
    assert (quantiles[:, 0] <= quantiles[:, 1]).all()


def test_permutation_importance_and_partial_dependence(regressor, data):
    X, _, y = data
    found = permutation_importance(regressor, X, y, n_repeats=3, random_state=0)
    assert found.importances_mean[0] > found.importances_mean[3] + 0.05
    X = X.dropna().astype({"size": np.float64})
    options = {"categorical_features": ["colour", "shop"], "feature_names": list(X.columns)}
    curve = partial_dependence(regressor, X, ["colour"], **options)
    by_colour = dict(zip(curve["grid_values"][0], curve["average"][0], strict=True))
    assert min(by_colour["red"], by_colour["blue"]) > max(by_colour["pink"], by_colour["white"])
    display = PartialDependenceDisplay.from_estimator(
        regressor, X, ["colour", "size", ("colour", "shop")], **options
    )
    assert display.axes_.size >= 3


def test_bias_and_variance():
    def simulate(n_samples, random_state):
        X, y, _ = make_frame(n_samples, seed=random_state)
        return X, y

    measures = bias_variance(
        ForestClassifier(5), simulate, 60, n_repeats=3, n_test=50, random_state=0
    )
    assert 0 < measures.error < 0.7


def test_searches_and_pipelines(data):
    X, y, target = data
    search = OutOfBagSearch(ForestClassifier(30, random_state=0)).fit(X, y)
    assert search.score(new_rows(), search.predict(new_rows())) == 1.0
    np.testing.assert_array_equal(search.best_estimator_.categories_[0], COLOURS)
    grid = GridSearchCV(
        ForestRegressor(10, random_state=0), {"categorical_features": ["from_dtype", [0, 2]]}, cv=2
    ).fit(X, target)
    scores = grid.cv_results_["mean_test_score"]
    assert scores[0] == pytest.approx(scores[1])
    pipeline = make_pipeline(FunctionTransformer(), ForestClassifier(10, random_state=0))
    assert cross_val_score(pipeline, X, y, cv=3).min() > 0.5


def test_embeddings_by_the_leaves_of_a_forest(classifier, data, rows):
    X, y, _ = data
    embedding = ManifoldEmbedding(forest=FrozenEstimator(classifier)).fit(X)
    assert list(embedding.feature_names_in_) == list(X.columns)
    leaves = classifier.apply(X)
    shared = (leaves[:5, None] == leaves[None]).mean(axis=2)
    np.testing.assert_allclose(embedding.kernel(X[:5], X).toarray(), shared)
    assert np.isfinite(embedding.transform(rows)).all()
    grown = ManifoldEmbedding(forest=ForestClassifier(20, min_samples_leaf=10), random_state=0)
    points = grown.fit_transform(X, y)
    np.testing.assert_allclose(points, grown.transform(X))
    assert grown.forest_.categories_ is not None
    EmbeddingDisplay.from_estimator(grown, X, y)
    with pytest.raises(ValueError, match='affinity must be "binary" for a forest with categorical'):
        ManifoldEmbedding(forest=classifier, affinity="gaussian").fit(X)


# Grids and graphs have no frames of mixed columns, and codes of categories are not agnostic.
WITHOUT_FRAMES = {"graph_morf", "s_rerf", "morf", "mf", "agnostic"}


@pytest.mark.parametrize("name", [name for name in presets.__all__ if name not in WITHOUT_FRAMES])
def test_presets_take_frames(name, data, rows):
    X, y, _ = data
    forest = getattr(presets, name)(20, random_state=0).fit(X, y)
    assert forest.categories_ is not None
    assert forest.score(X, y) > 0.7
    assert np.isfinite(forest.predict_proba(rows)).all()
    assert isinstance(pd.Series(forest.predict(rows)).iloc[0], str)

"""What reads boosted forests: importances, contributions, files, text, ONNX, plots."""

import json

import matplotlib as mpl
import numpy as np
import pytest
from boosting.comparing import same_forest
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import check_is_fitted

import silvan
from silvan import (
    BoostedForestClassifier,
    BoostedForestRegressor,
    BoostedManifoldForestClassifier,
    ForestClassifier,
    ManifoldEmbedding,
)
from silvan.explanations import feature_contributions
from silvan.export import to_dict, to_onnx, to_text
from silvan.files import register
from silvan.inspection import (
    importance_map,
    out_of_bag_curve,
    projection_counts,
    strength_and_correlation,
    top_projections,
    tree_predictions,
)
from silvan.losses import Huber, Poisson
from silvan.plotting import ContributionDisplay, RoundsDisplay, TreeDisplay
from silvan.projections import AxisAligned
from silvan.tuning import OutOfBagSearch

mpl.use("agg")


@pytest.fixture(scope="module")
def three(labelled):
    return BoostedForestClassifier(8, random_state=0).fit(*labelled)


@pytest.fixture(scope="module")
def two(two_classes):
    return BoostedForestClassifier(8, random_state=0).fit(*two_classes)


@pytest.fixture(scope="module")
def number(numeric):
    return BoostedForestRegressor(8, loss="poisson", random_state=0).fit(*numeric)


@pytest.fixture(scope="module")
def digits():
    data = load_digits()
    forest = BoostedManifoldForestClassifier(6, channels="raw", random_state=0)
    return forest.fit(data.images[:600], data.target[:600]), data.images[600:700]


def test_importances_are_shares_of_the_gains(numeric):
    X, y = numeric
    forest = BoostedForestRegressor(30, projections=AxisAligned(), random_state=0).fit(X, y)
    importances = forest.feature_importances_
    assert importances.sum() == pytest.approx(1.0)
    # The sixth feature is noise, and the fourth counts most.
    assert importances.argmax() == 3
    assert importances[5] < 0.02
    # Early rounds gain more: the first alone has more than its share of all gains.
    arrays = forest.forest_
    spread = arrays.weight * arrays.impurity
    inner = np.flatnonzero(arrays.left >= 0)
    left = arrays.tree_offsets[arrays.node_trees()[inner]] + arrays.left[inner]
    gains = spread[inner] - spread[left] - spread[left + 1]
    assert (gains > 0).all()
    expected = np.bincount(arrays.direction_indices, weights=gains, minlength=6)
    np.testing.assert_allclose(importances, expected / expected.sum(), rtol=1e-5)


def test_maps_have_the_shape_of_the_grid_and_add_up_over_classes(digits):
    forest, _ = digits
    total = importance_map(forest, "gain")
    assert total.shape == (8, 8) and total.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(total.ravel(), forest.feature_importances_)
    for kind in ("gain", "counts"):
        by_class = importance_map(forest, kind, per_class=True)
        assert by_class.shape == (10, 8, 8)
        np.testing.assert_allclose(by_class.sum(axis=0), importance_map(forest, kind))
    assert projection_counts(forest).sum() > 0
    assert len(top_projections(forest, 5)) > 0


def test_maps_of_two_classes_are_not_parted(two):
    with pytest.raises(ValueError, match="per_class must be False for a boosted forest"):
        importance_map(two, per_class=True)


def test_contributions_add_up_to_the_raw_score(three, two, number, labelled, numeric):
    X = labelled[0][:20]
    bias, values = feature_contributions(three, X)
    np.testing.assert_allclose(bias + values.sum(axis=1), three.decision_function(X))
    bias, values = feature_contributions(two, X)
    assert values.shape == (20, 8)
    np.testing.assert_allclose(bias + values.sum(axis=1), two.decision_function(X))
    X = numeric[0][:20]
    bias, values = feature_contributions(number, X)
    np.testing.assert_allclose(np.exp(bias + values.sum(axis=1)), number.predict(X))


def test_files_keep_boosted_forests(three, number, digits, labelled, numeric, tmp_path):
    for forest, X in ((three, labelled[0]), (number, numeric[0]), digits):
        path = tmp_path / "forest.safetensors"
        forest.save(path)
        again = silvan.load(path)
        check_is_fitted(again)
        assert same_forest(again, forest)
        assert np.array_equal(again.predict(X), forest.predict(X))
        assert repr(again.loss_) == repr(forest.loss_)


def test_a_saved_forest_goes_on_with_a_warm_start(numeric, tmp_path):
    X, y = numeric
    options = {"loss": Huber(quantile=0.8), "early_stopping": True, "random_state": 0}
    long = BoostedForestRegressor(9, **options).fit(X, y)
    BoostedForestRegressor(4, warm_start=True, **options).fit(X, y).save(tmp_path / "four")
    warm = silvan.load(tmp_path / "four").set_params(n_estimators=9).fit(X, y)
    assert same_forest(warm, long)


def test_losses_of_ones_own_are_saved_when_registered(numeric, tmp_path):
    class Tilted(Poisson):
        pass

    forest = BoostedForestRegressor(2, loss=Tilted()).fit(*numeric)
    with pytest.raises(ValueError, match="register"):
        forest.save(tmp_path / "tilted")
    register(Tilted)
    forest.save(tmp_path / "tilted")
    assert type(silvan.load(tmp_path / "tilted").loss_) is Tilted


def test_damaged_files_are_refused(two, tmp_path):
    wrong = BoostedForestClassifier(8, random_state=0)
    vars(wrong).update(vars(two))
    for name, value in (("start_", np.zeros(2)), ("n_iter_", 3), ("loss_", "log_loss")):
        before = getattr(two, name)
        setattr(wrong, name, value)
        with pytest.raises(ValueError, match=name):
            wrong.save(tmp_path / "wrong")
        setattr(wrong, name, before)


def test_trees_are_written_with_what_they_add(three, two):
    assert "value: [" in to_text(two)
    assert "class:" not in to_text(three, tree=2)
    described = json.loads(json.dumps(to_dict(three)))
    assert described["loss"] == "MultinomialLogLoss"
    np.testing.assert_array_equal(described["start"], three.start_)
    leaf = next(node for node in described["trees"][1] if "values" in node)
    assert leaf["values"][0] == leaf["values"][2] == 0.0
    assert to_dict(ForestClassifier(1).fit([[0.0], [1.0]], [0, 1]))["start"] is None


def test_onnx_models_predict_what_the_forest_does(three, two, number, digits, labelled, numeric):
    onnxruntime = pytest.importorskip("onnxruntime")
    for forest, X in ((three, labelled[0]), (two, labelled[0]), digits):
        session = onnxruntime.InferenceSession(to_onnx(forest).SerializeToString())
        label, probabilities = session.run(None, {"X": X.astype(np.float32)})
        assert np.array_equal(label.astype(str), forest.predict(X).astype(str))
        np.testing.assert_allclose(probabilities, forest.predict_proba(X), rtol=1e-9)
    medians = BoostedForestRegressor(3, loss="absolute_error").fit(*numeric)
    both = BoostedForestRegressor(3).fit(numeric[0], np.column_stack([numeric[1]] * 2))
    for forest in (number, medians, both):
        session = onnxruntime.InferenceSession(to_onnx(forest).SerializeToString())
        (predicted,) = session.run(None, {"X": numeric[0]})
        np.testing.assert_allclose(predicted, forest.predict(numeric[0]), rtol=1e-9)


def test_a_link_of_ones_own_is_not_written_as_onnx(numeric):
    pytest.importorskip("onnx")

    class Exponential(Poisson):
        def inverse_link(self, raw):
            return np.exp(raw)

    forest = BoostedForestRegressor(2, loss=Exponential()).fit(*numeric)
    with pytest.raises(ValueError, match=r"loss must be one of silvan\.losses"):
        to_onnx(forest)


def test_plots_show_rounds_trees_and_contributions(three, two, labelled):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.close("all")
    X, y = labelled
    stopped = BoostedForestClassifier(20, early_stopping=True, random_state=0).fit(X, y)
    display = RoundsDisplay.from_estimator(stopped)
    np.testing.assert_array_equal(display.lines_[1].get_ydata(), -stopped.validation_score_)
    assert len(RoundsDisplay.from_estimator(three).lines_) == 1
    with pytest.raises(ValueError, match="forest must be a boosted forest"):
        RoundsDisplay.from_estimator(ForestClassifier())
    for forest in (three, two):
        TreeDisplay.from_estimator(forest)
        ContributionDisplay.from_estimator(forest, X[:2])


@pytest.mark.parametrize("reader", [tree_predictions, out_of_bag_curve, strength_and_correlation])
def test_readers_of_independent_trees_refuse_boosted_ones(two, two_classes, reader):
    data = two_classes if reader is not tree_predictions else two_classes[:1]
    with pytest.raises(ValueError, match="boosted forest is a single sum"):
        reader(two, *data)


def test_searches_by_out_of_bag_scores_refuse_boosted_forests(two_classes):
    with pytest.raises(ValueError, match="boosted forests do not"):
        OutOfBagSearch(BoostedForestClassifier(5)).fit(*two_classes)


def test_leaves_that_samples_share_make_an_embedding(two, two_classes):
    points = ManifoldEmbedding(forest=two, random_state=0).fit_transform(two_classes[0][:100])
    assert points.shape == (100, 2)

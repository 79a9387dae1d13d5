"""Boosted forests: what they predict, and that it follows from losses, trees and weights."""

import numpy as np
import pytest
from boosting.comparing import same_forest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import log_loss

import silvan
from silvan import (
    BoostedForestClassifier,
    BoostedForestRegressor,
    BoostedManifoldForestClassifier,
    BoostedManifoldForestRegressor,
)
from silvan.boosting.parameters import boost_options
from silvan.losses import Loss, Quantile, SquaredError
from silvan.projections import AxisAligned, Mixture, SparseSigns, Windows

LOSSES = ["squared_error", "absolute_error", "huber", "poisson", "gamma"]


def test_defaults_are_those_of_boosting():
    for kind in (
        BoostedForestClassifier,
        BoostedForestRegressor,
        BoostedManifoldForestClassifier,
        BoostedManifoldForestRegressor,
    ):
        forest = kind(7)
        assert forest.n_estimators == 7
        grid = "Manifold" in kind.__name__
        assert (forest.min_samples_leaf, forest.max_leaf_nodes) == ("auto", "auto" if grid else 31)
        assert (kind().n_estimators, forest.early_stopping) == (
            (300, False) if grid else (100, "auto")
        )
        random = kind is BoostedManifoldForestClassifier
        assert forest.thresholds == ("random" if random else "best")
        assert forest.l2_regularization == (kind is BoostedForestClassifier)
        assert forest.loss == ("log_loss" if "Classifier" in kind.__name__ else "squared_error")
        with pytest.raises(TypeError):
            kind(7, AxisAligned())


def test_more_samples_have_larger_trees_on_grids():
    forest = BoostedManifoldForestClassifier()
    leaves = {}
    for n in (2, 5_000, 10_000, 10**7):
        leaves[n] = boost_options(forest, AxisAligned(), n, 4).max_leaf_nodes
    assert leaves == {2: 8, 5_000: 8, 10_000: 16, 10**7: 31}
    with pytest.raises(ValueError, match=r'max_leaf_nodes .* >= 2, "auto" or None'):
        BoostedForestClassifier(2, max_leaf_nodes="some").fit([[0], [1]], [0, 1])


def test_single_features_predict_as_well_as_histogram_gradient_boosting(two_classes, numeric):
    X, y = two_classes
    ours = BoostedForestClassifier(50, projections=AxisAligned()).fit(X[:400], y[:400])
    theirs = HistGradientBoostingClassifier(
        max_iter=50, l2_regularization=ours.l2_regularization, early_stopping=False
    )
    theirs.fit(X[:400], y[:400])
    loss = [log_loss(y[400:], forest.predict_proba(X[400:])) for forest in (ours, theirs)]
    assert abs(loss[0] - loss[1]) < 0.03
    # With so few distinct values bins are the same, and so is the first tree, as long as its
    # nodes are large enough to have no ties to break.
    X = X.round(1)
    for forest in (ours, theirs):
        forest.set_params(max_leaf_nodes=8).fit(X, y)
    first = [next(forest.staged_predict_proba(X)) for forest in (ours, theirs)]
    np.testing.assert_allclose(*first, atol=1e-6)
    X, y = numeric
    ours = BoostedForestRegressor(50, projections=AxisAligned()).fit(X[:400], y[:400])
    theirs = HistGradientBoostingRegressor(max_iter=50, early_stopping=False)
    theirs.fit(X[:400], y[:400])
    assert abs(ours.score(X[400:], y[400:]) - theirs.score(X[400:], y[400:])) < 0.02


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_falls_with_the_rounds(numeric, loss):
    X, y = numeric
    forest = BoostedForestRegressor(40, loss=loss, random_state=0).fit(X[:400], y[:400])
    assert (np.diff(forest.train_score_) > -1e-9).all()
    assert forest.train_score_[-1] > forest.train_score_[0]
    assert forest.score(X[400:], y[400:]) > 0.6


def test_quantiles_cover_their_share(numeric):
    X, y = numeric
    for level in (0.1, 0.9):
        forest = BoostedForestRegressor(60, loss="quantile", quantile=level, random_state=0)
        below = (y <= forest.fit(X, y).predict(X)).mean()
        assert abs(below - level) < 0.03
        same = BoostedForestRegressor(60, loss=Quantile(level), random_state=0).fit(X, y)
        assert np.array_equal(same.predict(X), forest.predict(X))


def test_raw_scores_are_the_start_and_the_leaf_values_of_all_trees(labelled):
    X, y = labelled
    forest = BoostedForestClassifier(10, random_state=0).fit(X, y)
    arrays = forest.forest_
    assert arrays.n_trees == 30
    leaves = arrays.leaf_offsets[:-1] - 1 - arrays.left[arrays.tree_offsets[:-1] + forest.apply(X)]
    raw = forest.start_ + arrays.leaf_values().toarray()[leaves].sum(axis=1)
    np.testing.assert_allclose(forest.decision_function(X), raw, rtol=1e-12)
    exp = np.exp(raw)
    np.testing.assert_allclose(forest.predict_proba(X), exp / exp.sum(axis=1, keepdims=True))
    assert np.array_equal(forest.predict(X), forest.classes_[raw.argmax(axis=1)])


def test_staged_predictions_end_with_the_prediction(labelled, two_classes, numeric):
    for X, y in (labelled, two_classes):
        forest = BoostedForestClassifier(6, random_state=0).fit(X, y)
        for name in ("predict", "predict_proba", "decision_function"):
            stages = list(getattr(forest, f"staged_{name}")(X))
            assert len(stages) == 6
            assert np.array_equal(stages[-1], getattr(forest, name)(X))
            assert not np.array_equal(stages[0], stages[-1])
        shorter = clone(forest).set_params(n_estimators=3).fit(X, y)
        assert np.array_equal(list(forest.staged_predict_proba(X))[2], shorter.predict_proba(X))
    X, y = numeric
    forest = BoostedForestRegressor(6, loss="poisson", random_state=0).fit(X, y)
    assert np.array_equal(list(forest.staged_predict(X))[-1], forest.predict(X))


def test_scores_of_training_samples_are_what_the_forest_predicts_for_them(two_classes):
    X, y = two_classes
    forest = BoostedForestClassifier(5, random_state=0, subsample=0.5).fit(X, y)
    for score, stage in zip(forest.train_score_[1:], forest.staged_predict_proba(X), strict=True):
        assert -score == pytest.approx(log_loss(y, stage), rel=1e-12)


def test_the_forest_does_not_depend_on_threads_or_the_order_of_samples(labelled):
    X, y = labelled
    one = BoostedForestClassifier(5, random_state=0, subsample=0.6, colsample=0.5).fit(X, y)
    three = clone(one).set_params(n_jobs=3).fit(X, y)
    assert same_forest(one, three)
    shuffled = np.random.default_rng(0).permutation(len(X))
    other = clone(one).fit(X[shuffled], y[shuffled])
    np.testing.assert_allclose(other.predict_proba(X), one.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("options", [{}, {"subsample": 0.6}, {"vector_leaves": True}])
def test_threads_share_the_samples_of_large_tables(options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70_000, 3)).astype(np.float32)
    y = np.column_stack([X[:, 0] * X[:, 1], X[:, 2] ** 2]) + rng.normal(size=(len(X), 2))
    one, three = (
        BoostedForestRegressor(
            3, early_stopping=False, projections=AxisAligned(), n_jobs=n, random_state=0, **options
        ).fit(X, y)
        for n in (1, 3)
    )
    assert same_forest(one, three)
    # The scores that the last round was grown on are those of prediction.
    assert -one.train_score_[-1] == pytest.approx(one.loss_.value(y, one.predict(X)), rel=0.03)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber"])
def test_whole_weights_are_repeated_samples(numeric, loss):
    X, y = numeric
    weight = np.random.default_rng(0).integers(0, 4, size=len(y))
    forest = BoostedForestRegressor(10, loss=loss, subsample=0.8, max_bins=255, random_state=0)
    weighted = clone(forest).fit(X[:200], y[:200], sample_weight=weight[:200])
    repeated = clone(forest).fit(*(np.repeat(a[:200], weight[:200], axis=0) for a in (X, y)))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-9)


def test_class_weights_multiply_sample_weights(two_classes):
    X, y = two_classes
    forest = BoostedForestClassifier(5, random_state=0)
    by_class = clone(forest).set_params(class_weight={True: 3}).fit(X, y)
    by_sample = clone(forest).fit(X, y, sample_weight=np.where(y, 3.0, 1.0))
    np.testing.assert_allclose(by_class.predict_proba(X), by_sample.predict_proba(X))
    assert by_class.predict_proba(X)[:, 1].mean() > forest.fit(X, y).predict_proba(X)[:, 1].mean()


def test_several_targets_are_boosted_side_by_side(numeric):
    X, y = numeric
    both = BoostedForestRegressor(10, random_state=0).fit(X, np.column_stack([y, -y]))
    assert both.forest_.n_trees == 20
    assert both.predict(X).shape == (600, 2)
    np.testing.assert_allclose(both.predict(X)[:, 0], -both.predict(X)[:, 1], rtol=1e-9)
    vector = clone(both).set_params(vector_leaves=True).fit(X, np.column_stack([y, -y]))
    assert vector.forest_.n_trees == 10
    median = clone(both).set_params(loss="absolute_error").fit(X, np.column_stack([y, 2 * y]))
    np.testing.assert_allclose(2 * median.predict(X)[:, 0], median.predict(X)[:, 1], rtol=1e-6)


def test_vector_leaves_renew_every_output(numeric):
    X, y = numeric
    forest = BoostedForestRegressor(30, loss="absolute_error", vector_leaves=True, random_state=0)
    targets = np.column_stack([y, -3 * y])
    assert forest.fit(X, targets).score(X, targets) > 0.8


class Doubled(Loss):
    """Twice the squared error, written by a user."""

    def losses(self, y, raw):
        return 2 * SquaredError().losses(y, raw)

    def derivatives(self, y, raw):
        gradients, hessians = SquaredError().derivatives(y, raw)
        return 2 * gradients, 2 * hessians

    def start(self, y, weight=None):
        return SquaredError().start(y, weight)


def test_a_loss_of_ones_own_is_minimised(numeric):
    X, y = numeric
    own = BoostedForestRegressor(10, loss=Doubled(), random_state=0).fit(X, y)
    known = BoostedForestRegressor(10, random_state=0).fit(X, y)
    np.testing.assert_allclose(own.predict(X), known.predict(X))
    np.testing.assert_allclose(own.train_score_, 2 * known.train_score_)


def test_directions_of_several_features_are_drawn_where_asked(numeric):
    X, y = numeric
    axis = BoostedForestRegressor(5, projections=AxisAligned()).fit(X, y)
    assert np.diff(axis.forest_.directions().indptr).max() == 1
    sparse = SparseSigns(mean_nonzeros=3.0)
    mixed = BoostedForestRegressor(5, projections=sparse, random_state=0).fit(X, y)
    assert np.diff(mixed.forest_.directions().indptr).max() > 1
    both = Mixture([(AxisAligned(), 1.0), (sparse, 1.0)])
    forest = BoostedForestRegressor(5, projections=both, max_features=3, random_state=0)
    counts = np.diff(forest.fit(X, y).forest_.directions().indptr)
    assert 1 in counts and counts.max() > 1


def test_constraints_hold_where_directions_are_single_features(numeric):
    X, y = numeric
    forest = BoostedForestRegressor(
        30, projections=AxisAligned(), monotonic_cst=[1, 0, 0, 0, 0, 0], min_samples_leaf=5
    ).fit(X, y)
    grid = np.repeat(X[:20], 30, axis=0)
    grid[:, 0] = np.tile(np.linspace(0, 1, 30), 20)
    assert (np.diff(forest.predict(grid).reshape(20, 30), axis=1) >= 0).all()
    alone = BoostedForestRegressor(10, projections=AxisAligned(), interaction_cst="no_interactions")
    arrays = alone.fit(X, y).forest_
    for tree in range(arrays.n_trees):
        assert len(np.unique(arrays.directions(tree).indices)) <= 1


def test_manifold_forms_take_samples_in_the_shape_of_the_data():
    rng = np.random.default_rng(0)
    images = rng.normal(size=(400, 6, 6)).astype(np.float32)
    y = images[:, 1:3, 1:3].sum(axis=(1, 2)) > 0
    forest = BoostedManifoldForestClassifier(20, random_state=0).fit(images, y)
    assert forest.shape_ == (6, 6)
    assert forest.score(images, y) > 0.95
    assert np.array_equal(forest.predict(images), forest.predict(images.reshape(400, 36)))


def test_missing_values_and_categories_are_learnt():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue", "white"], size=600)
    size = rng.normal(size=600)
    y = np.where(np.isin(colour, ["red", "white"]), 2 + size, size) + 0.1 * rng.normal(size=600)
    size[::7] = np.nan
    X = pd.DataFrame({"colour": pd.Categorical(colour), "size": size})
    forest = BoostedForestRegressor(100, random_state=0).fit(X[:400], y[:400])
    known = ~np.isnan(size[400:])
    assert forest.score(X[400:][known], y[400:][known]) > 0.9
    assert forest.categories_[0].tolist() == ["blue", "green", "red", "white"]


def test_what_needs_members_of_leaves_is_not_there(two_classes):
    forest = BoostedForestClassifier(3).fit(*two_classes)
    for name in ("forest_weights", "oob_score_", "oob_score", "bootstrap", "predict_quantiles"):
        assert not hasattr(forest, name)
    assert len(forest.forest_.members) == 0


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_windows_on_channels_are_kept_by_the_trees(dtype, tmp_path):
    rng = np.random.default_rng(0)
    images = rng.integers(0, 200, size=(400, 72)).astype(dtype)
    grey, edges = images[:, :36].reshape(-1, 6, 6), images[:, 36:].reshape(-1, 6, 6)
    y = grey[:, :3, :3].mean(axis=(1, 2)) > edges[:, 2:4, 2:4].mean(axis=(1, 2), dtype=np.float64)
    windows = Windows([(6, 6), (6, 6)], max_size=4, n_patches=2, statistics=("mean", "spread"))
    forest = BoostedForestClassifier(12, projections=windows, max_features=60, random_state=0)
    forest.fit(images, y)
    # Training samples are routed by codes, all others by windows.
    for score, stage in zip(
        forest.train_score_[1:], forest.staged_predict_proba(images), strict=True
    ):
        assert -score == pytest.approx(log_loss(y, stage), rel=1e-12)
    forest.save(tmp_path / "windows")
    again = silvan.load(tmp_path / "windows")
    assert np.array_equal(again.predict_proba(images), forest.predict_proba(images))
    warm = clone(forest).set_params(n_estimators=5, warm_start=True).fit(images, y)
    assert same_forest(warm.set_params(n_estimators=12).fit(images, y), forest)

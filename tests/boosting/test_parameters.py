"""Wrong parameters of boosted forests are refused, with what to do instead."""

import numpy as np
import pytest
from sklearn.base import clone

from silvan import (
    BoostedForestClassifier,
    BoostedForestRegressor,
    BoostedManifoldForestRegressor,
)
from silvan.losses import SquaredError
from silvan.projections import AxisAligned, Mixture, SparseSigns

AXIS = {"projections": AxisAligned()}


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_estimators": 0},
        {"learning_rate": 0},
        {"learning_rate": 1.5},
        {"max_leaf_nodes": 1},
        {"max_depth": 0},
        {"min_samples_leaf": 0},
        {"min_samples_leaf": "few"},
        {"min_child_weight": -1},
        {"l1_regularization": -0.1},
        {"l2_regularization": "much"},
        {"subsample": 0.0},
        {"colsample": 2},
        {"redraw_every": 0},
        {"max_bins": 256},
        {"max_bins": 1},
        {"vector_leaves": "yes"},
        {"early_stopping": "always"},
        {"scoring": 3},
        {"validation_fraction": 1.0},
        {"validation_fraction": 0},
        {"n_iter_no_change": 0},
        {"tol": -1e-3},
        {"thresholds": "all"},
        {"loss": "log_loss"},
        {"quantile": 2.0},
        {"max_features": 0},
        {"monotonic_cst": [1, 2, 0, 0, 0, 0], **AXIS},
        {"monotonic_cst": [1, 0], **AXIS},
        {"monotonic_cst": {"a": 1}, **AXIS},
        {"interaction_cst": "triples", **AXIS},
        {"interaction_cst": [[0, 6]], **AXIS},
        {"interaction_cst": [0, 1], **AXIS},
    ],
)
def test_wrong_parameters_are_named(numeric, wrong):
    name = next(iter(wrong))
    with pytest.raises(ValueError, match=f"^{name} must be"):
        BoostedForestRegressor(**wrong).fit(*numeric)


def test_a_quantile_is_needed_where_it_is_to_be_predicted(numeric):
    with pytest.raises(ValueError, match=r'quantile must be a number .* with loss="quantile"'):
        BoostedForestRegressor(loss="quantile").fit(*numeric)


@pytest.mark.parametrize("name", ["monotonic_cst", "interaction_cst"])
def test_constraints_are_refused_where_directions_have_several_features(numeric, name):
    value = [1, 0, 0, 0, 0, 0] if name == "monotonic_cst" else "pairwise"
    for projections in (None, SparseSigns(), Mixture([(AxisAligned(), 1.0), (SparseSigns(), 1.0)])):
        with pytest.raises(ValueError, match=rf"{name} must be None .*AxisAligned"):
            BoostedForestRegressor(projections=projections, **{name: value}).fit(*numeric)
    only_axis = Mixture([(AxisAligned(), 1.0), (SparseSigns(), 0.0)])
    BoostedForestRegressor(1, projections=only_axis, **{name: value}).fit(*numeric)


@pytest.mark.parametrize(
    "constraint",
    [{"monotonic_cst": [1] * 9}, {"monotonic_cst": {"a": 1}}, {"interaction_cst": "pairwise"}],
)
@pytest.mark.parametrize("channels", ["auto", "raw"])
def test_forests_on_grids_have_no_constraints(constraint, channels):
    X = np.random.default_rng(0).normal(size=(40, 3, 3))
    name = next(iter(constraint))
    forest = BoostedManifoldForestRegressor(2, channels=channels, **constraint)
    remedy = "leave it out, or fit a BoostedForestRegressor with projections=.*AxisAligned"
    with pytest.raises(ValueError, match=f"{name} must be None in a manifold forest.*{remedy}"):
        forest.fit(X, X[:, 0, 0])


def test_constraints_by_name_are_those_by_position(numeric):
    pd = pytest.importorskip("pandas")
    X, y = numeric
    frame = pd.DataFrame(X, columns=list("abcdef"))
    named = BoostedForestRegressor(5, monotonic_cst={"d": -1}, **AXIS).fit(frame, y)
    placed = BoostedForestRegressor(5, monotonic_cst=[0, 0, 0, -1, 0, 0], **AXIS).fit(X, y)
    assert np.array_equal(named.predict(frame), placed.predict(X))
    with pytest.raises(ValueError, match="no column named 'z'"):
        BoostedForestRegressor(5, monotonic_cst={"z": -1}, **AXIS).fit(frame, y)
    placed = BoostedForestRegressor(5, interaction_cst=[[0, 1], [2, 3]], **AXIS).fit(X, y)
    for groups in ([["a", "b"], ["c", "d"]], [["a", 1], [2, 3]]):
        named = BoostedForestRegressor(5, interaction_cst=groups, **AXIS).fit(frame, y)
        assert np.array_equal(named.predict(frame), placed.predict(X))
    for groups in ([["a", "z"]], ["ab", "cd"], ["a", "b"]):
        with pytest.raises(ValueError, match="by their names in X or by their positions"):
            BoostedForestRegressor(5, interaction_cst=groups, **AXIS).fit(frame, y)


def test_several_classes_cannot_be_monotone(labelled):
    forest = BoostedForestClassifier(monotonic_cst=[1, 0, 0, 0, 0, 0, 0, 0], **AXIS)
    with pytest.raises(ValueError, match="monotonic_cst must be None with more than two classes"):
        forest.fit(*labelled)


def test_categories_cannot_be_monotone(numeric):
    pd = pytest.importorskip("pandas")
    X, y = numeric
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(c=np.where(X[:, 0] > 0.5, "up", "down"))
    rule = "monotonic_cst must be 0 for categories, .* column 2, but it is"
    with pytest.raises(ValueError, match=rule):
        BoostedForestRegressor(5, monotonic_cst={"a": 1, "c": 1}, **AXIS).fit(frame, y)
    BoostedForestRegressor(5, monotonic_cst={"a": 1}, **AXIS).fit(frame, y)


@pytest.mark.parametrize("kind", [BoostedForestClassifier, BoostedForestRegressor])
def test_the_message_about_losses_says_how_to_pass_ones_own(kind, numeric):
    with pytest.raises(ValueError, match=r"or an object of a class .* silvan\.losses\.Loss"):
        kind(5, loss=SquaredError).fit(numeric[0], numeric[1] > 15)


def test_a_single_class_is_refused():
    with pytest.raises(ValueError, match="y must have at least two classes"):
        BoostedForestClassifier().fit(np.eye(3), [1, 1, 1])


def test_too_few_samples_to_hold_some_out_are_refused():
    forest = BoostedForestRegressor(early_stopping=True, validation_fraction=5)
    with pytest.raises(ValueError, match="validation_fraction must be such that"):
        forest.fit(np.eye(5), np.arange(5.0))


def test_default_projections_are_reached_by_their_parameters(numeric):
    forest = BoostedForestRegressor(2).set_params(
        projections__component_1__distribution__mean_nonzeros=4.0
    )
    assert forest.fit(*numeric).projections_.components[1][0].distribution.mean_nonzeros == 4.0


@pytest.mark.parametrize("name", ["max_leaf_nodes", "max_depth", "redraw_every"])
def test_limits_beyond_64_bits_are_none(name):
    X = np.random.default_rng(0).normal(size=(60, 2))
    forest = BoostedForestRegressor(2, min_samples_leaf=5, n_jobs=1, random_state=0)
    large = clone(forest).set_params(**{name: 2**70}).fit(X, X[:, 0])
    larger = forest.set_params(**{name: 10**6}).fit(X, X[:, 0])
    assert np.array_equal(large.predict(X), larger.predict(X))


@pytest.mark.parametrize(("n_samples", "as_number"), [(4, 1), (60, 12), (400, 20)])
def test_leaves_need_a_fifth_of_few_samples(n_samples, as_number):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n_samples, 3)), rng.normal(size=n_samples)
    auto, number = (
        BoostedForestRegressor(5, min_samples_leaf=leaf, random_state=0).fit(X, y).predict(X)
        for leaf in ("auto", as_number)
    )
    np.testing.assert_array_equal(auto, number)


def test_many_copies_of_a_few_samples_are_learnt():
    # Equal samples are one of their weight, so that there are eight in all.
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(2000, 2)).astype(float)
    y = (rng.random(2000) < 0.2 + 0.6 * (X[:, 0] != X[:, 1])).astype(int)
    cells = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    shares = [y[(cell == X).all(axis=1)].mean() for cell in cells]
    forest = BoostedForestClassifier(random_state=0).fit(X, y)
    np.testing.assert_allclose(forest.predict_proba(cells)[:, 1], shares, atol=0.02)


@pytest.mark.parametrize("label", [0, "a"])
def test_one_class_is_refused_by_its_name(label):
    message = f"at least two classes to tell apart, but it has one class, {label!r}; pass"
    with pytest.raises(ValueError, match=message):
        BoostedForestClassifier(2).fit(np.eye(20), np.full(20, label))


@pytest.mark.parametrize("loss", ["absolute_error", "quantile"])
def test_losses_that_say_what_leaves_have_cannot_be_monotone(numeric, loss):
    X, y = numeric
    quantile = 0.7 if loss == "quantile" else None
    forest = BoostedForestRegressor(5, loss=loss, quantile=quantile, monotonic_cst=[1] * 6, **AXIS)
    with pytest.raises(ValueError, match=r"^monotonic_cst must be None with the loss .*huber"):
        forest.fit(X, y)
    rising = forest.set_params(loss="huber", quantile=None, n_estimators=30).fit(X, y)
    steps = np.zeros((100, 6))
    steps[:, 0] = np.linspace(-3, 3, 100)
    assert (np.diff(rising.predict(steps)) >= 0).all()

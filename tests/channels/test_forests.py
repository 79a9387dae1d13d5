"""Manifold forests on channels: defaults, invariances, readers, files, refusals."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone

import silvan
from silvan import (
    BoostedManifoldForestClassifier,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
    presets,
)
from silvan.channels import (
    Channel,
    Convolutions,
    Difference,
    FittedChannels,
    Function,
    Gradients,
    LocalContrast,
    Raw,
    Spectrum,
)
from silvan.explanations import feature_contributions
from silvan.export import to_dict, to_onnx, to_text
from silvan.files import register
from silvan.inspection import (
    grid_of,
    importance_map,
    projection_counts,
    top_projections,
    top_windows,
)
from silvan.projections import Patches, RidgeWindows, Windows

RNG = np.random.default_rng(0)


def make_series(n=120, length=50, seed=0, noise=0.7):
    """Two classes that differ in how fast they oscillate, at a random phase."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    time, phase = np.arange(length), rng.uniform(0, 2 * np.pi, size=(n, 1))
    waves = np.sin(2 * np.pi * time * (3 + 3 * y[:, None]) / length + phase)
    return waves + noise * rng.normal(size=(n, length)), y


def make_images(n=150, seed=0):
    """Bars of two orientations at random places, as bytes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    images = rng.integers(0, 60, size=(n, 12, 12), dtype=np.uint8)
    for image, label, at in zip(images, y, rng.integers(1, 10, size=n), strict=True):
        (image if label else image.T)[at] += 120
    return images, y


SERIES, SERIES_Y = make_series()
IMAGES, IMAGES_Y = make_images()
COLOUR = np.stack([IMAGES, IMAGES // 2, 255 - IMAGES], axis=-1)
SENSORS = np.stack([SERIES, RNG.normal(size=SERIES.shape)] * 3, axis=1)
KINDS = {
    "series": (SERIES, SERIES_Y, {}),
    "circle": (SERIES, SERIES_Y, {"boundary": "wrap"}),
    "sensors": (SENSORS, SERIES_Y, {"contiguous": (False, True)}),
    "image": (IMAGES, IMAGES_Y, {}),
    "floats": (IMAGES / 255, IMAGES_Y, {}),
    "colour": (COLOUR, IMAGES_Y, {}),
    "volume": (RNG.normal(size=(60, 5, 6, 7)), RNG.integers(2, size=60), {}),
    "short": (SERIES[:, :5], SERIES_Y, {}),
    "one": (SERIES[:, :1], SERIES_Y, {}),
}


@pytest.fixture(params=KINDS)
def kind(request):
    X, y, options = KINDS[request.param]
    return X, y, ManifoldForestClassifier(15, random_state=0, **options)


def test_defaults_suit_every_kind_of_grid(kind):
    X, y, forest = kind
    forest.fit(X, y)
    assert isinstance(forest.channels_, FittedChannels)
    assert isinstance(forest.projections_, Windows)
    assert forest.forest_.n_features == forest.channels_.layout.n_cells
    assert forest.n_features_in_ == np.prod(X.shape[1:])
    assert (forest.predict(X) == y).mean() > 0.9
    flat = X.reshape(len(X), -1)
    np.testing.assert_array_equal(forest.predict_proba(flat), forest.predict_proba(X))


def test_channels_tell_what_raw_sums_cannot():
    X, y = make_series(300, noise=2.0)
    X_new, y_new = make_series(300, seed=1, noise=2.0)
    auto = ManifoldForestClassifier(50, random_state=0).fit(X, y).score(X_new, y_new)
    raw = ManifoldForestClassifier(50, channels="raw", random_state=0).fit(X, y)
    assert auto > raw.score(X_new, y_new) + 0.1


def test_regressors_have_channels():
    time = np.arange(60)
    rate = RNG.uniform(2, 10, size=200)
    X = np.sin(2 * np.pi * rate[:, None] * time / 60 + RNG.uniform(0, 6, size=(200, 1)))
    forest = ManifoldForestRegressor(50, random_state=0).fit(X[:100], rate[:100])
    assert forest.score(X[100:], rate[100:]) > 0.9


def test_raw_is_the_forest_of_patches_with_its_own_defaults():
    forest = ManifoldForestClassifier(5, channels="raw", random_state=0).fit(IMAGES, IMAGES_Y)
    assert forest.channels_ is None
    assert forest.projections_ == Patches((12, 12))
    explicit = ManifoldForestClassifier(
        5, channels="raw", thresholds="best", bootstrap=True, random_state=0
    ).fit(IMAGES, IMAGES_Y)
    np.testing.assert_array_equal(forest.apply(IMAGES), explicit.apply(IMAGES))


@pytest.mark.parametrize("make", [presets.morf, presets.mf])
def test_presets_are_raw(make):
    assert make().channels == "raw"
    assert isinstance(make(3, random_state=0).fit(IMAGES, IMAGES_Y).projections_, Patches)


def test_forest_does_not_depend_on_order_threads_or_repeats(kind):
    X, y, forest = kind
    expected = clone(forest).fit(X, y).predict_proba(X)
    order = np.random.default_rng(5).permutation(len(X))
    shuffled = clone(forest).set_params(n_jobs=3).fit(X[order], y[order])
    np.testing.assert_array_equal(shuffled.predict_proba(X), expected)
    twice = clone(forest).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    weighted = clone(forest).fit(X, y, sample_weight=np.full(len(X), 2))
    np.testing.assert_array_equal(twice.predict_proba(X), weighted.predict_proba(X))


def test_warm_starts_go_on_with_the_same_channels():
    whole = ManifoldForestClassifier(10, random_state=0).fit(SERIES, SERIES_Y)
    warm = ManifoldForestClassifier(4, random_state=0, warm_start=True).fit(SERIES, SERIES_Y)
    warm.set_params(n_estimators=10).fit(SERIES, SERIES_Y)
    np.testing.assert_array_equal(warm.predict_proba(SERIES), whole.predict_proba(SERIES))


def test_prediction_in_blocks_is_prediction_at_once(kind, monkeypatch):
    X, y, forest = kind
    forest.fit(X, y)
    expected, leaves = forest.predict_proba(X), forest.apply(X)
    monkeypatch.setattr("silvan.forests.grid._BLOCK_CELLS", 7 * forest.forest_.n_features)
    np.testing.assert_array_equal(forest.predict_proba(X), expected)
    np.testing.assert_array_equal(forest.apply(X), leaves)


def test_out_of_bag_scores_work_with_the_defaults():
    forest = ManifoldForestClassifier(60, oob_score=True, random_state=0).fit(SERIES, SERIES_Y)
    assert forest.oob_score_ > 0.9
    assert not np.isnan(forest.oob_decision_function_).any()
    assert forest.bootstrap == "auto"
    assert (np.diff(forest.forest_.leaf_offsets) > 0).all()
    with pytest.raises(ValueError, match="only available if bootstrap=True or max_samples"):
        forest.set_params(bootstrap=False).fit(SERIES, SERIES_Y)


def test_without_out_of_bag_scores_every_tree_sees_every_sample():
    forest = ManifoldForestClassifier(3, random_state=0).fit(SERIES, SERIES_Y)
    assert forest.fitted_.sampling.plan.n_draws == len(SERIES)
    fewer = ManifoldForestClassifier(3, max_samples=0.5).fit(SERIES, SERIES_Y)
    assert fewer.fitted_.sampling.plan.n_draws == len(SERIES) // 2
    for drawing in ({"bootstrap": True}, {"class_weight": "balanced"}):
        drawn = ManifoldForestClassifier(3, **drawing).fit(SERIES, SERIES_Y)
        assert drawn.fitted_.sampling.plan.replace


@pytest.mark.parametrize("per_class", [False, True])
@pytest.mark.parametrize("how", ["counts", "gain"])
def test_importance_maps_keep_the_shape_of_the_grid_and_split_by_channel(kind, how, per_class):
    X, y, forest = kind
    forest.fit(X, y)
    whole = importance_map(forest, how, per_class=per_class)
    head = (2,) if per_class else ()
    assert whole.shape == (*head, *X.shape[1:])
    assert whole.sum() == pytest.approx(1)
    parts = importance_map(forest, how, per_class=per_class, by_channel=True)
    layout = forest.channels_.layout
    assert [part.shape for part in parts.values()] == [(*head, *shape) for shape in layout.shapes]
    assert sum(part.sum() for part in parts.values()) == pytest.approx(1)
    cells = np.concatenate([part.reshape(*head, -1) for part in parts.values()], axis=-1)
    spread = forest.channels_.credit_on_grid(cells.reshape(-1, layout.n_cells))
    np.testing.assert_allclose(spread.reshape(whole.shape), whole)


def test_feature_importances_are_the_map_of_gains(kind):
    X, y, forest = kind
    forest.fit(X, y)
    gains = importance_map(forest, "gain")
    np.testing.assert_allclose(forest.feature_importances_, gains.ravel())


@pytest.mark.parametrize(("n_terms", "share"), [(1, 0.5), (40, 0.4)])
def test_spectra_have_a_map_over_frequency(n_terms, share):
    forest = ManifoldForestClassifier(30, random_state=0, channels=[Spectrum()], n_terms=n_terms)
    X, y = make_series(200)
    maps = importance_map(forest.fit(X, y), "gain", by_channel=True)
    assert set(maps) == {"spectrum"}
    # Frequencies 2 to 7 of 25; the classes have 3 and 6.
    assert maps["spectrum"][1:7].sum() > share
    assert maps["spectrum"].argmax() + 1 in range(2, 8)


def test_contributions_add_up(kind):
    X, y, forest = kind
    forest.fit(X, y)
    bias, values = feature_contributions(forest, X[:9])
    assert values.shape == (9, forest.n_features_in_, 2)
    np.testing.assert_allclose(bias + values.sum(axis=1), forest.predict_proba(X[:9]), atol=1e-12)


def test_text_names_statistics_channels_and_cells():
    forest = ManifoldForestClassifier(5, n_terms=1, random_state=0).fit(SERIES, SERIES_Y)
    text = "\n".join(to_text(forest, tree) for tree in range(5))
    names = "|".join(("value", "difference", "spectrum", r"convolution \d+( of difference)?"))
    for line in text.splitlines():
        assert "class:" in line or re.search(
            rf"(mean|spread|slope) of ({names}) \[\d+:\d+\] (<=|> )", line
        )
    described = to_dict(forest)
    assert described["n_features"] == 50
    assert described["channels"][:3] == ["value", "difference", "spectrum"]
    root = described["trees"][0][0]
    assert len(root["coefficients"]) == len(root["windows"]) == 1
    assert set(root["windows"][0]) == {
        "channel",
        "start",
        "end",
        "statistic",
        "shift",
        "scale",
    }


def test_text_begins_with_the_largest_terms_of_a_combination():
    forest = ManifoldForestClassifier(5, n_terms=6, random_state=0).fit(SERIES, SERIES_Y)
    root = to_dict(forest)["trees"][0][0]
    sizes = np.abs(root["coefficients"])
    assert len(sizes) == len(root["windows"]) == 6
    assert (np.diff(sizes) <= 0).all()
    np.testing.assert_allclose((sizes**2).sum(), 1, rtol=1e-5)
    first = to_text(forest, 0, max_terms=2).splitlines()[0]
    number = r"\d\.\d+"
    window = rf"{number}\*(mean|spread|slope) of [a-z0-9 ]+ \[\d+:\d+\] / [\d.e-]+"
    assert re.fullmatch(rf"\|--- -?{window} [+-] {window} \+ \.\.\. 4 more <= -?[\d.]+", first)


def test_shifted_windows_are_named():
    forest = ManifoldForestClassifier(5, channels=[Raw()], shift=2, random_state=0)
    text = to_text(forest.fit(IMAGES, IMAGES_Y))
    assert "largest mean of value [" in text or "smallest mean of value [" in text


def test_top_windows_are_the_best_splits_in_words():
    forest = ManifoldForestClassifier(20, n_terms=1, random_state=0).fit(SERIES, SERIES_Y)
    everything = top_windows(forest, None)
    assert everything.importances.sum() == pytest.approx(1)
    assert (np.diff(everything.importances) <= 0).all()
    n_splits = int((forest.forest_.left >= 0).sum())
    assert everything.n_splits.sum() == n_splits
    assert str(top_windows(forest, 2)).count("\n") == 2
    with pytest.raises(ValueError, match="use top_projections"):
        top_windows(ManifoldForestClassifier(2, channels="raw").fit(SERIES, SERIES_Y))


def test_windows_that_a_fit_combines_share_its_gain_by_their_coefficients():
    forest = ManifoldForestClassifier(1, n_terms=5, max_depth=1, random_state=0)
    arrays = forest.fit(SERIES, SERIES_Y).forest_
    terms = arrays.windows(0)
    top = top_windows(forest, None)
    assert len(terms) == len(top) == 5
    sizes = np.abs([coefficient for coefficient, _ in terms])
    np.testing.assert_allclose(top.importances, sizes / sizes.sum(), rtol=1e-6)
    named = [window.describe(forest.channels_.layout.names[window.channel]) for _, window in terms]
    assert [name.partition(" / ")[0] for name in named] == top.formulas()
    assert top.n_splits.tolist() == [1] * 5


def test_readers_that_need_sums_of_features_refuse_by_name():
    forest = ManifoldForestClassifier(5, random_state=0).fit(SERIES, SERIES_Y)
    with pytest.raises(ValueError, match="use importance_map"):
        projection_counts(forest)
    with pytest.raises(ValueError, match="use top_windows"):
        top_projections(forest)
    with pytest.raises(ValueError, match=r"without windows on channels.*channels=\"raw\""):
        to_onnx(forest)
    raw = ManifoldForestClassifier(5, channels="raw", random_state=0).fit(SERIES, SERIES_Y)
    with pytest.raises(ValueError, match="by_channel must be False for a forest without channels"):
        importance_map(raw, by_channel=True)


def test_the_grid_of_a_forest_with_channels_is_that_of_its_samples(kind):
    X, y, forest = kind
    assert grid_of(forest.fit(X, y)).grid.shape == X.shape[1:]


def test_files_and_pickles_keep_what_channels_learnt(kind, tmp_path):
    X, y, forest = kind
    forest.fit(X, y)
    forest.save(tmp_path / "forest.safetensors")
    loaded = silvan.load(tmp_path / "forest.safetensors")
    for same in (loaded, pickle.loads(pickle.dumps(forest))):
        np.testing.assert_array_equal(same.predict_proba(X), forest.predict_proba(X))
        assert same.channels_.layout == forest.channels_.layout
    named = forest.set_params(channels=[Raw(), *forest.channels_.channels[1:]]).fit(X, y)
    named.save(tmp_path / "named.safetensors")
    again = silvan.load(tmp_path / "named.safetensors")
    assert again.channels == named.channels
    np.testing.assert_array_equal(again.predict_proba(X), named.predict_proba(X))


@pytest.mark.parametrize("channel", [np.abs, Function(lambda x: x)], ids=["callable", "Function"])
def test_files_refuse_functions(channel, tmp_path):
    forest = ManifoldForestClassifier(3, channels=[Raw(), channel], random_state=0)
    forest.fit(SERIES, SERIES_Y)
    with pytest.raises(ValueError, match=r"cannot be saved; files hold no code: .*files\.register"):
        forest.save(tmp_path / "forest.safetensors")


class Squared(Channel):
    def names(self, plane):
        return ["square"]

    def compute(self, samples, plane, state):
        return samples[:, None] ** 2


def test_files_keep_channels_of_ones_own_once_they_are_registered(tmp_path):
    forest = ManifoldForestClassifier(3, channels=[Squared()], random_state=0)
    forest.fit(SERIES, SERIES_Y)
    with pytest.raises(ValueError, match="register"):
        forest.save(tmp_path / "forest.safetensors")
    register(Squared)
    forest.save(tmp_path / "forest.safetensors")
    loaded = silvan.load(tmp_path / "forest.safetensors")
    np.testing.assert_array_equal(loaded.predict_proba(SERIES), forest.predict_proba(SERIES))


def test_missing_values_need_no_imputation(kind):
    X, y, forest = kind
    gapped = X.astype(float).copy()
    at = np.random.default_rng(1).random(gapped.shape) < 0.02
    gapped[at] = np.nan
    forest.fit(gapped, y)
    assert np.isfinite(forest.predict_proba(gapped)).all()
    if X.dtype == np.uint8:
        whole = clone(forest).fit(X, y)
        assert np.isfinite(whole.predict_proba(gapped)).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"channels": "all"}, "channels must be"),
        ({"channels": [Raw(), Spectrum]}, r"channels must be .*, but it is \[Raw\(\), <class"),
        ({"statistics": "median"}, "statistics must be one of 'mean', 'spread', 'slope'"),
        ({"channels": [Gradients()]}, "use Difference along a series"),
        ({"channels": [Difference(99)]}, "order must be below 50"),
        ({"statistics": ["median"]}, "statistics must be one of"),
        ({"statistics": []}, "statistics must be"),
        ({"shift": -1}, "shift must be an integer"),
        ({"channels": [Raw()], "coefficients": "signs"}, "coefficients must be"),
        ({"channels": [Raw()], "contiguous": False}, 'pass channels="raw"'),
        ({"thresholds": "worst"}, "thresholds must be one of"),
        ({"bootstrap": "yes"}, "bootstrap must be True or False"),
        ({"channels": "raw", "statistics": ("mean",)}, 'statistics must be "auto" with'),
        ({"channels": "raw", "shift": 1}, 'shift must be "auto" with'),
        ({"max_size": (3, 3)}, "max_size must be one value or one for each"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused_before_any_work(parameters, message):
    forest = ManifoldForestClassifier(5, **parameters)
    with pytest.raises(ValueError, match=message):
        forest.fit(SERIES, SERIES_Y)
    assert not hasattr(forest, "forest_")


def test_a_single_statistic_needs_no_tuple():
    one, same = (
        ManifoldForestClassifier(3, channels=[Raw()], statistics=statistics, random_state=0)
        for statistics in ("spread", ["spread"])
    )
    leaves = one.fit(SERIES, SERIES_Y).apply(SERIES)
    np.testing.assert_array_equal(leaves, same.fit(SERIES, SERIES_Y).apply(SERIES))


def test_categories_have_no_channels():
    table = np.array([["a", "b"], ["b", "a"], ["a", "a"]], dtype=object)
    forest = ManifoldForestClassifier(3, categorical_features=[0, 1]).fit(table, [0, 1, 0])
    assert forest.channels_ is None
    assert forest.fitted_.sampling.plan.replace
    with pytest.raises(ValueError, match='channels must be "raw" where features are categories'):
        forest.set_params(channels=[Raw()]).fit(table, [0, 1, 0])


@pytest.mark.parametrize(
    ("shape", "parameters"),
    [
        ((50,), {"coefficients": "signs"}),
        ((5, 10), {"contiguous": False}),
        ((5, 10), {"contiguous": (False, False)}),
        ((1, 2, 5, 5), {"contiguous": (True,) * 4}),
    ],
    ids=str,
)
def test_what_channels_cannot_do_is_left_to_patches(shape, parameters):
    X = SERIES.reshape(-1, *shape)
    forest = ManifoldForestClassifier(5, random_state=0, **parameters).fit(X, SERIES_Y)
    assert forest.channels_ is None
    raw = clone(forest).set_params(channels="raw").fit(X, SERIES_Y)
    np.testing.assert_array_equal(raw.apply(X), forest.apply(X))
    again = forest.set_params(coefficients="ones", contiguous=True).fit(SERIES, SERIES_Y)
    assert again.channels_ is not None
    expected = ManifoldForestClassifier(5, random_state=0).fit(SERIES, SERIES_Y)
    np.testing.assert_array_equal(again.apply(SERIES), expected.apply(SERIES))


def test_scaling_comes_before_channels():
    X = SERIES * np.linspace(1, 100, 50)
    forest = ManifoldForestClassifier(20, scaling="standard", random_state=0).fit(X, SERIES_Y)
    centred = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = forest.channels_.transform(centred.astype(np.float32))
    np.testing.assert_allclose(forest.fitted_.read(X)[:, :50], expected[:, :50], atol=1e-4)


def test_one_size_holds_for_the_axes_of_a_plane():
    forest = ManifoldForestClassifier(3, max_size=6, random_state=0).fit(COLOUR, IMAGES_Y)
    assert forest.projections_.max_size == (6, 6)
    assert grid_of(forest).grid.contiguous == (True, True, False)
    with pytest.raises(ValueError, match="max_size must be an integer from 1 to 12"):
        forest.set_params(max_size=13).fit(COLOUR, IMAGES_Y)


HOLED = np.where(np.random.default_rng(5).random(SERIES.shape) < 0.01, np.nan, SERIES)


def test_classes_of_series_are_told_apart_by_combined_windows():
    forest = ManifoldForestClassifier(5, random_state=0).fit(SERIES, SERIES_Y)
    drawn = forest.projections_
    assert isinstance(drawn, RidgeWindows)
    assert (drawn.n_terms, drawn.n_drawn, drawn.whole_probability) == (40, 320, 0.1)
    assert drawn.boundary == ("inside",)
    assert sum(isinstance(c, Convolutions) for c in forest.channels_.channels) == 2
    assert forest.channels_.layout.n_channels == 3 + 2 * 128
    # Shares of channels grow with the fourth root of the number of their arrays.
    weights = np.array(drawn.weights)
    convolved = weights[3:].sum() / weights.sum()
    assert convolved == pytest.approx(2 * 128**0.25 / (3 + 2 * 128**0.25))
    circle = ManifoldForestClassifier(2, boundary="wrap", random_state=0).fit(SERIES, SERIES_Y)
    assert circle.projections_.boundary == ("wrap",)


SINGLE = {
    "numbers": (ManifoldForestRegressor, SERIES, {}),
    "boosted": (BoostedManifoldForestClassifier, SERIES, {}),
    "images": (ManifoldForestClassifier, SERIES.reshape(-1, 5, 10), {"contiguous": (True, True)}),
    "missing values": (ManifoldForestClassifier, HOLED, {}),
    "a number of candidates": (ManifoldForestClassifier, SERIES, {"max_features": 9}),
    "agnostic": (ManifoldForestClassifier, SERIES, {"thresholds": "agnostic"}),
    "one term": (ManifoldForestClassifier, SERIES, {"n_terms": 1}),
}


@pytest.mark.parametrize("case", SINGLE)
def test_elsewhere_windows_are_single(case):
    Forest, X, options = SINGLE[case]
    forest = Forest(2, random_state=0, **options).fit(X, SERIES_Y)
    assert type(forest.projections_) is Windows
    assert set(forest.projections_.boundary) == {"pad"}


def test_other_forests_combine_windows_when_asked():
    for Forest, X in ((ManifoldForestRegressor, SERIES), (ManifoldForestClassifier, IMAGES[:60])):
        y = SERIES_Y[: len(X)]
        forest = Forest(3, n_terms=4, random_state=0).fit(X, y)
        inner = np.flatnonzero(forest.forest_.left >= 0)
        assert max(len(forest.forest_.windows(int(node))) for node in inner) == 4
    with pytest.raises(ValueError, match="n_terms must be an integer >= 1, but it is 0"):
        ManifoldForestClassifier(n_terms=0).fit(SERIES, SERIES_Y)
    with pytest.raises(ValueError, match='n_terms must be "auto" with channels="raw"'):
        ManifoldForestClassifier(n_terms=4, channels="raw").fit(SERIES, SERIES_Y)


def test_each_direction_stays_on_one_channel():
    forest = ManifoldForestClassifier(10, n_patches=2, n_terms=1, random_state=0)
    arrays = forest.fit(SERIES, SERIES_Y).forest_
    for node in np.flatnonzero(arrays.direction_indptr[1:] > arrays.direction_indptr[:-1]):
        assert len({window.channel for _, window in arrays.windows(int(node))}) == 1


def test_channels_of_long_series_are_bounded_in_memory():
    forest = ManifoldForestClassifier(2, random_state=0).fit(
        RNG.normal(size=(20, 3000)), [0, 1] * 10
    )
    assert forest.channels_.layout.n_cells < 4 * 3000
    assert any(isinstance(channel, Convolutions) for channel in forest.channels_.channels)


@pytest.mark.parametrize("shape", [(30,), (6, 7), (3, 30)])
@pytest.mark.parametrize(
    "forest", [ManifoldForestClassifier(5), BoostedManifoldForestClassifier(5)], ids=repr
)
def test_values_near_the_limit_of_float32_are_fitted_without_warnings(forest, shape):
    rng = np.random.default_rng(0)
    X, y = np.clip(1e38 * rng.normal(size=(40, *shape)), -3.4e38, 3.4e38), np.arange(40) % 2
    assert np.isfinite(clone(forest).fit(X, y).predict_proba(X)).all()
    contrast = clone(forest).set_params(channels=[LocalContrast()]).fit(X, y)
    assert np.isfinite(contrast.predict_proba(X)).all()

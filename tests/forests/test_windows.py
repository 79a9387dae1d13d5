"""Forests on windows, from fit to every reader: what reads them, and what refuses them by name."""

from dataclasses import replace

import numpy as np
import pytest

import silvan
from silvan import DensityForest, ForestClassifier, ForestRegressor, ManifoldEmbedding
from silvan.explanations import feature_contributions
from silvan.export import to_dict, to_onnx, to_text
from silvan.inspection import importance_map, projection_counts, top_projections
from silvan.projections import AxisAligned, Mixture, Windows

ALL = ("mean", "spread", "slope")
SHAPES = [(5, 6), (3, 4)]
P = 42
WINDOWS = Windows(SHAPES, 1, 4, statistics=ALL, shift=1, n_patches=2)
LINEAR = Windows(SHAPES, 2, 4, statistics=("mean", "slope"))
MIXED = Mixture([(AxisAligned(), 1.0), (WINDOWS, 2.0)])
projections = pytest.mark.parametrize("projections", [WINDOWS, MIXED], ids=["windows", "mixed"])


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 256, (300, P)).astype(np.uint8)
    image = X[:, :30].reshape(-1, 5, 6).astype(float)
    score = image[:, 1:4, 2:5].mean(axis=(1, 2)) + 0.5 * image[:, 0, :].std(axis=1)
    return X, (score > np.median(score)).astype(int) + 2 * (X[:, 40] > 200)


@pytest.fixture(scope="module")
def forest(data):
    return ForestClassifier(20, projections=WINDOWS, oob_score=True, random_state=0).fit(*data)


def assert_same_arrays(a, b):
    for name in silvan.forest_arrays.layout.DTYPES:
        assert np.array_equal(getattr(a, name), getattr(b, name)), name


# Fitting


@projections
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"thresholds": "random", "bootstrap": False},
        {"honest": True},
        {"criterion": "entropy", "max_depth": 4},
    ],
)
def test_the_forest_does_not_depend_on_threads_and_the_order_of_samples(
    data, projections, parameters
):
    X, y = data
    order = np.random.default_rng(1).permutation(len(X))
    given = {"projections": projections, "random_state": 0, **parameters}
    one = ForestClassifier(6, **given).fit(X, y)
    three = ForestClassifier(6, n_jobs=3, **given).fit(X, y)
    assert_same_arrays(one.forest_, three.forest_)
    moved = ForestClassifier(6, **given).fit(X[order], y[order])
    assert np.array_equal(moved.predict_proba(X), one.predict_proba(X))
    assert one.forest_.check().n_windows > 0


@projections
def test_a_warm_start_grows_the_same_trees(data, projections):
    given = {"projections": projections, "random_state": 0}
    whole = ForestClassifier(7, **given).fit(*data)
    grown = ForestClassifier(3, warm_start=True, **given).fit(*data)
    grown.set_params(n_estimators=7).fit(*data)
    assert_same_arrays(grown.forest_.check(), whole.forest_)


@projections
def test_trees_taken_out_and_joined_are_the_forest(data, projections):
    forest = ForestClassifier(4, projections=projections, random_state=0).fit(*data).forest_
    joined = forest.tree(0).check()
    for tree in range(1, 4):
        joined = joined.append(forest.tree(tree).check())
    assert_same_arrays(joined.check(), forest)


def test_out_of_bag_votes_are_those_of_the_trees_that_did_not_draw_a_sample(data, forest):
    X, _ = data
    votes = np.array([silvan._core.predict(forest.forest_.tree(t), X, False, 1) for t in range(20)])
    mask = silvan.inspection.out_of_bag_mask(forest)
    counted = mask.any(axis=1)
    expected = np.einsum("nt,tnk->nk", mask, votes)[counted] / mask.sum(axis=1)[counted, None]
    np.testing.assert_allclose(forest.oob_decision_function_[counted], expected)


def test_regression_and_missing_values(data):
    X, _ = data
    X = X.astype(np.float32)
    y = X[:, :10].mean(axis=1)
    X[np.random.default_rng(0).random(X.shape) < 0.01] = np.nan
    forest = ForestRegressor(10, projections=WINDOWS, random_state=0).fit(X, y)
    assert np.isfinite(forest.predict(X)).all()
    assert forest.score(X, y) > 0.5


def test_windows_and_categories_exclude_each_other(data):
    X, y = data
    forest = ForestClassifier(2, projections=WINDOWS, categorical_features=[0])
    with pytest.raises(ValueError, match="windows need numbers, but X has categorical features"):
        forest.fit(X, y)


def test_forests_without_targets_draw_windows(data):
    X = data[0][:, :12].astype(np.float64)
    windows = Windows([12], 2, 6, statistics=ALL)
    density = DensityForest(3, projections=windows, max_depth=3, random_state=0).fit(X)
    assert np.isfinite(density.score_samples(X)).all()
    embedding = ManifoldEmbedding(n_estimators=5, projections=windows, random_state=0)
    assert np.isfinite(embedding.fit_transform(X)).all()


# Files


@projections
def test_saved_forests_predict_the_same(data, projections, tmp_path):
    X, y = data
    forest = ForestClassifier(4, projections=projections, random_state=0).fit(X, y)
    forest.save(tmp_path / "forest.safetensors")
    again = silvan.load(tmp_path / "forest.safetensors")
    assert_same_arrays(again.forest_, forest.forest_)
    assert again.projections == projections
    assert np.array_equal(again.predict_proba(X), forest.predict_proba(X))


def changed(array, at, value):
    copy = array.copy()
    copy[at] = value
    return copy


def other_than_mean(f):
    """The first window that is no mean."""
    return int(np.flatnonzero(f.window_statistic != 0)[0])


HOSTILE = {
    "window_channel has entries outside 0 ... 1": lambda f: {
        "window_channel": changed(f.window_channel, 0, 2)
    },
    "window_channel has entries outside": lambda f: {
        "window_channel": changed(f.window_channel, 0, -1)
    },
    "window_box has boxes outside": lambda f: {"window_box": changed(f.window_box, 0, -1)},
    "window_box has boxes outside their": lambda f: {"window_box": changed(f.window_box, 1, 6)},
    "window_box has boxes": lambda f: {"window_box": changed(f.window_box, 1, f.window_box[0])},
    "boxes outside their channel": lambda f: {
        "window_box": changed(f.window_box, slice(0, 2), (0, 2**31 - 1))
    },
    "window_box has .* entries for .* windows": lambda f: {"window_box": f.window_box[:-1]},
    "window_statistic has entries that window_statistics lacks": lambda f: {
        "window_statistic": changed(f.window_statistic, 0, 3)
    },
    "window_shift has shifts of windows that are no means": lambda f: {
        "window_shift": changed(f.window_shift, other_than_mean(f), 1)
    },
    "window_shift has .* entries": lambda f: {"window_shift": f.window_shift[:-1]},
    "window_statistics has entries": lambda f: {"window_statistics": np.array([0, 1, 7], np.uint8)},
    "window_statistics has entries that are not known, or do": lambda f: {
        "window_statistics": np.array([0, 0, 1], np.uint8)
    },
    "window_wraps has not one entry": lambda f: {"window_wraps": f.window_wraps[:1]},
    "window_wraps has entries other": lambda f: {"window_wraps": f.window_wraps + np.uint8(2)},
    "window_max_size has entries outside": lambda f: {"window_max_size": f.window_max_size * 0},
    "boxes outside": lambda f: {"window_max_size": f.window_max_size * 0 + 1},
    "window_max_size has 4 axes": lambda f: {"window_max_size": np.ones(4, np.int64)},
    "no axes are known": lambda f: {"window_max_size": f.window_max_size[:0]},
    "channel_shapes has another number of cells": lambda f: {
        "channel_shapes": changed(f.channel_shapes, 0, 6)
    },
    "channel_shapes has another number": lambda f: {
        "channel_shapes": changed(f.channel_shapes, slice(0, 2), 2**62)
    },
    "channel_shapes has not a length": lambda f: {"channel_shapes": f.channel_shapes[:-1]},
    "besides a grid or categories": lambda f: {"n_categories": np.zeros(P, np.int64)},
    "do not number the windows in their order": lambda f: {
        "direction_indices": changed(f.direction_indices, slice(0, 2), f.direction_indices[1::-1])
    },
    "windows in their order": lambda f: {
        name: getattr(f, name)[: -(4 if name == "window_box" else 1)]
        for name in silvan.forest_arrays.layout.WINDOW_ARRAYS
    },
    "window_shift is int64, not int8": lambda f: {"window_shift": f.window_shift.astype(np.int64)},
}


@pytest.mark.parametrize("message", HOSTILE)
def test_arrays_that_are_no_windows_are_refused(forest, message):
    damaged = replace(forest.forest_, **HOSTILE[message](forest.forest_))
    with pytest.raises(ValueError, match=f"these arrays are not a forest: .*{message}"):
        damaged.check()


def test_windows_of_other_channels_cannot_follow(data, forest):
    other = ForestClassifier(2, projections=Windows([42]), random_state=0).fit(*data)
    with pytest.raises(ValueError, match="other categories, channels or windows, cannot follow"):
        forest.forest_.append(other.forest_)


# Readers


def test_importances_divide_a_window_evenly_among_the_cells_that_it_reads(data, forest):
    arrays = forest.forest_
    shares = arrays.shares().toarray()
    for node in np.flatnonzero(arrays.left >= 0)[:60]:
        expected = np.zeros(P)
        for coefficient, window in arrays.windows(node):
            shape, first = SHAPES[window.channel], (0, 30)[window.channel]
            mask = np.zeros(shape)
            for box in window.boxes(shape, (False, False)):
                mask[tuple(slice(*ends) for ends in box)] = 1
            expected[first : first + mask.size] += abs(coefficient) * mask.ravel() / mask.sum()
        np.testing.assert_allclose(shares[node], expected, atol=1e-6)
    assert forest.feature_importances_.sum() == pytest.approx(1)
    assert forest.feature_importances_[:30].sum() > 0.5
    assert importance_map(forest, "gain").shape == (P,)
    assert projection_counts(forest).sum() == (shares > 0).sum()


def test_contributions_add_up(data, forest):
    X, _ = data
    bias, values = feature_contributions(forest, X[:20])
    total = bias + values.sum(axis=1)
    np.testing.assert_allclose(total, forest.predict_proba(X[:20]), atol=1e-9)


def test_readers_of_linear_directions_refuse_spreads_and_shifts(forest):
    with pytest.raises(ValueError, match=r"must be linear .* spreads of windows are not"):
        forest.forest_.directions()
    with pytest.raises(ValueError, match="spreads of windows are not"):
        top_projections(forest)
    with pytest.raises(ValueError, match="without windows on channels, which ONNX"):
        to_onnx(forest)


def test_linear_windows_are_written_over_the_cells(data):
    X, y = data
    forest = ForestClassifier(4, projections=LINEAR, random_state=0).fit(X, y)
    arrays = forest.forest_
    values = X.astype(np.float64) @ arrays.directions().toarray().T
    for tree, leaves in enumerate(forest.apply(X).T):
        first = arrays.tree_offsets[tree]
        for sample in range(40):
            node = 0
            while (left := arrays.left[first + node]) >= 0:
                value = values[sample, first + node]
                node = left + int(value > arrays.threshold[first + node])
            assert node == leaves[sample]
    assert len(top_projections(forest, 5).importances) == 5


@projections
def test_trees_are_written_in_words(data, projections):
    forest = ForestClassifier(6, projections=projections, random_state=0).fit(*data)
    texts = "\n".join(to_text(forest, tree, max_depth=None) for tree in range(6))
    assert "mean of channel 0 [" in texts
    assert "largest mean of channel" in texts
    assert ("x[" in texts) == (projections is MIXED)
    splits = [node for node in to_dict(forest)["trees"][0] if "threshold" in node]
    windows = [node["windows"] for node in splits if "windows" in node]
    assert {"channel", "start", "end", "statistic", "shift", "scale"} == set(windows[0][0])
    assert len(windows) == len(splits) or projections is MIXED

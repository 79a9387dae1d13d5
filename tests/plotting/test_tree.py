"""Plots of trees say what the tree does, and nothing in them overlaps."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_digits, load_iris, load_wine

from silvan import (
    BoostedForestRegressor,
    DensityForest,
    ForestClassifier,
    ForestRegressor,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
)
from silvan.export import to_text
from silvan.plotting import TreeDisplay
from silvan.projections import AxisAligned, SparseSigns, UniformCombinations, Windows


@pytest.fixture(scope="module")
def digits():
    data = load_digits()
    X, y = data.images.astype(np.float32), data.target
    return ManifoldForestClassifier(3, channels="raw", max_size=4, random_state=0).fit(X, y)


@pytest.fixture(scope="module")
def wine():
    data = load_wine(as_frame=True)
    return ForestClassifier(4, max_features=2, random_state=0).fit(data.data, data.target)


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    distribution = UniformCombinations(3)
    return ForestRegressor(2, projections=distribution, min_samples_leaf=5, random_state=0).fit(
        X, y
    )


def texts(display):
    return [text.get_text() for text in display.texts_]


def boxes(artists):
    return [artist.get_window_extent() for artist in artists]


def check_layout(display):
    """Everything is inside the axes, texts are inside their boxes, boxes do not touch."""
    display.figure_.canvas.draw()
    axes = display.ax_.get_window_extent()
    frames, words = boxes(display.boxes_), boxes(display.texts_)
    for number, (frame, text) in enumerate(zip(frames, words, strict=True)):
        assert axes.x0 <= frame.x0 < frame.x1 <= axes.x1
        assert axes.y0 <= frame.y0 < frame.y1 <= axes.y1
        assert frame.x0 <= text.x0 < text.x1 <= frame.x1
        assert frame.y0 <= text.y0 < text.y1 <= frame.y1
        assert not any(frame.overlaps(other) for other in frames[number + 1 :])
        if number in display.atoms_:
            atom = display.atoms_[number].get_window_extent()
            assert not atom.overlaps(text)
            assert frame.x0 <= atom.x0 < atom.x1 <= frame.x1
            assert frame.y0 <= atom.y0 < atom.y1 <= frame.y1


@pytest.mark.parametrize(
    ("name", "max_depth"), [("digits", 3), ("wine", 1), ("wine", None), ("diabetes", 4)]
)
def test_nothing_overlaps(name, max_depth, request):
    check_layout(TreeDisplay.from_estimator(request.getfixturevalue(name), 1, max_depth))


def test_texts_shrink_to_given_axes(wine, agg):
    figure, axes = agg.subplots(1, 2, figsize=(7, 3))
    display = TreeDisplay.from_estimator(wine, ax=axes[1])
    assert display.ax_ is axes[1]
    assert display.figure_ is figure
    check_layout(display)


def test_long_names_stay_in_their_boxes():
    X, y = load_iris(return_X_y=True)
    forest = ForestClassifier(
        1, projections=SparseSigns(), max_features="sqrt", random_state=0
    ).fit(X, y)
    names = [letter * 60 for letter in "MWmw"]
    check_layout(TreeDisplay.from_estimator(forest, feature_names=names, class_names=names[:3]))


@pytest.mark.parametrize("max_depth", [1, 2, 3, 5, None])
def test_nodes_are_those_of_the_text(wine, max_depth):
    display = TreeDisplay.from_estimator(wine, 2, max_depth)
    text = to_text(wine, 2, max_depth=max_depth)
    kinds = [node.kind for node in display.nodes]
    assert kinds.count("leaf") == text.count("class:")
    assert kinds.count("stub") == text.count("...")
    assert kinds.count("split") == kinds.count("leaf") + kinds.count("stub") - 1
    hidden = [shown.split("\n")[1] for shown in texts(display) if shown.startswith("...")]
    assert hidden == [
        line.split("... ")[1].removesuffix(" below") for line in text.split("\n") if "..." in line
    ]


def test_whole_tree_has_all_nodes(diabetes):
    display = TreeDisplay.from_estimator(diabetes, 1, None)
    assert len(display.boxes_) == np.diff(diabetes.forest_.tree_offsets)[1]


def test_children_are_below_their_parent_on_the_side_of_their_rows(wine):
    display = TreeDisplay.from_estimator(wine, 0, None)
    x = [box.get_x() + box.get_width() / 2 for box in display.boxes_]
    for number, node in enumerate(display.nodes):
        below = [i for i, child in enumerate(display.nodes) if child.parent == number]
        assert len(below) == (2 if node.kind == "split" else 0)
        if below:
            left, right = below
            assert x[left] < x[number] < x[right]
            assert x[number] == pytest.approx((x[left] + x[right]) / 2)
            assert display.boxes_[left].get_y() < display.boxes_[number].get_y()
            total = display.nodes[left].share + display.nodes[right].share
            assert total == pytest.approx(node.share)


def test_text_and_colours_of_a_stump():
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X[:100, [1, 2]], columns=["b", "c"])
    forest = ForestClassifier(
        1, projections=AxisAligned(), max_features=None, max_depth=1, bootstrap=False
    ).fit(frame, y[:100])
    display = TreeDisplay.from_estimator(forest, class_names=["one", "two"])
    leaves = ["one\n50 % of samples", "two\n50 % of samples"]
    assert texts(display) == ["c <= 2.45\n100 % of samples", *leaves]
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["one", "two"]
    assert display.boxes_[1].get_facecolor() != display.boxes_[2].get_facecolor()
    assert {"yes", "no"} <= {text.get_text() for text in display.ax_.texts}
    renamed = TreeDisplay.from_estimator(
        forest, feature_names=["B", "C"], decimals=3, show_missing=True
    )
    side = " or missing" if forest.forest_.missing_left[0] else ""
    assert texts(renamed)[0] == f"C <= 2.450{side}\n100 % of samples"


def test_bars_are_the_shares_of_the_classes(wine):
    display = TreeDisplay.from_estimator(wine, 0, None)
    node = display.nodes[0]
    assert node.values.sum() == pytest.approx(1.0)
    # Bootstrap draws change the shares a little.
    np.testing.assert_allclose(node.values, np.array([59, 71, 48]) / 178, atol=0.12)
    widths = [bar.get_width() for bar in display.ax_.patches[1:4]]
    np.testing.assert_allclose(np.array(widths) / sum(widths), node.values)


def test_images_are_the_weights_of_the_directions(digits):
    display = TreeDisplay.from_estimator(digits)
    assert set(display.atoms_) == {i for i, n in enumerate(display.nodes) if n.kind == "split"}
    root = digits.forest_.directions(0)[[0]].toarray().reshape(8, 8)
    np.testing.assert_array_equal(display.atoms_[0].images[0].get_array(), root)
    threshold = digits.forest_.threshold[0]
    assert texts(display)[0] == f"<= {threshold:.2f}\n100 % of samples"


def fit_grid(shape, **parameters):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, *shape))
    return ManifoldForestRegressor(1, channels="raw", random_state=0, **parameters).fit(
        X, X[:, 0].reshape(80, -1)[:, 0]
    )


def test_series_are_lines():
    forest = fit_grid((12,))
    display = TreeDisplay.from_estimator(forest)
    line = display.atoms_[0].lines[-1].get_ydata()
    np.testing.assert_array_equal(line, forest.forest_.directions(0)[[0]].toarray()[0])
    check_layout(display)


def test_channels_of_series_are_lines_and_those_of_images_side_by_side():
    forest = fit_grid((3, 12), contiguous=(False, True))
    root = forest.forest_.directions(0)[[0]].toarray().reshape(3, 12)
    lines = TreeDisplay.from_estimator(forest).atoms_[0].lines[1:]
    np.testing.assert_array_equal([line.get_ydata() for line in lines], root[root.any(axis=1)])
    forest = fit_grid((4, 5, 3), contiguous=(True, True, False))
    root = forest.forest_.directions(0)[[0]].toarray().reshape(4, 5, 3)
    image = np.ma.filled(TreeDisplay.from_estimator(forest).atoms_[0].images[0].get_array(), 9.0)
    assert image.shape == (4, 17)
    for channel in range(3):
        np.testing.assert_array_equal(image[:, 6 * channel : 6 * channel + 5], root[:, :, channel])


def test_volumes_are_in_words():
    display = TreeDisplay.from_estimator(fit_grid((4, 3, 3)))
    assert not display.atoms_
    assert "X[" in texts(display)[0]
    check_layout(display)


def test_means_are_those_of_the_rows(diabetes):
    display = TreeDisplay.from_estimator(diabetes, 0, None, decimals=4)
    leaves = [node for node in display.nodes if node.kind == "leaf"]
    mean = sum(node.share * node.values[0] for node in leaves)
    assert f"mean {mean:.4f}" in texts(display)[0]
    # A regressor has a colour bar instead of a legend.
    assert display.ax_.get_legend() is None
    assert "mean of the target" in [axis.get_ylabel() for axis in display.figure_.axes]


def test_values_of_boosted_forests_are_additions_to_a_score():
    X, y = load_diabetes(return_X_y=True)
    display = TreeDisplay.from_estimator(BoostedForestRegressor(3, random_state=0).fit(X, y))
    assert all("adds" in text and "mean" not in text for text in texts(display))
    assert "addition to the raw score" in [axis.get_ylabel() for axis in display.figure_.axes]


def test_splits_on_missingness_are_in_words():
    X = np.where(np.arange(40)[:, None] % 2, np.nan, 1.0)
    forest = ForestClassifier(1, bootstrap=False, projections=AxisAligned(), random_state=0)
    shown = texts(TreeDisplay.from_estimator(forest.fit(X, np.arange(40) % 2)))
    assert shown == ["x[0] is there\n100 % of samples", "0\n50 % of samples", "1\n50 % of samples"]


@pytest.mark.parametrize("scaling", ["rank", "standard"])
def test_title_names_the_scaling(scaling):
    X, y = load_iris(return_X_y=True)
    forest = ForestClassifier(2, scaling=scaling, honest=True, random_state=0).fit(X, y)
    display = TreeDisplay.from_estimator(forest, 1)
    assert display.ax_.get_title() == f'tree 1, of features with scaling="{scaling}"'
    check_layout(display)


def test_tree_without_splits_is_a_leaf():
    forest = ForestClassifier(1, random_state=0).fit(np.zeros((5, 2)), [0, 0, 0, 1, 1])
    display = TreeDisplay.from_estimator(forest)
    assert [node.kind for node in display.nodes] == ["leaf"]
    check_layout(display)


def test_many_classes_and_outputs_are_drawn():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(25, size=300)
    display = TreeDisplay.from_estimator(ForestClassifier(1, random_state=0).fit(X, y))
    assert display.ax_.get_legend() is None
    forest = ForestRegressor(1, random_state=0).fit(X, X[:, :2])
    check_layout(TreeDisplay.from_estimator(forest))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tree": 4}, "tree must be an integer from 0 to 3"),
        ({"max_depth": 0}, "max_depth must be an integer >= 1 or None"),
        ({"max_terms": 0}, "max_terms must be"),
        ({"decimals": -1}, "decimals must be"),
        ({"show_missing": 1}, "show_missing must be True or False"),
        ({"feature_names": ["a"]}, "feature_names must be None or a sequence of 13 names"),
        ({"class_names": ["a"]}, "class_names must be None or a sequence of 3 names"),
    ],
)
def test_wrong_parameters_are_refused(options, message, wine):
    with pytest.raises(ValueError, match=message):
        TreeDisplay.from_estimator(wine, **options)


def test_regressors_have_no_class_names(diabetes):
    with pytest.raises(ValueError, match="class_names must be None for a regressor"):
        TreeDisplay.from_estimator(diabetes, class_names=["a"])


def test_forests_without_targets_are_refused():
    forest = DensityForest(2, random_state=0).fit(load_iris().data)
    with pytest.raises(ValueError, match="forest must be a classifier or a regressor"):
        TreeDisplay.from_estimator(forest)


def test_windows_are_written_in_words():
    data = load_digits()
    windows = Windows([(8, 8)], statistics=("spread",), min_size=2)
    forest = ForestClassifier(2, projections=windows, random_state=0).fit(data.data, data.target)
    display = TreeDisplay.from_estimator(forest, max_depth=1)
    texts = [text.get_text() for text in display.ax_.texts]
    assert any("spread" in text and "channel" in text for text in texts)


def test_long_names_keep_their_ends_and_the_size_of_the_text():
    X, y = load_iris(return_X_y=True)
    names = [
        f"{word}_of_the_flower_in_centimetres" for word in ("sepal_l", "sepal_w", "p_l", "p_w")
    ]
    forest = ForestClassifier(3, max_depth=3, random_state=0).fit(X * [1.0, 100.0, 1.0, 1e-3], y)
    display = TreeDisplay.from_estimator(forest, feature_names=names, max_terms=2)
    lines = [line for text in texts(display) for line in text.split("\n")]
    shown = {line.strip("+-. 0123456789*").split(" ")[0] for line in lines if "…" in line}
    assert shown <= {"sepal_l_of_the_fl…timetres", "sepal_w_of_the_fl…timetres"} | {
        "p_l_of_the_flower…timetres",
        "p_w_of_the_flower…timetres",
    }
    assert shown
    assert max(map(len, lines)) <= 36
    assert {text.get_fontsize() for text in display.texts_} == {8.0}

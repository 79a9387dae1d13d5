"""Plots of densities and embeddings show what they are asked to."""

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot

from silvan import DensityForest, ManifoldEmbedding
from silvan.plotting import DensityDisplay, EmbeddingDisplay

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def cloud():
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(size=(80, 2)), rng.normal(size=(80, 2)) + 5])


def test_density_display_shows_level_sets_of_the_density(cloud):
    forest = DensityForest(10, random_state=0).fit(cloud)
    display = DensityDisplay.from_estimator(forest, cloud, grid_resolution=40, n_levels=5)
    assert display.density.shape == (40, 40)
    x, y = display.points
    at = np.array([[x[7], y[21]]])
    assert display.density[21, 7] == pytest.approx(np.exp(forest.score_samples(at)[0]))
    assert len(display.ax_.collections) == 2  # colours and level sets


def test_density_display_of_one_feature_is_a_curve(cloud):
    forest = DensityForest(10, random_state=0).fit(cloud[:, :1])
    display = DensityDisplay.from_estimator(forest, cloud[:, :1])
    line = display.ax_.lines[0]
    assert np.trapezoid(line.get_ydata(), line.get_xdata()) == pytest.approx(1, abs=0.1)


def test_density_display_refuses_more_features():
    rows = np.zeros((5, 3))
    with pytest.raises(ValueError, match=r"X has shape \(5, 3\)"):
        DensityDisplay.from_estimator(None, rows)


def test_embedding_display_colours_classes_and_numbers(cloud):
    embedding = ManifoldEmbedding(20, n_components=3, random_state=0).fit(cloud)
    labels = np.repeat(["a", "b"], 80)
    display = EmbeddingDisplay.from_estimator(embedding, cloud, labels, components=(0, 2))
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["a", "b"]
    assert display.ax_.get_ylabel() == "coordinate 3"
    shown = display.ax_.collections[0].get_offsets()
    np.testing.assert_allclose(shown, embedding.transform(cloud)[:, [0, 2]])
    numbers = EmbeddingDisplay(embedding.embedding_, y=cloud[:, 0]).plot()
    assert len(numbers.figure_.axes) == 2  # a colour bar
    _, ax = pyplot.subplots()
    assert EmbeddingDisplay(embedding.embedding_).plot(ax).ax_ is ax


def test_embedding_display_refuses_coordinates_that_are_not_there():
    with pytest.raises(ValueError, match=r"^components must be two numbers from 0 to 1"):
        EmbeddingDisplay(np.zeros((4, 2)), components=(0, 2)).plot()

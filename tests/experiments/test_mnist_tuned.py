"""The parts of the tuned MNIST experiment that are not only calls of a forest."""

import numpy as np
import pytest
from experiments.data import Split
from experiments.mnist_tuned import checkpoint_name, grow
from experiments.straightening import straighten, straighten_one
from experiments.systems import make_forest

from silvan.projections import Patches


def draw_stroke(slope):
    """A stroke three pixels wide from the top to the bottom, away from the middle."""
    image = np.zeros((28, 28))
    for row in range(4, 20):
        column = round(10 + slope * (row - 4))
        image[row, column : column + 3] = 200
    return image


def measure_slant(image):
    rows, columns = np.indices(image.shape)
    weights = image / image.sum()
    down, across = rows - (weights * rows).sum(), columns - (weights * columns).sum()
    return (weights * down * across).sum() / (weights * down**2).sum()


@pytest.mark.parametrize("slope", [-0.5, 0.3, 0.7])
def test_a_slanted_stroke_becomes_upright_and_central(slope):
    image = draw_stroke(slope)
    upright = straighten_one(image)
    assert abs(measure_slant(image)) > 0.2
    assert abs(measure_slant(upright.astype(float))) < 0.02
    centre = np.argwhere(upright > 100).mean(axis=0)
    np.testing.assert_allclose(centre, [13.5, 13.5], atol=0.6)
    assert upright.sum() == pytest.approx(image.sum(), rel=0.02)


def test_an_image_without_ink_or_of_one_row_is_kept_in_shape():
    line = np.zeros((28, 28), dtype=np.uint8)
    line[13, 5:23] = 200
    upright = straighten(np.stack([np.zeros(784, dtype=np.uint8), line.ravel()]))
    assert upright.dtype == np.uint8
    assert not upright[0].any()
    assert upright[1].sum() == pytest.approx(line.sum(), rel=0.02)


def test_each_image_is_straightened_alone():
    images = np.stack([draw_stroke(slope).ravel() for slope in (0.1, 0.4)]).astype(np.uint8)
    both = straighten(images)
    np.testing.assert_array_equal(both[1:], straighten(images[1:]))


def test_a_forest_that_stopped_goes_on_and_is_that_of_one_fit(tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.mnist_tuned.STEP", 4)
    rng = np.random.default_rng(0)
    X, y = rng.integers(256, size=(120, 16)).astype(np.uint8), rng.integers(3, size=120)
    split = Split(X, y, X, y)
    checkpoint = tmp_path / checkpoint_name("test", ("patches", "3/4 of rows", "10"))

    def make(n_trees):
        return make_forest(Patches((4, 4)), 0, 4, n_trees, warm_start=True)

    stopped, first_seconds = grow(make(4), split, 6, checkpoint)
    resumed, seconds = grow(make(4), split, 11, checkpoint)
    assert len(stopped.forest_.tree_offsets) == 7
    assert seconds > first_seconds > 0
    whole = make(11).fit(X, y)
    np.testing.assert_array_equal(resumed.predict_proba(X), whole.predict_proba(X))
    again, same_seconds = grow(make(4), split, 11, checkpoint)
    assert same_seconds == seconds
    with pytest.raises(ValueError, match="has 11 trees, more than 6; remove it"):
        grow(make(4), split, 6, checkpoint)
    np.testing.assert_array_equal(again.predict_proba(X), whole.predict_proba(X))

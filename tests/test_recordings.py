"""Recordings have the background, the response and the rhythm that they say they have."""

import numpy as np
import pytest

from silvan.datasets import make_recordings


@pytest.fixture(scope="module")
def recordings():
    return make_recordings(1500, response=0.5, rhythm=2.0, random_state=0)


def test_shapes_types_and_seeds(recordings):
    X, y = recordings
    assert X.shape == (1500, 8, 200)
    assert (X.dtype, y.dtype) == (np.float32, np.int64)
    assert set(y) == {0, 1}
    again = make_recordings(1500, response=0.5, rhythm=2.0, random_state=0)
    assert np.array_equal(again[0], X)
    assert not np.array_equal(make_recordings(5, random_state=1)[0], X[:5])
    assert make_recordings(3, n_sensors=1, n_steps=40, random_state=0)[0].shape == (3, 1, 40)


def test_the_background_is_stationary_and_shared_by_neighbours(recordings):
    X, y = recordings
    background = X[y == 0]
    np.testing.assert_allclose(background.std(axis=0), 1, atol=0.12)
    flat = background.transpose(1, 0, 2).reshape(8, -1)
    related = np.corrcoef(flat)
    assert np.diag(related, 1).mean() == pytest.approx(1 / 6, abs=0.02)
    assert np.diag(related, 2).mean() == pytest.approx(0, abs=0.02)
    lagged = np.corrcoef(background[:, 0, :-1].ravel(), background[:, 0, 1:].ravel())[0, 1]
    assert lagged == pytest.approx(0.8, abs=0.02)


def test_class_1_has_a_response_in_its_mean_and_a_rhythm_in_its_spread(recordings):
    X, y = recordings
    gap = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    sensor, step = np.unravel_index(gap.argmax(), gap.shape)
    assert sensor in (1, 2, 3)
    assert 55 <= step <= 85
    assert np.abs(gap[6, 100:]).max() < 0.3  # its phase varies
    more = X[y == 1].std(axis=0) - X[y == 0].std(axis=0)
    assert more[5:7, 100:].mean() > 0.3
    assert abs(more[5:7, :100].mean()) < 0.1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_sensors": 0}, "n_sensors must be an integer >= 1"),
        ({"n_steps": 39}, "n_steps must be an integer >= 40"),
        ({"response": -1}, "response must be"),
        ({"rhythm": np.nan}, "rhythm must be"),
    ],
)
def test_bad_parameters_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        make_recordings(5, **changes)

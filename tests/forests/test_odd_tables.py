"""Tables that NumPy and pandas allow and few expect: record arrays, dates, extreme values."""

import datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from silvan import DensityForest, ForestClassifier, ForestRegressor

RNG = np.random.default_rng(0)
Y = np.arange(60) % 2


def record_array() -> np.ndarray:
    """Fields of 13 and 29 bytes, so that values are not whole elements apart."""
    kinds = [("flag", "u1"), ("x", "f4", (3,)), ("z", "f8", (2,)), ("n", "i8", (2,)), ("y", "f8")]
    records = np.zeros(60, dtype=kinds)
    records["x"], records["z"] = RNG.normal(size=(60, 3)), RNG.normal(size=(60, 2))
    records["n"], records["y"] = RNG.integers(0, 9, size=(60, 2)), RNG.normal(size=60)
    return records


@pytest.mark.parametrize("field", ["x", "z", "n"])
def test_a_field_of_a_record_array_is_as_good_as_its_copy(field):
    records = record_array()
    odd, plain = records[field], records[field].copy()
    assert odd.strides[0] % odd.itemsize
    for forest, y in ((ForestClassifier(3, random_state=0), Y), (ForestRegressor(3), records["y"])):
        expected = forest.set_params(random_state=0).fit(plain, np.array(y)).predict(plain)
        np.testing.assert_array_equal(forest.predict(odd), expected)
        np.testing.assert_array_equal(forest.fit(odd, y, sample_weight=None).predict(odd), expected)
    density = DensityForest(3, random_state=0).fit(plain).score_samples(plain)
    np.testing.assert_array_equal(
        DensityForest(3, random_state=0).fit(odd).score_samples(odd), density
    )


def test_unaligned_values_are_read():
    plain = RNG.normal(size=(60, 3)).astype(np.float32)
    raw = np.frombuffer(b"\0" + plain.tobytes(), dtype=np.uint8)[1:]
    odd = raw.view(np.float32).reshape(60, 3)
    assert not odd.flags.aligned
    forest = ForestClassifier(3, random_state=0)
    expected = forest.fit(plain, Y).predict(plain)
    np.testing.assert_array_equal(forest.fit(odd, Y).predict(odd), expected)


DATES = pd.date_range("2026-01-01", periods=60)
FRAMES = {
    "dates": pd.DataFrame({"day": DATES, "n": np.arange(60.0)}),
    "dates and text": pd.DataFrame({"day": DATES, "s": ["a", "b"] * 30, "n": np.arange(60.0)}),
    "objects": pd.DataFrame({"s": ["a", "b"] * 30, "day": DATES.date}),
    "timestamps": pd.DataFrame({"day": DATES.astype(object), "n": 1.0}),
    "durations": pd.DataFrame({"day": DATES - DATES[0], "n": 1.0}),
    "times": pd.DataFrame({"day": [None, *[datetime.time(1)] * 59], "n": 1.0}),
    "arrow": pa.table({"day": pa.array(DATES.date), "n": np.arange(60.0)}),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_dates_in_a_frame_are_refused_by_name(kind):
    with pytest.raises(
        ValueError, match=r"column 'day' of X holds dates or times .*; convert them"
    ):
        ForestClassifier(2).fit(FRAMES[kind], Y)


def test_dates_to_predict_are_refused_by_name():
    numbers = pd.DataFrame({"day": np.arange(60.0), "n": np.arange(60.0)})
    forest = ForestClassifier(2).fit(numbers, Y)
    with pytest.raises(ValueError, match="column 'day' of X holds dates or times"):
        forest.predict(FRAMES["dates"])


def test_dates_may_be_categories():
    frame = FRAMES["dates"].assign(day=DATES[np.arange(60) % 4])
    forest = ForestClassifier(5, categorical_features=["day"], random_state=0).fit(frame, Y)
    assert len(forest.categories_[0]) == 4
    assert forest.predict(frame).shape == (60,)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("value", [3.4e38, -3.4e38])
def test_densities_of_a_constant_of_any_size_are_finite(dtype, value):
    X = np.full((60, 3), value, dtype=dtype)
    forest = DensityForest(3, random_state=0).fit(X)
    assert np.isfinite(forest.score_samples(X)).all()
    assert (forest.covariances_ < np.inf).all()

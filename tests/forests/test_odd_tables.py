"""Tables that NumPy and pandas allow and few expect: record arrays, dates, extreme values."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from onnxruntime import InferenceSession

import silvan
from silvan import DensityForest, ForestClassifier, ForestRegressor
from silvan.export import to_onnx
from silvan.projections import Patches

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
def test_dates_in_a_frame_are_features(kind):
    forest = ForestClassifier(2, random_state=0).fit(FRAMES[kind], Y)
    assert any(name.startswith("day.") for name in forest.feature_names_)
    assert forest.predict(FRAMES[kind]).shape == (60,)


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


MOMENTS = {
    "datetime64[ns]": DATES.astype("datetime64[ns]"),
    "datetime64[us]": DATES.astype("datetime64[us]"),
    "time zone": DATES.tz_localize("Europe/Berlin"),
    "timedelta": (DATES - DATES[0]).astype("timedelta64[ns]"),
    "date": DATES.date,
    "time": [datetime.time(n % 24, n) for n in range(60)],
}


@pytest.mark.parametrize("kind", MOMENTS)
def test_categories_that_are_dates_are_saved(kind, tmp_path):
    frame = pd.DataFrame({"n": 1.0, "day": MOMENTS[kind]})
    frame = frame.iloc[np.arange(60) % 4].reset_index(drop=True)
    forest = ForestClassifier(5, categorical_features=["day"], random_state=0).fit(frame, Y)
    forest.save(tmp_path / "forest")
    loaded = silvan.load(tmp_path / "forest")
    assert loaded.categories_[1].tolist() == forest.categories_[1].tolist()
    np.testing.assert_array_equal(loaded.predict_proba(frame), forest.predict_proba(frame))


def test_dates_of_another_unit_are_the_same_categories():
    frames = [pd.DataFrame({"day": MOMENTS[kind][:4]}) for kind in ("datetime64[ns]", "date")]
    frames += [pd.DataFrame({"day": MOMENTS["datetime64[us]"][:4]})]
    y = [0, 1, 0, 1]
    for fitted, asked in [(frames[0], frames[2]), (frames[2], frames[0])]:
        forest = ForestClassifier(
            20, categorical_features=["day"], bootstrap=False, random_state=0
        ).fit(fitted, y)
        np.testing.assert_array_equal(forest.predict_proba(asked), forest.predict_proba(fitted))


def test_nanoseconds_tell_categories_apart():
    day = np.array(["2026-01-01T00:00:00.000000001", "2026-01-01T00:00:00.000000002"], "M8[ns]")
    frame = pd.DataFrame({"day": np.repeat(day, 30)})
    forest = ForestClassifier(2, categorical_features=["day"], random_state=0).fit(frame, Y)
    assert len(forest.categories_[0]) == 2


def test_classes_that_are_dates_are_saved_and_exported(tmp_path):
    X, y = np.arange(60.0)[:, None], DATES.to_numpy()[np.arange(60) // 20]
    forest = ForestClassifier(5, random_state=0).fit(X, y)
    forest.save(tmp_path / "forest")
    loaded = silvan.load(tmp_path / "forest")
    assert loaded.classes_.dtype == forest.classes_.dtype
    np.testing.assert_array_equal(loaded.predict(X), forest.predict(X))
    session = InferenceSession(to_onnx(forest).SerializeToString())
    labels = session.run(["label"], {"X": X.astype(np.float32)})[0]
    np.testing.assert_array_equal(labels, forest.predict(X).astype(str))


@pytest.mark.parametrize(
    "y",
    [DATES, DATES.to_numpy(), DATES - DATES[0], DATES.date, DATES.astype(object)],
    ids=["index", "array", "durations", "objects", "timestamps"],
)
def test_dates_are_no_targets_of_a_regression(y):
    with pytest.raises(ValueError, match="y must hold numbers, but it holds dates or times, such"):
        ForestRegressor(2).fit(np.arange(60.0)[:, None], y)


def test_text_is_no_target_of_a_regression():
    with pytest.raises(ValueError, match="y must hold numbers, but it has the text 'b'"):
        ForestRegressor(2).fit(np.arange(3.0)[:, None], [1, "b", "c"])
    assert ForestRegressor(2).fit(np.arange(3.0)[:, None], ["1", "2", "3"]).n_outputs_ == 1


TEXT = pd.DataFrame({"n": np.arange(60.0), "colour": ["3", *["red", "blue"] * 29, "red"]})
LISTS = pd.DataFrame({"n": np.arange(60.0), "parts": [[1, 2]] * 60})


@pytest.mark.parametrize("make", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas, np.asarray])
def test_columns_that_are_no_numbers_are_refused_by_name(make):
    named = make is not np.asarray
    forest = ForestClassifier(2, categorical_features=None)
    column, key = ("'colour'", r"\['colour'\]") if named else ("1", r"\[1\]")
    text = (
        rf"column {column} of X holds text, such as 'red', which is not a number; .* example {key}"
    )
    with pytest.raises(ValueError, match=text):
        forest.fit(make(TEXT), Y)
    column = "'parts'" if named else "1"
    lists = rf"column {column} of X holds lists, such as \[1, 2\], in place of numbers"
    with pytest.raises(ValueError, match=lists):
        forest.fit(make(LISTS), Y)
    with pytest.raises(ValueError, match=rf"column {column} of X cannot be categorical"):
        forest.set_params(categorical_features=[1]).fit(make(LISTS), Y)
    with pytest.raises(ValueError, match=lists):
        forest.set_params(categorical_features=[0]).fit(make(LISTS), Y)


def test_numbers_that_came_as_text_are_read():
    frame = pd.DataFrame({"n": np.arange(60).astype(str).astype(object)})
    forest = ForestClassifier(2, categorical_features=None, random_state=0).fit(frame, Y)
    assert forest.predict(frame).shape == (60,)


@pytest.mark.parametrize("name", ["Classifier", "Regressor"])
def test_images_are_shown_the_way_to_a_manifold_forest(name):
    forest = getattr(silvan, f"Forest{name}")(2, projections=Patches())
    images = np.arange(60.0 * 16).reshape(60, 4, 4)
    message = rf"its shape is \(60, 4, 4\); use ManifoldForest{name} for samples on a grid"
    with pytest.raises(ValueError, match=message):
        forest.fit(images, Y)
    forest.fit(images.reshape(60, -1), Y)
    with pytest.raises(ValueError, match=message):
        forest.predict(images)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("value", [3.4e38, -3.4e38])
def test_densities_of_a_constant_of_any_size_are_finite(dtype, value):
    X = np.full((60, 3), value, dtype=dtype)
    forest = DensityForest(3, random_state=0).fit(X)
    assert np.isfinite(forest.score_samples(X)).all()
    assert (forest.covariances_ < np.inf).all()

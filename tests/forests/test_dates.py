"""Columns of dates: features for their parts, alike in every kind of frame."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import silvan
from silvan import BoostedForestClassifier, ForestClassifier, ForestRegressor
from silvan.explanations import feature_contributions
from silvan.export import to_dict, to_onnx, to_onnx_input, to_text
from silvan.forests.categories import find_categories
from silvan.forests.joined_categories import join_categories

N = 200
RNG = np.random.default_rng(0)
WHEN = pd.Timestamp("2022-01-01") + pd.to_timedelta(RNG.integers(0, 900 * 1440, N), unit="min")
WEEKEND = np.asarray(WHEN.day_of_week >= 5).astype(int)
FRAME = pd.DataFrame(
    {"size": RNG.normal(size=N), "when": WHEN, "colour": RNG.choice(["red", "blue"], N)}
)
PARTS = ["year", "day_of_year", "day_of_month", "day_of_week", "hour"]
NAMES = ["size", *[f"when.{part}" for part in PARTS], "colour"]


@pytest.fixture(scope="module")
def forest():
    return ForestClassifier(10, random_state=0).fit(FRAME, WEEKEND)


def encode(table):
    return find_categories("from_dtype", table).encode(table)


def test_a_date_has_a_feature_for_each_part_that_varies(forest):
    assert forest.feature_names_.tolist() == NAMES
    assert forest.n_features_in_ == 3
    assert forest.feature_names_in_.tolist() == ["size", "when", "colour"]
    assert len(forest.feature_importances_) == len(NAMES)
    assert forest.feature_importances_.argmax() == NAMES.index("when.day_of_week")
    assert forest.score(FRAME, WEEKEND) == 1.0


def test_parts_are_those_of_the_calendar():
    when = ["2024-02-29 18:45", "2023-12-31 00:00", "1969-12-29 06:00"]
    table = pd.DataFrame({"when": pd.to_datetime(when)})
    year, day_of_year, day_of_month, day_of_week, hour = encode(table).T
    assert day_of_year.tolist() == [60, 365, 363]
    assert day_of_month.tolist() == [29, 31, 29]
    assert day_of_week.tolist() == [4, 7, 1]
    assert hour.tolist() == [18.75, 0, 6]
    fraction = [(59 + 18.75 / 24) / 366, 364 / 365, 362.25 / 365]
    assert year == pytest.approx(np.array([2024, 2023, 1969]) + fraction)


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_frames_of_all_libraries_are_read_alike(forest, zone):
    frame = FRAME.assign(when=FRAME["when"].dt.tz_localize(zone, ambiguous=True))
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    others = [pl.from_pandas(frame), arrow, frame.astype({"when": object})]
    others.append(frame.assign(when=frame["when"].astype(pd.ArrowDtype(arrow.schema.types[1]))))
    expected = forest.predict_proba(FRAME)
    for other in [frame, *others]:
        assert np.array_equal(forest.predict_proba(other), expected)
        assert np.array_equal(encode(other), encode(FRAME))


def test_dates_are_read_in_the_time_zone_of_fit():
    berlin = FRAME.assign(when=FRAME["when"].dt.tz_localize("Europe/Berlin", ambiguous=True))
    forest = ForestClassifier(5, random_state=0).fit(berlin, WEEKEND)
    expected = forest.predict_proba(berlin)
    moved = berlin.assign(when=berlin["when"].dt.tz_convert("Asia/Tokyo"))
    for same in (moved, pl.from_pandas(moved), pa.Table.from_pandas(moved, preserve_index=False)):
        assert np.array_equal(forest.predict_proba(same), expected)


@pytest.mark.parametrize(
    ("values", "names", "expected"),
    [
        (pd.to_timedelta([36, 0, None], unit="h"), ["x.days"], [1.5, 0, np.nan]),
        ([datetime.time(6, 30), datetime.time(0), None], ["x.hour"], [6.5, 0, np.nan]),
        ([datetime.date(2024, 1, 3), None, datetime.date(2024, 1, 3)], ["x.year"], None),
        (pd.PeriodIndex(["2024-01", "2024-02", None], freq="M"), None, None),
    ],
    ids=["durations", "times", "one date", "months"],
)
def test_times_durations_and_periods_are_read_too(values, names, expected):
    table = pd.DataFrame({"x": values})
    columns = find_categories("from_dtype", table)
    encoded = columns.encode(table)
    assert names is None or columns.names(["x"]) == names
    assert expected is None or np.array_equal(encoded[:, 0], expected, equal_nan=True)
    assert np.array_equal(np.isnan(encoded[:, 0]), table["x"].isna())
    if isinstance(values, pd.PeriodIndex):
        assert columns.names(["x"]) == ["x.day_of_year", "x.day_of_week"]
    else:
        for other in (pl.from_pandas(table), pa.Table.from_pandas(table)):
            assert np.array_equal(encode(other), encoded, equal_nan=True)


def test_missing_dates_are_missing_values(forest):
    some = FRAME.assign(when=FRAME["when"].where(np.arange(N) % 3 > 0))
    fitted = ForestClassifier(5, random_state=0).fit(some, WEEKEND)
    assert np.isnan(fitted.fitted_.check(some)[::3, 1:6]).all()
    none = FRAME.assign(when=None)
    assert np.isfinite(forest.predict_proba(none)).all()


def test_saved_forests_read_dates_as_before(forest, tmp_path):
    forest.save(tmp_path / "forest")
    again = silvan.load(tmp_path / "forest")
    assert np.array_equal(again.predict_proba(FRAME), forest.predict_proba(FRAME))
    assert again.feature_names_.tolist() == NAMES


def test_readers_name_the_parts(forest):
    boosted = BoostedForestClassifier(5, random_state=0).fit(FRAME.drop(columns="colour"), WEEKEND)
    assert boosted.feature_names_.tolist() == NAMES[:-1]
    assert "when.day_of_week" in to_text(forest, 0)
    assert to_dict(forest)["feature_names"] == NAMES
    assert feature_contributions(forest, FRAME).values.shape == (N, len(NAMES), 2)
    assert forest.categories_[:-1] == [None] * 6
    only = ForestClassifier(3, random_state=0).fit(FRAME[["when"]], WEEKEND)
    assert only.categories_ is None
    assert len(only.forest_.n_categories) == 0


def test_exported_models_take_the_parts(forest):
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(to_onnx(forest).SerializeToString())
    samples = to_onnx_input(forest, FRAME)
    assert samples.shape == (N, len(NAMES))
    probabilities = session.run(["probabilities"], {"X": samples})[0]
    assert probabilities == pytest.approx(forest.predict_proba(FRAME), abs=1e-6)


def test_constraints_and_scaling_are_of_the_parts():
    X, y = FRAME[["when", "size"]], np.asarray(WHEN.year) + 0.0
    forest = ForestRegressor(
        5,
        random_state=0,
        projections=silvan.projections.AxisAligned(),
        monotonic_cst={"when.year": 1},
        scaling="standard",
    ).fit(X, y)
    assert forest.score(X, y) > 0.9
    with pytest.raises(ValueError, match="X has no column named 'when'"):
        ForestRegressor(2, projections=silvan.projections.AxisAligned()).set_params(
            monotonic_cst={"when": 1}
        ).fit(X, y)


def test_dates_named_as_categories_are_categories():
    X = pd.DataFrame({"day": WHEN[np.arange(N) % 4]})
    forest = ForestClassifier(3, categorical_features=["day"], random_state=0)
    assert forest.fit(X, np.arange(N) % 4).feature_names_.tolist() == ["day"]


def test_other_columns_in_place_of_dates_are_refused(forest):
    for wrong in (FRAME["when"].astype(str), 1.0):
        with pytest.raises(ValueError, match="column 'when' of X must hold dates, as in fit, such"):
            forest.predict(FRAME.assign(when=wrong))
    numbers = ForestClassifier(2, random_state=0).fit(FRAME.assign(when=1.0), WEEKEND)
    with pytest.raises(ValueError, match=r"column 'when' of X holds dates .* fitted on numbers"):
        numbers.predict(FRAME)


def test_mixed_objects_are_refused_by_name():
    mixed = pd.DataFrame({"when": [datetime.date(2024, 1, 1), "yesterday"] * 5})
    with pytest.raises(ValueError, match="column 'when' of X holds dates, and values that cannot"):
        ForestClassifier(2, categorical_features=None).fit(mixed, np.arange(10) % 2)


def test_a_warm_start_needs_the_same_dates():
    forest = ForestClassifier(2, warm_start=True, random_state=0).fit(FRAME, WEEKEND)
    early = FRAME.assign(when=FRAME["when"].dt.normalize())
    with pytest.raises(ValueError, match="warm_start"):
        forest.set_params(n_estimators=4).fit(early, WEEKEND)


def test_parts_of_a_table_tell_what_varies_between_them():
    ordered = FRAME.sort_values("when")
    pieces = [ordered[:60], ordered[60:].assign(when=None), ordered[60:61], ordered[61:]]
    pieces[0] = pieces[0].assign(when=pieces[0]["when"].dt.normalize())
    one_day = [ordered[k : k + 1] for k in (0, 150)]
    for parts in (pieces, one_day):
        tables = [find_categories("from_dtype", part) for part in parts]
        dated = [part.astype({"when": "datetime64[ns]"}) for part in parts]
        whole = find_categories("from_dtype", pd.concat(dated))
        joined = join_categories(tables, 3)
        assert joined.same_as(whole)
        assert joined.names(["a", "b", "c"]) == whole.names(["a", "b", "c"])


def test_grids_have_no_dates():
    X = pd.DataFrame({"a": WHEN, "b": WHEN})
    with pytest.raises(ValueError, match=r"column 'a' of X holds dates .* cells of a grid are num"):
        silvan.ManifoldForestClassifier(2).fit(X, WEEKEND)


def test_a_frame_without_samples_is_refused_as_such():
    with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\)"):
        ForestClassifier(2).fit(FRAME[:0], WEEKEND[:0])

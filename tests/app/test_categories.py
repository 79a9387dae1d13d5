"""Columns of text and of numbers that name categories, from the file to the page."""

import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

import silvan
from silvan import ForestRegressor
from silvan.app.data import open_source
from silvan.app.models import layout_of

FLATS = ("--target", "rent", "--categorical", "postcode", "--drop", "id")
FEW = ("--trees", "20", "--jobs", "1")
DISTRICTS = np.array(["Altona", "Mitte", "Nord", "Wandsbek"])
HEATING = np.array(["gas", "oil", "district heating"])


def make_flats(n: int = 240, seed: int = 0) -> pd.DataFrame:
    """Two columns of text, one with gaps, a number that names a place, and true or false."""
    rng = np.random.default_rng(seed)
    district, heating = rng.integers(0, 4, n), rng.integers(0, 3, n)
    postcode = 22000 + 7 * rng.integers(0, 9, n)
    area = rng.uniform(20, 120, n).round(1)
    lift = rng.random(n) < 0.5
    rent = 9 * area * (1 + 0.3 * (district % 2)) + 60 * (postcode % 2) + 20 * lift
    flats = pd.DataFrame(
        {
            "id": np.arange(n),
            "district": DISTRICTS[district],
            "area": area,
            "heating": pd.Series(HEATING[heating], dtype=object),
            "postcode": postcode,
            "lift": lift,
            "rent": (rent + rng.normal(0, 20, n)).round(2),
        }
    )
    flats.loc[::13, "heating"] = None
    return flats


def as_arrow(flats: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(flats, preserve_index=False)


@pytest.fixture(scope="module", autouse=True)
def flats(folder):
    """The flats as files of three kinds; text is a dictionary in one of them."""
    table = as_arrow(make_flats())
    pa.csv.write_csv(table, folder / "flats.csv")
    pa.parquet.write_table(table, folder / "flats.parquet")
    keyed = table.set_column(1, "district", table["district"].dictionary_encode())
    pa.feather.write_feather(keyed, folder / "flats.arrow")
    return table


def messages(result) -> str:
    return " ".join(result.stderr.split())


def printed(result) -> list[float]:
    return pa.csv.read_csv(io.BytesIO(result.stdout_bytes))["prediction"].to_pylist()


@pytest.fixture
def model(run, folder):
    if not (folder / "flats.silvan").exists():
        run("fit", "flats.csv", *FLATS, "--out", "flats.silvan", *FEW)
    return silvan.load(folder / "flats.silvan")


@pytest.mark.parametrize("name", ["flats.csv", "flats.parquet", "flats.arrow"])
def test_text_is_categorical_in_every_format(run, folder, model, name):
    result = run("fit", name, *FLATS, "--out", "other.silvan", *FEW)
    said = "a table of 240 rows and 5 features; categories in 'district' (4), 'heating' (3), "
    assert said + "'postcode' (9)." in messages(result)
    forest = silvan.load(folder / "other.silvan")
    assert forest.categorical_features == "from_dtype"
    assert forest.categories_[0].tolist() == DISTRICTS.tolist()
    assert forest.categories_[1] is None
    np.testing.assert_array_equal(forest.categories_[3], 22000 + 7 * np.arange(9))
    np.testing.assert_array_equal(forest.forest_.threshold, model.forest_.threshold)
    assert printed(run("predict", "other.silvan", name)) == printed(
        run("predict", "flats.silvan", "flats.csv")
    )


def test_predictions_are_those_of_python(run, folder, model):
    frame = make_flats(60, seed=1)
    frame.loc[::7, "district"] = "Bergedorf"
    frame.loc[::9, "postcode"] = 1
    frame.loc[3, ["district", "heating"]] = None
    pa.csv.write_csv(as_arrow(frame), folder / "new.csv")
    pa.parquet.write_table(as_arrow(frame), folder / "new.parquet")
    frame["area"] = frame["area"].astype(np.float32)
    expected = model.predict(frame[list(model.feature_names_in_)])
    for name in ("new.csv", "new.parquet"):
        np.testing.assert_allclose(printed(run("predict", "flats.silvan", name)), expected)


@pytest.mark.filterwarnings("ignore:column 'postcode' of X has no category")
def test_types_may_differ_between_files(run, folder, model):
    frame = make_flats(40, seed=2)
    expected = printed_of(run, folder, frame)
    codes = frame["postcode"]
    others = {
        "text": codes.astype(str),
        "floats": codes.astype(float),
        "keyed": codes.astype("category"),
        "text with decimals": codes.astype(str) + ".0",
    }
    for values in others.values():
        assert printed_of(run, folder, frame.assign(postcode=values)) == expected
    # What is no number among numbers is new, as any number that was not there.
    words = printed_of(run, folder, frame.assign(postcode="no number"))
    assert words == printed_of(run, folder, frame.assign(postcode=7))
    assert words == printed_of(run, folder, frame.assign(postcode="no number"), "csv")
    large = as_arrow(frame)
    large = large.set_column(1, "district", large["district"].cast(pa.large_string()))
    pa.parquet.write_table(large, folder / "like.parquet")
    assert printed(run("predict", "flats.silvan", "like.parquet")) == expected


def printed_of(run, folder, frame, suffix="parquet"):
    write = pa.csv.write_csv if suffix == "csv" else pa.parquet.write_table
    write(as_arrow(frame), folder / f"like.{suffix}")
    return printed(run("predict", "flats.silvan", f"like.{suffix}"))


def test_columns_without_a_value_are_missing(run, folder, model):
    frame = make_flats(20, seed=4)
    gaps = frame.assign(district=None, postcode=None)
    expected = printed_of(run, folder, gaps)
    assert printed_of(run, folder, gaps, "csv") == expected
    rows = frame.assign(district=pd.Series([None] * 20, dtype=object), postcode=np.nan)
    rows["area"] = rows["area"].astype(np.float32)
    np.testing.assert_allclose(expected, model.predict(rows[list(model.feature_names_in_)]))


def test_text_of_digits_meets_numbers(run, folder):
    rooms = np.array(["1", "2", "2a"])[np.arange(90) % 3]
    frame = pd.DataFrame({"room": rooms, "y": np.where(rooms == "1", "low", "high")})
    pa.csv.write_csv(as_arrow(frame), folder / "rooms.csv")
    run("fit", "rooms.csv", "--target", "y", "--out", "rooms.silvan", *FEW)
    assert silvan.load(folder / "rooms.silvan").categories_[0].tolist() == ["1", "2", "2a"]
    for kind in (int, float, str):
        numbers = pd.DataFrame({"room": np.array([1, 2, 1]).astype(kind)})
        pa.parquet.write_table(as_arrow(numbers), folder / "few.parquet")
        pa.csv.write_csv(as_arrow(numbers), folder / "few.csv")
        for name in ("few.parquet", "few.csv"):
            assert printed(run("predict", "rooms.silvan", name)) == ["low", "high", "low"]


def test_batches_are_encoded_one_by_one(folder, model):
    source = open_source(folder / "flats.arrow")
    layout = layout_of(model)
    (whole,) = source.batches(layout, 1000)
    parts = list(source.batches(layout, 50))
    assert [len(part.X) for part in parts] == [50, 50, 50, 50, 40]
    assert pa.types.is_dictionary(parts[0].X["district"].type)
    np.testing.assert_array_equal(
        np.concatenate([model.predict(part.X) for part in parts]), model.predict(whole.X)
    )


@pytest.mark.parametrize("source", ["flats.csv", "flats.arrow"])
@pytest.mark.parametrize("out", ["kept.csv", "kept.arrow", "kept.parquet"])
def test_categories_are_copied_beside_predictions(run, folder, model, source, out, monkeypatch):
    monkeypatch.setattr("silvan.app.prediction.BATCH_ROWS", 50)
    run("predict", "flats.silvan", source, "--keep", "district", "--keep", "id", "--out", out)
    read = {"csv": pa.csv.read_csv, "arrow": pa.feather.read_table}
    table = read.get(out.rpartition(".")[2], pa.parquet.read_table)(folder / out)
    assert table["district"].to_pylist() == make_flats()["district"].tolist()
    assert table["id"].to_pylist() == list(range(240))


def test_text_far_down_a_column_that_was_named(run, folder):
    rows = "".join(f"{k % 5},{k % 2}\n" for k in range(1_200_000)) + "oops,1\n"
    (folder / "far.csv").write_text("a,y\n" + rows)
    options = ("--categorical", "a", "--set", "max_samples=200", "--no-out-of-bag", *FEW)
    result = run("fit", "far.csv", "--target", "y", "--out", "far.silvan", *options)
    assert "categories in 'a' (6)" in messages(result)
    assert silvan.load(folder / "far.silvan").categories_[0].tolist() == [*"01234", "oops"]


def test_names_of_rows_are_pointed_out(run, folder):
    frame = make_flats(60).assign(address=[f"street {k}" for k in range(60)])
    pa.csv.write_csv(as_arrow(frame), folder / "streets.csv")
    result = run("fit", "streets.csv", *FLATS, "--out", "streets.silvan", *FEW)
    assert "'address' may only name the rows, and can be left out with --drop." in messages(result)


def test_info_counts_categories(run, model):
    text = run("info", "flats.silvan").stdout
    assert "categories      district (4), heating (3), postcode (9)" in text
    assert "parameters      random_state=0" in text


def test_comparisons_encode_text_for_others(run, folder):
    others = ("--against", "sklearn,rf,ccf", "--folds", "3")
    result = run("evaluate", "flats.csv", *FLATS, *others, *FEW)
    lines = [line.split() for line in result.stdout.splitlines()[2:]]
    assert len(lines) == 4
    scores = [float(line[-7] if "±" in line else "nan") for line in lines]
    assert min(scores) > 0.7
    frame = make_flats(80, seed=3)
    frame.loc[::5, "district"] = "Bergedorf"
    frame["postcode"] = frame["postcode"].astype(str)
    pa.parquet.write_table(as_arrow(frame.assign(more="text")), folder / "held.parquet")
    result = run("evaluate", "flats.csv", *FLATS, "--test", "held.parquet", *FEW)
    assert "held.parquet: a table of 80 rows and 5 features" in messages(result)
    # The forest alone on the same rows is as good as it is among others.
    run("fit", "flats.csv", *FLATS, "--out", "again.silvan", *FEW)
    predicted = printed(run("predict", "again.silvan", "held.parquet"))
    score = 1 - np.mean((frame["rent"] - predicted) ** 2) / np.var(frame["rent"])
    assert f"silvan                      {score:.3f}" in result.stdout


def test_models_of_python_predict_files(run, folder):
    frame = make_flats()
    X, y = frame[["district", "area", "postcode"]], frame["rent"]
    keyed = X.assign(postcode=X["postcode"].astype("category"))
    named = ForestRegressor(5, random_state=0).fit(keyed, y)
    named.save(folder / "named.silvan")
    np.testing.assert_allclose(
        printed(run("predict", "named.silvan", "flats.csv")), named.predict(keyed), rtol=1e-6
    )
    rows = X.to_numpy(dtype=object)
    bare = ForestRegressor(5, categorical_features=[0, 2], random_state=0).fit(rows, y)
    bare.save(folder / "bare.silvan")
    pa.csv.write_csv(as_arrow(X), folder / "three.csv")
    np.testing.assert_allclose(
        printed(run("predict", "bare.silvan", "three.csv")), bare.predict(rows), rtol=1e-6
    )
    result = run("predict", "bare.silvan", "flats.csv", code=3)
    assert "flats.csv has 7 columns of numbers or text but the forest" in messages(result)
    mixed = X.assign(district=[1, "a"] * 120)
    ForestRegressor(2, random_state=0).fit(mixed, y).save(folder / "mixed.silvan")
    result = run("predict", "mixed.silvan", "flats.csv", code=4)
    assert "neither all text nor all numbers" in messages(result)


def test_text_for_numbers_is_refused(run, folder, model):
    frame = make_flats(10).assign(area="large")
    pa.parquet.write_table(as_arrow(frame), folder / "wrong.parquet")
    result = run("predict", "flats.silvan", "wrong.parquet", code=3)
    assert "fitted on numbers, but wrong.parquet has text in 'area'" in messages(result)


def test_dates_may_be_categories(run, folder):
    table = pa.table(
        {
            "day": pa.array([f"2026-01-0{1 + k % 3}" for k in range(60)]).cast(pa.date32()),
            "y": [f"class {k % 3}" for k in range(60)],
        }
    )
    pa.parquet.write_table(table, folder / "days.parquet")
    fit = ("fit", "days.parquet", "--target", "y", "--out", "days.silvan", *FEW)
    assert "categories in 'day' (3)" in messages(run(*fit, "--categorical", "day"))
    pa.csv.write_csv(table, folder / "days.csv")
    assert printed(run("predict", "days.silvan", "days.csv")) == table["y"].to_pylist()


def test_a_report_on_text(run, folder, model):
    target = ("--target", "rent", "--drop", "id", "--jobs", "1", "--folds", "2")
    run("report", "flats.silvan", "flats.csv", *target, "--out", "flats.html")
    page = (folder / "flats.html").read_text()
    assert "district (4), heating (3), postcode (9)" in page
    assert "scikit-learn RandomForest" in page
    assert page.count("<section") == 11
    mistakes = page[page.index('id="mistakes"') :]
    assert any(f"<td>{name}</td>" in mistakes for name in DISTRICTS)
    assert "<td>220" in mistakes
    frame = make_flats(80, seed=3)
    frame.loc[::5, "district"] = "Bergedorf"
    frame["postcode"] = frame["postcode"].astype(str)
    pa.parquet.write_table(as_arrow(frame), folder / "held.parquet")
    run("report", "flats.silvan", "flats.csv", *target, "--test", "held.parquet", "--out", "b.html")
    assert "Bergedorf" in (folder / "b.html").read_text()


@pytest.mark.filterwarnings("default")
def test_warnings_of_predict_are_notes(run, folder):
    flats = make_flats()
    flats.to_csv(folder / "flats.csv", index=False)
    run("fit", "flats.csv", *FLATS, *FEW, "--out", "flats.silvan")
    flats.assign(district=flats["district"].str.upper()).to_csv(folder / "new.csv", index=False)
    said = run("predict", "flats.silvan", "new.csv", "--out", "answers.csv").stderr
    assert "Note: column 'district' of X has no category that the forest was fitted on" in said
    assert "UserWarning" not in said


@pytest.mark.filterwarnings("default")
def test_text_in_place_of_numbers_that_name_categories_is_shown_without_codes(run, folder):
    flats = make_flats()
    flats.to_csv(folder / "flats.csv", index=False)
    run("fit", "flats.csv", *FLATS, *FEW, "--out", "flats.silvan")
    words = flats.assign(postcode="HH-" + flats["postcode"].astype(str))
    words.to_csv(folder / "new.csv", index=False)
    said = run("predict", "flats.silvan", "new.csv", "--out", "answers.csv").stderr
    assert "'postcode' of X has no category that the forest was fitted on, where 22000 was" in said
    assert "inf" not in said

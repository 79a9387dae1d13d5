"""Dates in tables, from fit to report."""

import csv
import datetime
import io

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

FEW = ("--trees", "20", "--jobs", "1")
N = 120
DAYS = [datetime.datetime(2023, 5, 1, 6) + datetime.timedelta(hours=31 * k) for k in range(N)]
WEEKEND = ["yes" if day.weekday() >= 5 else "no" for day in DAYS]
TABLE = pa.table(
    {
        "when": pa.array([None if k == 7 else day for k, day in enumerate(DAYS)]),
        "size": np.random.default_rng(0).normal(size=N),
        "kind": [["a", "b", "c"][k % 3] for k in range(N)],
        "weekend": WEEKEND,
    }
)


def messages(result) -> str:
    return " ".join(result.stderr.split())


def printed(result) -> list[str]:
    return [row["prediction"] for row in csv.DictReader(io.StringIO(result.stdout))]


@pytest.fixture
def model(run, folder):
    pa.parquet.write_table(TABLE, folder / "when.parquet")
    pa.csv.write_csv(TABLE, folder / "when.csv")
    fit = run("fit", "when.csv", "--target", "weekend", "--out", "when.silvan", *FEW)
    return messages(fit)


def test_fit_says_what_is_read_of_a_date(model):
    said = "column 'when' is read as a date: day of year, day of month, day of week, hour."
    assert said in model


def test_files_of_all_kinds_are_predicted_alike(run, folder, model):
    by_csv = printed(run("predict", "when.silvan", "when.csv"))
    assert printed(run("predict", "when.silvan", "when.parquet")) == by_csv
    assert np.mean(np.array(by_csv) == WEEKEND) > 0.9
    days = TABLE.set_column(0, "when", TABLE["when"].cast(pa.date32(), safe=False))
    pa.csv.write_csv(days, folder / "days.csv")  # dates without times
    assert len(printed(run("predict", "when.silvan", "days.csv"))) == N


def test_info_names_the_parts(run, model):
    told = run("info", "when.silvan").stdout
    assert "dates           when (day of year, day of month, day of week, hour)" in told
    assert "when.day_of_week" in told


def test_other_values_in_place_of_dates_are_refused(run, folder, model):
    words = TABLE.set_column(0, "when", pa.array(["soon"] * N))
    pa.csv.write_csv(words, folder / "words.csv")
    said = messages(run("predict", "when.silvan", "words.csv", code=3))
    assert (
        "column 'when' of words.csv has 'soon' in row 2, which is not a date such as 2024" in said
    )
    pa.parquet.write_table(words, folder / "words.parquet")
    said = messages(run("predict", "when.silvan", "words.parquet", code=3))
    assert "the forest was fitted on dates in 'when', but words.parquet has text there" in said
    lines = (folder / "when.csv").read_text().replace("2023-05-02 13:00:00", "2023-05-02 25:00:00")
    (folder / "late.csv").write_text(lines)
    said = messages(run("predict", "when.silvan", "late.csv", code=3))
    assert "has '2023-05-02 25:00:00.000000' in row 3, which is not a date" in said


def test_reports_and_comparisons_read_dates(run, folder, model):
    target = ("--target", "weekend", "--jobs", "1", "--folds", "2")
    run("report", "when.silvan", "when.csv", *target, "--out", "when.html")
    page = (folder / "when.html").read_text()
    assert "when.day_of_week" in page
    few = ("--trees", "5", "--against", "sklearn")
    first, second = TABLE.slice(0, 60), TABLE.slice(60)
    for name, part in (("first", first), ("second", second)):
        pa.csv.write_csv(part, folder / f"{name}.csv")
    table = run("evaluate", "first.csv", "--test", "second.csv", *target[:4], *few).stdout
    assert "scikit-learn RandomForest" in table

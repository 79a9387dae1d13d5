"""Data from standard input and from Excel files, results to standard output."""

import datetime
import io
from pathlib import Path

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from silvan.app.commands import app
from silvan.app.data.opening import open_source
from silvan.app.data.standard_input import StandardInput

FEW = ("--trees", "5", "--jobs", "1")
N = 40
FRAME = pd.DataFrame(
    {
        "size ": [0.5 * k for k in range(N)],
        "flag": [k % 3 == 0 for k in range(N)],
        "when": [datetime.datetime(2024, 1, 1) + datetime.timedelta(days=k) for k in range(N)],
        "mixed": [k if k % 2 else f"{k} pieces" for k in range(N)],
        "y": ["low" if k < 20 else "high" for k in range(N)],
    }
)
FIT = ("--target", "y", "--out", "m.silvan", *FEW)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run_program(*arguments, code=0, given=None):
        result = CliRunner().invoke(app, list(arguments), input=given)
        assert result.exit_code == code, (result.output, result.exception)
        return result

    return run_program


def predictions(result):
    return pa.csv.read_csv(io.BytesIO(result.stdout_bytes))["prediction"].to_pylist()


def written(table, write):
    content = io.BytesIO()
    write(table, content)
    return content.getvalue()


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
def test_data_come_from_standard_input(run, kind):
    table = pa.Table.from_pandas(FRAME.drop(columns="mixed"), preserve_index=False)
    writers = {
        "csv": pa.csv.write_csv,
        "parquet": pa.parquet.write_table,
        "arrow": lambda table, sink: pa.feather.write_feather(table, sink, compression=None),
    }
    content = written(table, writers[kind])
    said = run("fit", "-", *FIT, given=content).stderr
    assert "standard input: a table of 40 rows and 3 features" in said
    first = run("predict", "m.silvan", "-", given=content)
    assert predictions(first) == FRAME["y"].tolist()
    assert run("predict", "m.silvan", "-", "--out", "-", given=content).stdout == first.stdout


def test_standard_input_needs_data(run):
    assert "standard input is empty; pipe data" in run("fit", "-", *FIT, code=3, given=b"").stderr


def test_a_model_is_no_standard_output(run):
    result = run("fit", "-", "--target", "y", "--out", "-", code=2, given=b"a,y\n1,2\n")
    assert "standard output, which takes no model; name a file." in result.stderr


def test_copies_of_standard_input_are_removed(tmp_path, monkeypatch):
    class Piped:
        buffer = io.BytesIO(b"a,y\n1,2\n")
        isatty = staticmethod(lambda: False)

    monkeypatch.setattr("sys.stdin", Piped)
    source = open_source(StandardInput("-"))
    copy = str(source.path)
    assert f"{source.path}" == "standard input"
    assert Path(copy).read_bytes() == b"a,y\n1,2\n"
    del source
    assert not Path(copy).exists()


def test_sheets_are_tables(run, tmp_path):
    with pd.ExcelWriter(tmp_path / "book.xlsx") as book:
        FRAME.to_excel(book, sheet_name="data", index=False)
        FRAME[:3].to_excel(book, sheet_name="other")
    result = run("fit", "book.xlsx", *FIT, "--drop", "mixed")
    said = " ".join(result.stderr.split())
    assert "book.xlsx: a table of 40 rows and 3 features; sheet 'data', the first of 2" in said
    assert "column 'when' is read as a date: day of year, day of month, day of week" in said
    FRAME.drop(columns="mixed").to_csv(tmp_path / "book.csv", index=False)
    sheet = run("predict", "m.silvan", "book.xlsx", "--keep", "flag, y")
    assert predictions(sheet) == predictions(run("predict", "m.silvan", "book.csv"))
    assert sheet.stdout.splitlines()[0] == '"flag","y","prediction"'
    refused = run("fit", "book.xlsx", *FIT, "--encoding", "utf-8", code=2).stderr
    assert "--missing, --decimal and --encoding are for text tables" in refused


def test_sheets_may_hold_percentages_as_text(run, tmp_path):
    FRAME.assign(mixed=[f"{k}.5 %" for k in range(N)]).to_excel(tmp_path / "p.xlsx", index=False)
    assert "percentages in 'mixed': 12.5 % is 12.5" in run("fit", "p.xlsx", *FIT).stderr


def test_points_in_a_table_of_commas_are_reported(run, tmp_path):
    lines = [f"{k}.5;{k},5;{k % 2}" for k in range(40)]
    (tmp_path / "both.csv").write_text("\n".join(["a;b;y", *lines]))
    refused = " ".join(run("fit", "both.csv", *FIT, "--decimal", ",", code=3).stderr.split())
    assert "column 'a' of both.csv holds numbers with decimal points, such as '0.5'" in refused
    run("fit", "both.csv", *FIT, "--decimal", ",", "--categorical", "a")


def test_sheets_that_mix_numbers_and_words_are_reported(run, tmp_path):
    mixed = FRAME.assign(mixed=[k if k % 5 else "none yet" for k in range(N)])
    mixed.to_excel(tmp_path / "book.xlsx", index=False)
    refused = run("fit", "book.xlsx", *FIT, code=3).stderr
    assert "column 'mixed' holds numbers in 32 rows and words in 8: 'none yet' (8)" in refused
    run("fit", "book.xlsx", *FIT, "--missing", "none yet")


def test_what_is_no_excel_file_is_refused(run, tmp_path):
    (tmp_path / "book.xlsx").write_text("a,b\n1,2\n")
    refused = run("fit", "book.xlsx", *FIT, code=3).stderr
    assert "book.xlsx cannot be read as an Excel file" in refused


def test_missing_packages_for_excel_are_named(run, tmp_path, monkeypatch):
    FRAME.to_excel(tmp_path / "book.xlsx", index=False)
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    refused = run("fit", "book.xlsx", *FIT, code=2).stderr
    assert "needs pandas and openpyxl to be read" in refused
    assert "install silvan[excel]" in refused


def test_true_and_false_are_words_in_the_report(run, tmp_path):
    noisy = FRAME.assign(y=["low" if k % 3 else "high" for k in range(N)])
    noisy.loc[::7, "y"] = "low"
    noisy[["flag", "y"]].to_csv(tmp_path / "flags.csv", index=False)
    run("fit", "flags.csv", *FIT)
    run("report", "m.silvan", "flags.csv", "--target", "y", "--against", "none", "--jobs", "1")
    page = (tmp_path / "report.html").read_text()
    assert "<td>true</td>" in page or "<td>false</td>" in page


def test_formulas_without_stored_results_are_reported(run, tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["a", "twice", "y"])
    for k in range(40):
        book.active.append([k * 7 % 11, f"=2*A{k + 2}", "even" if k % 2 else "odd"])
    book.save(tmp_path / "book.xlsx")
    said = " ".join(run("fit", "book.xlsx", *FIT).stderr.split())
    assert "formulas in 'twice' have no stored results and count as missing" in said

"""The experiments' store resumes, also after a kill, and runs with nothing to show end."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from experiments.arguments import Arguments
from experiments.store import Store, measure_cells, require_rows

ROOT = Path(__file__).parents[2]
CELLS = [{"system": s, "n": n} for s in ("kept", "absent") for n in (1, 2)]
# An experiment whose measurement uses a cached function.
CACHED = """
from functools import cache
from pathlib import Path
import sys
from experiments.arguments import Arguments
from experiments.store import Store, measure_cells

@cache
def double(n):
    return 2 * n

def measure(cell):
    return {"error": double(cell["n"])}

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    arguments = Arguments("cached", True, seeds=1, jobs=2, data=folder, output=folder)
    store = Store(folder / "cached.csv", ("n",), ("error",))
    measure_cells(store, [{"n": 3}, {"n": 4}], measure, arguments)
"""


def count_calls(cell):
    return {"error": cell["n"] / 8} if cell["system"] == "kept" else None


def make_arguments(output):
    return Arguments("test", quick=True, seeds=1, jobs=1, data=output, output=output)


def open_store(path):
    return Store(path, ("system", "n"), ("error",))


def test_store_measures_only_what_is_missing(tmp_path, capsys):
    path = tmp_path / "test.csv"
    measure_cells(open_store(path), CELLS, count_calls, make_arguments(tmp_path))
    assert "left out: absent (2 fits)" in capsys.readouterr().out

    again = open_store(path)
    assert again.values("error", system="kept") == [0.125, 0.25]
    assert again.mean("error", system="kept", n=2) == 0.25
    measure_cells(again, CELLS[:2], pytest.fail, make_arguments(tmp_path))
    assert len(path.read_text().splitlines()) == 3


def test_cached_functions_of_an_experiment_work_in_many_processes(tmp_path):
    (tmp_path / "cached.py").write_text(CACHED)
    paths = os.pathsep.join([str(tmp_path), str(ROOT), os.environ.get("PYTHONPATH", "")])
    subprocess.run(
        [sys.executable, "-m", "cached", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": paths},
        check=True,
        capture_output=True,
    )
    assert sorted((tmp_path / "cached.csv").read_text().split()) == ["3,6", "4,8", "n,error"]


@pytest.mark.parametrize(
    "left",
    [b"kept,2,0.2", b"kept,2,0.25", b"kept,2,0.25\r", "²".encode()[:1]],
    ids=["within a value", "before the end", "within the end", "within a character"],
)
def test_a_line_that_a_killed_run_cut_off_is_measured_again(tmp_path, left):
    path = tmp_path / "test.csv"
    path.write_bytes(b"system,n,error\r\nkept,1,0.125\r\n" + left)
    store = open_store(path)
    assert store.values("error") == [0.125]
    measure_cells(store, CELLS[:2], count_calls, make_arguments(tmp_path))
    assert path.read_bytes() == b"system,n,error\r\nkept,1,0.125\r\nkept,2,0.25\r\n"
    assert open_store(path).values("error") == [0.125, 0.25]


@pytest.mark.parametrize("left", [b"", b"system,n", b"system,n,error"])
def test_a_file_without_a_whole_header_gets_one(tmp_path, left):
    path = tmp_path / "test.csv"
    path.write_bytes(left)
    store = open_store(path)
    assert not store.rows
    assert path.read_bytes() == left
    store.add({"system": "kept", "n": 1, "error": 0.125})
    assert path.read_bytes() == b"system,n,error\r\nkept,1,0.125\r\n"


def test_a_file_with_other_columns_is_refused_by_name(tmp_path):
    path = tmp_path / "test.csv"
    path.write_text("system,n,seconds\nkept,1,0.125\n")
    with pytest.raises(
        SystemExit, match=r"test\.csv must have .* n, error but has .* seconds; move"
    ):
        open_store(path)


@pytest.mark.parametrize(
    ("row", "count"), [("kept,1,0.1kept,1,0.125", "more"), ("kept,1", "fewer")]
)
def test_a_row_of_another_length_is_refused_with_its_line(tmp_path, row, count):
    path = tmp_path / "test.csv"
    path.write_text(f"system,n,error\nkept,2,0.25\n{row}\nkept,3,1\n")
    with pytest.raises(SystemExit, match=rf"test\.csv, line 3, must have 3 values but has {count}"):
        open_store(path)


def test_a_report_of_nothing_ends_the_run(tmp_path):
    arguments = replace(make_arguments(tmp_path), report=True)
    with pytest.raises(SystemExit, match=r"nothing is measured yet in .*test\.csv; run without"):
        measure_cells(open_store(tmp_path / "test.csv"), CELLS, pytest.fail, arguments)


def test_a_run_that_could_measure_nothing_ends(tmp_path):
    with pytest.raises(SystemExit, match=r"test\.csv, as none of its fits could be measured"):
        measure_cells(
            open_store(tmp_path / "test.csv"), CELLS[2:], count_calls, make_arguments(tmp_path)
        )


def test_a_report_goes_on_without_a_later_store(tmp_path):
    arguments = replace(make_arguments(tmp_path), report=True)
    store = open_store(tmp_path / "test.csv")
    store.add({"system": "kept", "n": 1, "error": 0.125})
    for name in ("test.csv", "later.csv"):
        measure_cells(open_store(tmp_path / name), CELLS, pytest.fail, arguments)


def test_rows_that_were_not_asked_for_are_left_out_of_a_page_but_stay_in_the_file(tmp_path):
    arguments = replace(make_arguments(tmp_path), report=True)
    store = open_store(tmp_path / "test.csv")
    for n in (1, 2):
        store.add({"system": "kept", "n": n, "error": n / 8})
    require_rows(store, arguments, n=2)
    assert store.values("error") == [0.25]
    assert len(open_store(store.path).rows) == 2
    with pytest.raises(SystemExit, match="nothing with n = 3 is measured yet"):
        require_rows(store, arguments, n=3)

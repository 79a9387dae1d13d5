"""The experiments' store resumes, also after a kill."""

from __future__ import annotations

import pytest
from experiments.arguments import Arguments
from experiments.store import Store, measure_cells

CELLS = [{"system": s, "n": n} for s in ("kept", "absent") for n in (1, 2)]


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

"""The experiments' store resumes."""

from __future__ import annotations

import pytest
from experiments.arguments import Arguments
from experiments.store import Store, measure_cells


def count_calls(cell):
    return {"error": cell["n"] / 8} if cell["system"] == "kept" else None


def make_arguments(output):
    return Arguments("test", quick=True, seeds=1, jobs=1, data=output, output=output)


def test_store_measures_only_what_is_missing(tmp_path, capsys):
    cells = [{"system": s, "n": n} for s in ("kept", "absent") for n in (1, 2)]
    path = tmp_path / "test.csv"
    measure_cells(
        Store(path, ("system", "n"), ("error",)), cells, count_calls, make_arguments(tmp_path)
    )
    assert "left out: absent (2 fits)" in capsys.readouterr().out

    again = Store(path, ("system", "n"), ("error",))
    assert again.values("error", system="kept") == [0.125, 0.25]
    assert again.mean("error", system="kept", n=2) == 0.25
    measure_cells(again, cells[:2], pytest.fail, make_arguments(tmp_path))
    assert len(path.read_text().splitlines()) == 3

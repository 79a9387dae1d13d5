"""The experiments' store resumes, and their pages keep what people wrote."""

from __future__ import annotations

from dataclasses import replace

import pytest
from experiments.arguments import Arguments
from experiments.pages import BEGIN, write_measured
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


def test_page_keeps_the_lines_around_the_measured_part(tmp_path):
    page = tmp_path / "page.md"
    write_measured(page, "Title", "first")
    page.write_text(page.read_text().replace(BEGIN, "Before.\n\n" + BEGIN) + "\nAfter.\n")
    write_measured(page, "Title", "second")
    text = page.read_text()
    assert "first" not in text
    assert text.index("Before.") < text.index("second") < text.index("After.")


def test_a_run_says_where_its_page_is_and_the_page_how_to_repeat_it(tmp_path, capsys):
    write_measured(tmp_path / "page.md", "Title", "measured")
    assert f"The page is {tmp_path / 'page.md'}" in capsys.readouterr().out
    assert make_arguments(tmp_path).command == "python -m experiments.test --quick"
    full = replace(make_arguments(tmp_path), quick=False, seeds=3)
    assert full.command == "python -m experiments.test --seeds 3"

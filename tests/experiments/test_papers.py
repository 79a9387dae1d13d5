"""The table of the papers has every figure and table, with commands and pages that exist."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from experiments.paper_rows import ROWS
from experiments.papers import INDEX, RESULTS, count_expectations, count_runs, write_table

ROOT = Path(__file__).parents[2]
# Numbers of figures and tables by their work, as the works list them.
PUBLISHED = {
    "MORF": ["Figure 1", "Figure 2", "Figure 3", "Figure 4"],
    "Perry": [*[f"Figure {n}" for n in range(1, 5)], "Table 1", "Table 2"],
    "Tomita": [
        *[f"Figure 2.{n}" for n in range(1, 8)],
        *[f"Figure 3.{n}" for n in range(1, 12)],
        *[f"Figure 4.{n}" for n in range(1, 4)],
        "Figure A.1",
        "Table 2.1",
        "Table 3.1",
        "Table 3.2",
    ],
}

pytestmark = pytest.mark.skipif(
    not RESULTS.exists(), reason="the documentation is not part of the source package"
)


@pytest.mark.parametrize("work", PUBLISHED)
def test_every_figure_and_table_of_a_work_has_a_row(work):
    listed = [row.item for row in ROWS if work in row.work]
    assert not set(PUBLISHED[work]) - set(listed)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.item}, {row.work}")
def test_rows_have_a_command_a_page_counts_and_words(row):
    program, *options = row.command.split()
    if program == "pytest":
        assert all((ROOT / option).exists() for option in options)
    else:
        assert importlib.util.find_spec(program)
        assert re.fullmatch(r"(--seeds \d+|--only \w+|)", " ".join(options))
        page = (RESULTS / f"{row.document}.md").read_text(encoding="utf-8")
        assert f"`python -m {program}" in page
    assert row.published
    assert count_runs(row.runs)
    assert count_expectations(row.document) or "experiments" not in row.command
    assert row.differs.endswith(".")
    assert "not run" not in row.differs.lower() + str(row.runs).lower()


def test_the_index_has_the_table_that_the_measurements_give():
    assert write_table() in INDEX.read_text(encoding="utf-8")

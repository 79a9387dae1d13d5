"""The table of all figures and tables of the four works, for the index of results."""

from __future__ import annotations

import csv
import re
from collections import defaultdict

from experiments.arguments import ROOT
from experiments.pages import replace_measured
from experiments.paper_rows import ROWS, Row, Runs

RESULTS = ROOT / "docs" / "results"
INDEX = RESULTS / "index.md"


def count_runs(runs: Runs | str) -> str:
    """How often ours was measured, from the measurements."""
    if isinstance(runs, str):
        return runs
    found: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    with (RESULTS / "measurements" / f"{runs.file}.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            found[tuple(row[name] for name in runs.groups)].add(row[runs.column])
    numbers = runs.column in ("nodes", "repeats")
    counts = {max(map(int, e)) if numbers else len(e) for e in found.values()}
    least, most = min(counts), max(counts)
    if least < most:
        return f"{least:,} to {most:,} {runs.unit}"
    return f"1 {runs.unit.removesuffix('s')}" if most == 1 else f"{most:,} {runs.unit}"


def count_expectations(document: str) -> str:
    """How many expectations of a page hold; nothing where it has none."""
    text = (RESULTS / f"{document}.md").read_text(encoding="utf-8")
    answers = re.findall(r"\| (yes|\*\*no\*\*) \|$", text, re.M)
    return f"{answers.count('yes')} of {len(answers)} hold" if answers else ""


def write_row(row: Row) -> str:
    """A line of the table."""
    here = [count_runs(row.runs), count_expectations(row.document)]
    cells = (
        f"[{row.item}]({row.document}.md), {row.shows} ({row.work})<br>`{row.command}`",
        row.published,
        "; ".join(filter(None, here)),
        row.differs,
    )
    return "| " + " | ".join(cells) + " |"


def write_table() -> str:
    """The whole table."""
    header = (
        "figure or table, and its command after `python -m`",
        "published",
        "here",
        "what differs, and why",
    )
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join(["---"] * len(header)) + " |"]
    return "\n".join([*lines, *map(write_row, ROWS)])


def main() -> None:
    """Write the table into the index."""
    replace_measured(INDEX, write_table())


if __name__ == "__main__":
    main()

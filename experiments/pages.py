"""Markdown pages: a part that the program measures, between lines that people write."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from silvan._atomic import atomic_path

BEGIN = "<!-- measured: the program writes from here -->"
END = "<!-- to here -->"


class Expectation(NamedTuple):
    """A claim, what was measured, and whether it holds; None where it was not measured."""

    claim: str
    measured: str
    holds: bool | None


def write_measured(page: Path, title: str, measured: str) -> None:
    """Replace the measured part of a page, or begin the page, and say where it is."""
    if page.exists():
        replace_measured(page, measured)
    else:
        write_atomically(page, f"# {title}\n\n{surround(measured)}\n")
    print(f"The page is {page}, its figures are beside it.")


def replace_measured(page: Path, measured: str) -> None:
    """Replace what is between the two marks of a page; a page without them stays as it is."""
    text = page.read_text(encoding="utf-8")
    for mark in (BEGIN, END):
        if text.count(mark) != 1:
            raise SystemExit(
                f"{page} must have the mark {mark} once but has it {text.count(mark)} times; put "
                f"{BEGIN} before the measured part and {END} behind it."
            )
    before, _, rest = text.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise SystemExit(f"{page} has the mark {END} before {BEGIN}; exchange the two.")
    write_atomically(page, before + surround(measured) + after)


def surround(measured: str) -> str:
    """The measured part between its marks."""
    return f"{BEGIN}\n\n{measured.strip()}\n\n{END}"


def write_atomically(page: Path, text: str) -> None:
    """Write a page that is never seen half written."""
    with atomic_path(page) as path:
        path.write_text(text, encoding="utf-8")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; the first column is text, the others are numbers."""
    lines = ["| " + " | ".join(header) + " |"]
    lines.append("| --- |" + " ---: |" * (len(header) - 1))
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def expectations_table(expectations: Sequence[Expectation]) -> str:
    """The claims, one in a line."""
    words = {True: "yes", False: "**no**", None: "not measured"}
    rows = [
        (expectation.claim, expectation.measured, words[expectation.holds])
        for expectation in expectations
    ]
    return table(("expectation", "measured", "holds"), rows)


def number(value: float, digits: int = 4) -> str:
    """A number, or a dash where there is none."""
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def percent(value: float, digits: int = 2) -> str:
    """A share in percent, or a dash."""
    return "-" if math.isnan(value) else f"{100 * value:.{digits}f} %"


def at_most(claim: str, value: float, bound: float, digits: int = 4) -> Expectation:
    """The expectation that a value is at most a bound."""
    holds = None if math.isnan(value) or math.isnan(bound) else value <= bound
    return Expectation(claim, number(value, digits), holds)


def no_worse(claim: str, gaps: Sequence[float]) -> Expectation:
    """The expectation that no difference of two errors is positive, in points of percent."""
    if any(math.isnan(gap) for gap in gaps):
        return Expectation(claim, "-", None)
    return Expectation(claim, f"{100 * max(gaps):+.2f} points at worst", max(gaps) <= 0)


def describe_outcome(sizes: Sequence[int], gaps: Sequence[float]) -> str:
    """Where a system is behind another, from differences of their errors at each n."""
    known = [(n, gap) for n, gap in zip(sizes, gaps, strict=True) if not math.isnan(gap)]
    if not known:
        return "-"
    behind = [f"{n:,} (+{100 * gap:.1f})" for n, gap in known if gap > 0]
    if not behind:
        return "ahead at every n" if len(known) == len(sizes) else f"ahead to {known[-1][0]:,}"
    return "behind at " + ", ".join(behind)

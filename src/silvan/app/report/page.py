"""The page: panels in a template, and a summary that starts with the main result."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

import silvan
from silvan.app.errors import DataError
from silvan.app.numbers import write_count
from silvan.app.outputs import writing
from silvan.app.report.panels import make_panels
from silvan.app.report.subject import Subject


def write_report(path: Path, subject: Subject) -> None:
    """Write the page to a file."""
    page = render_report(subject)
    with writing(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def render_report(subject: Subject) -> str:
    """The page as text."""
    environment = Environment(
        loader=PackageLoader("silvan.app.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    try:
        parts = summarise(subject), make_tiles(subject), make_panels(subject)
    except ValueError as error:
        raise DataError(f"the data do not fit the forest: {error}") from None
    summary, tiles, panels = parts
    page: str = environment.get_template("template.html").render(
        title=subject.title,
        summary=summary,
        tiles=tiles,
        panels=panels,
        version=silvan.__version__,
        date=datetime.now(UTC).strftime("%d %B %Y"),
    )
    return page


def summarise(subject: Subject) -> str:
    """The main result in two or three sentences."""
    n_trees = subject.forest.forest_.n_trees
    aim = (
        f"to distinguish {write_count(len(subject.labels), 'class')}"
        if subject.classifies
        else "to predict a number"
    )
    forest, data = write_count(n_trees, "tree"), subject.data.describe()
    text = f"A forest of {forest} has learnt {aim} from {data}."
    judged = subject.judgement
    if judged is None:
        if subject.is_boosted:
            return text + " Pass rows that it has not seen as --test to judge it by."
        return text + " Too few rows were left to judge it by."
    main = judged.scores[0]
    rows = "the test rows" if subject.n_repeats else "rows that it has not seen"
    sure = f"(between {main.low:.1%} and {main.high:.1%} with 95% confidence)."
    if subject.n_repeats:
        sure += f" But {subject.n_repeats:,} of these are training rows, too."
    if subject.classifies:
        return f"{text} It correctly classifies {main.value:.1%} of {rows} {sure}"
    return f"{text} It explains {main.value:.1%} of the variance of {rows} {sure}"


def make_tiles(subject: Subject) -> list[tuple[str, str]]:
    """A few numbers to see at a glance."""
    tiles = []
    if subject.judgement is not None:
        main = subject.judgement.scores[0]
        tiles.append((f"{main.value:.1%}", f"{main.name} {subject.judgement.where}"))
    tiles.append((f"{subject.forest.forest_.n_trees:,}", "trees"))
    tiles.append((f"{len(subject.data.y):,}", "rows to learn from"))
    if subject.classifies:
        tiles.append((f"{len(subject.labels)}", "classes"))
    return tiles

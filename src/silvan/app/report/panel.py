"""A panel of the page, and tables in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape


@dataclass(frozen=True)
class Panel:
    """A titled part of the page."""

    name: str
    title: str
    lead: str
    body: Markup


def html_table(head: Sequence[str] | None, rows: Sequence[Sequence[str]]) -> Markup:
    """A table whose first column names its rows."""
    parts = ["<div class=scroll><table>"]
    if head:
        parts.append(
            "<thead><tr>" + "".join(f"<th>{escape(h)}</th>" for h in head) + "</tr></thead>"
        )
    for row in rows:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        parts.append(f"<tr><th scope=row>{escape(row[0])}</th>{cells}</tr>")
    return Markup("".join([*parts, "</table></div>"]))


def gallery(items: Sequence[tuple[Markup, str]]) -> Markup:
    """Figures with a line of text under each."""
    figures = [
        Markup("<figure>{}<figcaption>{}</figcaption></figure>").format(figure, text)
        for figure, text in items
    ]
    return Markup("<div class=gallery>") + Markup("").join(figures) + Markup("</div>")

"""The panel of the worst mistakes: rows with the largest errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from markupsafe import Markup
from numpy.typing import NDArray

from silvan.app.numbers import write_number
from silvan.app.report.figures import draw_row
from silvan.app.report.panel import Panel, gallery, html_table
from silvan.app.report.subject import Judgement, Subject
from silvan.forests.categories import category_name

_N_MISTAKES, _N_COLUMNS = 12, 5


def mistakes_panel(subject: Subject) -> Panel | None:
    """Rows with their true and predicted targets, the worst first."""
    judged = subject.judgement
    if judged is None:
        return None
    worst, n_wrong = _worst(subject, judged)
    if subject.classifies:
        if not n_wrong:
            lead = f"None of the {len(judged.rows):,} rows is wrong {judged.where}."
            return Panel("mistakes", "Its worst mistakes", lead, Markup(""))
        lead = f"{n_wrong:,} of {len(judged.rows):,} rows are wrong {judged.where}. "
        lead += "These are the most confident ones."
    else:
        lead = f"Rows whose prediction is furthest off, {judged.where}."
    captions = [_caption(subject, judged, k) for k in worst]
    rows = judged.rows[worst]
    if subject.data.kind == "table":
        body = _table(subject, judged, rows, captions)
    else:
        body = gallery(
            [
                (draw_row(judged.data.rows[row], subject.data.kind, text), text)
                for row, text in zip(rows, captions, strict=True)
            ]
        )
    return Panel("mistakes", "Its worst mistakes", lead, body)


def _worst(subject: Subject, judged: Judgement) -> tuple[NDArray[np.intp], int]:
    if not subject.classifies:
        gaps = np.abs(judged.truth - judged.predicted)
        return np.argsort(-gaps, kind="stable")[:_N_MISTAKES], 0
    truth = judged.predicted[np.arange(len(judged.truth)), judged.truth]
    wrong = judged.predicted.argmax(axis=1) != judged.truth
    surplus = np.where(wrong, judged.predicted.max(axis=1) - truth, -1.0)
    order = np.argsort(-surplus, kind="stable")[:_N_MISTAKES]
    return order[wrong[order]], int(np.count_nonzero(wrong))


def _caption(subject: Subject, judged: Judgement, k: int) -> str:
    if not subject.classifies:
        return f"is {write_number(judged.truth[k])}, predicted {write_number(judged.predicted[k])}"
    values = judged.predicted[k]
    read, true = int(values.argmax()), int(judged.truth[k])
    return (
        f"is {subject.labels[true]} ({values[true]:.0%}), "
        f"predicted {subject.labels[read]} ({values[read]:.0%})"
    )


def _table(
    subject: Subject, judged: Judgement, rows: NDArray[np.intp], captions: list[str]
) -> Markup:
    importances = subject.forest.feature_importances_
    table = subject.forest.fitted_.categories
    if table is not None:
        importances = table.by_column(importances)
    best = np.argsort(-importances, kind="stable")[:_N_COLUMNS]
    names = subject.data.names or tuple(subject.feature_names)
    if judged.data.names:
        shown = judged.data.X.select([names[k] for k in best]).take(rows)
        written = [
            _write_column(column, name in judged.data.booleans)
            for name, column in zip(shown.column_names, shown.columns, strict=True)
        ]
        values: Any = zip(*written, strict=True)
    else:
        values = [
            [write_number(v) for v in line] for line in judged.data.rows[rows][:, best].tolist()
        ]
    lines = [
        (f"row {row + 1}", text, *line)
        for row, text, line in zip(rows, captions, values, strict=True)
    ]
    return html_table(("", "prediction", *(names[k] for k in best)), lines)


def _write_column(column: Any, is_boolean: bool) -> list[str]:
    """The values of a column of a table: numbers, words, dates, categories in all their digits."""
    write: Any = write_number
    if is_boolean:
        write = ("false", "true").__getitem__
        column = column.cast(pa.int8())
    elif pa.types.is_temporal(column.type):
        return _write_dates(column.to_pylist())
    elif pa.types.is_dictionary(column.type):
        write = category_name
    return ["missing" if value is None else write(value) for value in column.to_pylist()]


def _write_dates(values: list[Any]) -> list[str]:
    """Dates and times; midnight is left out where it is the time of all of them.

    >>> from datetime import datetime
    >>> _write_dates([datetime(2024, 12, 31), None]), _write_dates([datetime(2024, 12, 31, 14, 30)])
    (['2024-12-31', 'missing'], ['2024-12-31 14:30:00'])
    """
    texts = ["missing" if value is None else str(value) for value in values]
    known = [text for text in texts if text != "missing"]
    if all(text.endswith(" 00:00:00") for text in known):
        return [text.removesuffix(" 00:00:00") for text in texts]
    return texts

"""The panels on what a forest looks at: importance of features, and its best projections."""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from silvan.app.report import charts, figures
from silvan.app.report.panel import Panel, gallery, html_table
from silvan.app.report.subject import Subject
from silvan.inspection import (
    TopProjections,
    TopWindows,
    importance_map,
    top_projections,
    top_windows,
)
from silvan.inspection.windows import Terms
from silvan.projections import ProjectionDistribution, RidgeWindows

_MAX_BARS, _MAX_CLASSES, _N_PROJECTIONS = 20, 12, 12
# So many rows show what a channel looks like on average.
_MAX_ROWS = 500


def importance_panel(subject: Subject) -> Panel:
    """Importance of the features in the shape of the data."""
    is_table = subject.data.kind == "table"
    # Of a table, dates have a feature for each of their parts.
    shape = None if is_table else subject.data.row_shape
    total = importance_map(subject.forest, "gain", shape=shape)
    lead = (
        "How much each feature helps to separate rows: its share in all that the splits of the "
        "trees gain. A feature also gets a share of the sums that it takes part in."
    )
    if is_table:
        best = np.argsort(-total, kind="stable")[:_MAX_BARS]
        names = subject.feature_names
        body = charts.bar_chart([names[k] for k in best], total[best], "share of the gain")
        if len(total) > _MAX_BARS:
            lead += f" The first {_MAX_BARS} of {len(total):,} features."
    elif subject.data.kind == "series":
        lead += " Bars are the importance of each time step, the line is the mean series"
        lead += (
            "; a strip for each plane, which is a channel of the data." if total.ndim > 1 else "."
        )
        body = figures.draw_series_map(total, _mean_row(subject), "importance of time steps")
    else:
        body = _image_maps(subject)
        lead += " The deeper the colour of a pixel, the larger its share."
    return Panel("importance", "What the forest looks at", lead, body)


def _image_maps(subject: Subject) -> Markup:
    """One map for all classes together, and one for each if there are few."""
    shape = subject.data.row_shape
    total = importance_map(subject.forest, "gain", shape=shape)
    items = [(figures.draw_map(total, "importance of pixels"), "all together")]
    by_class = not getattr(subject.forest, "vector_leaves", False)
    if by_class and subject.classifies and 2 < len(subject.labels) <= _MAX_CLASSES:
        maps = importance_map(subject.forest, "gain", per_class=True, shape=shape)
        items += [
            (figures.draw_map(each, f"importance for {label}"), f"for {label}")
            for each, label in zip(maps, subject.labels, strict=True)
        ]
    return gallery(items)


def projections_panel(subject: Subject) -> Panel | None:
    """The projections that gain most, drawn in the shape of the data; windows in words."""
    if subject.forest.fitted_.channels is not None:
        return _windows_panel(subject)
    top = top_projections(subject.forest, _N_PROJECTIONS)
    if not len(top):
        return None
    lead = "The sums of features that gain most; splits compare such a sum with a threshold. "
    data = subject.data
    if data.kind == "table":
        body = _table(top, "projection")
    else:
        draw = figures.draw_direction if data.kind == "image" else figures.draw_series_direction
        mean = _mean_row(subject)
        coefficients = top.directions.toarray().reshape(-1, *data.row_shape)
        body = gallery(
            [
                (draw(row, mean, f"projection {k + 1}"), f"{share:.2%}, {count:,} splits")
                for k, (row, share, count) in enumerate(
                    zip(coefficients, top.importances, top.n_splits, strict=True)
                )
            ]
        )
        lead += "Orange cells are added and blue ones subtracted; behind them is the mean row."
    return Panel("projections", "Its best projections", lead, body)


def _windows_panel(subject: Subject) -> Panel | None:
    """The windows that gain most, drawn on their channels."""
    top = top_windows(subject.forest, _N_PROJECTIONS)
    channels = subject.forest.fitted_.channels
    if not len(top) or channels is None:
        return None
    lead = f"The windows that gain most. {_how_windows_split(subject.forest.projections_)}"
    shapes = channels.layout.shapes
    if len(shapes[0]) > 2:
        return Panel("projections", "Its best windows", lead, _table(top, "window"))
    draw = figures.draw_direction if len(shapes[0]) == 2 else figures.draw_series_direction
    cells = subject.forest.fitted_.read(subject.fitted_rows[:_MAX_ROWS])
    items = []
    facts = zip(top.directions, top.formulas(), top.importances, top.n_splits, strict=True)
    for terms, formula, share, count in facts:
        channel = terms[0][1].channel
        mean = _mean(cells[:, channels.layout.cells(channel)]).reshape(shapes[channel])
        figure = draw(_cells_of(terms, shapes[channel]), mean, formula)
        items.append((figure, f"{formula}: {share:.2%}, {count:,} splits"))
    lead += " Orange cells count, blue ones are subtracted; behind them is the mean of the channel."
    return Panel("projections", "Its best windows", lead, gallery(items))


def _how_windows_split(projections: ProjectionDistribution) -> str:
    """What the splits of a forest on channels compare with a threshold."""
    what = "the mean, the spread or the slope of the cells in a window on one channel"
    if isinstance(projections, RidgeWindows) and projections.n_terms > 1:
        return (
            f"Each is {what}. A split combines up to {projections.n_terms} of them in a weighted "
            "sum, which it compares with a threshold; the windows share its gain by their weights."
        )
    return f"Splits compare {what} with a threshold."


def _cells_of(terms: Terms, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The coefficients of windows in the shape of their channel."""
    coefficients = np.zeros(shape)
    for coefficient, window in terms:
        ends = zip(window.start, window.end, shape, strict=True)
        coefficients[np.ix_(*(np.arange(a, b) % length for a, b, length in ends))] += coefficient
    return coefficients


def _table(top: TopProjections | TopWindows, what: str) -> Markup:
    rows = [
        (f"{share:.2%}", f"{count:,}", formula)
        for share, count, formula in zip(top.importances, top.n_splits, top.formulas(), strict=True)
    ]
    return html_table(("share of the gain", "splits", what), rows)


def _mean_row(subject: Subject) -> NDArray[np.float64]:
    """The mean row."""
    return _mean(subject.data.rows)


def _mean(rows: NDArray[Any]) -> NDArray[np.float64]:
    """The mean of all rows without missing values; zero where all are missing."""
    rows = rows.astype(np.float64)
    known = np.isfinite(rows)
    total = np.where(known, rows, 0.0).sum(axis=0)
    mean: NDArray[np.float64] = total / np.maximum(known.sum(axis=0), 1)
    return mean

"""Charts as inline SVG; their colours are those of the page, in light and in dark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

from silvan.app.numbers import write_number

_LETTER = 6.6  # width of a letter of the labels, in pixels
_MAX_CELLS_WITH_NUMBERS = 16
_MAX_IN_LEGEND, _MAX_LETTERS = 30, 24


def svg(width: float, height: float, label: str, parts: Sequence[str]) -> Markup:
    """A figure that takes the width it is given."""
    head = (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(label)}" '
        f'style="max-width:{width:g}px">'
    )
    return Markup(head + "".join(parts) + "</svg>")


def colour(k: int, n: int) -> str:
    """The colour of group k of n: of the page's palette, or around the circle of hues."""
    return f"var(--c{k})" if n <= 10 else f"hsl({360 * k / n:.0f} 60% 50%)"


def ticks(low: float, high: float, n: int = 5) -> list[float]:
    """About n round numbers from low to high.

    >>> ticks(0.0, 1.0), ticks(3.0, 47.0)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [10.0, 20.0, 30.0, 40.0])
    """
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low]
    rough = (high - low) / n
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * next(m for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(k * step, 12) for k in range(first, last + 1)]


class Frame:
    """A plane with axes; numbers in, pixels out."""

    def __init__(
        self,
        x_range: tuple[float, float],
        y_range: tuple[float, float],
        *,
        size: tuple[float, float] = (460, 300),
        left: float | None = None,
        bottom: float = 44,
        top: float = 12,
    ) -> None:
        self.width, self.height = size
        self.x_range, self.y_range = _open(x_range), _open(y_range)
        if left is None:  # room for the numbers of the axis, and for what they count
            left = max(58, _LETTER * max(len(number(v)) for v in ticks(*self.y_range)) + 30)
        self.left, self.bottom, self.top, self.right = left, bottom, top, 14

    def x(self, value: float) -> float:
        """Pixels from the left."""
        low, high = self.x_range
        return self.left + (value - low) / (high - low) * (self.width - self.left - self.right)

    def y(self, value: float) -> float:
        """Pixels from the top."""
        low, high = self.y_range
        inner = self.height - self.bottom - self.top
        return self.height - self.bottom - (value - low) / (high - low) * inner

    def x_axis(self, label: str, largest: float = math.inf) -> list[str]:
        """Lines of the grid, their numbers up to the largest that there may be, and a label."""
        bottom = self.height - self.bottom
        parts = []
        for value in ticks(*self.x_range):
            if value > largest:
                continue
            x = self.x(value)
            parts.append(f'<path class="grid" d="M{x:.1f} {self.top}V{bottom:.1f}"/>')
            parts.append(text_at(x, bottom + 17, number(value), "middle"))
        parts.append(
            text_at((self.left + self.width - self.right) / 2, bottom + 37, label, "middle")
        )
        return parts

    def y_axis(self, label: str) -> list[str]:
        """Lines of the grid, their numbers, and what they count."""
        parts = []
        for value in ticks(*self.y_range):
            y = self.y(value)
            parts.append(f'<path class="grid" d="M{self.left} {y:.1f}H{self.width - self.right}"/>')
            parts.append(text_at(self.left - 7, y + 4, number(value), "end"))
        middle = (self.top + self.height - self.bottom) / 2
        parts.append(
            f'<text transform="translate(13 {middle:.1f}) rotate(-90)" text-anchor="middle">'
            f"{escape(label)}</text>"
        )
        return parts

    def path(self, xs: NDArray[Any], ys: NDArray[Any]) -> str:
        """A line through points; points that are not numbers are left out."""
        points = [
            f"{self.x(float(x)):.1f} {self.y(float(y)):.1f}"
            for x, y in zip(xs, ys, strict=True)
            if math.isfinite(x) and math.isfinite(y)
        ]
        return "M" + "L".join(points) if points else ""

    def draw(self, label: str, parts: Sequence[str]) -> Markup:
        """The figure."""
        return svg(self.width, self.height, label, parts)


def line_chart(
    xs: NDArray[Any],
    ys: NDArray[Any],
    labels: tuple[str, str],
    other: NDArray[Any] | None = None,
) -> Markup:
    """A line over the numbers from zero up, or from below it where numbers are; and another."""
    lines = [ys] if other is None else [other, ys]
    finite = np.concatenate([line[np.isfinite(line)] for line in lines])
    low = min(0.0, float(finite.min())) if len(finite) else 0.0
    top = max(0.0, float(finite.max()) * 1.05) if len(finite) else 1.0
    frame = Frame((float(xs[0]), float(xs[-1])), (low, top))
    parts = [*frame.x_axis(labels[0]), *frame.y_axis(labels[1])]
    for number, line in enumerate(reversed(lines)):
        name = "line" if number == 0 else "line other"
        parts.append(f'<path class="{name}" d="{frame.path(xs, line)}"/>')
    return frame.draw(f"{labels[1]} against {labels[0]}", parts)


def calibration_chart(xs: NDArray[Any], ys: NDArray[Any], labels: tuple[str, str]) -> Markup:
    """Points that lie on the diagonal where predictions can be taken at their word."""
    low, high = float(min(xs.min(), ys.min())), float(max(xs.max(), ys.max()))
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    frame = Frame((low, high), (low, high), size=(400, 360))
    parts = [*frame.x_axis(labels[0]), *frame.y_axis(labels[1])]
    ends = np.array([low, high])
    parts.append(f'<path class="diagonal" d="{frame.path(ends, ends)}"/>')
    parts.append(f'<path class="line" d="{frame.path(xs, ys)}"/>')
    parts.extend(
        f'<circle class="dot" cx="{frame.x(x):.1f}" cy="{frame.y(y):.1f}" r="5">'
        f"<title>{x:.3g}, {y:.3g}</title></circle>"
        for x, y in zip(xs, ys, strict=True)
    )
    return frame.draw(f"{labels[1]} against {labels[0]}", parts)


def dot_chart(rows: Sequence[tuple[str, Sequence[float]]], label: str) -> Markup:
    """For each name its numbers as dots and their mean as a bar; the first is emphasised."""
    values = [value for _, numbers in rows for value in numbers]
    margin = 0.08 * (max(values) - min(values)) or 0.01
    left = _LETTER * max(len(name) for name, _ in rows) + 14
    height = 34 * len(rows) + 50
    x_range = (min(values) - margin, max(values) + margin)
    frame = Frame(x_range, (0, 1), size=(max(460, left + 280), height), left=left)
    parts = frame.x_axis(label, largest=1.0)  # of accuracy and R²
    for place, (name, numbers) in enumerate(rows):
        y, style = 12 + 34 * place + 16, "line" if place == 0 else "line other"
        parts.append(text_at(left - 9, y + 4, name, "end"))
        mean = frame.x(float(np.mean(numbers)))
        parts.extend(
            f'<circle class="{"dot" if place == 0 else "dot other"}" cx="{frame.x(value):.1f}" '
            f'cy="{y}" r="4"/>'
            for value in numbers
        )
        parts.append(f'<path class="{style}" d="M{mean:.1f} {y - 11}v22"/>')
    return frame.draw(f"{label} of each forest", parts)


def bar_chart(names: Sequence[str], values: NDArray[Any], label: str) -> Markup:
    """Horizontal bars with their names."""
    left = min(240, _LETTER * max(len(name) for name in names) + 14)
    height = 24 * len(names) + 56
    top = float(values.max()) or 1.0
    frame = Frame((0.0, top), (0, 1), size=(max(460, left + 280), height), left=left)
    parts = frame.x_axis(label)
    for place, (name, value) in enumerate(zip(names, values, strict=True)):
        y = 14 + 24 * place
        cut = name if len(name) * _LETTER < left else name[: int(left / _LETTER) - 3] + "..."
        parts.append(text_at(left - 8, y + 13, cut, "end"))
        parts.append(
            f'<rect class="bar" x="{left}" y="{y}" width="{frame.x(value) - left:.1f}" height="17">'
            f"<title>{escape(name)}: {value:.4f}</title></rect>"
        )
    return frame.draw(label, parts)


def confusion_chart(counts: NDArray[Any], labels: Sequence[str]) -> Markup:
    """Rows are true classes, columns predicted ones; the darker, the larger the share of a row."""
    n = len(labels)
    numbers = n <= _MAX_CELLS_WITH_NUMBERS
    cell = 36 if numbers else max(4.0, 560 / n)
    names = [label if len(label) <= 14 else label[:12] + "..." for label in labels]
    left = _LETTER * max(len(name) for name in names) + 30 if numbers else 30
    upright = not numbers or max(len(name) for name in names) <= 4
    bottom = 44 if upright else left
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    parts = []
    for i in range(n):
        if numbers:
            parts.append(text_at(left - 7, cell * (i + 0.5) + 4, names[i], "end"))
            x, y = left + cell * (i + 0.5), cell * n + 17
            turn = "" if upright else f' transform="rotate(-60 {x:.1f} {y:.1f})"'
            anchor = "middle" if upright else "end"
            parts.append(
                f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{turn}>'
                f"{escape(names[i])}</text>"
            )
        for j in range(n):
            if not counts[i, j]:
                continue
            kind = "right" if i == j else "wrong"
            # Square roots, so that single mistakes can be seen.
            opacity = 0.12 + 0.88 * math.sqrt(share[i, j]) if i != j else 0.15 + 0.6 * share[i, j]
            parts.append(
                f'<rect class="{kind}" x="{left + cell * j:.1f}" y="{cell * i:.1f}" '
                f'width="{cell - 1:.1f}" height="{cell - 1:.1f}" fill-opacity="{opacity:.2f}">'
                f"<title>{escape(labels[i])} predicted as {escape(labels[j])}: "
                f"{counts[i, j]}</title>"
                "</rect>"
            )
            if numbers:
                middle = left + cell * (j + 0.5)
                parts.append(
                    text_at(middle, cell * (i + 0.5) + 4, f"{counts[i, j]}", "middle", "ink")
                )
    width, height = left + cell * n, cell * n + bottom
    parts.append(text_at(left + cell * n / 2, height - 5, "predicted", "middle"))
    parts.append(
        f'<text transform="translate(11 {cell * n / 2:.1f}) rotate(-90)" text-anchor="middle">'
        "true</text>"
    )
    parts.append(f'<rect class="frame" x="{left}" y="0" width="{cell * n}" height="{cell * n}"/>')
    return svg(width, height, "confusion matrix", parts)


def scatter_chart(points: NDArray[Any], groups: NDArray[Any], names: Sequence[str]) -> Markup:
    """Points coloured by group, and below them the names of the groups.

    Groups without names are ordered, and so are their colours.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    pad = 0.04 * (high - low)
    shown = names if 1 < len(names) <= _MAX_IN_LEGEND else []
    places, height = _place_legend(shown, 500)
    frame = Frame(
        (float(low[0] - pad[0]), float(high[0] + pad[0])),
        (float(low[1] - pad[1]), float(high[1] + pad[1])),
        size=(520, 440 + height),
        left=10,
        bottom=10 + height,
    )
    parts = []
    n = len(names) or int(groups.max()) + 1
    for k in range(n):
        chosen = points[groups == k]
        tone = colour(k, n) if names else f"hsl({220 + 170 * k / max(n - 1, 1):.0f} 65% 52%)"
        parts.append(f'<g class="points" fill="{tone}">{_spots(frame, chosen)}</g>')
    for k, (x, y) in enumerate(places):
        parts.append(f'<circle cx="{x + 10:.1f}" cy="{440 + y:.1f}" r="5" fill="{colour(k, n)}"/>')
        parts.append(text_at(x + 20, 444 + y, _cut(shown[k]), "start"))
    return frame.draw("scatter of the rows", parts)


def _place_legend(names: Sequence[str], width: float) -> tuple[list[tuple[float, float]], float]:
    """Where the entries of a legend begin, line by line, and its height."""
    places, x, y = [], 0.0, 12.0
    for name in names:
        length = _LETTER * len(_cut(name)) + 34
        if x and x + length > width:
            x, y = 0.0, y + 20
        places.append((x, y))
        x += length
    return places, y + 10 if places else 0.0


def _cut(name: str) -> str:
    return name if len(name) <= _MAX_LETTERS else name[: _MAX_LETTERS - 3] + "..."


def truth_chart(truth: NDArray[Any], predicted: NDArray[Any]) -> Markup:
    """True against predicted numbers, with the diagonal on which they are equal."""
    low, high = float(min(truth.min(), predicted.min())), float(max(truth.max(), predicted.max()))
    frame = Frame((low, high), (low, high), size=(420, 380))
    parts = [*frame.x_axis("predicted"), *frame.y_axis("true")]
    ends = np.array([low, high])
    parts.append(f'<path class="diagonal" d="{frame.path(ends, ends)}"/>')
    spots = _spots(frame, np.column_stack([predicted, truth]))
    parts.append(f'<g class="points" fill="var(--c0)">{spots}</g>')
    return frame.draw("true against predicted", parts)


def number(value: float) -> str:
    """A number on an axis.

    >>> number(4000.0), number(0.25), number(1.005), number(12.0)
    ('4,000', '0.25', '1.005', '12')
    """
    return write_number(value, digits=6)


def _spots(frame: Frame, points: NDArray[Any]) -> str:
    return "".join(
        f'<circle cx="{frame.x(x):.1f}" cy="{frame.y(y):.1f}" r="2.6"/>' for x, y in points
    )


def _open(bounds: tuple[float, float]) -> tuple[float, float]:
    """Bounds that differ."""
    low, high = bounds
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def text_at(x: float, y: float, text: str, anchor: str, kind: str = "") -> str:
    """A text whose start, middle or end is at a place."""
    style = f' class="{kind}"' if kind else ""
    return f'<text{style} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'

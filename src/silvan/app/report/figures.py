"""Rows, maps and directions as small figures: PNG for images, SVG for series."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray
from PIL import Image

from silvan.app.report.charts import Frame, colour, svg, text_at

PLUS, MINUS, ACCENT = (217, 95, 2), (55, 126, 184), (27, 120, 55)
_INK = 128  # a grey that shows on white and on black
_SIDE = 150  # pixels of a small figure
_STRIP = 0.9  # of the height of a plane's strip, so that strips do not touch


def draw_row(row: NDArray[Any], kind: str, label: str) -> Markup:
    """One image, or one series."""
    if kind == "image":
        return draw_image(row, label)
    return draw_series(row, label)


def draw_image(image: NDArray[Any], label: str) -> Markup:
    """An image in its own grey or colours; further axes are summed."""
    values = np.nan_to_num(image.astype(np.float64))
    colours = values.ndim == 3 and values.shape[2] == 3
    if values.ndim == 3 and not colours:
        values = values.sum(axis=2)
    low, high = values.min(), values.max()
    if image.dtype == np.uint8:
        low, high = 0.0, 255.0
    scaled = (255 * (values - low) / max(high - low, 1e-12)).astype(np.uint8)
    return _png(scaled, label)


def draw_map(importance: NDArray[Any], label: str, largest: float | None = None) -> Markup:
    """A map of shares: the more of the colour, the larger."""
    values = importance if importance.ndim == 2 else importance.reshape(*importance.shape[:2], -1)
    values = values.sum(axis=2) if values.ndim == 3 else values
    alpha = np.sqrt(np.clip(values / (largest or values.max() or 1.0), 0, 1))
    return _png(_tint(alpha, ACCENT), label)


def draw_direction(coefficients: NDArray[Any], mean: NDArray[Any], label: str) -> Markup:
    """The cells of a direction on the mean image: one colour adds, the other subtracts."""
    if coefficients.ndim == 3:
        coefficients, mean = coefficients.sum(axis=2), mean.mean(axis=2)
    low, high = mean.min(), mean.max()
    shade = 0.55 * (mean - low) / max(high - low, 1e-12)
    image = _tint(shade, (_INK, _INK, _INK))
    strength = np.abs(coefficients) / max(np.abs(coefficients).max(), 1e-12)
    for sign, tone in ((1, PLUS), (-1, MINUS)):
        cells = coefficients * sign > 0
        image[cells, :3] = tone
        image[cells, 3] = (255 * (0.35 + 0.5 * strength[cells])).astype(np.uint8)
    return _png(image, label)


def draw_series(series: NDArray[Any], label: str) -> Markup:
    """A line for each channel."""
    channels = np.atleast_2d(series.astype(np.float64))
    frame = _small_frame(channels)
    steps = np.arange(channels.shape[1])
    parts = [
        f'<path class="line thin" style="stroke:{colour(k, len(channels))}" '
        f'd="{frame.path(steps, channel)}"/>'
        for k, channel in enumerate(channels)
    ]
    return svg(frame.width, frame.height, label, parts)


def draw_series_map(importance: NDArray[Any], mean: NDArray[Any], label: str) -> Markup:
    """The mean series over bars as high as the importance of each time step; a strip per plane."""
    strips, series = np.atleast_2d(importance), np.atleast_2d(mean)
    n, length = strips.shape
    height = 188 if n == 1 else n * max(14, min(60, 900 // n))
    frame = Frame((-0.5, length - 0.5), (0, n), size=(560, height + 52), bottom=40)
    largest = strips.max() or 1.0
    low, high = np.nanmin(series), np.nanmax(series)
    width = frame.x(1) - frame.x(0)
    parts = frame.x_axis("time step")
    for k, (strip, line) in enumerate(zip(strips, series, strict=True)):
        foot = n - 1 - k
        for step, value in enumerate(_STRIP * strip / largest if n > 1 else strip / largest):
            top = frame.y(foot + value)
            parts.append(
                f'<rect class="bar" x="{frame.x(step - 0.5):.2f}" y="{top:.1f}" '
                f'width="{width:.2f}" height="{frame.y(foot) - top:.1f}"/>'
            )
        heights = (line - low) / max(high - low, 1e-12)
        path = frame.path(np.arange(length), foot + (_STRIP if n > 1 else 1) * heights)
        parts.append(f'<path class="line thin other" d="{path}"/>')
        if n > 1:
            parts.append(text_at(frame.left - 7, frame.y(foot + 0.3), f"plane {k}", "end"))
    return frame.draw(label, parts)


def draw_series_direction(coefficients: NDArray[Any], mean: NDArray[Any], label: str) -> Markup:
    """The mean series, with the time steps of a direction shaded."""
    channels, cells = np.atleast_2d(mean.astype(np.float64)), np.atleast_2d(coefficients)
    frame = _small_frame(channels)
    width = frame.x(1) - frame.x(0)
    parts = []
    for step in range(channels.shape[1]):
        for sign, tone in ((1, "plus"), (-1, "minus")):
            if (cells[:, step] * sign > 0).any():
                parts.append(
                    f'<rect class="{tone}" x="{frame.x(step - 0.5):.1f}" y="0" '
                    f'width="{width:.1f}" height="{frame.height}"/>'
                )
    steps = np.arange(channels.shape[1])
    for k, channel in enumerate(channels):
        used = "" if (cells[k] != 0).any() or len(channels) == 1 else " other"
        parts.append(f'<path class="line thin{used}" d="{frame.path(steps, channel)}"/>')
    return svg(frame.width, frame.height, label, parts)


def _small_frame(channels: NDArray[np.float64]) -> Frame:
    finite = channels[np.isfinite(channels)]
    bounds = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    frame = Frame((-0.5, channels.shape[1] - 0.5), bounds, size=(220, 90), left=2, bottom=4, top=4)
    frame.right = 2
    return frame


def _tint(alpha: NDArray[Any], tone: tuple[int, int, int]) -> NDArray[np.uint8]:
    image = np.empty((*alpha.shape, 4), dtype=np.uint8)
    image[..., :3] = tone
    image[..., 3] = np.rint(255 * np.clip(alpha, 0, 1)).astype(np.uint8)
    return image


def _png(pixels: NDArray[np.uint8], label: str) -> Markup:
    """An image within the page itself."""
    content = io.BytesIO()
    Image.fromarray(pixels).save(content, format="PNG", optimize=True)
    text = base64.b64encode(content.getvalue()).decode("ascii")
    height, width = pixels.shape[:2]
    scale = _SIDE / max(height, width)
    crisp = ' class="pixels"' if scale > 1.5 else ""
    return Markup(
        f'<img{crisp} alt="{escape(label)}" width="{width * scale:.0f}" '
        f'height="{height * scale:.0f}" src="data:image/png;base64,{text}">'
    )

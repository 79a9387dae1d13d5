"""Which axes of a grid have neighbours, where the user leaves that open."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from silvan._validation import warn_user
from silvan.channels.plane import MAX_PLANES_TAKEN_FOR_GRANTED, contiguous_axes
from silvan.forests.labelled import GridAxes

# Axes of these names have no order.
_PLACES = re.compile("(channel|sensor|electrode)s?", re.IGNORECASE)
# A recording has at least this many times more steps than sensors; few images are so narrow.
_MIN_RATIO = 2


def with_neighbours(
    contiguous: bool | Sequence[bool], shape: tuple[int, ...], axes: GridAxes | None
) -> bool | Sequence[bool]:
    """What channels take for `contiguous`: the names of labelled axes tell, too.

    >>> import numpy as np
    >>> axes = GridAxes(("sensor", "time"), (None, None))
    >>> with_neighbours(True, (8, 200), axes), with_neighbours(True, (8, 200), None)
    ((False, True), True)
    """
    if axes is None or not isinstance(contiguous, bool | np.bool_) or not contiguous:
        return contiguous
    runs = tuple(
        run and not _PLACES.fullmatch(name)
        for run, name in zip(contiguous_axes(shape, contiguous), axes.names, strict=True)
    )
    return runs if any(runs) else contiguous


def find_sensors(shape: tuple[int, ...]) -> int | None:
    """The axis of a sample that may be one of sensors, although it is long enough for an image's.

    >>> find_sensors((8, 200)), find_sensors((200, 8)), find_sensors((28, 28)), find_sensors((3, 9))
    (0, 1, None, None)
    """
    if len(shape) != 2:
        return None
    few, many = sorted(shape)
    if few <= MAX_PLANES_TAKEN_FOR_GRANTED or many < _MIN_RATIO * few:
        return None
    return shape.index(few)


def warn_of_sensors(shape: tuple[int, ...]) -> None:
    """Warn that samples are taken for images where they may be recordings."""
    axis = find_sensors(shape)
    if axis is None:
        return
    recordings = "(False, True)" if axis == 0 else "(True, False)"
    warn_user(
        f"samples of shape {shape} are taken for images; if they are recordings of {shape[axis]} "
        f"sensors, pass contiguous={recordings}, and (True, True) if they are images."
    )

"""Columns of dates, times and durations: which they are, and the numbers that are read of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan.forests.frames import column_label, column_types, is_missing, take_column

DATE, TIME, DURATION = "date", "time", "duration"
_PARTS = {
    DATE: ("year", "day_of_year", "day_of_month", "day_of_week", "hour"),
    TIME: ("hour",),
    DURATION: ("days",),
}
# How the names of types begin, of pandas, polars and pyarrow; the first that fits counts.
_TYPES = {
    "timestamp": DATE,
    "timedelta": DURATION,
    "duration": DURATION,
    "date": DATE,
    "period": DATE,
    "time": TIME,
}
_OBJECTS = (
    ((date, np.datetime64), DATE),
    ((time,), TIME),
    ((timedelta, np.timedelta64), DURATION),
)
_EXAMPLES = {DATE: "2024-12-31", TIME: "14:30", DURATION: "a timedelta"}


@dataclass(frozen=True)
class DateColumn:
    """How a column of dates is read: the parts that varied in `fit`, in local time.

    Parameters
    ----------
    kind : str
        What the column holds: "date" (with or without a time), "time" (of a day) or "duration".
    parts : tuple of str
        What trees read of it: of a date ``year`` (with its fraction, so that it is a trend),
        ``day_of_year``, ``day_of_month``, ``day_of_week`` (1 is Monday) and ``hour`` (with its
        fraction); of a time ``hour``; of a duration ``days``.
    zone : str or None
        The time zone that the dates are read in, if they had one.
    fixed : tuple of pairs
        The parts that were the same in all dates of `fit`, with their values; NaN if there was
        no date at all. They are not read, unless nothing varies.
    """

    kind: str
    parts: tuple[str, ...]
    zone: str | None = None
    fixed: tuple[tuple[str, float], ...] = field(default=(), compare=False)

    def names(self, column: str) -> list[str]:
        """What the parts of a column of this name are called."""
        return [f"{column}.{part}" for part in self.parts]

    def encode(self, table: Any, j: int) -> NDArray[np.float64]:
        """A column for each part; missing dates are NaN in all of them."""
        moments = self._read(table, j)
        return np.column_stack([_measure(moments, part) for part in self.parts])

    def join(self, other: DateColumn) -> DateColumn:
        """How a column is read that was looked at in two pieces."""
        mine, theirs = dict(self.fixed), dict(other.fixed)
        fixed = {}
        for part in mine.keys() & theirs.keys():
            known = {value for value in (mine[part], theirs[part]) if not math.isnan(value)}
            if len(known) <= 1:
                fixed[part] = next(iter(known), math.nan)
        return _settle(self.kind, self.zone, fixed)

    def _read(self, table: Any, j: int) -> NDArray[Any]:
        column = take_column(table, j)
        kind = kind_of_column(column)
        if kind is None and all(is_missing(value) for value in _as_list(column)):
            return np.full(len(column), "NaT", dtype=f"{'M' if self.kind == DATE else 'm'}8[us]")
        if kind != self.kind:
            raise ValueError(
                f"{column_label(table, j)} of X must hold {self.kind}s, as in fit, such as "
                f"{_EXAMPLES[self.kind]}, but it is of type {type_name(column)}; convert it, for "
                "example with pandas.to_datetime."
            )
        try:
            return _as_moments(column, self.kind, self.zone)
        except (TypeError, ValueError, AttributeError) as error:
            raise ValueError(
                f"{column_label(table, j)} of X holds {self.kind}s, and values that cannot be read "
                f"as such ({error}); convert it, for example with pandas.to_datetime."
            ) from error

    def _is_sound(self) -> bool:
        """Whether this can be the description of a column; for what was read from a file."""
        known = _PARTS.get(self.kind, ())
        return (
            isinstance(self.parts, tuple)
            and len(self.parts) > 0
            and self.parts == tuple(part for part in known if part in self.parts)
            and (self.zone is None or isinstance(self.zone, str))
        )


def date_columns(table: Any) -> list[int]:
    """Positions of the columns of a frame that hold dates, times or durations."""
    return [
        j
        for j, name in enumerate(column_types(table))
        if (kind_of_column(take_column(table, j)) if name == "object" else kind_of_type(name))
    ]


def learn_dates(table: Any, j: int) -> DateColumn:
    """How to read a column of dates, times or durations."""
    column = take_column(table, j)
    kind = kind_of_column(column)
    assert kind is not None
    whole = DateColumn(kind, _PARTS[kind], _zone_of(column))
    moments = whole._read(table, j)
    known = moments[~np.isnat(moments)]
    fixed = {}
    for part in whole.parts:
        values = _measure(known, part)
        values = np.floor(values) if part == "year" else values
        if len(values) == 0 or values.min() == values.max():
            fixed[part] = float(values[0]) if len(values) else math.nan
    return _settle(kind, whole.zone, fixed)


def _settle(kind: str, zone: str | None, fixed: dict[str, float]) -> DateColumn:
    """The description of a column with these parts that are always the same."""
    varying = tuple(part for part in _PARTS[kind] if part not in fixed)
    same = tuple((part, fixed[part]) for part in _PARTS[kind] if part in fixed)
    return DateColumn(kind, varying or _PARTS[kind][:1], zone, same)


def kind_of_column(column: Any) -> str | None:
    """Whether a column of a frame holds dates, times or durations; None for all else."""
    name = type_name(column)
    if name != "object":
        return kind_of_type(name)
    first = next((value for value in _as_list(column) if not is_missing(value)), None)
    return next((kind for types, kind in _OBJECTS if isinstance(first, types)), None)


def kind_of_type(name: str) -> str | None:
    """The same, by the name of a type."""
    return next((kind for begin, kind in _TYPES.items() if name.startswith(begin)), None)


def type_name(column: Any) -> str:
    """What the library of a column calls its type, in small letters."""
    return str(column.dtype if hasattr(column, "dtype") else column.type).lower()


def _as_list(column: Any) -> Any:
    return column.to_pylist() if hasattr(column, "to_pylist") else column


def _zone_of(column: Any) -> str | None:
    """The time zone of a column, if its type has one."""
    kind = column.dtype if hasattr(column, "dtype") else column.type
    kind = getattr(kind, "pyarrow_dtype", kind)
    zone = getattr(kind, "tz", None) or getattr(kind, "time_zone", None)
    return None if zone is None else str(zone)


def _as_moments(column: Any, kind: str, zone: str | None) -> NDArray[Any]:
    """Microseconds since 1970, midnight or nothing, in local time."""
    own = _zone_of(column)
    target = f"{'M' if kind == DATE else 'm'}8[us]"
    if type_name(column).endswith("[pyarrow]"):  # a column of pandas that Arrow holds
        import pyarrow as pa

        column = pa.array(column)
    if hasattr(column, "to_pylist"):
        values = _arrow_moments(column, kind, zone if own else None)
    elif hasattr(column, "to_physical"):  # of polars
        values = _polars_moments(column, kind, zone if own else None).view(target)
    elif hasattr(column, "dt"):
        values = _local(column, own, zone)
    else:
        values = column
    array = np.asarray(values)
    if array.dtype == object:
        array = np.array([_as_moment(value) for value in array.tolist()], dtype=target)
    return array.astype(target)


def _arrow_moments(column: Any, kind: str, zone: str | None) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if kind == TIME:
        return column.cast(pa.time64("us")).cast(pa.int64()).cast(pa.duration("us"))
    if kind == DURATION:
        return column.cast(pa.duration("us"), safe=False)
    local = column if zone is None else column.cast(pa.timestamp(column.type.unit, tz=zone))
    if getattr(local.type, "tz", None) is not None:
        local = pc.local_timestamp(local)
    return local.cast(pa.timestamp("us"), safe=False)


def _polars_moments(column: Any, kind: str, zone: str | None) -> NDArray[np.int64]:
    """Microseconds as whole numbers: early versions of polars crash when they convert dates."""
    if kind == TIME:
        microseconds = column.to_physical() // 1000
    elif kind == DURATION:
        microseconds = column.dt.total_microseconds()
    else:
        local = column if zone is None else column.dt.convert_time_zone(zone)
        if _zone_of(local) is not None:
            local = local.dt.replace_time_zone(None)
        microseconds = local.dt.timestamp("us")
    missing = np.iinfo(np.int64).min
    return np.asarray(microseconds.fill_null(missing).to_numpy(), dtype=np.int64)


def _local(column: Any, own: str | None, zone: str | None) -> Any:
    """Dates of pandas without their zone: as clocks showed them in the one given."""
    dates = column.dt
    if type_name(column).startswith("period"):
        return dates.to_timestamp().to_numpy()
    if own is None:
        return column.to_numpy()
    moved = column if zone in (None, own) else dates.tz_convert(zone)
    return moved.dt.tz_localize(None).to_numpy()


def _as_moment(value: Any) -> Any:
    """A value of Python as NumPy reads it."""
    if is_missing(value):
        return np.timedelta64("NaT") if isinstance(value, timedelta) else None
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, time):
        return timedelta(
            hours=value.hour,
            minutes=value.minute,
            seconds=value.second,
            microseconds=value.microsecond,
        )
    return value


def _measure(moments: NDArray[Any], part: str) -> Any:
    """One part of each date; NaN where there is none."""
    day = np.timedelta64(1, "D")
    if part == "days":
        return moments / day
    if part == "hour":
        midnight = moments.astype("M8[D]") if moments.dtype.kind == "M" else np.timedelta64(0, "us")
        return (moments - midnight) / np.timedelta64(1, "h")
    days = moments.astype("M8[D]")
    if part == "day_of_week":
        # The first of January 1970 was a Thursday.
        return ((days - np.datetime64(0, "D")) / day + 3) % 7 + 1
    if part == "day_of_month":
        return (days - moments.astype("M8[M]").astype("M8[D]")) / day + 1
    years = moments.astype("M8[Y]")
    start, end = years.astype("M8[D]"), (years + 1).astype("M8[D]")
    if part == "day_of_year":
        return (days - start) / day + 1
    number = np.where(np.isnat(years), np.nan, years.astype(np.int64) + 1970.0)
    return number + (moments - start) / (end - start)

"""A progress bar with the time left: redrawn on a terminal, a line now and then in a log."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TextIO

_BAR_WIDTH = 30
_SECONDS_BETWEEN_LINES = 10.0


class ProgressBar:
    """Reports how many of `total` items are done; call it with that number.

    Where items take unequal time, pass the seconds that are left, too; a note is shown behind them.

    A context manager, so that the line is ended whatever happens inside.

    A stream that is closed or full ends no fit: nothing more is shown.
    """

    def __init__(self, total: int, *, what: str, stream: TextIO | None = None) -> None:
        self._total = total
        self._what = what
        self._stream: TextIO | None = sys.stderr if stream is None else stream
        self._terminal = self._stream is not None and self._stream.isatty()
        self._start = self._last_line = time.monotonic()
        self._shown = -1

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._terminal and self._shown >= 0:
            self._write("\n")

    def __call__(self, done: int, seconds_left: float | None = None, note: str = "") -> None:
        now = time.monotonic()
        shown = self._text(done, now - self._start, seconds_left) + (f", {note}" if note else "")
        if self._terminal:
            self._write("\r" + shown + "\x1b[K")
        elif done != self._shown and (done >= self._total or self._line_is_due(now)):
            self._last_line = now
            self._write(shown + "\n")
        else:
            return
        self._shown = done

    def _line_is_due(self, now: float) -> bool:
        return now - self._last_line >= _SECONDS_BETWEEN_LINES

    def _text(self, done: int, elapsed: float, seconds_left: float | None) -> str:
        filled = _BAR_WIDTH * done // max(self._total, 1)
        bar = "#" * filled + "." * (_BAR_WIDTH - filled)
        if done >= self._total:
            time_text = f"took {_duration(elapsed)}"
        elif done:
            if seconds_left is None:
                seconds_left = elapsed * (self._total - done) / done
            time_text = f"{_duration(seconds_left)} left"
        else:
            time_text = "time left unknown"
        return f"[{bar}] {done}/{self._total} {self._what}, {time_text}"

    def _write(self, text: str) -> None:
        if self._stream is None:  # standard error of a program without a console
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # a full disk, a reader that left, a closed file
            self._stream, self._terminal = None, False


def _duration(seconds: float) -> str:
    """Three figures at most: 0.4 s, 12 s, 3 min 5 s, 2 h 10 min."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, whole = divmod(round(seconds), 60)
    if not minutes:
        return f"{whole} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {whole} s"

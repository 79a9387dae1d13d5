"""Standard streams that are closed, or on a full disk: no traceback, and no work is lost."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from silvan.app.errors import OutputError

# What takes the place of a closed stream. Input is empty, messages are lost, but results must not
# be: what is opened for reading refuses to be written to.
_SUBSTITUTES = (("stdin", os.O_RDONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY))


def open_closed_streams() -> None:
    """Give streams that the program was started without a file of their own.

    Python has None in their place, and the next file to be opened would get their number.
    """
    for number, (name, mode) in enumerate(_SUBSTITUTES):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, mode)  # the lowest number that is free
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            kind = "r" if name == "stdin" else "w"
            stream = os.fdopen(number, kind, encoding="utf-8", errors="backslashreplace")
            setattr(sys, name, stream)


@contextmanager
def printing() -> Iterator[None]:
    """Say in a sentence why a result could not be printed; a reader that left is no error."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _discard(sys.stdout)
        raise OutputError(
            f"standard output could not be written ({error.strerror or error}); make room, or send "
            "it elsewhere."
        ) from None


@contextmanager
def telling() -> Iterator[None]:
    """Go on where a message cannot be printed: it is not worth the work that it is about."""
    try:
        yield
    except OSError:
        _discard(sys.stderr)


def _discard(stream: TextIO) -> None:
    """Send what a stream still holds nowhere, so that the end of the program does not fail, too."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)

"""Standard input as a file: readers look at data more than once, and know formats by names."""

from __future__ import annotations

import shutil
import sys
import tempfile
import weakref
from pathlib import Path

from silvan.app.errors import DataError

# How the contents of a format begin; anything else is text.
_BEGINNINGS = {
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"\x93NUMPY": ".npy",
    b"\x1f\x8b": ".csv.gz",
    b"BZh": ".csv.bz2",
    b"(\xb5/\xfd": ".csv.zst",
    b"@": ".ts",
}
_LONGEST = max(map(len, _BEGINNINGS))


class StandardInput(type(Path())):  # type: ignore[misc]
    """The path of a copy that messages call by what it is a copy of."""

    def __format__(self, spec: str) -> str:
        """What f-strings show."""
        return format("standard input", spec)


def copy_standard_input() -> Path:
    """A temporary file with what standard input has; it lasts as long as the path."""
    stream = sys.stdin.buffer
    if sys.stdin.isatty():
        raise DataError(
            "- is standard input, but nothing is piped into it; name a file, or pipe one in, as in "
            "silvan fit - < data.csv."
        )
    head = stream.read(_LONGEST)
    if not head.strip():
        raise DataError("standard input is empty; pipe data into it, or name a file.")
    suffix = next((end for begin, end in _BEGINNINGS.items() if head.startswith(begin)), ".csv")
    folder = tempfile.TemporaryDirectory(prefix="silvan-", ignore_cleanup_errors=True)
    path: Path = StandardInput(folder.name, f"standard-input{suffix}")
    weakref.finalize(path, folder.cleanup)
    with path.open("wb") as copy:
        copy.write(head)
        shutil.copyfileobj(stream, copy)
    return path

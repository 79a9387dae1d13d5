"""Files that the program writes: checked before any work, replaced only when complete."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from silvan._atomic import atomic_path
from silvan.app.errors import OutputError, UsageError


def is_standard(path: Path) -> bool:
    """Whether a path stands for standard input or output."""
    return str(path) == "-"


def check_output(path: Path, inputs: Iterable[Path | None]) -> None:
    """Refuse a path that cannot be written to, or that is one of the files to be read."""
    _check_name(path)
    if path.is_dir():
        raise UsageError(f"--out {path} is a folder; name a file in it.")
    if path.exists() and not path.is_file():
        raise UsageError(f"--out {path} is not a plain file; choose another name.")
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise UsageError(f"the folder of --out {path} does not exist; make it first.")
    # What takes the place of a file is written beside it.
    if not os.access(folder, os.W_OK | os.X_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise UsageError(f"--out {path} may not be written; choose another place.")
    for given in inputs:
        if given is not None and given.exists() and path.exists() and path.samefile(given):
            raise UsageError(
                f"--out {path} is the same file as {given}, which is to be read; choose another "
                "name."
            )
    _try_to_write("--out", path, folder)


def check_folder(path: Path) -> None:
    """Refuse a folder that cannot be made or written to; nothing is made yet."""
    nearest = next(place for place in (path, *path.absolute().parents) if place.exists())
    if not nearest.is_dir():
        raise UsageError(f"--output {path} lies in {nearest}, which is a file; name a folder.")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise UsageError(f"--output {path} may not be written; choose another place.")
    _try_to_write("--output", path, nearest)


def _check_name(path: Path) -> None:
    """Refuse names that no file can have, such as very long ones."""
    try:
        path.exists()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"--out {str(path)[:60]!r}... cannot be the name of a file ({reason}); choose another."
        ) from None


def _try_to_write(option: str, path: Path, folder: Path) -> None:
    """Write an empty file, and remove it: permissions do not tell of folders such as /proc."""
    try:
        with tempfile.NamedTemporaryFile(prefix=".silvan-", dir=folder):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"{option} {path} cannot be written, since {folder} takes no files ({reason}); choose "
            "another place."
        ) from None


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """A path to write to that becomes `path` at the end, and is removed if that is not reached."""
    with reported(path), atomic_path(path) as temporary:
        yield temporary


@contextmanager
def reported(path: Path) -> Iterator[None]:
    """Say in a sentence why a file could not be written."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError(
            f"{path} could not be written ({reason}), and nothing was changed; make room or choose "
            "another place."
        ) from None

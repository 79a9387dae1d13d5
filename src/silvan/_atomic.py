"""Files that appear under their name only when complete; every writer goes through here."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# A writer may choose a format by the ending; a long one would exceed the length of a name.
_LONGEST_SUFFIX = 32


@contextmanager
def atomic_path(target: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path beside `target` to write to; at the end of the block it becomes `target`.

    The path is an empty, hidden file in the folder of `target` with the same ending. When the block
    ends, an existing `target` is replaced by it at once. When the block raises anything, an
    interrupt included, the path is removed and `target` stays as it was. Close the file within
    the block: Windows neither replaces nor removes an open one.

    A symbolic link stays, and what it points to is replaced. A new file gets the permissions that
    the umask gives, and one that replaces another gets the other's. Devices and pipes, which
    cannot be replaced, are given as they are.

    Parameters
    ----------
    target : str or path-like
        The file to write; its folder must exist.

    Yields
    ------
    path : Path
        Where to write.

    Raises
    ------
    OSError
        Before anything is written, with the name of `target`: it is a folder, is read-only, or its
        folder is missing or read-only.

    Examples
    --------
    >>> with atomic_path("numbers.txt") as path:
    ...     _ = path.write_text("1 2 3")
    >>> Path("numbers.txt").read_text()
    '1 2 3'
    """
    final = Path(os.path.realpath(target))
    mode = _mode_of(final)
    if mode is not None and not stat.S_ISREG(mode):
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(
                errno.EISDIR, "a file cannot be written over a folder", str(target)
            )
        yield final
        return
    if mode is not None and not os.access(final, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is read-only", str(target))
    suffix = final.suffix if len(final.suffix) <= _LONGEST_SUFFIX else ""
    temporary = final.with_name(f".silvan-{secrets.token_hex(8)}{suffix}")
    try:
        _create(temporary, mode, target)
        yield temporary
        _flush(temporary)
        os.replace(temporary, final)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _mode_of(path: Path) -> int | None:
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def _create(temporary: Path, mode: int | None, target: str | os.PathLike[str]) -> None:
    """Make an empty file with the mode of the one that it replaces; errors name the target."""
    try:
        # Nobody else may read what will get narrower permissions.
        permissions = 0o666 if mode is None else 0o600
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, permissions))
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(target)) from None


def _flush(temporary: Path) -> None:
    """Wait for the disk, which may be found to be full only now."""
    descriptor = os.open(temporary, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

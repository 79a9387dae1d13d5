"""Errors that a user can put right, and the exit codes that they end the program with."""

from __future__ import annotations


class AppError(Exception):
    """Something that the user can put right; the message says how."""

    exit_code = 1


class UsageError(AppError):
    """Options that do not fit together or do not fit the data."""

    exit_code = 2


class DataError(AppError):
    """Data that are missing, damaged or not understood."""

    exit_code = 3


class ModelError(AppError):
    """A model that is missing, damaged or not for these data."""

    exit_code = 4


class OutputError(AppError):
    """A file that could not be written."""

    exit_code = 5


class Terminated(BaseException):
    """The program was asked to end (SIGTERM); it cleans up on its way out."""


def exit_code_of_stop(error: BaseException) -> int | None:
    """The exit code where an error is, or was caused by, a signal to stop; None where it is not.

    Compiled modules of other libraries turn a signal that comes while they are imported into an
    ImportError.
    """
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, (KeyboardInterrupt, Terminated)):
            return 143 if isinstance(cause, Terminated) else 130
        cause = cause.__cause__ or cause.__context__
    return None

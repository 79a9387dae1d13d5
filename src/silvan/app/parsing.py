"""Options and paths, taken apart and checked before the libraries behind a command are imported."""

from __future__ import annotations

import csv
import json
import os
from ast import literal_eval
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from silvan.app.errors import DataError, ModelError, UsageError
from silvan.app.formats import is_data
from silvan.app.names import KINDS, OF_DIRECTIONS, PARAMETERS, TASKS, suggest

# Parameters that are not for --set, and what is.
_OTHER_OPTIONS = {
    "n_estimators": "pass --trees",
    "n_jobs": "pass --jobs",
    "random_state": "pass --seed",
    "oob_score": "the program estimates it itself where it can",
    "verbose": "the program shows its progress itself",
    "warm_start": "the program fits once",
}


def parse_shape(text: str | None) -> tuple[int, ...] | None:
    """Read sizes such as 28x28.

    >>> parse_shape("28x28"), parse_shape("96"), parse_shape(None)
    ((28, 28), (96,), None)
    """
    if text is None:
        return None
    sizes = text.lower().replace(",", "x").split("x")
    if not all(size.strip().isdigit() and int(size) > 0 for size in sizes):
        raise UsageError(f"--shape takes sizes such as 28x28 or 96, not {text!r}.")
    return tuple(int(size) for size in sizes)


def parse_columns(given: Sequence[str] | None) -> tuple[str, ...]:
    """Read names of columns that commas separate, from options that may be repeated.

    A name that has a comma itself stands in quotes.

    >>> parse_columns(["id, name", "price"]), parse_columns(['"a,b",c']), parse_columns(None)
    (('id', 'name', 'price'), ('a,b', 'c'), ())
    """
    names = [name for row in csv.reader(given or (), skipinitialspace=True) for name in row]
    return tuple(dict.fromkeys(name.strip() for name in names))


def parse_names(text: str) -> list[str]:
    """Read names that commas separate; "none" is none."""
    names = [name.strip().lower().replace("-", "_") for name in text.split(",")]
    return [name for name in dict.fromkeys(names) if name not in ("", "none")]


def parse_settings(texts: Sequence[str]) -> dict[str, Any]:
    """Read NAME=VALUE; values are JSON, and text where they are not.

    >>> parse_settings(["max_depth=10", "criterion=entropy", "honest=true"])
    {'max_depth': 10, 'criterion': 'entropy', 'honest': True}
    """
    settings: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (equals and name):
            raise UsageError(f"--set takes NAME=VALUE, for example max_depth=10, not {text!r}.")
        if name in _OTHER_OPTIONS:
            raise UsageError(f"--set cannot change {name}; {_OTHER_OPTIONS[name]}.")
        if name == "projections":
            raise UsageError(
                "--set cannot change projections; choose directions with --forest, and change "
                "theirs as in --set projections__mean_nonzeros=3."
            )
        if name.split("__")[0] not in PARAMETERS:
            raise UsageError(
                f"--set {name}=... is not a parameter of a forest"
                f"{suggest(name, (*PARAMETERS, *OF_DIRECTIONS))}; forests have "
                f"{', '.join(PARAMETERS)}."
            )
        if name in settings:
            raise UsageError(f"--set {name}=... is given twice; leave one of them out.")
        settings[name] = _read_value(value)
    return settings


def _read_value(text: str) -> Any:
    """A value in JSON, as Python writes it (True, None, .5) or none; anything else is a word."""
    if text == "none":
        return None
    for read in (json.loads, literal_eval):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            return read(text)
    return text


def target_file(target: str | None) -> Path | None:
    """The file with the targets of an array, if the target is one."""
    return Path(target) if target is not None and Path(target).suffix == ".npy" else None


def check_choices(kind: str | None, task: str | None) -> None:
    """Refuse kinds of data and tasks that there are not."""
    _check_choice("--kind", kind, KINDS)
    _check_choice("--task", task, TASKS)


def _check_choice(option: str, value: str | None, choices: tuple[str, ...]) -> None:
    if value is not None and value not in choices:
        raise UsageError(f"{option} must be {' or '.join(choices)}, but it is {value!r}.")


def check_data(*paths: Path | None) -> None:
    """Refuse data that are not there or may not be read."""
    for path in paths:
        if path is None or str(path) == "-":
            continue
        if not path.exists():
            raise DataError(f"{path} does not exist; check the path.")
        if path.is_file() and not os.access(path, os.R_OK):
            raise DataError(f"{path} may not be read; ask for permission.")


def check_model(path: Path, *, alone: bool = False) -> None:
    """Refuse a model that is not there, or something else in its place; data follow, or none."""
    if str(path) == "-":
        raise ModelError("- is standard input, which can hold data only; name the model's file.")
    if not path.exists():
        raise ModelError(f"{path} does not exist; make a model with: silvan fit DATA --out {path}")
    if path.is_dir():
        raise ModelError(f"{path} is a folder, not a model; name the file that silvan fit wrote.")
    if is_data(path) and path.is_file() and not _begins_like_model(path):
        remedy = (
            "name the model that silvan fit wrote."
            if alone
            else "pass the model that silvan fit wrote first, then the data."
        )
        raise ModelError(f"{path} is a file of data, not a model; {remedy}")


def _begins_like_model(path: Path) -> bool:
    """Whether a file begins with a length and a JSON header, as models do whatever their name."""
    try:
        with path.open("rb") as file:
            return file.read(9)[8:] == b"{"
    except OSError:
        return True  # what is wrong is reported where it is read

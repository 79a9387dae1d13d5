"""What commands are given: data to read, and options to take apart and check."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan.app.console import note
from silvan.app.data import Dataset, Request, Spelling, open_source
from silvan.app.errors import UsageError
from silvan.app.models import decide_task
from silvan.app.names import KINDS, TASKS


def read_data(
    path: Path, asked: Request, task: str | None, spelling: Spelling
) -> tuple[Dataset, str]:
    """Read data, say what they are, and decide between classes and measurements."""
    check_choices(asked, task)
    source = open_source(path, spelling)
    data = source.read(asked)
    if asked.categorical and data.names is None:
        raise UsageError("--categorical is for tables with names of columns; leave it out.")
    y, decided = decide_task(data.y, task)
    data = replace(data, y=y)
    note(f"{source.path}: {data.describe()}" + "".join(f"; {text}" for text in data.notes) + ".")
    note_target(data.target, y, decided)
    return data, decided


def check_choices(asked: Request, task: str | None) -> None:
    """Refuse kinds of data and tasks that there are not."""
    _check_choice("--kind", asked.kind, KINDS)
    _check_choice("--task", task, TASKS)


def note_target(name: str, y: NDArray[Any], task: str) -> None:
    """Say what the target is taken for."""
    if task == "regression":
        note(f"Target {name!r}: numbers from {y.min():.4g} to {y.max():.4g}, so regression.")
    elif (n_classes := len(np.unique(y))) == 1:
        note(f"Target {name!r}: every row has {y[0]!s}, so every prediction will be that.")
    else:
        note(f"Target {name!r}: {n_classes} classes, so this is classification.")


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


def target_file(target: str | None) -> Path | None:
    """The file with the targets of an array, if the target is one."""
    return Path(target) if target is not None and Path(target).suffix == ".npy" else None


def _check_choice(option: str, value: str | None, choices: tuple[str, ...]) -> None:
    if value is not None and value not in choices:
        raise UsageError(f"{option} must be {' or '.join(choices)}, but it is {value!r}.")

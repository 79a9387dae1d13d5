"""The data that commands are given, and what is said about them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan.app.console import note
from silvan.app.data import Dataset, Request, Spelling, open_source
from silvan.app.errors import UsageError
from silvan.app.models import decide_task
from silvan.app.numbers import write_number


def read_data(
    path: Path, asked: Request, task: str | None, spelling: Spelling
) -> tuple[Dataset, str]:
    """Read data, say what they are, and decide between classes and measurements."""
    source = open_source(path, spelling)
    data = source.read(asked)
    if asked.categorical and data.names is None:
        raise UsageError("--categorical is for tables with names of columns; leave it out.")
    y, decided = decide_task(data.y, task, to_learn=asked.like is None)
    data = replace(data, y=y)
    note(f"{source.path}: {data.describe()}" + "".join(f"; {text}" for text in data.notes) + ".")
    note_target(data.target, y, decided, to_learn=asked.like is None)
    return data, decided


def note_target(name: str, y: NDArray[Any], task: str, *, to_learn: bool = True) -> None:
    """Say what the target is taken for, and where it is to be learnt, whether it can be."""
    if task == "regression":
        low, high = write_number(float(y.min())), write_number(float(y.max()))
        note(f"Target {name!r}: numbers from {low} to {high}, so this is regression.")
    elif (n_classes := len(np.unique(y))) == 1:
        so = ", so every prediction will be that" if to_learn else ""
        note(f"Target {name!r}: every row has {y[0]!s}{so}.")
    else:
        note(f"Target {name!r}: {n_classes} classes, so this is classification.")

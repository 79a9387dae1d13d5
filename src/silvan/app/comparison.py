"""Classifiers compared on the same folds: accuracy, out-of-bag accuracy and seconds."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone


@dataclass(frozen=True)
class System:
    """A classifier to compare, and the name it goes by."""

    name: str
    classifier: Any
    has_out_of_bag: bool = True


@dataclass(frozen=True, eq=False)
class Result:
    """What one system reached, fold by fold."""

    system: System
    accuracy: list[float] = field(default_factory=list)
    fit_seconds: list[float] = field(default_factory=list)
    predict_seconds: list[float] = field(default_factory=list)
    out_of_bag: float | None = None

    @property
    def name(self) -> str:
        """The name of the system."""
        return self.system.name


Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


def compare(
    systems: Sequence[System], X: NDArray[Any], y: NDArray[Any], folds: Sequence[Fold]
) -> Iterator[Result]:
    """Give the result of one system after the other.

    Times are of fits without out-of-bag scores. The out-of-bag accuracy comes from one more fit, on
    all rows.
    """
    for system in systems:
        classifier = clone(system.classifier)
        accuracy, fit_seconds, predict_seconds = [], [], []
        for train, test in folds:
            start = time.perf_counter()
            classifier.fit(X[train], y[train])
            fitted = time.perf_counter()
            predicted = classifier.predict(X[test])
            predict_seconds.append(time.perf_counter() - fitted)
            fit_seconds.append(fitted - start)
            accuracy.append(float(np.mean(predicted == y[test])))
        out_of_bag = None
        if system.has_out_of_bag:
            scored = clone(system.classifier).set_params(oob_score=True).fit(X, y)
            out_of_bag = float(scored.oob_score_)
        yield Result(system, accuracy, fit_seconds, predict_seconds, out_of_bag)


def format_table(results: Sequence[Result]) -> str:
    """Align one line for each result under a heading."""
    head = ["", "accuracy", "out of bag", "fit", "predict"]
    rows = [head] + [
        [
            result.name,
            f"{np.mean(result.accuracy):.3f} ± {np.std(result.accuracy, ddof=1):.3f}",
            "-" if result.out_of_bag is None else f"{result.out_of_bag:.3f}",
            format_seconds(result.fit_seconds),
            format_seconds(result.predict_seconds),
        ]
        for result in results
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        numbers = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("   ".join([row[0].ljust(widths[0]), *numbers]).rstrip())
    lines.insert(1, "-" * max(map(len, lines)))
    return "\n".join(lines)


def format_seconds(seconds: Sequence[float]) -> str:
    """Write the median: seconds from one second on, milliseconds below.

    >>> format_seconds([0.5, 2.5, 1.5]), format_seconds([0.0042])
    ('1.50 s', '4.2 ms')
    """
    median = float(np.median(seconds))
    return f"{median:.2f} s" if median >= 1 else f"{1000 * median:.3g} ms"

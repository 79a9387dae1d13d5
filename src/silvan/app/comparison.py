"""Estimators compared on the same folds: score, out-of-bag score and seconds."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.metrics import accuracy_score, r2_score

from silvan.app.errors import UsageError


@dataclass(frozen=True)
class System:
    """An estimator to compare, and the name it goes by."""

    name: str
    estimator: Any
    has_out_of_bag: bool = True


@dataclass(frozen=True, eq=False)
class Result:
    """What one system reached, fold by fold."""

    system: System
    scores: list[float] = field(default_factory=list)
    fit_seconds: list[float] = field(default_factory=list)
    predict_seconds: list[float] = field(default_factory=list)
    out_of_bag: float | None = None

    @property
    def name(self) -> str:
        """The name of the system."""
        return self.system.name

    @property
    def spread(self) -> float | None:
        """Standard deviation over the folds, if there are several."""
        return float(np.std(self.scores, ddof=1)) if len(self.scores) > 1 else None


Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


def compare(
    systems: Sequence[System], X: NDArray[Any], y: NDArray[Any], folds: Sequence[Fold]
) -> Iterator[Result]:
    """Give the result of one system after the other.

    The score is the accuracy of a classifier and the R² of a regressor. Times are of fits without
    out-of-bag scores. The out-of-bag score comes from one more fit, on all rows.
    """
    for system in systems:
        try:
            result = _measure(system, X, y, folds)
        except ValueError as error:
            raise UsageError(
                f"the forest {system.name!r} cannot be compared on these data: {error}"
            ) from None
        yield result


def _measure(system: System, X: NDArray[Any], y: NDArray[Any], folds: Sequence[Fold]) -> Result:
    estimator = clone(system.estimator)
    metric = accuracy_score if is_classifier(estimator) else r2_score
    scores, fit_seconds, predict_seconds = [], [], []
    for train, test in folds:
        start = time.perf_counter()
        estimator.fit(X[train], y[train])
        fitted = time.perf_counter()
        with warnings.catch_warnings():
            # A fold may hold none of a column's categories, as of ids: its score tells.
            warnings.filterwarnings("ignore", ".* has no category that the forest was fitted")
            predicted = estimator.predict(X[test])
        predict_seconds.append(time.perf_counter() - fitted)
        fit_seconds.append(fitted - start)
        scores.append(float(metric(y[test], predicted)))
    out_of_bag = None
    if system.has_out_of_bag:
        scored = clone(system.estimator).set_params(oob_score=True).fit(X, y)
        out_of_bag = float(scored.oob_score_)
    return Result(system, scores, fit_seconds, predict_seconds, out_of_bag)


def format_table(results: Sequence[Result]) -> str:
    """Align one line for each result under a heading."""
    first = results[0].system.estimator if results else None
    metric = "R²" if first is not None and not is_classifier(first) else "accuracy"
    head = ["", metric, "out of bag", "fit", "predict"]
    rows = [head] + [
        [
            result.name,
            format_scores(result),
            "-" if result.out_of_bag is None else f"{result.out_of_bag:.3f}",
            format_seconds(result.fit_seconds),
            format_seconds(result.predict_seconds),
        ]
        for result in results
    ]
    columns = list(zip(*rows, strict=True))
    # A column in which nothing was measured says nothing.
    shown = [c for c in columns if c[0] != "out of bag" or any(cell != "-" for cell in c[1:])]
    rows = [list(row) for row in zip(*shown, strict=True)]
    widths = [max(map(len, column)) for column in shown]
    lines = []
    for row in rows:
        numbers = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("   ".join([row[0].ljust(widths[0]), *numbers]).rstrip())
    lines.insert(1, "-" * max(map(len, lines)))
    return "\n".join(lines)


def format_scores(result: Result) -> str:
    """The mean over the folds, and their standard deviation if there are several."""
    mean = f"{np.mean(result.scores):.3f}"
    return mean if result.spread is None else f"{mean} ± {result.spread:.3f}"


def format_seconds(seconds: Sequence[float]) -> str:
    """Write the median: seconds from one second on, milliseconds below.

    >>> format_seconds([0.5, 2.5, 1.5]), format_seconds([0.0042])
    ('1.50 s', '4.2 ms')
    """
    median = float(np.median(seconds))
    return f"{median:.2f} s" if median >= 1 else f"{1000 * median:.3g} ms"

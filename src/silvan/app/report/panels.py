"""The panels of the page, each a title, a sentence on how to read it, and a body."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from silvan import ManifoldEmbedding
from silvan.app.comparison import format_scores, format_seconds
from silvan.app.describing import describe_model
from silvan.app.errors import DataError
from silvan.app.numbers import write_alike, write_count, write_number
from silvan.app.report import charts
from silvan.app.report.looks import importance_panel, projections_panel
from silvan.app.report.mistakes import mistakes_panel
from silvan.app.report.panel import Panel, html_table
from silvan.app.report.rounds import rounds_panel
from silvan.app.report.subject import Judgement, Subject
from silvan.inspection import out_of_bag_curve

_MAX_POINTS = 1500
_N_BINS = 10


def make_panels(subject: Subject) -> list[Panel]:
    """All panels that the subject has something for, in the order of the page."""
    makers: list[Callable[[Subject], Panel | None]] = [
        fitted_panel,
        scores_panel,
        comparison_panel,
        growth_panel,
        confusion_panel,
        calibration_panel,
        embedding_panel,
        importance_panel,
        projections_panel,
        mistakes_panel,
        loading_panel,
    ]
    panels = [make(subject) for make in makers]
    return [panel for panel in panels if panel is not None]


def fitted_panel(subject: Subject) -> Panel:
    """What was fitted."""
    lines = [("data", subject.data.describe()), ("target", subject.data.target)]
    lines += [
        line
        for line in describe_model(subject.forest)
        if line[0] not in ("fitted on", "out of bag")
    ]
    return Panel(
        "fitted",
        "What was fitted",
        f"A forest is many decision trees that {'add up' if subject.is_boosted else 'vote'}. Each "
        "split of a tree compares a number that is computed from a few features with a threshold; "
        "“directions” says what that number may be.",
        html_table(None, lines),
    )


def scores_panel(subject: Subject) -> Panel | None:
    """Scores with confidence intervals."""
    judged = subject.judgement
    if judged is None:
        return None
    rows = []
    for score in judged.scores:
        value, low, high, blind = write_alike(score.numbers)
        name = Markup("{}<small>{}</small>").format(score.name, score.meaning)
        rows.append((name, value, f"{low} to {high}", blind))
    return Panel(
        "scores",
        "Scores",
        f"Measured {judged.where}, over {write_count(len(judged.rows), 'row')}. "
        f"{_explain_where(subject, judged)} The interval contains the score on unlimited data of "
        "the same kind in 95 of 100 such reports. The baseline needs no forest: it always predicts "
        f"{_blind_guess(subject, judged)}.",
        html_table(("score", "value", "95% interval", "baseline"), rows),
    )


def comparison_panel(subject: Subject) -> Panel | None:
    """Other forests on the same parts of the data."""
    if not subject.results:
        return None
    name = "accuracy" if subject.classifies else "R²"
    n_folds = len(subject.results[0].scores)
    chart = charts.dot_chart([(r.name, r.scores) for r in subject.results], name)
    rows = [(r.name, format_scores(r), format_seconds(r.fit_seconds)) for r in subject.results]
    how = (
        f"Every forest was fitted {n_folds} times, each time without another part of the data, and "
        "scored on that part: a dot for each part, a bar for the mean. Differences smaller than "
        "the spread of the dots are a tie."
        if n_folds > 1
        else "Every forest was fitted to the training data and scored on the test data."
    )
    if any(result.name == "rf" for result in subject.results):
        how += " “rf” is silvan's own random forest, whose splits are on single features."
    table = html_table(("forest", name, "time to fit"), rows)
    return Panel("comparison", "Against other forests", how, chart + table)


def growth_panel(subject: Subject) -> Panel | None:
    """Out-of-bag error against the number of trees, or loss against rounds."""
    if subject.is_boosted:
        return rounds_panel(subject)
    if not subject.has_out_of_bag:
        return None
    try:
        errors = out_of_bag_curve(subject.forest, subject.fitted_rows, subject.data.y)
    except ValueError as error:
        raise DataError(
            f"these are not the data that the forest was fitted on ({error}) Other rows can be "
            "passed as --test."
        ) from None
    sizes = np.arange(1, len(errors) + 1)
    label = "share of rows that are wrong" if subject.classifies else "mean squared error"
    chart = charts.line_chart(sizes, errors, ("number of trees", label))
    return Panel(
        "growth",
        "Error as the forest grows",
        "Each row is scored by the trees that did not see it (it was “out of bag” for them). Where "
        "the line is flat, more trees would not help.",
        chart,
    )


def confusion_panel(subject: Subject) -> Panel | None:
    """Which classes are confused; for numbers, true against predicted."""
    judged = subject.judgement
    if judged is None:
        return None
    if not subject.classifies:
        rows = _sample(len(judged.rows))
        return Panel(
            "confusion",
            "True and predicted",
            f"A dot for each row, {judged.where}. On the dashed line the prediction is right.",
            charts.truth_chart(judged.truth[rows], judged.predicted[rows]),
        )
    n = len(subject.labels)
    cells = judged.truth * n + judged.predicted.argmax(axis=1)
    counts = np.bincount(cells, minlength=n * n).reshape(n, n)
    wrong = counts - np.diag(np.diag(counts))
    pairs = [np.unravel_index(k, (n, n)) for k in np.argsort(-wrong, axis=None)[:3]]
    worst = [
        f"{subject.labels[i]} as {subject.labels[j]} ({wrong[i, j]})"
        for i, j in pairs
        if wrong[i, j]
    ]
    text = f"How many rows of each class (line) were predicted as which (column), {judged.where}. "
    text += f"Most often confused: {', '.join(worst)}." if worst else "None was confused."
    return Panel(
        "confusion",
        "Which classes are confused",
        text,
        charts.confusion_chart(counts, subject.labels),
    )


def calibration_panel(subject: Subject) -> Panel | None:
    """How well predicted probabilities or values agree with the truth."""
    judged = subject.judgement
    if judged is None or len(judged.rows) < 2 * _N_BINS:
        return None
    if subject.classifies:
        stated = judged.predicted.max(axis=1)
        came = (judged.predicted.argmax(axis=1) == judged.truth).astype(np.float64)
        labels = ("probability of the predicted class", "share that is right")
        lead = (
            "Rows are grouped by the predicted probability. On the dashed line, about 80% of the "
            "rows predicted with 80% are right; above it the forest is right more often than it "
            "says, below it less often."
        )
    else:
        stated, came = judged.predicted, judged.truth
        labels = ("predicted", "mean of the true values")
        lead = (
            "Rows are grouped by their prediction. On the dashed line their true values are "
            "on average what was predicted."
        )
    # Equal numbers of rows, so that no dot is made of a few.
    edges = np.unique(np.quantile(stated, np.linspace(0, 1, _N_BINS + 1)))
    bins = np.clip(np.searchsorted(edges, stated, side="right") - 1, 0, max(len(edges) - 2, 0))
    counts = np.bincount(bins, minlength=1)
    used = counts > 0
    xs = np.bincount(bins, weights=stated)[used] / counts[used]
    ys = np.bincount(bins, weights=came)[used] / counts[used]
    gap = float(np.average(np.abs(xs - ys), weights=counts[used]))
    lead += f" The mean distance to the line is {gap:.3g}. Each dot is a tenth of the rows."
    chart = charts.calibration_chart(xs, ys, labels)
    return Panel("calibration", "How far to trust a prediction", lead, chart)


def embedding_panel(subject: Subject) -> Panel | None:
    """The rows in a plane, close together where trees send them to the same leaves."""
    data = subject.data if subject.held_out is None else subject.held_out
    if len(data.y) < 10:
        return None
    rows = _sample(len(data.y))
    X: Any = data.X.select(list(subject.data.names)) if subject.data.names else data.rows
    X = X.take(rows) if subject.data.names else X[rows].reshape(len(rows), -1)
    embedding = ManifoldEmbedding(forest=subject.forest, n_components=2, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        points = embedding.fit_transform(X)
    lead = (
        "Each dot is a row. Two rows are close if many trees send them to the same leaf: this is "
        "how alike the forest finds them. The two coordinates are the smoothest ones (Laplacian "
        "eigenmaps)."
    )
    if subject.held_out is None:
        lead += " The trees have seen these rows, so groups look purer than they will for new rows."
    if len(rows) < len(data.y):
        lead += f" A random {len(rows):,} of {len(data.y):,} rows."
    if any("part" in str(each.message) for each in caught):
        lead += " No leaf links some groups; these are set side by side."
    if subject.classifies:
        groups, names = np.searchsorted(subject.forest.classes_, data.y[rows]), subject.labels
    else:
        edges = np.quantile(data.y, [0.25, 0.5, 0.75])
        groups, names = np.searchsorted(edges, data.y[rows]), []
        lead += " Colours are quarters of the target, from blue (low) to orange (high)."
    chart = charts.scatter_chart(points, groups, names)
    return Panel("embedding", "The data as the forest sees them", lead, chart)


def loading_panel(subject: Subject) -> Panel:
    """How to use the model."""
    path = subject.model_path or "model.silvan"
    rows = "a table with the same columns" if subject.data.names else "rows of the same shape"
    code = f'import silvan\n\nforest = silvan.load("{path}")\nforest.predict(X)  # X: {rows}\n'
    if subject.classifies:
        code += "forest.predict_proba(X)\n"
    shell = f"silvan predict {path} NEW_DATA --out predictions.csv\nsilvan info {path}\n"
    body = Markup("<p>In Python:</p><pre><code>{}</code></pre>").format(code)
    body += Markup("<p>In a shell:</p><pre><code>{}</code></pre>").format(shell)
    lead = "The model file holds arrays and a checksum; loading it runs no code from the file."
    if subject.model_path is None:
        lead = 'Save the forest with forest.save("model.silvan"); then:'
    return Panel("loading", "How to load the model", lead, body)


def _explain_where(subject: Subject, judged: Judgement) -> str:
    if judged.where == "out of bag":
        return "Out of bag: each row is scored only by the trees that did not see it."
    if subject.n_repeats:
        return (
            f"{subject.n_repeats:,} of the {len(judged.data.y):,} test rows are training rows, "
            "too, which makes all scores look better than they are."
        )
    return "The forest has not seen these rows."


def _blind_guess(subject: Subject, judged: Judgement) -> str:
    """What is predicted where nothing is known about a row."""
    if not subject.classifies:
        return f"the mean, {write_number(float(judged.truth.mean()))}"
    return f"the largest class, {subject.labels[int(np.bincount(judged.truth).argmax())]}"


def _sample(n: int) -> NDArray[np.intp]:
    """All of n rows, or as many at random as a chart can show."""
    if n <= _MAX_POINTS:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, _MAX_POINTS, replace=False))

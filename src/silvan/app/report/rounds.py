"""The panel of a boosted forest's scores, round by round."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvan.app.report import charts
from silvan.app.report.panel import Panel
from silvan.app.report.subject import Subject


def rounds_panel(subject: Subject) -> Panel:
    """Loss, or score, of the samples trained on and held out, against the number of rounds."""
    forest: Any = subject.forest
    is_loss = forest.scoring == "loss"
    sign = -1.0 if is_loss else 1.0
    training, held_out = sign * forest.train_score_, sign * forest.validation_score_
    numbers = np.arange(len(training))
    labels = ("number of rounds", "loss" if is_loss else "score")
    lead = (
        "Each round adds trees that correct what the rounds before got wrong, so the rows that it "
        "was trained on are fitted better and better. "
    )
    if len(held_out):
        lead += (
            "The strong line is of rows held out, the other of those trained on. The forest keeps "
            f"the {forest.n_iter_:,} rounds up to the best score of the rows held out."
        )
        chart = charts.line_chart(numbers, held_out, labels, training)
    else:
        lead += (
            "No rows were held out, so this does not tell when it is enough; fit with "
            "--set early_stopping=true to see that."
        )
        chart = charts.line_chart(numbers, training, labels)
    return Panel(
        "growth", "Loss round by round" if is_loss else "Score round by round", lead, chart
    )

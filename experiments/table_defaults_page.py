"""What the measurements of `table_defaults` say: rivals on both halves, candidates on one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata, t, wilcoxon

from experiments.arguments import Arguments
from experiments.pages import table
from experiments.store import Store
from experiments.table_tasks import is_chosen_on

SYSTEMS = ("silvan", "RandomForest", "ExtraTrees", "HistGradientBoosting")
WORDS = {"classes": "Classification", "numbers": "Regression"}


def collect(store: Store, stage: str, target: str) -> dict[str, dict[str, dict[int, Any]]]:
    """Rows by task, system and repetition."""
    found: dict[str, dict[str, dict[int, Any]]] = {}
    for row in store.rows.values():
        if row["stage"] == stage and row["target"] == target:
            systems = found.setdefault(row["task"], {})
            systems.setdefault(row["system"], {})[int(row["repetition"])] = row
    return found


def mean_errors(
    found: dict[str, dict[str, dict[int, Any]]], systems: list[str]
) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
    """Tasks with all systems, their mean normalised errors, and seconds to fit."""
    tasks = [task for task, rows in found.items() if all(system in rows for system in systems)]

    def means(name: str) -> NDArray[np.float64]:
        return np.array(
            [
                [np.mean([float(r[name]) for r in found[task][s].values()]) for s in systems]
                for task in tasks
            ]
        ).reshape(len(tasks), len(systems))

    return tasks, means("error") / means("chance"), means("fit_s")


def compare(errors: NDArray[np.float64], systems: list[str], rival: str) -> list[str]:
    """Tasks won and lost against a rival, mean normalised errors, and a two-sided p-value."""
    mine, theirs = errors[:, systems.index("silvan")], errors[:, systems.index(rival)]
    gap = mine - theirs
    p = float(wilcoxon(gap).pvalue) if (gap != 0).any() else 1.0
    counts = f"{(gap < 0).sum()} / {(gap > 0).sum()}"
    return [str(len(gap)), counts, f"{mine.mean():.4f}", f"{theirs.mean():.4f}", f"{p:.2g}"]


def resampled_p(mine: NDArray[np.float64], theirs: NDArray[np.float64]) -> float:
    """One-sided p-value that a system is worse on a task, by the corrected resampled t-test."""
    gap = mine - theirs
    n, spread = len(gap), float(np.var(gap, ddof=1)) if len(gap) > 1 else 0.0
    if spread == 0.0:
        return 1.0 if gap.mean() <= 0 else 0.0
    # Nadeau and Bengio 2003: halves train and halves test.
    return float(t.sf(gap.mean() / np.sqrt((1 / n + 1.0) * spread), n - 1))


def worse_after_holm(found: dict[str, dict[str, dict[int, Any]]], rival: str) -> list[str]:
    """Tasks on which silvan is worse than a rival at level .05 after Holm's correction."""
    values = {}
    for task, rows in found.items():
        both = sorted(set(rows.get("silvan", {})) & set(rows.get(rival, {})))
        if len(both) > 1:
            mine, theirs = (
                np.array([float(rows[s][r]["error"]) for r in both]) for s in ("silvan", rival)
            )
            values[task] = resampled_p(mine, theirs)
    worse = []
    for rank, task in enumerate(sorted(values, key=values.__getitem__)):
        if values[task] > 0.05 / (len(values) - rank):
            break
        worse.append(task)
    return worse


def comparison(store: Store, target: str, arguments: Arguments) -> str:
    """The default against its rivals on the half not chosen on, on the other, and on all."""
    found = collect(store, "compare", target)
    tasks, errors, seconds = mean_errors(found, list(SYSTEMS))
    if not tasks:
        return f"## {WORDS[target]}\n\nNothing is measured."
    chosen = np.array([is_chosen_on(target, task, arguments.data) for task in tasks])
    rows = []
    for name, part in (("not chosen on", ~chosen), ("chosen on", chosen), ("all", chosen | True)):
        if part.any():
            rows += [
                [f"{name}: silvan against {rival}", *compare(errors[part], list(SYSTEMS), rival)]
                for rival in SYSTEMS[1:]
            ]
    header = ("half", "tasks", "won / lost", "mean error", "of the rival", "p")
    holm = {rival: worse_after_holm(found, rival) for rival in SYSTEMS[1:3]}
    lines = [
        f"Worse than {rival} after Holm's correction: {', '.join(worse) or 'nowhere'}."
        for rival, worse in holm.items()
    ]
    times = np.exp(np.log(np.maximum(seconds, 1e-4)).mean(axis=0))
    pace = ", ".join(
        f"{system} {time / times[0]:.1f}" for system, time in zip(SYSTEMS, times, strict=True)
    )
    each = table(
        ("task", *SYSTEMS, "half"),
        [
            [task, *(f"{e:.4f}" for e in row), "chosen on" if is_in else "other"]
            for task, row, is_in in sorted(zip(tasks, errors, chosen, strict=True))
        ],
    )
    return "\n\n".join(
        [
            f"## {WORDS[target]}",
            table(header, rows),
            *lines,
            f"Time of a fit, as a geometric mean, relative to silvan: {pace}.",
            each,
        ]
    )


def candidates(store: Store, target: str, chosen: str) -> str:
    """All candidates, by mean rank on the half that is chosen on."""
    found = collect(store, "choose", target)
    systems = sorted({system for rows in found.values() for system in rows})
    tasks, errors, seconds = mean_errors(found, systems)
    if not tasks:
        return f"### Candidates: {WORDS[target].lower()}\n\nNothing is measured."
    ranks = rankdata(errors, axis=1).mean(axis=0)
    times = np.exp(np.log(np.maximum(seconds, 1e-4)).mean(axis=0))
    own = times[systems.index(chosen)] if chosen in systems else times[0]
    rows = [
        [
            f"**{systems[k]}**" if systems[k] == chosen else systems[k],
            f"{ranks[k]:.2f}",
            f"{errors[:, k].mean():.4f}",
            f"{times[k] / own:.2f}",
        ]
        for k in np.argsort(ranks)
    ]
    return "\n\n".join(
        [
            f"### Candidates: {WORDS[target].lower()}, {len(tasks)} tasks",
            table(("candidate", "mean rank", "mean error", "time"), rows),
        ]
    )


def write_tables(store: Store, arguments: Arguments, chosen: dict[str, str]) -> list[str]:
    """The measured part of the page."""
    parts = [f"`{arguments.command}`"]
    for target in WORDS:
        parts += [
            comparison(store, target, arguments),
            candidates(store, target, chosen[target]),
        ]
    return parts

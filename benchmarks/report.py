"""Turns measurements into Markdown that also reads well in a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from benchmarks.cases import THREADS_TARGET
from benchmarks.memory import Peak
from benchmarks.timing import CaseResult, Runs

# silvan's mean test error may exceed a peer's by this much.
ERROR_MARGIN = 0.005


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table with padded columns; all but the first are aligned right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first = cells[0].ljust(widths[0])
        rest = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
        return f"| {' | '.join([first, *rest])} |"

    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join([line(head), line(rule), *map(line, rows)])


def case_section(result: CaseResult) -> str:
    """Return the table of one case: times, test errors, and ratios to silvan."""
    first, *more = result.threads
    head = ["system", f"best s, {first} thread{'s' * (first > 1)}", "test error", "times silvan"]
    head += ["in single rounds", "by processor time"]
    for n_jobs in more:
        head += [f"best s, {n_jobs} threads", "speed-up", "cores had"]
    rows = [_case_row(result, system) for system in result.systems if result.get(system)]
    parts = [f"### {result.case.name}", result.case.title + "."]
    if rows:
        parts.append(table(head, rows))
    parts += [f"{system}: {reason}." for system, reason in result.failures.items()]
    return "\n\n".join(parts + _honesty_notes(result))


def _honesty_notes(result: CaseResult) -> list[str]:
    """Return what the processor times say against the wall clock of one thread."""
    single = {system: runs for (system, n_jobs), runs in result.runs.items() if n_jobs == 1}
    notes = [
        f"{system} used more than one core in {runs.n_parallel} runs that were to use one."
        for system, runs in single.items()
        if runs.n_parallel
    ]
    busy = sum(runs.n_busy for runs in single.values())
    total = sum(len(runs.wall) for runs in single.values())
    if busy:
        notes.append(f"{busy} of {total} runs with one thread had to share their core.")
    return notes


def _case_row(result: CaseResult, system: str) -> list[str]:
    runs, own = result.get(system), result.get("silvan")
    assert runs is not None
    label = f"{system} {result.versions.get(system, '')}".strip()
    row = [label, seconds(runs.best), error_text(runs)]
    if own is None or system == "silvan":
        row += ["", "", ""]
    else:
        ratios = [theirs / ours for theirs, ours in zip(runs.wall, own.wall, strict=True)]
        row += [f"{runs.best / own.best:.2f}", f"{min(ratios):.1f} to {max(ratios):.1f}"]
        row += [f"{min(runs.cpu) / min(own.cpu):.2f}"]
    for n_jobs in result.threads[1:]:
        other = result.get(system, n_jobs)
        if other is None:
            row += ["", "", ""]
        else:
            speed_up = runs.best / other.best
            row += [seconds(other.best), f"{speed_up:.2f}", f"{other.cores:.2f}"]
    return row


def seconds(value: float) -> str:
    """Return seconds with three digits."""
    return f"{value:.3f}" if value < 1 else f"{value:.2f}"


def error_text(runs: Runs) -> str:
    """Return the mean test error, with its standard error where there are several."""
    if not runs.errors:
        return ""
    mean, spread = float(np.mean(runs.errors)), float(np.std(runs.errors))
    if len(runs.errors) == 1 or spread == 0:
        return f"{mean:.4f}"
    return f"{mean:.4f} ± {spread / math.sqrt(len(runs.errors) - 1):.4f}"


def promise_section(results: Sequence[CaseResult]) -> str:
    """Return one line per promised factor: asked, measured, kept or not."""
    rows = []
    for result in results:
        for target in result.case.targets:
            own, peer = result.get(target.ours), result.get(target.peer)
            row = [result.case.name, target.ours, target.peer, f"{target.factor:g}"]
            if own is None or peer is None:
                rows.append([*row, "", "", "not run"])
                continue
            ratio = min(peer.cpu) / min(own.cpu)
            gap = float(np.mean(own.errors) - np.mean(peer.errors))
            as_good = gap <= ERROR_MARGIN or not result.case.same_error or target.ours != "silvan"
            kept = ratio >= target.factor and as_good
            row += [f"{ratio:.2f}", f"{100 * gap:+.2f}", "yes" if kept else "NO"]
            rows.append(row)
        rows += _threads_row(result)
    if not rows:
        return ""
    head = ["case", "forest", "against", "times asked", "by processor time"]
    head += ["error points above", "kept"]
    return "## What was asked\n\n" + table(head, rows)


def _threads_row(result: CaseResult) -> list[list[str]]:
    own, two = result.get("silvan"), result.get("silvan", 2)
    if own is None or two is None or result.threads[0] != 1 or not result.case.same_error:
        return []
    ratio = own.best / two.best
    kept = "yes" if ratio >= THREADS_TARGET else "NO"
    asked = f"{THREADS_TARGET:g}"
    return [[result.case.name, "silvan", "itself, 1 thread", asked, f"{ratio:.2f}", "", kept]]


def memory_section(rows: Sequence[tuple[str, str, Peak | str]]) -> str:
    """Return the peaks of memory: what a fit added, beside one copy of the data and the forest."""
    lines = []
    for case, label, peak in rows:
        if isinstance(peak, str):
            lines.append([case, label, "", "", "", "", peak])
            continue
        sizes = [f"{size / 2**20:.1f}" for size in (peak.data, peak.forest, peak.added)]
        promise = ["", ""]
        if label.startswith("silvan"):
            kept = peak.added <= peak.allowed
            promise = [f"{peak.allowed / 2**20:.1f}", "yes" if kept else "NO"]
        lines.append([case, label, *sizes, *promise])
    head = ["case", "system", "data MiB", "forest MiB", "added at peak MiB", "allowed MiB", "kept"]
    note = (
        "What a fit added to a fresh process that already held the library and the data. Allowed: "
        "one copy of the data, the forest, and 10 % of the data, the copy and the forest together."
    )
    return "\n\n".join(["## Peak memory of a fit", note, table(head, lines)])

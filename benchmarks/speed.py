"""The command ``python -m benchmarks.speed``: runs the cases and writes the report."""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import cases, report
from benchmarks.data import DataFolder, default_source
from benchmarks.growth import Row, growth_cases
from benchmarks.growth_report import draw_growth, growth_section
from benchmarks.machine import describe_machine, n_cores
from benchmarks.memory import Peak, can_measure, measure_peak
from benchmarks.runners import ENVIRONMENTS, PeerError, Roster
from benchmarks.small import small_section
from benchmarks.systems import force_instruction_set
from benchmarks.timing import CaseResult, Meter, Plan

GROWTH_SYSTEMS = (("silvan", None), ("scikit-learn RF", None), ("silvan", 3.0), ("YDF", 3.0))

CASE_NAMES = [case.name for case in (*cases.FIT_CASES, *cases.TABLE_CASES, *cases.PREDICT_CASES)]
NAMES = [*CASE_NAMES, "tables", "predictions", "small", "growth", "memory"]


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    add = parser.add_argument
    add("--only", action="append", choices=NAMES, metavar="CASE", help=", ".join(NAMES))
    add("--quick", action="store_true", help="few rows and trees, one seed, one thread")
    add("--seeds", type=int, default=5, help="seeds whose test errors are averaged (default 5)")
    add("--repeats", type=int, default=3, help="rounds of all else that is timed (default 3)")
    add("--threads", type=_threads, default=(1, 2), help="numbers of threads (default 1,2)")
    add("--data", type=Path, default=default_source(), help="folder with mnist/ ($SILVAN_DATA)")
    add("--environments", type=Path, default=ENVIRONMENTS, help="the peers (default .bench)")
    add("--instruction-set", help="kernels that silvan grows with, such as avx2 (default: best)")
    add("--alone", action="store_true", help="growth of silvan without its peers")
    add("--output", type=Path, help="Markdown file to write, for example docs/results/speed.md")
    args = parser.parse_args(arguments)
    if args.seeds < 1 or args.repeats < 1:
        parser.error("--seeds and --repeats must be at least 1.")
    if args.quick:
        args.seeds, args.repeats, args.threads = 1, 1, args.threads[:1]
    return args


def _threads(text: str) -> tuple[int, ...]:
    numbers = tuple(int(part) for part in text.split(","))
    if not numbers or min(numbers) < 1:
        raise argparse.ArgumentTypeError(f"expected numbers of threads such as 1,2, got {text!r}")
    return numbers


class Report:
    """The sections so far, printed as they come; the file is complete after every one."""

    def __init__(self, output: Path | None, head: list[str]) -> None:
        self._output = output
        self._head = head
        self._sections: list[str] = []

    def add(self, section: str) -> None:
        """Print a section and write the file again."""
        if not section:
            return
        print(f"\n{section}\n", flush=True)
        self._sections.append(section)
        if self._output is not None:
            self._output.parent.mkdir(parents=True, exist_ok=True)
            text = "\n\n".join([*self._head, *self._sections]) + "\n"
            self._output.write_text(text, encoding="utf-8")


def head(arguments: list[str], kernels: str) -> list[str]:
    """Return the opening of the report: the machine, the command, and how to read the tables."""
    command = shlex.join(["python", "-m", "benchmarks.speed", *arguments])
    own = f"silvan's kernels: {kernels}, in all figures of this page"
    facts = "\n".join(f"- {line}" for line in [*describe_machine(), own, f"command: `{command}`"])
    reading = (
        "All libraries take turns in every round, with the same trees, the same number d of "
        "directions per node and the same data. Times are the best of all rounds; *times silvan* "
        "is a peer's best time over silvan's; beside it, its range over single rounds and the same "
        "by processor time, which a busy machine disturbs less. Test errors are means over the "
        "seeds, with their standard errors, on 10,000 other rows. *Cores had* is the processor "
        "time over the wall clock of the best run with several threads: where it stays "
        "below their number, the machine was busy or the threads waited."
    )
    return ["# Speed", facts, reading]


def run(args: argparse.Namespace, meter: Meter, out: Report) -> None:
    """Measure what was asked for, section by section."""
    wanted = set(args.only or NAMES)
    if "tables" in wanted:
        wanted.update(case.name for case in cases.TABLE_CASES)
    if "predictions" in wanted:
        wanted.update(case.name for case in cases.PREDICT_CASES)
    change: Callable[[cases.Case], cases.Case] = cases.reduced if args.quick else lambda case: case
    results: list[CaseResult] = []
    for title, group, measure in (
        ("## Fit", cases.FIT_CASES, meter.fits),
        ("## Fit of real tables", cases.TABLE_CASES, meter.fits),
        ("## Prediction of 10,000 rows", cases.PREDICT_CASES, meter.predictions),
    ):
        chosen = [change(case) for case in group if case.name in wanted]
        for i, case in enumerate(chosen):
            try:
                results.append(measure(case))
                section = report.case_section(results[-1])
            except FileNotFoundError as error:
                section = f"### {case.name}\n\nNot measured: {error}"
            out.add(f"{title}\n\n{section}" if i == 0 else section)
    if not args.quick:
        out.add(report.promise_section(results))
    if "small" in wanted:
        out.add(small_section(5 if args.quick else 100))
    if "growth" in wanted:
        plots = args.output.with_name("growth.png") if args.output else None
        systems = [s for s in GROWTH_SYSTEMS if s[0] == "silvan" or not args.alone]
        out.add(growth(meter, plots, systems, quick=args.quick))
    if "memory" in wanted:
        out.add(memory(meter, cases.MEMORY_CASES))


def growth(
    meter: Meter,
    plots: Path | None,
    systems: Sequence[tuple[str, float | None]],
    *,
    quick: bool,
) -> str:
    """Measure growth with samples, features, directions, classes and threads; plot it."""
    rows: list[Row] = []
    for system, nonzeros in systems:
        if not meter.roster.find([system]):
            continue
        label = f"{system}, {'axis-aligned' if nonzeros is None else 'sparse'}"
        for case in growth_cases(nonzeros, n_cores(), quick=quick):
            try:
                rows.append((case, label, meter.growth(case, system)))
            except PeerError as error:
                print(f"{label}: {error}", file=sys.stderr)
    if not rows:
        return ""
    order = [case.name for case in growth_cases(None, 1, quick=True)]
    rows.sort(key=lambda row: order.index(row[0].name))
    section = growth_section(rows)
    if plots is None:
        return section
    draw_growth(rows, plots)
    return f"{section}\n\n![Seconds to fit against each quantity]({plots.name})"


def memory(meter: Meter, group: tuple[cases.Case, ...]) -> str:
    """Measure the peak memory of a fit, each in a process of its own."""
    if not can_measure():
        return "## Peak memory of a fit\n\nNot measured: it needs Linux's /proc/self/clear_refs."
    rows: list[tuple[str, str, Peak | str]] = []
    for case in group:
        try:
            data = meter.data_path(case)
        except FileNotFoundError as error:
            print(f"{case.name}: {error}", file=sys.stderr)
            continue
        for system in meter.roster.find(["silvan", *case.peers]):
            label = f"{system} {meter.roster.versions[system]}"
            try:
                peak: Peak | str = measure_peak(case, system, meter.roster.runners[system], data)
            except PeerError as error:
                peak = str(error)
            rows.append((case.name, label, peak))
    return report.memory_section(rows) if rows else ""


def main(arguments: list[str] | None = None) -> None:
    """Run the benchmarks."""
    args = parse(arguments)
    given = sys.argv[1:] if arguments is None else arguments
    kernels = force_instruction_set(args.instruction_set)
    roster = Roster(args.environments)
    plan = Plan(args.seeds, args.repeats, args.threads)
    with tempfile.TemporaryDirectory(prefix="silvan-bench-") as scratch:
        folder = DataFolder(Path(scratch), args.data)
        meter = Meter(roster, folder, plan, lambda text: print(text, file=sys.stderr, flush=True))
        try:
            run(args, meter, Report(args.output, head(given, kernels)))
        finally:
            roster.close()


if __name__ == "__main__":
    main()

"""How many times as fast several threads are: forests of many and of few trees, and boosted ones.

``python -m benchmarks.threads --threads 1 2 4 8 16 --output docs/results/speed_threads.md``

Every round fits each case with each number of threads, one after the other; the best time of each
counts. `--peers` fits scikit-learn's forest beside the cases of single features. A plot is
written beside the page.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.boosting import N_ROUNDS, simulate
from benchmarks.cases import MNIST, PARITY, TRUNK
from benchmarks.data import DataFolder, default_source
from benchmarks.jobs import Jobs
from benchmarks.machine import describe_machine, n_cores
from benchmarks.report import seconds, table
from benchmarks.systems import Work

N_TREES = 128
ONCE_FROM = 12.0  # seconds of a fit that is measured once
LARGE_TRUNK = replace(TRUNK, n_samples=1_000_000)
# A fit with a number of threads; returns the wall clock.
Fit = Callable[[int], float]


@dataclass(frozen=True)
class ThreadCase:
    """One fit, and how many times as fast the most threads are to be."""

    name: str
    fit: Fit
    target: float | None = None


def forest_cases(folder: DataFolder, *, peers: bool) -> list[ThreadCase]:
    """Return the fits of bagged forests: many trees, then few large ones."""
    jobs = Jobs()
    many = [
        ("parity, sparse", PARITY, Work(N_TREES, 20, 3.0)),
        ("Trunk, single features", TRUNK, Work(N_TREES, 7)),
        ("Trunk, sparse", TRUNK, Work(N_TREES, 7, 3.0)),
        ("MNIST, single features", MNIST, Work(N_TREES, 28)),
        ("MNIST, patches", MNIST, Work(N_TREES, 28, max_size=3)),
    ]
    listed = [(f"{name}, {N_TREES} trees", spec, work, 13.0) for name, spec, work in many]
    listed.append(("Trunk of 1,000,000, sparse, 4 trees", LARGE_TRUNK, Work(4, 7, 3.0), 9.0))
    cases = []
    for name, spec, work, target in listed:
        for system in ("silvan", "scikit-learn RF"):
            if system != "silvan" and (not peers or "single" not in name):
                continue
            data = folder.path(spec, 0)

            def fit(n: int, *, system: str = system, data: str = data, work: Work = work) -> float:
                shared: dict[str, Any] = {**vars(work), "n_jobs": n}
                return float(jobs.fit(system, data, shared)["wall"])

            label = name if system == "silvan" else f"{name}, {system}"
            cases.append(ThreadCase(label, fit, target if system == "silvan" else None))
    return cases


def boosting_cases(n_samples: int) -> list[ThreadCase]:
    """Return the fits of boosted forests on a large table."""
    from silvan import BoostedForestClassifier
    from silvan.projections import AxisAligned

    X, y = simulate(n_samples, 50)

    def case(label: str, target: float | None, **options: Any) -> ThreadCase:
        def fit(n: int) -> float:
            forest = BoostedForestClassifier(
                N_ROUNDS, early_stopping=False, random_state=0, n_jobs=n, **options
            )
            start = time.perf_counter()
            forest.fit(X, y)
            return time.perf_counter() - start

        return ThreadCase(f"boosted {n_samples:,} x 50, {label}", fit, target)

    return [case("single features", 8.0, projections=AxisAligned()), case("default", 8.0)]


def measure(
    cases: Sequence[ThreadCase], threads: Sequence[int], repeats: int
) -> dict[str, dict[int, float]]:
    """Return the best time of each case with each number of threads."""
    best: dict[str, dict[int, float]] = {case.name: {} for case in cases}
    for case in cases:
        for _ in range(repeats):
            for n in threads:
                found = case.fit(n)
                best[case.name][n] = min(best[case.name].get(n, found), found)
            if best[case.name][threads[0]] > ONCE_FROM:
                break
        times = ", ".join(f"{n}: {best[case.name][n]:.2f} s" for n in threads)
        print(f"{case.name}: {times}", file=sys.stderr, flush=True)
    return best


def write_table(
    cases: Sequence[ThreadCase], best: dict[str, dict[int, float]], threads: Sequence[int]
) -> str:
    """Return seconds with the fewest threads, and times as fast with more."""
    first, most = threads[0], threads[-1]
    rows = []
    for case in cases:
        times = best[case.name]
        asked = f"{case.target:g}" if case.target is not None and most == 16 else ""
        ratios = [f"{times[first] / times[n]:.1f}" for n in threads[1:]]
        rows.append([case.name, seconds(times[first]), *ratios, asked])
    return table(["fit", f"s, {first} thread", *map(str, threads[1:]), "asked of 16"], rows)


def draw(best: dict[str, dict[int, float]], threads: Sequence[int], path: Path) -> None:
    """Plot times as fast against threads, with a line for as many times as threads."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    axes.loglog(threads, threads, color="0.7", linestyle="--", label="one for each")
    for i, (name, times) in enumerate(best.items()):
        ratios = [times[threads[0]] / times[n] for n in threads]
        marker = "s:" if "scikit-learn" in name else "o-"
        axes.loglog(threads, ratios, marker, color=f"C{i}", label=name, markersize=4)
    axes.set_xticks(threads, [str(n) for n in threads])
    axes.set_yticks(threads, [str(n) for n in threads])
    axes.minorticks_off()
    axes.set_xlabel("threads")
    axes.set_ylabel("times as fast as one")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper", fontsize=8)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.threads", description=__doc__)
    powers = [2**i for i in range(n_cores().bit_length())]
    parser.add_argument("--threads", type=int, nargs="+", default=powers)
    parser.add_argument("--repeats", type=int, default=2, help="rounds of measurements")
    parser.add_argument("--only", action="append", help="cases whose names contain this")
    parser.add_argument("--peers", action="store_true", help="scikit-learn's forest beside")
    parser.add_argument("--data", type=Path, default=default_source())
    parser.add_argument("--output", type=Path, help="Markdown file to write")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> None:
    """Measure, and write the page and its plot."""
    args = parse(arguments)
    with tempfile.TemporaryDirectory(prefix="silvan-threads-") as scratch:
        cases = [
            *forest_cases(DataFolder(Path(scratch), args.data), peers=args.peers),
            *boosting_cases(1_000_000),
        ]
        if args.only:
            cases = [case for case in cases if any(part in case.name for part in args.only)]
        best = measure(cases, args.threads, args.repeats)
    given = sys.argv[1:] if arguments is None else arguments
    lines = [
        "# Speed against threads",
        "\n".join(f"- {line}" for line in describe_machine()),
        f"`{shlex.join(['python', '-m', 'benchmarks.threads', *given])}`",
        "Seconds of a fit with one thread, then how many times as fast more threads are; the best "
        f"of {args.repeats} rounds (one where a fit takes more than {ONCE_FROM:g} s). Data as on "
        f"the page [Speed](speed.md); boosted forests have {N_ROUNDS} rounds.",
        write_table(cases, best, args.threads),
    ]
    if args.output:
        plot = args.output.with_name("threads.png")
        draw(best, args.threads, plot)
        lines.append(f"![Times as fast against threads]({plot.name})")
        args.output.write_text("\n\n".join(lines) + "\n")
    print("\n\n".join(lines))


if __name__ == "__main__":
    main()

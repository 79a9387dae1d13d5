"""The command line that all experiments share."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Arguments:
    """What one run of an experiment was asked for."""

    name: str
    quick: bool
    seeds: int
    jobs: int
    data: Path
    output: Path
    report: bool = False

    @property
    def command(self) -> str:
        """The command that repeats the run."""
        how = "--quick" if self.quick else f"--seeds {self.seeds}"
        return f"python -m experiments.{self.name} {how}"


def parse(name: str, about: str, seeds: int = 5, argv: list[str] | None = None) -> Arguments:
    """Read the command line of experiment `name`.

    A quick run keeps its results apart, so that it never mixes with a full one.
    """
    parser = argparse.ArgumentParser(prog=f"python -m experiments.{name}", description=about)
    parser.add_argument("--quick", action="store_true", help="small sizes, one seed: a minute")
    parser.add_argument(
        "--seeds", type=int, default=seeds, help="repetitions (default: %(default)s)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes, each with one thread")
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(os.environ.get("SILVAN_DATA", ROOT.parent / "shared" / "data")),
        help="folder of the data sets (default: $SILVAN_DATA)",
    )
    parser.add_argument("--output", type=Path, help="folder of page, figure and measurements")
    parser.add_argument("--report", action="store_true", help="measure nothing, write the page")
    given = parser.parse_args(argv)
    usual = ROOT / ("build/experiments-quick" if given.quick else "docs/results")
    output = given.output or usual
    (output / "measurements").mkdir(parents=True, exist_ok=True)
    seeds = 1 if given.quick else given.seeds
    return Arguments(name, given.quick, seeds, given.jobs, given.data, output, given.report)

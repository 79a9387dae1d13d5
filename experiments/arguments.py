"""The command line that all experiments share."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parent.parent
HOLDS = "holds mnist/, fashion_mnist/, cifar10/, ucr/, uci/ and tabular/"
REMEDY = "pass --data or set SILVAN_DATA"


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
    # The files that hold measurements, added as the run comes to them.
    measured: set[Path] = field(default_factory=set, compare=False)

    @property
    def command(self) -> str:
        """The command that repeats the run."""
        how = "--quick" if self.quick else f"--seeds {self.seeds}"
        return f"python -m experiments.{self.name} {how}"


def parse(name: str, about: str, seeds: int = 5, argv: list[str] | None = None) -> Arguments:
    """Read the command line of experiment `name`.

    A quick run keeps its results apart, so that it never mixes with a full one.
    """
    parser = make_parser(name, about, seeds)
    given = parser.parse_args(argv)
    if given.data and not given.data.is_dir():
        parser.error(f"argument --data: {given.data} is not a folder; name the one that {HOLDS}")
    usual = ROOT / ("build/experiments-quick" if given.quick else "docs/results")
    output = given.output or usual
    try:
        (output / "measurements").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(
            f"argument --output: must be a folder, but {error.filename} cannot be one "
            f"({error.strerror}); name another"
        )
    data = given.data or default_data()
    if argv is None:
        sys.excepthook = partial(report_error, data)
    seeds = 1 if given.quick else given.seeds
    return Arguments(name, given.quick, seeds, given.jobs, data, output, given.report)


def make_parser(name: str, about: str, seeds: int) -> argparse.ArgumentParser:
    """The options of experiment `name`, which has `seeds` repetitions unless told otherwise."""
    parser = argparse.ArgumentParser(prog=f"python -m experiments.{name}", description=about)
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, one seed: a minute or a few"
    )
    parser.add_argument(
        "--seeds", type=read_count, default=seeds, help="repetitions (default: %(default)s)"
    )
    parser.add_argument(
        "--jobs",
        type=read_count,
        default=1,
        help="processes, each with one thread (default: %(default)s)",
    )
    where = str(default_data()).replace("%", "%%")
    parser.add_argument(
        "--data",
        type=Path,
        help=f"folder that {HOLDS} (default: $SILVAN_DATA, or shared/data beside the repository "
        f"where that is not set; now {where})",
    )
    parser.add_argument(
        "--output",
        type=Path,
        help="folder of page, figure and measurements (default: docs/results, or "
        "build/experiments-quick with --quick)",
    )
    parser.add_argument("--report", action="store_true", help="measure nothing, write the page")
    return parser


def read_count(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, not {text!r}")
    return int(text)


def default_data() -> Path:
    """The folder of the data sets where the command line names none."""
    return Path(os.environ.get("SILVAN_DATA") or ROOT.parent / "shared" / "data")


def report_error(
    data: Path,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
) -> None:
    """Say in one sentence that a data set is missing; other errors show where they were raised."""
    sentence = describe_missing(error, data)
    if sentence is None:
        sys.__excepthook__(kind, error, trace)
    else:
        print(sentence, file=sys.stderr)


def describe_missing(error: BaseException, data: Path) -> str | None:
    """The sentence on a missing file of the folder `data`; None if the error is another one."""
    if not isinstance(error, FileNotFoundError):
        return None
    if error.filename is None:
        return str(error) if REMEDY in str(error) else None
    inside = Path(error.filename).is_relative_to(data)
    return f"{error.filename} is missing; {REMEDY}." if inside else None

"""The program `silvan` without its commands: what it says about itself."""

from __future__ import annotations

from typing import Annotated

import typer

from silvan._version import __version__
from silvan.app.console import Program, say
from silvan.app.errors import UsageError
from silvan.app.names import MAX_TREES

app = typer.Typer(
    cls=Program,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Decision forests that know the geometry of their features.

A first session:

[bold]silvan demo[/]
[bold]silvan fit flowers.csv --target species --out flowers.silvan[/]
[bold]silvan predict flowers.silvan new.csv --out answers.csv[/]
[bold]silvan report flowers.silvan flowers.csv[/]

Data are tables (.csv, .tsv, .parquet, .arrow, .xlsx), arrays (.npy, .npz), folders with a folder of
images for each class, or time series of the UCR and UEA archives (.ts, .tsv). A dash (-) stands for
standard input. Each command has its own --help, with examples.
""",
    epilog="Exit codes: 0 done, 2 wrong options, 3 data not readable, 4 model not readable, "
    "5 result not written, 130 or 143 stopped.",
)


def _show_version(asked: bool) -> None:
    if asked:
        say(f"silvan {__version__}")
        raise typer.Exit


def check_jobs(jobs: int) -> None:
    """Refuse a number of threads that there cannot be."""
    if jobs == 0:
        raise UsageError("--jobs must be at least 1, or -1 for all processors.")


def check_trees(trees: int | None) -> None:
    """Refuse more trees than are numbered."""
    if trees is not None and trees > MAX_TREES:
        raise UsageError(f"--trees must be at most {MAX_TREES:,}, but it is {trees:,}.")


@app.callback()
def _program(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    pass

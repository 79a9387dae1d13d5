"""What the program prints: results to standard output, all else to standard error."""

from __future__ import annotations

import inspect
import signal
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from typer.core import TyperCommand, TyperGroup

from silvan.app.errors import AppError, Terminated, UsageError, exit_code_of_stop
from silvan.app.streams import printing, telling

Item = TypeVar("Item")


def unfold(text: str) -> str:
    r"""Join the lines of paragraphs, which terminals fold to their own width; examples keep theirs.

    >>> unfold("Two\nlines.\n\n[bold]silvan demo[/]\n[bold]silvan info m[/]")
    'Two lines.\n\n[bold]silvan demo[/]\n[bold]silvan info m[/]'
    """
    paragraphs = text.strip().split("\n\n")
    return "\n\n".join(
        paragraph if "[bold]" in paragraph else " ".join(paragraph.split())
        for paragraph in paragraphs
    )


class _Readable:
    """Help without a type beside flags, which take no value, and with whole paragraphs."""

    def __init__(self, *arguments: Any, help: str | None = None, **more: Any) -> None:
        text = None if help is None else unfold(inspect.cleandoc(help))
        super().__init__(*arguments, help=text, **more)  # type: ignore[call-arg]

    def get_params(self, ctx: Any) -> Any:
        """The options and arguments, that of help among them."""
        parameters = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
        return parameters


class Command(_Readable, TyperCommand):
    """A command of the program, which refuses options that would silently replace each other."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read options and arguments."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for option, times in Counter(given).items():
            if times > 1 and option.param_type_name == "option" and _takes_one_value(option):
                remedy = "leave one of them out"
                if option.name == "against":
                    remedy = "separate names by commas"
                elif option.name == "forest" and any(o.name == "against" for o in self.params):
                    remedy = "pass the others with --against"
                raise UsageError(f"{option.opts[0]} is given {times} times; {remedy}.")
        return super().parse_args(ctx, args)


def _takes_one_value(option: Any) -> bool:
    return not (option.multiple or getattr(option, "is_flag", False))


class Program(_Readable, TyperGroup):
    """A group of commands that reports errors in one sentence and with their exit codes."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            with _raised_on_termination(), _noted_warnings():
                return super().invoke(ctx)
        except AppError as error:
            note(f"silvan: {error}")
            raise typer.Exit(error.exit_code) from None
        except MemoryError:
            note("silvan: not enough memory for these data; pass fewer rows or columns.")
            raise typer.Exit(1) from None
        except (Exception, KeyboardInterrupt, Terminated) as error:
            code = exit_code_of_stop(error)
            if code is None:
                raise
            note("silvan: stopped.")
            raise typer.Exit(code) from None


@contextmanager
def _raised_on_termination() -> Iterator[None]:
    """Turn SIGTERM into an exception, so that half-written files are removed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: Any) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _noted_warnings() -> Iterator[None]:
    """Print warnings as notes: the lines of code that they would name mean nothing to users."""

    def show(message: Warning | str, *place: Any, **more: Any) -> None:
        note(f"Note: {message}")

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def say(text: str) -> None:
    """Print a result."""
    with printing():
        typer.echo(text)


def note(text: str) -> None:
    """Print what is good to know; not part of the result."""
    with telling():
        typer.echo(text, err=True)


def steps(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """Hand items on while a bar on a terminal shows how many of them there were."""
    with _bar(what) as progress:
        task = progress.add_task(what, total=total)
        for item in items:
            progress.advance(task)
            yield item


@contextmanager
def shown_rows(total: int | None) -> Iterator[Callable[[int], None]]:
    """A function that shows on a terminal how many rows are done."""
    with _bar("rows") as progress:
        task = progress.add_task("rows", total=total)
        yield lambda done: progress.update(task, completed=done)


def _bar(what: str) -> Progress:
    return Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(what),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )

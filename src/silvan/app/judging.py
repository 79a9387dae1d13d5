"""The commands that say how good a forest is, and what is in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from silvan.app.console import Command, note, say, steps
from silvan.app.names import AUTO, SKLEARN, boosted_name, check_forests
from silvan.app.numbers import write_count
from silvan.app.options import (
    Against,
    Boost,
    Categorical,
    DataPath,
    Decimal,
    Drop,
    Encoding,
    Folds,
    Forest,
    Jobs,
    Kind,
    Missing,
    ModelPath,
    Seed,
    Settings,
    Shape,
    Target,
    Task,
    Test,
    Trees,
)
from silvan.app.outputs import check_output, is_standard
from silvan.app.parsing import (
    check_choices,
    check_data,
    check_model,
    parse_columns,
    parse_names,
    parse_settings,
    parse_shape,
    target_file,
)
from silvan.app.program import app, check_jobs, check_trees


@app.command(cls=Command)
def evaluate(
    data: DataPath,
    target: Target = None,
    test: Test = None,
    against: Against = f"{SKLEARN},rf",
    folds: Folds = 5,
    shape: Shape = None,
    drop: Drop = None,
    categorical: Categorical = None,
    missing: Missing = None,
    decimal: Decimal = ".",
    encoding: Encoding = None,
    kind: Kind = None,
    task: Task = None,
    forest: Forest = AUTO,
    boost: Boost = False,
    trees: Trees = None,
    settings: Settings = None,
    jobs: Jobs = -1,
    seed: Seed = 0,
) -> None:
    """Compare forests by cross-validation, or on a test file. Saves nothing.

    The forest of --forest, with all that --set says, is compared with those of --against, with
    their defaults.

    [bold]silvan evaluate flowers.csv --target species --against sklearn,rf,sporf,ccf[/]
    [bold]silvan evaluate GunPoint_TRAIN.ts --test GunPoint_TEST.ts --against sklearn,morf[/]
    """
    check_jobs(jobs)
    check_trees(trees)
    check_forests([forest])
    names = [boosted_name(forest, boost=boost), *parse_names(against)]
    check_forests(names)
    check_choices(kind, task)
    columns = parse_columns(drop), parse_shape(shape), kind, parse_columns(categorical)
    parameters = parse_settings(settings or [])
    check_data(data, test)
    from silvan.app.comparison import compare, format_table
    from silvan.app.data import Request, Spelling
    from silvan.app.evaluation import make_folds, make_systems, note_repeats
    from silvan.app.inputs import read_data
    from silvan.app.models import Growing

    asked = Request(target, *columns)
    spelling = Spelling(tuple(missing or ()), decimal, encoding)
    read, kind_of_target = read_data(data, asked, task, spelling)
    held_out = None
    if test is not None:
        held_out, _ = read_data(test, replace(asked, like=read.layout), kind_of_target, spelling)
        note_repeats(read, held_out, test)
    growing = Growing(trees, jobs, seed, parameters)
    systems = make_systems(names, read, kind_of_target, growing)
    X, y, parts = make_folds(read, held_out, kind_of_target, folds, seed)
    results = list(steps(compare(systems, X, y, parts), len(systems), "forests compared"))
    say(format_table(results))
    where = (
        f"{test}"
        if test is not None
        else f"{folds}-fold cross-validation, mean ± standard deviation"
    )
    note(f"{growing.describe_trees(names)}; {where}; median times with --jobs {jobs}.")


@app.command(cls=Command)
def score(
    model: ModelPath,
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="Labelled data to score the forest on.")
    ],
    target: Target = None,
    shape: Shape = None,
    drop: Drop = None,
    missing: Missing = None,
    decimal: Decimal = ".",
    encoding: Encoding = None,
    kind: Kind = None,
    jobs: Jobs = -1,
) -> None:
    """Score a saved forest on labelled data, beside a baseline. Fits nothing.

    Pass data that the forest was not fitted on. The model remembers which column of a table is the
    target.

    [bold]silvan score flowers.silvan more.csv[/]
    """
    check_jobs(jobs)
    check_choices(kind, None)
    columns = parse_columns(drop), parse_shape(shape), kind
    check_model(model)
    check_data(data)
    from silvan.app.data import Request, Spelling
    from silvan.app.evaluation import task_of
    from silvan.app.inputs import read_data
    from silvan.app.models import layout_of, load_model
    from silvan.app.scoring import format_scores, score_forest

    forest = load_model(model).set_params(n_jobs=jobs)
    asked = Request(target, *columns, like=layout_of(forest))
    spelling = Spelling(tuple(missing or ()), decimal, encoding)
    read, _ = read_data(data, asked, task_of(forest), spelling)
    scores, baseline = score_forest(forest, read)
    say(format_scores(scores))
    note(f"{write_count(len(read.y), 'row')}. The baseline is {baseline}.")


@app.command(cls=Command)
def report(
    model: ModelPath,
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="The data that the model was fitted on.")
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The page.")] = Path("report.html"),
    target: Target = None,
    test: Test = None,
    against: Against = f"{SKLEARN},rf",
    folds: Folds = 5,
    shape: Shape = None,
    drop: Drop = None,
    missing: Missing = None,
    decimal: Decimal = ".",
    encoding: Encoding = None,
    kind: Kind = None,
    jobs: Jobs = -1,
    seed: Seed = 0,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Title of the page.")] = None,
) -> None:
    """Write a page about a forest: scores, mistakes, what it looks at, how to load it.

    The page is one HTML file that needs no network; --out - prints it. The model
    remembers the target, the features and the categories of a table, so that --drop is not needed
    and there is no --categorical. For rows on a grid pass --shape, --drop and --kind as you did to
    fit.

    [bold]silvan report flowers.silvan flowers.csv --test more.csv[/]
    """
    check_jobs(jobs)
    names = parse_names(against)
    check_forests(names)
    check_choices(kind, None)
    columns = parse_columns(drop), parse_shape(shape), kind
    check_model(model)
    check_data(data, test)
    if not is_standard(out):
        check_output(out, [model, data, test, target_file(target)])
    from silvan.app.comparison import compare
    from silvan.app.data import Request, Spelling
    from silvan.app.evaluation import (
        check_fitted_on,
        make_folds,
        make_systems,
        note_repeats,
        task_of,
        too_few_rows,
    )
    from silvan.app.inputs import read_data
    from silvan.app.models import Growing, layout_of, load_model
    from silvan.app.report import Subject, render_report, write_report

    spelling = Spelling(tuple(missing or ()), decimal, encoding)
    forest = load_model(model).set_params(n_jobs=jobs)
    kind_of_target = task_of(forest)
    asked = Request(target, *columns, like=layout_of(forest))
    read, _ = read_data(data, asked, kind_of_target, spelling)
    check_fitted_on(forest, read)
    held_out = None
    if test is not None:
        held_out, _ = read_data(test, asked, kind_of_target, spelling)
        note_repeats(read, held_out, test)
    results = []
    few = too_few_rows(read.y, kind_of_target, folds) if held_out is None else None
    if names and few is not None:
        note(f"Note: the page has no comparison with other forests, since {few}.")
    elif names:
        growing = Growing(forest.n_estimators, jobs, seed)
        systems = make_systems(names, read, kind_of_target, growing, this=forest)
        X, y, parts = make_folds(read, held_out, kind_of_target, folds, seed)
        results = list(steps(compare(systems, X, y, parts), len(systems), "forests compared"))
    subject = Subject(
        forest, read, held_out, results, str(model), title or f"Report on {model.name}"
    )
    if is_standard(out):
        say(render_report(subject))
        return
    write_report(out, subject)
    say(f"The page is {out.resolve().as_uri()}")


@app.command(cls=Command)
def info(model: ModelPath) -> None:
    """Show what is in a model file."""
    check_model(model, alone=True)
    from silvan.app.describing import describe_model
    from silvan.app.models import load_model

    for name, value in describe_model(load_model(model), model):
        say(f"{name:<16}{value}")

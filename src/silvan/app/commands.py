"""The commands of `silvan`: read data, call the library, print."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from silvan._version import __version__
from silvan.app.console import Program, note, say, shown_rows, steps
from silvan.app.errors import UsageError
from silvan.app.names import AUTO, BOOST, SKLEARN
from silvan.app.options import (
    Against,
    Boost,
    Categorical,
    DataPath,
    Decimal,
    Drop,
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
    WorkerMemory,
    Workers,
)
from silvan.app.outputs import check_output, reported

app = typer.Typer(
    cls=Program,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Decision forests that know the geometry of their features.

A first session:

[bold]silvan demo[/]  shows what it can do, on handwritten digits

[bold]silvan fit flowers.csv --target species --out flowers.silvan[/]  learns from a table

[bold]silvan predict flowers.silvan new.csv --out answers.csv[/]  predicts another

[bold]silvan report flowers.silvan flowers.csv --target species[/]  writes a page about it

Data are tables (.csv, .tsv, .parquet, .arrow), arrays (.npy, .npz), folders with a folder of images
for each class, or time series of the UCR and UEA archives (.ts, .tsv). Each command has its own
--help.
""",
    epilog="Exit codes: 0 done, 2 wrong options, 3 data not readable, 4 model not readable, "
    "5 result not written, 130 or 143 stopped.",
)


def _show_version(asked: bool) -> None:
    if asked:
        say(f"silvan {__version__}")
        raise typer.Exit


def _check_jobs(jobs: int) -> None:
    if jobs == 0:
        raise UsageError("--jobs must be at least 1, or -1 for all processors.")


@app.callback()
def _program(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Say the version."),
    ] = False,
) -> None:
    pass


@app.command()
def demo(
    output: Annotated[Path, typer.Option(help="Folder for page, figure and model.")] = Path(
        "demo-output"
    ),
    jobs: Jobs = 1,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer trees and fits.")] = False,
) -> None:
    """Compare forests on handwritten digits and write a report page about the best of them.

    Needs no data: the 1,797 digits come with scikit-learn. Takes about half a minute.
    """
    _check_jobs(jobs)
    from silvan.app.demo import run_demo

    run_demo(output, jobs, quick=quick)


@app.command()
def fit(
    data: DataPath,
    out: Annotated[Path, typer.Option(metavar="FILE", help="File for the model.")],
    target: Target = None,
    shape: Shape = None,
    drop: Drop = None,
    categorical: Categorical = None,
    missing: Missing = None,
    decimal: Decimal = ".",
    kind: Kind = None,
    task: Task = None,
    forest: Forest = AUTO,
    boost: Boost = False,
    trees: Trees = 100,
    settings: Settings = None,
    no_out_of_bag: Annotated[
        bool, typer.Option("--no-out-of-bag", help="Save the time of the out-of-bag estimate.")
    ] = False,
    jobs: Jobs = -1,
    seed: Seed = 0,
    workers: Workers = None,
    worker_memory: WorkerMemory = "auto",
) -> None:
    """Learn a forest from data and save it.

    [bold]silvan fit flowers.csv --target species --out flowers.silvan[/]

    [bold]silvan fit flats.csv --target rent --categorical postcode --out flats.silvan[/]

    [bold]silvan fit digits.csv --target digit --shape 8x8 --out digits.silvan[/]  pixels in columns

    [bold]silvan fit photos/ --shape 32x32 --out photos.silvan[/]  photos/cat/1.jpg and so on

    [bold]silvan fit GunPoint_TRAIN.ts --trees 500 --out gun.silvan[/]

    [bold]silvan fit flats.csv --target rent --boost --trees 500 --out flats.silvan[/]

    [bold]silvan fit big.parquet --target y --workers 2 --set max_samples=100000 --out big.silvan[/]
    """
    _check_jobs(jobs)
    if forest == SKLEARN:
        raise UsageError(f"{SKLEARN} is for comparison only; fit the same forest as rf.")
    if boost and forest not in (AUTO, BOOST):
        raise UsageError(f"--boost grows a forest of its own; leave out --forest {forest}.")
    from silvan.app.data import Request, Spelling, open_source
    from silvan.app.growing import grow, say_growth, say_score
    from silvan.app.inputs import parse_columns, parse_shape, read_data, target_file
    from silvan.app.models import Growing, make_forest, parse_settings

    check_output(out, [data, target_file(target)])
    asked = Request(
        target, parse_columns(drop), parse_shape(shape), kind, parse_columns(categorical)
    )
    spelling = Spelling(tuple(missing or ()), decimal)
    growing = Growing(trees, jobs, seed, parse_settings(settings or []))
    kind_of_forest = BOOST if boost else forest
    if workers is None:
        read, kind_of_target = read_data(data, asked, task, spelling)
        n_rows = len(read.y)
        estimator = make_forest(kind_of_forest, read, kind_of_target, growing)
        seconds = grow(estimator, read, out_of_bag=not no_out_of_bag)
    else:
        from silvan.app.workers import Work, fit_with_workers

        work = Work(workers, worker_memory, kind_of_forest, not no_out_of_bag)
        fitted = fit_with_workers(open_source(data, spelling), asked, task, growing, work)
        estimator, kind_of_target, n_rows, seconds = fitted
    with reported(out):
        estimator.save(out)
    say_growth(estimator, seconds)
    say_score(estimator, kind_of_target)
    if not no_out_of_bag and n_rows == 1:
        note("Note: one row is too few to estimate how good predictions are; pass more rows.")
    say(f"Saved to {out} ({out.stat().st_size / 1e6:.1f} MB).")
    note(f"Next: silvan info {out}, silvan predict {out} NEW, silvan report {out} {data} ...")


@app.command()
def predict(
    model: ModelPath,
    data: Annotated[Path, typer.Argument(metavar="DATA", help="File or folder to predict.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="File for the predictions: .csv, .parquet or .arrow. Else they are printed."
        ),
    ] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", "-p", help="Add a column for each class.")
    ] = False,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Column to copy beside them; repeat it for more."),
    ] = None,
    missing: Missing = None,
    decimal: Decimal = ".",
    jobs: Jobs = -1,
) -> None:
    """Predict with a saved forest, batch by batch: data may be larger than memory.

    A table needs the columns that the forest was fitted on, by name and in any order; others are
    not looked at.

    [bold]silvan predict flowers.silvan new.csv --keep id --probabilities --out answers.parquet[/]
    """
    _check_jobs(jobs)
    from silvan.app.data import Spelling, open_source
    from silvan.app.models import load_model
    from silvan.app.prediction import check_columns, open_writer, predict_source

    if out is not None:
        check_output(out, [model, data])
    forest = load_model(model).set_params(n_jobs=jobs)
    kept = tuple(dict.fromkeys(keep or ()))
    check_columns(forest, out, kept, probabilities)
    source = open_source(data, Spelling(tuple(missing or ()), decimal))
    n_rows = 0
    with open_writer(out) as write, shown_rows(source.count()) as progress:
        for table in predict_source(forest, source, kept, probabilities):
            write(table)
            n_rows += table.num_rows
            progress(n_rows)
    note(f"Predicted {n_rows:,} rows" + ("." if out is None else f" into {out}."))


@app.command()
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
    kind: Kind = None,
    task: Task = None,
    forest: Forest = AUTO,
    trees: Trees = 100,
    settings: Settings = None,
    jobs: Jobs = -1,
    seed: Seed = 0,
) -> None:
    """Compare forests by cross-validation, or on a test file. Saves nothing.

    [bold]silvan evaluate flowers.csv --target species --against sklearn,rf,sporf,ccf[/]

    [bold]silvan evaluate GunPoint_TRAIN.ts --test GunPoint_TEST.ts --against sklearn,morf[/]

    --set applies to --forest only.
    """
    _check_jobs(jobs)
    from silvan.app.comparison import compare, format_table
    from silvan.app.data import Request, Spelling
    from silvan.app.evaluation import make_folds, make_systems
    from silvan.app.inputs import parse_columns, parse_names, parse_shape, read_data
    from silvan.app.models import Growing, parse_settings

    asked = Request(
        target, parse_columns(drop), parse_shape(shape), kind, parse_columns(categorical)
    )
    spelling = Spelling(tuple(missing or ()), decimal)
    read, kind_of_target = read_data(data, asked, task, spelling)
    held_out = None
    if test is not None:
        held_out, _ = read_data(test, replace(asked, like=read.layout), kind_of_target, spelling)
    growing = Growing(trees, jobs, seed, parse_settings(settings or []))
    systems = make_systems([forest, *parse_names(against)], read, kind_of_target, growing)
    X, y, parts = make_folds(read, held_out, kind_of_target, folds, seed)
    results = list(steps(compare(systems, X, y, parts), len(systems), "forests compared"))
    say(format_table(results))
    where = (
        f"{test}"
        if test is not None
        else f"{folds}-fold cross-validation, mean ± standard deviation"
    )
    note(f"{trees} trees each; {where}; median seconds with --jobs {jobs}.")


@app.command()
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
    kind: Kind = None,
    jobs: Jobs = -1,
) -> None:
    """Score a saved forest on labelled data, beside what needs no forest. Fits nothing.

    [bold]silvan score flowers.silvan more.csv --target species[/]
    """
    _check_jobs(jobs)
    from silvan.app.data import Request, Spelling
    from silvan.app.evaluation import task_of
    from silvan.app.inputs import parse_columns, parse_shape, read_data
    from silvan.app.models import layout_of, load_model
    from silvan.app.scoring import format_scores, score_forest

    forest = load_model(model).set_params(n_jobs=jobs)
    asked = Request(target, parse_columns(drop), parse_shape(shape), kind, like=layout_of(forest))
    spelling = Spelling(tuple(missing or ()), decimal)
    read, _ = read_data(data, asked, task_of(forest), spelling)
    scores, baseline = score_forest(forest, read)
    say(format_scores(scores))
    note(f"{len(read.y):,} rows; ranges are 95 % confidence intervals. {baseline}")


@app.command()
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
    kind: Kind = None,
    jobs: Jobs = -1,
    seed: Seed = 0,
    title: Annotated[str | None, typer.Option(help="Title of the page.")] = None,
) -> None:
    """Write a page about a forest: scores, mistakes, what it looks at, how to load it.

    The page is one HTML file that needs no network. Pass the options --target, --shape, --drop and
    --kind that the model was fitted with; what is categorical the model knows.

    [bold]silvan report flowers.silvan flowers.csv --target species --test more.csv[/]
    """
    _check_jobs(jobs)
    from silvan.app.comparison import compare
    from silvan.app.data import Request, Spelling
    from silvan.app.evaluation import make_folds, make_systems, task_of, too_few_rows
    from silvan.app.inputs import parse_columns, parse_names, parse_shape, read_data, target_file
    from silvan.app.models import Growing, layout_of, load_model
    from silvan.app.report import Subject, write_report

    check_output(out, [model, data, test, target_file(target)])
    spelling = Spelling(tuple(missing or ()), decimal)
    forest = load_model(model).set_params(n_jobs=jobs)
    kind_of_target = task_of(forest)
    asked = Request(target, parse_columns(drop), parse_shape(shape), kind, like=layout_of(forest))
    read, _ = read_data(data, asked, kind_of_target, spelling)
    held_out = None
    if test is not None:
        held_out, _ = read_data(test, asked, kind_of_target, spelling)
    results = []
    names = parse_names(against)
    few = too_few_rows(read.y, kind_of_target, folds) if held_out is None else None
    if names and few is not None:
        note(f"Note: the page has no comparison with other forests, since {few}.")
    elif names:
        growing = Growing(forest.n_estimators, jobs, seed)
        systems = make_systems(names, read, kind_of_target, growing, this=forest)
        X, y, parts = make_folds(read, held_out, kind_of_target, folds, seed)
        results = list(steps(compare(systems, X, y, parts), len(systems), "forests compared"))
    write_report(
        out,
        Subject(forest, read, held_out, results, str(model), title or f"Report on {model.name}"),
    )
    say(f"The page is {out.resolve().as_uri()}")


@app.command()
def info(model: ModelPath) -> None:
    """Say what is in a model file."""
    from silvan.app.describing import describe_model
    from silvan.app.models import load_model

    for name, value in describe_model(load_model(model), model):
        say(f"{name:<16}{value}")

"""The commands that make forests and use them: demo, fit, predict."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from silvan.app.console import Command, note, say, shown_rows
from silvan.app.errors import UsageError
from silvan.app.names import AUTO, SKLEARN, boosted_name, check_forests
from silvan.app.numbers import write_count
from silvan.app.options import (
    Boost,
    Categorical,
    DataPath,
    Decimal,
    Drop,
    Encoding,
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
    Trees,
    WorkerMemory,
    Workers,
)
from silvan.app.outputs import check_output, is_standard, reported
from silvan.app.parsing import (
    check_choices,
    check_data,
    check_model,
    parse_columns,
    parse_settings,
    parse_shape,
    target_file,
)
from silvan.app.program import app, check_jobs, check_trees


@app.command(cls=Command)
def demo(
    output: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Folder for page, figure and model.")
    ] = Path("demo-output"),
    jobs: Jobs = 1,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer trees and repetitions.")] = False,
) -> None:
    """Compare forests on digits and recordings, and write a report page about one of them.

    Needs no data: the 1,797 handwritten digits come with scikit-learn, and the recordings are
    simulated. Takes about half a minute.
    """
    check_jobs(jobs)
    from silvan.app.demo import run_demo

    run_demo(output, jobs, quick=quick)


@app.command(cls=Command)
def fit(
    data: DataPath,
    out: Annotated[Path, typer.Option(metavar="FILE", help="File for the model.")],
    target: Target = None,
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
    no_out_of_bag: Annotated[
        bool,
        typer.Option("--no-out-of-bag", help="Skip the out-of-bag estimate, which takes time."),
    ] = False,
    jobs: Jobs = -1,
    seed: Seed = 0,
    workers: Workers = None,
    worker_memory: WorkerMemory = "auto",
) -> None:
    """Learn a forest from data and save it.

    Tables:

    [bold]silvan fit flowers.csv --target species --out flowers.silvan[/]
    [bold]silvan fit flats.csv --target rent --categorical postcode --out flats.silvan[/]
    [bold]silvan fit flats.csv --target rent --boost --trees 500 --out flats.silvan[/]

    Images, as pixels in the columns of a table or as files such as photos/cat/1.jpg, and series:

    [bold]silvan fit digits.csv --target digit --shape 8x8 --out digits.silvan[/]
    [bold]silvan fit photos/ --shape 32x32 --out photos.silvan[/]
    [bold]silvan fit GunPoint_TRAIN.ts --trees 500 --out gun.silvan[/]

    A table larger than memory:

    [bold]silvan fit big.parquet --target y --workers 2 --set max_samples=100000 --out big.silvan[/]
    """
    check_jobs(jobs)
    check_trees(trees)
    check_forests([forest])
    if forest == SKLEARN:
        raise UsageError(f"{SKLEARN} is for comparison only; fit the same forest as rf.")
    kind_of_forest = boosted_name(forest, boost=boost)
    check_choices(kind, task)
    if is_standard(out):
        raise UsageError("--out - is standard output, which takes no model; name a file.")
    columns = parse_columns(drop), parse_shape(shape), kind, parse_columns(categorical)
    parameters = parse_settings(settings or [])
    check_data(data)
    check_output(out, [data, target_file(target)])
    from silvan.app.data import Request, Spelling, open_source
    from silvan.app.growing import grow, say_growth, say_score
    from silvan.app.inputs import read_data
    from silvan.app.models import Growing, make_forest

    asked = Request(target, *columns)
    spelling = Spelling(tuple(missing or ()), decimal, encoding)
    growing = Growing(trees, jobs, seed, parameters)
    if workers is None:
        read, kind_of_target = read_data(data, asked, task, spelling)
        n_rows = len(read.y)
        name_of_target: str | None = read.target
        estimator = make_forest(kind_of_forest, read, kind_of_target, growing)
        seconds = grow(estimator, read, out_of_bag=not no_out_of_bag)
    else:
        from silvan.app.workers import Work, fit_with_workers

        work = Work(workers, worker_memory, kind_of_forest, not no_out_of_bag)
        fitted = fit_with_workers(open_source(data, spelling), asked, task, growing, work)
        estimator, kind_of_target, n_rows, seconds = fitted
        name_of_target = target
    estimator.target_name_ = name_of_target
    with reported(out):
        estimator.save(out)
    say_growth(estimator, seconds)
    say_score(estimator, kind_of_target)
    if not no_out_of_bag and n_rows == 1:
        note("Note: one row is too few to estimate how good predictions are; pass more rows.")
    say(f"Saved to {out} ({out.stat().st_size / 1e6:.1f} MB).")
    note(f"Next: silvan info {out}, silvan predict {out} NEW, silvan report {out} {data} ...")


@app.command(cls=Command)
def predict(
    model: ModelPath,
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="File or folder to predict; - is standard input.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File for the predictions: .csv, .parquet or .arrow. Without it, or with -, they "
            "are printed.",
        ),
    ] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", "-p", help="Add a column for each class.")
    ] = False,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Columns to copy beside the predictions, separated by commas; or repeat the "
            "option.",
        ),
    ] = None,
    missing: Missing = None,
    decimal: Decimal = ".",
    encoding: Encoding = None,
    jobs: Jobs = -1,
) -> None:
    """Predict with a saved forest, batch by batch: data may be larger than memory.

    A table needs the columns that the forest was fitted on, in any order; others are ignored.

    [bold]silvan predict flowers.silvan new.csv --keep id --probabilities --out answers.parquet[/]
    """
    check_jobs(jobs)
    if out is not None and is_standard(out):
        out = None
    check_model(model)
    check_data(data)
    if out is not None:
        check_output(out, [model, data])
    from silvan.app.data import Spelling, open_source
    from silvan.app.models import load_model
    from silvan.app.prediction import check_columns, open_writer, predict_source

    forest = load_model(model).set_params(n_jobs=jobs)
    kept = parse_columns(keep)
    check_columns(forest, out, kept, probabilities)
    source = open_source(data, Spelling(tuple(missing or ()), decimal, encoding))
    n_rows = 0
    with open_writer(out) as write, shown_rows(source.count()) as progress:
        for table in predict_source(forest, source, kept, probabilities):
            write(table)
            n_rows += table.num_rows
            progress(n_rows)
    note(f"Predicted {write_count(n_rows, 'row')}" + ("." if out is None else f" into {out}."))

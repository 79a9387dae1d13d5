"""The options that several commands of `silvan` share, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from silvan.app.names import AUTO, BOOST, PRESETS, SKLEARN

DataPath = Annotated[
    Path,
    typer.Argument(metavar="DATA", help="File or folder to learn from; - is standard input."),
]
ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="File that silvan fit wrote.")]
Target = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="What to predict: a column of a table, an array of an .npz file (y if left out), or a "
        ".npy file of targets. Image folders and series files contain it.",
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Columns that are not features, such as serial numbers, separated by commas; or "
        "repeat the option.",
    ),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Columns of a table whose numbers name categories, such as postal codes, separated by "
        "commas; or repeat the option. Columns of text always hold categories.",
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        metavar="WORD",
        help="Word that stands for a missing value in a text table, such as -999 or unknown; "
        "repeat the option for more. Empty fields, NA, NaN, null, None and ? are always missing.",
    ),
]
Decimal = Annotated[
    str, typer.Option(metavar="SIGN", help="Decimal sign of a text table: . or a comma.")
]
Encoding = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Encoding of a text table, such as latin-1 or shift_jis. Without it, UTF-8, "
        "UTF-16 and Windows-1252 are detected.",
    ),
]
Shape = Annotated[
    str | None,
    typer.Option(
        metavar="HxW",
        help="Grid that flat rows lie on: 28x28 pixels, 96 time steps, 3x100 channels by steps. "
        "For a folder of images: the size to resize them to.",
    ),
]
Kind = Annotated[
    str | None,
    typer.Option(
        metavar="KIND", help="What a row is, if the guess is wrong: table, image or series."
    ),
]
Task = Annotated[
    str | None,
    typer.Option(
        metavar="TASK",
        help="classification or regression, if the guess is wrong. Text and whole numbers with at "
        "most 20 values are treated as classes.",
    ),
]
Forest = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help=f"{AUTO}: windows for images and series, sparse oblique splits for tables; {BOOST}: "
        f"the same, boosted. Or a system of the literature: {', '.join(PRESETS)}.",
    ),
]
Boost = Annotated[
    bool,
    typer.Option(
        "--boost",
        help=f"Boost: each tree corrects those before it; the same as --forest {BOOST}.",
    ),
]
Trees = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Number of trees, or of rounds of boosting. \\[default: 100; 300 rounds on images and "
        "series]",
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        metavar="N", help="Number of threads; -1 uses all processors. Results stay the same."
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Processes that share the work, for Parquet files larger than memory; needs Dask. "
        "Results stay the same.",
    ),
]
WorkerMemory = Annotated[
    str, typer.Option(metavar="SIZE", help="Memory of each worker process, such as 1.5GB.")
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the random numbers.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any parameter of the forest, for example max_depth=10 or honest=true; repeat the "
        "option for more.",
    ),
]
Against = Annotated[
    str,
    typer.Option(
        metavar="NAMES",
        help=f"Forests to compare with, separated by commas: {SKLEARN} (scikit-learn's random "
        "forest) and the names of --forest; or none.",
    ),
]
Folds = Annotated[
    int, typer.Option(min=2, metavar="N", help="Number of folds of the cross-validation.")
]
Test = Annotated[
    Path | None,
    typer.Option(metavar="DATA", help="Data to score on, which the forest is not fitted on."),
]

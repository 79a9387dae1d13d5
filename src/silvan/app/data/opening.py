"""Which reader a path needs."""

from __future__ import annotations

from pathlib import Path

from silvan.app.data.arrays import ArrayFile
from silvan.app.data.dataset import Source
from silvan.app.data.dialect import PLAIN, Spelling
from silvan.app.data.images import ImageFolder
from silvan.app.data.scanning import not_for
from silvan.app.data.series import SeriesFile, is_labelled_tsv
from silvan.app.data.standard_input import copy_standard_input
from silvan.app.data.tables import TableFile
from silvan.app.errors import DataError
from silvan.app.formats import table_format
from silvan.app.parsing import check_data

_FORMATS = (
    "tables (.csv, .tsv, .parquet, .arrow, .feather, .xlsx), arrays (.npy, .npz), time "
    "series (.ts, .tsv) and folders of images"
)


def open_source(path: Path, spelling: Spelling = PLAIN) -> Source:
    """The reader of a file or folder, chosen by its name and first line."""
    if str(path) == "-":
        path = copy_standard_input()
    check_data(path)
    is_series = path.suffix.lower() == ".tsv" and path.is_file() and is_labelled_tsv(path)
    if table_format(path) is not None and path.is_file() and not is_series:
        return TableFile(path, spelling)
    if spelling != PLAIN:
        raise not_for(path)
    if path.is_dir():
        return ImageFolder(path)
    suffix = path.suffix.lower()
    if suffix in (".npy", ".npz"):
        return ArrayFile(path)
    if suffix == ".ts" or is_series:
        return SeriesFile(path)
    raise DataError(f"{path} has an unknown format; silvan reads {_FORMATS}.")

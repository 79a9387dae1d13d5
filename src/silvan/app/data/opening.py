"""Which reader a path needs."""

from __future__ import annotations

from pathlib import Path

from silvan.app.data.arrays import ArrayFile
from silvan.app.data.dataset import Source
from silvan.app.data.images import ImageFolder
from silvan.app.data.series import SeriesFile, is_labelled_tsv
from silvan.app.data.tables import TableFile, table_format
from silvan.app.errors import DataError

_FORMATS = (
    "tables (.csv, .tsv, .parquet, .arrow, .feather), arrays (.npy, .npz), time series (.ts, .tsv) "
    "and folders of images"
)


def open_source(path: Path) -> Source:
    """The reader of a file or folder, chosen by its name and first line."""
    if not path.exists():
        raise DataError(f"{path} does not exist; check the path.")
    if path.is_dir():
        return ImageFolder(path)
    suffix = path.suffix.lower()
    if suffix in (".npy", ".npz"):
        return ArrayFile(path)
    if suffix == ".ts" or (suffix == ".tsv" and is_labelled_tsv(path)):
        return SeriesFile(path)
    if table_format(path) is not None:
        return TableFile(path)
    raise DataError(f"{path} has an unknown format; silvan reads {_FORMATS}.")

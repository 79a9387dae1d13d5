"""Which files hold data, by their names."""

from __future__ import annotations

from pathlib import Path

_FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".feather": "ipc",
    ".ipc": "ipc",
    ".xlsx": "excel",
    ".xlsm": "excel",
}
# What a name may end in after .csv or .tsv; PyArrow reads through them.
_COMPRESSIONS = (".gz", ".bz2", ".zst", ".lz4")


def table_format(path: Path) -> str | None:
    """The format of a table by its name; a compressed CSV counts as CSV."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSIONS:
        suffixes = [suffix for suffix in suffixes[-2:-1] if _FORMATS.get(suffix) == "csv"]
    return _FORMATS.get(suffixes[-1]) if suffixes else None


def is_data(path: Path) -> bool:
    """Whether a file has the name of one that is read as data."""
    return table_format(path) is not None or path.suffix.lower() in (".npy", ".npz", ".ts")

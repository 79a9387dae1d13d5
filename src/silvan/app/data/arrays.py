"""Arrays of NumPy: .npy and .npz files, read block by block."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from silvan.app.data.dataset import Batch, Dataset, Layout, Request, Source, arrange
from silvan.app.errors import DataError, UsageError

_ROW_NAMES = ("X", "x", "data", "images", "rows")
# How NumPy begins its refusal of arrays that only pickle could read.
_OBJECTS = "Object arrays cannot be loaded"
_TARGET_NAMES = ("y", "target", "targets", "labels")


class ArrayFile(Source):
    """Rows along the first axis of an array."""

    def read(self, request: Request) -> Dataset:
        """All rows; targets are another array of the file, or another file."""
        if request.drop:
            raise UsageError("--drop names columns of tables, but an array has none.")
        if self.path.suffix == ".npz":
            members = self._members()
            rows = self._rows_name(members, request.target)
            X = self._load_member(rows)
            y, target = self._npz_targets(members, request.target)
        else:
            X, (y, target) = self._load(self.path), self._npy_targets(request.target)
        if X.ndim < 2:
            raise DataError(
                f"{self.path} has shape {X.shape}; rows need at least one axis of values, as in "
                "(n_rows, n_features) or (n_rows, height, width)."
            )
        if y.ndim != 1 or len(y) != len(X):
            raise DataError(
                f"there must be one target for each of the {len(X):,} rows of {self.path}, but "
                f"{target} has shape {y.shape}; pass the targets of these rows."
            )
        notes = [f"rows are the array {rows!r}"] if self.path.suffix == ".npz" else []
        return arrange(_numbers(X, self.path), y, request, target, notes)

    def batches(self, layout: Layout, n_rows: int) -> Iterator[Batch]:
        """Blocks of rows; the file is never in memory as a whole."""
        if layout.keep:
            raise UsageError("--keep names columns of tables, but an array has none.")
        with self._open_rows() as stream:
            shape, fortran, dtype = self._header(stream)
            if int(np.prod(shape[1:])) != layout.n_features:
                raise DataError(
                    f"rows of {self.path} have shape {shape[1:]} but the forest was fitted on rows "
                    f"of {layout.shape or layout.n_features}; pass rows of the same shape."
                )
            if fortran:
                raise DataError(
                    f"{self.path} is in column-major order and cannot be read row by row; save it "
                    "with numpy.ascontiguousarray."
                )
            size = int(np.prod(shape[1:])) * dtype.itemsize
            for start in range(0, shape[0], n_rows):
                n = min(n_rows, shape[0] - start)
                content = stream.read(n * size)
                if len(content) != n * size:
                    raise DataError(f"{self.path} is cut off; write it again.")
                block = np.frombuffer(content, dtype=dtype).reshape(n, -1)
                yield Batch(_numbers(block, self.path))

    def count(self) -> int | None:
        """What the header says."""
        with self._open_rows() as stream:
            return int(self._header(stream)[0][0])

    def _open_rows(self) -> IO[bytes]:
        if self.path.suffix == ".npy":
            return self.path.open("rb")
        name = self._rows_name(self._members(), None)
        return zipfile.ZipFile(self.path).open(f"{name}.npy")

    def _header(self, stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
        try:
            version = npy.read_magic(stream)
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            shape, fortran, dtype = read(stream)
        except ValueError as error:
            raise DataError(f"{self.path} is not an array of NumPy: {error}.") from None
        if dtype.hasobject:
            raise _holds_objects(str(self.path))
        if len(shape) < 2:
            raise DataError(f"{self.path} has shape {shape}; pass rows.")
        return shape, fortran, dtype

    def _members(self) -> list[str]:
        try:
            with zipfile.ZipFile(self.path) as archive:
                names = archive.namelist()
                return [name.removesuffix(".npy") for name in names if name.endswith(".npy")]
        except (zipfile.BadZipFile, OSError) as error:
            raise DataError(f"{self.path} is not an .npz file: {error}.") from None

    def _rows_name(self, members: list[str], target: str | None) -> str:
        named = [name for name in _ROW_NAMES if name in members]
        others = [name for name in members if name not in (target, *_TARGET_NAMES)]
        if not named and len(others) != 1:
            raise DataError(
                f"{self.path} has the arrays {', '.join(members) or '(none)'}; call the one with "
                "the rows X and the one with the targets y."
            )
        return named[0] if named else others[0]

    def _npz_targets(self, members: list[str], target: str | None) -> tuple[NDArray[Any], str]:
        if target is None:
            target = next((name for name in _TARGET_NAMES if name in members), None)
        if target is None or target not in members:
            raise UsageError(
                f"--target must name an array of {self.path}: {', '.join(members)}"
                + (f", but it is {target!r}." if target else ".")
            )
        return self._load_member(target), target

    def _npy_targets(self, target: str | None) -> tuple[NDArray[Any], str]:
        if target is None or not Path(target).is_file():
            raise UsageError(
                f"--target must name the .npy file with the targets of {self.path}"
                + (f", but there is no file {target!r}." if target else ".")
            )
        return self._load(Path(target)), Path(target).stem

    def _load(self, path: Path) -> NDArray[Any]:
        try:
            array: NDArray[Any] = np.load(path, allow_pickle=False)
        except (ValueError, OSError, EOFError) as error:
            if _OBJECTS in str(error):
                raise _holds_objects(str(path)) from None
            raise DataError(f"{path} is not an array of NumPy: {error}.") from None
        return array

    def _load_member(self, name: str) -> NDArray[Any]:
        try:
            with np.load(self.path, allow_pickle=False) as archive:
                array: NDArray[Any] = archive[name]
        except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
            if _OBJECTS in str(error):
                raise _holds_objects(f"the array {name!r} of {self.path}") from None
            raise DataError(f"the array {name!r} of {self.path} is damaged: {error}.") from None
        return array


def _holds_objects(what: str) -> DataError:
    return DataError(
        f"{what} holds Python objects, which are not read; save it as numbers (astype(float)), or "
        "targets as text (astype(str))."
    )


def _numbers(X: NDArray[Any], path: Path) -> NDArray[Any]:
    """Rows as forests read them: bytes stay bytes, all else is float32."""
    if X.dtype.kind not in "biuf":
        raise DataError(f"rows of {path} must be numbers, but they are of type {X.dtype}.")
    return X if X.dtype == np.uint8 else X.astype(np.float32, copy=False)

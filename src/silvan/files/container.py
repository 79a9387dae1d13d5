"""The file itself: named arrays and a few strings in the safetensors format, read back with care.

A safetensors file is the length of a JSON header in 8 bytes, the header, and the bytes of all
arrays one after the other. The header has a string for each key of its ``__metadata__`` and says of
each array its type, its shape and where its bytes are.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from silvan._atomic import atomic_path

_DTYPES = {
    "BOOL": "bool",
    "U8": "u1",
    "I8": "i1",
    "U16": "<u2",
    "I16": "<i2",
    "U32": "<u4",
    "I32": "<i4",
    "U64": "<u8",
    "I64": "<i8",
    "F16": "<f2",
    "F32": "<f4",
    "F64": "<f8",
}
_CODES = {np.dtype(name): code for code, name in _DTYPES.items()}
_METADATA = "__metadata__"
_CHECKSUM = "checksum"
_NO_CHECKSUM = "0" * 64
# The same limit as in the safetensors library; a header is read before anything in it is checked.
_LARGEST_HEADER = 100_000_000
_HASHED_AT_ONCE = 1 << 24


class FileFormatError(ValueError):
    """A file is not a saved forest, is damaged, or is of another version."""


class Contents(NamedTuple):
    """What a file holds."""

    metadata: dict[str, str]
    arrays: dict[str, NDArray[Any]]


def can_store(array: NDArray[Any]) -> bool:
    """Whether the format has a type for the array's entries."""
    return array.dtype.newbyteorder("<") in _CODES


def write(path: str | os.PathLike[str], contents: Contents) -> None:
    """Write a file with a checksum of all of it; an existing one is replaced at once, or kept."""
    # The widest types first, so that every array begins at a multiple of its width.
    arrays = {
        name: np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")
        for name, array in sorted(
            contents.arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])
        )
    }
    # The checksum comes first, where it is found again whatever else looks like one.
    header = _encode_header({_CHECKSUM: _NO_CHECKSUM, **contents.metadata}, arrays)
    digest = hashlib.sha256(header)
    for array in arrays.values():
        digest.update(_bytes_of(array))
    header = header.replace(_NO_CHECKSUM.encode(), digest.hexdigest().encode(), 1)
    with atomic_path(path) as temporary, open(temporary, "wb") as file:
        file.write(header)
        for array in arrays.values():
            file.write(_bytes_of(array))


def read(path: str | os.PathLike[str], *, memory_map: bool) -> Contents:
    """Read a file; a ValueError says what is wrong with one that is damaged or something else."""
    if os.path.getsize(path) < 8:
        raise damaged("it has fewer than 8 bytes")
    content: NDArray[np.uint8] = (
        np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))
        if memory_map
        else np.fromfile(path, np.uint8)
    )
    length = int.from_bytes(content[:8].tobytes(), "little")
    if length > min(_LARGEST_HEADER, len(content) - 8):
        raise damaged("its header is longer than the file, or it is no safetensors file")
    raw = content[: 8 + length].tobytes()
    header = _decode_header(raw[8:])
    metadata = _read_metadata(header.pop(_METADATA, None))
    data = content[8 + length :]
    _verify_checksum(raw, data, metadata.pop(_CHECKSUM, ""))
    return Contents(metadata, dict(_read_arrays(header, data)))


def damaged(what: str) -> FileFormatError:
    """The error for a file that cannot be read."""
    return FileFormatError(
        f"this file is not a saved forest, or it is damaged: {what}; save the forest again."
    )


def _encode_header(metadata: Mapping[str, str], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    header: dict[str, Any] = {_METADATA: metadata}
    end = 0
    for name, array in arrays.items():
        begin, end = end, end + array.nbytes
        header[name] = {
            "dtype": _CODES[array.dtype],
            "shape": array.shape,
            "data_offsets": [begin, end],
        }
    encoded = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
    encoded += b" " * (-len(encoded) % 8)
    if len(encoded) > _LARGEST_HEADER:
        raise ValueError(
            f"the header of the file would have {len(encoded)} bytes, but at most "
            f"{_LARGEST_HEADER} are allowed; use shorter feature names, or fewer class names."
        )
    return len(encoded).to_bytes(8, "little") + encoded


def _decode_header(encoded: bytes) -> dict[str, Any]:
    try:
        header = json.loads(encoded.decode(), object_pairs_hook=_without_duplicates)
    except (ValueError, RecursionError) as error:
        raise damaged(f"its header is not JSON ({error})") from None
    if not isinstance(header, dict):
        raise damaged("its header is not a dictionary")
    return header


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key comes twice")
    return result


def _read_metadata(metadata: Any) -> dict[str, str]:
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise damaged("its header has no metadata")
    return metadata


def _verify_checksum(header: bytes, data: NDArray[np.uint8], checksum: str) -> None:
    digest = hashlib.sha256(header.replace(checksum.encode(), _NO_CHECKSUM.encode(), 1))
    for start in range(0, len(data), _HASHED_AT_ONCE):
        digest.update(_bytes_of(data[start : start + _HASHED_AT_ONCE]))
    if digest.hexdigest() != checksum:
        raise damaged("its checksum does not belong to its contents")


def _read_arrays(
    header: Mapping[str, Any], data: NDArray[np.uint8]
) -> Iterator[tuple[str, NDArray[Any]]]:
    """The arrays, which must fill the data without gaps or overlaps."""
    described = [(name, *_read_description(name, entry)) for name, entry in header.items()]
    described.sort(key=lambda entry: entry[3:])
    expected = 0
    for name, dtype, shape, begin, end in described:
        if begin != expected or end > len(data) or end - begin != math.prod(shape) * dtype.itemsize:
            raise damaged(f"the bytes of {name!r} are not where they should be")
        expected = end
        array = data[begin:end].view(dtype).reshape(shape)
        if dtype == np.bool_ and data[begin:end].max(initial=0) > 1:
            raise damaged(f"{name!r} has truth values that are neither true nor false")
        yield name, np.require(array, requirements="A")
    if expected != len(data):
        raise damaged("it has bytes that belong to no array")


def _read_description(name: str, entry: Any) -> tuple[np.dtype[Any], tuple[int, ...], int, int]:
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise damaged(f"the header does not describe {name!r}")
    code, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(code, str) or code not in _DTYPES:
        raise damaged(f"{name!r} has the unknown type {str(code)[:20]!r}")
    if not (_are_counts(shape) and len(shape) <= 8 and _are_counts(offsets) and len(offsets) == 2):
        raise damaged(f"the header does not describe {name!r}")
    return np.dtype(_DTYPES[code]), tuple(shape), *offsets


def _are_counts(values: Any) -> bool:
    return isinstance(values, list) and all(type(v) is int and 0 <= v < 2**62 for v in values)


def _bytes_of(array: NDArray[Any]) -> memoryview:
    flat: Any = array.reshape(-1).view(np.uint8)
    return memoryview(flat)

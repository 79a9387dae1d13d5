"""Saved forests: what is in the header of a file, and how it is checked."""

from __future__ import annotations

import json
import os
from typing import Any

from sklearn.utils.validation import check_is_fitted

from silvan._validation import check_persistent
from silvan._version import __version__
from silvan.files.container import Contents, FileFormatError, damaged, read, write
from silvan.files.encoding import Decoder, Encoder

_FORMAT = "silvan"
# Rises when older versions of silvan could misread what newer ones write.
_FORMAT_VERSION = 4


def save(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a file; this is what its method `save` does.

    Parameters
    ----------
    estimator : fitted estimator
        A forest of this library.
    path : str or path-like
        Where to write it.
    """
    check_persistent(estimator)
    encoder = Encoder()
    encoded = encoder.encode(estimator, "")
    estimator._check_fitted()
    metadata = {
        "format": _FORMAT,
        "format_version": str(_FORMAT_VERSION),
        "silvan_version": __version__,
        "estimator": json.dumps(encoded, separators=(",", ":"), allow_nan=False),
    }
    write(path, Contents(metadata, encoder.arrays))


def load(path: str | os.PathLike[str], *, memory_map: bool = False) -> Any:
    """Read a forest that `save` wrote.

    Nothing in the file is executed, and everything is checked before use: a checksum tells whether
    the file is as it was written, and the arrays are verified to be a forest, so that a damaged or
    malicious file gives an error.

    Parameters
    ----------
    path : str or path-like
        The file.
    memory_map : bool, default=False
        Whether to leave the arrays in the file and map it into memory, so that processes share one
        copy and the system may drop pages that are not used. The file is still read once, to check
        it. It must not be changed while the forest is in use: cutting a mapped file short ends
        the process.

    Returns
    -------
    estimator : object
        The fitted estimator, of the class that was saved.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import silvan
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = silvan.ForestClassifier(20, random_state=0).fit(X, y)
    >>> path = Path(tempfile.mkdtemp()) / "iris.safetensors"
    >>> forest.save(path)
    >>> same = silvan.load(path)
    >>> same
    ForestClassifier(n_estimators=20, random_state=0)
    >>> bool((same.predict_proba(X) == forest.predict_proba(X)).all())
    True
    """
    contents = read(path, memory_map=memory_map)
    encoded = _read_header(contents.metadata)
    decoder = Decoder(contents.arrays)
    try:
        estimator = decoder.decode(encoded)
        check_is_fitted(estimator)
    except (FileFormatError, MemoryError):  # a starved process says nothing of the file
        raise
    except (Exception, RecursionError) as error:
        # Whatever a part of the file is not, the file as a whole is not a forest.
        raise damaged(str(error).rstrip(".") or type(error).__name__) from error
    decoder.check_all_used()
    return estimator


def _read_header(metadata: dict[str, str]) -> Any:
    if metadata.get("format") != _FORMAT:
        raise damaged("it is a safetensors file of something else")
    version = metadata.get("format_version", "")
    if version != str(_FORMAT_VERSION):
        older = version.isdecimal() and int(version) < _FORMAT_VERSION
        remedy = "fit the forest again" if older else "upgrade silvan, or save the forest again"
        raise FileFormatError(
            f"this file was saved by silvan {metadata.get('silvan_version')} in version "
            f"{version!r} of the file format, but silvan {__version__} reads version "
            f"{_FORMAT_VERSION}; {remedy}."
        )
    try:
        encoded = json.loads(metadata.get("estimator", ""))
    except (ValueError, RecursionError) as error:
        raise damaged(f"its description of the forest is not JSON ({error})") from None
    if not isinstance(encoded, dict) or encoded.get("kind") != "object":
        raise damaged("it does not describe a forest")
    return encoded

"""Samples on a grid as scientists have them: labelled arrays, epochs, series of unequal length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan._validation import check_unmasked


@dataclass(frozen=True, eq=False)
class GridAxes:
    """Names and coordinates of the axes of a sample, where `X` had them.

    Parameters
    ----------
    names : tuple of str
        What the axes are called.
    coords : tuple of ndarray or None
        The coordinates of the places along each axis; None where there are none.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.forests.labelled import GridAxes
    >>> GridAxes(("sensor", "time"), (np.array(["Fz", "Cz"]), np.arange(100) / 250)).names
    ('sensor', 'time')
    """

    names: tuple[str, ...]
    coords: tuple[NDArray[Any] | None, ...]

    def label(self, values: Any) -> Any:
        """A map of the same axes as an array of xarray; further axes are put in front."""
        from xarray import DataArray

        n_more = np.ndim(values) - len(self.names)
        dims = [*(f"map_{k}" for k in range(n_more)), *self.names]
        pairs = zip(self.names, self.coords, strict=True)
        return DataArray(values, dims=dims, coords={n: c for n, c in pairs if c is not None})

    def name_planes(self, contiguous: Sequence[bool]) -> list[str] | None:
        """What to call the planes of a sample, which follow one axis without neighbours.

        None where there are no planes, where several axes have none, or where it has no
        coordinates.
        """
        axes = [axis for axis, run in enumerate(contiguous) if not run]
        if len(axes) != 1 or self.coords[axes[0]] is None:
            return None
        name, places = self.names[axes[0]], np.asarray(self.coords[axes[0]])
        kind = "" if places.dtype.kind == "U" else f"{name} "
        return [f"{kind}{place}" for place in places.tolist()] if len(places) > 1 else None

    def _belongs_to(self, shape: tuple[int, ...]) -> bool:
        """Whether these are axes of such samples; for what was read from a file."""
        return (
            isinstance(self.names, tuple)
            and isinstance(self.coords, tuple)
            and all(isinstance(name, str) for name in self.names)
            and len(self.names) == len(self.coords) == len(shape)
            and all(
                places is None or (isinstance(places, np.ndarray) and places.shape == (length,))
                for places, length in zip(self.coords, shape, strict=True)
            )
        )

    def _refuse_others(self, other: GridAxes) -> None:
        """Refuse samples whose axes, or places named by text, are others than those of `fit`.

        Numbers along an axis may differ: times and positions are measured anew. Names that xarray
        makes up say nothing.
        """
        for name, given in zip(self.names, other.names, strict=False):
            if name != given and not given.startswith("dim_"):
                raise ValueError(
                    f"X must have the axes {self.names} that it had in fit, but it has "
                    f"{other.names}; transpose or rename them."
                )
        for name, places, came in zip(self.names, self.coords, other.coords, strict=False):
            if places is None or came is None or not places.dtype.kind == came.dtype.kind == "U":
                continue
            differing = places != came if places.shape == came.shape else np.array([])
            if differing.any():
                j = int(np.argmax(differing))
                raise ValueError(
                    f"X must have the same places along {name!r} as in fit, but place {j} is "
                    f"{str(came[j])!r} and was {str(places[j])!r}; put them in the same order."
                )


def plain_samples(X: Any, length: int | None = None) -> tuple[Any, GridAxes | None]:
    """Samples without labels, and the labels of their axes if they had some.

    `X` may be a DataArray of xarray, or epochs of MNE (anything with `get_data` and `ch_names`),
    their spectra, or a list of them, which is what cross-validation makes of epochs. Series of
    unequal length in a list are filled up with missing values, to the longest or to `length`.
    Anything else comes back as it is.
    """
    if _are_epochs(X):
        return _read_epochs(X)
    if isinstance(X, list) and len(X) > 0 and all(map(_are_epochs, X)):
        return _join_epochs([_read_epochs(part) for part in X])
    if all(hasattr(X, name) for name in ("dims", "coords", "to_numpy")):
        names = tuple(str(name) for name in X.dims[1:])
        coords = tuple(_coordinates(X, name) for name in X.dims[1:])
        return X.to_numpy(), GridAxes(names, coords)
    series = _as_series(X)
    return (X if series is None else _padded(series, length)), None


def _are_epochs(X: Any) -> bool:
    return callable(getattr(X, "get_data", None)) and hasattr(X, "ch_names")


def _read_epochs(X: Any) -> tuple[NDArray[Any], GridAxes]:
    """The values of epochs, with sensors, and times or frequencies or both."""
    values = np.asarray(X.get_data())
    if values.ndim < 3:
        raise ValueError(
            f"X must be epochs, one for each sample, but it is a single recording "
            f"({type(X).__name__}) of shape {values.shape}; cut it into epochs, for example with "
            "mne.make_fixed_length_epochs."
        )
    names, places = ["channel"], [np.array(X.ch_names, dtype=np.str_)]
    for name, attribute in (("frequency", "freqs"), ("time", "times")):
        if getattr(X, attribute, None) is not None:
            names.append(name)
            places.append(np.array(getattr(X, attribute)))
    known = zip(places, values.shape[1:], strict=False)
    coords = tuple(place if len(place) == length else None for place, length in known)
    return values, GridAxes(tuple(names), coords)


def _join_epochs(parts: list[tuple[NDArray[Any], GridAxes]]) -> tuple[NDArray[Any], GridAxes]:
    """Several epochs as one array; their sensors must be the same."""
    axes = parts[0][1]
    for _, others in parts[1:]:
        axes._refuse_others(others)
    return np.concatenate([values for values, _ in parts]), axes


def _as_series(X: Any) -> Any:
    """The arrays of a list of them, or of series in lists that differ in length; else None."""
    if isinstance(X, np.ndarray) and X.dtype == object and X.ndim == 1:
        X = list(X)
    if not isinstance(X, list | tuple) or len(X) == 0:
        return None
    if all(isinstance(x, list | tuple) for x in X) and len({len(x) for x in X}) > 1:
        X = [np.asarray(x) for x in X]
    return X if all(hasattr(x, "shape") for x in X) else None


def _coordinates(X: Any, name: Any) -> NDArray[Any] | None:
    if name not in X.coords or X.coords[name].ndim != 1:
        return None
    values = np.asarray(X.coords[name])
    return values.astype(np.str_) if values.dtype == object else values


def _padded(X: Any, length: int | None) -> Any:
    """A list of series, filled up with NaN to one length where theirs differ."""
    shapes = [x.shape for x in X]
    if len({len(shape) for shape in shapes}) > 1 or not 1 <= len(shapes[0]) <= 2:
        return X
    if len({shape[:-1] for shape in shapes}) > 1:
        raise ValueError(
            f"the series of X must have the same channels, but their shapes are {shapes[0]} and "
            f"{next(s for s in shapes if s[:-1] != shapes[0][:-1])}; pass arrays of shape "
            "(channels, length)."
        )
    longest = max(shape[-1] for shape in shapes)
    if length is not None and longest > length:
        raise ValueError(
            f"X has a series of length {longest}, but those of fit had up to {length}; cut it off, "
            f"or fit on series that are filled up with NaN to length {longest}."
        )
    for series in X:
        check_unmasked("X", series)
        _refuse_odd_types(np.asarray(series).dtype)
    total = longest if length is None else length
    if all(shape[-1] == total for shape in shapes):
        return np.stack(X)
    padded = np.full((len(X), *shapes[0][:-1], total), np.nan, dtype=np.float32)
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused as such
        for row, series in zip(padded, X, strict=True):
            row[..., : series.shape[-1]] = series
    return padded


def _refuse_odd_types(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "biufO":
        raise ValueError(
            f"the series of X must hold numbers, but the dtype of one is {dtype}; convert it to "
            "floats."
        )

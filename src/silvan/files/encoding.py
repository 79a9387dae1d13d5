"""Python objects as JSON and arrays, and back: a closed list of kinds, nothing else.

What JSON has stays as it is; every other kind is a dictionary with a ``kind``. Arrays of numbers go
to the file as they are. Objects are of registered classes: a file can name one of them and give its
parameters, but it cannot bring code.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from silvan.files.container import can_store, damaged
from silvan.projections.parameters import ParameterHolder

C = TypeVar("C", bound=type)

_registered: dict[str, type] = {}
# Characters that an array of strings may have room for; a file could ask for any number.
_MAX_CHARACTERS = 2**28
# Dates and times, and how each is written; what a subclass adds, such as nanoseconds, is not kept.
_MOMENTS: dict[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "time": (time, time.isoformat, time.fromisoformat),
    "timedelta": (
        timedelta,
        lambda value: [value.days, value.seconds, value.microseconds],
        lambda parts: timedelta(*parts),
    ),
}
_DATE_DTYPE = re.compile(r"(datetime|timedelta)64\[\w+\]")


def register(cls: C) -> C:
    """Allow objects of a class in files.

    Needed for projection distributions, channels and losses of your own. A program that loads such
    a file registers the class, too, under the same name.

    Parameters
    ----------
    cls : type
        A subclass of ProjectionDistribution, Channel, Loss, or of a forest.

    Returns
    -------
    cls : type
        The class itself, so that this can be used as a decorator.

    Examples
    --------
    >>> from scipy.sparse import eye_array
    >>> from silvan.files import register
    >>> from silvan.projections import ProjectionDistribution
    >>> @register
    ... class FirstFeature(ProjectionDistribution):
    ...     def sample(self, node, rng):
    ...         return eye_array(1, node.n_features)
    """
    known = _registered.setdefault(cls.__name__, cls)
    if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
        raise ValueError(
            f"a class named {cls.__name__!r} is registered already ({known.__module__}."
            f"{known.__qualname__}); rename one of them."
        )
    _registered[cls.__name__] = cls
    return cls


def saved_state(value: Any) -> dict[str, dict[str, Any]]:
    """What makes up an object: the arguments of its constructor, and what it learnt since."""
    if dataclasses.is_dataclass(value) and not hasattr(value, "get_params"):
        fields = dataclasses.fields(value)
        return {"params": {field.name: getattr(value, field.name) for field in fields}}
    if isinstance(value, ParameterHolder):
        return {"params": value._saved_params()}
    params = value.get_params(deep=False)
    if not isinstance(value, BaseEstimator):
        return {"params": params}
    set_by_constructor = vars(type(value)(**params))
    attributes = {
        name: attribute
        for name, attribute in vars(value).items()
        if name not in set_by_constructor
        and not isinstance(getattr(type(value), name, None), cached_property)
    }
    unknown = sorted(attributes.keys() - set(fitted_attributes(type(value))))
    if unknown:
        raise ValueError(
            f"a {type(value).__name__} with the attributes {unknown} cannot be saved, because they "
            "are not part of the file format; delete them from the object, or pickle it."
        )
    return {"params": params, "fitted": attributes}


def fitted_attributes(cls: type) -> tuple[str, ...]:
    """The attributes that a class and its bases declare to keep in files."""
    return tuple(name for base in cls.__mro__ for name in vars(base).get("_fitted", ()))


class Encoder:
    """Turns objects into JSON; collects the arrays on the way."""

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}

    def encode(self, value: Any, path: str) -> Any:
        """The value as JSON; `path` says where it is, in errors and as the name of an array."""
        if value is None or isinstance(value, bool | str) or type(value) is int:
            return value
        if type(value) is float and math.isfinite(value):
            return value
        if isinstance(value, float | np.generic):
            return _tagged("scalar", value=self._encode_array(np.asarray(value), path))
        if isinstance(value, np.ndarray):
            return self._encode_array(value, path)
        if isinstance(value, list):
            return self._encode_items(value, path)
        if isinstance(value, tuple):
            return _tagged("tuple", items=self._encode_items(value, path))
        if isinstance(value, date | time | timedelta):
            return self._encode_moment(value, path)
        if isinstance(value, Mapping):
            return self._encode_mapping(value, path)
        if isinstance(value, np.random.RandomState):
            return self._encode_random_state(value, path)
        if sparse.issparse(value):
            return self._encode_sparse(value, path)
        if dataclasses.is_dataclass(value) or hasattr(value, "get_params"):
            return self._encode_object(value, path)
        raise _refusal(value, path)

    def _encode_items(self, values: Any, path: str) -> list[Any]:
        return [self.encode(value, _join(path, i)) for i, value in enumerate(values)]

    def _encode_mapping(self, value: Mapping[Any, Any], path: str) -> Any:
        pairs = [[self.encode(k, path), self.encode(v, _join(path, k))] for k, v in value.items()]
        return _tagged("dict", items=pairs)

    def _encode_array(self, value: NDArray[Any], path: str) -> Any:
        if can_store(value):
            while path in self.arrays:
                path += "_"
            self.arrays[path] = value
            return _tagged("array", name=path)
        shape = list(value.shape)
        if value.dtype.kind == "U" and value.nbytes // 4 <= _MAX_CHARACTERS:
            items = value.ravel().tolist()
            return _tagged("text", shape=shape, width=value.dtype.itemsize // 4, items=items)
        if value.dtype.kind in "mM":
            native = value.astype(value.dtype.newbyteorder("="))
            counts = self._encode_array(native.view(np.int64), path)
            return _tagged("dates", dtype=str(native.dtype), counts=counts)
        if value.dtype.kind == "O":
            items = self._encode_items(value.ravel().tolist(), path)
            return _tagged("objects", shape=shape, items=items)
        raise _refusal(value, path)

    def _encode_moment(self, value: Any, path: str) -> Any:
        for name, (cls, write, read) in _MOMENTS.items():
            if isinstance(value, cls) and read(write(value)) == value:
                return _tagged("moment", type=name, value=write(value))
        raise _refusal(value, path)

    def _encode_random_state(self, value: np.random.RandomState, path: str) -> Any:
        state: Any = value.get_state(legacy=False)
        if state["bit_generator"] != "MT19937":
            raise _refusal(value, path)
        key = self._encode_array(state["state"]["key"], path)
        gauss = self.encode(state["gauss"], path)
        pos, has_gauss = int(state["state"]["pos"]), int(state["has_gauss"])
        return _tagged("RandomState", key=key, pos=pos, has_gauss=has_gauss, gauss=gauss)

    def _encode_sparse(self, value: Any, path: str) -> Any:
        matrix = sparse.csr_array(value)
        parts = {
            name: self._encode_array(getattr(matrix, name), _join(path, name))
            for name in ("data", "indices", "indptr")
        }
        is_array = isinstance(value, sparse.sparray)
        return _tagged("sparse", shape=[int(n) for n in matrix.shape], array=is_array, **parts)

    def _encode_object(self, value: Any, path: str) -> Any:
        cls = type(value)
        if _registered.get(cls.__name__) is not cls:
            raise ValueError(
                f"{path or 'this forest'} is a {cls.__name__}, a class that files do not know, so "
                "it cannot be saved; register it with silvan.files.register, before saving and "
                "before loading."
            )
        parts = {
            part: {name: self.encode(v, _join(path, name)) for name, v in values.items()}
            for part, values in saved_state(value).items()
        }
        return _tagged("object", type=cls.__name__, **parts)


class Decoder:
    """Turns what an Encoder made into objects again; checks everything on the way."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._arrays = dict(arrays)

    def decode(self, value: Any) -> Any:
        """The object that was encoded as this JSON."""
        if isinstance(value, list):
            return [self.decode(item) for item in value]
        if not isinstance(value, dict):
            return value
        fields = dict(value)
        kind = fields.pop("kind", None)
        decode = getattr(self, f"_decode_{kind}", None)
        if decode is None:
            raise damaged(f"it has a part of the unknown kind {str(kind)[:20]!r}")
        return decode(**fields)

    def check_all_used(self) -> None:
        """Require that every array of the file was part of an object."""
        if self._arrays:
            raise damaged(f"its array {next(iter(self._arrays))!r} belongs to nothing")

    def _decode_scalar(self, *, value: Any) -> Any:
        return self.decode(value)[()]

    def _decode_tuple(self, *, items: list[Any]) -> tuple[Any, ...]:
        return tuple(self.decode(items))

    def _decode_dict(self, *, items: list[Any]) -> dict[Any, Any]:
        return {self.decode(key): self.decode(value) for key, value in items}

    def _decode_array(self, *, name: str) -> NDArray[Any]:
        return self._arrays.pop(name)

    def _decode_text(self, *, shape: list[int], width: int, items: list[str]) -> NDArray[Any]:
        longest = max(map(len, items), default=1)
        if not longest <= width or len(items) * width > _MAX_CHARACTERS:
            raise damaged("its strings do not fit into their array")
        return np.array(items, dtype=f"<U{width}").reshape(shape)

    def _decode_dates(self, *, dtype: str, counts: Any) -> NDArray[Any]:
        if not _DATE_DTYPE.fullmatch(dtype):
            raise damaged(f"it has dates of the unknown type {dtype[:20]!r}")
        return np.asarray(self.decode(counts), dtype=np.int64).view(dtype)

    def _decode_moment(self, *, type: str, value: Any) -> Any:
        return _MOMENTS[type][2](value)

    def _decode_objects(self, *, shape: list[int], items: list[Any]) -> NDArray[Any]:
        array = np.empty(len(items), dtype=object)
        array[:] = self.decode(items)
        return array.reshape(shape)

    def _decode_RandomState(  # noqa: N802
        self, *, key: Any, pos: int, has_gauss: int, gauss: Any
    ) -> np.random.RandomState:
        keys = self.decode(key)
        # NumPy trusts the position.
        if keys.shape != (624,) or keys.dtype != np.uint32 or not 0 <= pos <= 624:
            raise damaged("a RandomState has no valid state")
        state = np.random.RandomState(0)
        state.set_state(("MT19937", keys, int(pos), int(has_gauss), float(self.decode(gauss))))
        return state

    def _decode_sparse(
        self, *, shape: list[int], array: bool, data: Any, indices: Any, indptr: Any
    ) -> Any:
        parts = tuple(self.decode(part) for part in (data, indices, indptr))
        n_rows, n_columns = shape
        matrix = sparse.csr_array(parts, shape=(n_rows, n_columns))
        matrix.check_format(full_check=True)
        return matrix if array else sparse.csr_matrix(matrix)

    def _decode_object(
        self, *, type: str, params: dict[str, Any], fitted: dict[str, Any] | None = None
    ) -> Any:
        cls = _registered.get(type)
        if cls is None:
            raise damaged(
                f"it has an object of the class {str(type)[:40]!r}, which is not registered; "
                "call silvan.files.register with that class first"
            )
        unknown = set(fitted or ()) - set(fitted_attributes(cls))
        if unknown:
            raise damaged(f"{type} has no attributes {sorted(unknown)[:5]}")
        built = cls(**{name: self.decode(value) for name, value in params.items()})
        for name, value in (fitted or {}).items():
            setattr(built, name, self.decode(value))
        check = getattr(built, "_check_fitted", None) or getattr(built, "check", None)
        # An estimator that is a parameter need not be fitted.
        if check is not None and fitted != {}:
            check()
        return built


def _tagged(kind: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, **fields}


def _join(path: str, name: object) -> str:
    return f"{path}.{name}" if path else str(name)


def _refusal(value: Any, path: str) -> ValueError:
    what = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else repr(value)[:60]
    remedy = "set it to something that can, such as numbers, strings and arrays of them"
    if callable(value):
        remedy = "files hold no code: set it to something else, or write a class in its place and "
        remedy += "register that with silvan.files.register"
    return ValueError(f"{path} is {what}, which cannot be saved; {remedy}.")

"""The parameter protocol of scikit-learn without its estimators: get, set, show and compare."""

from __future__ import annotations

import inspect
from typing import Any, Self

import numpy as np
from scipy import sparse

# Longer sequences are shown by their length.
_MAX_SHOWN = 20


class ParameterHolder:
    """An object that is nothing but the parameters its constructor stores under their own names.

    It can be cloned by `sklearn.base.clone` and reached into by ``name__parameter`` in a grid
    search, as the kernels of Gaussian processes can.
    """

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        if cls.__init__ is object.__init__:
            return {}
        parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
        return {parameter.name: parameter.default for parameter in parameters}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Whether to add the parameters of parameters that have some, as ``name__parameter``.

        Returns
        -------
        params : dict
            Names and values.
        """
        params = {name: getattr(self, name) for name in self._defaults()}
        if deep:
            for name, value in list(params.items()):
                if isinstance(value, ParameterHolder):
                    params.update(
                        {f"{name}__{sub}": inner for sub, inner in value.get_params().items()}
                    )
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, those of parameters as ``name__parameter``.

        Parameters
        ----------
        **params
            Names and values, as `get_params` gives them.

        Returns
        -------
        self : object
            This object.
        """
        known = self.get_params(deep=False)
        for key, value in params.items():
            name, nested, sub = key.partition("__")
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for {self!r}; its parameters are {sorted(known)}."
                )
            if nested:
                getattr(self, name).set_params(**{sub: value})
            else:
                setattr(self, name, value)
        return self

    def _saved_params(self) -> dict[str, Any]:
        """The parameters as files keep them; those that files do not know are replaced here."""
        params = self.get_params(deep=False)
        return {name: _plain(value) for name, value in params.items()}

    def __repr__(self) -> str:
        defaults = self._defaults()
        shown = [
            f"{name}={_summarize(value)}"
            for name, value in self.get_params(deep=False).items()
            if not same_value(value, defaults[name])
        ]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ParameterHolder) or type(other) is not type(self):
            return NotImplemented
        return same_value(self.get_params(deep=False), other.get_params(deep=False))

    __hash__ = None  # type: ignore[assignment]  # parameters may change


def is_sparse(value: object) -> bool:
    """Whether the value is a sparse matrix or array of scipy."""
    return bool(sparse.issparse(value))


def same_value(a: Any, b: Any) -> bool:
    """Whether two parameter values are equal, arrays and sparse matrices compared as a whole."""
    if a is b:
        return True
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same_value(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same_value, a, b))
    if is_sparse(a) or is_sparse(b):
        if not (is_sparse(a) and is_sparse(b) and a.shape == b.shape):
            return False
        differing: Any = sparse.csr_array(a) != sparse.csr_array(b)
        return bool(differing.nnz == 0)
    if hasattr(a, "__array__") or hasattr(b, "__array__"):
        return np.array_equal(a, b)
    return bool(a == b)


def is_networkx(value: object) -> bool:
    """Whether the value is a graph of networkx."""
    return hasattr(value, "adjacency") and hasattr(value, "nodes")


def _plain(value: Any) -> Any:
    """Columns and tables of pandas and the like as arrays, anything else as it is."""
    if hasattr(value, "__array__") and not isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    return value


def _summarize(value: Any) -> str:
    if is_sparse(value) or (hasattr(value, "__array__") and np.ndim(value)):
        shape = "x".join(str(length) for length in value.shape)
        kind = "sparse matrix" if is_sparse(value) else "array"
        return f"<{shape} {kind}>"
    if isinstance(value, (tuple, list)) and len(value) > _MAX_SHOWN:
        return f"<{len(value)} values>"
    return f"<{value}>" if is_networkx(value) else repr(value)

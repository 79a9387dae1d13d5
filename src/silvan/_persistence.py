"""What estimators need to be kept: files of their own, and pickles that know their version."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar

from silvan._version import __version__

_VERSION = "_silvan_version"
_CLASS = "_silvan_class"


def require_fitted(rules: Mapping[str, bool]) -> None:
    """Raise an error that names the first fitted attribute whose rule does not hold."""
    for name, holds in rules.items():
        if not holds:
            raise ValueError(
                f"{name} does not belong to the other attributes of this forest; fit it again."
            )


class PersistentMixin:
    """Adds `save` to an estimator, and the version to its pickles."""

    # Attributes that fit sets and files keep; each class names those that it adds.
    _fitted: ClassVar[tuple[str, ...]] = ("n_features_in_", "feature_names_in_")

    def _check_fitted(self) -> None:
        """Raise an error if parameters and fitted attributes, read from a file, do not fit."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to a file that `silvan.load` reads.

        The file has the safetensors format: arrays as they are in memory, and a header in JSON. It
        holds parameters, trees, out-of-bag results or curves of scores, and what is needed to go on
        with a warm start, and no code. An existing file is replaced when the new one is complete.

        Parameters
        ----------
        path : str or path-like
            Where to write it; ``.safetensors`` is the usual ending.
        """
        from silvan.files import save

        save(self, path)

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        return {**state, _VERSION: __version__, _CLASS: type(self).__qualname__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        version = state.pop(_VERSION, "of an unknown version")
        if version != __version__:
            raise ValueError(
                f"this {type(self).__name__} was pickled by silvan {version}, but this is silvan "
                f"{__version__}, and pickles are for one version only; fit it again, or save it "
                "with the other version's forest.save(path) and read it with silvan.load(path)."
            )
        name, mine = state.pop(_CLASS, "of an unknown class"), type(self).__qualname__
        if name != mine:
            raise ValueError(
                f"this is the state of an estimator {name}, but it was to be loaded into a {mine}; "
                f"load it into a {name}."
            )
        super().__setstate__(state)  # type: ignore[misc]

"""Importance of whole projections: the gain of all splits along one direction."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from silvan._validation import check_forest, check_integer, invalid
from silvan.forest_arrays import ForestArrays
from silvan.forests.base import BaseForest
from silvan.forests.importances import nodes_of, share, split_gains

# Weights are compared to about six digits, one less than float32 has.
_STEPS = 2.0**20
_MAX_TERMS = 8


@dataclass(frozen=True, eq=False)
class TopProjections:
    """The projections of a forest with the largest Gini importance, the best first.

    Attributes
    ----------
    directions : csr_array of shape (n_projections, n_features)
        Coefficients of the features. Each projection is scaled so that its largest absolute
        coefficient is 1 and its first coefficient is positive.
    importances : ndarray of shape (n_projections,)
        Share of each projection in the decrease of impurity.
    n_splits : ndarray of shape (n_projections,)
        Number of splits of the forest along each projection.
    feature_names : tuple of str
        Names of the features.

    Examples
    --------
    >>> from silvan import ForestClassifier
    >>> from silvan.datasets import make_parallel_hyperplanes
    >>> from silvan.inspection import top_projections
    >>> from silvan.projections import SparseSigns
    >>> X, y = make_parallel_hyperplanes(1000, random_state=0)
    >>> forest = ForestClassifier(10, projections=SparseSigns(mean_nonzeros=2), max_features=2000,
    ...                           random_state=0).fit(X, y)
    >>> print(top_projections(forest, 1))
    importance  splits  projection
        0...       ...  x0 + x1
    """

    directions: csr_array
    importances: NDArray[np.float64]
    n_splits: NDArray[np.int64]
    feature_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.importances)

    def formulas(self) -> list[str]:
        """Each projection as a sum of features; long ones are cut."""
        bounds = zip(self.directions.indptr[:-1], self.directions.indptr[1:], strict=True)
        return [self._formula(slice(start, end)) for start, end in bounds]

    def _formula(self, entries: slice) -> str:
        features, coefficients = self.directions.indices[entries], self.directions.data[entries]
        terms: list[str] = []
        for feature, value in zip(features[:_MAX_TERMS], coefficients[:_MAX_TERMS], strict=True):
            size = "" if abs(value) == 1 else f"{abs(value):.3g} "
            sign = ("- " if value < 0 else "+ ") if terms else ""
            terms.append(f"{sign}{size}{self.feature_names[feature]}")
        if len(features) > _MAX_TERMS:
            terms.append(f"... ({len(features)} features)")
        return " ".join(terms)

    def __str__(self) -> str:
        lines = ["importance  splits  projection"]
        for importance, count, formula in zip(
            self.importances, self.n_splits, self.formulas(), strict=True
        ):
            lines.append(f"{importance:10.4f}  {count:6d}  {formula}")
        return "\n".join(lines)

    def to_frame(self) -> Any:
        """A pandas DataFrame: importance, number of splits, formula, and a column per feature."""
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "to_frame needs pandas, which is not installed; install it, or print the table."
            ) from error
        table = pd.DataFrame(
            {
                "importance": self.importances,
                "n_splits": self.n_splits,
                "projection": self.formulas(),
            }
        )
        coefficients = pd.DataFrame(self.directions.toarray(), columns=list(self.feature_names))
        return pd.concat([table, coefficients], axis=1)


def top_projections(forest: BaseForest, k: int | None = 10) -> TopProjections:
    """The projections with the largest Gini importance [1]_.

    A projection is a direction up to sign and scale: x1 - x2 splits samples as x2 - x1 and
    3 x1 - 3 x2 do. Its importance is the decrease of impurity by all splits along it, normalised
    within each tree and averaged over the trees, as `feature_importances_` are; where each
    direction has one feature the two agree. The importances of all projections sum to 1.

    Parameters
    ----------
    forest : fitted forest
        A classifier or regressor of this library.
    k : int or None, default=10
        How many projections; None is all of them.

    Returns
    -------
    projections : TopProjections
        The projections, the best first. Prints as a table.

    Notes
    -----
    Directions with continuous coefficients hardly ever repeat, so their importances are those of
    single splits. Coefficients are compared to about six digits.

    The codes of categories differ from node to node and are left out of the
    comparison: a categorical feature that is in a direction has coefficient 1.
    :func:`silvan.export.to_text` writes the code of each category.

    References
    ----------
    .. [1] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018, section 3.3.6.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import ForestClassifier
    >>> from silvan.inspection import top_projections
    >>> forest = ForestClassifier(100, random_state=0).fit(*load_iris(return_X_y=True))
    >>> top = top_projections(forest, 3)
    >>> top.importances.shape, top.directions.shape
    ((3,), (3, 4))
    """
    check_forest(forest)
    check_integer("k", k, 1, or_none=True)
    if forest.fitted_.channels is not None:
        raise invalid(
            "forest", "a forest without channels", forest, "use top_windows for one with channels"
        )
    arrays = forest.forest_
    numbers: dict[bytes, int] = {}
    first_split: list[int] = []
    credit, count = [], []
    gains = split_gains(arrays)
    for tree in range(arrays.n_trees):
        splits, keys = _split_keys(arrays, tree)
        for split, key in zip(splits.tolist(), keys, strict=True):
            if numbers.setdefault(key, len(numbers)) == len(first_split):
                first_split.append(split)
        number = np.array([numbers[key] for key in keys], dtype=np.intp)
        parts = share(gains[nodes_of(arrays, tree)])[splits - arrays.tree_offsets[tree]]
        credit.append((number, parts))
        count.append(number)
    importances = np.zeros(len(numbers))
    for number, parts in credit:
        importances += np.bincount(number, weights=parts, minlength=len(numbers))
    n_splits = np.bincount(np.concatenate(count), minlength=len(numbers))
    importances = share(importances)
    # Equal importances keep the order of the splits.
    best = np.argsort(-importances, kind="stable")[:k]
    return TopProjections(
        _gather_directions(arrays, np.array(first_split, dtype=np.int64)[best]),
        importances[best],
        n_splits[best],
        _feature_names(forest),
    )


def _split_keys(arrays: ForestArrays, tree: int) -> tuple[NDArray[np.int64], list[bytes]]:
    """The splits of a tree, numbered among all nodes, and a key for each one's projection."""
    directions = _normalize(arrays, tree)
    steps = np.rint(directions.data * _STEPS).astype(np.int32)
    indices = directions.indices.astype(np.int32)
    splits = np.flatnonzero(np.diff(directions.indptr))
    keys = []
    for start, end in zip(directions.indptr[splits], directions.indptr[splits + 1], strict=True):
        text = indices[start:end].tobytes() + steps[start:end].tobytes()
        # A digest, since directions may have thousands of features.
        keys.append(blake2b(text, digest_size=16).digest())
    return arrays.tree_offsets[tree] + splits, keys


def _normalize(arrays: ForestArrays, tree: int) -> csr_array:
    """Directions with a positive first coefficient and a largest absolute coefficient of 1.

    Categorical features have coefficient 1 and do not affect sign and scale.
    """
    directions = arrays.directions(tree)
    sizes = np.diff(directions.indptr)
    starts = directions.indptr[:-1][sizes > 0]
    counted = np.ones(directions.nnz, dtype=np.bool_)
    if len(arrays.n_categories):
        counted = arrays.n_categories[directions.indices] == 0
    coefficients = np.where(counted, directions.data.astype(np.float64), 1.0)
    if len(starts):
        scale = np.maximum.reduceat(np.where(counted, np.abs(coefficients), 0.0), starts)
        places = np.where(counted, np.arange(len(coefficients)), len(coefficients) - 1)
        scale *= np.sign(coefficients[np.minimum.reduceat(places, starts)])
        # Zero where all features are categorical.
        scale = np.repeat(np.where(scale == 0, 1.0, scale), sizes[sizes > 0])
        coefficients = np.where(counted, coefficients / scale, 1.0)
    return csr_array((coefficients, directions.indices, directions.indptr), shape=directions.shape)


def _gather_directions(arrays: ForestArrays, splits: NDArray[np.int64]) -> csr_array:
    """The projections of some splits, numbered among all nodes; one tree at a time."""
    trees = np.searchsorted(arrays.tree_offsets, splits, side="right") - 1
    rows, order = [csr_array((0, arrays.n_features))], []
    for tree in np.unique(trees):
        chosen = np.flatnonzero(trees == tree)
        directions = _normalize(arrays, int(tree))
        rows.append(directions[splits[chosen] - arrays.tree_offsets[tree]])
        order.append(chosen)
    if not order:
        return rows[0]
    gathered: csr_array = csr_array(vstack(rows))[np.argsort(np.concatenate(order))]
    return gathered


def _feature_names(forest: BaseForest) -> tuple[str, ...]:
    names = forest.fitted_.feature_names
    if names is not None:
        return tuple(str(name) for name in names)
    return tuple(f"x{i}" for i in range(forest.forest_.n_features))

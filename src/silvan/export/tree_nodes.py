"""The nodes of a tree as plain dictionaries, with categories by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from silvan.forests.base import BaseForest
from silvan.forests.categories import category_name


def tree_nodes(forest: BaseForest, tree: int) -> Iterator[dict[str, Any]]:
    """Splits and leaves in the order of the arrays; `to_dict` tells what they hold."""
    arrays, codes = forest.forest_, _Codes(forest, tree)
    # A direction is over features alone or over windows alone.
    directions = arrays.stored_directions(tree) if arrays.n_windows else arrays.directions(tree)
    values = arrays.leaf_values(tree).toarray()
    first, last = arrays.tree_offsets[tree : tree + 2]
    for number, node in enumerate(range(first, last)):
        facts = {
            "n_samples": int(arrays.n_samples[node]),
            "weight": float(arrays.weight[node]),
            "impurity": float(arrays.impurity[node]),
        }
        left = int(arrays.left[node])
        if left < 0:
            yield {"values": values[-1 - left].tolist(), **facts}
            continue
        entries = slice(*directions.indptr[number : number + 2])
        features = directions.indices[entries].tolist()
        coefficients = directions.data[entries].tolist()
        threshold = float(arrays.threshold[node])
        windows = [window._asdict() for _, window in arrays.windows(node)]
        coefficients = (
            coefficients
            if windows
            else [
                codes.coefficient(number, *pair)
                for pair in zip(features, coefficients, strict=True)
            ]
        )
        yield {
            **({"windows": windows} if windows else {"features": features}),
            "coefficients": coefficients,
            "threshold": threshold if np.isfinite(threshold) else None,
            "missing": "left" if arrays.missing_left[node] else "right",
            "left": left,
            "right": left + 1,
            **facts,
        }


class _Codes:
    """Codes of the categories of a tree's directions, by name."""

    def __init__(self, forest: BaseForest, tree: int) -> None:
        self._directions = forest.forest_.stored_directions(tree)
        counts = forest.forest_.n_categories
        self._first = forest.forest_.n_features + np.cumsum(counts) - counts
        self._names = category_names(forest)

    def coefficient(self, node: int, feature: int, value: float) -> float | dict[str, float]:
        """The coefficient of a feature in the direction of a node; for categories, one each."""
        names = None if self._names is None else self._names[feature]
        if names is None:
            return value
        entries = slice(*self._directions.indptr[node : node + 2])
        columns = self._directions.indices[entries] - self._first[feature]
        mine = (columns >= 0) & (columns < len(names))
        coefficients = self._directions.data[entries][mine].tolist()
        # A direction that asked no sample has an entry of zero, for the feature's sake.
        found = zip(columns[mine].tolist(), coefficients, strict=True)
        return {names[category]: code for category, code in found if code != 0}


def category_names(forest: BaseForest) -> list[list[str] | None] | None:
    """The categories of each feature as text; None for a number, and if all are."""
    known = forest.categories_
    if known is None:
        return None
    return [None if of is None else [category_name(name) for name in of.tolist()] for of in known]

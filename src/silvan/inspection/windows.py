"""The windows of a forest with channels: which bring most, and what they are called."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from silvan._validation import check_forest, check_integer, invalid
from silvan._windows import Window
from silvan.forests.base import BaseForest
from silvan.forests.importances import nodes_of, share, split_gains

Terms = tuple[tuple[float, Window], ...]


@dataclass(frozen=True, eq=False)
class TopWindows:
    """The windows of a forest with the largest importance, the best first.

    Attributes
    ----------
    directions : list of tuple of (float, Window)
        Coefficients and windows of each direction, which has several where `n_patches` is above 1.
    importances : ndarray of shape (n_directions,)
        Share of each direction in the decrease of impurity.
    n_splits : ndarray of shape (n_directions,)
        Number of splits of the forest along each of them.
    channel_names : tuple of str
        Names of the arrays that windows lie on.
    """

    directions: list[Terms]
    importances: NDArray[np.float64]
    n_splits: NDArray[np.int64]
    channel_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.importances)

    def formulas(self) -> list[str]:
        """Each direction in words."""
        return [_describe(terms, self.channel_names) for terms in self.directions]

    def __str__(self) -> str:
        lines = ["importance  splits  window"]
        table = zip(self.importances, self.n_splits, self.formulas(), strict=True)
        for importance, count, formula in table:
            lines.append(f"{importance:10.4f}  {count:6d}  {formula}")
        return "\n".join(lines)


def top_windows(forest: BaseForest, k: int | None = 10) -> TopWindows:
    """The windows with the largest importance, of a manifold forest with channels.

    The importance of a window is the decrease of impurity by all splits along it, normalised within
    each tree and averaged over the trees, as `feature_importances_` are. Where nodes combine
    windows by a fit (``n_terms`` above 1), each of them has a share in proportion to its
    coefficient. Windows have many places and sizes, so that few repeat; `importance_map` with
    ``by_channel=True`` adds them up.

    Parameters
    ----------
    forest : fitted forest
        A manifold forest of this library with channels.
    k : int or None, default=10
        How many windows; None is all of them.

    Returns
    -------
    windows : TopWindows
        The windows, the best first. Prints as a table.

    See Also
    --------
    importance_map : Where windows lie, added up.
    top_projections : The same for forests without channels.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan import ManifoldForestClassifier
    >>> from silvan.inspection import top_windows
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=200)
    >>> X = rng.normal(size=(200, 40)) + 2 * y[:, None] * (np.arange(40) // 10 == 1)
    >>> forest = ManifoldForestClassifier(20, random_state=0).fit(X, y)
    >>> print(top_windows(forest, 1))
    importance  splits  window
        0... ... of ... [...:...]
    """
    check_forest(forest)
    check_integer("k", k, 1, or_none=True)
    channels = forest.fitted_.channels
    if channels is None:
        raise invalid(
            "forest", "a manifold forest with channels", forest, "use top_projections for others"
        )
    arrays = forest.forest_
    gains, credit, count = split_gains(arrays), dict[Terms, float](), dict[Terms, int]()
    for tree in range(arrays.n_trees):
        nodes = nodes_of(arrays, tree)
        shares = share(gains[nodes])
        for node in np.flatnonzero(arrays.left[nodes] >= 0).tolist():
            for terms, part in _parts(tuple(arrays.windows(nodes.start + node))):
                credit[terms] = credit.get(terms, 0.0) + part * float(shares[node])
                count[terms] = count.get(terms, 0) + 1
    importances = share(np.array(list(credit.values()), dtype=np.float64))
    # Equal importances keep the order of the splits.
    best = np.argsort(-importances, kind="stable")[:k]
    directions = list(credit)
    return TopWindows(
        [directions[i] for i in best],
        importances[best],
        np.array(list(count.values()), dtype=np.int64)[best],
        forest.fitted_.channel_names,
    )


def _parts(terms: Terms) -> list[tuple[Terms, float]]:
    """What is credited with a split: windows that a fit has combined one by one, others together.

    Each comes with its share. Those of a fit are known by their scales.
    """
    if all(window.scale == 1 for _, window in terms):
        return [(terms, 1.0)]
    total = sum(abs(coefficient) for coefficient, _ in terms)
    return [
        (((1.0, window._replace(scale=1.0)),), abs(coefficient) / total)
        for coefficient, window in terms
    ]


def _describe(terms: Terms, names: tuple[str, ...]) -> str:
    """A direction over windows in words, such as "spread of difference [3:17]"."""
    text = ""
    for coefficient, window in terms:
        size = "" if abs(coefficient) == 1 else f"{abs(coefficient):.3g} "
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} {size}{window.describe(names[window.channel])}"
    return text.removeprefix(" + ").strip()

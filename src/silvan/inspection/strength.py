"""Strength of the trees and correlation between them, from out-of-bag votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from silvan.forests.classifier import ForestClassifier
from silvan.inspection._checks import check_classifier
from silvan.inspection.out_of_bag import out_of_bag_blocks


@dataclass(frozen=True)
class StrengthCorrelation:
    """How good the trees of a forest are, and how much alike.

    Attributes
    ----------
    strength : float
        Mean margin of the votes, in [-1, 1].
    correlation : float
        Mean correlation between the margins of two trees; NaN where no tree's margin varies.
    """

    strength: float
    correlation: float

    @property
    def bound(self) -> float:
        """Breiman's bound of the error, ρ(1 - s²)/s²; infinite where the strength is not positive.

        It is far above the error of most forests, but it points in the right direction: stronger
        and less correlated trees lower it.
        """
        if self.strength <= 0:
            return float("inf")
        return self.correlation * (1 - self.strength**2) / self.strength**2


def strength_and_correlation(
    forest: ForestClassifier, X: ArrayLike, y: ArrayLike
) -> StrengthCorrelation:
    """Strength of the trees and correlation between them, from out-of-bag votes [1]_ [2]_.

    Let Q(x, j) be the share of votes for class j among the trees that did not draw sample x. The
    margin of a sample of class y is Q(x, y) - Q(x, k), where k is the class other than y with the
    most votes. The strength s is its mean over the samples. The correlation is the variance of the
    margin over the square of the mean standard deviation of the single trees' margins. A tree's
    margin is its vote for y minus its vote for k: 1, -1 or 0, or a value between them where equally
    probable classes of a leaf share its vote. Its variance is over the samples that the tree did
    not draw. (With whole votes it is p + q - (p - q)², where p and q are the shares of votes for y
    and for k; the appendix of [1]_ has + instead of the minus, which is not a variance.)

    Parameters
    ----------
    forest : fitted classifier
        A classifier of this library whose trees leave out samples.
    X : array-like of shape (n_samples, n_features)
        The samples that the forest was fitted on.
    y : array-like of shape (n_samples,)
        Their classes.

    Returns
    -------
    measures : StrengthCorrelation
        Strength and correlation. Samples that every tree drew do not count.

    References
    ----------
    .. [1] L. Breiman. Random forests. Machine Learning 45, 2001, section 2.2 and appendix II.
    .. [2] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018, section 3.3.3.

    Examples
    --------
    >>> from silvan import ForestClassifier
    >>> from silvan.datasets import make_trunk
    >>> from silvan.inspection import strength_and_correlation
    >>> from silvan.projections import AxisAligned, SparseSigns
    >>> X, y = make_trunk(500, random_state=0)
    >>> plain = ForestClassifier(200, projections=AxisAligned(), random_state=0).fit(X, y)
    >>> oblique = ForestClassifier(200, projections=SparseSigns(density=0.3), random_state=0)
    >>> weaker = strength_and_correlation(plain, X, y)
    >>> stronger = strength_and_correlation(oblique.fit(X, y), X, y)
    >>> weaker.strength < stronger.strength
    True
    """
    check_classifier(forest)
    votes = forest.forest_.with_votes().leaf_values()
    n_trees, n_classes = forest.forest_.n_trees, forest.n_classes_
    total, squares, left_out = np.zeros(n_trees), np.zeros(n_trees), np.zeros(n_trees)
    margins = []
    for block in out_of_bag_blocks(forest, X, y):
        out = [np.flatnonzero(block.out[:, tree]) for tree in range(n_trees)]
        sums = np.zeros((len(block.y), n_classes))
        for tree, rows in enumerate(out):
            sums[rows] += votes[block.leaves[rows, tree]].toarray()
        rival = _runner_up(sums, block.y)
        for tree, rows in enumerate(out):
            cast = votes[block.leaves[rows, tree]].toarray()
            margin = _margin(cast, block.y[rows], rival[rows])
            total[tree] += margin.sum()
            squares[tree] += (margin**2).sum()
            left_out[tree] += len(rows)
        n_votes = np.count_nonzero(block.out, axis=1)
        seen = n_votes > 0
        margins.append(_margin(sums, block.y, rival)[seen] / n_votes[seen])
    asked = left_out > 0
    means = total[asked] / left_out[asked]
    variance = squares[asked] / left_out[asked] - means**2
    deviation = float(np.sqrt(np.maximum(variance, 0.0)).mean())
    margin = np.concatenate(margins)
    correlation = float(margin.var()) / deviation**2 if deviation > 0 else float("nan")
    return StrengthCorrelation(float(margin.mean()), correlation)


def _runner_up(sums: NDArray[np.float64], y: NDArray[Any]) -> NDArray[np.intp]:
    """The class other than `y` with most votes; -1 if there is no other."""
    if sums.shape[1] == 1:
        return np.full(len(y), -1)
    others = sums.copy()
    others[np.arange(len(y)), y] = -1.0
    rival: NDArray[np.intp] = others.argmax(axis=1)
    return rival


def _margin(
    votes: NDArray[np.float64], y: NDArray[Any], rival: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Votes for the class less those for its rival, if it has one."""
    every = np.arange(len(y))
    against = np.where(rival < 0, 0.0, votes[every, rival])
    margin: NDArray[np.float64] = votes[every, y] - against
    return margin

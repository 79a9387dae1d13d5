"""Strength of the trees and correlation between them, from out-of-bag votes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from silvan.forests.classifier import ForestClassifier
from silvan.inspection._checks import check_classifier
from silvan.inspection.out_of_bag import out_of_bag_blocks
from silvan.inspection.trees import leaf_votes


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

        It is far above the error of most forests. What counts is the direction: stronger and less
        correlated trees lower it.
        """
        if self.strength <= 0:
            return float("inf")
        return self.correlation * (1 - self.strength**2) / self.strength**2


def strength_and_correlation(
    forest: ForestClassifier, X: ArrayLike, y: ArrayLike
) -> StrengthCorrelation:
    """Strength of the trees and correlation between them, from out-of-bag votes [1]_ [2]_.

    Let Q(x, j) be the share of votes for class j among the trees that did not draw row x. The
    margin of a row of class y is Q(x, y) - Q(x, k), where k is the class other than y with most
    votes. The strength s is its mean over the rows. The correlation is the variance of the margin
    over the square of the mean standard deviation of the single trees' margins. A tree's margin is
    1 where it votes for y, -1 where it votes for k and else 0; its variance is p + q - (p - q)²,
    where p and q are the shares of these votes over the rows that the tree did not draw. (The
    appendix of [1]_ prints + for the minus, which is no variance.)

    Parameters
    ----------
    forest : fitted classifier
        A classifier of this library whose trees leave out rows.
    X : array-like of shape (n_samples, n_features)
        The rows that the forest was fitted on.
    y : array-like of shape (n_samples,)
        Their classes.

    Returns
    -------
    measures : StrengthCorrelation
        Strength and correlation. Rows that every tree drew do not count.

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
    >>> from silvan.projections import SparseSigns
    >>> X, y = make_trunk(500, random_state=0)
    >>> plain = ForestClassifier(200, random_state=0).fit(X, y)
    >>> oblique = ForestClassifier(200, projections=SparseSigns(density=0.3), random_state=0)
    >>> weaker = strength_and_correlation(plain, X, y)
    >>> stronger = strength_and_correlation(oblique.fit(X, y), X, y)
    >>> weaker.strength < stronger.strength
    True
    """
    check_classifier(forest)
    votes = leaf_votes(forest.forest_)
    n_trees, n_classes = forest.forest_.n_trees, forest.n_classes_
    right, runner_up, left_out = np.zeros(n_trees), np.zeros(n_trees), np.zeros(n_trees)
    margins = []
    for block in out_of_bag_blocks(forest, X, y):
        cast = votes[block.leaves]
        n_rows = len(cast)
        row = np.arange(n_rows)
        cells = (row[:, None] * n_classes + cast)[block.out]
        counts = np.bincount(cells, minlength=n_rows * n_classes).reshape(n_rows, n_classes)
        others = counts.copy()
        others[row, block.y] = -1
        rival = others.argmax(axis=1) if n_classes > 1 else np.full(n_rows, -1)
        seen = block.out.any(axis=1)
        gap = counts[row, block.y] - np.maximum(others[row, rival], 0)
        margins.append(gap[seen] / counts[seen].sum(axis=1))
        right += np.count_nonzero((cast == block.y[:, None]) & block.out, axis=0)
        runner_up += np.count_nonzero((cast == rival[:, None]) & block.out, axis=0)
        left_out += np.count_nonzero(block.out, axis=0)
    margin = np.concatenate(margins)
    asked = left_out > 0
    p, q = right[asked] / left_out[asked], runner_up[asked] / left_out[asked]
    deviation = float(np.sqrt(np.maximum(p + q - (p - q) ** 2, 0.0)).mean())
    correlation = float(margin.var()) / deviation**2 if deviation > 0 else float("nan")
    return StrengthCorrelation(float(margin.mean()), correlation)

"""Systems that fit directions to the data of a tree or node."""

from __future__ import annotations

from typing import Any

from silvan.forests._docs import shared_docs
from silvan.presets.configuration import Forest, make_forest
from silvan.projections import CanonicalDirections, PrincipalComponents, RidgeDirections


@shared_docs
def rot_for(
    n_estimators: int = 100,
    *,
    n_features: int = 3,
    per: str = "tree",
    task: str = "classification",
    **options: Any,
) -> Forest:
    """Rotation forest (Rot-For): principal components of random groups of features.

    As first published [1]_ each tree rotates the features once, by components of subsamples of its
    training data, is grown on all samples (no bootstrap) and considers all p components at every
    node; trees average their probabilities. ``per="node"`` finds components anew at every node, as
    in table 3.1 of [2]_. Units matter; ``scaling="standard"`` takes them away.

    Parameters
    ----------
    {n_estimators}
    n_features : int, default=3
        Number of features in a group.
    per : {"tree", "node"}, default="tree"
        Whether to find components once per tree or at every node.
    {preset}

    References
    ----------
    .. [1] J. J. Rodríguez, L. I. Kuncheva and C. J. Alonso. Rotation forest: a new classifier
       ensemble method. IEEE Transactions on Pattern Analysis and Machine Intelligence 28, 2006.
    .. [2] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018, table 3.1.

    Examples
    --------
    >>> from silvan import presets
    >>> forest = presets.rot_for()
    >>> forest.projections.per, forest.bootstrap, forest.max_features
    ('tree', False, None)
    """
    published: dict[str, Any] = {"bootstrap": False, "max_features": None}
    if task == "classification":
        published["voting"] = "soft"
    projections = PrincipalComponents(n_features, per)
    return make_forest(task, n_estimators, projections, published | options)


@shared_docs
def o_rf(
    n_estimators: int = 100,
    *,
    n_features: int | None = None,
    alpha: float = 1.0,
    task: str = "classification",
    **options: Any,
) -> Forest:
    """Oblique random forest (O-RF): one ridge regression on random features at every node.

    A node regresses the targets on sqrt(p) random features and splits along the coefficients. As
    published there is one direction at a node; raise `max_features` for more. The authors choose
    the penalty at every node on out-of-bag samples; here it is fixed. Classes are put into two
    groups at random where there are more than two.

    Parameters
    ----------
    {n_estimators}
    n_features : int, default=None
        Number of features in a regression; None is the square root of p.
    alpha : float, default=1.0
        Strength of the penalty.
    {preset}

    References
    ----------
    B. H. Menze, B. M. Kelm, D. N. Splitthoff, U. Koethe and F. A. Hamprecht. On oblique random
    forests. European Conference on Machine Learning, 2011.

    T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins University,
    2018, table 3.1.

    Examples
    --------
    >>> from silvan import presets
    >>> presets.o_rf(alpha=0.1).max_features
    1
    """
    options = {"max_features": 1, **options}
    return make_forest(task, n_estimators, RidgeDirections(n_features, alpha), options)


@shared_docs
def ccf(
    n_estimators: int = 100,
    *,
    n_features: int | None = None,
    task: str = "classification",
    **options: Any,
) -> Forest:
    """Canonical correlation forest (CCF): directions that correlate most with the classes.

    A node draws log2(p) + 1 random features and finds their canonical correlations with the classes
    in a bootstrap of its own samples (the projection bootstrap). This one fit gives as many
    directions as there are features drawn, or classes in the node but one, whichever are fewer; in
    regression, as there are outputs. Trees see all samples.

    Parameters
    ----------
    {n_estimators}
    n_features : int, default=None
        Number of features in a fit; None is log2(p) + 1, rounded up.
    {preset}

    References
    ----------
    T. Rainforth and F. Wood. Canonical correlation forests. arXiv:1507.05444, 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import presets
    >>> X, y = load_iris(return_X_y=True)
    >>> presets.ccf(50, random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """
    # A fit never gives more directions than there are features.
    options = {"bootstrap": False, "max_features": None, **options}
    return make_forest(task, n_estimators, CanonicalDirections(n_features, max_fits=1), options)

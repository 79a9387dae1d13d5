"""The systems of the literature under their own names, each a configured forest.

Every function takes ``n_estimators``, ``task`` ("classification" or "regression") and any further
parameter of the estimator that it returns; what is passed wins over what the literature says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from silvan._validation import check_choice
from silvan.forests import (
    ForestClassifier,
    ForestRegressor,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
)
from silvan.forests._docs import shared_docs
from silvan.projections import (
    AxisAligned,
    CanonicalDirections,
    GraphNeighborhoods,
    Patches,
    PrincipalComponents,
    ProjectionDistribution,
    RandomRotation,
    RidgeDirections,
    SparseSigns,
    UniformCombinations,
)

__all__ = [
    "ccf",
    "extra_trees",
    "f_rc",
    "frank",
    "graph_morf",
    "mf",
    "morf",
    "o_rf",
    "rerf",
    "rf",
    "rot_for",
    "rr_rf",
    "s_rerf",
    "sporf",
]

Forest = ForestClassifier | ForestRegressor

_FORESTS: dict[str, type[Forest]] = {
    "classification": ForestClassifier,
    "regression": ForestRegressor,
}
_MANIFOLD_FORESTS: dict[str, type[Forest]] = {
    "classification": ManifoldForestClassifier,
    "regression": ManifoldForestRegressor,
}
# Breiman's rules: the square root of p directions and a vote of each tree, or a third of p.
_RULES: dict[str, dict[str, Any]] = {
    "classification": {"max_features": "sqrt", "voting": "hard"},
    "regression": {"max_features": 1 / 3},
}


@shared_docs
def rf(n_estimators: int = 100, *, task: str = "classification", **options: Any) -> Forest:
    """Random forest (RF, Forest-RI): the best threshold along sqrt(p) single features.

    Trees are grown to the end on bootstrap samples and vote. In regression they draw a third of the
    features and average, as in the package of Breiman and Cutler.

    Parameters
    ----------
    {n_estimators}
    {preset}

    References
    ----------
    L. Breiman. Random forests. Machine Learning 45, 2001.

    Examples
    --------
    >>> from silvan import presets
    >>> presets.rf(200, random_state=0)
    ForestClassifier(n_estimators=200, projections=AxisAligned(), random_state=0, voting='hard')
    """
    return _forest(task, n_estimators, AxisAligned(), options)


@shared_docs
def extra_trees(n_estimators: int = 100, *, task: str = "classification", **options: Any) -> Forest:
    """Extremely randomised trees: sqrt(p) single features, each with one random threshold.

    Every tree sees every sample; in regression a node draws all features. Trees vote.

    Parameters
    ----------
    {n_estimators}
    {preset}

    References
    ----------
    P. Geurts, D. Ernst, L. Wehenkel. Extremely randomized trees. Machine Learning 63, 2006.

    Examples
    --------
    >>> from silvan import presets
    >>> presets.extra_trees(200).thresholds
    'random'
    """
    published: dict[str, Any] = {"thresholds": "random", "bootstrap": False}
    if task == "regression":
        published["max_features"] = 1.0
    return _forest(task, n_estimators, AxisAligned(), published | options)


@shared_docs
def f_rc(
    n_estimators: int = 100, *, n_features: int = 2, task: str = "classification", **options: Any
) -> Forest:
    """Forest-RC (F-RC): combinations of L features with weights uniform over (-1, 1).

    It differs from `rf` in the directions only. Combinations depend on the scales of the features:
    see `frank`. The thesis [2]_ tunes `max_features` up to p².

    Parameters
    ----------
    {n_estimators}
    n_features : int, default=2
        Number L of features in a direction; Breiman used 3.
    {preset}

    References
    ----------
    .. [1] L. Breiman. Random forests. Machine Learning 45, 2001, section 5.
    .. [2] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018, section 2.2.4.

    Examples
    --------
    >>> from silvan import presets
    >>> presets.f_rc(n_features=3).projections
    UniformCombinations(n_features=3)
    """
    return _forest(task, n_estimators, UniformCombinations(n_features), options)


@shared_docs
def frank(
    n_estimators: int = 100, *, n_features: int = 2, task: str = "classification", **options: Any
) -> Forest:
    """Frank: F-RC on the ranks of the features.

    It differs from `f_rc` in that features are replaced by their ranks among the training values,
    which makes it blind to their scales and robust against corrupted values.

    Parameters
    ----------
    {n_estimators}
    n_features : int, default=2
        Number L of features in a direction.
    {preset}

    References
    ----------
    T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins University,
    2018, chapter 2.

    Examples
    --------
    >>> from silvan import presets
    >>> from silvan.datasets import make_trunk
    >>> X, y = make_trunk(300, random_state=0)
    >>> forest = presets.frank(random_state=0).fit(X, y)
    >>> forest.scaling, forest.score(X, y) > 0.9
    ('rank', True)
    """
    options = {"scaling": "rank", **options}
    return _forest(task, n_estimators, UniformCombinations(n_features), options)


@shared_docs
def rr_rf(n_estimators: int = 100, *, task: str = "classification", **options: Any) -> Forest:
    """Random rotation random forest (RR-RF): a random forest on randomly rotated features.

    Each tree rotates the features by a rotation of its own, uniform over all, and then splits
    along single rotated features. ``scaling="rank"`` gives the RR-RF(r) of [2]_, "minmax" RR-RF(n)
    and "standard" RR-RF(z); [1]_ recommends to scale features in one of these ways.

    Parameters
    ----------
    {n_estimators}
    {preset}

    References
    ----------
    .. [1] R. Blaser and P. Fryzlewicz. Random rotation ensembles. Journal of Machine Learning
       Research 17, 2016.
    .. [2] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018, sections 2.2.4 and 2.2.5.

    Examples
    --------
    >>> from silvan import presets
    >>> presets.rr_rf(scaling="rank").projections
    RandomRotation()
    """
    return _forest(task, n_estimators, RandomRotation(), options)


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

    As first published [1]_ each tree rotates the features once, by components of samples of its
    rows, is grown on all rows (no bootstrap) and considers all p components at every node; trees
    average their probabilities. ``per="node"`` finds components anew at every node, as in table 3.1
    of [2]_. Units matter; ``scaling="standard"`` takes them away.

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
    law = PrincipalComponents(n_features, per)
    return _forest(task, n_estimators, law, published | options)


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
    the penalty at every node by out-of-bag rows, here it is fixed. Classes are put into two groups
    at random where there are more than two.

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
    return _forest(task, n_estimators, RidgeDirections(n_features, alpha), options)


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
    in a bootstrap sample of its own rows (the projection bootstrap). This one fit gives as many
    directions as there are features drawn, or classes in the node but one, whichever are fewer; in
    regression, as there are outputs. Trees see all rows.

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
    return _forest(task, n_estimators, CanonicalDirections(n_features, max_fits=1), options)


@shared_docs
def rerf(
    n_estimators: int = 100,
    *,
    density: float | None = None,
    task: str = "classification",
    **options: Any,
) -> Forest:
    """Randomer forest (RerF): sums and differences of few features.

    The directions of a node are a p x d matrix with a share λ of its entries not zero, each +1 or
    -1. The thesis tunes d in {p^(1/4), p^(1/2), p^(3/4), p, p²} and λ in {1/p, ..., 5/p} by the
    out-of-bag error; before that, d is the square root of p and λ is 2/p.

    Parameters
    ----------
    {n_estimators}
    density : float, default=None
        Share λ of the entries that are not zero; None is 2/p.
    {preset}

    References
    ----------
    T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins University,
    2018, chapter 3.

    Examples
    --------
    >>> from silvan import presets
    >>> presets.rerf(density=0.1, max_features=4.0).projections
    SparseSigns(density=0.1)
    """
    return _forest(task, n_estimators, SparseSigns(density), options)


@shared_docs
def sporf(
    n_estimators: int = 100,
    *,
    mean_nonzeros: float | None = None,
    task: str = "classification",
    **options: Any,
) -> Forest:
    """Sparse projection oblique randomer forest (SPORF): RerF with Poisson numbers of features.

    It differs from `rerf` in how the nonzeros are shared out: each direction has its own number of
    features, Poisson(λ) and at least one.

    Parameters
    ----------
    {n_estimators}
    mean_nonzeros : float, default=None
        The rate λ; None is 2. The papers do not print theirs.
    {preset}

    References
    ----------
    T. M. Tomita et al. Sparse projection oblique randomer forests. Journal of Machine Learning
    Research 21, 2020.

    R. Perry et al. Manifold forests: closing the gap on neural networks, section 2.3.

    Examples
    --------
    >>> from silvan import presets
    >>> presets.sporf(mean_nonzeros=3).projections
    SparseSigns(mean_nonzeros=3, counts='poisson')
    """
    law = SparseSigns(mean_nonzeros=mean_nonzeros, counts="poisson")
    return _forest(task, n_estimators, law, options)


@shared_docs
def s_rerf(
    n_estimators: int = 100,
    *,
    shape: int | Sequence[int],
    min_size: int | Sequence[int] = 1,
    max_size: int | Sequence[int] | None = None,
    shuffled: bool = False,
    task: str = "classification",
    **options: Any,
) -> Forest:
    """Structured RerF (S-RerF): patches of neighbouring pixels with random weights.

    It differs from `morf` in the weights of the cells, uniform over (-1, 1) in place of one. Its
    control moves the cells of each patch to random places, so that it knows the sizes of patches
    but not the neighbourhood. The thesis does not say how patches are placed; here the size is
    drawn first and then a place that fits.

    Parameters
    ----------
    {n_estimators}
    shape : int or tuple of int
        Shape of the grid that one row lies on. `X` has flat rows.
    min_size, max_size : int or tuple of int, default=1 and None
        Smallest and largest number of cells of a patch along each axis; None stands for 3.
    shuffled : bool, default=False
        True for the control.
    {preset}

    References
    ----------
    T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins University,
    2018, section 3.3.8.

    Examples
    --------
    >>> from silvan import presets
    >>> control = presets.s_rerf(shape=(28, 28), max_size=5, shuffled=True)
    >>> control.projections.weights, control.projections.shuffled
    ('uniform', True)
    """
    law = Patches(
        shape, min_size, max_size, boundary="inside", coefficients="uniform", shuffled=shuffled
    )
    return _forest(task, n_estimators, law, options)


@shared_docs
def morf(
    n_estimators: int = 100,
    *,
    shape: int | Sequence[int] | None = None,
    min_size: int | Sequence[int] = 1,
    max_size: int | Sequence[int] | None = None,
    task: str = "classification",
    **options: Any,
) -> Forest:
    """Manifold oblique random forest (MORF): sums over patches of an image, series or volume.

    The corner of a patch is drawn first, uniformly over the grid, and then a size that fits; so
    cells near the ends are covered less often than others. `mf` covers all alike. For data on a
    circle pass ``boundary="wrap"``, for channels ``contiguous``.

    Parameters
    ----------
    {n_estimators}
    {preset_grid}
    {manifold_preset}

    References
    ----------
    R. Perry et al. Manifold forests: closing the gap on neural networks, section 3.1.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from silvan import presets
    >>> digits = load_digits()
    >>> forest = presets.morf(50, random_state=0).fit(digits.images[:1000], digits.target[:1000])
    >>> forest.score(digits.images[1000:], digits.target[1000:]) > 0.9
    True
    """
    grid = {"shape": shape, "min_size": min_size, "max_size": max_size}
    return _configure(_MANIFOLD_FORESTS, task, n_estimators, {"boundary": "corner"} | grid, options)


@shared_docs
def mf(
    n_estimators: int = 100,
    *,
    shape: int | Sequence[int] | None = None,
    min_size: int | Sequence[int] = 1,
    max_size: int | Sequence[int] | None = None,
    task: str = "classification",
    **options: Any,
) -> Forest:
    """Manifold-aware forest (MF): sums over patches that cover every cell equally often.

    It differs from `morf` in how patches meet the ends of the grid: the size is drawn first, then a
    place that may stick out, and what does is cut off. Trees average the class probabilities of
    their leaves (section 2.2) and do not vote. The thesis lists the sizes of its experiments in
    appendix C.

    Parameters
    ----------
    {n_estimators}
    {preset_grid}
    {manifold_preset}

    References
    ----------
    R. Perry. Manifold-aware forests: closing the gap to convolutional neural networks. Johns
    Hopkins University, 2020, section 3.1.

    Examples
    --------
    >>> from silvan import presets
    >>> presets.mf(shape=(28, 28), min_size=2, max_size=(2, 5)).boundary
    'pad'
    """
    published: dict[str, Any] = {"boundary": "pad"}
    if task == "classification":
        published["voting"] = "soft"
    grid = {"shape": shape, "min_size": min_size, "max_size": max_size}
    return _configure(_MANIFOLD_FORESTS, task, n_estimators, published | grid, options)


@shared_docs
def graph_morf(
    n_estimators: int = 100,
    *,
    graph: Any,
    min_size: int = 1,
    max_size: int = 8,
    task: str = "classification",
    **options: Any,
) -> Forest:
    """MORF on a graph: sums over connected neighbourhoods of the graph of the features.

    The papers name graphs as a manifold and leave the law open; here it is that of
    :class:`silvan.projections.GraphNeighborhoods`.

    Parameters
    ----------
    {n_estimators}
    graph : sparse matrix or networkx graph
        Which features are neighbours.
    min_size, max_size : int, default=1 and 8
        Smallest and largest number of features in a neighbourhood.
    {preset}

    References
    ----------
    R. Perry et al. Manifold forests: closing the gap on neural networks, section 3.1.

    Examples
    --------
    >>> from scipy.sparse import diags_array
    >>> from silvan import presets
    >>> path = diags_array([1.0] * 5, offsets=1, shape=(6, 6))
    >>> presets.graph_morf(graph=path, max_size=3).projections.max_size
    3
    """
    law = GraphNeighborhoods(graph, min_size, max_size)
    return _forest(task, n_estimators, law, options)


def _forest(
    task: str, n_estimators: int, projections: ProjectionDistribution, options: dict[str, Any]
) -> Forest:
    return _configure(_FORESTS, task, n_estimators, {"projections": projections}, options)


def _configure(
    forests: dict[str, type[Forest]],
    task: str,
    n_estimators: int,
    system: dict[str, Any],
    options: dict[str, Any],
) -> Forest:
    """The forest of a system; options win over its rules and over the system's own settings."""
    check_choice("task", task, forests)
    return forests[task](n_estimators, **{**_RULES[task], **system, **options})

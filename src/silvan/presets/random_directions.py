"""Systems that draw directions without a look at the data."""

from __future__ import annotations

from typing import Any

from silvan.forests._docs import shared_docs
from silvan.presets.configuration import Forest, make_forest
from silvan.projections import (
    AxisAligned,
    RandomRotation,
    SparseSigns,
    UniformCombinations,
    WeightedCombinations,
)


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
    ForestClassifier(max_features='sqrt', n_estimators=200,
                     projections=AxisAligned(), random_state=0, voting='hard')
    """
    return make_forest(task, n_estimators, AxisAligned(), options)


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
    return make_forest(task, n_estimators, AxisAligned(), published | options)


@shared_docs
def f_rc(
    n_estimators: int = 100, *, n_features: int = 2, task: str = "classification", **options: Any
) -> Forest:
    """Forest-RC (F-RC): combinations of L features, coefficients uniform over (-1, 1).

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
    return make_forest(task, n_estimators, UniformCombinations(n_features), options)


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
    return make_forest(task, n_estimators, UniformCombinations(n_features), options)


@shared_docs
def guided(
    n_estimators: int = 100,
    *,
    n_features: int | tuple[int, int] = (1, 3),
    trees_per_round: int = 20,
    task: str = "classification",
    **options: Any,
) -> Forest:
    """Guided Frank: the number of features varies, and trees learn which features to draw.

    The thesis names both as ways to improve `frank` and leaves them open. Each node draws how many
    features its directions have, and from the second round of trees on features are drawn by
    their importance in the rounds before; see :class:`silvan.projections.WeightedCombinations`.

    Parameters
    ----------
    {n_estimators}
    n_features : int or pair of int, default=(1, 3)
        Number of features in a direction, or the smallest and the largest.
    trees_per_round : int, default=20
        Number of trees of a round.
    {preset}

    References
    ----------
    T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins University,
    2018, section 2.5.

    Examples
    --------
    >>> from silvan import presets
    >>> presets.guided(trees_per_round=50).projections
    WeightedCombinations(trees_per_round=50)
    """
    projections = WeightedCombinations(n_features, trees_per_round=trees_per_round)
    options = {"scaling": "rank", **options}
    return make_forest(task, n_estimators, projections, options)


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
    return make_forest(task, n_estimators, RandomRotation(), options)


@shared_docs
def rerf(
    n_estimators: int = 100,
    *,
    density: float | None = None,
    empty: str = "fill",
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
    empty : {"fill", "drop"}, default="fill"
        What becomes of a column without nonzeros: it gets one feature at random, or the node has a
        candidate less, as in the R package rerf.
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
    >>> presets.rerf(empty="drop").projections  # as in the R package
    SparseSigns(empty='drop')
    """
    return make_forest(task, n_estimators, SparseSigns(density, empty=empty), options)


@shared_docs
def agnostic(
    n_estimators: int = 100,
    *,
    density: float | None = None,
    max_leaf_nodes: int | None = None,
    task: str = "classification",
    **options: Any,
) -> Forest:
    """Data-agnostic RerF: partitions of space that do not depend on the targets.

    A node splits along the first direction that it draws, at a threshold that is uniform over its
    range; targets fill the leaves and decide nothing else. Trees see all samples. Such forests are
    consistent for every distribution if leaves grow in number but more slowly than the samples
    (theorem 3): pass `min_samples_leaf` of about √n with ``min_balance=0.2``. They are for theory,
    and as a control.

    Limiting leaves by `max_leaf_nodes`, for example to 2√n, is worse: those to split are chosen by
    chance, and some cells stay large. On skewed columns, most samples stay in one cell, and the
    forest may predict the largest class everywhere; there ``scaling="rank"`` helps, too.

    Parameters
    ----------
    {n_estimators}
    density : float, default=None
        Share λ of the entries of the random matrix that are not zero, as in `rerf`; None is 2/p.
    max_leaf_nodes : int, default=None
        Number of leaves of a tree; None gives each sample one of its own.
    {preset}

    References
    ----------
    T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins University,
    2018, definition 1 and theorem 3.

    Examples
    --------
    >>> from silvan import presets
    >>> presets.agnostic(min_samples_leaf=60, min_balance=0.2).thresholds
    'agnostic'
    """
    published = {"thresholds": "agnostic", "bootstrap": False, "max_leaf_nodes": max_leaf_nodes}
    return make_forest(task, n_estimators, SparseSigns(density), published | options)


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
    projections = SparseSigns(mean_nonzeros=mean_nonzeros, counts="poisson")
    return make_forest(task, n_estimators, projections, options)

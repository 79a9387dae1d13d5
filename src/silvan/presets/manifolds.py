"""Systems that know which features are neighbours: grids and graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from silvan.forests._docs import shared_docs
from silvan.presets.configuration import MANIFOLD_FORESTS, Forest, configure, make_forest
from silvan.projections import GraphNeighborhoods, Patches


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
    """Structured RerF (S-RerF): patches of neighbouring pixels with random coefficients.

    It differs from `morf` in the coefficients of the cells, uniform over (-1, 1) instead of 1. Its
    control moves the cells of each patch to random places, so that it knows the sizes of patches
    but not the neighbourhood. The thesis does not say how patches are placed; here the size is
    drawn first and then a place that fits.

    Parameters
    ----------
    {n_estimators}
    shape : int or tuple of int
        Shape of the grid that one sample lies on. `X` has flat samples.
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
    >>> control.projections.coefficients, control.projections.shuffled
    ('uniform', True)
    """
    projections = Patches(
        shape, min_size, max_size, boundary="inside", coefficients="uniform", shuffled=shuffled
    )
    return make_forest(task, n_estimators, projections, options)


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
    published = {"channels": "raw", "boundary": "corner"}
    return configure(MANIFOLD_FORESTS, task, n_estimators, published | grid, options)


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
    published: dict[str, Any] = {"channels": "raw", "boundary": "pad"}
    if task == "classification":
        published["voting"] = "soft"
    grid = {"shape": shape, "min_size": min_size, "max_size": max_size}
    return configure(MANIFOLD_FORESTS, task, n_estimators, published | grid, options)


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

    The papers name graphs as a manifold and leave the distribution open; here it is
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
    projections = GraphNeighborhoods(graph, min_size, max_size)
    return make_forest(task, n_estimators, projections, options)

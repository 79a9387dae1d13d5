"""Manifold forests: for images, volumes and series, split along windows on their channels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from silvan._parameters import growing
from silvan.forests._docs import shared_docs
from silvan.forests.classifier import ForestClassifier
from silvan.forests.grid_defaults import AUTO
from silvan.forests.grid_pool import PooledGridForest
from silvan.forests.regressor import ForestRegressor


@shared_docs
@dataclass(kw_only=True, eq=False, repr=False)
class ManifoldForestClassifier(PooledGridForest, ForestClassifier):
    """A forest that predicts the classes of images, series, volumes and other data on a grid.

    It is a :class:`ForestClassifier` whose candidate directions are statistics of random windows on
    `channels`: arrays that are computed from each sample, such as differences and spectra of a
    series or gradients of an image [3]_, [4]_. With ``channels="raw"`` they are sums over random
    patches of the values themselves, ``projections=Patches(...)``: the manifold forest (MORF) of
    [1]_ and [2]_. The cost of a window or patch does not depend on its size.

    {grid_samples}

    Parameters
    ----------
    {n_estimators}
    {patches}
    {pool}
    {classifier_criterion}
    {grid_max_features}
    {grid_thresholds}
    {limits}
    {grid_bootstrap}
    {sampling}
    {categorical_features}
    {classifier_voting}
    {running}

    Attributes
    ----------
    {grid_fitted}
    {classifier_fitted}
    {fitted}

    See Also
    --------
    ManifoldForestRegressor : The same for numeric targets.
    ForestClassifier : The forest for any distribution of directions.
    silvan.channels : What windows are laid on.
    silvan.projections.Windows : The distribution of the windows.
    silvan.projections.Patches : The distribution of the patches.
    silvan.inspection.importance_map : What the forest looks at, in the shape of the data.

    Notes
    -----
    {notes}

    References
    ----------
    .. [1] R. Perry et al. Manifold forests: closing the gap on neural networks.
    .. [2] R. Perry. Manifold-aware forests: closing the gap to convolutional neural networks.
       Johns Hopkins University, 2020.
    .. [3] P. Dollár, Z. Tu, P. Perona and S. Belongie. Integral channel features. British Machine
       Vision Conference, 2009.
    .. [4] H. Deng, G. Runger, E. Tuv and M. Vladimir. A time series forest for classification and
       feature extraction. Information Sciences 239, 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from silvan import ManifoldForestClassifier
    >>> digits = load_digits()
    >>> forest = ManifoldForestClassifier(n_estimators=50, random_state=0)
    >>> forest.fit(digits.images[:1000], digits.target[:1000]).shape_
    (8, 8)
    >>> forest.score(digits.images[1000:], digits.target[1000:]) > 0.9
    True

    The same images as flat samples:

    >>> forest.set_params(shape=(8, 8)).fit(digits.data[:1000], digits.target[:1000]).shape_
    (8, 8)
    """

    _combines = True

    max_features: int | float | str | None = growing(AUTO)
    thresholds: str = growing(AUTO)
    bootstrap: Any = AUTO
    pool_size: int | str | None = growing(AUTO)


@shared_docs
@dataclass(kw_only=True, eq=False, repr=False)
class ManifoldForestRegressor(PooledGridForest, ForestRegressor):
    """A forest that predicts numbers from images, series, volumes and other data on a grid.

    It is a :class:`ForestRegressor` whose candidate directions are statistics of random windows on
    `channels`: arrays that are computed from each sample, such as differences and spectra of a
    series or gradients of an image. With ``channels="raw"`` they are sums over random patches of
    the values themselves, ``projections=Patches(...)``: a manifold forest for regression [1]_.

    {grid_samples}

    Parameters
    ----------
    {n_estimators}
    {patches}
    {pool}
    {regressor_criterion}
    {grid_max_features}
    {grid_thresholds}
    {limits}
    {grid_bootstrap}
    {sampling}
    {categorical_features}
    {regressor_oob}
    {running}

    Attributes
    ----------
    {grid_fitted}
    {regressor_fitted}
    {fitted}

    See Also
    --------
    ManifoldForestClassifier : The same for classes.
    ForestRegressor : The forest for any distribution of directions.
    silvan.channels : What windows are laid on.
    silvan.projections.Windows : The distribution of the windows.
    silvan.projections.Patches : The distribution of the patches.
    silvan.inspection.importance_map : What the forest looks at, in the shape of the data.

    Notes
    -----
    {notes}

    References
    ----------
    .. [1] R. Perry et al. Manifold forests: closing the gap on neural networks.

    Examples
    --------
    How long a pulse in a noisy series is:

    >>> import numpy as np
    >>> from silvan import ManifoldForestRegressor
    >>> rng = np.random.default_rng(0)
    >>> length = rng.integers(5, 30, size=300)
    >>> start = rng.integers(0, 20, size=300)
    >>> time = np.arange(50) - start[:, None]
    >>> X = ((time >= 0) & (time < length[:, None])) + 0.5 * rng.normal(size=(300, 50))
    >>> forest = ManifoldForestRegressor(n_estimators=50, max_size=25, random_state=0)
    >>> forest.fit(X[:200], length[:200]).score(X[200:], length[200:]) > 0.8
    True
    """

    max_features: int | float | str | None = growing(AUTO)
    thresholds: str = growing(AUTO)
    bootstrap: Any = AUTO
    pool_size: int | str | None = growing(AUTO)

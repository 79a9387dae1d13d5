"""Manifold forests: for images, volumes, series and channels, split along patches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from silvan.forests._docs import shared_docs
from silvan.forests.classifier import ForestClassifier
from silvan.forests.grid import GridForest
from silvan.forests.regressor import ForestRegressor


@shared_docs
class ManifoldForestClassifier(GridForest, ForestClassifier):
    """A forest that predicts the classes of images, series, volumes and other data on a grid.

    It is a :class:`ForestClassifier` whose candidate directions are sums over random patches of
    neighbouring cells, ``projections=Patches(...)``: a manifold forest (MORF) [1]_, [2]_. The cost
    of a patch does not depend on its size.

    {grid_rows}

    Parameters
    ----------
    {n_estimators}
    {patches}
    {classifier_criterion}
    max_features : int, float, "sqrt", "log2" or None, default="sqrt"
        {max_features}
    {limits}
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
    silvan.projections.Patches : The law of the patches.
    silvan.inspection.importance_map : What the forest looks at, in the shape of the data.

    Notes
    -----
    {notes}

    References
    ----------
    .. [1] R. Perry et al. Manifold forests: closing the gap on neural networks.
    .. [2] R. Perry. Manifold-aware forests: closing the gap to convolutional neural networks.
       Johns Hopkins University, 2020.

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

    The same images as flat rows:

    >>> forest.set_params(shape=(8, 8)).fit(digits.data[:1000], digits.target[:1000]).shape_
    (8, 8)
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        shape: int | Sequence[int] | None = None,
        min_patch: int | Sequence[int] = 1,
        max_patch: int | Sequence[int] | None = None,
        boundary: str | Sequence[str] = "pad",
        contiguous: bool | Sequence[bool] = True,
        weights: str = "ones",
        n_patches: int = 1,
        reach: int | Sequence[int] | None = None,
        criterion: str = "gini",
        max_features: int | float | str | None = "sqrt",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        max_samples: int | float | str | None = None,
        honest: bool = False,
        honest_fraction: float = 0.5,
        scaling: str | None = None,
        categorical_features: Sequence[int | bool | str] | str | None = "from_dtype",
        voting: str = "soft",
        oob_score: bool | Callable[..., float] = False,
        class_weight: Mapping[Any, float] | str | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        super().__init__(
            n_estimators,
            shape=shape,
            min_patch=min_patch,
            max_patch=max_patch,
            boundary=boundary,
            contiguous=contiguous,
            weights=weights,
            n_patches=n_patches,
            reach=reach,
            criterion=criterion,
            max_features=max_features,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_impurity_decrease=min_impurity_decrease,
            bootstrap=bootstrap,
            max_samples=max_samples,
            honest=honest,
            honest_fraction=honest_fraction,
            scaling=scaling,
            categorical_features=categorical_features,
            voting=voting,
            oob_score=oob_score,
            class_weight=class_weight,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            warm_start=warm_start,
        )


@shared_docs
class ManifoldForestRegressor(GridForest, ForestRegressor):
    """A forest that predicts numbers from images, series, volumes and other data on a grid.

    It is a :class:`ForestRegressor` whose candidate directions are sums over random patches of
    neighbouring cells, ``projections=Patches(...)``: a manifold forest for regression [1]_.

    {grid_rows}

    Parameters
    ----------
    {n_estimators}
    {patches}
    {regressor_criterion}
    max_features : int, float, "sqrt", "log2" or None, default="sqrt"
        {max_features}
    {limits}
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
    silvan.projections.Patches : The law of the patches.
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
    >>> forest = ManifoldForestRegressor(n_estimators=50, max_patch=25, random_state=0)
    >>> forest.fit(X[:200], length[:200]).score(X[200:], length[200:]) > 0.8
    True
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        shape: int | Sequence[int] | None = None,
        min_patch: int | Sequence[int] = 1,
        max_patch: int | Sequence[int] | None = None,
        boundary: str | Sequence[str] = "pad",
        contiguous: bool | Sequence[bool] = True,
        weights: str = "ones",
        n_patches: int = 1,
        reach: int | Sequence[int] | None = None,
        criterion: str = "squared_error",
        max_features: int | float | str | None = "sqrt",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        max_samples: int | float | str | None = None,
        honest: bool = False,
        honest_fraction: float = 0.5,
        scaling: str | None = None,
        categorical_features: Sequence[int | bool | str] | str | None = "from_dtype",
        oob_score: bool | Callable[..., float] = False,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        super().__init__(
            n_estimators,
            shape=shape,
            min_patch=min_patch,
            max_patch=max_patch,
            boundary=boundary,
            contiguous=contiguous,
            weights=weights,
            n_patches=n_patches,
            reach=reach,
            criterion=criterion,
            max_features=max_features,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_impurity_decrease=min_impurity_decrease,
            bootstrap=bootstrap,
            max_samples=max_samples,
            honest=honest,
            honest_fraction=honest_fraction,
            scaling=scaling,
            categorical_features=categorical_features,
            oob_score=oob_score,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            warm_start=warm_start,
        )

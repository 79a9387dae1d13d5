"""Boosted manifold forests: for images, volumes and series, boosted along windows on channels."""

from __future__ import annotations

from dataclasses import dataclass, field

from silvan._parameters import growing
from silvan.boosting.classifier import BoostedForestClassifier
from silvan.boosting.parameters import AUTO
from silvan.boosting.regressor import BoostedForestRegressor
from silvan.forests._docs import shared_docs
from silvan.forests.grid import GridForest


@dataclass(kw_only=True, eq=False, repr=False)
class _GridDefaults:
    """What boosted forests on grids have by default."""

    n_estimators: int = field(default=300, kw_only=False)
    max_features: int | float | str | None = growing(256)
    max_leaf_nodes: int | str | None = growing(AUTO)
    # The loss of held-out images is smallest long before their error is.
    early_stopping: bool | str = False


@shared_docs
@dataclass(kw_only=True, eq=False, repr=False)
class BoostedManifoldForestClassifier(_GridDefaults, GridForest, BoostedForestClassifier):
    """A boosted forest that predicts the classes of images, series and other data on a grid.

    It is a :class:`BoostedForestClassifier` whose directions are statistics of random windows on
    `channels`, drawn anew in every round; with ``channels="raw"``, sums over random patches of the
    values themselves.

    {grid_samples}

    Parameters
    ----------
    {boosted_n_estimators}
    {patches}
    loss : {"log_loss"} or Loss, default="log_loss"
        What is minimised; an object is a loss of your own, see :class:`silvan.losses.Loss`.
    {boosted_limits}
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied with `sample_weight`: a dictionary (classes that it
        leaves out have weight 1), or "balanced" for weights inversely proportional to the
        classes' total weights.
    {categorical_features}
    {boosted_running}

    Attributes
    ----------
    {grid_fitted}
    classes_ : ndarray of shape (n_classes_,)
        The labels of the classes, sorted.
    n_classes_ : int
        Number of classes.
    {boosted_fitted}

    See Also
    --------
    BoostedManifoldForestRegressor : The same for numeric targets.
    ManifoldForestClassifier : Independent trees, whose votes are averaged.
    silvan.projections.Patches : The distribution of the patches.
    silvan.inspection.importance_map : What the forest looks at, in the shape of the data.

    Notes
    -----
    {boosted_notes}

    References
    ----------
    R. Perry. Manifold-aware forests: closing the gap to convolutional neural networks. Johns
    Hopkins University, 2020, chapter 7.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from silvan import BoostedManifoldForestClassifier
    >>> digits = load_digits()
    >>> forest = BoostedManifoldForestClassifier(50, random_state=0)
    >>> forest.fit(digits.images[:1000], digits.target[:1000]).shape_
    (8, 8)
    >>> forest.score(digits.images[1000:], digits.target[1000:]) > 0.9
    True
    """

    l2_regularization: float = growing(0.0)
    thresholds: str = growing("random")


@shared_docs
@dataclass(kw_only=True, eq=False, repr=False)
class BoostedManifoldForestRegressor(_GridDefaults, GridForest, BoostedForestRegressor):
    """A boosted forest that predicts numbers from images, series and other data on a grid.

    It is a :class:`BoostedForestRegressor` whose directions are statistics of random windows on
    `channels`, drawn anew in every round; with ``channels="raw"``, sums over random patches of the
    values themselves.

    {grid_samples}

    Parameters
    ----------
    {boosted_n_estimators}
    {patches}
    loss : str or Loss, default="squared_error"
        What is minimised; see :class:`BoostedForestRegressor`.
    quantile : float or None, default=None
        Which quantile to predict with ``loss="quantile"``, between 0 and 1.
    {boosted_limits}
    {categorical_features}
    {boosted_running}

    Attributes
    ----------
    {grid_fitted}
    {boosted_fitted}

    See Also
    --------
    BoostedManifoldForestClassifier : The same for classes.
    ManifoldForestRegressor : Independent trees, whose predictions are averaged.
    silvan.projections.Patches : The distribution of the patches.

    Notes
    -----
    {boosted_notes}

    References
    ----------
    R. Perry. Manifold-aware forests: closing the gap to convolutional neural networks. Johns
    Hopkins University, 2020, chapter 7.

    Examples
    --------
    How long a pulse in a noisy series is:

    >>> import numpy as np
    >>> from silvan import BoostedManifoldForestRegressor
    >>> rng = np.random.default_rng(0)
    >>> length = rng.integers(5, 30, size=600)
    >>> start = rng.integers(0, 20, size=600)
    >>> time = np.arange(50) - start[:, None]
    >>> X = ((time >= 0) & (time < length[:, None])) + 0.5 * rng.normal(size=(600, 50))
    >>> forest = BoostedManifoldForestRegressor(50, max_size=25, random_state=0)
    >>> forest.fit(X[:400], length[:400]).score(X[400:], length[400:]) > 0.8
    True
    """

"""The estimators of `silvan`, fitted by a cluster: same names, same parameters, same trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from silvan import forests
from silvan._validation import invalid
from silvan.dask import _docs  # noqa: F401
from silvan.dask.forest import ClusterForest
from silvan.dask.partitions import is_collection
from silvan.forests._docs import shared_docs


def on_cluster(forest: Any, *, client: Any = None, layout: str = "auto") -> ClusterForest:
    """The estimator of this package with the parameters of one of a single machine.

    Parameters
    ----------
    forest : ForestClassifier, ForestRegressor, ManifoldForestClassifier or ManifoldForestRegressor
        An estimator of `silvan`, as presets return them.
    client : distributed.Client or None, default=None
        The cluster; None is that of the current client when the forest is fitted.
    layout : {"auto", "replicated", "partitioned"}, default="auto"
        Where the samples are while trees grow.

    Returns
    -------
    forest : estimator
        Not fitted.

    Examples
    --------
    >>> from silvan import presets
    >>> from silvan.dask import on_cluster
    >>> on_cluster(presets.sporf(50, random_state=0), layout="partitioned").layout
    'partitioned'
    """
    for cluster_class in _CLASSES:
        if type(forest) is cluster_class._local:
            parameters = forest.get_params(deep=False)
            made: ClusterForest = cluster_class(**parameters, client=client, layout=layout)
            return made
    raise invalid(
        "forest",
        "a forest whose trees grow independently of each other (ForestClassifier, ForestRegressor "
        "or one of the manifold forests)",
        forest,
        "fit others, boosted ones among them, on one machine",
    )


class _ClusterClassifier(ClusterForest, forests.ForestClassifier):
    @shared_docs
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forest on the cluster.

        Parameters
        ----------
        {fit_partitions}
        y : of the same kind and partitions, or array-like
            Class labels: numbers or strings, with a column for each output.
        {fit_partition_weights}
        """
        return ClusterForest.fit(self, X, y, sample_weight)

    @shared_docs
    def predict(self, X: Any) -> Any:
        """Predict the class of each sample.

        Parameters
        ----------
        {lazy_samples}

        Returns
        -------
        labels : of the kind of `X`
            Most probable classes; not computed yet for a collection.
        """
        return self._lazily("predict", X) if is_collection(X) else super().predict(X)

    @shared_docs
    def predict_proba(self, X: Any) -> Any:
        """Predict the probability of each class.

        Parameters
        ----------
        {lazy_samples}

        Returns
        -------
        probabilities : of the kind of `X`, of shape (n_samples, n_classes_), or a list of them
            In the order of `classes_`; not computed yet for a collection. A list has one for each
            of several outputs; for delayed partitions each of them is such a list.
        """
        return self._lazily("predict_proba", X) if is_collection(X) else super().predict_proba(X)

    @shared_docs
    def predict_log_proba(self, X: Any) -> Any:
        """Predict the logarithm of the probability of each class; it is -inf for probability 0.

        Parameters
        ----------
        {lazy_samples}

        Returns
        -------
        log_probabilities : of the kind of `X`, of shape (n_samples, n_classes_), or a list of them
            Logarithms of `predict_proba`.
        """
        if is_collection(X):
            return self._lazily("predict_log_proba", X)
        return super().predict_log_proba(X)


class _ClusterRegressor(ClusterForest, forests.ForestRegressor):
    @shared_docs
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forest on the cluster.

        Parameters
        ----------
        {fit_partitions}
        y : of the same kind and partitions, or array-like
            Numbers to regress on, a column for each output.
        {fit_partition_weights}
        """
        return ClusterForest.fit(self, X, y, sample_weight)

    @shared_docs
    def predict(self, X: Any) -> Any:
        """Predict the targets of each sample.

        Parameters
        ----------
        {lazy_samples}

        Returns
        -------
        y : of the kind of `X`, of shape (n_samples,) or (n_samples, n_outputs_)
            Mean targets; not computed yet for a collection.
        """
        return self._lazily("predict", X) if is_collection(X) else super().predict(X)

    @shared_docs
    def predict_quantiles(self, X: Any, q: Any = 0.5) -> Any:
        """Predict quantiles of the targets, given each sample.

        Parameters
        ----------
        {lazy_samples}
        q : float or array-like of shape (n_quantiles,), default=0.5
            Levels in [0, 1].

        Returns
        -------
        quantiles : of the kind of `X`
            As those of :class:`silvan.ForestRegressor`; not computed yet for a collection.
        """
        if is_collection(X):
            return self._lazily("predict_quantiles", X, q)
        return super().predict_quantiles(X, q)


@shared_docs
@dataclass(kw_only=True, eq=False, repr=False)
class ForestClassifier(_ClusterClassifier):
    """:class:`silvan.ForestClassifier`, fitted by a Dask cluster: the same trees, bit for bit.

    Parameters
    ----------
    {layout}
    {n_estimators}
    {projections}
    {classifier_criterion}
    max_features : int, float, "auto", "sqrt", "log2" or None, default="auto"
        {max_features}
    {thresholds}
    {limits}
    {bootstrap}
    {sampling}
    {categorical_features}
    {classifier_voting}
    {running}

    Attributes
    ----------
    {classifier_fitted}
    {fitted}

    See Also
    --------
    silvan.ForestClassifier : The same on one machine.

    Notes
    -----
    {cluster_notes}

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from silvan.dask import ForestClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = (da.from_array(data, chunks=(50, -1)[: data.ndim]) for data in
    ...         load_iris(return_X_y=True))
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     forest = ForestClassifier(20, random_state=0).fit(X, y)
    ...     labels = forest.predict(X)
    ...     bool((labels == y).mean().compute() > 0.95)
    True
    >>> forest.to_local()
    ForestClassifier(n_estimators=20, random_state=0)
    """

    _local = forests.ForestClassifier


@shared_docs
@dataclass(kw_only=True, eq=False, repr=False)
class ForestRegressor(_ClusterRegressor):
    """:class:`silvan.ForestRegressor`, fitted by a Dask cluster: the same trees, bit for bit.

    Parameters
    ----------
    {layout}
    {n_estimators}
    {projections}
    {regressor_criterion}
    max_features : int, float, "auto", "sqrt", "log2" or None, default=1.0
        {max_features}
    {thresholds}
    {limits}
    {bootstrap}
    {sampling}
    {categorical_features}
    {regressor_oob}
    {running}

    Attributes
    ----------
    {regressor_fitted}
    {fitted}

    See Also
    --------
    silvan.ForestRegressor : The same on one machine.

    Notes
    -----
    {cluster_notes}

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from silvan.dask import ForestRegressor
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = (da.from_array(data, chunks=(100, -1)[: data.ndim]) for data in
    ...         load_diabetes(return_X_y=True))
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     forest = ForestRegressor(20, random_state=0).fit(X, y)
    ...     forest.score(X, y) > 0.8
    True
    """

    _local = forests.ForestRegressor


@shared_docs
@dataclass(kw_only=True, eq=False, repr=False)
class ManifoldForestClassifier(_ClusterClassifier, forests.ManifoldForestClassifier):
    """:class:`silvan.ManifoldForestClassifier`, fitted by a Dask cluster: the same trees.

    Parameters
    ----------
    {layout}
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
    silvan.ManifoldForestClassifier : The same on one machine.

    Notes
    -----
    {cluster_notes}

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from silvan.dask import ManifoldForestClassifier
    >>> from sklearn.datasets import load_digits
    >>> digits = load_digits()
    >>> X = da.from_array(digits.images, chunks=(500, 8, 8))
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     forest = ManifoldForestClassifier(10, random_state=0).fit(X, digits.target)
    >>> forest.shape_
    (8, 8)
    """

    _local = forests.ManifoldForestClassifier


@shared_docs
@dataclass(kw_only=True, eq=False, repr=False)
class ManifoldForestRegressor(_ClusterRegressor, forests.ManifoldForestRegressor):
    """:class:`silvan.ManifoldForestRegressor`, fitted by a Dask cluster: the same trees.

    Parameters
    ----------
    {layout}
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
    silvan.ManifoldForestRegressor : The same on one machine.

    Notes
    -----
    {cluster_notes}

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from silvan.dask import ManifoldForestRegressor
    >>> from sklearn.datasets import load_digits
    >>> digits = load_digits()
    >>> X = da.from_array(digits.images, chunks=(500, 8, 8))
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     forest = ManifoldForestRegressor(10, random_state=0).fit(X, digits.target)
    >>> forest.predict(digits.images).shape
    (1797,)
    """

    _local = forests.ManifoldForestRegressor


_CLASSES: tuple[Any, ...] = (
    ForestClassifier,
    ForestRegressor,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
)

"""ClusterForest: what turns an estimator into one that a Dask cluster fits."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
from distributed import Client
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.metrics import accuracy_score, r2_score

from silvan._validation import check_choice
from silvan.dask import _docs  # noqa: F401
from silvan.dask.collections import predict_lazily
from silvan.dask.layouts import open_layout
from silvan.dask.partitions import is_collection, learnt
from silvan.dask.running import Session, find_client
from silvan.forest_arrays import ForestArrays
from silvan.forests._docs import shared_docs
from silvan.forests.bagged import Growth
from silvan.forests.bagged_supervised import BaggedSupervisedForest
from silvan.forests.constraints import require_one_number
from silvan.forests.fitting import CheckedSamples, TrainingSamples, unchanged_on_failure
from silvan.forests.guiding import refuse_rounds

# What a forest has learnt of its samples when trees grow.
_OF_SAMPLES = {
    "n_features_in_",
    "feature_names_in_",
    "shape_",
    "channels_",
    "_categories",
    "_flat_samples",
    "_criterion",
    "_hard_votes",
}
LAYOUTS = ("auto", "replicated", "partitioned")


@dataclass(kw_only=True, eq=False, repr=False)
class ClusterParameters:
    """What estimators of a cluster have besides."""

    layout: str = "auto"
    client: Client | None = None


class ClusterForest(ClusterParameters, BaggedSupervisedForest):
    """A forest that is fitted by a cluster and predicts Dask collections lazily."""

    # The estimator of one machine that this one is in all else.
    _local: ClassVar[type[BaggedSupervisedForest]]
    _takes_sparse = False
    _shares_samples = False

    def to_local(self) -> BaggedSupervisedForest:
        """The same forest as an estimator of one machine.

        Returns
        -------
        forest : estimator
            Of the class of this name in `silvan`, fitted if this one is; arrays are shared.
        """
        local = self._unfitted()
        local.__dict__.update(learnt(self))
        return local

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forest; subclasses say what `y` is."""
        with unchanged_on_failure(self), Session(find_client(self.client)) as session:
            self._session = session
            try:
                self._fit(X, y, sample_weight)
            finally:
                self.__dict__.pop("_session", None)
        return self

    def save(self, path: Any) -> None:
        """Write the fitted estimator of one machine to a file that `silvan.load` reads.

        Parameters
        ----------
        path : str or path-like
            Where to write it; ``.safetensors`` is the usual ending.
        """
        self.to_local().save(path)

    def _unfitted(self) -> BaggedSupervisedForest:
        """The estimator of one machine, not fitted."""
        names = [declared.name for declared in fields(self._local) if declared.init]
        return self._local(**{name: getattr(self, name) for name in names})

    def _reader(self) -> BaggedSupervisedForest:
        """The same, with what it knows of the samples, but of no single one."""
        reader = self._unfitted()
        for name in _OF_SAMPLES & vars(self).keys():
            setattr(reader, name, getattr(self, name))
        reader._scaler = None  # workers scale samples first of all
        return reader

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("layout", self.layout, LAYOUTS)

    def _check_fit(self, X: Any, y: Any, sample_weight: Any) -> CheckedSamples:
        self._check_parameters()
        layout = open_layout(self, self._session, X, y, sample_weight)
        checked = layout.check(self)
        if self.monotonic_cst is not None:
            require_one_number(self.monotonic_cst, checked.targets)
        refuse_rounds(self._growth(checked.plan)[0], "on clusters, where trees grow in any order")
        return checked

    def _read_samples(self, checked: CheckedSamples, seed: int) -> TrainingSamples:
        layout: Any = checked.X
        samples: TrainingSamples = layout.read(self, checked, seed)
        return samples

    def _grow_range(
        self,
        samples: TrainingSamples,
        growth: Growth,
        trees: tuple[int, int],
        on_progress: Callable[[int], object] | None,
    ) -> ForestArrays:
        layout: Any = samples.features
        grown: ForestArrays = layout.grow(self, samples, trees, on_progress)
        return grown

    def _out_of_bag_votes(
        self, samples: TrainingSamples
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        layout: Any = samples.features
        votes: tuple[NDArray[np.float64], NDArray[np.int32]] = layout.out_of_bag(self)
        return votes

    def _lazily(self, method: str, X: Any, *arguments: Any) -> Any:
        """Call a method of the forest of one machine on each partition, when it is asked for."""
        return predict_lazily(self, method, X, *arguments)

    @shared_docs
    def apply(self, X: Any) -> Any:
        """The leaf of each tree that each sample ends in.

        Parameters
        ----------
        {lazy_samples}

        Returns
        -------
        leaves : of the kind of `X`, of shape (n_samples, n_estimators)
            Number of the leaf among the nodes of its tree; not computed yet for a collection.
        """
        return self._lazily("apply", X) if is_collection(X) else super().apply(X)

    @shared_docs
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The score of the predictions: accuracy of a classifier, R² of a regressor.

        Parameters
        ----------
        {lazy_samples}
        y : Dask collection, list of delayed or array-like
            Their targets.
        sample_weight : the same or None, default=None
            Their weights.

        Returns
        -------
        score : float
            Computed at once, from predictions and targets that are gathered here.
        """
        if not is_collection(X):
            return float(super().score(X, y, sample_weight))
        predicted, y, sample_weight = _gather(self.predict(X), y, sample_weight)
        metric = accuracy_score if is_classifier(self) else r2_score
        return float(metric(y, predicted, sample_weight=sample_weight))

    def __sklearn_clone__(self) -> Self:
        """A clone shares the client, which cannot be copied."""
        local = type(self)(
            **{
                declared.name: copy(getattr(self, declared.name))
                for declared in fields(self)
                if declared.init and declared.name != "client"
            }
        )
        local.client = self.client
        return local

    def __getstate__(self) -> dict[str, Any]:
        # A client is a connection of this process.
        return {**super().__getstate__(), "client": None}


def _gather(*collections: Any) -> list[Any]:
    """Collections as arrays in memory."""
    import dask

    gathered = []
    for values in dask.compute(*collections):
        parts = values if isinstance(values, list) else [values]
        whole = values is None or not isinstance(values, list)
        gathered.append(values if whole else np.concatenate([np.asarray(p) for p in parts]))
    return gathered

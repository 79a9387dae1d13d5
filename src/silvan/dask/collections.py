"""Predictions of Dask collections: partition by partition, when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import isnan, prod
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
from distributed import Client, default_client
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from silvan.dask.partitions import count_samples
from silvan.dask.sending import send_forest
from silvan.forests.sample_numbers import check_members
from silvan.forests.supervised import SupervisedForest

if TYPE_CHECKING:
    from silvan.dask.forest import ClusterForest

# Forests up to this size travel in the graph of a collection; larger ones go to workers directly.
_MAX_BYTES_IN_GRAPH = 2**20


def predict_lazily(forest: ClusterForest, method: str, X: Any, *arguments: Any) -> Any:
    """What a method of the forest returns for `X`, as a collection of the same kind."""
    check_is_fitted(forest)
    _check_features(forest, X)
    reads_members = method == "predict_quantiles"
    if reads_members:
        check_members(forest._sampling.plan.n_samples, method)
    local = _for_prediction(forest, keep_members=reads_members)
    model = _send(forest.client, local)
    if not isinstance(X, da.Array | dd.DataFrame):
        call = dask.delayed(_predict_block)
        return [call(part, model, method, arguments) for part in X]
    labels = getattr(forest, "classes_", None) if "proba" in method else None
    if labels is None or forest.n_outputs_ == 1:
        empty = _empty_prediction(local, method, arguments)
        predict = partial(_predict_block, method=method, arguments=arguments)
        return _map_table(X, predict, empty, labels, model)
    empty = np.empty((0, sum(map(len, labels))))
    predict = partial(_predict_outputs, method=method, arguments=arguments)
    joined = _map_table(X, predict, empty, None, model)
    return _split_outputs(joined, labels)


def _map_table(
    X: Any, predict: Callable[..., Any], empty: NDArray[Any], labels: Any, model: Any
) -> Any:
    """One collection of what is predicted for each partition of an array or a data frame."""
    if isinstance(X, da.Array):
        whole = X.rechunk(dict.fromkeys(range(1, X.ndim), -1))
        return whole.map_blocks(
            predict,
            model=model,
            drop_axis=list(range(1, X.ndim)),
            new_axis=list(range(1, empty.ndim)) or None,
            chunks=(whole.chunks[0], *((n,) for n in empty.shape[1:])),
            dtype=empty.dtype,
            meta=np.empty((0,) * empty.ndim, dtype=empty.dtype),
        )
    if empty.ndim > 2:
        raise ValueError(
            "predictions for a data frame must have at most two dimensions, but several quantiles "
            "of several outputs have three; pass one level q at a time, or "
            "X.to_dask_array(lengths=True)."
        )
    meta = _as_frame(empty, X._meta.iloc[:0], labels)
    return X.map_partitions(_predict_frame, model, predict=predict, labels=labels, meta=meta)


def _split_outputs(joined: Any, labels: list[NDArray[Any]]) -> list[Any]:
    """A collection for each output, of the columns of its classes."""
    ends = np.cumsum([0, *map(len, labels)]).tolist()
    if isinstance(joined, da.Array):
        return [joined[:, start:end] for start, end in pairwise(ends)]
    return [
        joined[list(range(start, end))].rename(
            columns=dict(zip(range(start, end), classes.tolist(), strict=True))
        )
        for (start, end), classes in zip(pairwise(ends), labels, strict=True)
    ]


def _check_features(forest: ClusterForest, X: Any) -> None:
    """Refuse collections of other features now and not when they are computed."""
    shape = tuple(X.shape[1:]) if isinstance(X, da.Array | dd.DataFrame) else ()
    if not shape or any(isnan(n) for n in shape):
        return
    if prod(shape) != forest.n_features_in_:
        raise ValueError(
            f"X has samples of shape {shape}, but the forest was fitted on "
            f"{forest.n_features_in_} features; pass the same ones."
        )


def _for_prediction(forest: ClusterForest, *, keep_members: bool) -> SupervisedForest:
    """The forest without what prediction does not read: it travels to every worker."""
    local = forest.to_local()
    local.n_jobs = 1
    local.__dict__.pop("_importances", None)
    if keep_members:
        return local
    arrays = local.forest_
    local.forest_ = replace(
        arrays,
        members=arrays.members[:0],
        member_indptr=np.zeros_like(arrays.member_indptr),
    )
    for name in ("_sampling", "_y", "oob_decision_function_", "oob_prediction_"):
        local.__dict__.pop(name, None)
    return local


def _send(client: Client | None, local: SupervisedForest) -> Any:
    """The forest as something that a graph may hold."""
    try:
        client = default_client(client)
    except ValueError:
        return local
    if local.forest_.nbytes <= _MAX_BYTES_IN_GRAPH:
        return local
    shell = copy(local)
    del shell.forest_
    key = f"silvan-complete-{uuid4().hex}"
    return client.submit(_complete, shell, send_forest(client, local.forest_), key=key)


def _complete(shell: SupervisedForest, arrays: Any) -> SupervisedForest:
    """The estimator with its trees, which travelled by themselves."""
    model = copy(shell)
    model.forest_ = arrays
    return model


def _predict_block(X: Any, model: SupervisedForest, method: str, arguments: tuple[Any, ...]) -> Any:
    """The prediction for a partition; for an empty one, nothing of the right shape."""
    if count_samples(X):
        return getattr(model, method)(X, *arguments)
    return _empty_prediction(model, method, arguments)


def _predict_outputs(
    X: Any, model: SupervisedForest, method: str, arguments: tuple[Any, ...]
) -> Any:
    """The predictions for several outputs side by side."""
    return np.concatenate(_predict_block(X, model, method, arguments), axis=1)


def _empty_prediction(model: Any, method: str, arguments: tuple[Any, ...]) -> Any:
    """What the method returns for no samples at all."""
    if method == "apply":
        return np.empty((0, model.forest_.n_trees), dtype=np.int32)
    if "proba" in method and model.n_outputs_ > 1:
        return [np.empty((0, n_classes)) for n_classes in model.n_classes_]
    if "proba" in method:
        return np.empty((0, model.n_classes_))
    if hasattr(model, "classes_"):
        return model._labels(np.empty((0, model.n_outputs_), dtype=np.intp))
    outputs = () if model.n_outputs_ == 1 else (model.n_outputs_,)
    levels = np.shape(arguments[0]) if method == "predict_quantiles" else ()
    return np.empty((0, *levels, *outputs))


def _predict_frame(
    X: Any, model: SupervisedForest, predict: Callable[..., Any], labels: Any
) -> Any:
    return _as_frame(predict(X, model), X, labels)


def _as_frame(values: Any, like: Any, labels: Any) -> Any:
    """A series, or a data frame with a column for each output, with the index of the samples."""
    import pandas

    if values.ndim == 1:
        return pandas.Series(values, index=like.index)
    names = range(values.shape[1]) if labels is None else labels
    return pandas.DataFrame(values, index=like.index, columns=list(names))

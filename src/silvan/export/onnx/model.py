"""The ONNX model of a forest, from its input to its predictions."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from silvan._validation import check_choice, check_features, check_predictor, invalid
from silvan.export.onnx.graph import Graph
from silvan.export.onnx.links import add_link
from silvan.export.onnx.scaling import add_scaling
from silvan.export.onnx.walk import add_walk
from silvan.export.tree_nodes import category_names
from silvan.forest_arrays import ForestArrays
from silvan.forests.base import BaseForest

_INPUT_TYPES = ("float32", "float64", "uint8")


def to_onnx(forest: BaseForest, *, dtype: str | None = None) -> Any:
    """Write a fitted forest as an ONNX model.

    The model has the input ``X``, with samples in the shape that `fit` was given: those of a
    manifold forest are flat if they were flat there. The model of a classifier has the outputs
    ``label`` and ``probabilities``, that of a regressor ``prediction``. Samples end in the same
    leaves as in `forest`, missing values included; means over the trees, or the sums of a boosted
    forest, are taken in float64 and agree to its rounding.

    A categorical feature goes in as a number: the place of the category in the `categories_` of the
    forest, -1 (or any number that is no place) for a new one, NaN for a missing one.
    `to_onnx_input` makes such samples; elsewhere, the categories are in the metadata of the model,
    under ``categories``: a JSON list with the names, or null, for each feature.

    Parameters
    ----------
    forest : fitted forest
        A classifier or regressor of this library, with any distribution of directions.
    dtype : {"float32", "float64", "uint8"} or None, default=None
        Type of the input. None is float64 if the forest scales its features (`scaling`), and
        otherwise float32. Forests that do not scale round float64 to float32, so the input may as
        well be rounded. The others scale in float64 first: a model with input of type float32
        predicts what the forest does for the rounded values, where values that are closer than
        float32 can tell apart have the same rank. uint8 is not for forests with categorical
        features.

    Returns
    -------
    model : onnx.ModelProto
        The model, checked by onnx; write it with ``onnx.save(model, path)``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import ForestClassifier
    >>> from silvan.export import to_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> model = to_onnx(ForestClassifier(20, random_state=0).fit(X, y))
    >>> [output.name for output in model.graph.output]
    ['label', 'probabilities']
    """
    check_predictor(forest)
    if forest.forest_.n_windows or forest.fitted_.channels is not None:
        raise invalid(
            "forest",
            "one without windows on channels, which ONNX models cannot hold yet",
            type(forest).__name__ + " with such windows",
            'fit a manifold forest with channels="raw", or keep the forest with its method save',
        )
    dtype = _exact_type(forest) if dtype is None else dtype
    check_choice("dtype", dtype, _INPUT_TYPES)
    categories = forest.categories_
    if categories is not None and dtype == "uint8":
        raise invalid(
            "dtype", '"float32" or "float64" with categorical features', dtype, "leave it out"
        )
    graph = Graph()
    samples = graph.add("Flatten", "X", axis=1)
    samples = add_scaling(graph, forest, samples)
    samples = graph.add("Cast", samples, to=graph.type_of(np.float32))
    may_miss = dtype != "uint8" or forest.fitted_.scaler is not None
    leaves = add_walk(graph, forest.forest_, samples, may_miss)
    start = forest.fitted_.start
    if start is None:
        values = _add_means(graph, forest, leaves)
    else:
        raw = graph.add("Add", _add_sums(graph, forest.forest_, leaves), graph.constant(start))
        values = add_link(graph, forest.loss_, raw)
    if hasattr(forest, "classes_"):
        outputs = _add_labels(graph, forest.classes_, values)
    else:
        outputs = _add_prediction(graph, forest.n_outputs_, values)
    model = graph.finish(
        {"X": (np.dtype(dtype).type, [None, *forest.fitted_.sample_shape])}, outputs
    )
    if categories is not None:
        graph.describe(model, {"categories": json.dumps(category_names(forest))})
    return model


def to_onnx_input(forest: BaseForest, X: ArrayLike) -> NDArray[Any]:
    """Samples as the ONNX model of a forest takes them, with a number for each category.

    Parameters
    ----------
    forest : fitted forest
        A classifier or regressor of this library.
    X : array-like of shape (n_samples, n_features)
        Samples, as given to `forest`, for example a data frame.

    Returns
    -------
    samples : array of shape (n_samples, n_features)
        The samples, of the type that `to_onnx` takes by default; see there for what stands for a
        category. Those of a manifold forest have the shape that `fit` was given.

    Examples
    --------
    >>> import pandas as pd
    >>> from silvan import ForestClassifier
    >>> from silvan.export import to_onnx_input
    >>> X = pd.DataFrame({"colour": ["red", "blue", "red", None], "size": [1.0, 2.0, 3.0, 4.0]})
    >>> forest = ForestClassifier(5, random_state=0).fit(X, [0, 1, 0, 1])
    >>> forest.categories_
    [array(['blue', 'red'], dtype=object), None]
    >>> to_onnx_input(forest, X.assign(colour=["red", "blue", "green", None]))
    array([[ 1.,  1.],
           [ 0.,  2.],
           [-1.,  3.],
           [nan,  4.]], dtype=float32)
    """
    check_predictor(forest)
    samples: NDArray[Any] = forest.fitted_.check(X)
    check_features(samples)
    exact = samples.astype(_exact_type(forest), copy=False)
    return exact.reshape(len(samples), *forest.fitted_.sample_shape)


def _exact_type(forest: BaseForest) -> str:
    """The smallest type of input that makes the model predict what the forest does."""
    return "float32" if forest.fitted_.scaler is None else "float64"


def _add_means(graph: Graph, forest: BaseForest, leaves: str) -> str:
    """Add the mean over the trees of leaf values or votes."""
    arrays = forest.fitted_.voting_arrays
    sums = _add_sums(graph, arrays, leaves)
    return graph.add("Div", sums, graph.constant(np.array(float(arrays.n_trees))))


def _add_sums(graph: Graph, arrays: ForestArrays, leaves: str) -> str:
    """Add the sum over the trees of leaf values."""
    values = graph.constant(arrays.leaf_values().toarray())
    trees = graph.constant(np.array([1]))
    return graph.add("ReduceSum", graph.add("Gather", values, leaves), trees, keepdims=0)


def _add_labels(graph: Graph, classes: NDArray[Any], means: str) -> dict[str, Any]:
    probabilities = graph.add("Identity", means, name="probabilities")
    best = graph.add("ArgMax", means, axis=1, keepdims=0)
    texts = classes.dtype.kind not in "biuf"
    known = graph.constant(classes.astype(str) if texts else classes)
    label = graph.add("Gather", known, best, name="label")
    return {
        label: (np.str_ if texts else classes.dtype, [None]),
        probabilities: (np.float64, [None, len(classes)]),
    }


def _add_prediction(graph: Graph, n_outputs: int, means: str) -> dict[str, Any]:
    if n_outputs > 1:
        return {graph.add("Identity", means, name="prediction"): (np.float64, [None, n_outputs])}
    outputs = graph.constant(np.array([1]))
    return {graph.add("Squeeze", means, outputs, name="prediction"): (np.float64, [None])}

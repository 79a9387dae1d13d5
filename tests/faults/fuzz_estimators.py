"""Random forests of every kind on random data: each case checks what holds of all of them.

A case is a function of its seed, which a failure names: ``check_case(seed, folder)`` repeats it.
"""

import pickle
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd
from projections.registry import CASES
from sklearn.base import clone, is_classifier

import silvan
from silvan import (
    BoostedForestClassifier,
    BoostedForestRegressor,
    BoostedManifoldForestClassifier,
    BoostedManifoldForestRegressor,
    DensityForest,
    ForestClassifier,
    ForestRegressor,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
)
from silvan.boosting.base import BoostedForest
from silvan.channels import Convolutions, Difference, Gradients, LocalContrast, Raw, Spectrum
from silvan.forests.grid import GridForest

ESTIMATORS = [ForestClassifier, ForestRegressor, ManifoldForestClassifier, ManifoldForestRegressor]
BOOSTED = [
    BoostedForestClassifier,
    BoostedForestRegressor,
    BoostedManifoldForestClassifier,
    BoostedManifoldForestRegressor,
]
CHANNELS = ["auto", "raw", [Difference(), LocalContrast(3)]]
CHANNELS_OF_IMAGES = [*CHANNELS, [Raw(), Gradients()]]
CHANNELS_OF_SERIES = [*CHANNELS, [Spectrum()], [Raw(), Convolutions(4)]]
N_FEATURES = [4, 6, 9, 12]
DTYPES = ["float64", "float32", "float16", "uint8", "int64", "int32", ">f8", ">f4", "bool"]
LAYOUTS = ["C", "F", "strided", "reversed", "read-only", "list", "frame"]
WEIGHTS = [None, "ones", "counts", "random", "tiny", "one heavy"]


@dataclass
class Case:
    seed: int
    estimator: Any
    X: np.ndarray
    y: np.ndarray | None
    weight: np.ndarray | None
    layout: str
    weights: str | None

    def __str__(self) -> str:
        described = f"{self.X.dtype} {self.X.shape}, {self.layout}, weights {self.weights}"
        return f"seed {self.seed}: {self.estimator!r} on {described}"

    @property
    def sample_weight(self) -> dict[str, Any]:
        return {} if self.weight is None else {"sample_weight": self.weight}


def draw_case(seed: int) -> Case:
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(8, 70)), int(rng.choice(N_FEATURES))
    unsupervised = rng.random() < 0.12
    X = draw_features(rng, n, p, missing=not unsupervised)
    draw = draw_density if unsupervised else draw_boosted if rng.random() < 0.3 else draw_forest
    estimator = draw(rng, p)
    manifold = isinstance(estimator, GridForest)
    y = None if unsupervised else draw_targets(rng, estimator, X)
    weights = None if unsupervised else WEIGHTS[rng.integers(len(WEIGHTS))]
    layout = LAYOUTS[rng.integers(5 if manifold else len(LAYOUTS))]
    if manifold:
        X = X.reshape(n, *{4: (2, 2), 6: (2, 3), 9: (3, 3), 12: (12,)}[p])
    return Case(seed, estimator, X, y, draw_weights(rng, weights, n), layout, weights)


def draw_features(rng: np.random.Generator, n: int, p: int, missing: bool) -> np.ndarray:
    dtype = np.dtype(DTYPES[rng.integers(len(DTYPES))])
    kind = rng.integers(4)
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-3, 4)
    if dtype.kind not in "f" or kind == 0:
        X = rng.integers(0, [2, 5, 200][rng.integers(3)], size=(n, p)).astype(float)
    if kind == 1:
        X = X[rng.integers(n, size=n)]  # repeated samples
    if kind == 2:
        X[:, rng.integers(p)] = 1.0  # a constant feature
    if missing and dtype.kind == "f" and rng.random() < 0.2:
        X[rng.random((n, p)) < 0.1] = np.nan
    return X.astype(dtype)


def draw_density(rng: np.random.Generator, p: int) -> DensityForest:
    return DensityForest(
        int(rng.integers(1, 5)),
        max_depth=int(rng.integers(1, 5)),
        random_state=int(rng.integers(100)),
    )


def draw_forest(rng: np.random.Generator, p: int) -> Any:
    kind = ESTIMATORS[rng.choice(4, p=[0.4, 0.3, 0.15, 0.15])]
    bootstrap = bool(rng.random() < 0.7)
    parameters: dict[str, Any] = {
        "n_estimators": int(rng.integers(1, 7)),
        "bootstrap": bootstrap,
        "max_samples": [None, 0.5, 5][rng.integers(3)],
        "max_depth": [None, 1, 3][rng.integers(3)],
        "min_samples_leaf": int(rng.choice([1, 1, 2, 5])),
        "honest": bool(rng.random() < 0.2),
        "random_state": int(rng.integers(1000)),
    }
    parameters["oob_score"] = bootstrap or parameters["max_samples"] is not None
    if kind in (ForestClassifier, ForestRegressor):
        parameters["projections"] = CASES[rng.integers(len(CASES))].build(p)
        parameters["scaling"] = [None, None, "rank", "minmax", "standard"][rng.integers(5)]
    if kind in (ForestClassifier, ManifoldForestClassifier):
        parameters["criterion"] = ["gini", "entropy"][rng.integers(2)]
        parameters["voting"] = ["soft", "hard"][rng.integers(2)]
    return kind(**parameters, **draw_channels(rng, kind, p))


def draw_boosted(rng: np.random.Generator, p: int) -> Any:
    kind = BOOSTED[rng.choice(4, p=[0.35, 0.35, 0.15, 0.15])]
    parameters: dict[str, Any] = {
        "n_estimators": int(rng.integers(1, 6)),
        "learning_rate": float(rng.choice([0.1, 1.0])),
        "max_leaf_nodes": [None, 2, 8][rng.integers(3)],
        "max_depth": [None, 1, 3][rng.integers(3)],
        "min_samples_leaf": int(rng.choice([1, 3])),
        "l2_regularization": float(rng.choice([0.0, 1.0])),
        "subsample": float(rng.choice([1.0, 0.6])),
        "colsample": float(rng.choice([1.0, 0.5])),
        "max_bins": int(rng.choice([2, 7, 255])),
        "vector_leaves": bool(rng.random() < 0.3),
        "early_stopping": bool(rng.random() < 0.2),
        "random_state": int(rng.integers(1000)),
    }
    if not issubclass(kind, GridForest) and rng.random() < 0.7:
        parameters["projections"] = CASES[rng.integers(len(CASES))].build(p)
    return kind(**parameters, **draw_channels(rng, kind, p))


def draw_channels(rng: np.random.Generator, kind: type, p: int) -> dict[str, Any]:
    if not issubclass(kind, GridForest):
        return {}
    choices = CHANNELS_OF_SERIES if p == 12 else CHANNELS_OF_IMAGES
    return {"channels": choices[rng.integers(len(choices))]}


def draw_targets(rng: np.random.Generator, estimator: Any, X: np.ndarray) -> np.ndarray:
    n = len(X)
    if is_classifier(estimator):
        names = np.array(["ash", "birch", "cedar"]) if rng.random() < 0.3 else np.array([-1, 3, 7])
        fewest = 2 if isinstance(estimator, BoostedForestClassifier) else 1
        drawn = rng.integers(int(rng.integers(fewest, 4)), size=n)
        drawn[:fewest] = np.arange(fewest)  # whose weights are not 0
        return names[drawn]
    y = rng.normal(size=n) * 10.0 ** rng.integers(-5, 6)
    return np.column_stack([y, np.round(y)]) if rng.random() < 0.3 else y


def draw_weights(rng: np.random.Generator, kind: str | None, n: int) -> np.ndarray | None:
    if kind is None:
        return None
    weight = {
        "ones": np.ones(n),
        "counts": rng.integers(0, 4, size=n),
        "random": rng.exponential(size=n),
        "tiny": rng.exponential(size=n) * 1e-9,
        "one heavy": np.where(np.arange(n) == 0, 50.5, 0.5),
    }[kind]
    weight[: n // 2] += weight[: n // 2] == 0  # not too few of them count
    return weight


def lay_out(X: np.ndarray, layout: str) -> Any:
    if layout == "F":
        return np.asfortranarray(X)
    if layout == "strided":
        return np.repeat(X, 2, axis=0)[::2]
    if layout == "reversed":
        return X[::-1].copy()[::-1]
    if layout == "list":
        return X.tolist()
    if layout == "frame":
        # Byte orders are beyond pandas.
        return pd.DataFrame(
            X.astype(X.dtype.newbyteorder("=")), columns=list("abcdefghijkl")[: X.shape[1]]
        )
    copied = X.copy()
    copied.flags.writeable = layout != "read-only"
    return copied


def values_of(estimator: Any, X: Any) -> np.ndarray:
    for name in ("predict_proba", "score_samples", "predict"):
        if hasattr(estimator, name):
            return np.asarray(getattr(estimator, name)(X))
    raise AssertionError(f"{estimator!r} predicts nothing")


def assert_same_trees(a: Any, b: Any, ignore: Sequence[str] = ()) -> None:
    for field in fields(a.forest_):
        if field.name not in ignore:
            x, y = getattr(a.forest_, field.name), getattr(b.forest_, field.name)
            np.testing.assert_array_equal(x, y, err_msg=field.name)


def check_case(seed: int, folder: Any) -> None:
    """Run every check of one case; the folder is for its file."""
    case = draw_case(seed)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "(?s).*out.of.bag")
            check(case, folder)
    except Exception as error:
        raise AssertionError(f"{case}: {type(error).__name__}: {error}") from error


def check(case: Case, folder: Any) -> None:
    X = lay_out(case.X, case.layout)
    fitted = clone(case.estimator).fit(X, case.y, **case.sample_weight)
    values = values_of(fitted, X)
    assert np.isfinite(values).all(), "values are not finite"
    if is_classifier(fitted):
        check_probabilities(fitted, X, values)
    if case.y is not None:
        check_out_of_bag(case, fitted, X)
    check_threads(case, fitted, X, values)
    check_round_trips(fitted, X, values, folder)
    check_order(case, fitted, X)
    # Lists have no types: small numbers become large ones, which are other rows.
    same = np.asarray(X) if case.layout == "list" else case.X
    plain = clone(case.estimator).fit(same, case.y, **case.sample_weight)
    # Densities are matrix products, which other libraries round by layout.
    rounding = 1e-9 if case.y is None else 0.0
    np.testing.assert_allclose(values_of(plain, same), values, rtol=rounding, err_msg="layout")


def check_probabilities(fitted: Any, X: Any, values: np.ndarray) -> None:
    assert (values >= 0).all()
    np.testing.assert_allclose(values.sum(axis=1), 1.0, atol=1e-9)
    predicted = np.searchsorted(fitted.classes_, fitted.predict(X))
    np.testing.assert_array_equal(values[np.arange(len(values)), predicted], values.max(axis=1))


def check_out_of_bag(case: Case, fitted: Any, X: Any) -> None:
    """Compare with the mean over the trees that did not draw a sample, asked one by one."""
    if not getattr(fitted, "oob_score", False):
        return
    hard = getattr(fitted, "voting", "soft") == "hard"
    arrays, n = fitted.forest_, len(case.X)
    leaves = fitted.apply(X)
    sums, counts = np.zeros((n, arrays.n_outputs)), np.zeros(n)
    for tree in range(arrays.n_trees):
        out = np.flatnonzero(fitted._sampling.drawn_weights(tree) == 0)
        if case.weight is not None:
            out = out[case.weight[out] > 0]  # the others are in no tree, and are not scored
        counts[out] += 1
        for row in out:
            node = arrays.tree_offsets[tree] + leaves[row, tree]
            leaf = arrays.leaf_offsets[tree] - 1 - arrays.left[node]
            at = slice(arrays.value_indptr[leaf], arrays.value_indptr[leaf + 1])
            values = arrays.values[at]
            if hard:  # the most probable classes share one vote
                values = (values == values.max()) / np.count_nonzero(values == values.max())
            sums[row, arrays.value_outputs[at]] += values
    with np.errstate(invalid="ignore"):
        expected = sums / counts[:, None]
    found = fitted.oob_decision_function_ if is_classifier(fitted) else fitted.oob_prediction_
    np.testing.assert_allclose(found, expected.reshape(found.shape), rtol=1e-9, err_msg="oob")


def check_threads(case: Case, fitted: Any, X: Any, values: np.ndarray) -> None:
    together = clone(case.estimator).set_params(n_jobs=3).fit(X, case.y, **case.sample_weight)
    assert_same_trees(fitted, together)
    np.testing.assert_array_equal(values_of(together, X), values, err_msg="threads")


def check_round_trips(fitted: Any, X: Any, values: np.ndarray, folder: Any) -> None:
    copied = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(values_of(copied, X), values, err_msg="pickle")
    if "Cyclic" in repr(fitted):
        return  # a user's own distribution has no file
    path = folder / "forest.safetensors"
    fitted.save(path)
    loaded = silvan.load(path)
    assert_same_trees(fitted, loaded)
    np.testing.assert_array_equal(values_of(loaded, X), values, err_msg="file")


def check_order(case: Case, fitted: Any, X: Any) -> None:
    if fits_directions(fitted):
        return
    order = np.random.default_rng(case.seed).permutation(len(case.X))
    weight = {} if case.weight is None else {"sample_weight": case.weight[order]}
    again = lay_out(case.X[order], case.layout)
    targets = None if case.y is None else case.y[order]
    shuffled = clone(case.estimator).fit(again, targets, **weight)
    ignored = ["members", "values"]
    if isinstance(fitted, BoostedForest):  # sums of gradients are rounded in the order of samples
        ignored += ["weight", "impurity"]
    assert_same_trees(fitted, shuffled, ignore=ignored)
    np.testing.assert_allclose(values_of(shuffled, X), values_of(fitted, X), rtol=1e-9, atol=1e-9)


def fits_directions(fitted: Any) -> bool:
    """Whether directions are fitted to rows, whose sums are rounded in the order of the rows."""
    described = repr(getattr(fitted, "projections", None))
    return any(name in described for name in ("Components", "Ridge", "Canonical", "Perturbed"))

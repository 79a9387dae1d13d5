"""Samples, targets and weights of odd kinds: every estimator takes them, or says what is wrong."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from silvan import (
    BoostedForestClassifier,
    BoostedForestRegressor,
    BoostedManifoldForestClassifier,
    DensityForest,
    ForestClassifier,
    ForestRegressor,
    ManifoldEmbedding,
    ManifoldForestClassifier,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(24, 9))
Y = np.arange(24) % 2
SMALL = {"n_estimators": 3, "random_state": 0}
GRID = {**SMALL, "shape": (3, 3)}
SUPERVISED = {
    ForestClassifier: SMALL,
    ForestRegressor: SMALL,
    ManifoldForestClassifier: GRID,
    BoostedForestClassifier: SMALL,
    BoostedForestRegressor: SMALL,
    BoostedManifoldForestClassifier: GRID,
}
ESTIMATORS = {**SUPERVISED, DensityForest: SMALL, ManifoldEmbedding: SMALL}
EVERY = pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
LEARNERS = pytest.mark.parametrize("kind", SUPERVISED, ids=lambda kind: kind.__name__)
CLASSIFIERS = [kind for kind in SUPERVISED if "Classifier" in kind.__name__]
REGRESSORS = [ForestRegressor, BoostedForestRegressor]


class OnlyAnArray:
    """What some libraries hand out: an array, and nothing else that NumPy knows."""

    def __init__(self, values):
        self._values = values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self._values, dtype=dtype)

    def __len__(self):
        return len(self._values)


def fit(kind, X, y=Y, **given):
    return kind(**ESTIMATORS[kind]).fit(X, y, **given)


def answer(forest, X):
    names = ("predict", "score_samples", "transform")
    return next(getattr(forest, name) for name in names if hasattr(forest, name))(X)


@EVERY
def test_objects_that_only_offer_an_array_are_samples(kind):
    given, expected = OnlyAnArray(X), fit(kind, X)
    np.testing.assert_array_equal(answer(fit(kind, given), given), answer(expected, X))


@EVERY
def test_repeated_names_of_columns_are_refused(kind):
    frame = pd.DataFrame(X, columns=["a", "b", "a", *"cdefgh"])
    with pytest.raises(ValueError, match="must have different names, but 2 are called 'a'; rename"):
        fit(kind, frame)


@EVERY
@pytest.mark.parametrize(
    "value, what",
    [
        (10**400, "a number of 1329 bits, which is beyond the range of float32; rescale"),
        ({1}, r"\{1\}, which is not a number; convert the column"),
        (pd.Interval(0, 1), r"Interval\(0, 1, closed='right'\), which is not a number"),
    ],
)
def test_values_that_are_no_numbers_are_refused_by_column(kind, value, what):
    table = X.astype(object)
    table[3, 2] = value
    frame = pd.DataFrame({f"c{j}": table[:, j] for j in range(9)})
    with pytest.raises(ValueError, match=f"column 2 of X holds {what}"):
        answer(fit(kind, X), frame.set_axis(range(9), axis=1))
    with pytest.raises(ValueError, match=f"column 'c2' of X holds {what}"):
        kind(**ESTIMATORS[kind], **numbers_alone(kind)).fit(frame, Y)


def numbers_alone(kind):
    """A column of objects is one of categories, unless a forest is told otherwise."""
    return {"categorical_features": None} if kind in SUPERVISED else {}


BROKEN = {
    "column too large": ("indices", 9),
    "column below zero": ("indices", -1),
    "end beyond the values": ("indptr", 10**6),
    "ends that fall": ("indptr", 0),
}


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor])
def test_sparse_samples_whose_indices_are_wrong_are_refused(kind, form, how):
    name, value = BROKEN[how]
    forest, broken = fit(kind, sparse.csr_array(X)), sparse.csr_array(X).asformat(form)
    indices = getattr(broken, name).copy()
    indices[5] = 24 if how == "column too large" and form == "csc" else value
    if form == "bsr":
        indices = np.resize(indices, len(getattr(broken, name)))
        indices[-1 if name == "indices" else 1] = value
    setattr(broken, name, indices)
    for use in (lambda: fit(kind, broken), lambda: forest.predict(broken)):
        with pytest.raises(ValueError, match="indices do not lie within its shape; make it anew"):
            use()


def test_coordinates_that_are_wrong_are_refused():
    broken = sparse.coo_array(X)
    broken.coords = (broken.coords[0], broken.coords[1] + 1)
    with pytest.raises(ValueError, match="indices do not lie within its shape"):
        fit(ForestClassifier, broken)


@LEARNERS
@pytest.mark.parametrize(
    "y, message",
    [
        (np.zeros((24, 1, 1)), r"y must have one dimension, or two .* shape is \(24, 1, 1\)"),
        ([[1], [1, 2]] * 12, "y must have as many entries for every sample"),
        (sparse.csr_array(np.c_[Y, Y]), "y must be dense, but it is sparse"),
    ],
    ids=["three dimensions", "ragged", "sparse"],
)
def test_shapes_that_are_no_targets_are_refused(kind, y, message):
    with pytest.raises(ValueError, match=message):
        fit(kind, X, y)


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("label", [None, Fraction(1, 3), 10**30, pd.Interval(0, 1)], ids=repr)
def test_labels_without_an_order_are_refused(kind, label):
    y = np.array([label, 1] * 12, dtype=object)
    with pytest.raises(ValueError, match="Unknown label type: y must hold text, numbers or"):
        fit(kind, X, y)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_missing_dates_are_no_labels(kind):
    y = np.array(["2020-01-01", "NaT"] * 12, dtype="datetime64[D]")
    with pytest.raises(ValueError, match="y must have a label for every sample, but it has NaT"):
        fit(kind, X, y)


@pytest.mark.parametrize("kind", REGRESSORS)
@pytest.mark.parametrize("value", [b"a", {1}, pd.Interval(0, 1), 10**400], ids=lambda v: str(v)[:9])
def test_targets_that_are_no_numbers_are_refused(kind, value):
    y = np.array([value, 1] * 12, dtype=object)
    with pytest.raises(ValueError, match="y must hold numbers, but it has"):
        fit(kind, X, y)


@pytest.mark.parametrize("kind", [*SUPERVISED, DensityForest])
@pytest.mark.parametrize("weight", ["a", ["a"] * 24, np.ones(24, complex), [10**400] * 24])
def test_weights_that_are_no_numbers_are_refused_by_name(kind, weight):
    with pytest.raises(ValueError, match="sample_weight must hold one number for each sample"):
        fit(kind, X, sample_weight=weight)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("kind", [ForestClassifier, ManifoldForestClassifier])
def test_several_outputs_of_one_class_each_are_remembered(kind, criterion):
    forest = kind(**SUPERVISED[kind], criterion=criterion).fit(X, [("a", "b")] * 24)
    assert forest.predict(X).tolist() == [["a", "b"]] * 24
    assert [p.tolist() for p in forest.predict_proba(X[:1])] == [[[1.0]], [[1.0]]]


@pytest.mark.parametrize("kind", REGRESSORS, ids=lambda kind: kind.__name__)
def test_infinities_of_both_signs_are_refused_without_warnings(kind):
    both = np.zeros(24)
    both[:2] = np.inf, -np.inf
    with pytest.raises(ValueError, match="infinity"):
        kind(**SMALL).fit(X, both)
    with pytest.raises(ValueError, match="infinity"):
        kind(**SMALL).fit(X, Y, sample_weight=both)

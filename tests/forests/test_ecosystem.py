"""Forests among the tools they are used with: frames, searches, pipelines, own distributions."""

import copy
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import silvan
from silvan import (
    DensityForest,
    ForestClassifier,
    ForestRegressor,
    ManifoldEmbedding,
    ManifoldForestClassifier,
)
from silvan.explanations import feature_contributions
from silvan.export import to_dict, to_onnx, to_onnx_input, to_text
from silvan.inspection import out_of_bag_mask, top_projections, tree_predictions
from silvan.projections import (
    AxisAligned,
    ProjectionDistribution,
    SparseSigns,
    UniformCombinations,
    UnitFree,
)
from silvan.tuning import OutOfBagSearch

BOTH = pytest.mark.parametrize("Forest", [ForestClassifier, ForestRegressor])


@BOTH
@pytest.mark.parametrize("make_frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_name_the_features(Forest, make_frame, labelled, assert_same_forest):
    X, y = labelled
    names = [f"f{j}" for j in range(X.shape[1])]
    frame = make_frame(dict(zip(names, X.T, strict=True)))
    forest = Forest(5, random_state=0).fit(frame, y)
    assert list(forest.feature_names_in_) == names
    plain = Forest(5, random_state=0).fit(X, y)
    assert_same_forest(forest.forest_, plain.forest_)
    np.testing.assert_array_equal(forest.predict(frame), plain.predict(X))
    with pytest.raises(ValueError, match="feature names should match"):
        forest.predict(make_frame(dict(zip(names[::-1], X.T, strict=True))))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        forest.predict(X)


def test_frames_of_mixed_types_are_accepted(labelled):
    X, y = labelled
    frame = pd.DataFrame({"a": X[:, 0], "b": (10 * X[:, 1]).astype(int), "c": X[:, 2] > 0})
    series = pd.Series(np.array(["u", "v", "w"])[y])
    forest = ForestClassifier(5, random_state=0).fit(frame, series, pd.Series(np.ones(len(y))))
    assert forest.predict(frame).shape == y.shape


def test_parameters_of_the_distribution_are_reached_through_the_forest():
    forest = ForestClassifier(projections=SparseSigns())
    assert "projections__density" in forest.get_params()
    forest.set_params(projections__density=0.25)
    assert forest.projections.density == 0.25
    copied = clone(forest)
    assert copied.projections is not forest.projections
    assert copied.projections.density == 0.25


def test_fitted_forest_keeps_the_distribution_it_used(labelled):
    X, y = labelled
    forest = ForestClassifier(2, random_state=0).fit(X, y)
    assert forest.projections is None
    assert forest.projections_ == UnitFree(SparseSigns(), forest.projections_.spreads)
    assert forest.projections_.spreads.shape == (X.shape[1],)
    given = AxisAligned()
    forest = ForestClassifier(2, projections=given, random_state=0).fit(X, y)
    assert isinstance(forest.projections_, AxisAligned)
    assert forest.projections_ is not given


def test_grid_search_over_the_distribution(labelled):
    X, y = labelled
    grid = {"projections__density": [0.2, 0.5], "max_features": ["sqrt", 2.0]}
    search = GridSearchCV(
        ForestClassifier(5, projections=SparseSigns(), random_state=0), grid, cv=2
    ).fit(X, y)
    assert search.best_params_["projections__density"] in (0.2, 0.5)
    search = GridSearchCV(
        ForestClassifier(5, random_state=0), {"projections": [None, AxisAligned()]}, cv=2
    ).fit(X, y)
    assert len(search.cv_results_["params"]) == 2


def test_parameters_of_the_default_distribution_are_set_by_name(labelled):
    X, y = labelled
    forest = ForestClassifier(5, random_state=0)
    assert forest.set_params(projections__mean_nonzeros=3, max_features=2) is forest
    assert forest.projections == UnitFree(SparseSigns(mean_nonzeros=3))
    assert forest.get_params()["projections__distribution__mean_nonzeros"] == 3
    assert clone(forest).projections == forest.projections
    grid = {"projections__mean_nonzeros": [2, 3]}
    search = GridSearchCV(ForestClassifier(5, random_state=0), grid, cv=2).fit(X, y)
    assert search.best_estimator_.projections.distribution.mean_nonzeros in (2, 3)
    assert search.estimator.projections is None
    # A distribution in the same call comes first, as in scikit-learn.
    forest.set_params(projections__n_features=4, projections=UniformCombinations())
    assert forest.projections == UniformCombinations(n_features=4)
    forest.set_params(projections=None, projections__mean_nonzeros=1)
    assert forest.projections == UnitFree(SparseSigns(mean_nonzeros=1))


@pytest.mark.parametrize("estimator", [DensityForest(), ManifoldEmbedding()], ids=str)
def test_each_estimator_has_its_own_default_distribution(estimator):
    estimator.set_params(projections__n_features=3)
    assert estimator.projections == UniformCombinations(n_features=3)


def test_unknown_nested_parameters_are_refused_and_change_nothing():
    forest = ForestClassifier()
    with pytest.raises(ValueError, match="Invalid parameter 'typo' for SparseSigns"):
        forest.set_params(max_depth=3, projections__typo=3)
    assert forest.projections is None
    assert forest.max_depth is None
    with pytest.raises(ValueError, match="Invalid parameter 'projections'"):
        ManifoldForestClassifier().set_params(projections__mean_nonzeros=3)


def test_parameters_that_are_set_after_fit_count_in_the_next_one(labelled):
    X, y = labelled
    forest = ForestClassifier(5, criterion="entropy", voting="hard", max_depth=2, random_state=0)
    votes = forest.fit(X, y).predict_proba(X)
    fitted = forest.fitted_
    forest.set_params(criterion="gini", voting="soft")
    assert (forest.fitted_.criterion, forest.fitted_.hard_votes) == ("entropy", True)
    forest.set_params(criterion="x", voting="x")
    assert forest.fitted_.criterion == fitted.criterion
    np.testing.assert_array_equal(forest.predict_proba(X), votes)
    with pytest.raises(ValueError, match="criterion must be one of"):
        forest.fit(X, y)
    forest.set_params(criterion="gini", voting="soft").fit(X, y)
    assert (forest.fitted_.criterion, forest.fitted_.hard_votes) == ("gini", False)


def test_searches_and_pipelines_are_told_from_the_forests_in_them(labelled, tmp_path):
    X, y = labelled
    forest = ForestClassifier(20, random_state=0)
    fitted = OutOfBagSearch(forest, {"max_depth": [2, 3]}).fit(X, y)
    others = [
        fitted,
        clone(fitted),
        GridSearchCV(forest, {}, cv=2).fit(X, y),
        make_pipeline(StandardScaler(), forest).fit(X, y),
    ]
    readers = [
        to_onnx,
        to_text,
        to_dict,
        top_projections,
        out_of_bag_mask,
        lambda given: to_onnx_input(given, X),
        lambda given: feature_contributions(given, X),
        lambda given: tree_predictions(given, X),
        lambda given: silvan.files.save(given, tmp_path / "forest"),
    ]
    for read in readers:
        for given in others:
            with pytest.raises(ValueError, match=r"of this library, but it is .* best_estimator_ "):
                read(given)
        read(fitted.best_estimator_)


def test_forests_work_inside_other_estimators(labelled, numeric):
    X, y = labelled
    forest = ForestClassifier(10, random_state=0)
    pipeline = make_pipeline(StandardScaler(), forest).fit(X, y)
    assert pipeline.score(X, y) > 0.9
    calibrated = CalibratedClassifierCV(forest, cv=2).fit(X, y)
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1)
    many = MultiOutputClassifier(forest).fit(X, np.column_stack([y, y == 1]))
    assert many.predict(X).shape == (len(y), 2)
    X, y = numeric
    regressor = ForestRegressor(10, random_state=0)
    assert cross_val_predict(regressor, X, y, cv=2).shape == y.shape
    result = permutation_importance(regressor.fit(X, y), X, y, n_repeats=2, random_state=0)
    assert result.importances_mean.argmax() == regressor.feature_importances_.argmax()


def test_copies_are_independent(labelled):
    X, y = labelled
    forest = ForestClassifier(5, random_state=0).fit(X, y)
    copied = copy.deepcopy(forest)
    forest.set_params(n_estimators=3).fit(X[:50], y[:50])
    assert copied.forest_.n_trees == 5
    assert copied.predict(X).shape == y.shape


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.float64])
def test_fit_copies_the_data_in_the_core_only(dtype):
    # Wide: the 40 bytes that a fit holds for each sample must not blur what it holds of X.
    X = np.random.default_rng(0).integers(0, 255, (4000, 2000)).astype(dtype)
    y = np.arange(4000) % 2
    forest = ForestClassifier(1, max_depth=1, random_state=0)
    forest.fit(X[:10], y[:10])
    tracemalloc.start()
    forest.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.1 * X.nbytes


def test_sample_weights_are_routed(labelled):
    X, y = labelled
    weight = np.random.default_rng(0).exponential(size=len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        forest = ForestClassifier(5, random_state=0).set_fit_request(sample_weight=True)
        forest.set_score_request(sample_weight=False)
        routed = cross_validate(forest, X, y, params={"sample_weight": weight}, cv=2)
    assert len(routed["test_score"]) == 2


class OneFeature(ProjectionDistribution):
    """Axis-aligned directions, drawn in Python; fails below a depth if asked to."""

    def __init__(self, fails_at=None):
        self.fails_at = fails_at

    def sample(self, node, rng):
        if self.fails_at is not None and node.depth >= self.fails_at:
            raise RuntimeError("no more directions")
        chosen = rng.integers(node.n_features, size=node.n_directions)
        ones = np.ones(node.n_directions)
        rows = np.arange(node.n_directions)
        return csr_array((ones, (rows, chosen)), shape=(node.n_directions, node.n_features))


@BOTH
def test_distribution_written_in_python_grows_a_forest(Forest, labelled, assert_same_forest):
    X, y = labelled
    alone = Forest(4, projections=OneFeature(), random_state=0).fit(X, y)
    together = Forest(4, projections=OneFeature(), random_state=0, n_jobs=2).fit(X, y)
    assert_same_forest(alone.forest_, together.forest_)
    assert np.diff(alone.forest_.direction_indptr).max() == 1
    assert alone.score(X, y) > 0.6


@BOTH
def test_error_of_a_distribution_is_raised_and_nothing_is_kept(Forest, labelled):
    X, y = labelled
    forest = Forest(20, projections=OneFeature(fails_at=2), random_state=0, n_jobs=2)
    with pytest.raises(RuntimeError, match="no more directions"):
        forest.fit(X, y)
    assert set(vars(forest)) == set(forest.get_params(deep=False))
    forest.set_params(projections__fails_at=None).fit(X, y)

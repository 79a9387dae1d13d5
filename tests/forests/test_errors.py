"""Bad parameters and bad data get a clear error before any work starts."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from silvan import (
    BoostedForestClassifier,
    BoostedForestRegressor,
    DensityForest,
    ForestClassifier,
    ForestRegressor,
    ManifoldEmbedding,
    ManifoldForestClassifier,
    _core,
)
from silvan.export import to_dict, to_text
from silvan.inspection import out_of_bag_curve
from silvan.projections import AxisAligned, Dictionary, ProjectionDistribution, SparseSigns

X = np.random.default_rng(0).normal(size=(30, 4))
Y = (X[:, 0] > 0).astype(int)

BAD_PARAMETERS = [
    ("n_estimators", 0, "n_estimators must be an integer >= 1, but it is 0; pass for example 10"),
    ("n_estimators", 2.5, "n_estimators must be an integer >= 1"),
    ("n_estimators", True, "n_estimators must be an integer >= 1, but it is True"),
    (
        "n_estimators",
        2**63,
        "n_estimators must be at most 10000000, but it is 9223372036854775808",
    ),
    ("min_impurity_decrease", 10**400, "min_impurity_decrease must be a number >= 0"),
    ("honest_fraction", -(10**400), "honest_fraction must be a number between 0 and 1"),
    ("categorical_features", np.array(3), "categorical_features must be"),
    ("n_estimators", "ten", "n_estimators must be an integer >= 1, but it is 'ten'"),
    ("max_depth", 0, "max_depth must be an integer >= 1 or None"),
    ("max_depth", 2.0, "max_depth must be an integer >= 1 or None"),
    (
        "min_samples_split",
        1,
        r"min_samples_split must be an integer >= 2 or a fraction in \(0, 1\]",
    ),
    ("min_samples_split", 1.5, "min_samples_split must be an integer >= 2 or a fraction"),
    ("min_samples_leaf", 0, "min_samples_leaf must be an integer >= 1 or a fraction"),
    (
        "min_samples_leaf",
        1.0,
        r"min_samples_leaf must be an integer >= 1 or a fraction in \(0, 1\), but it is 1.0",
    ),
    ("min_samples_leaf", np.nan, "min_samples_leaf must be an integer >= 1 or a fraction"),
    ("min_impurity_decrease", -0.1, "min_impurity_decrease must be a number >= 0"),
    ("min_impurity_decrease", np.inf, "min_impurity_decrease must be a number >= 0"),
    ("min_impurity_decrease", "no", "min_impurity_decrease must be a number >= 0"),
    ("bootstrap", "yes", "bootstrap must be True or False, but it is 'yes'"),
    ("bootstrap", 1, "bootstrap must be True or False"),
    ("warm_start", None, "warm_start must be True or False"),
    ("warm_start", np.array([1, 2]), "warm_start must be True or False"),
    ("max_samples", 0, "max_samples must be an integer >= 1 or a fraction"),
    ("max_samples", 1.1, "max_samples must be an integer >= 1 or a fraction"),
    ("max_samples", 2**40, "max_samples must be at most 2147483647, but it is 1099511627776"),
    ("oob_score", "yes", "oob_score must be True or False"),
    ("n_jobs", 0, "n_jobs must be None or an integer that is not 0"),
    ("n_jobs", 1.5, "n_jobs must be None or an integer that is not 0"),
    ("verbose", -1, "verbose must be an integer >= 0"),
    ("random_state", "seed", "random_state must be None, an integer"),
    ("random_state", -1, "random_state must be None, an integer"),
    ("max_features", 0, "max_features must be an integer >= 1, a fraction > 0"),
    ("max_features", -0.5, "max_features must be an integer >= 1, a fraction > 0"),
    ("max_features", "all", "max_features must be an integer >= 1, a fraction > 0"),
    ("max_features", [3], "max_features must be an integer >= 1, a fraction > 0"),
    ("max_features", 10**12, "at most 10000000 candidate directions.*X has 4 features"),
    ("criterion", "friedman", "criterion must be one of"),
    ("criterion", 3, "criterion must be one of"),
    ("projections", "axis", "projections must be None or an object of a class derived from"),
    ("projections", AxisAligned, "projections must be None or an object of a class derived from"),
]


@pytest.mark.parametrize("Forest", [ForestClassifier, ForestRegressor])
@pytest.mark.parametrize(("name", "value", "message"), BAD_PARAMETERS)
def test_bad_parameters_are_refused(Forest, name, value, message, monkeypatch):
    monkeypatch.setattr(_core, "grow", None)
    with pytest.raises(ValueError, match=message):
        Forest(**{name: value}).fit(X, Y)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("voting", "loud", "voting must be one of 'soft', 'hard', but it is 'loud'"),
        (
            "class_weight",
            "fair",
            'class_weight must be None, "balanced", "balanced_subsample" or a dictionary',
        ),
        (
            "class_weight",
            {0: -1},
            'class_weight must be None, "balanced", "balanced_subsample" or a dictionary',
        ),
        (
            "class_weight",
            np.array([1, 2]),
            'class_weight must be None, "balanced", "balanced_subsample" or a dictionary',
        ),
        (
            "class_weight",
            [1, 2],
            'class_weight must be None, "balanced", "balanced_subsample" or a dictionary',
        ),
        ("class_weight", {0: 1, 7: 2}, r"labels that y does not have, and leaves out \[1\]"),
        ("class_weight", {0: 0, 1: 0}, "must have a sum between 1e-200 and 1e200, but it is 0"),
    ],
)
def test_bad_parameters_of_the_classifier_are_refused(name, value, message):
    with pytest.raises(ValueError, match=message):
        ForestClassifier(**{name: value}).fit(X, Y)


def test_wrong_types_are_type_errors_too():
    with pytest.raises(TypeError, match="n_estimators must be an integer"):
        ForestClassifier(n_estimators="ten").fit(X, Y)


def test_long_values_are_cut_in_messages():
    with pytest.raises(ValueError, match=r"but it is a list \(\[0, 1, .*\.\.\.\); pass") as caught:
        ForestClassifier(n_estimators=list(range(1000))).fit(X, Y)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("Forest", [ForestClassifier, ForestRegressor])
class TestBadData:
    @pytest.mark.parametrize("value", [np.inf, -np.inf, 1e39])
    def test_values_beyond_float32_are_refused(self, Forest, value):
        bad = X.copy()
        bad[3, 2] = value
        message = r"X contains infinity or a value too large .* \(in feature 2\); rescale"
        with pytest.raises(ValueError, match=message):
            Forest(2).fit(bad, Y)
        with pytest.raises(ValueError, match=message):
            Forest(2).fit(X, Y).predict(bad)

    def test_infinity_beside_missing_values_is_refused(self, Forest):
        bad = X.astype(np.float32)
        bad[:, 0], bad[1, 1] = np.nan, np.inf
        with pytest.raises(ValueError, match=r"infinity .* is inf \(in feature 1\)"):
            Forest(2).fit(bad, Y)
        frame = pd.DataFrame(bad, columns=[f"c{j}" for j in range(bad.shape[1])])
        with pytest.raises(ValueError, match=r"infinity .* is inf \(in column 'c1'\)"):
            Forest(2).fit(frame, Y)

    def test_text_is_refused(self, Forest):
        with pytest.raises(ValueError, match="column 0 of X holds text, such as 'a'"):
            Forest(2).fit(np.full((30, 2), "a"), Y)

    def test_dates_are_refused(self, Forest):
        dates = np.full((30, 2), "2020-01-01", dtype="datetime64[D]")
        with pytest.raises(ValueError, match="X must hold numbers, but its dtype is datetime64"):
            Forest(2).fit(dates, Y)

    def test_complex_numbers_are_refused(self, Forest):
        with pytest.raises(ValueError, match="Complex data not supported"):
            Forest(2).fit(X + 1j, Y)

    @pytest.mark.parametrize("shape", [(0, 4), (30, 0)])
    def test_empty_arrays_are_refused(self, Forest, shape):
        with pytest.raises(ValueError, match=r"Found array with 0 (sample|feature)\(s\)"):
            Forest(2).fit(np.empty(shape), Y[: shape[0]])

    def test_one_dimensional_features_are_refused(self, Forest):
        with pytest.raises(ValueError, match="Expected 2D array, got 1D array"):
            Forest(2).fit(X[:, 0], Y)

    def test_different_lengths_are_refused(self, Forest):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            Forest(2).fit(X, Y[:-1])

    def test_missing_targets_are_refused(self, Forest):
        y = Y.astype(float)
        y[0] = np.nan
        with pytest.raises(ValueError, match="Input y contains NaN"):
            Forest(2).fit(X, y)
        with pytest.raises(ValueError, match="requires y to be passed"):
            Forest(2).fit(X, None)

    def test_other_number_of_features_is_refused_in_prediction(self, Forest):
        with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 4"):
            Forest(2).fit(X, Y).predict(X[:, :3])

    def test_negative_weights_are_refused(self, Forest):
        weight = np.ones(30)
        weight[2] = -1.5
        with pytest.raises(ValueError, match=r"must not be negative.* -1\.5; drop those samples"):
            Forest(2).fit(X, Y, weight)

    def test_weights_that_are_all_zero_are_refused(self, Forest):
        with pytest.raises(ValueError, match="all 30 weights are zero; give the samples"):
            Forest(2).fit(X, Y, np.zeros(30))

    @pytest.mark.parametrize("scale", [1e-300, 1e300])
    def test_weights_out_of_range_are_refused(self, Forest, scale):
        with pytest.raises(ValueError, match=r"sum between 1e-200 and 1e200.*rescale"):
            Forest(2).fit(X, Y, np.full(30, scale))

    def test_weights_that_are_not_finite_or_of_another_length_are_refused(self, Forest):
        with pytest.raises(ValueError, match="sample_weight contains NaN"):
            Forest(2).fit(X, Y, np.full(30, np.nan))
        with pytest.raises(ValueError, match="sample_weight"):
            Forest(2).fit(X, Y, np.ones(29))

    def test_subsample_of_more_rows_than_there_are_is_refused(self, Forest):
        with pytest.raises(ValueError, match=r"max_samples must be at most 30.*bootstrap=True"):
            Forest(2, bootstrap=False, max_samples=31).fit(X, Y)

    def test_out_of_bag_estimates_need_rows_out_of_bag(self, Forest):
        with pytest.raises(
            ValueError, match="only available if bootstrap=True or max_samples leaves"
        ):
            Forest(2, bootstrap=False, oob_score=True).fit(X, Y)

    def test_parameters_of_the_distribution_are_checked_by_fit(self, Forest):
        with pytest.raises(ValueError, match="density"):
            Forest(2, projections=SparseSigns(density=-1.0)).fit(X, Y)

    def test_failed_fit_leaves_the_estimator_as_it_was(self, Forest):
        forest = Forest(2, random_state=0).fit(X, Y)
        before = dict(vars(forest))
        with pytest.raises(ValueError, match="infinity"):
            forest.fit(np.full((5, 3), np.inf), Y[:5])
        assert vars(forest) == before
        fresh = Forest(2)
        with pytest.raises(ValueError, match="inconsistent"):
            fresh.fit(X, Y[:-1])
        assert not hasattr(fresh, "n_features_in_")


def test_continuous_labels_are_refused():
    with pytest.raises(ValueError, match="Unknown label type"):
        ForestClassifier(2).fit(X, X[:, 0])


def test_text_among_labels_that_are_numbers_is_refused():
    numbers = Y.astype(object)
    text = np.where(Y, "up", "down").astype(object)
    for labels in (np.column_stack([numbers, text]), np.where(X[:, 1] > 0, numbers, text)):
        with pytest.raises(ValueError, match="y must hold labels of one kind, but it has the text"):
            ForestClassifier(2).fit(X, labels)


def test_several_columns_of_labels_are_refused_in_boosting():
    with pytest.raises(ValueError, match="y must have one output in a BoostedForestClassifier"):
        BoostedForestClassifier(2).fit(X, np.column_stack([Y, Y]))


def test_targets_that_span_too_much_are_refused():
    for large in (1e30, 1e300):
        with pytest.raises(
            ValueError, match=r"must span at most 1e\+18, but they span .*; rescale"
        ):
            ForestRegressor(2).fit(X, np.where(Y, large, -large))


def test_targets_without_columns_are_refused():
    with pytest.raises(ValueError, match=r"y must have at least one column|0 feature\(s\)"):
        ForestRegressor(2).fit(X, np.empty((30, 0)))


@pytest.mark.parametrize("Forest", [ForestClassifier, ForestRegressor])
def test_more_rows_than_nodes_can_be_numbered_for_are_refused_before_any_work(Forest, monkeypatch):
    monkeypatch.setattr(_core, "grow", None)
    # Takes no memory: all rows are one.
    rows = np.broadcast_to(np.float32(0), (2**30 + 1, 1))
    with pytest.raises(ValueError, match=r"at most 1073741824 samples, .* but it has 1073741825"):
        Forest().fit(rows, np.broadcast_to(np.int8(0), len(rows)))
    for other in (DensityForest(), ManifoldEmbedding()):
        with pytest.raises(ValueError, match="at most 1073741824 samples"):
            other.fit(rows)


def test_masked_entries_are_refused_by_name():
    masked_rows = np.ma.masked_less(X, X.min() + 0.1)
    masked_labels = np.ma.array(Y, mask=np.arange(len(Y)) == 3)
    weight = np.ma.array(np.ones(len(Y)), mask=np.arange(len(Y)) < 2)
    message = r"X must not have masked entries, but \d+ of \d+ are; pass X.astype\(float\).filled"
    fitted = ForestClassifier(2, random_state=0).fit(X, Y)
    grid = masked_rows.reshape(len(X), 2, -1)
    for call in (
        lambda: ForestClassifier(2).fit(masked_rows, Y),
        lambda: ForestRegressor(2).fit(masked_rows, Y),
        lambda: ManifoldForestClassifier(2).fit(grid, Y),
        lambda: DensityForest(2).fit(masked_rows),
        lambda: ManifoldEmbedding().fit(masked_rows),
        lambda: fitted.predict(masked_rows),
        lambda: fitted.apply(masked_rows),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(ValueError, match=r"y must not have masked entries, but 1 of \d+ are; drop"):
        ForestClassifier(2).fit(X, masked_labels)
    with pytest.raises(ValueError, match="sample_weight must not have masked entries, but 2 of"):
        ForestClassifier(2).fit(X, Y, weight)
    # A mask that hides nothing changes nothing, and what the message says works.
    assert fitted.predict(np.ma.array(X)).shape == (len(X),)
    ForestClassifier(2, random_state=0).fit(masked_rows.astype(float).filled(np.nan), Y)


def test_importances_cannot_be_changed_from_outside():
    forest = ForestClassifier(3, random_state=0).fit(X, Y)
    before = forest.feature_importances_.copy()
    forest.feature_importances_[:] = 7
    np.testing.assert_array_equal(forest.feature_importances_, before)


def test_features_beyond_32_bits_are_refused_and_not_wrapped():
    class Wrapping(ProjectionDistribution):
        def sample(self, node, rng):
            beyond = np.array([2**32 + 1])
            return csr_array(([1.0], beyond, [0, 1]), shape=(1, node.n_features))

    with pytest.raises(ValueError, match=r"Wrapping.sample .*features from 0 to 3.*4294967297"):
        ForestClassifier(2, projections=Wrapping()).fit(X, Y)
    atoms = csr_array(([1.0], np.array([2**32 + 1]), [0, 1]), shape=(1, 4))
    with pytest.raises(ValueError, match=r"atoms .*features from 0 to 3, .* feature 4294967297"):
        ForestClassifier(2, projections=Dictionary(atoms)).fit(X, Y)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_missing_labels_are_counted_in_the_error(missing):
    labels = np.where(Y, "up", "down").astype(object)
    labels[[3, 7]] = missing
    frame = pd.DataFrame({"number": X[:, 0], "name": labels.astype(str)})
    for samples, targets in ((X, labels), (frame, pd.Series(labels))):
        for forest in (ForestClassifier(2), BoostedForestClassifier(2)):
            with pytest.raises(ValueError, match="Input y contains NaN or None: 2 of 30 targets"):
                forest.fit(samples, targets)
    with pytest.raises(ValueError, match="2 of 30 targets are missing; leave out these samples"):
        ForestClassifier(2).fit(X, pd.Series(labels).astype("string"))


@pytest.mark.parametrize("missing", [np.nan, None])
def test_lists_of_text_labels_with_missing_ones_are_refused(missing):
    X = np.zeros((3, 2))
    for y in (["a", "b", missing], ("a", "b", missing)):
        with pytest.raises(ValueError, match="1 of 3 targets are missing"):
            ForestClassifier(2).fit(X, y)
    with pytest.raises(ValueError, match="1 of 6 targets are missing"):
        ForestClassifier(2).fit(X, [["a", "x"], ["b", missing], ["a", "x"]])


def test_targets_of_too_many_dimensions_are_not_blamed_on_the_samples():
    for forest in (ForestRegressor(2), BoostedForestRegressor(2)):
        with pytest.raises(ValueError, match=r"y must have one .* is \(30, 2, 2\); pass"):
            forest.fit(X, np.ones((30, 2, 2)))


def test_levels_of_quantiles_that_are_text_are_reported_by_name():
    with pytest.raises(ValueError, match=r"q must be a level in \[0, 1\] .*, but it is 'median'"):
        ForestRegressor(2).fit(X, Y).predict_quantiles(X, "median")


@pytest.mark.parametrize("answer", ["high", np.ones(3), None])
def test_functions_for_out_of_bag_scores_must_return_numbers(answer):
    with pytest.raises(ValueError, match="what oob_score returns must be a number, but it is"):
        ForestClassifier(20, oob_score=lambda true, predicted: answer).fit(X, Y)


def test_readers_of_predictions_refuse_forests_without_targets():
    forest = DensityForest(2, random_state=0).fit(X)
    for read in (to_text, to_dict, lambda forest: out_of_bag_curve(forest, X, Y)):
        with pytest.raises(ValueError, match="forest must be a classifier or a regressor, but it"):
            read(forest)

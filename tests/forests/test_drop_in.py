"""What people know from RandomForest and ExtraTrees: outputs, criteria, limits, views of trees."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, make_multilabel_classification
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import silvan
from silvan import ForestClassifier, ForestRegressor, ManifoldForestClassifier
from silvan.export import to_dict
from silvan.inspection import importance_map, tree_predictions
from silvan.projections import AxisAligned


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True)


# One tree along single features that sees every sample and every direction: scikit-learn's tree.
ONE_TREE = {
    "n_estimators": 1,
    "projections": AxisAligned(),
    "bootstrap": False,
    "max_features": None,
    "random_state": 0,
}


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_an_output_that_is_repeated_changes_no_tree(iris, criterion):
    X, y = iris
    one = ForestClassifier(5, criterion=criterion, bootstrap=False, random_state=0)
    two = clone(one).fit(X, np.column_stack([y, y]))
    one.fit(X, y)
    np.testing.assert_array_equal(one.forest_.threshold, two.forest_.threshold)
    np.testing.assert_allclose(one.forest_.impurity, two.forest_.impurity, rtol=1e-6)
    for output in two.predict_proba(X):
        np.testing.assert_allclose(output, one.predict_proba(X))


def test_labels_of_several_outputs_keep_their_types_and_shapes(iris, tmp_path):
    X, y = iris
    names = np.array([["red", "a"], ["green", "b"], ["blue", "a"]])[y]
    forest = ForestClassifier(10, random_state=0).fit(X, names)
    assert [list(c) for c in forest.classes_] == [["blue", "green", "red"], ["a", "b"]]
    assert forest.n_classes_ == [3, 2]
    assert forest.n_outputs_ == 2
    assert forest.predict(X).shape == (150, 2)
    assert (forest.predict(X) == names).mean() > 0.95
    logs = forest.predict_log_proba(X)
    for log, probability in zip(logs, forest.predict_proba(X), strict=True):
        np.testing.assert_allclose(np.exp(log), probability)
        np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    forest.save(tmp_path / "forest.safetensors")
    for copy in (silvan.load(tmp_path / "forest.safetensors"), pickle.loads(pickle.dumps(forest))):
        np.testing.assert_array_equal(copy.predict(X), forest.predict(X))


def test_labels_of_several_outputs_score_out_of_bag():
    X, y = make_multilabel_classification(200, n_labels=3, random_state=0)
    forest = ForestClassifier(40, oob_score=True, random_state=0).fit(X, y)
    assert forest.oob_decision_function_.shape == (200, 2, 5)
    labels = forest.oob_decision_function_.argmax(axis=1)
    assert forest.oob_score_ == (labels == y).all(axis=1).mean()
    assert (labels == y).mean() > 0.65
    np.testing.assert_allclose(forest.oob_decision_function_.sum(axis=1), 1.0)


def test_several_outputs_warm_start_like_one_fit(iris):
    X, y = iris
    Y = np.column_stack([y, y == 1])
    forest = ForestClassifier(3, warm_start=True, random_state=0).fit(X, Y)
    forest.set_params(n_estimators=6).fit(X, Y)
    once = ForestClassifier(6, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(forest.forest_.values, once.forest_.values)


def test_images_may_have_several_outputs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6, 6))
    y = np.column_stack([X[:, :3].mean(axis=(1, 2)) > 0, X[:, 3:].mean(axis=(1, 2)) > 0])
    forest = ManifoldForestClassifier(20, channels="raw", random_state=0).fit(X, y)
    assert (forest.predict(X) == y).mean() > 0.9


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"voting": "hard"}, '"soft" where y has several outputs'),
        ({"oob_score": True}, "cannot be used to compute OOB estimates"),
        ({"class_weight": {0: 1.0}}, "a list of 2 dictionaries"),
    ],
)
def test_what_several_outputs_lack_is_refused_by_name(iris, changes, message):
    X, y = iris
    with pytest.raises(ValueError, match=message):
        ForestClassifier(3, **changes).fit(X, np.column_stack([y, y]))


def test_readers_of_one_output_refuse_several(iris):
    X, y = iris
    forest = ForestClassifier(3, random_state=0).fit(X, np.column_stack([y, y]))
    for read in (to_dict, lambda f: tree_predictions(f, X)):
        with pytest.raises(ValueError, match="MultiOutputClassifier"):
            read(forest)
    with pytest.raises(ValueError, match="MultiOutputClassifier"):
        importance_map(forest, "gain", per_class=True)
    assert importance_map(forest).shape == (4,)


def test_sparse_labels_are_refused_with_the_way_round(iris):
    with pytest.raises(ValueError, match=r"sparse multilabel-indicator .* y.toarray\(\)"):
        ForestClassifier(3).fit(iris[0][:2], csr_array([[0, 1], [1, 0]]))


def test_class_weights_of_outputs_multiply(iris):
    X, y = iris
    weights = [{0: 2.0, 1: 1.0, 2: 1.0}, {0: 1.0, 1: 3.0, 2: 1.0}]
    forest = ForestClassifier(5, class_weight=weights, bootstrap=False, random_state=0)
    forest.fit(X, np.column_stack([y, y]))
    by_sample = ForestClassifier(5, bootstrap=False, random_state=0)
    by_sample.fit(X, np.column_stack([y, y]), np.array([2.0, 3.0, 1.0])[y])
    np.testing.assert_array_equal(forest.forest_.values, by_sample.forest_.values)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_one_tree_is_that_of_scikit_learn(diabetes, criterion):
    X, y = diabetes
    X = X.astype(np.float32)
    limits = {"max_depth": 3, "criterion": criterion}
    ours = ForestRegressor(**ONE_TREE, **limits).fit(X, y)
    theirs = DecisionTreeRegressor(random_state=0, **limits).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.forest_.impurity[0], theirs.tree_.impurity[0], rtol=1e-6)
    assert abs(ours.feature_importances_ - theirs.feature_importances_).max() < 1e-4


def test_friedmans_improvement_is_that_of_squared_error(diabetes):
    X, y = diabetes
    one = ForestRegressor(3, criterion="friedman_mse", random_state=0).fit(X, y)
    other = ForestRegressor(3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(one.forest_.values, other.forest_.values)


def test_leaves_of_absolute_error_have_medians_whatever_the_weights(diabetes):
    X, y = diabetes
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    forest = ForestRegressor(
        3, criterion="absolute_error", min_samples_leaf=20, bootstrap=False, random_state=0
    ).fit(X, y, weight)
    leaf = forest.apply(X)[:, 0]
    inside = leaf == leaf[0]
    order = np.argsort(y[inside])
    running = np.cumsum(weight[inside][order])
    median = y[inside][order][np.searchsorted(running, running[-1] / 2)]
    assert forest[0].predict(X[:1]) == pytest.approx(median)


def test_poisson_refuses_what_has_no_deviance(iris):
    X, y = iris
    with pytest.raises(ValueError, match="negative which is not allowed for Poisson"):
        ForestRegressor(3, criterion="poisson").fit(X, y - 1)
    with pytest.raises(ValueError, match="not strictly positive"):
        ForestRegressor(3, criterion="poisson").fit(X, 0 * y)


def test_leaves_have_the_least_weight(iris):
    X, y = iris
    weight = np.random.default_rng(0).uniform(0.1, 3.0, len(y))
    forest = ForestClassifier(5, min_weight_fraction_leaf=0.1, bootstrap=False, random_state=0).fit(
        X, y, weight
    )
    for leaves in forest.apply(X).T:
        totals = np.bincount(leaves, weights=weight)
        assert totals[totals > 0].min() >= 0.0999 * weight.sum()


def test_every_tree_of_a_balanced_subsample_draws_all_classes_alike(iris):
    X, y = iris
    X, y = X[:110], y[:110]
    forest = ForestClassifier(50, class_weight="balanced_subsample", random_state=0).fit(X, y)
    counts = np.array([np.bincount(y[samples]) for samples in forest.estimators_samples_])
    assert counts.sum(axis=1).tolist() == [110] * 50
    assert ((counts == 36) | (counts == 37)).all()
    drawn = sum(forest._sampling.multiplicities(tree) for tree in range(50))
    assert (drawn > 0).all()


def test_a_balanced_subsample_of_all_samples_is_balanced(iris):
    X, y = iris[0][:110], iris[1][:110]
    kinds = ("balanced", "balanced_subsample")
    one, other = (
        ForestClassifier(3, class_weight=kind, bootstrap=False, random_state=0).fit(X, y)
        for kind in kinds
    )
    np.testing.assert_array_equal(one.forest_.values, other.forest_.values)


@pytest.mark.parametrize("alpha", [0.005, 0.02, 0.2])
def test_pruned_tree_is_that_of_scikit_learn(iris, alpha):
    X, y = iris
    X = X.astype(np.float32)
    ours = ForestClassifier(**ONE_TREE, ccp_alpha=alpha).fit(X, y)
    theirs = DecisionTreeClassifier(ccp_alpha=alpha, random_state=0).fit(X, y)
    ours.forest_.check()
    assert ours.get_n_leaves() == theirs.get_n_leaves()
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.99


def test_pruned_leaves_have_the_values_of_their_members(diabetes):
    X, y = diabetes
    for criterion in ("squared_error", "absolute_error"):
        forest = ForestRegressor(
            10, criterion=criterion, ccp_alpha=1.0 if criterion == "absolute_error" else 50.0
        )
        forest.fit(X, y).forest_.check()
        full = clone(forest).set_params(ccp_alpha=0.0).fit(X, y)
        assert forest.forest_.n_leaves < 0.5 * full.forest_.n_leaves
    forest = ForestRegressor(10, ccp_alpha=50.0, random_state=0).fit(X, y)
    np.testing.assert_allclose(forest.forest_weights(X) @ y, forest.predict(X))


def test_pruned_windows_are_numbered_anew():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 20))
    y = (X[:, :10].mean(axis=1) > 0).astype(int)
    forest = ManifoldForestClassifier(3, n_terms=2, ccp_alpha=0.02, random_state=0).fit(X, y)
    forest.forest_.check()
    full = clone(forest).set_params(ccp_alpha=0.0).fit(X, y)
    assert forest.forest_.n_windows < full.forest_.n_windows


def test_honest_forests_are_not_pruned(iris):
    with pytest.raises(ValueError, match=r"ccp_alpha must be 0\.0 in honest forests"):
        ForestClassifier(3, honest=True, ccp_alpha=0.1).fit(*iris)


@pytest.mark.parametrize("Forest", [ForestClassifier, ForestRegressor])
def test_trees_are_forests_whose_mean_is_the_forest(Forest, iris):
    X, y = iris
    forest = Forest(7, random_state=0).fit(X, y)
    assert len(forest) == len(forest.estimators_) == len(list(forest)) == 7
    predict = "predict_proba" if Forest is ForestClassifier else "predict"
    mean = np.mean([getattr(tree, predict)(X) for tree in forest], axis=0)
    np.testing.assert_allclose(mean, getattr(forest, predict)(X))
    assert forest[-1].forest_.n_nodes == forest[6].forest_.n_nodes
    assert [tree.get_depth() for tree in forest[:2]] == forest.forest_.depth()[:2].tolist()


def test_views_share_the_arrays(iris):
    forest = ForestClassifier(50, random_state=0).fit(*iris)
    assert np.shares_memory(forest[3].forest_.threshold, forest.forest_.threshold)
    assert np.shares_memory(forest[3].forest_.values, forest.forest_.values)


def test_a_tree_knows_its_own_samples(iris):
    X, y = iris
    forest = ForestClassifier(5, random_state=0).fit(X, y)
    tree = forest[3]
    np.testing.assert_array_equal(tree.estimators_samples_[0], forest.estimators_samples_[3])
    expected = tree.forest_weights(X) @ np.eye(3)[y]
    np.testing.assert_allclose(expected, tree.predict_proba(X))


def test_clone_of_a_tree_grows_it_again(iris):
    X, y = iris
    forest = ForestClassifier(5, projections=AxisAligned(), random_state=0).fit(X, y)
    samples = forest.estimators_samples_[3]
    again = clone(forest[3]).fit(X[samples], y[samples])
    np.testing.assert_array_equal(again.tree_.value, forest[3].tree_.value)


def test_a_tree_can_be_saved(iris, tmp_path):
    X, y = iris
    tree = ForestClassifier(5, random_state=0).fit(X, y)[2]
    tree.save(tmp_path / "tree.safetensors")
    loaded = silvan.load(tmp_path / "tree.safetensors")
    np.testing.assert_array_equal(loaded.predict_proba(X), tree.predict_proba(X))


def test_nodes_have_the_names_of_scikit_learn(iris):
    X, y = iris
    tree = ForestClassifier(**ONE_TREE).fit(X, y)
    nodes = tree.tree_
    assert nodes.node_count == len(nodes.children_left) == len(nodes.feature) > 5
    inner = nodes.children_left >= 0
    assert (nodes.children_right[inner] == nodes.children_left[inner] + 1).all()
    assert (nodes.feature[~inner] == -2).all()
    assert (nodes.feature[inner] >= 0).all()
    np.testing.assert_allclose(nodes.value.sum(axis=(1, 2)), 1.0)
    np.testing.assert_allclose(nodes.value[0, 0], [1 / 3] * 3)
    np.testing.assert_array_equal(nodes.apply(X), tree.apply(X)[:, 0])
    np.testing.assert_array_equal(nodes.predict(X), tree.predict_proba(X))
    assert nodes.n_classes.tolist() == [nodes.max_n_classes] == [3]
    importances = nodes.compute_feature_importances(normalize=False)
    assert importances.sum() == pytest.approx(nodes.impurity[0])
    forest = ForestClassifier(2, random_state=0).fit(X, y)
    with pytest.raises(AttributeError, match=r"take one of forest\.estimators_"):
        _ = forest.tree_


def test_nodes_predict_as_those_of_scikit_learn_do(diabetes):
    X, y = diabetes
    for targets in (y, np.column_stack([y, -y])):
        ours = ForestRegressor(max_depth=3, **ONE_TREE).fit(X, targets)
        theirs = DecisionTreeRegressor(max_depth=3).fit(X, targets)
        expected = theirs.tree_.predict(X.astype(np.float32))
        np.testing.assert_allclose(ours.tree_.predict(X), expected)
        assert ours.tree_.n_classes.tolist() == theirs.tree_.n_classes.tolist()


def test_samples_of_trees_are_drawn_when_asked_for(iris, monkeypatch):
    X, y = iris
    forest = ForestClassifier(50, random_state=0).fit(X, y)
    drawn = []
    plain = type(forest._sampling).multiplicities
    monkeypatch.setattr(
        type(forest._sampling),
        "multiplicities",
        lambda sampling, tree: drawn.append(tree) or plain(sampling, tree),
    )
    samples = forest.estimators_samples_
    assert len(samples) == 50
    assert drawn == []
    assert len(samples[3]) == 150
    assert len(samples[-1]) == 150
    assert drawn == [3, 49]
    assert len(samples[:2]) == 2
    assert sum(len(tree) for tree in samples) == 50 * 150
    as_list = samples.copy()
    assert isinstance(as_list, list)
    np.testing.assert_array_equal(as_list, samples)
    assert repr(samples) == "<samples of 50 trees>"
    with pytest.raises(IndexError, match="tree 50 is not one of the 50 trees"):
        samples[50]


def test_samples_of_trees_are_those_that_filled_them(iris):
    X, y = iris
    weight = np.where(np.arange(150) % 3 == 0, 0.0, 1.0)
    forest = ForestClassifier(5, random_state=0).fit(X, y, sample_weight=weight)
    for tree, samples in zip(forest, forest.estimators_samples_, strict=True):
        assert not np.any(samples % 3 == 0)
        assert len(samples) == tree.tree_.weighted_n_node_samples[0]
        assert len(np.unique(samples)) == tree.tree_.n_node_samples[0]


def test_trees_that_are_not_there_are_refused(iris):
    forest = ForestClassifier(3).fit(*iris)
    with pytest.raises(IndexError, match="tree 3 is not one of the 3 trees"):
        _ = forest[3]


def test_trees_are_not_there_before_fit():
    forest = ForestClassifier()
    assert not hasattr(forest, "estimators_")
    assert not hasattr(forest, "estimators_samples_")
    assert len(forest) == 0


def test_decision_path_leads_from_the_root_to_the_leaf(iris):
    X, y = iris
    forest = ForestClassifier(4, random_state=0).fit(X, y)
    paths, first = forest.decision_path(X)
    assert paths.shape == (150, forest.forest_.n_nodes)
    assert first.tolist() == forest.forest_.tree_offsets.tolist()
    dense = paths.toarray()
    leaves = forest.apply(X)
    for tree in range(4):
        assert (dense[:, first[tree]] == 1).all()
        assert (dense[np.arange(150), first[tree] + leaves[:, tree]] == 1).all()
        inside = dense[:, first[tree] : first[tree + 1]]
        assert inside.sum(axis=1).max() == forest[tree].get_depth() + 1

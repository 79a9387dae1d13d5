"""Saved forests come back as they were, and what cannot be saved is refused."""

import copy
import json
import pickle
import subprocess
import sys

import joblib
import networkx
import numpy as np
import pandas as pd
import pytest
import safetensors
from projections.registry import CASES, CyclicDifferences, named
from safetensors.numpy import load_file
from scipy.sparse import csc_matrix
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import balanced_accuracy_score

import silvan
from silvan import (
    DensityForest,
    ForestClassifier,
    ForestRegressor,
    ManifoldEmbedding,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
    files,
)
from silvan.preprocessing import RankScaler
from silvan.projections import (
    Dictionary,
    EdgeNeighborhoods,
    GraphNeighborhoods,
    Mixture,
    WeightedCombinations,
)
from silvan.projections.parameters import same_value

FORESTS = [ForestClassifier, ForestRegressor, ManifoldForestClassifier, ManifoldForestRegressor]


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(120, 12, n_informative=6, n_classes=3, random_state=0)
    X[::7, 3] = np.nan
    return X.astype(np.float32), y


def there_and_back(forest, folder, **options):
    forest.save(folder / "forest.safetensors")
    return silvan.load(folder / "forest.safetensors", **options)


def assert_same(a, b, X):
    assert type(a) is type(b)
    assert same_value(a.get_params(deep=False), b.get_params(deep=False))
    for name in ("predict", "predict_proba", "apply", "predict_quantiles"):
        if hasattr(a, name):
            np.testing.assert_array_equal(getattr(a, name)(X), getattr(b, name)(X))
    np.testing.assert_array_equal(
        a.forest_weights(X).toarray(), b.forest_weights(X).toarray(), strict=True
    )
    np.testing.assert_array_equal(a.feature_importances_, b.feature_importances_)


@pytest.mark.parametrize("memory_map", [False, True])
@pytest.mark.parametrize("Forest", FORESTS)
def test_every_forest_comes_back_with_all_it_has_learnt(Forest, memory_map, data, tmp_path):
    X, y = data
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    options = {"class_weight": {0: 1.5}} if hasattr(Forest(), "voting") else {}
    forest = Forest(30, oob_score=True, max_samples=0.3, random_state=0, **options)
    forest.fit(frame, y, sample_weight=np.arange(len(y)) % 4)
    forest.feature_importances_  # noqa: B018  # computed and kept; not part of the file
    loaded = there_and_back(forest, tmp_path, memory_map=memory_map)
    assert_same(forest, loaded, frame)
    kept = vars(forest).keys() - {"_importances"}
    assert vars(loaded).keys() - {"_importances"} == kept
    for name in ("feature_names_in_", "oob_score_", "oob_prediction_", "classes_", "shape_"):
        if hasattr(forest, name):
            np.testing.assert_array_equal(getattr(forest, name), getattr(loaded, name))


@pytest.mark.parametrize("case", [case for case in CASES if case.is_native], ids=named)
def test_every_distribution_comes_back(case, data, tmp_path):
    X, y = data
    forest = ForestClassifier(3, projections=case.build(12), random_state=0).fit(X, y)
    loaded = there_and_back(forest, tmp_path)
    assert loaded.projections == forest.projections == loaded.projections_
    assert_same(forest, loaded, X)
    again = clone(loaded).fit(X, y)
    np.testing.assert_array_equal(again.predict_proba(X), forest.predict_proba(X))


@pytest.mark.parametrize(
    "labels",
    [
        ["ash", "beech", "\N{EVERGREEN TREE}"],
        [10, 20, 30],
        [-1.0, 2.0, 3e9],
        [False, True, True],
        np.array(["a", "b", "c"], dtype=object),
        np.array(["a", "b", "c"], dtype="<U30"),
        np.array([1, 2, 3], dtype=np.int16),
    ],
    ids=repr,
)
def test_classes_of_any_type_come_back(labels, data, tmp_path):
    X, y = data
    forest = ForestClassifier(3, random_state=0).fit(X, np.asarray(labels)[y])
    loaded = there_and_back(forest, tmp_path)
    assert loaded.classes_.dtype == forest.classes_.dtype
    assert_same(forest, loaded, X)


def test_several_outputs_and_special_parameters_come_back(data, tmp_path):
    X, y = data
    random_state = np.random.RandomState(3)
    random_state.normal()  # leaves a second number for the next call
    forest = ForestRegressor(
        3,
        n_jobs=np.int64(1),
        min_samples_leaf=np.float32(0.1),
        random_state=random_state,
        bootstrap=False,
    )
    forest.fit(X, np.column_stack([y, -2.0 * y]), sample_weight=np.linspace(0, 1, len(y)))
    forest.save(tmp_path / "forest")
    loaded = silvan.load(tmp_path / "forest")
    np.testing.assert_array_equal(loaded.predict(X), forest.predict(X))
    assert type(loaded.min_samples_leaf) is np.float32
    np.testing.assert_array_equal(loaded.random_state.normal(size=3), random_state.normal(size=3))


def test_a_warm_start_goes_on_after_loading(data, tmp_path, request):
    X, y = data
    whole = ForestClassifier(6, random_state=0).fit(X, y)
    half = ForestClassifier(3, warm_start=True, random_state=0).fit(X, y)
    loaded = there_and_back(half, tmp_path, memory_map=True)
    loaded.set_params(n_estimators=6).fit(X, y)
    np.testing.assert_array_equal(loaded.predict_proba(X), whole.predict_proba(X))


@pytest.mark.parametrize("options", [{"honest": True}, {"max_samples": "n**0.8"}], ids=str)
@pytest.mark.parametrize("scaling", ["rank", "minmax", "standard"])
def test_scaled_and_honest_forests_come_back(scaling, options, data, tmp_path):
    X, y = data
    weight = np.linspace(0, 1, len(y))
    for Forest in (ForestClassifier, ForestRegressor):
        forest = Forest(4, scaling=scaling, random_state=0, **options).fit(X, y, weight)
        assert_same(forest, there_and_back(forest, tmp_path), X)


def test_scalers_have_files_of_their_own(data, tmp_path):
    X, _ = data
    scaler = RankScaler().fit(pd.DataFrame(X, columns=list("abcdefghijkl")))
    scaler.save(tmp_path / "scaler")
    loaded = silvan.load(tmp_path / "scaler")
    assert list(loaded.feature_names_in_) == list("abcdefghijkl")
    frame = pd.DataFrame(X[::-1], columns=list("abcdefghijkl"))
    np.testing.assert_array_equal(loaded.transform(frame), scaler.transform(frame))


@pytest.mark.parametrize("memory_map", [False, True])
@pytest.mark.parametrize("covariance_type", ["full", "diag"])
def test_densities_come_back(covariance_type, memory_map, data, tmp_path):
    X = pd.DataFrame(np.nan_to_num(data[0][:, :4]), columns=list("abcd"))
    forest = DensityForest(4, covariance_type=covariance_type, warm_start=True, random_state=0)
    forest.fit(X, sample_weight=np.linspace(0, 1, len(X)))
    loaded = there_and_back(forest, tmp_path, memory_map=memory_map)
    assert type(loaded) is DensityForest
    assert loaded.get_params() == forest.get_params()
    for name in ("means_", "covariances_", "priors_", "masses_", "partition_", "weights_"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(forest, name))
    np.testing.assert_array_equal(loaded.score_samples(X), forest.score_samples(X))
    np.testing.assert_array_equal(
        loaded.sample(9, random_state=1), forest.sample(9, random_state=1)
    )
    weight = np.linspace(0, 1, len(X))
    more = [each.set_params(n_estimators=6).fit(X, None, weight) for each in (forest, loaded)]
    np.testing.assert_array_equal(*(each.score_samples(X) for each in more))


@pytest.mark.parametrize("affinity", ["binary", "gaussian", "mahalanobis"])
def test_embeddings_come_back(affinity, data, tmp_path):
    X = np.nan_to_num(data[0][:, :4])
    embedding = ManifoldEmbedding(20, n_components=3, affinity=affinity, random_state=0).fit(X)
    for memory_map in (False, True):
        loaded = there_and_back(embedding, tmp_path, memory_map=memory_map)
        assert type(loaded) is ManifoldEmbedding
        assert loaded.get_params() == embedding.get_params()
        for name in ("embedding_", "eigenvalues_", "eigengaps_", "component_labels_"):
            np.testing.assert_array_equal(getattr(loaded, name), getattr(embedding, name))
        np.testing.assert_array_equal(loaded.transform(X), embedding.transform(X))
        for name in ("affinity_matrix_", "kernel"):
            matrices = (getattr(each, name) for each in (loaded, embedding))
            matrices = [m(X[:9]) if callable(m) else m for m in matrices]
            np.testing.assert_array_equal(*(m.toarray() for m in matrices))
    again = pickle.loads(pickle.dumps(embedding))
    np.testing.assert_array_equal(again.transform(X), embedding.transform(X))


@pytest.mark.parametrize("shell", [FrozenEstimator, lambda forest: forest, clone])
def test_embeddings_with_a_forest_of_their_own_come_back(shell, data, tmp_path):
    X, y = data
    forest = ManifoldForestClassifier(15, channels="raw", shape=(3, 4), random_state=0).fit(X, y)
    embedding = ManifoldEmbedding(forest=shell(forest)).fit(X.reshape(-1, 3, 4), y)
    loaded = there_and_back(embedding, tmp_path)
    assert type(loaded.forest) is type(embedding.forest)
    np.testing.assert_array_equal(loaded.transform(X), embedding.transform(X))
    np.testing.assert_array_equal(loaded.forest_.predict(X), embedding.forest_.predict(X))


def test_embeddings_that_fall_apart_come_back(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2)) + 1000 * (np.arange(90) % 3)[:, None]
    embedding = ManifoldEmbedding(20, random_state=0)
    with pytest.warns(UserWarning, match="falls into"):
        embedding.fit(X)
    loaded = there_and_back(embedding, tmp_path)
    assert loaded.n_connected_components_ == embedding.n_connected_components_ > 1
    np.testing.assert_array_equal(loaded.eigenvalues_, embedding.eigenvalues_)
    np.testing.assert_array_equal(loaded.transform(X), embedding.transform(X))


def test_parameters_that_changed_after_fit_are_not_saved_silently(data, tmp_path):
    X = np.nan_to_num(data[0][:, :4])
    forest = DensityForest(3, random_state=0).fit(X).set_params(covariance_type="diag")
    with pytest.raises(ValueError, match="_gaussians does not belong to the other attributes"):
        forest.save(tmp_path / "forest")
    embedding = ManifoldEmbedding(20, random_state=0).fit(X).set_params(affinity="binary")
    with pytest.raises(ValueError, match="_affinity does not belong to the other attributes"):
        embedding.save(tmp_path / "embedding")


def test_networkx_graphs_come_back_as_their_adjacency(data, tmp_path):
    X, y = data
    graph = networkx.relabel_nodes(networkx.path_graph(12), {0: "first"})
    forest = ForestClassifier(3, projections=GraphNeighborhoods(graph), random_state=0).fit(X, y)
    loaded = there_and_back(forest, tmp_path)
    np.testing.assert_array_equal(clone(loaded).fit(X, y).predict_proba(X), forest.predict_proba(X))


@pytest.mark.parametrize(
    "edges",
    [
        networkx.relabel_nodes(networkx.path_graph(13), {0: "first"}),
        networkx.MultiDiGraph([(0, 1), (1, 0)] * 6),
        pd.DataFrame([(i, i + 1) for i in range(12)]),
    ],
    ids=["graph", "directed", "frame"],
)
def test_edges_come_back_as_an_array(data, tmp_path, edges):
    X, y = data
    forest = ForestClassifier(3, projections=EdgeNeighborhoods(edges), random_state=0).fit(X, y)
    loaded = there_and_back(forest, tmp_path)
    assert isinstance(loaded.projections.edges, np.ndarray)
    np.testing.assert_array_equal(clone(loaded).fit(X, y).predict_proba(X), forest.predict_proba(X))


def test_weights_in_a_column_of_a_frame_come_back_as_an_array(data, tmp_path):
    X, y = data
    weights = pd.Series(np.arange(12), index=list("abcdefghijkl"))
    distribution = WeightedCombinations(weights=weights)
    assert repr(distribution) == "WeightedCombinations(weights=<12 array>)"
    forest = ForestClassifier(3, projections=distribution, random_state=0).fit(X, y)
    loaded = there_and_back(forest, tmp_path)
    assert loaded.projections == distribution


def test_sparse_matrices_keep_their_kind(data, tmp_path):
    X, y = data
    atoms = csc_matrix(np.tri(12))
    forest = ForestClassifier(2, projections=Dictionary(atoms), random_state=0).fit(X, y)
    loaded = there_and_back(forest, tmp_path).projections.atoms
    assert type(loaded).__name__ == "csr_matrix"
    np.testing.assert_array_equal(loaded.toarray(), atoms.toarray())


def test_own_distributions_need_to_be_registered(data, tmp_path, monkeypatch):
    X, y = data
    distribution = Mixture([(CyclicDifferences(lag=2), 1.0)])
    forest = ForestClassifier(2, projections=distribution, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"projections.components.0.0 is a CyclicDifferences, .*"):
        forest.save(tmp_path / "forest")
    assert list(tmp_path.iterdir()) == []
    with monkeypatch.context() as patched:
        patched.setattr(files.encoding, "_registered", dict(files.encoding._registered))
        assert files.register(CyclicDifferences) is CyclicDifferences
        assert_same(forest, there_and_back(forest, tmp_path), X)
    with pytest.raises(ValueError, match="class 'CyclicDifferences', which is not registered"):
        silvan.load(tmp_path / "forest.safetensors")


def test_two_classes_of_one_name_cannot_be_registered():
    with pytest.raises(ValueError, match="named 'Mixture' is registered already"):
        files.register(type("Mixture", (Mixture,), {}))


def test_what_cannot_be_saved_is_refused_by_name(data, tmp_path):
    X, y = data
    path = tmp_path / "forest"
    with pytest.raises(NotFittedError):
        ForestClassifier().save(path)
    forest = ForestClassifier(20, oob_score=balanced_accuracy_score, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"oob_score is <function balanced_accuracy_score.*cannot"):
        forest.save(path)
    forest.set_params(oob_score=True).save(path)
    assert silvan.load(path).oob_score_ == forest.oob_score_
    forest.note_ = "mine"
    with pytest.raises(ValueError, match=r"with the attributes \['note_'\] cannot be saved"):
        forest.save(path)


def test_other_programs_can_read_the_arrays(data, tmp_path):
    X, y = data
    forest = ForestClassifier(3, random_state=0).fit(X, y)
    path = tmp_path / "forest.safetensors"
    forest.save(path)
    arrays = load_file(path)
    np.testing.assert_array_equal(arrays["forest_.left"], forest.forest_.left)
    with safetensors.safe_open(path, "numpy") as file:
        metadata = file.metadata()
    assert metadata["format"] == "silvan"
    assert json.loads(metadata["estimator"])["type"] == "ForestClassifier"


def test_mapped_arrays_are_views_of_the_file(data, tmp_path):
    X, y = data
    forest = ForestClassifier(3, random_state=0).fit(X, y)
    loaded = there_and_back(forest, tmp_path, memory_map=True)
    for array in (loaded.forest_.left, loaded.forest_.values, loaded._sampling.order):
        assert not array.flags.owndata
        assert not array.flags.writeable
        assert array.flags.aligned
    # A mapped file may be replaced: the old one lives on until it is unmapped.
    ForestClassifier(1, max_depth=1, random_state=0).fit(X, y).save(tmp_path / "forest.safetensors")
    np.testing.assert_array_equal(loaded.predict_proba(X), forest.predict_proba(X))


def test_a_failed_save_leaves_the_old_file(data, tmp_path, monkeypatch):
    X, y = data
    forest = ForestClassifier(3, random_state=0).fit(X, y)
    path = tmp_path / "forest"
    forest.save(path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        forest.set_params(n_estimators=4).fit(X, y).save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["forest"]


def test_files_load_in_a_new_process(data, tmp_path):
    X, y = data
    forest = ManifoldForestClassifier(3, random_state=0).fit(X, y)
    forest.save(tmp_path / "forest")
    np.save(tmp_path / "X.npy", X)
    code = (
        "import numpy, silvan, sys; forest = silvan.load(sys.argv[1]);"
        "print(forest.predict_proba(numpy.load(sys.argv[2])).sum(axis=0).tolist())"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "forest"), str(tmp_path / "X.npy")]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert json.loads(printed) == forest.predict_proba(X).sum(axis=0).tolist()


def test_pickles_and_joblib_files_come_back(data, tmp_path):
    X, y = data
    forest = ForestRegressor(3, random_state=0).fit(X, y)
    joblib.dump(forest, tmp_path / "forest.joblib")
    mapped = joblib.load(tmp_path / "forest.joblib", mmap_mode="r")
    for copied in (pickle.loads(pickle.dumps(forest)), copy.deepcopy(forest), mapped):
        assert_same(forest, copied, X)
        assert not {"_silvan_version", "_silvan_class"} & set(vars(copied))


def test_the_state_of_another_class_is_refused(data):
    X, y = data
    state = ForestClassifier(2, random_state=0).fit(X, y > 0).__getstate__()
    with pytest.raises(ValueError, match="the state of an estimator ForestClassifier, but"):
        ForestRegressor().__setstate__(state)
    assert not hasattr(ForestRegressor(), "classes_")
    ForestClassifier().__setstate__(state)


@pytest.mark.parametrize("version", ["9.9.9", None])
def test_pickles_of_other_versions_are_refused(version, data):
    X, y = data
    state = ForestClassifier(2, random_state=0).fit(X, y).__getstate__()
    state = {k: v for k, v in state.items() if k != "_silvan_version"}
    state |= {} if version is None else {"_silvan_version": version}
    shown = version or "of an unknown version"
    with pytest.raises(ValueError, match=f"pickled by silvan {shown}, but this is silvan"):
        ForestClassifier().__setstate__(state)


def test_skops_files_come_back(data, tmp_path):
    io = pytest.importorskip("skops.io")
    X, y = data
    path = tmp_path / "forest.skops"
    for forest in (ForestClassifier(3, random_state=0), ManifoldForestRegressor(3, random_state=0)):
        io.dump(forest.fit(X, y), path)
        own = io.get_untrusted_types(file=path)
        assert all(name.startswith("silvan.") for name in own)
        assert_same(forest, io.load(path, trusted=own), X)

"""Embeddings: coordinates equal dense Laplacian eigenmaps, keep neighbours, and place new rows."""

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.datasets import load_digits, make_s_curve, make_swiss_roll
from sklearn.frozen import FrozenEstimator
from sklearn.manifold import trustworthiness
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from silvan import (
    DensityForest,
    ForestClassifier,
    ForestRegressor,
    ManifoldEmbedding,
    ManifoldForestClassifier,
)
from silvan.projections import Patches
from silvan.unsupervised.eigenmap import Graph, embed_graph

AFFINITIES = ["binary", "gaussian", "mahalanobis"]


@pytest.fixture(scope="module")
def roll():
    return make_s_curve(250, random_state=0)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(X))[:900]  # they come writer by writer
    return X[rows].astype(np.float32), y[rows]


def dense_affinity(embedding, X, Y):
    """The definition, tree by tree and pair by pair."""
    arrays = embedding.forest_.forest_
    leaves_x, leaves_y = embedding.forest_.apply(X), embedding.forest_.apply(Y)
    leaves_fit = (
        embedding.forest_.apply(embedding._affinity.X) if embedding.affinity != "binary" else None
    )
    total = np.zeros((len(X), len(Y)))
    for tree in range(arrays.n_trees):
        for i in range(len(X)):
            same = np.flatnonzero(leaves_y[:, tree] == leaves_x[i, tree])
            difference = X[i] - Y[same]
            if embedding.affinity == "binary":
                q = np.zeros(len(same))
            elif embedding.affinity == "gaussian":
                q = (difference**2).sum(axis=1) / embedding._affinity.epsilon**2
            else:
                fitted = embedding._affinity.X
                inside = fitted[leaves_fit[:, tree] == leaves_x[i, tree]]
                ridge = embedding.reg_covar * np.diag(fitted.var(axis=0))
                covariance = np.cov(inside.T, bias=True) + ridge
                q = np.einsum("ij,jk,ik->i", difference, np.linalg.inv(covariance), difference)
            total[i, same] += np.exp(-q) / arrays.n_trees
    return total


@pytest.mark.parametrize("affinity", AFFINITIES)
def test_affinities_and_coordinates_equal_dense_matrices(roll, affinity):
    X = roll[0]
    embedding = ManifoldEmbedding(
        12, affinity=affinity, n_components=3, selection="smoothest", random_state=0
    ).fit(X)
    W = dense_affinity(embedding, X, X)
    np.testing.assert_allclose(embedding.affinity_matrix_.toarray(), W, atol=1e-9)
    degrees = W.sum(axis=1)
    laplacian = np.eye(len(X)) - W / np.sqrt(np.outer(degrees, degrees))
    values, vectors = np.linalg.eigh(laplacian)
    np.testing.assert_allclose(embedding.eigenvalues_, values[1:4], atol=1e-6)
    np.testing.assert_allclose(embedding.eigengaps_, np.diff(values[1:5]), atol=1e-6)
    for ours, theirs in zip(embedding.embedding_.T, vectors[:, 1:4].T, strict=True):
        assert abs(ours @ theirs) > 1 - 1e-4


@pytest.mark.parametrize("affinity", AFFINITIES)
def test_new_rows_are_placed_by_the_formula_of_the_note(roll, affinity):
    X = roll[0]
    new = make_s_curve(40, random_state=1)[0]
    embedding = ManifoldEmbedding(10, affinity=affinity, random_state=0).fit(X)
    places = np.zeros((len(new), 2))
    for tree in range(10):
        q = distances_in_tree(embedding, new, X, tree)
        weights = np.exp(q.min(axis=1, keepdims=True) - q)
        places += weights / weights.sum(axis=1, keepdims=True) @ embedding.embedding_ / 10
    np.testing.assert_allclose(embedding.transform(new), places, atol=1e-9)


def distances_in_tree(embedding, X, Y, tree):
    """Q in one tree, infinite for rows in different leaves."""
    nodes = embedding.forest_.apply(X)[:, tree], embedding.forest_.apply(Y)[:, tree]
    same = nodes[0][:, None] == nodes[1]
    if embedding.affinity == "binary":
        return np.where(same, 0.0, np.inf)
    difference = X[:, None] - Y
    if embedding.affinity == "gaussian":
        squares = (difference**2).sum(axis=2) / embedding._affinity.epsilon**2
        return np.where(same, squares, np.inf)
    result = np.full(same.shape, np.inf)
    ridge = embedding.reg_covar * np.diag(Y.var(axis=0))
    for leaf in np.unique(nodes[0]):
        inverse = np.linalg.inv(np.cov(Y[nodes[1] == leaf].T, bias=True) + ridge)
        q = np.einsum("abi,ij,abj->ab", difference, inverse, difference)
        inside = (nodes[0] == leaf)[:, None] & same
        result[inside] = q[inside]
    return result


def test_fit_transform_places_rows_as_transform_does(roll):
    embedding = ManifoldEmbedding(20, affinity="gaussian", random_state=0)
    np.testing.assert_allclose(embedding.fit_transform(roll[0]), embedding.transform(roll[0]))


def test_swiss_roll_is_unrolled():
    X, position = make_swiss_roll(3000, random_state=1)
    embedding = ManifoldEmbedding(50, affinity="gaussian", n_components=5, random_state=0)
    coordinates = embedding.fit_transform(X)
    assert abs(spearmanr(coordinates[:, 0], position).statistic) > 0.95
    some = np.random.default_rng(0).permutation(len(X))[:1000]
    assert trustworthiness(X[some], coordinates[some]) > 0.97


def test_large_graphs_are_solved_as_well_as_small_ones():
    """The iterative solver agrees with the dense one."""
    X = make_s_curve(400, random_state=0)[0]
    embedding = ManifoldEmbedding(20, n_components=4, selection="smoothest", random_state=0).fit(X)
    W = embedding.affinity_matrix_.toarray()
    scale = 1 / np.sqrt(W.sum(axis=1))
    values = np.linalg.eigvalsh(np.eye(len(X)) - W * np.outer(scale, scale))
    np.testing.assert_allclose(embedding.eigenvalues_, values[1:5], atol=1e-6)


def test_digits_keep_their_neighbours_in_and_out_of_sample(digits):
    X, y = digits
    embedding = ManifoldEmbedding(100, n_components=10, random_state=0)
    places = embedding.fit_transform(X[:600])
    knn = KNeighborsClassifier(5)
    inside = np.mean(
        [
            knn.fit(np.delete(places, f, 0), np.delete(y[:600], f)).score(places[f], y[f])
            for f in np.array_split(np.arange(600), 5)
        ]
    )
    outside = knn.fit(places, y[:600]).score(embedding.transform(X[600:]), y[600:])
    assert inside > 0.85
    assert outside > inside - 0.05


def test_disconnected_graphs_are_embedded_part_by_part():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(60, 2)), rng.normal(size=(40, 2)) + 1000])
    with pytest.warns(UserWarning, match=r"falls into 2 parts that .*, of 60, 40 samples"):
        embedding = ManifoldEmbedding(10, min_samples_leaf=5, random_state=0).fit(X)
    assert embedding.n_connected_components_ == 2
    labels = embedding.component_labels_
    assert len(set(labels[:60])) == len(set(labels[60:])) == 1
    assert labels[0] != labels[60]
    assert embedding.eigenvalues_.shape == embedding.eigengaps_.shape == (2, 2)
    first = embedding.embedding_[:, 0]
    assert first[:60].max() < first[60:].min() or first[60:].max() < first[:60].min()
    places = embedding.transform(X)
    near = KNeighborsClassifier(3).fit(places, labels)
    assert near.score(places, labels) == 1
    # Each part has the eigenvectors that it has alone.
    part = embedding._graph().restrict(np.flatnonzero(labels == labels[0]))
    alone = embed_graph(part, 2)
    np.testing.assert_allclose(embedding.eigenvalues_[labels[0]], alone.values[:2])


@pytest.mark.parametrize("affinity", AFFINITIES)
@pytest.mark.parametrize(
    "X",
    [
        np.zeros((1, 3)),
        np.full((30, 3), 5.0),
        np.repeat(np.eye(3), 20, axis=0),
        np.random.default_rng(0).normal(size=(8, 40)),
        np.column_stack([np.arange(60.0), np.zeros(60)]),
    ],
    ids=["one row", "constant", "duplicates", "n < p", "constant column"],
)
@pytest.mark.filterwarnings("ignore:the affinity graph falls")
def test_degenerate_data_give_finite_coordinates(X, affinity):
    embedding = ManifoldEmbedding(
        10, affinity=affinity, n_components=3, min_samples_leaf=2, random_state=0
    )
    places = embedding.fit_transform(X)
    assert places.shape == (len(X), 3)
    assert np.isfinite(places).all()
    assert np.isfinite(embedding.transform(X + 1)).all()
    if len(X) == 30:
        assert not places.any()


@pytest.mark.parametrize("forest", [ForestClassifier(20), ForestRegressor(20), DensityForest(20)])
def test_leaves_of_any_forest_define_the_affinity(digits, forest):
    X, y = digits
    fitted = clone(forest).set_params(random_state=0).fit(X[:300], y[:300])
    given = ManifoldEmbedding(forest=fitted, n_components=5).fit(X[:300])
    assert given.forest_ is fitted
    grown = ManifoldEmbedding(forest=forest, n_components=5, random_state=0).fit(X[:300], y[:300])
    assert not hasattr(forest, "forest_")
    np.testing.assert_allclose(grown.embedding_, given.embedding_)


def test_a_frozen_forest_survives_clones(digits):
    X, y = digits
    fitted = ForestClassifier(10, random_state=0).fit(X[:300], y[:300])
    embedding = clone(ManifoldEmbedding(forest=FrozenEstimator(fitted))).fit(X[:300])
    np.testing.assert_array_equal(
        embedding.embedding_, ManifoldEmbedding(forest=fitted).fit(X[:300]).embedding_
    )


def test_a_classifier_as_forest_separates_its_classes(digits):
    X, y = digits
    supervised = ManifoldEmbedding(forest=ForestClassifier(50), n_components=9, random_state=0)
    places = supervised.fit_transform(X[:600], y[:600])
    near = KNeighborsClassifier(5).fit(places, y[:600])
    assert near.score(supervised.transform(X[600:]), y[600:]) > 0.9


def test_missing_values_go_where_a_supervised_forest_sends_them(digits):
    X, y = digits[0][:200].copy(), digits[1][:200]
    X[::7, 20] = np.nan
    embedding = ManifoldEmbedding(forest=ForestClassifier(20), random_state=0)
    assert np.isfinite(embedding.fit_transform(X, y)).all()
    with pytest.raises(ValueError, match="NaN"):
        ManifoldEmbedding(5).fit(X)


def test_images_keep_their_shape_for_a_forest_on_a_grid(digits):
    X, y = digits
    images = X[:200].reshape(-1, 8, 8)
    embedding = ManifoldEmbedding(
        forest=ManifoldForestClassifier(10, channels="raw"), random_state=0
    )
    embedding.fit(images, y[:200])
    assert embedding.forest_.shape_ == (8, 8)
    assert embedding.transform(images).shape == (200, 2)


def test_patches_draw_the_directions(digits):
    X = digits[0][:200].astype(np.uint8)
    embedding = ManifoldEmbedding(20, projections=Patches((8, 8)), random_state=0).fit(X)
    sizes = np.diff(embedding.forest_.forest_.directions().indptr)
    assert sizes.max() > 2
    assert np.isfinite(embedding.transform(X)).all()


def test_kernel_is_positive_semidefinite_and_serves_kernel_methods(digits):
    X, y = digits
    embedding = ManifoldEmbedding(50, random_state=0).fit(X[:400])
    kernel = embedding.kernel(X[:400]).toarray()
    np.testing.assert_allclose(kernel, embedding.affinity_matrix_.toarray())
    np.testing.assert_allclose(kernel.diagonal(), 1)
    assert np.linalg.eigvalsh(kernel).min() > -1e-9
    machine = SVC(kernel="precomputed", C=10).fit(kernel, y[:400])
    between = embedding.kernel(X[400:], X[:400])
    assert between.shape == (500, 400)
    assert machine.score(between.toarray(), y[400:]) > 0.85


@pytest.mark.parametrize("affinity", AFFINITIES)
def test_kernel_between_new_rows_equals_its_definition(roll, affinity):
    X = roll[0]
    a, b = make_s_curve(15, random_state=1)[0], make_s_curve(20, random_state=2)[0]
    embedding = ManifoldEmbedding(5, affinity=affinity, random_state=0).fit(X)
    expected = dense_affinity(embedding, a, b)
    np.testing.assert_allclose(embedding.kernel(a, b).toarray(), expected, atol=1e-8)


def test_embedding_works_in_pipelines_and_searches(digits):
    X, y = digits[0][:200], digits[1][:200]
    pipeline = make_pipeline(ManifoldEmbedding(20, random_state=0), KNeighborsClassifier())
    search = GridSearchCV(pipeline, {"manifoldembedding__n_components": [2, 8]}, cv=2).fit(X, y)
    assert search.best_params_["manifoldembedding__n_components"] == 8
    frame = ManifoldEmbedding(5, random_state=0).set_output(transform="pandas").fit_transform(X)
    assert list(frame.columns) == ["manifoldembedding0", "manifoldembedding1"]


def test_embedding_does_not_depend_on_threads(digits):
    X = digits[0][:300]
    one = ManifoldEmbedding(10, random_state=0).fit(X)
    two = ManifoldEmbedding(10, random_state=0, n_jobs=2).fit(X)
    np.testing.assert_array_equal(one.embedding_, two.embedding_)


def test_bad_parameters_are_refused(roll):
    for name, value in {
        "n_components": 0,
        "affinity": "cosine",
        "epsilon": 5e-324,
        "forest": "forest",
        "min_samples_leaf": 0,
    }.items():
        with pytest.raises(ValueError, match=f"^{name} must be"):
            ManifoldEmbedding(**{name: value}).fit(roll[0])
    with pytest.raises(ValueError, match=r"forest=ForestClassifier\(\) needs targets"):
        ManifoldEmbedding(forest=ForestClassifier()).fit(roll[0])


@pytest.mark.filterwarnings("ignore:the affinity graph falls")
def test_the_smallest_length_gives_finite_places_of_the_largest_numbers():
    X = 1e38 * np.random.default_rng(0).normal(size=(40, 3))
    embedding = ManifoldEmbedding(5, epsilon=1e-100, random_state=0)
    assert np.isfinite(embedding.fit_transform(X)).all()
    assert np.isfinite(embedding.transform(-X)).all()


@pytest.mark.parametrize(
    ("affinity", "remedy"),
    [
        ("gaussian", "pass an epsilon above 0.001, or grow more trees or larger leaves"),
        ("binary", "If the data are one piece, grow more trees or larger leaves"),
    ],
)
def test_the_warning_of_parts_gives_the_remedy_and_points_at_the_callers_line(affinity, remedy):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(60, 2)), rng.normal(size=(40, 2)) + 1000])
    embedding = ManifoldEmbedding(
        10, affinity=affinity, epsilon=1e-3, min_samples_leaf=5, random_state=0
    )
    for use in (embedding.fit_transform, make_pipeline(embedding, KNeighborsClassifier()).fit):
        with pytest.warns(UserWarning, match="falls into .* parts") as caught:
            use(X, np.arange(100) % 2)
        assert remedy in str(caught[0].message)
        assert caught[0].filename == __file__


@pytest.mark.filterwarnings("ignore:the affinity graph falls")
def test_vanishing_affinities_are_no_links(digits):
    """With many features all Mahalanobis affinities but those to itself are about exp(-p)."""
    X = digits[0][:250]
    embedding = ManifoldEmbedding(
        10, affinity="mahalanobis", covariance_type="diag", random_state=0
    )
    assert embedding.fit(X).n_connected_components_ > 100
    assert np.isfinite(embedding.transform(X)).all()


def test_no_more_eigenvectors_than_rows():
    graph = Graph(ManifoldEmbedding(5, random_state=0).fit(np.eye(3)).affinity_matrix_, False)
    embedded = embed_graph(graph, 5)
    assert embedded.vectors.shape == (3, 5)
    assert embedded.values.shape == embedded.gaps.shape == (5,)
    assert embed_graph(graph, 5, independent=True).vectors.shape == (3, 5)

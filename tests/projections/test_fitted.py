"""Node-fitted directions: native against reference on the same stream, and what they promise."""

import numpy as np
import pytest
from projections.nodes import (
    ROOT_NODE,
    TREE_SAMPLER,
    NativeStream,
    describe_node,
    draw_natively,
    make_node,
    stream_key,
)
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.preprocessing import StandardScaler

from silvan import ForestClassifier, ForestRegressor
from silvan.projections import CanonicalDirections, PrincipalComponents, RidgeDirections
from silvan.projections.fitted import thin

DISTRIBUTIONS = {
    "components": PrincipalComponents(),
    "components of pairs": PrincipalComponents(n_features=2),
    "components of all": PrincipalComponents(n_features=100),
    "ridge": RidgeDirections(),
    "ridge of all": RidgeDirections(n_features=100, alpha=0.1),
    "strong ridge": RidgeDirections(n_features=4, alpha=30.0),
    "canonical": CanonicalDirections(),
    "canonical of all": CanonicalDirections(n_features=100),
    "canonical without bootstrap": CanonicalDirections(n_features=3, bootstrap=False),
}
all_distributions = pytest.mark.parametrize(
    "distribution", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS.keys()
)
TARGETS = ["two classes", "five classes", "one output", "three outputs"]


@pytest.mark.parametrize("Fitted", [PrincipalComponents, RidgeDirections, CanonicalDirections])
def test_any_number_of_samples_may_be_allowed(Fitted):
    forest = ForestClassifier(1, projections=Fitted(max_samples=2**64), random_state=0)
    assert forest.fit([[0.0, 1.0], [1.0, 0.0]] * 9, [0, 1] * 9).forest_.n_trees == 1


def make_rows(rng, n, p, targets="two classes", *, weighted=False, missing=False, uint8=False):
    """A node of correlated features of different units."""
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 3
    X *= 10.0 ** rng.integers(-2, 3, p)
    X = rng.integers(0, 256, (n, p)).astype(np.uint8) if uint8 else X.astype(np.float32)
    if missing:
        X[rng.random((n, p)) < 0.1] = np.nan
    signal = np.nan_to_num(X / X.std(axis=0, where=~np.isnan(X)))
    if targets == "two classes":
        y = (signal[:, 0] > signal[:, -1] + rng.normal(size=n)).astype(np.int32)
    elif targets == "five classes":
        y = rng.integers(0, 5, n).astype(np.int32) * 2
    else:
        q = 1 if targets == "one output" else 3
        y = signal @ rng.normal(size=(p, q)) + rng.normal(size=(n, q))
    weights = rng.uniform(0.5, 2.0, n) if weighted else None
    multiplicity = rng.integers(0, 3, n) if weighted else None
    return describe_node(X, y, weights, multiplicity)


def draw_by_reference(distribution, rows, n_directions, seed=0, tree=0):
    node = make_node(rows, n_directions)
    return distribution.sample(node, NativeStream(stream_key(seed, tree, ROOT_NODE))).toarray()


def assert_same_directions(distribution, rows, n_directions, tree=0):
    native = draw_natively(distribution, rows, n_directions, tree=tree)
    reference = draw_by_reference(distribution, rows, n_directions, tree=tree)
    np.testing.assert_allclose(native, reference, rtol=2e-4, atol=2e-6)


@all_distributions
@pytest.mark.parametrize("targets", TARGETS)
def test_native_directions_equal_the_numpy_reference_on_the_same_stream(distribution, targets):
    rng = np.random.default_rng(0)
    for tree, (n, p) in enumerate([(40, 6), (200, 6), (60, 1), (30, 2), (500, 12)]):
        assert_same_directions(distribution, make_rows(rng, n, p, targets), 9, tree)


@pytest.mark.parametrize("targets", TARGETS)
def test_directions_of_so_many_fits_equal_the_reference_too(targets):
    rng = np.random.default_rng(0)
    rows = make_rows(rng, 60, 9, targets)
    for tree in range(6):
        for max_fits in (1, 2):
            assert_same_directions(CanonicalDirections(max_fits=max_fits), rows, 9, tree)
    n_found = {"two classes": 1, "five classes": 4, "one output": 1, "three outputs": 3}[targets]
    one_fit = draw_natively(CanonicalDirections(max_fits=1), rows, 9)
    assert one_fit.shape == (n_found, 9)


@all_distributions
@pytest.mark.parametrize(
    "kind",
    [{"weighted": True}, {"missing": True}, {"uint8": True}],
    ids=lambda kind: next(iter(kind)),
)
def test_weights_missing_values_and_bytes_equal_the_reference_too(distribution, kind):
    rng = np.random.default_rng(1)
    for tree, targets in enumerate(TARGETS):
        assert_same_directions(distribution, make_rows(rng, 120, 5, targets, **kind), 7, tree)


@all_distributions
def test_thinned_nodes_equal_the_reference_too(distribution):
    rng = np.random.default_rng(2)
    thinned = type(distribution)(**distribution.get_params() | {"max_samples": 50})
    for tree, n in enumerate([50, 51, 99, 100, 1000]):
        rows = make_rows(rng, n, 5)
        assert_same_directions(thinned, rows, 6, tree)
    assert not np.allclose(draw_natively(thinned, rows, 6), draw_natively(distribution, rows, 6))


def test_thinning_takes_all_rows_equally_often():
    rng = np.random.default_rng(15)
    taken = np.concatenate([thin(np.arange(90), 50, rng) for _ in range(4000)])
    counts = np.bincount(taken, minlength=90)
    assert len(taken) == 4000 * 50
    assert (np.abs(counts - 4000 * 50 / 90) < 6 * np.sqrt(4000 * 50 / 90)).all()


@pytest.mark.parametrize("targets", TARGETS)
def test_the_rotation_of_a_tree_equals_the_reference(targets):
    rng = np.random.default_rng(3)
    for tree, max_samples in enumerate([None, 60]):
        distribution = PrincipalComponents(per="tree", max_samples=max_samples)
        rows = make_rows(rng, 200, 7, targets, weighted=True)
        rotation = distribution._fit_rotation(
            make_node(rows, 4), NativeStream(stream_key(0, tree, TREE_SAMPLER))
        )
        chosen = NativeStream(stream_key(0, tree, ROOT_NODE)).choice(7, 4, replace=False)
        native = draw_natively(distribution, rows, 4, tree=tree)
        np.testing.assert_allclose(native, rotation[chosen], rtol=2e-4, atol=2e-6)


def test_a_tree_keeps_its_rotation_in_all_nodes():
    rows = make_rows(np.random.default_rng(4), 100, 6)
    distribution = PrincipalComponents(per="tree")
    root = draw_natively(distribution, rows, 6)
    np.testing.assert_allclose(root @ root.T, np.eye(6), atol=1e-6)
    part = rows | {"samples": np.arange(30, dtype=np.uint32)}
    inner = draw_natively(distribution, part, 6, path="LR")
    assert np.array_equal(np.sort(root, axis=0), np.sort(inner, axis=0))
    other = draw_natively(distribution, rows, 6, tree=1)
    assert not np.array_equal(np.sort(root, axis=0), np.sort(other, axis=0))


def test_components_are_those_of_scikit_learn():
    rows = make_rows(np.random.default_rng(5), 300, 4)
    native = draw_natively(PrincipalComponents(n_features=4, max_samples=None), rows, 4)
    expected = PCA().fit(rows["X"].astype(np.float64)).components_
    np.testing.assert_allclose(np.abs(native), np.abs(expected), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("alpha", [0.01, 1.0, 100.0])
def test_ridge_directions_are_those_of_scikit_learn(alpha):
    distribution = RidgeDirections(n_features=5, alpha=alpha, max_samples=None)
    rng = np.random.default_rng(6)
    for targets in ("two classes", "one output"):
        rows = make_rows(rng, 300, 5, targets, weighted=True)
        weights = rows["weights"] * rows["multiplicity"]
        scaler = StandardScaler().fit(rows["X"].astype(np.float64), sample_weight=weights)
        Z, y = scaler.transform(rows["X"].astype(np.float64)), rows["targets"].ravel()
        if targets == "two classes":
            model = LogisticRegression(C=1 / alpha, tol=1e-8, solver="newton-cholesky")
        else:
            model = Ridge(alpha)
        expected = model.fit(Z, y, sample_weight=weights).coef_.ravel() / scaler.scale_
        assert_same_line(draw_natively(distribution, rows, 1)[0], expected, within=1e-3)


def test_canonical_directions_are_those_of_discriminant_analysis_and_least_squares():
    """With two classes or one output all linear methods find the same line."""
    distribution = CanonicalDirections(n_features=5, bootstrap=False, max_samples=None)
    rng = np.random.default_rng(7)
    rows = make_rows(rng, 300, 5)
    expected = LinearDiscriminantAnalysis().fit(rows["X"], rows["targets"]).coef_[0]
    assert_same_line(draw_natively(distribution, rows, 1)[0], expected)
    rows = make_rows(rng, 300, 5, "one output")
    expected = LinearRegression().fit(rows["X"].astype(np.float64), rows["targets"][:, 0]).coef_
    assert_same_line(draw_natively(distribution, rows, 1)[0], expected)


def test_canonical_directions_of_a_fit_are_uncorrelated_and_correlate_less_and_less():
    distribution = CanonicalDirections(n_features=6, bootstrap=False, max_samples=None)
    rows = make_rows(np.random.default_rng(8), 500, 6, "three outputs")
    values = rows["X"] @ draw_natively(distribution, rows, 3).T
    np.testing.assert_allclose(np.corrcoef(values.T), np.eye(3), atol=1e-4)
    fits = [LinearRegression().fit(rows["targets"], value) for value in values.T]
    scores = [fit.score(rows["targets"], value) for fit, value in zip(fits, values.T, strict=True)]
    assert scores == sorted(scores, reverse=True)


def assert_same_line(direction, expected, within=1e-4):
    expected = expected / np.linalg.norm(expected)
    sign = np.sign(direction @ expected)
    np.testing.assert_allclose(direction, sign * expected, atol=within)


def test_groupings_of_the_classes_into_two_are_equally_likely():
    """Three classes at the corners of a triangle: each of the three groupings has its direction."""
    corners = np.array([[0, 0], [4, 0], [2, 3.4641]])
    y = np.repeat(np.arange(3), 30).astype(np.int32)
    noise = np.tile(np.random.default_rng(9).normal(size=(30, 2)), (3, 1))
    rows = describe_node((corners[y] + noise).astype(np.float32), y)
    drawn = draw_natively(RidgeDirections(n_features=2), rows, 3000).round(2)
    lines, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(lines) == 3
    assert (np.abs(counts - 1000) < 6 * np.sqrt(3000 * 2 / 9)).all()


# Nodes with little to fit


def degenerate_nodes():
    rng = np.random.default_rng(10)
    normal = rng.normal(size=(12, 5))
    y = np.arange(12) % 2
    half = np.where(rng.random((12, 5)) < 0.5, np.nan, normal)
    return {
        "two rows": (normal[:2], y[:2]),
        "one row": (normal[:1], y[:1]),
        "fewer rows than features": (normal[:3], y[:3]),
        "all constant": (np.ones((12, 5)), y),
        "one feature varies": (np.column_stack([normal[:, :1], np.ones((12, 4))]), y),
        "equal columns": (np.repeat(normal[:, :1], 5, axis=1), y),
        "nearly equal columns": (normal[:, :1] + 1e-6 * normal, y),
        "one class": (normal, 0 * y),
        "a class of one row": (normal, (np.arange(12) == 0).astype(int)),
        "a class for each row": (normal, np.arange(12)),
        "all missing": (np.full((12, 5), np.nan), y),
        "half missing": (half, y),
        "huge": (1e37 * normal, y),
        "tiny": (1e-37 * normal, y),
        "far from zero": (1e6 + normal, y),
        "mixed units": (normal * [1e-30, 1, 1e30, 1e-10, 1e10], y),
        "separated": (normal + 100 * y[:, None], y),
        "symmetric": (np.tile([[1, 1], [-1, -1], [1, -1], [-1, 1]], (3, 3))[:, :5], y),
    }


@pytest.mark.parametrize("name", degenerate_nodes())
@pytest.mark.parametrize(
    "distribution",
    [*DISTRIBUTIONS.values(), PrincipalComponents(per="tree")],
    ids=[*DISTRIBUTIONS, "components of a tree"],
)
def test_nodes_with_little_to_fit_give_finite_directions(distribution, name):
    X, y = degenerate_nodes()[name]
    X = X.astype(np.float32)
    for targets in (y.astype(np.int32), np.column_stack([y, y**2, 0 * y]).astype(np.float64)):
        directions = draw_natively(distribution, describe_node(X, targets), 5)
        assert directions.shape == (5, 5)
        assert np.isfinite(directions).all()
        np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1, rtol=1e-5)
    forest = ForestClassifier(3, projections=distribution, random_state=0).fit(X, y)
    assert np.isfinite(forest.predict_proba(X)).all()
    assert ForestRegressor(3, projections=distribution, random_state=0).fit(X, y).predict(
        X
    ).shape == (len(X),)


def test_a_feature_that_is_constant_in_the_node_has_no_weight():
    rows = make_rows(np.random.default_rng(11), 50, 5)
    rows["X"][:, 2] = 0.1
    for name, distribution in DISTRIBUTIONS.items():
        assert (draw_natively(distribution, rows, 8)[:, 2] == 0).all(), name

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

from silvan.projections import CanonicalDirections, PrincipalComponents, RidgeDirections

LAWS = {
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
all_laws = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS.keys())
TARGETS = ["two classes", "five classes", "one output", "three outputs"]


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


def draw_by_reference(law, rows, n_directions, seed=0, tree=0):
    node = make_node(rows, n_directions)
    return law.sample(node, NativeStream(stream_key(seed, tree, ROOT_NODE))).toarray()


def assert_same_directions(law, rows, n_directions, tree=0):
    native = draw_natively(law, rows, n_directions, tree=tree)
    reference = draw_by_reference(law, rows, n_directions, tree=tree)
    np.testing.assert_allclose(native, reference, rtol=2e-4, atol=2e-6)


@all_laws
@pytest.mark.parametrize("targets", TARGETS)
def test_native_directions_equal_the_numpy_reference_on_the_same_stream(law, targets):
    rng = np.random.default_rng(0)
    for tree, (n, p) in enumerate([(40, 6), (200, 6), (60, 1), (30, 2), (500, 12)]):
        assert_same_directions(law, make_rows(rng, n, p, targets), 9, tree)


@all_laws
@pytest.mark.parametrize(
    "kind",
    [{"weighted": True}, {"missing": True}, {"uint8": True}],
    ids=lambda kind: next(iter(kind)),
)
def test_weights_missing_values_and_bytes_equal_the_reference_too(law, kind):
    rng = np.random.default_rng(1)
    for tree, targets in enumerate(TARGETS):
        assert_same_directions(law, make_rows(rng, 120, 5, targets, **kind), 7, tree)


@all_laws
def test_thinned_nodes_equal_the_reference_too(law):
    rng = np.random.default_rng(2)
    thinned = type(law)(**law.get_params() | {"max_samples": 50})
    for tree, n in enumerate([50, 51, 99, 100, 1000]):
        rows = make_rows(rng, n, 5)
        assert_same_directions(thinned, rows, 6, tree)
    assert not np.allclose(draw_natively(thinned, rows, 6), draw_natively(law, rows, 6))


@pytest.mark.parametrize("targets", TARGETS)
def test_the_rotation_of_a_tree_equals_the_reference(targets):
    rng = np.random.default_rng(3)
    for tree, max_samples in enumerate([None, 60]):
        law = PrincipalComponents(per="tree", max_samples=max_samples)
        rows = make_rows(rng, 200, 7, targets, weighted=True)
        rotation = law._fit_rotation(
            make_node(rows, 4), NativeStream(stream_key(0, tree, TREE_SAMPLER))
        )
        chosen = NativeStream(stream_key(0, tree, ROOT_NODE)).choice(7, 4, replace=False)
        native = draw_natively(law, rows, 4, tree=tree)
        np.testing.assert_allclose(native, rotation[chosen], rtol=2e-4, atol=2e-6)


def test_a_tree_keeps_its_rotation_in_all_nodes():
    rows = make_rows(np.random.default_rng(4), 100, 6)
    law = PrincipalComponents(per="tree")
    root = draw_natively(law, rows, 6)
    np.testing.assert_allclose(root @ root.T, np.eye(6), atol=1e-6)
    part = rows | {"rows": np.arange(30, dtype=np.uint32)}
    inner = draw_natively(law, part, 6, path="LR")
    assert np.array_equal(np.sort(root, axis=0), np.sort(inner, axis=0))
    other = draw_natively(law, rows, 6, tree=1)
    assert not np.array_equal(np.sort(root, axis=0), np.sort(other, axis=0))

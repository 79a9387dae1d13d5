"""The native tree without targets equals the NumPy reference: same splits, same leaves."""

import numpy as np
import pytest
from gaussian_tree import GaussianTree
from growing import draw_rows, grow, make_options, make_rows
from reference_tree import native_nodes

from silvan import DensityForest, _core
from silvan.projections import AxisAligned, Patches


def gaussian_options(**changes):
    gaussian = {"full": True, "n_dimensions": 8, "max_thresholds": 0, "ridge": 1e-3, "bits": 18}
    limits = {"criterion": "gaussian", "n_outputs": 1, "n_directions": 3, "min_samples_leaf": 4}
    return make_options(**limits, gaussian=gaussian | changes)


def make_features(kind, rng, n=120, p=4):
    if kind == "ties":
        return rng.integers(0, 5, (n, p)).astype(np.float32)
    if kind == "uint8":
        return rng.integers(0, 256, (n, p)).astype(np.uint8)
    if kind == "duplicates":
        return np.repeat(rng.normal(size=(n // 6, p)), 6, axis=0).astype(np.float32)
    if kind == "constant column":
        X = rng.normal(size=(n, p)).astype(np.float32)
        X[:, 1] = 7.0
        return X
    blobs = rng.normal(size=(n, p)) + 4 * rng.integers(0, 3, (n, 1))
    return (blobs * [1, 10, 0.1, 1e3][:p]).astype(np.float32)


def assert_equals_reference(X, options, distribution, replace=True):
    rows = make_rows(len(X), replace=replace)
    arrays = grow(X, None, distribution, options, rows=rows, source=X, trees=2)
    for tree in range(2):
        weight = draw_rows(rows, options["seed"], tree).astype(np.float64)
        reference = GaussianTree(X, weight, distribution, options, tree)
        native = native_nodes(arrays, tree)
        assert native.keys() == reference.nodes.keys()
        assert len(native) > 3
        for path, node in reference.nodes.items():
            ours = native[path]
            assert ours["weight"] == node["weight"]
            assert ours["leaf"] == (node["split"] is None)
            if ours["leaf"]:
                np.testing.assert_array_equal(ours["rows"], node["rows"])
                assert ours["value"] == {0: node["weight"]}
            else:
                np.testing.assert_array_equal(ours["indices"], node["split"]["indices"])
                np.testing.assert_array_equal(ours["weights"], node["split"]["weights"])
                assert ours["threshold"] == node["split"]["threshold"]


@pytest.mark.parametrize("features", ["blobs", "ties", "uint8", "duplicates", "constant column"])
@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("max_thresholds", [0, 1, 5])
def test_trees_equal_the_reference(features, full, max_thresholds):
    rng = np.random.default_rng(0)
    X = make_features(features, rng)
    options = gaussian_options(full=full, max_thresholds=max_thresholds)
    assert_equals_reference(X, options, _core.uniform_combinations(4, 2))


@pytest.mark.parametrize("family", ["axis", "signs", "patches"])
def test_trees_measured_in_a_few_drawn_directions_equal_the_reference(family):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 12)).astype(np.float32)
    X[:, :4] = 0.0  # directions that do not vary are drawn again
    distribution = {
        "axis": _core.axis_aligned(12),
        "signs": _core.sparse_signs(12, 2.0, False),
        "patches": Patches((3, 4))._to_native(12),
    }[family]
    assert_equals_reference(X, gaussian_options(n_dimensions=3), distribution)
    assert_equals_reference(X, gaussian_options(n_dimensions=3), distribution, replace=False)


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
def test_leaf_statistics_and_densities_equal_the_reference(covariance_type):
    rng = np.random.default_rng(2)
    X = make_features("blobs", rng)[:, :3]
    forest = DensityForest(
        2, projections=AxisAligned(), covariance_type=covariance_type, random_state=0
    ).fit(X)
    ridge = forest.reg_covar * X.astype(np.float64).var(axis=0)
    arrays = forest.forest_
    log_terms = np.empty((2, len(X)))
    for tree in range(2):
        draws = forest._sampling.multiplicities(tree).astype(float)
        nodes = forest.apply(X)[:, tree]
        z = 0.0
        for leaf in range(*arrays.leaf_offsets[tree : tree + 2]):
            node = np.flatnonzero(arrays.tree(tree).left == -1 - (leaf - arrays.leaf_offsets[tree]))
            inside = nodes == node
            weight = draws[inside]
            mean = weight @ X[inside].astype(float) / weight.sum()
            centred = X[inside] - mean
            covariance = (weight[:, None] * centred).T @ centred / weight.sum() + np.diag(ridge)
            if covariance_type == "diag":
                covariance = np.diag(np.diag(covariance))
                ours = np.diag(forest.covariances_[leaf])
            else:
                ours = forest.covariances_[leaf]
            np.testing.assert_allclose(forest.means_[leaf], mean, rtol=1e-9)
            np.testing.assert_allclose(ours, covariance, rtol=1e-7, atol=1e-12)
            np.testing.assert_allclose(forest.priors_[leaf], weight.sum() / draws.sum())
            z += forest.priors_[leaf] * forest.masses_[leaf]
            distance = np.einsum("ij,jk,ik->i", centred, np.linalg.inv(covariance), centred)
            log_normal = -0.5 * (distance + np.linalg.slogdet(2 * np.pi * covariance)[1])
            log_terms[tree, inside] = np.log(forest.priors_[leaf]) + log_normal
        np.testing.assert_allclose(forest.partition_[tree], z)
        log_terms[tree] -= np.log(z)
    density = np.exp(log_terms).mean(axis=0)
    np.testing.assert_allclose(np.exp(forest.score_samples(X)), density, rtol=1e-7)

"""Arrays that distributions are given are read with checks that name them."""

import numpy as np
import pytest
from scipy import sparse

from silvan import ForestClassifier
from silvan.projections import (
    AxisAligned,
    Dictionary,
    EdgeNeighborhoods,
    GraphNeighborhoods,
    Mixture,
    PerturbedHyperplanes,
    ProjectionDistribution,
    SparseSigns,
    WeightedCombinations,
)

X = np.random.default_rng(0).normal(size=(60, 6)).astype(np.float32)
Y = (X[:, 0] + X[:, 1] > 0).astype(int)


def fit(projections):
    return ForestClassifier(4, projections=projections, random_state=0).fit(X, Y)


def broken(change):
    matrix = sparse.csr_array(np.ones((6, 6)))
    matrix.indptr, matrix.indices = matrix.indptr.copy(), matrix.indices.copy()
    change(matrix)
    return matrix


def end_a_row_too_late(matrix):
    matrix.indptr[3] = 999


def name_a_column_too_many(matrix):
    matrix.indices[0] = 99


@pytest.mark.parametrize("make", [GraphNeighborhoods, Dictionary])
def test_sparse_matrices_whose_indices_lead_outside_are_refused(make):
    with pytest.raises(ValueError, match=r"(graph|atoms) is a sparse array whose indices"):
        fit(make(broken(end_a_row_too_late)))
    with pytest.raises(ValueError, match=r"(graph|atoms) must have features from 0 to 5.* 99"):
        fit(make(broken(name_a_column_too_many)))


def test_directions_of_a_class_of_ones_own_must_be_sound():
    class Broken(ProjectionDistribution):
        def sample(self, node, rng):
            matrix = sparse.csr_array(np.ones((node.n_directions, node.n_features)))
            matrix.indptr = matrix.indptr.copy()
            matrix.indptr[1] = 999
            return matrix

    with pytest.raises(ValueError, match=r"Broken.*row ends"):
        fit(Broken())


@pytest.mark.parametrize(
    ("name", "projections"),
    [
        ("weights", WeightedCombinations(weights=[[1], [2, 3]])),
        ("atoms", Dictionary([[1], [1, 2]])),
        ("probabilities", Dictionary(np.eye(6), [[1], [1, 2]])),
        ("edges", EdgeNeighborhoods([(0, 1), (2,)])),
    ],
)
def test_rows_of_unequal_length_are_refused_by_name(name, projections):
    with pytest.raises(ValueError, match=f"^{name} must be an array, with rows of the same length"):
        fit(projections)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("weights", lambda mask: WeightedCombinations(weights=np.ma.array(np.ones(6), mask=mask))),
        ("atoms", lambda mask: Dictionary(np.ma.array(np.eye(6), mask=np.tile(mask, (6, 1))))),
        ("probabilities", lambda mask: Dictionary(np.eye(6), np.ma.array(np.ones(6), mask=mask))),
        ("graph", lambda mask: GraphNeighborhoods(np.ma.array(np.eye(6), mask=np.eye(6)))),
    ],
)
def test_masked_entries_are_refused_by_name(name, make):
    with pytest.raises(ValueError, match=f"^{name} must not have masked entries"):
        fit(make([True, *[False] * 5]))


@pytest.mark.parametrize(
    "projections",
    [
        Dictionary(np.eye(6), [1e308] * 6),
        Mixture([(AxisAligned(), 1e308), (SparseSigns(), 1e308)]),
        Mixture([(AxisAligned(), 5e-324), (SparseSigns(), 5e-324)]),
    ],
)
def test_weights_whose_sum_is_beyond_a_double_are_relative(projections):
    assert fit(projections).score(X, Y) > 0.9


def test_weights_of_any_ratio_stay_positive():
    weights = [1e-200] * 5 + [1e200]
    directions = WeightedCombinations(3, weights).draw(50, n_features=6, random_state=0)
    assert (np.diff(directions.indptr) == 3).all()
    assert (directions.toarray()[:, 5] != 0).all()


def test_too_many_perturbations_are_refused_by_name():
    with pytest.raises(ValueError, match="n_perturbations must be at most 1000000"):
        fit(PerturbedHyperplanes(n_perturbations=10**20))

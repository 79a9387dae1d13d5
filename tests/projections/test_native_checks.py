"""The core refuses arrays that would lead it astray, whoever passes them."""

import numpy as np
import pytest
from growing import sample_directions

from silvan import _core


def arrays(indptr, indices, weights):
    return (
        np.array(indptr, dtype=np.int64),
        np.array(indices, dtype=np.int32),
        np.array(weights, dtype=np.float32),
    )


FAULTS = [
    (arrays([0], [], []), "there are no directions"),
    (arrays([0, 1], [0], [1, 1]), "indices and coefficients differ in length"),
    (arrays([0, 2], [0], [1]), "indptr does not run from 0 to the number of nonzeros"),
    (arrays([1, 1], [0], [1]), "indptr does not run from 0 to the number of nonzeros"),
    (arrays([0, 5, 1], [0], [1]), "indptr does not ascend"),
    (arrays([0, 1, 1], [0], [1]), "direction 1 is empty"),
    (arrays([0, 1], [3], [1]), "direction 0 has feature 3, outside 0..2"),
    (arrays([0, 1], [-1], [1]), "direction 0 has feature -1, outside 0..2"),
    (arrays([0, 2], [1, 0], [1, 1]), "direction 0 has features that do not ascend"),
    (arrays([0, 2], [1, 1], [1, 1]), "direction 0 has features that do not ascend"),
    (arrays([0, 1], [0], [np.nan]), "direction 0 has a coefficient that is not finite"),
    (arrays([0, 1], [0], [0]), "direction 0 has a coefficient of zero"),
]


@pytest.mark.parametrize(("directions", "fault"), FAULTS, ids=range(len(FAULTS)))
def test_faulty_directions_are_found_wherever_they_come_from(directions, fault):
    n_atoms = max(len(directions[0]) - 1, 1)
    with pytest.raises(ValueError, match=fault):
        _core.dictionary(3, *directions, np.linspace(0, 1, n_atoms + 1)[1:])
    native = _core.python_distribution(3, lambda *_: directions, "mine")
    with pytest.raises(ValueError, match=f"mine returned a wrong matrix: {fault}"):
        sample_directions(native, 0, 0, "", 9)


@pytest.mark.parametrize("result", [None, 3, (1, 2, 3), ([0, 1], [0])])
def test_a_python_distribution_must_return_three_arrays(result):
    native = _core.python_distribution(3, lambda *_: result, "mine")
    with pytest.raises(TypeError, match="mine did not return arrays"):
        sample_directions(native, 0, 0, "", 9)


def test_a_python_distribution_may_not_give_more_directions_than_asked_for():
    directions = arrays([0, 1, 2], [0, 1], [1, 1])
    native = _core.python_distribution(3, lambda *_: directions, "mine")
    with pytest.raises(ValueError, match="mine returned 2 directions where at most 1 were asked"):
        sample_directions(native, 0, 0, "", 1)


@pytest.mark.parametrize("cumulative", [[], [0.5], [0.5, 1.0, 1.0], [0.0, 0.0], [2.0, 1.0]])
def test_probabilities_must_fit_the_atoms(cumulative):
    atoms = arrays([0, 1, 2], [0, 1], [1, 1])
    with pytest.raises(ValueError, match="probabilit"):
        _core.dictionary(3, *atoms, np.array(cumulative, dtype=np.float64))


def test_the_components_of_a_mixture_must_agree_in_their_features():
    with pytest.raises(ValueError, match="differ in their number of features"):
        _core.mixture([_core.axis_aligned(3), _core.axis_aligned(4)], np.array([0.5, 1.0]))
    with pytest.raises(ValueError, match="a mixture needs a component"):
        _core.mixture([], np.array([]))


@pytest.mark.parametrize("n_features", [0, -1, 2**31])
def test_the_number_of_features_is_bounded(n_features):
    with pytest.raises(ValueError, match="n_features must be between 1 and"):
        _core.axis_aligned(n_features)


def test_missing_components_and_leaves_outside_the_values_are_refused():
    with pytest.raises(ValueError, match="a component is None"):
        _core.mixture([None], np.ones(1))
    for indptr in ([3, 1], [0, 5], [-5, 2]):
        with pytest.raises(ValueError, match="value_indptr must rise within the values"):
            _core.leaf_votes(np.array(indptr), np.ones(2))

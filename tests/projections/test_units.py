"""Directions without units: spreads, their exactness, and what is refused."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from silvan import ForestClassifier, _core
from silvan.projections import (
    AxisAligned,
    Dictionary,
    Mixture,
    Patches,
    PrincipalComponents,
    ProjectionDistribution,
    SparseSigns,
    UnitFree,
)
from silvan.projections.spreads import measure_spreads


def test_coefficients_are_divided_by_spreads_in_directions_of_several_features_only():
    spreads = np.array([8.0, 0.25, 1.0])
    atoms = Dictionary([[1, -1, 0], [0, 3, 0], [1, 1, 2]])
    drawn = UnitFree(atoms, spreads).draw(50, 3, random_state=0).toarray()
    expected = {(0.125, -4, 0), (0, 3, 0), (0.125, 4, 2)}
    assert {tuple(direction) for direction in drawn.tolist()} == expected


def test_spreads_given_by_the_user_are_rounded_to_the_nearest_power_of_two():
    unit_free = UnitFree(SparseSigns(), [1.4, 1.5, 3.0, 0.7, 1e-300, 1e300])
    assert unit_free.exponents(6).tolist() == [0, 1, 2, -1, -126, 126]


@pytest.mark.parametrize(
    ("values", "spread"),
    [
        ([-4, -4, -4], 4),  # constant
        ([0, 0, 0], 1),
        ([np.nan, np.nan], 1),  # nothing there
        ([0, 1], 1),
        ([0, 1, np.nan], 1),
        ([0] * 1000 + [8], 8),  # how often a value occurs does not count
        (list(range(101)), 64),  # quartiles 25 and 75
        ([*range(101), 1e15], 64),  # one value far off
    ],
)
def test_spread_is_the_distance_of_quartiles_of_distinct_values(values, spread):
    column = np.array(values, dtype=np.float32)[:, None]
    assert measure_spreads(column).tolist() == [spread]


def test_spreads_of_categories_are_one():
    X = np.column_stack([np.arange(100), np.arange(100)]).astype(np.float32)
    assert measure_spreads(X, np.array([0, 100])).tolist() == [64.0, 1.0]


def test_spread_follows_powers_of_two_exactly():
    column = np.random.default_rng(0).lognormal(size=(500, 1)).astype(np.float32)
    for power in range(-60, 61, 7):
        scaled = np.ldexp(column, power)
        assert measure_spreads(scaled) == np.ldexp(measure_spreads(column), power)


def test_values_stay_finite_where_the_spread_is_tiny():
    X = np.array([[1e-30], [2e-30], [3e-30], [4e-30], [1e30]], dtype=np.float32)
    assert np.isfinite(1e30 / measure_spreads(X) * 1e15).all()
    assert measure_spreads(X) > 1e10


def test_fitted_distributions_see_features_in_multiples_of_their_spread():
    """Principal components of columns in other units are the same direction in the data."""
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(300, 1)) + 0.2 * rng.normal(size=(300, 3))).astype(np.float32)
    factors = np.array([2.0**-6, 1.0, 2.0**9], dtype=np.float32)
    unit_free = UnitFree(PrincipalComponents())
    first = unit_free.draw(3, 3, random_state=0, X=X).toarray()
    second = unit_free.draw(3, 3, random_state=0, X=X * factors).toarray()
    assert np.array_equal(first, second * factors)
    plain = PrincipalComponents().draw(3, 3, random_state=0, X=X * factors).toarray()
    assert not np.allclose(first, plain * factors)


def test_a_python_distribution_sees_scaled_features_of_bytes_too():
    class Means(ProjectionDistribution):
        def sample(self, node, rng):
            return csr_array(1 + node.X.mean(axis=0, keepdims=True))

    X = np.full((4, 2), 3, dtype=np.uint8)
    drawn = UnitFree(Means(), [4.0, 1.0]).draw(1, 2, random_state=0, X=X).toarray()
    np.testing.assert_array_equal(drawn, [[(1 + 3 / 4) / 4, 1 + 3]])


def test_without_spreads_and_samples_coefficients_are_as_drawn():
    signs = SparseSigns(mean_nonzeros=3)
    drawn = [each.draw(5, 8, random_state=1).toarray() for each in (signs, UnitFree(signs))]
    assert np.array_equal(*drawn)


def test_parameters_of_the_other_distribution_are_reached_by_their_names():
    forest = ForestClassifier().set_params(projections__mean_nonzeros=3)
    assert forest.projections == UnitFree(SparseSigns(mean_nonzeros=3))
    assert repr(forest.projections) == "UnitFree(SparseSigns(mean_nonzeros=3))"
    again = forest.set_params(projections__distribution__counts="poisson")
    assert again.projections.distribution.counts == "poisson"
    assert ForestClassifier().projections is None
    assert ForestClassifier()._given_projections() == UnitFree(SparseSigns())


def test_components_of_a_mixture_learn_their_spreads():
    mixture = Mixture([(AxisAligned(), 1.0), (UnitFree(SparseSigns()), 1.0)])
    learnt = mixture._with_spreads(np.array([2.0, 4.0]))
    assert learnt.components[1][0].spreads.tolist() == [2.0, 4.0]
    assert mixture.components[1][0].spreads is None


@pytest.mark.parametrize(
    ("unit_free", "message"),
    [
        (UnitFree(3), "distribution must be a ProjectionDistribution"),
        (UnitFree(UnitFree(SparseSigns())), "that is not UnitFree itself"),
        (UnitFree(SparseSigns(density=2)), "density must be"),
        (UnitFree(Patches((4, 5), max_size=(4, 5))), "over features alone"),
        (UnitFree(SparseSigns(), [1.0, 2.0]), "a number for each of the 20 features"),
        (UnitFree(SparseSigns(), np.zeros(20)), "finite and above 0"),
        (UnitFree(SparseSigns(), np.full(20, np.inf)), "finite and above 0"),
        (UnitFree(SparseSigns(), ["a"] * 20), "a number for each of the 20 features"),
    ],
)
def test_wrong_parameters_are_refused(unit_free, message):
    with pytest.raises(ValueError, match=message):
        unit_free.draw(3, 20)


def test_the_core_checks_exponents():
    axis = _core.axis_aligned(3)
    with pytest.raises(ValueError, match="one exponent per feature"):
        _core.unit_free(axis, np.zeros(2, dtype=np.int32))
    with pytest.raises(ValueError, match="between -126 and 126"):
        _core.unit_free(axis, np.full(3, 127, dtype=np.int32))

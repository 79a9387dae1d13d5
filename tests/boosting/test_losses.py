"""Losses: derivatives against numerical ones, values against scikit-learn's, best constants."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn._loss import loss as sklearn_losses
from sklearn.utils.stats import _weighted_percentile

from silvan.losses import (
    AbsoluteError,
    BinaryLogLoss,
    Gamma,
    Huber,
    Loss,
    MultinomialLogLoss,
    Poisson,
    Quantile,
    SquaredError,
)
from silvan.losses.base import grouped_quantiles

NUMBERS = {
    "squared": (SquaredError(), sklearn_losses.HalfSquaredError()),
    "absolute": (AbsoluteError(), sklearn_losses.AbsoluteError()),
    "quantile": (Quantile(0.3), sklearn_losses.PinballLoss(quantile=0.3)),
    "huber": (Huber(0.8), sklearn_losses.HuberLoss(delta=0.8)),
    "poisson": (Poisson(), sklearn_losses.HalfPoissonLoss()),
    "gamma": (Gamma(), sklearn_losses.HalfGammaLoss()),
}
SMOOTH = ("squared", "poisson", "gamma")


@pytest.fixture(params=NUMBERS)
def name(request):
    return request.param


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = rng.gamma(2.0, size=(200, 1)) + 0.1
    raw = rng.normal(scale=0.7, size=(200, 1)) + 1
    weight = rng.integers(1, 4, size=200).astype(float)
    return y, raw, weight


def numerical_derivatives(loss, y, raw, step=1e-4):
    def at(shift):
        losses = loss.losses(y, raw + shift)
        return losses.sum(axis=1) if losses.ndim == 2 else losses

    gradients, hessians = np.empty_like(raw), np.empty_like(raw)
    for k in range(raw.shape[1]):
        unit = step * (np.arange(raw.shape[1]) == k)
        gradients[:, k] = (at(unit) - at(-unit)) / (2 * step)
        hessians[:, k] = (at(unit) - 2 * at(0 * unit) + at(-unit)) / step**2
    return gradients, hessians


def test_gradients_are_those_of_the_values(name, data):
    y, raw, _ = data
    loss = NUMBERS[name][0]
    gradients, _ = numerical_derivatives(loss, y, raw)
    # Away from kinks, which a step may cross.
    smooth = np.abs(y - raw) > 1e-3
    np.testing.assert_allclose(loss.derivatives(y, raw)[0][smooth], gradients[smooth], atol=1e-5)


def test_hessians_are_those_of_the_values_or_bound_them(name, data):
    y, raw, _ = data
    loss = NUMBERS[name][0]
    _, expected = numerical_derivatives(loss, y, raw)
    hessians = loss.derivatives(y, raw)[1]
    if name in SMOOTH:
        np.testing.assert_allclose(hessians, expected, atol=1e-4)
    else:
        smooth = np.abs(y - raw) > 1e-3
        assert (hessians[smooth] >= expected[smooth] - 1e-4).all()


def test_values_and_gradients_equal_those_of_scikit_learn(name, data):
    y, raw, weight = data
    loss, other = NUMBERS[name]
    ours = loss.losses(y, raw)[:, 0]
    theirs = other.loss(y[:, 0], raw[:, 0])
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    gradients, _ = loss.gradient_and_hessian(y, raw, weight)
    expected = other.gradient(y[:, 0], raw[:, 0], sample_weight=weight)
    np.testing.assert_allclose(gradients[:, 0], expected, rtol=1e-12)
    value = loss.value(y, raw, weight)
    assert value == pytest.approx(np.average(theirs, weights=weight))


def test_the_start_is_the_best_constant(name, data):
    y, _, weight = data
    loss = NUMBERS[name][0]

    def total(constant):
        return loss.value(y, np.full_like(y, constant), weight)

    best = minimize_scalar(total, bounds=(-3, 8), method="bounded", options={"xatol": 1e-10}).fun
    # One step of Newton's method from the median is near enough for Huber's loss.
    tolerance = 1e-3 if name == "huber" else 1e-7
    assert total(loss.start(y, weight)[0]) <= best * (1 + tolerance)


def test_whole_weights_are_repeated_samples(name, data):
    y, raw, weight = data
    loss = NUMBERS[name][0]
    repeated = np.repeat(np.arange(len(y)), weight.astype(int))
    np.testing.assert_allclose(loss.start(y, weight), loss.start(y[repeated]), rtol=1e-12)
    assert loss.value(y, raw, weight) == pytest.approx(loss.value(y[repeated], raw[repeated]))


def test_predictions_of_losses_with_a_link_are_means(data):
    y, _, weight = data
    for loss in (Poisson(), Gamma()):
        prediction = loss.inverse_link(loss.start(y, weight)[None])
        np.testing.assert_allclose(prediction[0, 0], np.average(y[:, 0], weights=weight))


def test_binary_log_loss_is_that_of_scikit_learn():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, size=100)
    raw = rng.normal(scale=3, size=(100, 1))
    loss, other = BinaryLogLoss(), sklearn_losses.HalfBinomialLoss()
    np.testing.assert_allclose(loss.losses(y, raw), other.loss(y.astype(float), raw[:, 0]))
    gradients, hessians = loss.derivatives(y, raw)
    expected = other.gradient_hessian(y.astype(float), raw[:, 0])
    np.testing.assert_allclose(gradients[:, 0], expected[0], atol=1e-14)
    np.testing.assert_allclose(hessians[:, 0], expected[1], atol=1e-14)
    numerical = numerical_derivatives(loss, y, raw)
    np.testing.assert_allclose(gradients, numerical[0], atol=1e-7)
    np.testing.assert_allclose(hessians, numerical[1], atol=1e-6)
    np.testing.assert_allclose(loss.inverse_link(loss.start(y)[None])[0, 1], y.mean())


def test_multinomial_log_loss_is_that_of_scikit_learn():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 4, size=100)
    raw = rng.normal(scale=2, size=(100, 4))
    loss, other = MultinomialLogLoss(4), sklearn_losses.HalfMultinomialLoss(n_classes=4)
    np.testing.assert_allclose(loss.losses(y, raw), other.loss(y.astype(float), raw))
    gradients, hessians = loss.derivatives(y, raw)
    expected = other.gradient_hessian(y.astype(float), raw)
    np.testing.assert_allclose(gradients, expected[0], atol=1e-14)
    np.testing.assert_allclose(hessians, expected[1], atol=1e-14)
    numerical = numerical_derivatives(loss, y, raw)
    np.testing.assert_allclose(gradients, numerical[0], atol=1e-7)
    np.testing.assert_allclose(hessians, numerical[1], atol=1e-6)
    shares = np.bincount(y, minlength=4) / len(y)
    np.testing.assert_allclose(loss.inverse_link(loss.start(y)[None])[0], shares)


def test_losses_of_classes_are_finite_for_certain_scores():
    y = np.array([0, 1])
    with np.errstate(all="raise", under="ignore"):
        raw = np.array([[800.0], [-800.0]])
        assert np.isfinite(BinaryLogLoss().value(y, raw))
        assert np.isfinite(MultinomialLogLoss(2).value(y, np.hstack([-raw, raw])))
        assert np.isfinite(BinaryLogLoss().start(np.array([1, 1]))).all()
        assert np.isfinite(MultinomialLogLoss(3).start(np.array([1, 1]))).all()


def test_leaf_values_of_a_quantile_are_quantiles_of_each_leaf(data):
    y, raw, weight = data
    leaf = np.random.default_rng(3).integers(0, 5, size=len(y)).astype(np.int32)
    for loss, level in ((Quantile(0.3), 0.3), (AbsoluteError(), 0.5)):
        values = loss.leaf_values(y[:, 0], raw[:, 0], weight, leaf)
        for number in range(5):
            rows = leaf == number
            left = (y - raw)[rows, 0]
            below = weight[rows][left < values[number] - 1e-12].sum() / weight[rows].sum()
            upto = weight[rows][left <= values[number] + 1e-12].sum() / weight[rows].sum()
            assert below <= level <= upto


def test_grouped_quantiles_equal_those_of_scikit_learn():
    rng = np.random.default_rng(4)
    values, weight = rng.normal(size=300), rng.uniform(0.1, 2, size=300)
    group = rng.integers(0, 7, size=300).astype(np.int32)
    found = grouped_quantiles(values, 0.8, weight, group)
    expected = [_weighted_percentile(values[group == g], weight[group == g], 80) for g in range(7)]
    np.testing.assert_allclose(found, expected)
    assert grouped_quantiles(np.array([1.0, 3.0]), 0.5, None, np.zeros(2, np.int32)) == [2.0]


def test_groups_of_light_samples_have_their_quantiles_beside_heavy_ones():
    values = np.append(np.zeros(3), np.arange(9.0))
    group = np.repeat(np.array([0, 1], np.int32), [3, 9])
    for heavy, light in ((1e13, 1.0), (1e10, 1e-3), (1.0, 1e-20)):
        weight = np.repeat([heavy, light], [3, 9])
        assert grouped_quantiles(values, 0.5, weight, group).tolist() == [0.0, 4.0]


def test_huber_learns_where_it_becomes_linear():
    y = np.random.default_rng(5).normal(size=(1000, 2)) * [1.0, 10.0]
    loss = Huber(quantile=0.8).adapt(y)
    inside = np.abs(y - np.median(y, axis=0)) <= loss.delta
    np.testing.assert_allclose(inside.mean(axis=0), 0.8, atol=0.002)
    assert Huber(2.0).adapt(y).delta == 2.0
    constant = Huber().adapt(np.ones((5, 1)))
    assert np.isfinite(constant.value(np.ones((5, 1)), np.zeros((5, 1))))


@pytest.mark.parametrize(
    ("loss", "y"),
    [(Poisson(), [-1.0, 2.0]), (Poisson(), [0.0, 0.0]), (Gamma(), [0.0, 2.0])],
)
def test_targets_that_a_loss_is_not_defined_for_are_refused(loss, y):
    with pytest.raises(ValueError, match="needs targets y"):
        loss.check_targets(np.array(y)[:, None])


@pytest.mark.parametrize(
    ("loss", "name"),
    [
        (Quantile(1.0), "level"),
        (Huber(-1.0), "delta"),
        (Huber("1"), "delta"),
        (Huber([1.0, 2.0]), "delta"),
        (Huber(quantile=0), "quantile"),
    ],
)
def test_wrong_parameters_of_losses_are_refused(loss, name):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        loss.check_targets(np.ones((3, 1)))


def test_losses_have_parameters_and_show_them():
    assert repr(Quantile(0.2)) == "Quantile(level=0.2)"
    assert repr(AbsoluteError()) == "AbsoluteError()"
    assert Quantile().set_params(level=0.1).get_params() == {"level": 0.1}
    with pytest.raises(ValueError, match="Invalid parameter 'alpha'"):
        Quantile().set_params(alpha=0.1)


@pytest.mark.parametrize(
    ("derivatives", "came"),
    [
        (lambda y, raw: raw - y, r"one array of shape \(4, 1\)"),
        (lambda y, raw: (raw - y, 1.0), r"shapes \[\(4, 1\), \(\)\]"),
        (lambda y, raw: ((raw - y)[:, 0], np.ones(4)), r"shapes \[\(4,\), \(4,\)\]"),
    ],
)
def test_derivatives_of_the_wrong_form_are_refused(derivatives, came):
    class Own(Loss):
        def losses(self, y, raw):
            return (raw - y) ** 2

        def derivatives(self, y, raw):
            return derivatives(y, raw)

    message = rf"Own\.derivatives must return a pair .* \(4, 1\), .* it returned {came}"
    with pytest.raises(ValueError, match=message):
        Own().gradient_and_hessian(np.ones((4, 1)), np.zeros((4, 1)))


def test_a_loss_of_a_subclass_starts_from_the_best_constant_and_has_no_link():
    class Quartic(Loss):
        def losses(self, y, raw):
            return (raw - y) ** 4 / 4

        def derivatives(self, y, raw):
            return (raw - y) ** 3, 3 * (raw - y) ** 2

    y = np.ones((4, 2))
    assert Quartic().start(y) == pytest.approx([1.0, 1.0], abs=0.01)
    far = np.array([[90.0], [100.0], [110.0], [400.0]])
    best = minimize_scalar(lambda raw: Quartic().value(far, np.full((4, 1), raw))).x
    assert Quartic().start(far) == pytest.approx([best], rel=1e-3)
    weight = np.array([1.0, 1.0, 1.0, 0.0])
    assert Quartic().start(far, weight) == pytest.approx([100.0], rel=1e-2)


def test_flat_losses_start_somewhere_finite():
    class LogCosh(Loss):
        def losses(self, y, raw):
            return np.logaddexp(raw - y, y - raw) - np.log(2)

        def derivatives(self, y, raw):
            slope = np.tanh(raw - y)
            return slope, 1 - slope**2

    y = np.linspace(900.0, 1100.0, 21)[:, None]
    assert LogCosh().start(y) == pytest.approx([1000.0], abs=20)


def test_a_loss_of_a_subclass_has_a_value_and_no_link():
    class Quartic(Loss):
        def losses(self, y, raw):
            return (raw - y) ** 4 / 4

        def derivatives(self, y, raw):
            return (raw - y) ** 3, 3 * (raw - y) ** 2

    y = np.ones((4, 2))
    assert Quartic().value(y, np.zeros((4, 2))) == 0.5
    assert Quartic().inverse_link(y) is y

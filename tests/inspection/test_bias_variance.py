"""James' decomposition equals its definition, and adds up."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from silvan import ForestClassifier
from silvan.datasets import make_sparse_parity, make_trunk
from silvan.inspection import bias_variance, decompose_error, hellinger_distance


def plain_decomposition(predictions, posterior):
    """Row by row, as in equations 3.1 to 3.4 of the thesis (with ≠ in the first)."""
    bias, variance, systematic, effect = [], [], [], []
    for row, truth in enumerate(posterior):
        shares = [np.mean(predictions[:, row] == k) for k in range(len(truth))]
        best, usual = int(np.argmax(truth)), int(np.argmax(shares))
        bias.append(best != usual)
        variance.append(1 - shares[usual])
        systematic.append(truth[best] - truth[usual])
        effect.append(truth[usual] - sum(p * s for p, s in zip(truth, shares, strict=True)))
    return [np.mean(values) for values in (bias, variance, systematic, effect)]


def trunk_posterior(X):
    mu = 1 / np.sqrt(np.arange(1, X.shape[1] + 1))
    p = 1 / (1 + np.exp(-2 * X @ mu))
    return np.column_stack([1 - p, p])


def test_decomposition_equals_its_definition():
    rng = np.random.default_rng(0)
    posterior = rng.dirichlet([0.5, 1, 2], size=40)
    predictions = rng.integers(0, 3, size=(9, 40))
    measures = decompose_error(predictions, posterior)
    found = (
        measures.bias,
        measures.variance,
        measures.systematic_effect,
        measures.variance_effect,
    )
    assert found == pytest.approx(plain_decomposition(predictions, posterior))


def test_effects_and_bayes_error_add_up_to_the_error():
    rng = np.random.default_rng(1)
    posterior = rng.dirichlet([1, 1], size=30)
    predictions = rng.integers(0, 2, size=(5, 30))
    measures = decompose_error(predictions, posterior)
    parts = measures.bayes_error + measures.systematic_effect + measures.variance_effect
    assert measures.error == pytest.approx(parts)
    wrong = 1 - posterior[np.arange(30), predictions].mean()
    assert measures.error == pytest.approx(wrong)


def test_simulation_equals_fits_by_hand():
    seeds = np.random.RandomState(4).randint(0, 2**31 - 1, size=6)
    X_test, _ = make_trunk(200, random_state=seeds[0])
    predictions = []
    for seed in seeds[1:]:
        X, y = make_trunk(60, random_state=seed)
        predictions.append(DecisionTreeClassifier(random_state=seed).fit(X, y).predict(X_test))
    expected = decompose_error(np.array(predictions), trunk_posterior(X_test))
    found = bias_variance(
        DecisionTreeClassifier(),
        make_trunk,
        60,
        posterior=trunk_posterior,
        n_repeats=5,
        n_test=200,
        random_state=4,
    )
    assert found == expected


def test_bayes_error_of_trunk_is_found():
    measures = bias_variance(
        LogisticRegression(),
        make_trunk,
        500,
        posterior=trunk_posterior,
        n_repeats=3,
        n_test=4000,
        random_state=0,
    )
    assert measures.bayes_error == pytest.approx(0.0436, abs=0.008)
    assert measures.bayes_error < measures.error < measures.bayes_error + 0.01


def test_without_noise_bias_is_the_systematic_effect():
    measures = bias_variance(
        ForestClassifier(5), make_sparse_parity, 100, n_repeats=4, n_test=300, random_state=0
    )
    assert measures.bayes_error == 0
    assert measures.bias == pytest.approx(measures.systematic_effect)
    assert measures.error == pytest.approx(measures.bias + measures.variance_effect)


def test_labels_may_be_text():
    def simulate(n_samples, random_state):
        X, y = make_trunk(n_samples, random_state=random_state)
        return X, np.array(["no", "yes"])[y]

    options = {"posterior": trunk_posterior, "n_repeats": 3, "n_test": 100, "random_state": 0}
    tree = DecisionTreeClassifier(max_depth=3)
    named = bias_variance(tree, simulate, 50, **options)
    assert named == bias_variance(tree, make_trunk, 50, **options)


def test_posterior_of_the_wrong_shape_is_refused():
    with pytest.raises(ValueError, match="a row of 2 probabilities, one for each"):
        bias_variance(
            DecisionTreeClassifier(),
            make_trunk,
            50,
            posterior=lambda X: trunk_posterior(X)[:, 1],
            n_repeats=2,
            n_test=20,
            random_state=0,
        )


@pytest.mark.parametrize(
    ("predictions", "posterior", "message"),
    [
        ([0, 1], [[1.0, 0.0]], "predictions must have shape"),
        ([[2, 0]], [[1.0, 0.0], [0.5, 0.5]], "predictions must be integers from 0 to 1"),
        ([[0.0, 1.0]], [[1.0, 0.0], [0.5, 0.5]], "predictions must be integers"),
        ([[0, 1]], [[1.0, 1.0], [0.5, 0.5]], "posterior must be probabilities"),
    ],
)
def test_wrong_predictions_and_posteriors_are_refused(predictions, posterior, message):
    with pytest.raises(ValueError, match=message):
        decompose_error(predictions, posterior)


class TestHellinger:
    def test_distance_equals_its_definition(self):
        rng = np.random.default_rng(0)
        p, q = rng.dirichlet([1, 2, 3], size=(2, 20))
        expected = [np.sqrt(1 - np.sqrt(a * b).sum()) for a, b in zip(p, q, strict=True)]
        np.testing.assert_allclose(hellinger_distance(p, q), expected)

    def test_shapes_must_agree(self):
        with pytest.raises(ValueError, match=r"p has shape \(2,\)"):
            hellinger_distance([0.5, 0.5], [[0.5, 0.5]])

    def test_rows_must_be_probabilities(self):
        with pytest.raises(ValueError, match="q must be probabilities"):
            hellinger_distance([[0.5, 0.5]], [[0.5, 0.7]])

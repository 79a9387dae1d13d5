"""Windows that ridge regressions combine at each node, against their definition in NumPy."""

import numpy as np
import pytest
from core.invariants import (
    assert_grown_alike,
    assert_samples_end_where_they_are_members,
    noisy_classes,
)
from core.test_windows import grow, make_features
from projections.nodes import describe_node, make_node
from sklearn.base import clone
from sklearn.linear_model import Ridge

import silvan
from silvan import DensityForest, ForestClassifier, ForestRegressor, _core
from silvan.projections import Mixture, RidgeWindows, Windows
from silvan.projections.windows import read_windows

ALL = ("mean", "spread", "slope")
KINDS = {
    "series": {"shapes": [24], "statistics": ALL},
    "several channels": {"shapes": [12, 5, 7], "statistics": ALL, "weights": (1, 2, 3)},
    "circle": {"shapes": [12, 12], "boundary": "wrap", "shift": 2, "statistics": ALL},
    "pairs": {"shapes": [24], "n_patches": 2, "reach": 3},
    "image": {"shapes": [(4, 6)], "max_size": 3, "shift": 1},
}
P = 24


def fit_natively(windows, rows, n_directions=1):
    """Directions that the core fits to a node."""
    return draw_natively(windows, _core.NodeSamples(*rows.values()), n_directions)


def draw_natively(windows, samples, n_directions):
    (indptr, _, coefficients), table = _core.sample_windows(
        windows._to_native(P), _core.NodePlace(3, 0), n_directions, samples
    )
    terms = list(zip(coefficients.tolist(), read_windows(table), strict=True))
    return [terms[indptr[i] : indptr[i + 1]] for i in range(n_directions)]


def draw_unfitted(n_drawn, **options):
    """The windows that a fit with the same seed is offered: it draws them before anything else."""
    return draw_natively(Windows(**options), None, n_drawn)


def make_rows(targets="classes", missing=False, n=90):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, P)).astype(np.float32)
    X[:, 5] = 2.0  # so that some windows are constant
    y = (X[:, :8].sum(axis=1) + rng.normal(size=n) > 8 * 0.2).astype(np.int32)
    if missing:
        X[rng.integers(n, size=3), rng.integers(P, size=3)] = np.nan
    y = y if targets == "classes" else rng.normal(size=(n, 1)) + X[:, 8:9]
    if missing:
        y = np.nan_to_num(y).astype(y.dtype)
    return describe_node(X, y, rng.random(n), rng.integers(0, 3, size=n))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("targets", ["classes", "numbers"])
@pytest.mark.parametrize("missing", [False, True])
def test_the_core_combines_windows_as_the_definition_says(kind, targets, missing):
    windows = RidgeWindows(**KINDS[kind], n_drawn=30, n_terms=6, alpha=0.3, max_samples=None)
    rows = make_rows(targets, missing)
    node = make_node(rows, 1)
    target = np.asarray(node.targets, dtype=np.float64).reshape(len(node.X))
    drawn = draw_unfitted(30, **KINDS[kind])
    expected = windows.combine(drawn, node.X, target, node.weights)
    (came,) = fit_natively(windows, rows)
    assert len(came) == len(expected) >= 6
    for (a, window), (b, other) in zip(came, expected, strict=True):
        assert a == pytest.approx(b, abs=1e-5)
        assert window.scale == pytest.approx(other.scale, rel=1e-5)
        assert window._replace(scale=1.0) == other._replace(scale=1.0)


@pytest.mark.parametrize("alpha", [0.001, 0.1, 10.0])
def test_coefficients_are_those_of_scikit_learn(alpha):
    """Of as many windows as there are draws, so that none is left out."""
    windows = RidgeWindows([24], n_drawn=8, n_terms=8, alpha=alpha, statistics=ALL)
    rows = make_rows()
    (terms,) = fit_natively(windows, rows)
    node = make_node(rows, 1)
    # A window is divided by its scale.
    Z = np.column_stack([window.values(node.X) for _, window in terms])
    np.testing.assert_allclose(np.sqrt(np.cov(Z.T, aweights=node.weights, ddof=0).diagonal()), 1)
    model = Ridge(alpha * node.weights.sum()).fit(Z, node.targets, sample_weight=node.weights)
    expected = model.coef_ / np.linalg.norm(model.coef_)
    np.testing.assert_allclose([c for c, _ in terms], expected, atol=1e-4)
    assert (np.diff(np.abs(expected)) <= 1e-6).all()


def test_the_windows_that_are_kept_correlate_most_with_the_targets():
    windows = RidgeWindows([24], n_drawn=40, n_terms=5, max_size=6)
    rows = make_rows()
    (terms,) = fit_natively(windows, rows)
    node = make_node(rows, 1)
    drawn = [window for ((_, window),) in draw_unfitted(40, shapes=[24], max_size=6)]

    def strength(window):
        values = window.values(node.X)
        centred = values - np.average(values, weights=node.weights)
        deviation = np.sqrt(np.average(centred**2, weights=node.weights))
        if deviation < 1e-6:
            return 0.0
        return abs(np.average(centred / deviation * node.targets, weights=node.weights))

    weakest = min(strength(window) for _, window in terms)
    kept = {window._replace(scale=1.0) for _, window in terms}
    assert all(strength(window) <= weakest + 1e-6 for window in drawn if window not in kept)


def test_groupings_of_the_classes_into_two_are_equally_likely():
    """Three classes at the corners of a triangle: each of the three groupings has its direction."""
    corners = np.array([[0, 0], [4, 0], [2, 3.4641]])
    y = np.repeat(np.arange(3), 30).astype(np.int32)
    noise = np.tile(np.random.default_rng(9).normal(size=(30, 2)), (3, 1))
    X = np.zeros((90, P), dtype=np.float32)
    X[:, :2] = corners[y] + noise
    weights = (1, 1, *[0] * (P - 2))
    windows = RidgeWindows([1] * P, weights=weights, n_drawn=20, n_terms=20)
    drawn = fit_natively(windows, describe_node(X, y), 3000)
    lines = np.zeros((3000, 2))
    for line, terms in zip(lines, drawn, strict=True):
        for coefficient, window in terms:
            line[window.channel] += coefficient / window.scale
    angles = np.degrees(np.arctan2(lines[:, 1], lines[:, 0])) % 180
    # One class against two others lies on one of the axes of the triangle: 30, 90 or 150 degrees.
    _, counts = np.unique((angles // 60).astype(int), return_counts=True)
    assert len(counts) == 3
    assert (np.abs(counts - 1000) < 6 * np.sqrt(3000 * 2 / 9)).all()


def test_repeated_samples_do_not_let_a_node_keep_more_windows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(16, P)).astype(np.float32), np.arange(16, dtype=np.int32) % 2
    windows = RidgeWindows([24], n_drawn=60, n_terms=20)
    rows = describe_node(np.repeat(X, 4, axis=0), np.repeat(y, 4))
    by_definition = [windows.fit_windows(make_node(rows, 1), rng)]
    for fitted in (fit_natively(windows, rows, 3), by_definition):
        assert [len(terms) for terms in fitted] == [8] * len(fitted)


def test_a_fit_looks_at_max_samples_of_a_node():
    """One of each of ten equal stretches: at the ends of the node all are of one class."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, P)).astype(np.float32)
    y = (np.arange(1000) >= 999).astype(np.int32)
    few = RidgeWindows([24], n_drawn=10, n_terms=5, max_samples=10)
    fitted = [len(terms) > 1 for terms in fit_natively(few, describe_node(X, y), 2000)]
    # The single sample of the second class is one of a hundred in its stretch.
    assert abs(np.mean(fitted) - 0.01) < 5 * np.sqrt(0.01 / 2000)
    every = RidgeWindows([24], n_drawn=10, n_terms=5, max_samples=None)
    assert all(len(terms) == 5 for terms in fit_natively(every, describe_node(X, y), 20))


@pytest.mark.parametrize(("per_root", "fewest", "most"), [(2.0, 5, 16), (None, 20, 20)])
def test_small_nodes_keep_fewer_windows(per_root, fewest, most):
    windows = RidgeWindows([24], n_drawn=60, n_terms=20, terms_per_root=per_root)
    kept = []
    for n in (6, 10, 40, 120):
        rows = make_rows(n=n)
        node = make_node(rows, 1)
        (terms,) = fit_natively(windows, rows)
        fitted = windows.fit_windows(node, np.random.default_rng(0))
        assert len(terms) == len(fitted) == windows.count_terms(node.n_samples)
        kept.append(len(terms))
    assert (kept[0], kept[-1]) == (fewest, most)
    assert sorted(kept) == kept


NOTHING = {
    "one sample": lambda X: (X[:1], np.zeros(1, dtype=np.int32)),
    "one class": lambda X: (X, np.zeros(len(X), dtype=np.int32)),
    "a constant output": lambda X: (X, np.ones((len(X), 1))),
    "constant windows": lambda X: (0 * X + 3, np.arange(len(X), dtype=np.int32) % 2),
    "uncorrelated windows": lambda X: (
        np.vstack([X, X]),
        np.repeat([0, 1], len(X)).astype("int32"),
    ),
    "missing windows": lambda X: (0 * X + np.nan, np.arange(len(X), dtype=np.int32) % 2),
}


@pytest.mark.parametrize("case", NOTHING)
def test_a_node_with_nothing_to_fit_gets_the_window_drawn_first(case):
    X, y = NOTHING[case](np.random.default_rng(0).normal(size=(20, P)).astype(np.float32))
    windows = RidgeWindows([24], n_drawn=10, n_terms=4, statistics=ALL)
    rows = describe_node(X, y)
    first = draw_unfitted(10, **KINDS["series"])[0]
    assert fit_natively(windows, rows) == [first]
    drawn = draw_unfitted(10, **KINDS["series"])
    node = make_node(rows, 1)
    if len(np.unique(y)) > 1 and np.isfinite(X).all():
        assert windows.combine(drawn, node.X, y.astype(float), node.weights) == first


@pytest.mark.parametrize("factor", [1e-37, 1e37])
def test_values_at_the_ends_of_floats_give_finite_terms(factor):
    X = (factor * np.random.default_rng(0).normal(size=(30, P))).astype(np.float32)
    y = np.arange(30, dtype=np.int32) % 2
    windows = RidgeWindows([24], n_drawn=20, n_terms=8, statistics=ALL)
    for terms in fit_natively(windows, describe_node(X, y), 10):
        assert np.isfinite([c for c, _ in terms]).all()
        assert all(0 < window.scale < np.inf for _, window in terms)


@pytest.mark.parametrize("features", ["normal", "uint8", "missing", "whole", "offset"])
def test_forests_do_not_depend_on_threads_layouts_and_instructions(features):
    windows = RidgeWindows([20, 10], n_drawn=20, n_terms=5, statistics=ALL)
    rng = np.random.default_rng(0)
    X = make_features(rng, 400, 30, features)
    y = noisy_classes(rng, X)
    assert_grown_alike(grow, X, y, windows._to_native(30))
    forest = ForestClassifier(4, projections=windows, max_features=2, random_state=0).fit(X, y)
    assert max(len(forest.forest_.windows(node)) for node in range(5)) == 5
    assert_samples_end_where_they_are_members(forest, X)


def test_each_split_divides_by_the_sum_of_its_windows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, P)).astype(np.float32)
    y = (X[:, :6].mean(axis=1) > X[:, 12:20].std(axis=1) - 1).astype(int)
    windows = RidgeWindows([24], n_drawn=30, n_terms=6, statistics=ALL)
    options = {"bootstrap": False, "max_depth": 1, "max_features": 2, "random_state": 0}
    forest = ForestClassifier(5, projections=windows, **options).fit(X, y)
    arrays = forest.forest_
    for tree in range(5):
        root = int(arrays.tree_offsets[tree])
        values = sum(c * window.values(X) for c, window in arrays.windows(root))
        margin = np.abs(values - arrays.threshold[root]) > 1e-5
        left = forest.apply(X)[:, tree] == 1
        np.testing.assert_array_equal(left[margin], (values <= arrays.threshold[root])[margin])
        assert margin.mean() > 0.95


def test_combinations_separate_what_single_windows_do_not():
    """Classes differ a little in each of 40 places: a window sees one of them, a fit many."""
    rng = np.random.default_rng(0)
    shape = np.tile([1, -1], 20)
    y = rng.integers(2, size=600)
    X = rng.normal(size=(600, 40)) + 0.3 * (2 * y[:, None] - 1) * shape
    options = {"bootstrap": False, "random_state": 0}
    single = ForestClassifier(60, projections=Windows([40], max_size=8), **options)
    fitted = ForestClassifier(
        60, projections=RidgeWindows([40], max_size=8), max_features=1, **options
    )
    scores = [forest.fit(X[:200], y[:200]).score(X[200:], y[200:]) for forest in (single, fitted)]
    assert scores[1] > scores[0] + 0.03


def test_numbers_are_regressed_on():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 40))
    y = X[:, :20].sum(axis=1) - X[:, 20:].sum(axis=1)
    windows = RidgeWindows([40], max_size=20)
    forest = ForestRegressor(30, projections=windows, max_features=1, random_state=0)
    assert forest.fit(X[:200], y[:200]).score(X[200:], y[200:]) > 0.7


def test_forests_are_saved_and_joined_with_their_scales(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, P)), rng.integers(3, size=150)
    windows = RidgeWindows([12, 12], n_drawn=12, n_terms=4, statistics=ALL)
    forest = ForestClassifier(4, projections=windows, max_features=2, random_state=0).fit(X, y)
    forest.save(tmp_path / "forest.safetensors")
    again = silvan.load(tmp_path / "forest.safetensors")
    assert again.projections_ == windows
    np.testing.assert_array_equal(again.predict_proba(X), forest.predict_proba(X))
    assert len(set(again.forest_.window_scale.tolist())) > 20
    more = clone(forest).set_params(n_estimators=2, warm_start=True).fit(X, y)
    more.set_params(n_estimators=4).fit(X, y)
    np.testing.assert_array_equal(more.predict_proba(X), forest.predict_proba(X))


def test_a_mixture_may_have_windows_and_fits():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, P)), rng.integers(2, size=100)
    fits = RidgeWindows([24], n_drawn=10, n_terms=3)
    mixture = Mixture([(Windows([24]), 1.0), (fits, 1.0)])
    forest = ForestClassifier(10, projections=mixture, random_state=0).fit(X, y)
    inner = np.flatnonzero(forest.forest_.left >= 0)
    assert {len(forest.forest_.windows(int(node))) for node in inner} == {1, 3}


WRONG = {
    "n_drawn must be an integer from 1 to 100000, but it is 0": {"n_drawn": 0},
    r"n_terms must be an integer from 1 to n_drawn \(200\), but it is 201": {"n_terms": 201},
    "terms_per_root must be a finite number above 0, or None, but it is 0": {"terms_per_root": 0},
    "alpha must be a finite number above 0, but it is 0": {"alpha": 0},
    "max_samples must be an integer >= 2 or None, but it is 1": {"max_samples": 1},
    "statistics must be one of": {"statistics": ("median",)},
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_parameters_are_refused(message):
    X, y = np.zeros((10, 8)), np.arange(10) % 2
    with pytest.raises(ValueError, match=message):
        ForestClassifier(2, projections=RidgeWindows([8], **WRONG[message])).fit(X, y)


def test_forests_without_targets_refuse_fits_to_targets():
    X, y = np.random.default_rng(0).normal(size=(50, 8)), np.arange(50) % 2
    with pytest.raises(ValueError, match=r"\(RidgeWindows does\)"):
        DensityForest(4, projections=RidgeWindows([8])).fit(X)
    with pytest.raises(ValueError, match="a distribution that does not read targets"):
        ForestClassifier(4, projections=RidgeWindows([8]), thresholds="agnostic").fit(X, y)


@pytest.mark.parametrize("statistics", ALL)
def test_rounding_errors_take_no_part(statistics):
    """Of series of mean 0 the mean, of single cells the spread, of flat stretches the slope."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, P))
    if statistics == "mean":
        X -= X.mean(axis=1, keepdims=True)
    else:
        X[:, :12] = rng.normal(size=(60, 1))
    y = rng.integers(2, size=60).astype(np.int32)
    sizes = {"mean": (P, P), "spread": (1, 1), "slope": (6, 6)}[statistics]
    windows = RidgeWindows([P], *sizes, "inside", statistics=(statistics,), n_drawn=40, n_terms=40)
    for terms in fit_natively(windows, describe_node(X.astype(np.float32), y), 20):
        # A single window with scale 1 is the fallback.
        assert len(terms) == 1 or min(window.scale for _, window in terms) > 1e-3
        assert statistics == "slope" or terms[0][1].scale == 1

"""The search by out-of-bag score: what it chooses, what it shares, what it refuses."""

import io
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils.estimator_checks import parametrize_with_checks

from silvan import ForestClassifier, ForestRegressor, ManifoldForestClassifier
from silvan.datasets import make_sparse_parity, make_trunk
from silvan.projections import (
    AxisAligned,
    Patches,
    RandomRotation,
    SparseSigns,
    UniformCombinations,
    UnitFree,
)
from silvan.tuning import OutOfBagSearch, direction_grid, patch_grid
from silvan.tuning.race import count_trees, plan_rounds

# The checks of scikit-learn know no seed but that of the outermost estimator.
SMALL_GRID = {"max_features": [1, 2]}
GRID = {
    "max_features": [1, 4, 12],
    "projections": [AxisAligned(), SparseSigns(mean_nonzeros=3)],
}


@pytest.fixture(scope="module")
def parity():
    return make_sparse_parity(300, n_features=6, random_state=0)


def grown_alone(forest, X, y, **params):
    return clone(forest).set_params(oob_score=True, **params).fit(X, y)


def assert_same_trees(one, other):
    for name in ("left", "threshold", "direction_indices", "direction_coefficients", "values"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@parametrize_with_checks(
    [
        OutOfBagSearch(ForestClassifier(30, random_state=0), SMALL_GRID, min_trees=10),
        OutOfBagSearch(ForestRegressor(30, random_state=0), SMALL_GRID, min_trees=10),
    ]
)
def test_searches_keep_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def test_without_a_race_the_best_out_of_bag_score_wins(parity):
    X, y = parity
    forest = ForestClassifier(40, random_state=3)
    search = OutOfBagSearch(forest, GRID, factor=None).fit(X, y)
    scores = [grown_alone(forest, X, y, **params).oob_score_ for params in ParameterGrid(GRID)]
    np.testing.assert_array_equal(search.results_["oob_score"], scores)
    assert search.best_score_ == max(scores)
    assert search.best_index_ == int(np.argmax(scores))
    assert search.results_["rank"][search.best_index_] == 1
    assert set(search.results_["n_trees"]) == {40}


def test_the_winner_is_the_forest_of_a_single_fit(parity):
    X, y = parity
    forest = ForestClassifier(50, random_state=3)
    search = OutOfBagSearch(forest, GRID, min_trees=7).fit(X, y)
    alone = grown_alone(forest, X, y, **search.best_params_)
    assert_same_trees(search.best_estimator_.forest_, alone.forest_)
    np.testing.assert_array_equal(search.predict_proba(X), alone.predict_proba(X))
    np.testing.assert_array_equal(
        search.best_estimator_.oob_decision_function_, alone.oob_decision_function_
    )
    assert search.best_score_ == alone.oob_score_
    assert search.score(X, y) == alone.score(X, y)


@pytest.mark.filterwarnings("ignore:.*no out-of-bag prediction")
def test_each_round_keeps_those_with_the_best_scores(parity):
    X, y = parity
    forest = ForestClassifier(40, random_state=3)
    search = OutOfBagSearch(forest, GRID, min_trees=10, factor=2).fit(X, y)
    racing = list(ParameterGrid(GRID))
    for kept, trees in ((3, 10), (2, 20), (1, 40)):
        scores = [
            grown_alone(forest, X, y, n_estimators=trees, **params).oob_score_ for params in racing
        ]
        best_first = np.argsort(-np.array(scores), kind="stable")
        racing = [racing[i] for i in best_first[:kept]]
    assert search.best_params_["max_features"] == racing[0]["max_features"]
    assert type(search.best_params_["projections"]) is type(racing[0]["projections"])
    assert sorted(search.results_["n_trees"]) == [10, 10, 10, 20, 40, 40]


def test_rounds_divide_candidates_and_multiply_trees():
    assert plan_rounds(20, 500, 20, 3) == [(20, 20), (7, 60), (3, 180), (1, 500)]
    assert plan_rounds(20, 100, 20, 3) == [(20, 20), (7, 60), (3, 100)]
    assert plan_rounds(20, 100, 20, None) == [(20, 100)]
    assert plan_rounds(1, 100, 20, 3) == [(1, 100)]
    assert plan_rounds(5, 10, 20, 3) == [(5, 10)]
    assert count_trees([(20, 20), (7, 60), (3, 100)]) == 400 + 280 + 120


def test_candidates_with_other_rows_are_right_too(parity):
    X, y = parity
    grid = {"max_samples": [0.3, 0.9], "scaling": [None, "rank"], "voting": ["soft", "hard"]}
    forest = ForestClassifier(30, random_state=1)
    search = OutOfBagSearch(forest, grid, factor=None).fit(X, y)
    scores = [grown_alone(forest, X, y, **params).oob_score_ for params in ParameterGrid(grid)]
    np.testing.assert_array_equal(search.results_["oob_score"], scores)


def test_rows_are_read_once_for_all_that_can_share_them(parity, monkeypatch):
    X, y = parity
    reads = []
    read = ForestClassifier._read_samples
    monkeypatch.setattr(
        ForestClassifier,
        "_read_samples",
        lambda self, *rest: reads.append(self.max_samples) or read(self, *rest),
    )
    OutOfBagSearch(ForestClassifier(20, random_state=0), GRID).fit(X, y)
    assert reads == [None]
    OutOfBagSearch(
        ForestClassifier(20, random_state=0), {"max_samples": [0.5, 0.9], "max_features": [1, 2]}
    ).fit(X, y)
    assert sorted(reads[1:]) == [0.5, 0.9]
    images = np.random.default_rng(0).normal(size=(40, 4, 4))
    patches = {"max_size": [2, 3], "n_patches": [1, 2], "reach": [1, 2], "coefficients": ["signs"]}
    manifold = ManifoldForestClassifier(20, channels="raw", random_state=0)
    OutOfBagSearch(manifold, patches).fit(images, y[:40])
    assert len(reads) == 4


def test_without_a_seed_candidates_still_draw_the_same_rows(parity):
    X, y = parity
    same = {"max_features": [2, 2, 2]}
    search = OutOfBagSearch(ForestClassifier(60), same, factor=None).fit(X, y)
    assert len(set(search.results_["oob_score"])) == 1
    assert search.best_index_ == 0


def test_the_search_does_not_depend_on_the_number_of_threads(parity):
    X, y = parity
    one, two = (
        OutOfBagSearch(ForestClassifier(30, random_state=0, n_jobs=n), GRID).fit(X, y)
        for n in (1, 2)
    )
    np.testing.assert_array_equal(one.results_["oob_score"], two.results_["oob_score"])
    assert_same_trees(one.best_estimator_.forest_, two.best_estimator_.forest_)


def test_regression_and_scores_of_ones_own():
    X, _ = make_trunk(200, n_features=5, random_state=0)
    target = X[:, 0] + 2.0 * X[:, 1]
    search = OutOfBagSearch(ForestRegressor(60, random_state=0), {"max_features": [1, 5]})
    assert search.fit(X, target).best_params_ == {"max_features": 5}
    assert not hasattr(search, "predict_proba")
    upside_down = ForestRegressor(
        60, random_state=0, oob_score=lambda true, guess: np.mean((true - guess) ** 2)
    )
    worst = OutOfBagSearch(upside_down, {"max_features": [1, 5]}).fit(X, target)
    assert worst.best_params_ == {"max_features": 1}


def test_weights_reach_the_forests(parity):
    X, y = parity
    weight = (np.arange(len(y)) % 3).astype(float)
    search = OutOfBagSearch(ForestClassifier(80, random_state=0), {"max_features": [2]})
    search.fit(X, y, sample_weight=weight)
    alone = ForestClassifier(80, max_features=2, random_state=0).fit(X, y, sample_weight=weight)
    assert_same_trees(search.best_estimator_.forest_, alone.forest_)


def test_the_grid_of_the_thesis():
    assert direction_grid(RandomRotation(), 81) == {"max_features": [3, 9, 27, 81]}
    assert direction_grid(AxisAligned(), 1) == {"max_features": [1]}
    grid = direction_grid(None, 4)
    assert grid["max_features"] == [1, 2, 3, 4, 16]
    assert all(isinstance(distribution, UnitFree) for distribution in grid["projections"])
    nonzeros = [distribution.distribution.mean_nonzeros for distribution in grid["projections"]]
    assert nonzeros == [1, 2, 3, 4]
    dense = direction_grid(SparseSigns(density=0.5, counts="poisson"), 9, max_directions=20)
    assert dense["max_features"] == [2, 3, 5, 9, 20]
    assert {distribution.counts for distribution in dense["projections"]} == {"poisson"}
    assert {distribution.density for distribution in dense["projections"]} == {None}
    combinations = direction_grid(UniformCombinations(), 9, nonzeros=(2, 3))
    assert [distribution.n_features for distribution in combinations["projections"]] == [2, 3]
    assert direction_grid(SparseSigns(), 1, nonzeros=[3])["projections"][0].mean_nonzeros == 1
    assert direction_grid(Patches((3, 3)), 9) == {"max_features": [2, 3, 5, 9]}


def test_the_default_grid_follows_the_estimator(parity):
    X, y = parity
    search = OutOfBagSearch(
        ForestClassifier(20, projections=AxisAligned(), random_state=0), max_directions=5
    ).fit(X, y)
    assert search.results_["param_max_features"] == [2, 4, 5, 4, 5]
    assert search.results_["param_thresholds"] == [None, None, None, "random", "random"]
    images = np.random.default_rng(0).normal(size=(40, 4, 4))
    manifold = OutOfBagSearch(
        ManifoldForestClassifier(20, random_state=0), {"max_size": [1, 3], "max_features": [2]}
    ).fit(images, np.arange(40) % 2)
    assert manifold.predict(images).shape == (40,)


def test_manifold_forests_have_a_default_grid():
    rng = np.random.default_rng(0)
    images, y = rng.normal(size=(60, 12, 16)), np.arange(60) % 2
    images[y == 1, :3, :3] += 1.0
    raw = ManifoldForestClassifier(30, channels="raw", random_state=0)
    search = OutOfBagSearch(raw).fit(images, y)
    tried = search.results_
    assert sorted(set(tried["param_max_size"]), key=str) == [(3, 4), 1, 3]
    assert set(tried["param_n_patches"]) == {1, 2}
    assert set(tried["param_max_features"]) == {14, 52, 192}
    alone = raw.set_params(**search.best_params_).fit(images, y)
    np.testing.assert_array_equal(search.predict_proba(images), alone.predict_proba(images))


@pytest.mark.parametrize("shape", [(40,), (12, 16)])
def test_forests_with_channels_have_a_default_grid(shape):
    X, y = np.random.default_rng(0).normal(size=(60, *shape)), np.arange(60) % 2
    X[y == 1, :5] += 1.0
    forest = ManifoldForestClassifier(30, random_state=0)
    search = OutOfBagSearch(forest, min_trees=10).fit(X, y)
    tried = search.results_
    assert len(set(tried["param_max_size"])) > 1
    assert tried["params"].count({}) == 1  # the forest as it is
    assert (None in tried["param_max_size"]) or len(shape) > 1
    varied = "statistics" if len(shape) == 1 else "shift"
    assert len(set(tried[f"param_{varied}"]) - {None}) == 2
    alone = forest.set_params(oob_score=True, **search.best_params_).fit(X, y)
    np.testing.assert_array_equal(search.predict_proba(X), alone.predict_proba(X))


def test_the_grid_of_patches_keeps_to_the_axes():
    channels = Patches((3, 40), min_size=(2, 4), contiguous=(False, True))
    assert patch_grid(channels)["max_size"] == [(3, 4), (3, 5), (3, 10)]
    assert patch_grid(Patches((2, 50)))["max_size"] == [1, (2, 3), (2, 6), (2, 12)]
    grid = patch_grid(Patches(16), max_directions=10)
    assert grid == {"max_features": [4, 8, 10], "max_size": [1, 3, 4], "n_patches": [1, 2]}
    for size in patch_grid(channels)["max_size"]:
        Patches((3, 40), (2, 4), size, contiguous=(False, True)).validate(120)
    with pytest.raises(ValueError, match=r"patches must be a silvan\.projections\.Patches"):
        patch_grid((8, 8))


@pytest.mark.filterwarnings("ignore:.*no out-of-bag prediction")
def test_the_default_grid_is_bounded_by_its_cost():
    X, y = make_trunk(2500, n_features=60, random_state=0)
    search = OutOfBagSearch(ForestClassifier(1, random_state=0), min_trees=1).fit(X, y)
    assert set(search.results_["param_max_features"]) == {3, 8, 22, 60, 100}
    # Never less than four times what the forest itself draws.
    wide = ForestClassifier(1, max_features=40, random_state=0)
    search = OutOfBagSearch(wide, min_trees=1).fit(X, y)
    assert max(search.results_["param_max_features"]) == 160
    search = OutOfBagSearch(wide, min_trees=1, max_directions=None).fit(X[:60], y[:60])
    assert max(search.results_["param_max_features"]) == 3600


def test_only_the_last_round_complains_of_too_few_trees(parity):
    X, y = parity
    OutOfBagSearch(ForestClassifier(80, random_state=0), GRID, min_trees=2).fit(X, y)
    with pytest.warns(UserWarning, match="no out-of-bag prediction") as complaints:
        OutOfBagSearch(ForestClassifier(4, random_state=0), GRID, min_trees=2).fit(X, y)
    assert len(complaints) == 1


def test_the_bar_counts_trees_to_the_end(parity, capsys):
    X, y = parity
    OutOfBagSearch(ForestClassifier(40, random_state=0), GRID, min_trees=10, verbose=1).fit(X, y)
    total = count_trees(plan_rounds(6, 40, 10, 3))
    assert f"{total}/{total} trees, took" in capsys.readouterr().err


def test_the_time_left_does_not_rise_with_the_directions(parity, monkeypatch):
    clock = [0.0]
    grow_on = ForestClassifier._grow_on

    def grow_slowly(self, rows, earlier):
        n_new = self.n_estimators - (0 if earlier is None else earlier.n_trees)
        clock[0] += n_new * (0.01 + 0.001 * self.max_features)
        grow_on(self, rows, earlier)

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(ForestClassifier, "_grow_on", grow_slowly)
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])
    monkeypatch.setattr("sys.stderr", screen := Terminal())
    grid = {"max_features": [1, 5, 25, 125, 625], "min_samples_leaf": [1, 5]}
    OutOfBagSearch(ForestClassifier(60, random_state=0), grid, verbose=1).fit(*parity)
    left = re.findall(r"(?:(\d+) min )?([\d.]+) s left", screen.getvalue())
    seconds = np.array([60 * int(minutes or 0) + float(rest) for minutes, rest in left])
    assert len(seconds) > 10
    assert (seconds[1:] <= 1.02 * np.minimum.accumulate(seconds)[:-1]).all()
    assert seconds[0] >= 0.9 * clock[0] - 20 * (0.01 + 0.625)


@pytest.mark.parametrize(
    ("search", "message"),
    [
        (OutOfBagSearch(AxisAligned()), "estimator must be a forest of silvan"),
        (OutOfBagSearch(ForestClassifier(), min_trees=0), "min_trees must be an integer >= 1"),
        (
            OutOfBagSearch(ForestClassifier(), max_directions="all"),
            'max_directions must be an integer >= 1, "auto" or None',
        ),
        (OutOfBagSearch(ForestClassifier(), factor=1), "factor must be an integer >= 2 or None"),
        (
            OutOfBagSearch(ForestClassifier(), {"n_estimators": [10, 20]}),
            "param_grid must be without n_estimators",
        ),
        (
            OutOfBagSearch(ForestClassifier(bootstrap=False), GRID),
            "bootstrap must be True, or max_samples be set",
        ),
        (
            OutOfBagSearch(ForestClassifier(), {"max_features": [2, -1]}),
            "max_features must be an integer >= 1",
        ),
        (
            OutOfBagSearch(ForestClassifier(), {"projections": [SparseSigns(density=2.0)]}),
            "density must be a number in",
        ),
    ],
)
def test_mistakes_are_refused_before_any_tree_is_grown(search, message, parity, monkeypatch):
    X, y = parity
    monkeypatch.setattr(ForestClassifier, "_read_samples", None)
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        search.fit(X, y)
    assert not hasattr(search, "best_estimator_")

"""Importance maps count and credit what the splits of a forest use."""

import numpy as np
import pytest
from scipy.sparse import diags_array
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError

from silvan import (
    ForestClassifier,
    ForestRegressor,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
)
from silvan.datasets import make_bars, make_trunk
from silvan.forests.importances import class_gains, class_weights, nodes_of, split_gains
from silvan.inspection import background_share, grid_of, importance_map, projection_counts
from silvan.projections import (
    AxisAligned,
    GraphNeighborhoods,
    Mixture,
    Patches,
    RandomRotation,
    SparseSigns,
)

PATCHES = Patches((8, 8), max_size=4)
DISTRIBUTIONS = [
    AxisAligned(),
    SparseSigns(mean_nonzeros=3),
    RandomRotation(),
    PATCHES,
    Patches((8, 8), coefficients="normal"),
    Patches((4, 16), contiguous=(False, True)),
    Mixture([(AxisAligned(), 1.0), (PATCHES, 2.0)]),
]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:200].astype(np.uint8), y[:200]


@pytest.fixture(scope="module")
def forest(digits):
    return ForestClassifier(6, projections=PATCHES, random_state=0).fit(*digits)


def fit(distribution, digits, **parameters):
    return ForestClassifier(3, projections=distribution, random_state=0, **parameters).fit(*digits)


class TestCounts:
    @pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
    def test_counts_are_those_of_a_loop_over_all_splits(self, distribution, digits):
        forest = fit(distribution, digits)
        expected = np.zeros(64, dtype=int)
        for direction in forest.forest_.directions().toarray():
            for feature, weight in enumerate(direction):
                expected[feature] += weight != 0
        counts = projection_counts(forest)
        assert counts.dtype == np.int64
        np.testing.assert_array_equal(counts, expected)
        shares = projection_counts(forest, normalize=True)
        np.testing.assert_allclose(shares, expected / expected.sum())
        np.testing.assert_allclose(importance_map(forest).ravel(), shares)

    def test_gains_are_those_of_a_loop_over_all_splits(self, forest):
        arrays = forest.forest_
        expected = np.zeros(64)
        for tree in range(arrays.n_trees):
            nodes, credit = nodes_of(arrays, tree), np.zeros(64)
            gains = split_gains(arrays)[nodes]
            for gain, direction in zip(gains, arrays.directions(tree).toarray(), strict=True):
                if gain:
                    credit += gain * np.abs(direction) / np.abs(direction).sum()
            expected += credit / credit.sum() / arrays.n_trees
        np.testing.assert_allclose(importance_map(forest, "gain").ravel(), expected)
        np.testing.assert_allclose(forest.feature_importances_, expected)


class TestShape:
    @pytest.mark.parametrize("kind", ["counts", "gain"])
    def test_maps_have_the_shape_of_the_data_and_sum_to_one(self, kind, digits):
        X, y = digits
        for Forest in (ManifoldForestClassifier, ManifoldForestRegressor):
            forest = Forest(3, random_state=0).fit(X.reshape(-1, 2, 4, 8), y)
            importance = importance_map(forest, kind)
            assert importance.shape == (2, 4, 8)
            assert importance.sum() == pytest.approx(1)
            assert importance.min() >= 0

    def test_shape_comes_from_the_patches_wherever_they_are(self, digits):
        nested = Mixture([(AxisAligned(), 1.0), (Mixture([(PATCHES, 1.0)]), 1.0)])
        for distribution in (PATCHES, nested, Patches([8, 8], shuffled=True)):
            assert importance_map(fit(distribution, digits)).shape == (8, 8)
        assert grid_of(fit(nested, digits)) == PATCHES
        assert grid_of(fit(AxisAligned(), digits)) is None

    def test_forests_without_a_grid_have_flat_maps_unless_told(self, digits):
        forest = fit(SparseSigns(), digits)
        assert importance_map(forest).shape == (64,)
        assert importance_map(forest, shape=(8, 8)).shape == (8, 8)
        assert importance_map(forest, shape=64).shape == (64,)
        graph = diags_array([1.0] * 63, offsets=1, shape=(64, 64))
        assert importance_map(fit(GraphNeighborhoods(graph), digits)).shape == (64,)

    def test_forest_without_splits_has_no_importance(self):
        forest = ManifoldForestClassifier(3).fit(np.ones((10, 3, 3)), np.arange(10) % 2)
        for kind in ("counts", "gain"):
            for per_class in (False, True):
                assert not importance_map(forest, kind, per_class=per_class).any()


class TestClasses:
    @pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
    @pytest.mark.parametrize("class_weight", [None, {3: 5.0}])
    def test_class_gains_add_up_to_the_gain_of_every_split(self, criterion, class_weight, digits):
        forest = fit(PATCHES, digits, criterion=criterion, class_weight=class_weight)
        arrays = forest.forest_
        name = "gini" if criterion == "gini" else "entropy"
        for tree in range(arrays.n_trees):
            gains = class_gains(arrays, tree, name)
            nodes = nodes_of(arrays, tree)
            expected = split_gains(arrays)[nodes]
            scale = gains.sum(axis=1).sum() / expected.sum()  # units of entropy
            assert name == "entropy" or scale == pytest.approx(1, rel=1e-5)
            np.testing.assert_allclose(gains.sum(axis=1), scale * expected, rtol=1e-4, atol=1e-3)
            weights = class_weights(arrays, tree)
            np.testing.assert_allclose(weights.sum(axis=1), arrays.weight[nodes])

    def test_class_weights_of_nodes_are_those_of_the_rows_that_pass_them(self, digits):
        X, y = digits
        forest = ForestClassifier(2, bootstrap=False, max_depth=4, random_state=0).fit(X, y)
        arrays = forest.forest_
        for tree in range(2):
            left = arrays.left[nodes_of(arrays, tree)]
            expected = np.zeros((len(left), 10))
            parent = {child: n for n in np.flatnonzero(left >= 0) for child in left[n] + [0, 1]}
            for node, label in zip(forest.apply(X)[:, tree], y, strict=True):
                while node is not None:
                    expected[node, label] += 1
                    node = parent.get(node)
            np.testing.assert_allclose(class_weights(arrays, tree), expected, atol=1e-9)

    @pytest.mark.parametrize("kind", ["counts", "gain"])
    @pytest.mark.parametrize("criterion", ["gini", "entropy"])
    def test_maps_of_the_classes_add_up_to_the_whole(self, kind, criterion, digits):
        forest = fit(PATCHES, digits, criterion=criterion)
        parts = importance_map(forest, kind, per_class=True)
        assert parts.shape == (10, 8, 8)
        assert parts.min() >= 0
        np.testing.assert_allclose(parts.sum(axis=0), importance_map(forest, kind), atol=1e-6)

    def test_map_of_a_class_lies_where_it_differs_from_the_others(self):
        rng = np.random.default_rng(0)
        y = rng.integers(3, size=300)
        X = rng.normal(size=(300, 12, 12))
        corners = {0: np.s_[1:5, 1:5], 1: np.s_[7:11, 1:5]}
        for label, corner in corners.items():
            X[y == label, *corner] += 1.5
        forest = ManifoldForestClassifier(30, max_size=5, random_state=0).fit(X, y)
        maps = importance_map(forest, "gain", per_class=True)
        own = {label: maps[label][corner].sum() for label, corner in corners.items()}
        assert own[0] > 2 * maps[0][corners[1]].sum()
        assert own[1] > 2 * maps[1][corners[0]].sum()

    def test_two_classes_share_gini_equally(self, digits):
        X, y = digits
        forest = ManifoldForestClassifier(5, shape=(8, 8), random_state=0).fit(X, y % 2)
        first, second = importance_map(forest, "gain", per_class=True)
        np.testing.assert_allclose(first, second, atol=1e-12)


class TestInformativeCells:
    def test_patch_forest_looks_at_the_informative_cells(self):
        rng = np.random.default_rng(0)
        y = rng.integers(2, size=300)
        X = rng.normal(size=(300, 10, 10))
        X[y == 1, 2:5, 5:9] += 1
        forest = ManifoldForestClassifier(50, channels="raw", random_state=0).fit(X, y)
        for kind in ("counts", "gain"):
            importance = importance_map(forest, kind)
            assert importance[2:5, 5:9].mean() > 2 * importance.mean()

    def test_all_cells_of_bars_matter_alike_inside(self):
        X, y = make_bars(200, shape=(12, 12), rate=3, random_state=0)
        forest = ManifoldForestClassifier(
            100, channels="raw", shape=(12, 12), max_size=3, random_state=0
        )
        importance = importance_map(forest.fit(X, y))[2:-2, 2:-2]
        assert importance.max() < 3 * importance.min()

    def test_the_borders_of_digits_matter_less_for_patches_than_for_scattered_pixels(self):
        X, y = load_digits(return_X_y=True)
        patches = ManifoldForestClassifier(50, channels="raw", shape=(8, 8), random_state=0)
        patches.fit(X, y)
        scattered = ForestClassifier(50, projections=SparseSigns(), random_state=0).fit(X, y)
        shares = [
            background_share(importance_map(forest), X, tolerance=0.05)
            for forest in (patches, scattered)
        ]
        assert 0 < shares[0] < shares[1]


class TestBackgroundShare:
    def test_share_is_that_of_the_constant_features(self):
        X = np.array([[0, 1, 7], [0, 2, 7], [0, 3, 7]])
        assert background_share([0.25, 0.5, 0.25], X) == 0.5
        assert background_share([1, 2, 1], X) == 0.5
        assert background_share([[0.25], [0.5], [0.25]], X.reshape(3, 3, 1)) == 0.5
        assert background_share([0, 1, 0], X.tolist()) == 0

    def test_axis_aligned_splits_never_use_the_background(self, digits):
        assert background_share(importance_map(fit(AxisAligned(), digits)), digits[0]) == 0
        assert background_share(importance_map(fit(SparseSigns(), digits)), digits[0]) > 0.01

    def test_tolerance_admits_features_that_seldom_vary(self):
        X = np.zeros((100, 3))
        X[:3, 0], X[:10, 1], X[:60, 2] = 1, 1, 1
        shares = [background_share([0.2, 0.3, 0.5], X, tolerance=t) for t in (0, 0.03, 0.2, 0.45)]
        assert shares == pytest.approx([0, 0.2, 0.5, 1.0])

    def test_missing_values_are_no_background(self):
        X = np.array([[0.0, np.nan], [0.0, 1.0]])
        assert background_share([0.5, 0.5], X) == 0.5


class TestErrors:
    def test_what_is_no_fitted_forest_is_refused(self):
        with pytest.raises(NotFittedError, match="not fitted"):
            importance_map(ForestClassifier())
        with pytest.raises(TypeError, match="forest must be a forest of this library"):
            projection_counts("forest")

    def test_bad_parameters_are_refused(self, forest):
        with pytest.raises(ValueError, match="kind must be one of 'counts', 'gain', but it is 'g'"):
            importance_map(forest, "g")
        with pytest.raises(ValueError, match=r"shape \(8, 9\) has 72 cells but the forest has 64"):
            importance_map(forest, shape=(8, 9))
        with pytest.raises(ValueError, match="per_class must be True or False"):
            importance_map(forest, per_class="all")
        regressor = ForestRegressor(2).fit(*make_trunk(20, random_state=0))
        with pytest.raises(ValueError, match="per_class must be False for a regressor"):
            importance_map(regressor, per_class=True)

    def test_background_needs_rows_that_match_the_importance(self):
        X = np.zeros((5, 4))
        with pytest.raises(ValueError, match=r"importance has 3 values but X has shape \(5, 4\)"):
            background_share(np.ones(3), X)
        for importance in (np.zeros(4), [1, 1, 1, -1], [1, 1, 1, np.nan]):
            with pytest.raises(ValueError, match="importance must be finite, >= 0 and not all"):
                background_share(importance, X)
        with pytest.raises(ValueError, match=r"tolerance must be a number in \[0, 0\.5\)"):
            background_share(np.ones(4), X, tolerance=0.5)

"""Windows that trees share: forests on them, against forests on a table of their values."""

import numpy as np
import pytest
from channels.test_forests import make_images, make_series
from projections.nodes import describe_node, make_node

from silvan import ForestClassifier, ManifoldForestClassifier, ManifoldForestRegressor, _core
from silvan.forests.fitting import draw_seed
from silvan.forests.grid_defaults import default_pool_size
from silvan.projections import AxisAligned, RidgeWindows
from silvan.projections.windows import read_windows

GROWN = ("left", "threshold", "n_samples", "values")


def pool_of(forest, size, seed=0, number=0):
    """The directions that nodes of some trees choose among, by their terms."""
    native = forest.windows()._to_native(forest.channels_.layout.n_cells)
    indptr, coefficients, table = _core.sample_pool(native, size, draw_seed(seed), number)
    terms = list(zip(coefficients.tolist(), read_windows(table), strict=True))
    return [terms[indptr[i] : indptr[i + 1]] for i in range(size)]


def values_of(forest, pool, X):
    """The value of each direction for each sample, by the definition of windows."""
    cells = forest.channels_.transform(X.reshape(len(X), -1))
    layout = forest.channels_.layout
    wraps = [axis.boundary == "wrap" for axis in forest.windows()._channels()[0]]
    columns = np.zeros((len(X), len(pool)))
    for column, terms in zip(columns.T, pool, strict=True):
        for coefficient, window in terms:
            own = cells[:, layout.cells(window.channel)]
            on_grid = own.reshape(len(X), *layout.shapes[window.channel])
            column += coefficient * window.values(on_grid, wraps).astype(np.float32)
    return columns.astype(np.float32)


KINDS = {
    "images that shift": (make_images, {}),
    "pairs": (make_images, {"n_patches": 2}),
    "single windows of series": (make_series, {"n_terms": 1}),
    "a circle": (make_series, {"n_terms": 1, "boundary": "wrap", "thresholds": "best"}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_forest_grows_as_on_a_table_of_the_values_of_its_pool(kind):
    make, options = KINDS[kind]
    X, y = make(n=120)
    forest = ManifoldForestClassifier(8, pool_size=200, random_state=0, **options).fit(X, y)
    d = forest._growth(forest._sampling.plan)[1].n_directions
    table = ForestClassifier(
        8,
        projections=AxisAligned(),
        max_features=d,
        bootstrap=False,
        thresholds=forest._settled().thresholds,
        random_state=0,
    ).fit(values_of(forest, pool_of(forest, 200), X), y)
    for name in GROWN:
        np.testing.assert_allclose(
            getattr(forest.forest_, name), getattr(table.forest_, name), rtol=1e-6, err_msg=name
        )


def test_combinations_are_of_windows_of_the_pool():
    X, y = make_series(n=100)
    forest = ManifoldForestClassifier(
        6, pool_size=150, n_terms=7, max_features=1, max_depth=1, random_state=0
    ).fit(X, y)
    windows, pool = forest.windows(), pool_of(forest, 150)
    assert isinstance(windows, RidgeWindows)
    rows = describe_node(forest.channels_.transform(X), y.astype(np.int32))
    node = make_node(rows, 1)
    for tree in range(6):
        place = _core.NodePlace(draw_seed(0), tree)
        # Which windows are drawn is all that chance decides before the fit.
        _, drawn, _ = _core.sample_directions(_core.axis_aligned(150), place, windows.n_drawn)
        expected = windows.combine([pool[k] for k in drawn], node.X, y, node.weights)
        came = forest.forest_.windows(int(forest.forest_.tree_offsets[tree]))
        assert [w._replace(scale=1.0) for _, w in came] == [
            w._replace(scale=1.0) for _, w in expected
        ]
        np.testing.assert_allclose([c for c, _ in came], [c for c, _ in expected], atol=1e-5)


@pytest.mark.parametrize("n_terms", [1, 6])
@pytest.mark.parametrize("missing", [False, True])
def test_a_forest_does_not_depend_on_whether_the_pool_is_read_ahead(n_terms, missing):
    """Few trees read windows when they need them."""
    X, y = make_series(n=90)
    if missing:
        X[::9, 3:6] = np.nan
    options = {"pool_size": 300, "n_terms": n_terms, "random_state": 0}
    few, many = (ManifoldForestClassifier(n_trees, **options).fit(X, y) for n_trees in (4, 12))
    for name in (*GROWN, "direction_coefficients", "window_box", "window_scale"):
        expected = getattr(few.forest_, name)
        np.testing.assert_array_equal(getattr(many.forest_, name)[: len(expected)], expected)
    np.testing.assert_array_equal(many.apply(X)[:, :4], few.apply(X))
    more = few.set_params(warm_start=True, n_estimators=12).fit(X, y)
    np.testing.assert_array_equal(more.predict_proba(X), many.predict_proba(X))


@pytest.mark.parametrize("make", [make_images, make_series])
def test_a_forest_with_a_pool_is_the_same_for_any_number_of_threads(make):
    X, y = make(n=200)
    forests = [
        ManifoldForestClassifier(10, random_state=0, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 3)
    ]
    for name in (*GROWN, "direction_coefficients", "window_box", "members"):
        np.testing.assert_array_equal(*(getattr(forest.forest_, name) for forest in forests))


def test_training_samples_end_in_the_leaves_that_they_grew():
    X, y = make_series(n=150)
    forest = ManifoldForestClassifier(10, random_state=0).fit(X, y)
    arrays, leaves = forest.forest_, forest.apply(X)
    assert forest.score(X, y) == 1
    for tree in range(10):
        offset = arrays.tree_offsets[tree]
        counts = np.bincount(leaves[:, tree], minlength=arrays.tree_offsets[tree + 1] - offset)
        is_leaf = arrays.left[offset : arrays.tree_offsets[tree + 1]] < 0
        own = arrays.n_samples[offset : arrays.tree_offsets[tree + 1]]
        np.testing.assert_array_equal(counts[is_leaf], own[is_leaf])


def test_nodes_choose_among_as_many_windows_as_asked_for():
    X, y = make_images()
    forest = ManifoldForestClassifier(20, pool_size=5, random_state=0).fit(X, y)
    arrays = forest.forest_
    assert (
        len({window for node in range(arrays.n_nodes) for _, window in arrays.windows(node)}) <= 5
    )
    every = ManifoldForestClassifier(20, pool_size=None, random_state=0).fit(X, y).forest_
    assert len({window for node in range(every.n_nodes) for _, window in every.windows(node)}) > 30


def test_the_windows_of_a_pool_are_drawn_from_their_distribution():
    """How often each channel, statistic and shift occurs among many."""
    X, y = make_images(n=30)
    forest = ManifoldForestClassifier(1, max_depth=1, random_state=0).fit(X, y)
    pool = [terms[0][1] for terms in pool_of(forest, 20_000)]
    weights = np.array(forest.windows().weights)
    expected = weights / weights.sum()
    counts = np.bincount([window.channel for window in pool], minlength=len(weights))
    deviation = np.sqrt(20_000 * expected * (1 - expected))
    assert (np.abs(counts - 20_000 * expected) < 5 * deviation).all()
    moved = np.mean([window.shift != 0 for window in pool])
    assert moved == pytest.approx(0.75, abs=5 * np.sqrt(0.75 * 0.25 / 20_000))


def test_numbers_are_predicted_from_windows_of_a_pool():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 40))
    y = X[:, 5:15].mean(axis=1)
    forest = ManifoldForestRegressor(30, pool_size=500, random_state=0).fit(X[:200], y[:200])
    assert forest.score(X[200:], y[200:]) > 0.5


@pytest.mark.parametrize("n_trees", [3, 27])
def test_memory_is_told_by_whether_a_pool_is_read(n_trees, capfd):
    X, y = make_images(n=50)
    forest = ManifoldForestClassifier(n_trees, pool_size=20_000, verbose=1, random_state=0)
    cells = forest.fit(X, y).channels_.bytes_per_sample
    sums = forest.projections_.bytes_per_sample("uint8")
    expected = 50 * (cells + (4 * 20_000 if n_trees == 27 else sums)) / 1e6
    assert f"each of 50 samples: {expected:.0f} MB." in capfd.readouterr().err


def test_the_default_pool_takes_four_gibibytes_at_most():
    assert [default_pool_size(n, 1) for n in (1, 100_000, 2**20, 2**31)] == [4096, 4096, 1024, 1]
    assert [default_pool_size(2**20, n_patches) for n_patches in (2, 4)] == [512, 256]


def test_every_25_trees_have_a_pool_of_their_own():
    X, y = make_series(n=60)
    forest = ManifoldForestClassifier(60, pool_size=3, n_terms=1, random_state=0).fit(X, y)
    arrays = forest.forest_
    drawn: dict[int, set] = {}
    for tree in range(60):
        nodes = range(*arrays.tree_offsets[tree : tree + 2])
        pool = drawn.setdefault(tree // _core.TREES_OF_POOL, set())
        pool.update(window for node in nodes for _, window in arrays.windows(node))
    assert _core.TREES_OF_POOL == 25
    assert len(drawn) == 3
    for number, found in drawn.items():
        expected = {window for terms in pool_of(forest, 3, number=number) for _, window in terms}
        assert found <= expected
    assert len(set.union(*drawn.values())) > 3


WRONG = {
    'from 1 to 16777216, "auto" or None, but it is 0; leave it at "auto"': {"pool_size": 0},
    "but it is 'all'; leave it": {"pool_size": "all"},
    "but it is True": {"pool_size": True},
    "but it is 100000000": {"pool_size": 10**8},
    'pool_size must be "auto" with channels="raw"': {"pool_size": 100, "channels": "raw"},
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_sizes_are_refused(message):
    X, y = make_images(n=20)
    with pytest.raises(ValueError, match=message):
        ManifoldForestClassifier(2, **WRONG[message]).fit(X, y)

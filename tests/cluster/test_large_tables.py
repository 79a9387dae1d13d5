"""Tables of more samples than leaves can number: the same forests, whose leaves have no members."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pytest
from distributed import Client

import silvan
import silvan.dask
from silvan.channels import Difference
from silvan.dask import layouts
from silvan.dask.blocks import Block, pick_samples
from silvan.dask.drawing import TreeDrawer
from silvan.dask.ordering import sort_hashes
from silvan.dask.partitioned import Partitioned, _check_number
from silvan.dask.replicated import Replicated
from silvan.dask.running import Session
from silvan.forest_arrays.layout import DTYPES
from silvan.forests import sample_numbers
from silvan.forests.sampling import DrawRule, SamplePlan, Sampling, plan_samples, sampling_in_order

LAYOUTS = ("replicated", "partitioned")
N_SAMPLES = 300
X = np.random.default_rng(0).normal(size=(N_SAMPLES, 5))
Y = np.round(X[:, 0] + X[:, 1], 1)
WEIGHT = np.arange(N_SAMPLES) % 4.0
PARTS = da.from_array(X, chunks=((120, 0, 80, 100), -1))
LABELS = da.from_array(Y, chunks=((120, 0, 80, 100),))

FORESTS = {
    "classes": (silvan.ForestClassifier, Y > 0, None, {"oob_score": True}),
    "classes, honest": (silvan.ForestClassifier, Y > 0, WEIGHT, {"honest": True}),
    "classes, all samples": (silvan.ForestClassifier, Y > 0, WEIGHT, {"bootstrap": False}),
    "numbers": (silvan.ForestRegressor, Y, WEIGHT, {"oob_score": True, "scaling": "rank"}),
    "numbers, pruned": (silvan.ForestRegressor, Y, None, {"ccp_alpha": 0.01}),
    "medians": (silvan.ForestRegressor, Y, None, {"criterion": "absolute_error"}),
    "series": (silvan.ManifoldForestRegressor, Y, WEIGHT, {"channels": [Difference()]}),
}


@pytest.fixture(scope="module", autouse=True)
def threads() -> Iterator[Client]:
    """Workers in this process, where limits can be set."""
    with Client(processes=False, n_workers=2, dashboard_address=":0") as client:
        yield client


@pytest.fixture
def few_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample_numbers, "MAX_SAMPLES_WITH_MEMBERS", N_SAMPLES - 1)


def assert_same_but_members(forest: Any, local: Any) -> None:
    assert len(local.forest_.members) > 0 == len(forest.forest_.members)
    assert not forest.forest_.member_indptr.any()
    for name in DTYPES:
        mine, theirs = getattr(forest.forest_, name), getattr(local.forest_, name)
        assert mine.dtype == theirs.dtype, name
        if name not in ("members", "member_indptr"):
            np.testing.assert_array_equal(mine, theirs, err_msg=name)
    assert len(forest.forest_.member_indptr) == len(local.forest_.member_indptr)
    assert getattr(forest, "oob_score_", 0) == getattr(local, "oob_score_", 0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", FORESTS)
def test_a_forest_without_members_is_the_local_one_in_all_else(
    name: str, layout: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    Forest, y, weight, settings = FORESTS[name]
    settings = {"n_estimators": 12, "random_state": 0, **settings}
    if settings.get("bootstrap", True):
        settings["max_samples"] = 90
    local = Forest(**settings).fit(X, y, weight)
    request.getfixturevalue("few_numbers")
    forest = getattr(silvan.dask, Forest.__name__)(**settings, layout=layout)
    forest.fit(PARTS, y, weight)
    assert_same_but_members(forest, local)
    np.testing.assert_array_equal(forest.predict(PARTS).compute(), local.predict(X))
    forest.save(tmp_path / "forest")
    loaded = silvan.load(tmp_path / "forest")
    assert_same_but_members(loaded, local)
    np.testing.assert_array_equal(loaded.predict(X), local.predict(X))
    kept = loaded._sampling.plan.kept
    assert kept is None or kept.dtype == np.uint32
    for mine, theirs in zip(loaded.estimators_samples_, local.estimators_samples_, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(loaded.feature_importances_, local.feature_importances_)
    tree = loaded.estimators_[3]
    np.testing.assert_array_equal(tree.predict(X), local.estimators_[3].predict(X))


@pytest.mark.usefixtures("few_numbers")
def test_what_needs_members_is_refused_by_name(tmp_path: Path) -> None:
    settings = {"n_estimators": 3, "random_state": 0, "max_samples": 90}
    forest = silvan.dask.ForestRegressor(**settings, layout="partitioned").fit(PARTS, Y)
    forest.save(tmp_path / "forest")
    why = "needs the training samples in each leaf, which a forest on more than 299 samples does "
    rest = "not keep, but this one was fitted on 300; fit a forest on fewer of them"
    for fitted in (forest, forest.to_local(), silvan.load(tmp_path / "forest")):
        with pytest.raises(ValueError, match=f"^forest_weights {why}{rest}"):
            fitted.forest_weights(X)
        with pytest.raises(ValueError, match=f"^predict_quantiles {why}{rest}"):
            fitted.predict_quantiles(X, 0.5)
    with pytest.raises(ValueError, match=f"^predict_quantiles {why}"):
        forest.predict_quantiles(PARTS, [0.1, 0.9])


@pytest.mark.usefixtures("few_numbers")
@pytest.mark.parametrize(
    "settings, weight",
    [
        ({"criterion": "absolute_error", "ccp_alpha": 0.1}, None),
        ({"bootstrap": False, "max_samples": 50}, np.sqrt(1 + WEIGHT)),
    ],
    ids=["medians, pruned", "weighted sums"],
)
def test_leaf_values_that_need_members_are_refused(settings: Any, weight: Any) -> None:
    forest = silvan.dask.ForestRegressor(3, layout="partitioned", **settings)
    message = (
        "X has 300 samples, so many that leaves do not keep theirs, .* max_samples of at most "
        "2097152, bootstrap=True if samples have weights, and ccp_alpha=0 with criterion="
    )
    with pytest.raises(ValueError, match=message):
        forest.fit(PARTS, Y, weight)


def test_a_warm_start_goes_on_without_members(request: pytest.FixtureRequest) -> None:
    settings = {"random_state": 0, "max_samples": 90, "warm_start": True}
    local = silvan.ForestClassifier(7, **settings).fit(X, Y > 0, WEIGHT)
    request.getfixturevalue("few_numbers")
    forest = silvan.dask.ForestClassifier(3, **settings, layout="partitioned")
    forest.fit(PARTS, Y > 0, WEIGHT)
    forest.set_params(n_estimators=7).fit(PARTS, Y > 0, WEIGHT)
    assert_same_but_members(forest, local)


def test_files_whose_members_are_not_as_the_samples_ask_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"n_estimators": 3, "random_state": 0, "max_samples": 90}
    silvan.ForestRegressor(**settings).fit(X, Y).save(tmp_path / "with")
    with monkeypatch.context() as patch:
        patch.setattr(sample_numbers, "MAX_SAMPLES_WITH_MEMBERS", N_SAMPLES - 1)
        silvan.dask.ForestRegressor(**settings).fit(PARTS, Y).save(tmp_path / "without")
        with pytest.raises(ValueError, match=r"forest_\.members does not belong"):
            silvan.load(tmp_path / "with")
    silvan.load(tmp_path / "with")
    with pytest.raises(ValueError, match=r"forest_\.members does not belong"):
        silvan.load(tmp_path / "without")


def test_tables_that_one_machine_refuses_stay_in_partitions(
    threads: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    forest = silvan.dask.ForestClassifier(3)
    kept = PARTS[:, 0] > -9
    delayed = [part.to_delayed().ravel().tolist() for part in (PARTS, LABELS)]
    collections = ((PARTS, LABELS), (PARTS[kept], LABELS[kept]), delayed, (X, Y))
    with Session(threads) as session:
        for parts, labels in collections:
            opened = layouts.open_layout(forest, session, parts, labels, None)
            assert isinstance(opened, Replicated)
            with monkeypatch.context() as patch:
                patch.setattr(layouts, "MAX_SAMPLES", N_SAMPLES - 1)
                opened = layouts.open_layout(forest, session, parts, labels, None)
            assert isinstance(opened, Partitioned)


def large_sampling(n_draws: int, *, replace: bool = True) -> tuple[Sampling, np.ndarray]:
    """Samples of positive weight in three large partitions, and where these begin."""
    starts = np.array([0, 2**31 - 3, 3 * 10**9, 2**32 - 1])
    offsets = np.arange(0, 100_000, 5000)
    kept = (starts[:-1, None] + offsets).ravel().astype(np.uint32)
    plan = SamplePlan(2**32 - 1, kept, None, n_draws, replace, 10, 0.0).check()
    order = np.random.default_rng(0).permutation(len(kept)).astype(np.uint32)
    return sampling_in_order(plan, order, None, seed=3).check(), starts


@pytest.mark.parametrize("replace", [False, True])
def test_draws_know_samples_beyond_31_bits(replace: bool) -> None:
    sampling, starts = large_sampling(40, replace=replace)
    drawer = TreeDrawer(sampling, starts, with_ranks=True)
    drawn = [drawer(tree) for tree in range(3)]
    for k, start in enumerate(starts[:-1].tolist()):
        assert drawer.first_member(k) is None
        for tree, picks in enumerate(drawer.packed(drawn, k).unpack()):
            counts = sampling.multiplicities(tree)
            numbers = sampling.plan.kept[counts > 0].astype(np.int64)
            inside = (numbers >= start) & (numbers < starts[k + 1])
            np.testing.assert_array_equal(start + picks.places.astype(np.int64), numbers[inside])
            np.testing.assert_array_equal(picks.counts, counts[counts > 0][inside])
            np.testing.assert_array_equal(
                sampling.plan.kept[sampling.order[picks.ranks]], numbers[inside]
            )


def test_samples_beyond_31_bits_are_picked_from_their_partitions() -> None:
    sampling, starts = large_sampling(40)
    drawer = TreeDrawer(sampling, starts, with_ranks=False)
    block = Block(np.arange(100_000)[:, None], np.arange(100_000) % 7)
    drawn = [drawer(tree) for tree in range(3)]
    picked = pick_samples(drawer.first_member(2), [1, 2], drawer.packed(drawn, 2), block)
    for tree, part in zip(drawn, [*picked[0], *picked[1]], strict=True):
        inside = tree.numbers[tree.ends[2] : tree.ends[3]].astype(np.int64)
        assert part.numbers is None
        np.testing.assert_array_equal(part.X[:, 0], inside - starts[2])
        np.testing.assert_array_equal(part.y, (inside - starts[2]) % 7)
        np.testing.assert_array_equal(part.counts, tree.counts[tree.ends[2] : tree.ends[3]])


def test_hashes_order_samples_beyond_31_bits() -> None:
    hashes = [np.array(part, dtype=np.uint64) for part in ([7, 5], [5, 2**64 - 1], [6, 0])]
    order, fresh = sort_hashes(hashes, [0, 2**31 - 1, 2**32 - 3], wants_fresh=True)
    assert order.dtype == np.uint32
    assert order.tolist() == [2**32 - 2, 1, 2**31 - 1, 2**32 - 3, 0, 2**31]
    assert fresh.tolist() == [True, True, False, True, True, True]


def test_numbers_of_samples_end_where_32_bits_do() -> None:
    _check_number(2**32 - 1)
    with pytest.raises(ValueError, match=r"X must have at most 4294967295 samples, .* 4294967296;"):
        _check_number(2**32)
    for n_samples, has_members in ((2**31 - 1, True), (2**31, False), (2**32 - 1, False)):
        plan = plan_samples(n_samples, None, None, DrawRule(True, 1000), numeric_targets=True)
        assert plan.check().has_members == has_members
    with pytest.raises(ValueError, match="n_samples is no integer in"):
        SamplePlan(2**32, None, None, 10, True, 10, 0.0).check()
    narrow = np.arange(5, dtype=np.int32)
    SamplePlan(2**31 - 1, narrow, None, 10, True, 10, 0.0).check()
    with pytest.raises(ValueError, match="numbers of its samples do not rise"):
        SamplePlan(2**31, narrow, None, 10, True, 10, 0.0).check()


@pytest.mark.parametrize("max_samples", [None, 0.5, 2**30 + 1, "n**0.99"])
def test_trees_of_more_samples_than_nodes_can_be_numbered_for_are_refused(
    max_samples: Any,
) -> None:
    rule = DrawRule(True, max_samples)
    with pytest.raises(ValueError, match="max_samples must be so small that a tree draws at most"):
        plan_samples(2**32 - 1, None, None, rule, numeric_targets=False)

"""Both layouts give the forest of one machine, whatever the data and their partitions."""

from __future__ import annotations

import gc
import warnings
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client

import silvan
import silvan.dask
from silvan.channels import Convolutions
from silvan.dask.blocks import PackedPicks, Picks
from silvan.projections import AxisAligned, RidgeDirections

LAYOUTS = ("replicated", "partitioned")
N_SAMPLES = 400


def make_samples(n: int = N_SAMPLES) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(3)
    X = random.normal(size=(n, 6))
    X[random.random(X.shape) < 0.05] = np.nan
    X[n // 2 : n // 2 + 20] = X[:20]  # repeated samples
    return X, np.nan_to_num(X[:, 0] + X[:, 1]) + random.normal(size=n) / 4


def chunks(n: int, n_parts: int) -> tuple[int, ...]:
    """Uneven sizes, some of them zero."""
    random = np.random.default_rng(n_parts)
    cuts = np.sort(random.integers(0, n + 1, size=n_parts - 1))
    return tuple(np.diff([0, *cuts, n]).tolist())


def in_parts(array: np.ndarray, n_parts: int) -> da.Array:
    sizes = chunks(len(array), n_parts)
    return da.from_array(array, chunks=(sizes, *((n,) for n in array.shape[1:])))


def test_draws_do_not_stay_in_messages_that_the_scheduler_keeps(client: Client) -> None:
    X, y = make_samples()
    forest = silvan.dask.ForestClassifier(4, max_samples=50, layout="partitioned", oob_score=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # four trees leave samples without a vote
        forest.fit(in_parts(X, 3), in_parts(y > 0, 3))
    gc.collect()
    kept = [type(value) for value in gc.get_objects() if type(value) in (Picks, PackedPicks)]
    assert kept == []


@pytest.mark.parametrize(
    "layout, n_parts",
    [("replicated", 7), ("partitioned", 1), ("partitioned", 7), ("partitioned", 40)],
)
def test_forest_is_the_local_one_for_any_partitions(
    client: Client, assert_same: Any, layout: str, n_parts: int
) -> None:
    X, y = make_samples()
    X *= [1, 1000, 1e-3, 1, 7, 1]  # directions without units learn these
    X[:, 3] = 7.0  # a constant has no importance
    labels = np.where(y > 0.5, "high", np.where(y < -0.5, "low", "middle"))
    settings = {"n_estimators": 9, "random_state": 1, "oob_score": True, "max_samples": 150}
    local = silvan.ForestClassifier(**settings).fit(X, labels)
    forest = silvan.dask.ForestClassifier(**settings, layout=layout)
    forest.fit(in_parts(X, n_parts), in_parts(labels, n_parts))
    assert_same(forest, local)
    np.testing.assert_array_equal(forest.feature_importances_, local.feature_importances_)
    np.testing.assert_array_equal(forest.projections_.spreads, local.projections_.spreads)
    assert len(set(local.projections_.spreads)) > 3
    assert forest.feature_importances_[3] == 0


REGRESSORS: list[dict[str, Any]] = [
    {"oob_score": True, "n_estimators": 25},
    {
        "honest": True,
        "bootstrap": False,
        "max_samples": "n**0.8",
        "oob_score": True,
        "n_estimators": 9,
    },
    {"bootstrap": False, "weighted": True},
    {"weighted": True, "scaling": "rank"},
    {"scaling": "standard", "projections": RidgeDirections(), "min_samples_leaf": 0.02},
    {"scaling": "minmax", "projections": AxisAligned(), "thresholds": "random"},
]


@pytest.mark.parametrize(
    "layout, settings",
    [
        *(("partitioned", settings) for settings in REGRESSORS),
        *(("replicated", settings) for settings in REGRESSORS[1:4:2]),
    ],
    ids=str,
)
def test_regressor_is_the_local_one(
    client: Client, assert_same: Any, layout: str, settings: dict[str, Any]
) -> None:
    settings = {"n_estimators": 4, "random_state": 2, **settings}
    X, y = make_samples()
    targets = np.column_stack([y, y**2])
    weight = None
    if settings.pop("weighted", False):
        weight = np.random.default_rng(0).integers(0, 4, size=len(X)) / 3
    local = silvan.ForestRegressor(**settings).fit(X, targets, weight)
    forest = silvan.dask.ForestRegressor(**settings, layout=layout)
    forest.fit(in_parts(X, 5), in_parts(targets, 5), None if weight is None else weight)
    assert_same(forest, local)
    np.testing.assert_array_equal(
        forest.predict_quantiles(in_parts(X, 3), [0.2, 0.7]).compute(),
        local.predict_quantiles(X, [0.2, 0.7]),
    )


@pytest.mark.filterwarnings("ignore:.*drawn by every tree")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_classes_of_several_outputs(client: Client, assert_same: Any, layout: str) -> None:
    X, y = make_samples()
    labels = np.column_stack([y > 0, y**2 > 1]).astype(int)
    labels[labels[:, 1] == 1, 1] = 2
    labels[np.argsort(labels[:, 1], kind="stable")] = labels  # classes of single partitions
    settings = {"n_estimators": 4, "random_state": 1, "class_weight": "balanced"}
    local = silvan.ForestClassifier(**settings).fit(X, labels)
    forest = silvan.dask.ForestClassifier(**settings, layout=layout)
    forest.fit(in_parts(X, 7), in_parts(labels, 7))
    assert_same(forest, local)
    table = dd.from_pandas(pd.DataFrame(X), npartitions=3)
    table.columns = table.columns.astype(str)
    for samples in (in_parts(X, 7), table):
        predicted = forest.predict(samples)
        assert predicted.shape[1] == 2
        np.testing.assert_array_equal(predicted.compute(), local.predict(X))
        for mine, theirs in zip(forest.predict_proba(samples), local.predict_proba(X), strict=True):
            np.testing.assert_array_equal(mine.compute(), theirs)
    assert forest.predict_proba(table)[1].columns.tolist() == [0, 2]


def test_out_of_bag_votes_of_several_outputs_come_from_batches_of_trees(
    client: Client, assert_same: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("silvan.dask.partitioned._DRAWS_AT_ONCE", 350)
    X, y = make_samples()
    labels = np.column_stack([y > 0, y**2 > 1])
    settings = {"n_estimators": 5, "random_state": 1, "max_samples": 150, "oob_score": True}
    local = silvan.ForestClassifier(**settings).fit(X, labels)
    forest = silvan.dask.ForestClassifier(**settings, layout="partitioned")
    assert_same(forest.fit(in_parts(X, 7), in_parts(labels, 7)), local)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_several_outputs_do_not_have_is_refused_as_on_one_machine(
    client: Client, layout: str
) -> None:
    X, y = make_samples(60)
    labels = np.column_stack([y > 0, np.arange(60) % 3])
    parts = in_parts(X, 2), in_parts(labels, 2)
    with pytest.raises(ValueError, match="voting must be"):
        silvan.dask.ForestClassifier(2, voting="hard", layout=layout).fit(*parts)
    with pytest.raises(ValueError, match="cannot be used to compute OOB"):
        silvan.dask.ForestClassifier(2, oob_score=True, layout=layout).fit(*parts)


@pytest.mark.filterwarnings("ignore:.*drawn by every tree")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_frames_with_categories_weights_and_classes_of_single_partitions(
    client: Client, assert_same: Any, layout: str
) -> None:
    X, y = make_samples()
    names = np.array(["oak", "elm", "ash", None], dtype=object)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["tree"] = names[np.random.default_rng(1).integers(0, 4, len(X))]
    frame.loc[: N_SAMPLES // 4, "tree"] = "yew"  # seen in the first partition alone
    frame["size"] = pd.Categorical(np.where(X[:, 2] > 0, "big", "small"))
    label = pd.Series(np.where(np.arange(len(X)) > 380, "late", np.where(y > 0, "up", "down")))
    weight = pd.Series(np.random.default_rng(2).integers(0, 3, len(X)).astype(float))
    settings = {
        "n_estimators": 9,
        "random_state": 0,
        "class_weight": "balanced",
        "max_samples": 120,
        "oob_score": True,
    }
    local = silvan.ForestClassifier(**settings).fit(frame, label, weight)
    forest = silvan.dask.ForestClassifier(**settings, layout=layout)
    table = dd.from_pandas(frame.assign(label=label, weight=weight), npartitions=4)
    # An empty partition, as a filter may leave it.
    table = dd.concat([table, table.partitions[3:][table.partitions[3:]["a"] > 1e9]])
    features = table[list(frame.columns)]
    forest.fit(features, table["label"], table["weight"])
    assert_same(forest, local)
    assert all(
        np.array_equal(mine, theirs)
        for mine, theirs in zip(forest.categories_, local.categories_, strict=True)
        if theirs is not None
    )
    predicted = forest.predict_proba(features).compute()
    assert list(predicted.columns) == ["down", "late", "up"]
    np.testing.assert_array_equal(predicted.to_numpy(), local.predict_proba(frame))
    assert forest.predict(features).compute().tolist() == local.predict(frame).tolist()


def test_columns_of_parquet_files_keep_their_partitions(
    client: Client, assert_same: Any, tmp_path: Path
) -> None:
    X, y = make_samples()
    frame = pd.DataFrame(X.astype(np.float32), columns=list("abcdef"))
    for part in range(4):
        frame.assign(y=y > 0).iloc[part * 100 : (part + 1) * 100].to_parquet(
            tmp_path / f"{part}.parquet"
        )
    local = silvan.ForestClassifier(3, random_state=0, max_samples=90).fit(frame, y > 0)
    table = dd.read_parquet(tmp_path)
    features = table.drop(columns="y")
    forest = silvan.dask.ForestClassifier(3, random_state=0, max_samples=90, layout="partitioned")
    forest.fit(features, table["y"])
    assert_same(forest, local)
    forest.predict_proba(features).rename(columns=str).to_parquet(tmp_path / "predicted")
    written = pd.read_parquet(tmp_path / "predicted")
    np.testing.assert_array_equal(written.to_numpy(), local.predict_proba(frame))
    assert list(written.columns) == ["False", "True"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_grids_in_delayed_partitions_of_unknown_size(
    client: Client, assert_same: Any, layout: str
) -> None:
    random = np.random.default_rng(0)
    images = random.integers(0, 255, size=(120, 9, 9)).astype(np.uint8)
    target = images[:, :4, :4].mean(axis=(1, 2))
    settings = {"n_estimators": 4, "random_state": 0, "max_size": 6, "max_samples": 60}
    local = silvan.ManifoldForestRegressor(**settings).fit(images, target)
    forest = silvan.dask.ManifoldForestRegressor(**settings, layout=layout)
    parts = [slice(0, 50), slice(50, 50), slice(50, 120)]
    X = [dask.delayed(images[part]) for part in parts]
    forest.fit(X, [dask.delayed(target[part]) for part in parts])
    assert_same(forest, local)
    assert forest.shape_ == (9, 9)
    predicted = np.concatenate(dask.compute(*forest.predict(X)))
    np.testing.assert_array_equal(predicted, local.predict(images))
    assert forest.score(X, [dask.delayed(target[part]) for part in parts]) == local.score(
        images, target
    )


@pytest.mark.parametrize(
    "layout, settings",
    [
        ("replicated", {"oob_score": True, "n_estimators": 20}),
        ("partitioned", {"oob_score": True, "n_estimators": 20}),
        ("partitioned", {"class_weight": "balanced", "honest": True, "scaling": "standard"}),
        ("partitioned", {"channels": [Convolutions(4, max_length=10), np.abs]}),
    ],
    ids=["replicated", "out of bag", "balanced", "convolutions"],
)
def test_channels_learn_what_they_learn_on_one_machine(
    client: Client, assert_same: Any, layout: str, settings: dict[str, Any]
) -> None:
    random = np.random.default_rng(0)
    series = random.normal(size=(150, 24)).cumsum(axis=1)
    series[60:70] = series[:10]  # channels learn from distinct samples
    series[3, 5] = np.nan
    label = np.where(np.nan_to_num(series[:, 20] - series[:, 10]) > 0, "up", "down")
    settings = {"n_estimators": 4, "random_state": 0, **settings}
    local = silvan.ManifoldForestClassifier(**settings).fit(series, label)
    forest = silvan.dask.ManifoldForestClassifier(**settings, layout=layout)
    forest.fit(in_parts(series, 6), in_parts(label, 6))
    assert_same(forest, local)
    for mine, theirs in zip(forest.channels_.states[0], local.channels_.states[0], strict=True):
        assert mine.keys() == theirs.keys()
        for name in theirs:
            np.testing.assert_array_equal(mine[name], theirs[name])
    np.testing.assert_array_equal(
        forest.predict_proba(in_parts(series, 2)).compute(), local.predict_proba(series)
    )


def test_trees_look_at_their_own_samples_only(client: Client, assert_same: Any) -> None:
    """One extreme series is no reason for trees that did not draw it to think others constant."""
    random = np.random.default_rng(0)
    series = random.normal(size=(120, 30)).cumsum(axis=1)
    label = series[:, 20] > series[:, 10]
    series[0] *= 1e9
    settings = {"n_estimators": 28, "random_state": 0, "pool_size": 100, "max_samples": 60}
    local = silvan.ManifoldForestClassifier(**settings).fit(series, label)
    forest = silvan.dask.ManifoldForestClassifier(**settings, layout="partitioned")
    forest.fit(in_parts(series, 4), in_parts(label, 4))
    assert_same(forest, local)


def test_channels_of_bytes_are_stored_as_on_one_machine(client: Client, assert_same: Any) -> None:
    images = np.random.default_rng(0).integers(0, 255, size=(90, 6, 6)).astype(np.uint8)
    target = images[:, :3].mean(axis=(1, 2))
    weight = np.arange(90) % 3
    local = silvan.ManifoldForestRegressor(3, random_state=0).fit(images, target, weight)
    forest = silvan.dask.ManifoldForestRegressor(3, random_state=0, layout="partitioned")
    forest.fit(in_parts(images, 4), target, weight)
    assert_same(forest, local)
    assert forest.channels_.dtype == "uint8"
    np.testing.assert_array_equal(forest.channels_.scales, local.channels_.scales)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_unknown_chunk_sizes_and_chunks_across_features(
    client: Client, assert_same: Any, layout: str
) -> None:
    X, y = make_samples()
    labels = (y > 0).astype(int)
    whole = da.from_array(np.column_stack([np.nan_to_num(X), labels]), chunks=(90, 3))
    some = whole[whole[:, 0] < 1]
    settings = {"n_estimators": 3, "random_state": 0, "max_samples": 100, "shape": (2, 3)}
    local = silvan.ManifoldForestClassifier(**settings)
    chosen = some.compute()
    local.fit(chosen[:, :6], chosen[:, 6].astype(int))
    forest = silvan.dask.ManifoldForestClassifier(**settings, layout=layout)
    forest.fit(some[:, :6], some[:, 6].astype(int))
    assert_same(forest, local)
    proba = forest.predict_proba(some[:, :6])
    assert np.isnan(proba.shape[0]) and proba.shape[1] == 2
    np.testing.assert_array_equal(proba.compute(), local.predict_proba(chosen[:, :6]))
    np.testing.assert_array_equal(forest.apply(some[:, :6]).compute(), local.apply(chosen[:, :6]))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_warm_start_goes_on_with_the_same_trees(
    client: Client, assert_same: Any, layout: str
) -> None:
    X, y = make_samples()
    local = silvan.ForestRegressor(7, random_state=0, max_samples=100, warm_start=True).fit(X, y)
    forest = silvan.dask.ForestRegressor(
        3, random_state=0, max_samples=100, warm_start=True, layout=layout
    )
    forest.fit(in_parts(X, 3), y)
    forest.set_params(n_estimators=7).fit(in_parts(X, 4), y)
    np.testing.assert_array_equal(forest.forest_.threshold, local.forest_.threshold)
    with pytest.raises(ValueError, match="grows more trees on the same samples"):
        forest.set_params(n_estimators=9).fit(in_parts(X[::-1] * 2, 4), y)


def test_batches_of_trees_and_partitions_that_do_not_stay_give_the_same_forest(
    client: Client, assert_same: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from silvan.dask import ordering, partitioned

    monkeypatch.setattr(partitioned, "_SHARE_OF_PARTITIONS", 0.0)
    monkeypatch.setattr(partitioned, "_SHARE_OF_TREES", 1e-9)
    monkeypatch.setattr(ordering, "_MAX_AT_ONCE", 100)
    X, y = make_samples()
    settings = {"n_estimators": 3, "random_state": 0, "max_samples": 50, "scaling": "standard"}
    local = silvan.ForestRegressor(**settings).fit(X, y)
    forest = silvan.dask.ForestRegressor(**settings, layout="partitioned")
    assert_same(forest.fit(in_parts(X, 3), in_parts(y, 3)), local)

"""Data that users bring by mistake, or in forms that one machine takes, too."""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from distributed import Client, LocalCluster
from scipy.sparse import csr_array

import silvan
import silvan.dask
from silvan.dask import ClusterError
from silvan.dask.running import Session
from silvan.projections import AxisAligned

LAYOUTS = ("replicated", "partitioned")


def make_samples() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(120, 4))
    return X, np.where(X[:, 0] > 0, "up", "down")


def delayed_parts(*values: Any) -> list[Any]:
    return [dask.delayed(value) for value in values]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_partitions_of_several_types_are_one_table(
    client: Client, assert_same: Any, layout: str
) -> None:
    X, y = make_samples()
    parts = [
        (X[:40] * 100).astype(np.int64),
        X[40:80].astype(np.float32),
        (X[80:110] > 0).tolist(),
        X[110:],
    ]
    settings = {"n_estimators": 3, "random_state": 0, "max_samples": 60}
    local = silvan.ForestClassifier(**settings).fit(np.concatenate(parts), y)
    forest = silvan.dask.ForestClassifier(**settings, layout=layout)
    forest.fit(delayed_parts(*parts), delayed_parts(*np.split(y, [40, 80, 110])))
    assert_same(forest, local)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_column_that_is_missing_in_one_partition_has_the_categories_of_the_others(
    client: Client, assert_same: Any, layout: str
) -> None:
    X, y = make_samples()
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["kind"] = np.where(X[:, 1] > 0, "x", "z")
    frame.loc[:59, "kind"] = None
    settings = {"n_estimators": 3, "random_state": 0, "max_samples": 60}
    local = silvan.ForestClassifier(**settings).fit(frame, y)
    unknown = frame[:60].assign(kind=np.nan)  # numbers, as far as this partition knows
    forest = silvan.dask.ForestClassifier(**settings, layout=layout)
    forest.fit(delayed_parts(unknown, frame[60:]), delayed_parts(y[:60], y[60:]))
    assert_same(forest, local)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_sparse_and_ragged_partitions_are_refused(client: Client, layout: str) -> None:
    X, y = make_samples()
    targets = delayed_parts(y[:60], y[60:])
    forest = silvan.dask.ForestClassifier(2, layout=layout)
    with pytest.raises(TypeError, match="Sparse data was passed"):
        forest.fit(delayed_parts(csr_array(X[:60]), csr_array(X[60:])), targets)
    with pytest.raises(ValueError, match=r"3|dimension"):
        forest.fit(delayed_parts(X[:60], X[60:, :3]), targets)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_monotone_constraints_of_several_classes_are_refused(client: Client, layout: str) -> None:
    X, y = np.arange(12.0)[:, None], np.arange(12) % 3
    forest = silvan.dask.ForestClassifier(
        2, monotonic_cst=[1], projections=AxisAligned(), layout=layout
    )
    with pytest.raises(ValueError, match="more than two classes"):
        forest.fit(da.from_array(X, chunks=(6, 1)), da.from_array(y, chunks=6))


def test_wrong_targets_are_refused_as_on_one_machine(client: Client) -> None:
    X, y = make_samples()
    parts = da.from_array(X, chunks=(60, -1))
    classifier = silvan.dask.ForestClassifier(2, layout="partitioned")
    numbers = np.arange(120) / 2
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        classifier.fit(parts, numbers)
    regressor = silvan.dask.ForestRegressor(2, layout="partitioned")
    with pytest.raises(ValueError, match=r"could not convert string|numbers"):
        regressor.fit(parts, y)
    missing = np.where(numbers == 50, np.nan, numbers)
    with pytest.raises(ValueError, match="NaN"):
        regressor.fit(parts, missing)
    with pytest.raises(ValueError, match="same number of columns in all partitions"):
        regressor.fit(
            delayed_parts(X[:60], X[60:]),
            delayed_parts(numbers[:60], np.column_stack([numbers, numbers])[60:]),
        )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_text_and_numbers_among_the_labels_are_refused(client: Client, layout: str) -> None:
    X, y = make_samples()
    forest = silvan.dask.ForestClassifier(2, layout=layout)
    parts = delayed_parts(X[:60], X[60:])
    columns = pd.DataFrame({"number": np.arange(120) % 2, "text": y})
    for targets in ((columns[:60], columns[60:]), (y[:60].astype(object), np.arange(60) % 2)):
        with pytest.raises(ValueError, match="labels of one kind, but it has the text"):
            forest.fit(parts, delayed_parts(*targets))


def test_partitions_that_change_between_passes_are_reported(client: Client) -> None:
    X, y = make_samples()

    @dask.delayed(pure=False)
    def draw_samples() -> np.ndarray:
        return X[: np.random.default_rng().integers(1, 2**20) % 119 + 1]

    @dask.delayed
    def draw_targets(samples: np.ndarray) -> np.ndarray:
        return y[: len(samples)]

    samples = [draw_samples() for _ in range(6)]
    forest = silvan.dask.ForestClassifier(2, layout="partitioned")
    with pytest.raises(ValueError, match="partitions are read several times and must stay"):
        forest.fit(samples, [draw_targets(part) for part in samples])


def test_arrow_tables_in_partitions(client: Client, assert_same: Any) -> None:
    X, y = make_samples()
    table = pa.table({f"x{j}": X[:, j] for j in range(4)})
    local = silvan.ForestClassifier(2, random_state=0).fit(table, y)
    for layout in LAYOUTS:
        forest = silvan.dask.ForestClassifier(2, random_state=0, layout=layout)
        parts = delayed_parts(table.slice(0, 50), table.slice(50))
        assert_same(forest.fit(parts, delayed_parts(y[:50], y[50:])), local)


def test_predictions_of_other_features_are_refused_before_they_are_computed(
    client: Client,
) -> None:
    X, y = make_samples()
    forest = silvan.dask.ForestClassifier(2, layout="replicated").fit(X, y)
    for wrong in (da.zeros((10, 5)), dd.from_pandas(pd.DataFrame(X[:, :3]), npartitions=2)):
        with pytest.raises(ValueError, match="the forest was fitted on 4 features; pass the same"):
            forest.predict(wrong)


def test_a_client_that_cannot_work_is_refused(cluster: LocalCluster) -> None:
    closed = Client(cluster)
    closed.close()
    forest = silvan.dask.ForestClassifier(2, client=closed)
    with pytest.raises(ClusterError, match="the Dask client is closed"):
        forest.fit(*make_samples())


def test_an_asynchronous_client_is_refused(cluster: LocalCluster) -> None:
    import asyncio

    async def fit() -> None:
        async with Client(cluster.scheduler_address, asynchronous=True) as client:
            silvan.dask.ForestClassifier(2, client=client).fit(*make_samples())

    with pytest.raises(ClusterError, match="the Dask client is asynchronous"):
        asyncio.run(fit())


def test_workers_without_silvan_are_told_of(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*arguments: Any) -> None:
        raise ModuleNotFoundError("No module named 'silvan'")

    monkeypatch.setattr(client, "run", run)
    with (
        pytest.raises(ClusterError, match=r"install silvan\[dask\] on all workers"),
        Session(client),
    ):
        pass


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_no_table_is_refused_by_name(client: Client, layout: str) -> None:
    X, y = make_samples()
    forest = silvan.dask.ForestClassifier(2, layout=layout)
    with pytest.raises(TypeError, match="partitions must be arrays or data frames, but one is of"):
        forest.fit(delayed_parts(None), delayed_parts(y))
    with pytest.raises(ValueError, match=r"all partitions .*must have the same features"):
        forest.fit(delayed_parts(X[:60], X[60:, :2]), delayed_parts(y[:60], y[60:]))
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        forest.fit(da.from_array(X, chunks=(60, -1)), None)
    with pytest.raises(ValueError, match=r"one weight for each sample, but it is 2\.0; leave it"):
        forest.fit(da.from_array(X, chunks=(60, -1)), y, sample_weight=2.0)


def test_quantiles_of_several_outputs_have_too_many_dimensions_for_frames(client: Client) -> None:
    X, _ = make_samples()
    frame = dd.from_pandas(pd.DataFrame(X).add_prefix("x"), npartitions=2)
    forest = silvan.dask.ForestRegressor(2, random_state=0).fit(frame, frame[["x0", "x1"]])
    assert forest.predict_quantiles(frame).compute().shape == (len(X), 2)
    with pytest.raises(ValueError, match="at most two dimensions, but several quantiles"):
        forest.predict_quantiles(frame, [0.1, 0.9])

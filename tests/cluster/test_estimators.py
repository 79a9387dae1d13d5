"""Estimators of a cluster keep scikit-learn's conventions, and refuse what they cannot do."""

from __future__ import annotations

import pickle
import time
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client
from sklearn.base import clone
from typer.testing import CliRunner

import silvan
import silvan.dask
from silvan import presets
from silvan.app.commands import app
from silvan.dask import ClusterError, layouts, on_cluster
from silvan.dask.partitioned import Partitioned
from silvan.dask.replicated import Replicated
from silvan.dask.running import Session
from silvan.tuning import OutOfBagSearch
from silvan.unsupervised import DensityForest


def make_samples() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(200, 5)).astype(np.float32)
    return X, np.where(X[:, 0] > 0, "up", "down")


def test_parameters_are_those_of_the_local_estimators_and_two_more() -> None:
    for name in ("ForestClassifier", "ForestRegressor"):
        for prefix in ("", "Manifold"):
            local = getattr(silvan, prefix + name)().get_params()
            cluster = getattr(silvan.dask, prefix + name)().get_params()
            assert cluster == {**local, "layout": "auto", "client": None}


def test_a_search_refuses_them_before_any_work() -> None:
    search = OutOfBagSearch(silvan.dask.ForestClassifier(3))
    with pytest.raises(ValueError, match=r"a forest of one machine.* tune silvan.ForestClassifier"):
        search.fit(*make_samples())


def test_clones_share_the_client_and_pickles_leave_it_out(client: Client, tmp_path: Path) -> None:
    X, y = make_samples()
    forest = silvan.dask.ForestClassifier(3, random_state=0, client=client, layout="replicated")
    assert clone(forest).client is client
    assert clone(forest).get_params() == forest.get_params()
    forest.fit(X, y)
    loaded = pickle.loads(pickle.dumps(forest))
    assert loaded.client is None
    assert loaded.predict(X).tolist() == forest.predict(X).tolist()
    forest.save(tmp_path / "forest.safetensors")
    saved = silvan.load(tmp_path / "forest.safetensors")
    assert type(saved) is silvan.ForestClassifier
    np.testing.assert_array_equal(saved.predict_proba(X), forest.predict_proba(X))


def test_large_forests_travel_in_pieces(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("silvan.dask.collections._MAX_BYTES_IN_GRAPH", 0)
    monkeypatch.setattr("silvan.dask.sending.BYTES_OF_A_PIECE", 700)
    X, y = make_samples()
    settings = {"n_estimators": 5, "max_samples": 50, "random_state": 0, "oob_score": True}
    forest = silvan.dask.ForestClassifier(**settings, layout="replicated").fit(X, y)
    assert forest.forest_.nbytes > 3 * 700
    parts = da.from_array(X, chunks=(70, -1))
    np.testing.assert_array_equal(forest.predict_proba(parts).compute(), forest.predict_proba(X))
    assert forest.oob_score_ == silvan.ForestClassifier(**settings).fit(X, y).oob_score_
    # The client's own thread lets go of what nobody holds any more.
    deadline = time.monotonic() + 60
    while client.futures and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not client.futures


def test_presets_move_to_a_cluster_and_other_forests_are_refused() -> None:
    forest = on_cluster(presets.sporf(7, random_state=1), layout="partitioned")
    assert isinstance(forest, silvan.dask.ForestClassifier)
    assert (forest.n_estimators, forest.random_state, forest.layout) == (7, 1, "partitioned")
    with pytest.raises(ValueError, match="boosted ones among them, on one machine"):
        on_cluster(DensityForest())
    with pytest.raises(ValueError, match="boosted ones among them, on one machine"):
        on_cluster(silvan.BoostedForestRegressor())


def test_without_a_client_fit_says_what_is_missing() -> None:
    with pytest.raises(ClusterError, match="there is no Dask client"):
        silvan.dask.ForestClassifier(2).fit(*make_samples())


def test_bad_input_is_refused_with_the_partition(client: Client) -> None:
    X, y = make_samples()
    parts = da.from_array(X, chunks=(50, -1))
    forest = silvan.dask.ForestClassifier(2, layout="partitioned")
    unknown = parts[parts[:, 0] < 9]
    with pytest.raises(ValueError, match=r"partition \d of X has 50 samples, but that of y has"):
        forest.fit(unknown, da.from_array(y, chunks=(20, 60, 60, 60)))
    with pytest.raises(ValueError, match="y must have the partitions of X, but it has 2 and X 4"):
        forest.fit(unknown, da.from_array(y, chunks=100))
    with pytest.raises(ValueError, match="y is in memory, but X is in partitions whose sizes"):
        forest.fit(unknown, y)
    with pytest.raises(ValueError, match="X has 200 samples, but y has 190"):
        forest.fit(parts, y[:190])
    with pytest.raises(ValueError, match="layout must be one of 'auto'"):
        silvan.dask.ForestClassifier(2, layout="shared").fit(parts, y)
    infinite = np.where(X > 2, np.inf, X)
    with pytest.raises(ValueError, match="X contains infinity"):
        forest.fit(da.from_array(infinite, chunks=(50, -1)), y)
    with pytest.raises(ValueError, match="all 200 weights are zero"):
        forest.fit(parts, y, np.zeros(200))
    with pytest.raises(ValueError, match="all its partitions are empty"):
        forest.fit(parts[:0], y[:0])
    assert not hasattr(forest, "n_features_in_")


def test_layout_follows_the_memory_of_the_workers(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = make_samples()
    forest = silvan.dask.ForestClassifier(2)
    unknown = da.from_array(X, chunks=(50, -1))
    unknown = unknown[unknown[:, 0] < 9]
    with Session(client) as session:
        frame = dd.from_pandas(pd.DataFrame(X), npartitions=4)
        for table in (X, pd.DataFrame(X), da.from_array(X, chunks=(50, -1)), unknown, frame):
            sizes_known = table is not unknown and table is not frame
            targets = y if sizes_known else da.from_array(y, chunks=50)
            assert isinstance(
                layouts.open_layout(forest, session, table, targets, None), Replicated
            )
        monkeypatch.setattr(Session, "memory_limits", lambda self: [6 * X.nbytes, 4 * X.nbytes])
        assert isinstance(layouts.open_layout(forest, session, unknown, unknown, None), Partitioned)


def test_command_line_fits_parquet_files_with_workers(tmp_path: Path) -> None:
    X, y = make_samples()
    frame = pd.DataFrame(X, columns=list("abcde")).assign(kind=np.where(X[:, 1] > 0, "x", "z"), y=y)
    path = tmp_path / "table.parquet"
    frame.to_parquet(path, row_group_size=60)
    common = ["fit", str(path), "--target", "y", "--trees", "20"]
    files: dict[str, bytes] = {}
    for name, options in (("local", []), ("workers", ["--workers", "1"])):
        out = tmp_path / name
        result = CliRunner().invoke(app, [*common, "--out", str(out), *options])
        assert result.exit_code == 0, result.output
        files[name] = out.read_bytes()
    assert files["local"] == files["workers"]


@pytest.mark.parametrize(
    "options, message",
    [
        (["--boost"], "boosted ones do; leave it out"),
        (["--forest", "boost"], "boosted ones do; leave it out"),
        (["--worker-memory", "much"], "must be auto or a size such as 1.5GB"),
        (["--worker-memory", "-1GB"], "must be auto or a size such as 1.5GB"),
    ],
    ids=" ".join,
)
def test_command_line_refuses_what_workers_cannot_do(
    tmp_path: Path, options: list[str], message: str
) -> None:
    X, y = make_samples()
    path = tmp_path / "table.parquet"
    pd.DataFrame(X, columns=list("abcde")).assign(y=y).to_parquet(path)
    arguments = ["fit", str(path), "--target", "y", "--out", str(tmp_path / "m"), "--workers", "1"]
    result = CliRunner().invoke(app, [*arguments, *options])
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_command_line_refuses_workers_for_other_files(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,y\n1,2\n")
    arguments: list[Any] = ["fit", str(path), "--target", "y", "--out", str(tmp_path / "m")]
    result = CliRunner().invoke(app, [*arguments, "--workers", "2"])
    assert result.exit_code == 2
    assert "--workers is for Parquet files" in result.output

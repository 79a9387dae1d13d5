"""A real cluster of two processes for the tests, and forests to compare with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster
from distributed.utils import get_mp_context

from silvan.forest_arrays.layout import DTYPES


@pytest.fixture(scope="session")
def cluster() -> Iterator[LocalCluster]:
    with start_cluster() as cluster:
        yield cluster


@pytest.fixture
def client(cluster: LocalCluster) -> Iterator[Client]:
    with Client(cluster) as client:
        yield client


def start_cluster(**options: Any) -> LocalCluster:
    # Workers are forked from a process that has imported all, which takes seconds otherwise.
    dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
    get_mp_context().set_forkserver_preload(["distributed", "silvan.dask"])
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    return LocalCluster(**{**settings, **options})


@pytest.fixture(scope="session")
def new_cluster() -> Any:
    return start_cluster


@pytest.fixture(scope="session")
def assert_same() -> Any:
    """Compare a cluster's forest with a local one, bit for bit and attribute by attribute."""

    def check(forest: Any, local: Any) -> None:
        for name in DTYPES:
            mine, theirs = getattr(forest.forest_, name), getattr(local.forest_, name)
            assert mine.dtype == theirs.dtype, name
            np.testing.assert_array_equal(mine, theirs, err_msg=name)
        converted = forest.to_local()
        assert type(converted) is type(local)
        assert vars(converted).keys() == vars(local).keys()
        np.testing.assert_equal(getattr(converted, "classes_", 0), getattr(local, "classes_", 0))
        for name in ("oob_decision_function_", "oob_prediction_", "_y"):
            if hasattr(local, name):
                np.testing.assert_array_equal(getattr(converted, name), getattr(local, name))
        assert getattr(converted, "oob_score_", 0) == getattr(local, "oob_score_", 0)
        assert converted._sampling.same_as(local._sampling)

    return check

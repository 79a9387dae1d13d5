"""Pages of experiments that were stopped halfway, or that need the results of others."""

from __future__ import annotations

import pytest
from experiments import cifar, density, time_series
from experiments.arguments import Arguments
from experiments.mnist_tuned import list_kinds
from experiments.scoring import SCORES
from experiments.store import Store

pytestmark = pytest.mark.filterwarnings("error")


def open_store(path, keys, values, *rows):
    store = Store(path / "measurements.csv", keys, values)
    for row in rows:
        store.add(dict(zip(store.columns, row, strict=True)))
    return store


def make_arguments(output, **changes):
    settings = {"quick": True, "seeds": 1, "jobs": 1, "data": output, "output": output}
    return Arguments("test", **{**settings, **changes})


def test_colour_images_without_all_systems_have_a_page(tmp_path):
    store = open_store(tmp_path, ("system", "seed"), SCORES, ("channels", 0, 0.4, 1, 1))
    cifar.write_page(store, make_arguments(tmp_path))
    page = (tmp_path / "cifar.md").read_text()
    assert "| channels | 40.00 % | 1 | 1.0 |" in page
    assert "| not measured |" in page
    assert "| RF |" not in page


def test_densities_without_a_forest_are_not_judged(tmp_path):
    row = ("blobs", "KDE", 0, -1.0, float("nan"), float("nan"), 0.1)
    store = open_store(tmp_path, ("toy", "system", "seed"), density.SCORES, row)
    assert [e.holds for e in density.expectations(store)] == [None] * 4


def test_series_that_no_two_systems_share_have_a_figure(tmp_path):
    rows = [("Chinatown", "channels", 0, 0.1, 1, 1), ("Beef", "RF", 0, 0.1, 1, 1)]
    store = open_store(tmp_path, ("dataset", "system", "seed"), SCORES, *rows)
    time_series.draw_figure(store, make_arguments(tmp_path))
    assert (tmp_path / "time_series.png").exists()


def test_the_chosen_images_are_those_that_the_search_has_come_to(tmp_path):
    store = open_store(tmp_path, ("images", "d"), ("oob_error",), ("as they are", 28, 0.1))
    assert list_kinds(store) == ["as they are"]

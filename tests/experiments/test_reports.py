"""Pages of experiments that were stopped halfway, or that need the results of others."""

from __future__ import annotations

import pytest
from experiments import bias_variance, cifar, density, simulations, stripes, time_series
from experiments.angles import main as report_angles
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


def test_boundaries_on_the_circle_are_compared_draw_by_draw(tmp_path):
    rows = [
        ("circle", "MORF", 50, 0, 0.1, 1, 1),
        ("circle", "MORF", 50, 1, 0.2, 1, 1),
        ("circle", "MORF, pad", 50, 1, 0.25, 1, 1),
        ("circle", "MORF, pad", 50, 0, 0.15, 1, 1),
        ("circle", "MORF, pad", 50, 2, 0.9, 1, 1),
    ]
    store = open_store(tmp_path, ("problem", "system", "n", "seed"), SCORES, *rows)
    lines = simulations.boundary_table(store).splitlines()
    assert lines[-2:] == [
        "| mean | +0.0500 | - | - | - | - | - |",
        "| standard error | 0.0000 | - | - | - | - | - |",
    ]


def test_stripes_of_one_size_leave_the_others_empty(tmp_path, monkeypatch):
    def measure(*_):
        return {"oob_error": 0.1, "oob_auc": 0.9, "error": 0.2, "fit_s": 1.0}

    monkeypatch.setattr(stripes, "measure", measure)
    stripes.main(["--quick", "--output", str(tmp_path)])
    page = (tmp_path / "stripes.md").read_text()
    assert "| RF | 0.2000 ± - | - ± - | - ± - | 5, -, - |" in page


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


def test_bias_and_variance_without_parameters_say_what_to_run_first(tmp_path):
    expected = (
        r"randomer\.csv, which has none yet; run python -m experiments\.randomer --quick first"
    )
    with pytest.raises(SystemExit, match=expected):
        bias_variance.main(["--quick", "--output", str(tmp_path)])
    assert not (tmp_path / "bias_variance.md").exists()


def test_bias_and_variance_are_those_of_the_repeats_that_were_asked_for(tmp_path):
    (tmp_path / "measurements").mkdir()
    path = tmp_path / "measurements" / "bias_variance.csv"
    store = Store(path, ("system", "n", "repeats", "d", "nonzeros"), bias_variance.MEASURES)
    for repeats, error in ((3, 0.125), (20, 0.5)):
        row = {"system": "RF", "n": 500, "repeats": repeats, "d": 5, "nonzeros": 1}
        measures = dict.fromkeys(bias_variance.MEASURES, error) | {"bayes_error": 0}
        store.add(row | measures)
    bias_variance.main(["--report", "--seeds", "3", "--output", str(tmp_path)])
    page = (tmp_path / "bias_variance.md").read_text()
    assert "from 3 training sets" in page
    assert "| n = 500: RF | 0.1250 |" in page
    with pytest.raises(SystemExit, match="nothing with repeats = 7 is measured yet"):
        bias_variance.main(["--report", "--seeds", "7", "--output", str(tmp_path)])


def test_angles_are_those_of_the_nodes_that_were_asked_for(tmp_path):
    output = ["--output", str(tmp_path)]
    report_angles(["--quick", *output])
    first = (tmp_path / "angles.md").read_text()
    path = tmp_path / "measurements" / "angles.csv"
    path.write_text(path.read_text() + "2,RR-RF,dense,9,1,1,1,1\n")
    report_angles(["--quick", "--report", *output])
    assert (tmp_path / "angles.md").read_text() == first
    with pytest.raises(SystemExit, match="nothing with nodes = 8 is measured yet"):
        report_angles(["--report", "--seeds", "8", *output])

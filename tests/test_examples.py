"""The examples of the gallery run, and draw."""

import runpy
from pathlib import Path

import pytest
from matplotlib import pyplot

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("plot_*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, monkeypatch):
    monkeypatch.setattr(pyplot, "show", lambda: None)
    before = set(pyplot.get_fignums())
    try:
        runpy.run_path(str(path))
        assert set(pyplot.get_fignums()) > before or "_repr_html_" in path.read_text()
    finally:
        pyplot.close("all")

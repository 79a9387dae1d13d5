"""The examples of the gallery run, and draw."""

import runpy
from pathlib import Path

import pytest
from matplotlib import pyplot

# It starts the program anew for each of its commands, which app/test_pages.py runs faster. The
# documentation's build runs it.
SLOW = {"plot_16_report"}
EXAMPLES = (Path(__file__).parents[1] / "examples").glob("plot_*.py")


@pytest.mark.parametrize(
    "path", sorted(p for p in EXAMPLES if p.stem not in SLOW), ids=lambda path: path.stem
)
def test_example_runs_and_draws(path):
    before = set(pyplot.get_fignums())
    try:
        runpy.run_path(str(path))
        assert set(pyplot.get_fignums()) > before
    finally:
        pyplot.close("all")

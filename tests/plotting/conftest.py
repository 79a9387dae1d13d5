"""What all tests of plots need."""

import pytest

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(autouse=True)
def agg():
    """Draw off screen, and close every figure."""
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")

"""The guide's tables of scikit-learn's forests are those that its script writes."""

import importlib.util
from pathlib import Path

import pytest
import sklearn

SCRIPT = Path(__file__).parents[1] / "docs" / "compare_random_forest.py"


@pytest.mark.skipif(not SCRIPT.exists(), reason="packages have no docs")
@pytest.mark.skipif(not sklearn.__version__.startswith("1.9."), reason="names of 1.9")
def test_page_names_every_parameter_method_and_attribute():
    spec = importlib.util.spec_from_file_location("compare_random_forest", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    page = script.PAGE.read_text()
    assert script.fill(page) == page, "run python docs/compare_random_forest.py"

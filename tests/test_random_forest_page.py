"""The guide's tables of scikit-learn's forests are those that its script writes, and true."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn.inspection import partial_dependence
from sklearn.tree import plot_tree

from silvan import BoostedForestClassifier, ForestClassifier, ForestRegressor
from silvan.explanations import shapley_values
from silvan.projections import AxisAligned, Patches

SCRIPT = Path(__file__).parents[1] / "docs" / "compare_random_forest.py"
pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="packages have no docs")


def load_script():
    spec = importlib.util.spec_from_file_location("compare_random_forest", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


@pytest.mark.skipif(not sklearn.__version__.startswith("1.9."), reason="names of 1.9")
def test_page_names_every_parameter_method_and_attribute():
    script = load_script()
    page = script.PAGE.read_text()
    assert script.fill(page) == page, "run python docs/compare_random_forest.py"


REFUSED = load_script().REFUSED if SCRIPT.exists() else ()


@pytest.mark.parametrize(("code", "words"), [row[1:3] for row in REFUSED])
def test_what_the_page_lists_is_refused(code, words):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 16))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    given = {
        "X": X,
        "y": y,
        "Y": np.column_stack([y == 0, y == 1]).astype(int),
        "forest": ForestClassifier(5, random_state=0),
    }
    names = (AxisAligned, BoostedForestClassifier, ForestClassifier, ForestRegressor, Patches)
    names += (csr_array, partial_dependence, plot_tree, shapley_values)
    given |= {name.__name__: name for name in names}
    if "TreeExplainer" in code:
        given["TreeExplainer"] = pytest.importorskip("shap").TreeExplainer
    with pytest.raises(Exception) as caught:
        exec(code, given)
    assert words in str(caught.value)

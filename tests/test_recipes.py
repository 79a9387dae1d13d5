"""The recipes of the page about other libraries run, each where its library is installed."""

import doctest
import re
from contextlib import chdir
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "guide" / "ecosystem.md"
LIBRARIES = {
    "SHAP": ("shap",),
    "Pipelines to ONNX": ("skl2onnx", "onnxruntime"),
    "skops": ("skops.io",),
    "MLflow": ("mlflow.sklearn", "skops.io"),
    "Optuna": ("optuna",),
    "imbalanced-learn": ("imblearn",),
}

pytestmark = pytest.mark.skipif(
    not PAGE.exists(), reason="the documentation is not part of the source package"
)


def sections():
    """The text before the first heading, and that below each."""
    first, *others = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.M)
    return first, dict(section.split("\n", 1) for section in others)


def test_every_recipe_is_run():
    assert set(sections()[1]) == set(LIBRARIES)


# Warnings of other libraries about each other are theirs.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("title", LIBRARIES)
def test_recipes(title, tmp_path):
    for library in LIBRARIES[title]:
        pytest.importorskip(library, reason=f"{library} is not installed")
    first, recipes = sections()
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    parsed = doctest.DocTestParser().get_doctest(first + recipes[title], {}, title, str(PAGE), 0)
    with chdir(tmp_path):
        failed, tried = doctest.DocTestRunner(optionflags=flags).run(parsed)
    assert tried > 5
    assert failed == 0

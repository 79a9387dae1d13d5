"""The documentation names everything: public names in the API, pages of results in their index."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
MODULES = (
    "",
    ".channels",
    ".dask",
    ".datasets",
    ".explanations",
    ".export",
    ".files",
    ".inspection",
    ".losses",
    ".plotting",
    ".preprocessing",
    ".presets",
    ".projections",
    ".tuning",
    ".unsupervised",
)

pytestmark = pytest.mark.skipif(
    not DOCS.exists(), reason="the documentation is not part of the source package"
)


@pytest.mark.parametrize("module", MODULES)
def test_public_names_are_in_the_api_reference(module):
    text = (DOCS / "api" / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^   (\w+)$", text, re.M))
    public = set(importlib.import_module(f"silvan{module}").__all__) - {"__version__"}
    assert public <= listed


# Sphinx's own extensions use what its next version takes away.
@pytest.mark.filterwarnings("ignore:.*removed in Sphinx")
def test_the_reference_shows_names_of_fitted_attributes_whole(tmp_path):
    application = pytest.importorskip("sphinx.application", reason="part of make docs")
    documented = {
        f"silvan{module}.{name}": obj
        for module in MODULES
        for name, obj in vars(importlib.import_module(f"silvan{module}")).items()
        if inspect.isclass(obj) and re.search(r"^\w+_ : ", inspect.getdoc(obj) or "", re.M)
    }
    assert len(documented) > 5
    for name in documented:
        page = f"{name}\n{'=' * len(name)}\n\n.. autoclass:: {name}\n"
        (tmp_path / f"{name}.rst").write_text(page, encoding="utf-8")
    (tmp_path / "index.rst").write_text("All\n===\n\n.. toctree::\n   :glob:\n\n   silvan*\n")
    plain = {
        "extensions": ["sphinx.ext.autodoc", "sphinx.ext.napoleon"],
        "html_theme": "basic",
        "html_theme_options": {},
        "html_css_files": [],
        "html_static_path": [],
    }
    out = tmp_path / "out"
    application.Sphinx(
        tmp_path, DOCS, out, tmp_path / "trees", "html", confoverrides=plain, status=None
    ).build()
    for name, obj in documented.items():
        html = (out / f"{name}.html").read_text(encoding="utf-8")
        for attribute in re.findall(r"^(\w+_) : ", inspect.getdoc(obj), re.M):
            assert f"<strong>{attribute}</strong>" in html, (name, attribute)
        assert not re.search(r"\w\\_", html)
        assert "<ol" not in html, "the initial of an author is no number of a list"


@pytest.mark.parametrize(
    "kind", ["Forest", "ManifoldForest", "BoostedForest", "BoostedManifoldForest"]
)
def test_fit_says_what_targets_each_forest_takes(kind):
    classifier, regressor = (
        inspect.getdoc(getattr(importlib.import_module("silvan"), kind + task).fit)
        for task in ("Classifier", "Regressor")
    )
    several = "y : array-like of shape (n_samples,) or (n_samples, n_outputs)"
    assert several in regressor
    assert (several in classifier) == (not kind.startswith("Boosted"))
    for text in (classifier, regressor):
        assert re.findall(r"^(\w+) : ", text, re.M) == ["X", "y", "sample_weight", "self"]


@pytest.mark.parametrize("kind", ["DensityForest", "ManifoldEmbedding"])
def test_forests_without_targets_do_not_name_the_default_directions_of_others(kind):
    text = inspect.getdoc(getattr(importlib.import_module("silvan"), kind))
    assert re.search(r"^max_features : .*\n +Number d of candidate directions", text, re.M)
    assert "`UnitFree` directions, such as the default" not in text
    assert "None is\n    ``UniformCombinations()``" in text


def test_pages_of_results_have_a_line_in_their_index():
    text = (DOCS / "results" / "index.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[[^\]]+\]\((\w+)\.md\) \| .+ \| .+ \|$", text, re.M)
    pages = {path.stem for path in (DOCS / "results").glob("*.md")} - {"index"}
    assert sorted(listed) == sorted(pages)


def test_pages_of_the_guide_are_in_its_menu_and_have_a_card():
    text = (DOCS / "guide" / "index.md").read_text(encoding="utf-8")
    listed = [
        name
        for tree in re.findall(r"^```{toctree}\n(.*?)^```", text, re.M | re.S)
        for name in re.findall(r"^\w+$", tree, re.M)
    ]
    pages = {path.stem for path in (DOCS / "guide").glob("*.md")} - {"index"}
    assert sorted(listed) == sorted(pages)
    assert pages <= set(re.findall(r"\]\((\w+)\.md\)", text))


def test_figures_of_the_guide_are_shown_somewhere():
    pages = [path for path in DOCS.rglob("*.md") if "_build" not in path.parts]
    shown = "".join(path.read_text(encoding="utf-8") for path in pages)
    for figure in (DOCS / "images").glob("*.png"):
        assert f"images/{figure.name}" in shown

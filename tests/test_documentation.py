"""The documentation names everything: public names in the API, pages of results in their index."""

import importlib
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
MODULES = (
    "",
    ".datasets",
    ".explanations",
    ".export",
    ".files",
    ".inspection",
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


def test_pages_of_results_have_a_line_in_their_index():
    text = (DOCS / "results" / "index.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[[^\]]+\]\((\w+)\.md\) \| .+ \| .+ \|$", text, re.M)
    pages = {path.stem for path in (DOCS / "results").glob("*.md")} - {"index"}
    assert sorted(listed) == sorted(pages)


def test_pictures_of_the_guide_are_shown_somewhere():
    pages = [path for path in DOCS.rglob("*.md") if "_build" not in path.parts]
    shown = "".join(path.read_text(encoding="utf-8") for path in pages)
    for picture in (DOCS / "images").glob("*.png"):
        assert f"images/{picture.name}" in shown

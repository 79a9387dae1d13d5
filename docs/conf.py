# How Sphinx builds the documentation; `make docs` treats its warnings as errors.
import re
import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "silvan"
author = "The silvan developers"
copyright = author
version = release = installed_version("silvan")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
    "link_names",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]

# Footnotes of summary lines are taken out of them, see below.
suppress_warnings = ["ref.footnote"]

myst_enable_extensions = ["attrs_block", "attrs_inline", "deflist"]
myst_heading_anchors = 3

autodoc_typehints = "none"
autosummary_generate = True
napoleon_google_docstring = False
napoleon_use_rtype = False
# Types are words such as "array-like of shape (n_samples,)", whose parts are no links.
napoleon_use_param = False
# Nor are those of attributes, and the underscore at the end of a name makes no link of it.
napoleon_custom_sections = [("Attributes", "params_style")]

# All examples run at every build, since the library may have changed. One that fails fails it.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "doc_module": ("silvan",),
    "reference_url": {"silvan": None},
    "backreferences_dir": "api/generated/examples",
    "run_stale_examples": True,
    "abort_on_example_error": True,
    "capture_repr": ("_repr_html_",),
    "thumbnail_size": (480, 300),
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": float("inf"),
    "write_computation_times": False,
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "silvan"
html_copy_source = False
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_sidebars: dict[str, list[str]] = {
    name: [] for name in ("index", "install", "tour", "changelog")
}
html_theme_options = {
    "logo": {"text": "silvan"},
    "navigation_with_keys": False,
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}


def prepare_docstring(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Turn what only numpydoc and scikit-learn's own pages understand into plain text."""
    if lines:
        # Tables of names repeat the summary line where its footnotes are not.
        lines[0] = re.sub(r"(,? ?\[\d+\]_)+", "", lines[0])
    in_example = False
    for i, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if in_example:
            continue
        # The fitted attribute in "of shape (n_samples, n_outputs_)" is no link.
        line = re.sub(r"(?<=\w)_(?=[,)])", r"\_", line)
        # An author's initial begins no list.
        line = re.sub(r"^( *(?:\.\. \[\d+\] )?)(?=[A-Z]\. )", r"\1\\", line)
        lines[i] = re.sub(r":ref:`([^`<]+?)\s*<[^>]+>`", r"\1", line)


def tidy_fences(app: Any, name: str, source: list[str]) -> None:
    """Drop the empty line that doctest needs before the fence that ends an example."""
    source[0] = source[0].replace("\n\n```\n", "\n```\n")


def setup(app: Any) -> None:
    """Run before pages and docstrings are read."""
    app.connect("source-read", tidy_fences)
    app.connect("autodoc-process-docstring", prepare_docstring, priority=400)

# How Sphinx builds the documentation; `make docs` treats its warnings as errors.
from importlib.metadata import version as installed_version

project = "silvan"
author = "The silvan developers"
copyright = author
version = release = installed_version("silvan")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
nitpicky = False

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

autodoc_typehints = "none"
autosummary_generate = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

html_theme = "pydata_sphinx_theme"
html_title = "silvan"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "silvan"},
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}

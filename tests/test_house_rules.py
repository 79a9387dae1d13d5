"""Limits that keep files and functions readable; clang-tidy has those of C++ functions."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAX_LINES, MAX_PARAMETERS = 400, 6
# What users call by keywords: commands, readers of forests and displays have more parameters, and
# estimators declare theirs as fields.
ABOVE_ESTIMATORS = {"app", "explanations", "export", "inspection", "plotting", "presets", "tuning"}


def sources(*patterns):
    return sorted(path for pattern in patterns for path in ROOT.glob(pattern))


def test_files_are_short():
    files = sources("src/**/*.py", "cpp/**/*.?pp")
    lengths = {path: len(path.read_text().splitlines()) for path in files}
    assert files
    assert {str(path) for path, length in lengths.items() if length > MAX_LINES} == set()


def test_functions_have_few_parameters():
    """Those of the stub are the functions that the bindings show to Python."""
    found = []
    for path in sources("src/**/*.py", "src/**/*.pyi"):
        layer = path.relative_to(ROOT / "src/silvan").parts[0]
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.FunctionDef) or is_public(node, layer):
                continue
            given = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
            names = [arg.arg for arg in given if arg.arg not in ("self", "cls")]
            if len(names) > MAX_PARAMETERS:
                found.append(f"{path}:{node.lineno} {node.name}")
    assert found == []


def is_public(function, layer):
    """Whether users call the function, with keywords."""
    constructor = function.name == "__init__" and layer != "_core.pyi"
    private = function.name.startswith("_") and not constructor
    return not private and (constructor or layer in ABOVE_ESTIMATORS)


@pytest.mark.parametrize("pattern", ["src/**/*.py", "tests/**/*.py", "cpp/**/*.?pp"])
def test_the_first_line_of_a_file_says_why_it_exists(pattern):
    openings = {path: path.read_text().split("\n")[0] for path in sources(pattern)}
    silent = [str(path) for path, line in openings.items() if not line.startswith(('"""', "//"))]
    assert silent == []


def test_code_uses_the_words_of_the_glossary():
    """Distributions, plots, targets and maxima have other names in CONTRIBUTING.md than these."""
    others = re.compile(r"\b(laws?|aright|marks|pictures?|_?most_\w*)\b", re.IGNORECASE)
    paths = sources("src/**/*.py", "cpp/**/*.?pp")
    found = {str(path): others.findall(path.read_text()) for path in paths}
    assert {path: words for path, words in found.items() if words} == {}

"""Limits that keep files and functions readable; clang-tidy has those of C++ functions."""

import ast
import dataclasses
import re
import tomllib
from pathlib import Path

import pytest

from silvan.forest_arrays import ForestArrays

ROOT = Path(__file__).parents[1]
MAX_LINES, MAX_PARAMETERS, MAX_BODY = 400, 6, 50
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


def test_bodies_of_functions_are_short():
    """Signatures and docstrings do not count."""
    found = []
    for path in sources("src/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                body = node.body[ast.get_docstring(node) is not None :]
                if body and body[-1].end_lineno - body[0].lineno >= MAX_BODY:
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


# Packages that read forests through their public view, and ask them nothing private.
READERS = {"app", "explanations", "export", "inspection", "plotting", "presets", "tuning"}


def test_readers_of_forests_use_their_public_view():
    """Its own class may ask an object anything; a named tuple's methods only look private."""
    found = []
    for path in sources("src/**/*.py"):
        if path.relative_to(ROOT / "src/silvan").parts[0] not in READERS:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            private = isinstance(node, ast.Attribute) and re.match("_[a-z]", node.attr)
            if not private or node.attr in ("_replace", "_asdict", "_core"):
                continue
            owner = ast.unparse(node.value)
            if owner not in ("self", "cls", "super()"):
                found.append(f"{path}:{node.lineno} {owner}.{node.attr}")
    # Graphs of one class that share constants; and a codec says it nowhere else.
    allowed = ("export/onnx/graph.py", "app/data/dialect.py")
    assert [line for line in found if not any(name in line for name in allowed)] == []


@pytest.mark.skipif(not (ROOT / "ARCHITECTURE.md").exists(), reason="packages have none")
def test_architecture_names_every_folder_and_module():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    listed = text[text.index("## Folders") : text.index("Dependencies point one way")]
    words = set(re.findall(r"\w+", listed))
    python = [path for path in sources("src/silvan/**/*.py") if not path.stem.startswith("__")]
    native = sources("cpp/core/*.?pp")
    folders = [path for path in sources("src/silvan/**/", "cpp/core/*/") if path.is_dir()]
    whole = {"data", "onnx", "plotting", "report"}  # described as a whole, not file by file
    named = [path for path in python if path.parent.name not in whole]
    missing = [str(path) for path in named if path.stem not in words]
    missing += [str(path) for path in folders if path.name not in words | {"__pycache__"}]
    small = {"dot", "require", "split_kernels"}  # helpers
    missing += [str(path) for path in native if path.stem not in words | small]
    assert missing == []


@pytest.mark.skipif(not (ROOT / "ARCHITECTURE.md").exists(), reason="packages have none")
def test_architecture_describes_every_array_of_a_forest():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    table = text[
        text.index("## ForestArrays, field by field") : text.index("`ForestArrays.check()`")
    ]
    fields = {field.name for field in dataclasses.fields(ForestArrays)}
    named = {
        name
        for line in table.splitlines()
        if line.startswith("| `")
        for name in re.findall(r"`(\w+)`", line.split("|")[1])
    }
    assert named == fields


@pytest.mark.skipif(not (ROOT / "ARCHITECTURE.md").exists(), reason="packages have none")
def test_architecture_shows_the_layers_that_are_checked():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    shown = text[text.index("\napp\npresets") : text.index("\n_core  ")].strip().splitlines()
    layers = [set(re.sub(r"\(.*\)", "", line).split()) for line in shown]
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contract = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    checked = [set(line.replace("|", " ").split()) for line in contract]
    assert layers == [layer for layer in checked if not layer & {"__main__", "_version"}]


def test_code_uses_the_words_of_the_glossary():
    """Distributions, plots, targets and maxima have other names in CONTRIBUTING.md than these."""
    others = re.compile(r"\b(laws?|aright|marks|pictures?|_?most_\w*)\b", re.IGNORECASE)
    paths = sources("src/**/*.py", "cpp/**/*.?pp")
    found = {str(path): others.findall(path.read_text()) for path in paths}
    assert {path: words for path, words in found.items() if words} == {}

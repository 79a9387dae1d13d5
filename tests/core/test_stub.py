"""The type stub of the native core names what the extension has, with the same parameters."""

import ast
import inspect
import re
from pathlib import Path

import pytest

import silvan
from silvan import _core

STUB = Path(silvan.__file__).with_name("_core.pyi")
TREE = ast.parse(STUB.read_text())
FUNCTIONS = {node.name: node for node in TREE.body if isinstance(node, ast.FunctionDef)}


def test_stub_names_every_public_object_of_the_extension():
    classes = {node.name for node in TREE.body if isinstance(node, ast.ClassDef)}
    public = {name for name in dir(_core) if not name.startswith("_")}
    assert public == classes | FUNCTIONS.keys()


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_stub_functions_take_the_parameters_of_the_extension(name):
    signature = inspect.getdoc(getattr(_core, name)).splitlines()[0]
    native = re.findall(r"(\w+): ", signature)
    assert native == [argument.arg for argument in FUNCTIONS[name].args.args]

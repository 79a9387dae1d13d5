"""The type stub of the native core is what nanobind makes of the extension."""

from pathlib import Path

import pytest

import silvan
from silvan import _core

STUB = Path(silvan.__file__).with_name("_core.pyi")


def test_stub_is_up_to_date():
    stubgen = pytest.importorskip("nanobind.stubgen", reason="needs what builds the extension")
    generator = stubgen.StubGen(_core)
    generator.put(_core)
    assert generator.get() == STUB.read_text(), "run `make stub`"

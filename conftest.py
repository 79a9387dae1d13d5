"""What every test leaves behind is put away: files of doctests, and figures."""

import sys
from collections.abc import Generator
from contextlib import chdir
from tempfile import TemporaryDirectory

import pytest

# tests/test_recipes.py runs its parts, each where the library that it is about is installed.
collect_ignore = ["docs/guide/ecosystem.md"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Change to an empty folder for the time of a doctest."""
    if isinstance(item, pytest.DoctestItem):
        with TemporaryDirectory() as folder, chdir(folder):
            return (yield)
    return (yield)


@pytest.fixture(autouse=True)
def close_figures() -> Generator[None, None, None]:
    """Close what a test has drawn: of many open figures matplotlib warns in any later test."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")

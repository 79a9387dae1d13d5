"""Doctests run in folders of their own, so that they may write files."""

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

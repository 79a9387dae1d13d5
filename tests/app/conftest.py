"""A folder with small data in every format, and a way to run the program in it."""

from pathlib import Path

import pytest
from app.files import write_diabetes, write_digits, write_iris, write_series
from typer.testing import CliRunner

from silvan.app.commands import app


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("data")
    for write in (write_iris, write_diabetes, write_digits, write_series):
        write(place)
    return place


@pytest.fixture
def run(folder, monkeypatch):
    """Runs the program in the folder; checks the exit code."""
    monkeypatch.chdir(folder)

    def run_program(*arguments: str, code: int = 0):
        result = CliRunner().invoke(app, list(arguments))
        assert result.exit_code == code, (result.output, result.exception)
        return result

    return run_program

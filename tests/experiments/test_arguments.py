"""The experiments' command line refuses what cannot work, and says what is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from experiments.arguments import describe_missing, parse
from experiments.data import load_images
from experiments.time_series import list_cells

ROOT = Path(__file__).parents[2]


def run_experiment(name, *options, **settings):
    command = [sys.executable, "-m", f"experiments.{name}", *map(str, options)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, **settings)


@pytest.mark.parametrize("option", ["--jobs", "--seeds"])
@pytest.mark.parametrize("value", ["0", "-1", "two"])
def test_jobs_and_seeds_are_at_least_one(option, value, tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        parse("test", "", argv=[f"{option}={value}", "--output", str(tmp_path)])
    expected = f"argument {option}: must be a whole number of at least 1, not {value!r}"
    assert expected in capsys.readouterr().err


def test_output_must_be_a_folder(tmp_path, capsys):
    file = tmp_path / "page.md"
    file.write_text("kept")
    for output in (file, file / "inside"):
        with pytest.raises(SystemExit, match="2"):
            parse("test", "", argv=["--output", str(output)])
        message = capsys.readouterr().err
        assert "argument --output: must be a folder" in message
        assert str(file) in message
    assert file.read_text() == "kept"


def test_data_must_be_a_folder(tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        parse("test", "", argv=["--data", str(tmp_path / "none"), "--output", str(tmp_path)])
    assert f"argument --data: {tmp_path / 'none'} is not a folder" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["/data/100%", ""])
def test_help_names_the_folder_of_data_that_is_used(value, monkeypatch, capsys):
    monkeypatch.setenv("SILVAN_DATA", value)
    monkeypatch.setenv("COLUMNS", "1000")
    with pytest.raises(SystemExit, match="0"):
        parse("test", "", argv=["--help"])
    used = value or ROOT.parent / "shared" / "data"
    assert f"beside the repository where that is not set; now {used})" in capsys.readouterr().out


def test_missing_data_are_told_in_one_sentence_and_other_errors_are_not(tmp_path):
    with pytest.raises(FileNotFoundError) as by_loader:
        load_images(tmp_path / "mnist")
    with pytest.raises(FileNotFoundError) as by_python:
        (tmp_path / "one.npz").open()
    for error in (by_loader.value, by_python.value):
        sentence = describe_missing(error, tmp_path)
        assert sentence.startswith(str(tmp_path))
        assert sentence.endswith("is missing; pass --data or set SILVAN_DATA.")
    assert describe_missing(by_python.value, tmp_path / "data") is None
    assert describe_missing(ValueError("pass --data or set SILVAN_DATA"), tmp_path) is None


def test_a_run_without_its_data_ends_with_a_sentence_and_no_traceback(tmp_path):
    options = ("--quick", "--data", tmp_path, "--output", tmp_path / "results")
    run = run_experiment("cifar", *options)
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1] == (
        f"{tmp_path}/cifar10/cifar10_5k_1k.npz is missing; pass --data or set SILVAN_DATA."
    )
    assert "Traceback" not in run.stderr


def test_series_that_are_missing_name_their_folder(tmp_path):
    options = ["--data", str(tmp_path), "--output", str(tmp_path / "results")]
    with pytest.raises(
        FileNotFoundError, match=r"ucr with its \.npz files is missing; pass --data"
    ):
        list_cells(parse("time_series", "", argv=options))
    assert list_cells(parse("time_series", "", argv=[*options, "--report"])) == []

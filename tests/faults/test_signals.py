"""Signals at random moments: what is on the disk is old or new, and whole."""

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest
from faults.children import command_of, finish, started

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals differ")

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]
OLD = "what was here before"

# Each repeats its work until the signal ends it, and writes to `out`.
LIBRARY = {
    "fit": """
        X, y = make_data(2000, 20)
        say("ready")
        while True:
            ForestClassifier(50, oob_score=True, n_jobs=2).fit(X, y)
    """,
    "predict": """
        X, y = make_data(2000, 20)
        forest = ForestClassifier(50, n_jobs=2).fit(X, y)
        say("ready")
        while True:
            forest.predict_proba(X)
    """,
    "search": """
        from silvan.tuning import OutOfBagSearch
        X, y = make_data(300, 6)
        say("ready")
        while True:
            OutOfBagSearch(ForestClassifier(20, random_state=0)).fit(X, y)
    """,
    "save": """
        X, y = make_data(3000, 20)
        forest = ForestClassifier(100, random_state=0).fit(X, y)
        say("ready")
        while True:
            forest.save("out")
    """,
}
# The program answers from its first line on, imports of other libraries included.
PROGRAM = """
from silvan.__main__ import main
print("ready", flush=True)
main()
"""
COMMANDS = {
    "fit": ["fit", "table.csv", "--target", "target", "--out", "out"],
    "predict": ["predict", "model.silvan", "table.csv", "--out", "out.csv"],
    "report": ["report", "model.silvan", "table.csv", "--target", "target", "--out", "out.html"],
}


def hit(process, number, delay):
    time.sleep(delay)
    if process.poll() is None:
        process.send_signal(number)
    return finish(process)


def check_folder(folder: Path, before: set[str], number: int) -> None:
    """Only a signal that ends the process at once may leave a file, and a hidden one."""
    left = {name for name in os.listdir(folder) if name not in before}
    hidden = {name for name in left if name.startswith(".silvan-")}
    assert not hidden or number != signal.SIGINT
    assert left - hidden <= {"out", "out.csv", "out.html"}


def check_saved(path: Path) -> None:
    import silvan

    if path.exists() and path.read_bytes() != OLD.encode():
        silvan.load(path)  # its checksum is over every byte


def signal_library(what: str, number: int, seed: int, folder: Path) -> None:
    (folder / "out").write_text(OLD)
    before = set(os.listdir(folder))
    with started(command_of(LIBRARY[what]), cwd=folder) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        outcome = hit(process, number, random.Random(seed).uniform(0.0, 0.6))
    if number == signal.SIGINT:
        assert "KeyboardInterrupt" in outcome.errors
    else:
        assert outcome.code == -number
    check_folder(folder, before, number)
    check_saved(folder / "out")


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_signal_while_saving_leaves_a_whole_file(number, tmp_path):
    signal_library("save", number, 1, tmp_path)


@pytest.mark.faults
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("what", LIBRARY)
def test_signal_at_any_moment_leaves_whole_files(what, number, seed, tmp_path):
    signal_library(what, number, seed, tmp_path)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """A table, and a model that was fitted to it."""
    import numpy as np

    folder = tmp_path_factory.mktemp("inputs")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 6)).round(4)
    lines = [",".join(map(str, row)) + f",{'yes' if row[0] > 0 else 'no'}" for row in X]
    (folder / "table.csv").write_text("\n".join(["a,b,c,d,e,f,target", *lines]) + "\n")
    fit = ["fit", "table.csv", "--target", "target", "--out", "model.silvan"]
    command = [sys.executable, "-m", "silvan", *fit]
    with started([*command, "--trees", "10"], cwd=folder) as process:
        assert finish(process).code == 0
    return folder


@pytest.mark.faults
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("what", COMMANDS)
def test_signal_to_the_program_leaves_whole_files(what, number, seed, inputs, tmp_path):
    for name in ("table.csv", "model.silvan"):
        (tmp_path / name).write_bytes((inputs / name).read_bytes())
    before = set(os.listdir(tmp_path))
    with started([sys.executable, "-c", PROGRAM, *COMMANDS[what]], cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        outcome = hit(process, number, random.Random(seed).uniform(0.0, 5.0))
    assert "Traceback" not in outcome.errors
    check_folder(tmp_path, before, number)
    for name in ("table.csv", "model.silvan"):
        assert (tmp_path / name).read_bytes() == (inputs / name).read_bytes()
    check_saved(tmp_path / "out")
    if (tmp_path / "out.csv").exists():
        assert (tmp_path / "out.csv").read_text().count("\n") == 4001
    if (tmp_path / "out.html").exists():
        assert (tmp_path / "out.html").read_text().rstrip().endswith("</html>")

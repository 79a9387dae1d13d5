"""`silvan score`, lists of columns, and answers that need no library."""

import subprocess
import sys

import pytest

import silvan
from silvan import presets
from silvan.app import names
from silvan.forests.parameters import MAX_TREES

FEW = ("--trees", "10", "--jobs", "1")


def test_a_saved_forest_is_scored_on_labelled_data(run):
    run("fit", "iris.csv", "--target", "species", "--drop", "id,note", "--out", "s.silvan", *FEW)
    result = run("score", "s.silvan", "iris.csv", "--target", "species")
    scores = {line[:20].strip(): float(line[20:28]) for line in result.stdout.splitlines()}
    assert list(scores) == ["accuracy", "balanced accuracy", "log loss", "Brier score", "ROC AUC"]
    assert scores["accuracy"] > 0.95
    assert 0.99 < scores["ROC AUC"] <= 1.0
    assert "the largest class, is right for 33.3%" in result.stderr


def test_numbers_are_scored_beside_their_mean(run):
    run("fit", "diabetes.csv", "--target", "target", "--out", "d.silvan", *FEW)
    result = run("score", "d.silvan", "diabetes.csv", "--target", "target")
    assert [line.split("  ")[0] for line in result.stdout.splitlines()][:2] == ["R²", "RMSE"]
    assert "Always predicting the mean of these rows has an RMSE of 77" in " ".join(
        result.stderr.split()
    )


def test_classes_that_the_forest_does_not_know_are_refused(run, folder):
    run("fit", "iris.csv", "--target", "species", "--drop", "id,note", "--out", "s.silvan", *FEW)
    text = (folder / "iris.csv").read_text().replace("setosa", "rosa")
    (folder / "roses.csv").write_text(text)
    result = run("score", "s.silvan", "roses.csv", "--target", "species", code=3)
    assert "the class rosa, which the forest does not know" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    "arguments", [("--version",), ("--help",), ("fit", "--help"), ("fit", "x.csv", "--nonsense")]
)
def test_help_and_mistakes_are_answered_without_libraries(arguments, tmp_path):
    code = (
        "import sys\nsys.argv[0] = 'silvan'\nfrom silvan.__main__ import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "loaded = {'numpy', 'scipy', 'sklearn', 'pyarrow', 'matplotlib'} & set(sys.modules)\n"
        "print('LOADED', sorted(loaded))\n"
    )
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.splitlines()[-1] == "LOADED []"
    if arguments == ("--version",):
        assert done.stdout.startswith(f"silvan {silvan.__version__}\n")


def test_options_name_what_there_is():
    assert set(names.PRESETS) == set(presets.__all__) - {"graph_morf"}
    assert names.MAX_TREES == MAX_TREES

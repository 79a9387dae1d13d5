"""`silvan score`, lists of columns, and answers that need no library."""

import re
import subprocess
import sys

import pytest
from sklearn.datasets import load_iris

import silvan
from silvan import presets
from silvan.app import names
from silvan.app.models import _KINDS
from silvan.app.parsing import _OTHER_OPTIONS
from silvan.forests.parameters import MAX_TREES

FEW = ("--trees", "10", "--jobs", "1")


def test_a_saved_forest_is_scored_on_labelled_data(run):
    run("fit", "iris.csv", "--target", "species", "--drop", "id,note", "--out", "s.silvan", *FEW)
    result = run("score", "s.silvan", "iris.csv")  # which knows its target
    lines = [re.split("  +", line) for line in result.stdout.splitlines()[1:]]
    scores = {name: float(value) for name, value, *_ in lines}
    assert list(scores) == [
        "accuracy",
        "balanced accuracy",
        "F1",
        "ROC AUC",
        "log loss",
        "Brier score",
    ]
    assert scores["accuracy"] > 0.95
    assert 0.99 < scores["ROC AUC"] <= 1.0
    blind = {name: float(value) for name, _, _, value, _ in lines}
    assert blind["accuracy"] == pytest.approx(1 / 3, abs=1e-3)
    assert blind["ROC AUC"] == 0.5
    said = "150 rows. The baseline is always predicting setosa, the largest class of these rows."
    assert said in " ".join(result.stderr.split())


def test_columns_of_text_are_no_cells_of_a_grid(run):
    grid = ("--target", "species", "--drop", "id,note", "--shape", "4")
    run("fit", "iris.csv", *grid, "--out", "grid.silvan", *FEW)
    assert "accuracy" in run("score", "grid.silvan", "iris.csv", "--drop", "id").stdout
    wrong = run("predict", "grid.silvan", "iris.csv", code=3)
    assert "or name the others in --keep" in " ".join(wrong.stderr.split())
    assert "step 2" in run("info", "grid.silvan").stdout


def test_numbers_are_scored_beside_their_mean(run):
    run("fit", "diabetes.csv", "--target", "target", "--out", "d.silvan", *FEW)
    result = run("score", "d.silvan", "diabetes.csv")
    lines = [re.split("  +", line) for line in result.stdout.splitlines()[1:]]
    assert [line[0] for line in lines] == ["R²", "RMSE", "mean absolute error", "mean error"]
    assert [line[3] for line in lines][:2] == ["0.0000", "77.01"]
    said = "The baseline is always predicting 152.1, the mean of these rows."
    assert said in " ".join(result.stderr.split())


def test_models_remember_the_name_of_their_target(run, folder):
    run("fit", "iris.csv", "--target", "species", "--drop", "id,note", "--out", "s.silvan", *FEW)
    assert "predicts        species: 3 classes: setosa" in run("info", "s.silvan").stdout
    frame = load_iris(as_frame=True)
    forest = silvan.ForestClassifier(3, random_state=0).fit(frame.data, frame.target)
    assert forest.target_name_ == "target"
    assert forest.fit(frame.data, frame.target.to_numpy()).target_name_ is None


def test_test_rows_that_were_learnt_from_are_reported(run, folder):
    lines = (folder / "iris.csv").read_text().splitlines()
    (folder / "some.csv").write_text("\n".join([lines[0], *lines[1:31]]) + "\n")
    (folder / "rest.csv").write_text("\n".join([lines[0], *lines[21:]]) + "\n")
    options = ("--target", "species", "--drop", "id,note", "--test", "some.csv", "--jobs", "1")
    few = ("--against", "rf", "--trees", "5")
    result = run("evaluate", "rest.csv", *options, *few)
    assert re.search(r"1\d of the 30 rows of some.csv are training rows, too", result.stderr)


def test_classes_that_the_forest_does_not_know_are_refused(run, folder):
    run("fit", "iris.csv", "--target", "species", "--drop", "id,note", "--out", "s.silvan", *FEW)
    text = (folder / "iris.csv").read_text().replace("setosa", "rosa")
    (folder / "roses.csv").write_text(text)
    result = run("score", "s.silvan", "roses.csv", "--target", "species", code=3)
    assert "the class rosa, which the forest does not know" in " ".join(result.stderr.split())
    result = run("score", "s.silvan", "iris.csv", "--target", "sepal_length", code=2)
    assert "--target 'sepal_length' is a feature of" in " ".join(result.stderr.split())


FIT = ("fit", "there.csv", "--target", "y", "--out", "x.silvan")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--version",),
        ("--help",),
        ("fit", "--help"),
        ("fit", "x.csv", "--nonsense"),
        ("fit", "x.csv", "--target", "y", "--out", "x.silvan"),
        (*FIT, "--forest", "oak"),
        (*FIT, "--shape", "wide"),
        (*FIT, "--task", "guess"),
        (*FIT, "--set", "max_dept=3"),
        (*FIT, "--jobs", "0"),
        ("evaluate", "there.csv", "--against", "oak"),
        ("predict", "x.silvan", "there.csv"),
        ("predict", "there.csv", "x.silvan"),
        ("score", "x.silvan", "there.csv"),
        ("report", "x.silvan", "there.csv"),
        ("info", "x.silvan"),
    ],
    ids=" ".join,
)
def test_help_and_mistakes_are_answered_without_libraries(arguments, tmp_path):
    code = (
        "import sys\nsys.argv[0] = 'silvan'\nfrom silvan.__main__ import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "loaded = {'numpy', 'scipy', 'sklearn', 'pyarrow', 'matplotlib'} & set(sys.modules)\n"
        "print('LOADED', sorted(loaded))\n"
    )
    (tmp_path / "there.csv").write_text("a,y\n1,2\n")
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.splitlines()[-1] == "LOADED []"
    if arguments == ("--version",):
        assert done.stdout.startswith(f"silvan {silvan.__version__}\n")


def test_help_shows_no_type_beside_flags_and_folds_whole_paragraphs(run):
    for command in ("fit", "predict", "evaluate", "demo"):
        assert "bool" not in run(command, "--help").output
    lines = [line.strip() for line in run("predict", "--help").output.splitlines()]
    (first,) = [line for line in lines if line.startswith("A table needs")]
    assert len(first) > 60
    assert "silvan demo" in [line.strip() for line in run("--help").output.splitlines()]


def test_evaluate_boosts_as_fit_does(run):
    options = ("evaluate", "iris.csv", "--target", "species", "--drop", "id,note", "--boost")
    assert "silvan, boosted" in run(*options, "--against", "none", *FEW).stdout
    wrong = run(*options, "--forest", "rf", code=2)
    assert "--boost grows a forest of its own; leave out --forest rf." in wrong.stderr
    many = run(*options, "--trees", "20000000", code=2)
    assert "--trees must be at most 10,000,000, but it is 20,000,000." in many.stderr


def test_options_name_what_there_is():
    assert set(names.PRESETS) == set(presets.__all__) - {"graph_morf"}
    assert names.MAX_TREES == MAX_TREES
    parameters = [set(kind().get_params(deep=False)) for kind in _KINDS.values()]
    assert set(names.PARAMETERS) == set().union(*parameters) - set(_OTHER_OPTIONS)
    grids = {"s_rerf": {"shape": (4, 4)}}
    forests = [getattr(presets, name)(**grids.get(name, {})) for name in names.PRESETS]
    nested = {name for forest in forests for name in forest.get_params() if "__" in name}
    assert set(names.OF_DIRECTIONS) == nested


def test_data_that_no_forest_takes_are_refused_by_comparisons_and_reports(run, folder):
    rows = [f"{k},{k % 7},{'ab'[k % 2]}" for k in range(40)]
    for name, text in (
        ("finite", "\n".join(rows)),
        ("infinite", "\n".join([*rows[:-1], "inf,3,b"])),
        ("single", "\n".join(rows).replace("b", "a")),
    ):
        (folder / f"{name}.csv").write_text("u,v,y\n" + text + "\n")
    options = ("--target", "y", "--boost", "--trees", "2", "--jobs", "1")
    for name in ("infinite", "single"):
        result = run("evaluate", f"{name}.csv", *options, code=2)
        assert "the forest 'silvan, boosted' cannot be compared on these" in result.output
    run("fit", "finite.csv", *options, "--out", "finite.silvan")
    report = ("report", "finite.silvan", "infinite.csv", "--out", "page.html", "--jobs", "1")
    assert "the forest 'this forest' cannot be compared" in run(*report, code=2).output
    assert "do not fit the forest: Input X" in run(*report, "--against", "", code=3).output
    assert not (folder / "page.html").exists()


REPEATED = {
    "evaluate x.csv --forest rf --forest guided": "--forest is given 2 times; pass the others with "
    "--against.",
    "evaluate x.csv --against rf --against ccf": "--against is given 2 times; separate names by "
    "commas.",
    "fit x.csv --out x --forest rf --forest ccf": "--forest is given 2 times; leave one of them "
    "out.",
    "predict x.silvan x.csv --out a.csv --out b.csv": "--out is given 2 times; leave one",
}


@pytest.mark.parametrize("command", REPEATED)
def test_an_option_for_one_value_is_refused_when_it_is_repeated(run, command):
    assert f"silvan: {REPEATED[command]}" in run(*command.split(), code=2).stderr


def test_options_for_several_values_and_flags_may_be_repeated(run):
    options = ("--target", "species", "--drop", "id", "--drop", "note", "--boost", "--boost")
    run("evaluate", "iris.csv", *options, "--against", "none", *FEW)

"""The program grows, describes and reports boosted forests."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from typer.testing import CliRunner

import silvan
from silvan.app.commands import app
from silvan.app.models import Growing, make_forest


@pytest.fixture(scope="module")
def flowers(tmp_path_factory):
    path = tmp_path_factory.mktemp("boost") / "flowers.csv"
    data = load_iris(as_frame=True)
    frame = data.frame.assign(target=np.array(data.target_names)[data.target])
    frame.to_csv(path, index=False)
    return path


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_a_fit_without_rows_held_out_names_the_command_that_scores_new_rows(flowers, tmp_path):
    fit = ("fit", flowers, "--target", "target", "--boost", "--trees", 3)
    output = run(*fit, "--out", tmp_path / "model")
    assert "loss of training samples" in output
    assert "silvan evaluate --boost says how good it is on new rows" in output
    assert "remembers the target" in run("report", "--help")


def test_fit_predict_info_and_report_of_a_boosted_forest(flowers, tmp_path):
    model, page = tmp_path / "flowers.silvan", tmp_path / "page.html"
    stopping = ("--set", "early_stopping=true", "--set", "min_samples_leaf=5")
    output = run(
        "fit", flowers, "--target", "target", "--boost", "--trees", 60, *stopping, "--out", model
    )
    assert "rounds" in output and "Loss on rows held out" in output
    assert "split along single features or sums and differences of a few random features" in output
    forest = silvan.load(model)
    assert isinstance(forest, silvan.BoostedForestClassifier)
    described = run("info", model)
    assert f"in {forest.n_iter_} rounds, fitted by log loss" in described
    # The spreads that the fit has measured are no part of what was asked for.
    assert "(UnitFree(SparseSigns()), 1.0)" in described
    predicted = run("predict", model, flowers, "--probabilities")
    assert predicted.splitlines()[0] == '"prediction","p_setosa","p_versicolor","p_virginica"'
    run(
        "report",
        model,
        flowers,
        "--target",
        "target",
        "--test",
        flowers,
        "--out",
        page,
        "--against",
        "none",
    )
    text = page.read_text()
    assert "Loss round by round" in text and "rows held out" in text


def test_a_report_without_test_data_says_what_is_missing(flowers, tmp_path):
    model, page = tmp_path / "flowers.silvan", tmp_path / "page.html"
    run("fit", flowers, "--target", "target", "--forest", "boost", "--trees", 5, "--out", model)
    run("report", model, flowers, "--target", "target", "--out", page, "--against", "none")
    assert "Pass rows that it has not seen as --test" in page.read_text()


def test_images_are_boosted_along_patches(tmp_path):
    digits = load_digits()
    np.savez(tmp_path / "digits.npz", X=digits.images[:300], y=digits.target[:300])
    model = tmp_path / "digits.silvan"
    run("fit", tmp_path / "digits.npz", "--boost", "--trees", 5, "--out", model)
    assert isinstance(silvan.load(model), silvan.BoostedManifoldForestClassifier)


@pytest.mark.parametrize(("kind", "rounds"), [("table", 100), ("image", 300)])
def test_boosted_forests_have_their_own_default_number_of_rounds(kind, rounds):
    data = SimpleNamespace(kind=kind, row_shape=(8, 8), contiguous=None, categorical=[])
    growing = Growing()
    assert make_forest("boost", data, "classification", growing).n_estimators == rounds
    assert make_forest("auto", data, "classification", growing).n_estimators == 100
    assert make_forest("boost", data, "regression", Growing(7)).n_estimators == 7
    names = ["boost", "sklearn"]
    assert growing.describe_trees(names) == "100 trees each, boosted forests as by default"
    assert Growing(1).describe_trees(names) == "1 tree each"


def test_boosted_forests_are_compared_by_name(flowers):
    output = run(
        "evaluate", flowers, "--target", "target", "--against", "boost", "--folds", 2, "--trees", 10
    )
    assert "silvan, boosted" in output


def test_boost_excludes_other_forests(flowers, tmp_path):
    arguments = ["fit", str(flowers), "--target", "target", "--boost", "--forest", "rf"]
    result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "model")])
    assert result.exit_code == 2
    assert "leave out --forest rf" in result.output

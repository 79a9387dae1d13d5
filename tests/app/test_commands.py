"""The commands of `silvan` on small data of every kind."""

import io
import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

import silvan
from silvan import __main__
from silvan.app.commands import app
from silvan.app.data import open_source
from silvan.app.data.dataset import Layout

IRIS = ("--target", "species", "--drop", "id", "--drop", "note")
LABELS = ("--target", "labels.npy", "--shape", "8x8")
_CODECS = {"gz": "gzip", "bz2": "bz2", "zst": "zstd", "lz4": "lz4"}
FEW = ("--trees", "10", "--jobs", "1")


def messages(result) -> str:
    """What the program said, on one line."""
    return " ".join(result.stderr.split())


def printed_table(result) -> pa.Table:
    return pa.csv.read_csv(io.BytesIO(result.stdout_bytes))


def test_a_target_of_one_class_is_pointed_out(run, folder):
    (folder / "one.csv").write_text("a,b,y\n" + "1,2,x\n" * 5)
    result = run("fit", "one.csv", "--target", "y", "--out", "one.silvan", *FEW)
    assert "every row has x, so every prediction will be that." in messages(result)
    # A forest that is there already predicts what it has learnt.
    assert "every row has x." in messages(run("score", "one.silvan", "one.csv"))


def test_other_data_than_those_of_fit_are_refused_before_forests_are_compared(
    run, folder, monkeypatch
):
    head, *rows = (folder / "iris.csv").read_text().splitlines()
    (folder / "part.csv").write_text("\n".join([head, *rows[:120]]))
    run("fit", "iris.csv", *IRIS, "--out", "all.silvan", *FEW)
    monkeypatch.setattr("silvan.app.comparison.compare", None)  # work would fail
    result = run("report", "all.silvan", "part.csv", *IRIS, code=3)
    assert "fitted on 150 rows but the data have 120" in messages(result)


@pytest.mark.parametrize("name", ["iris.csv", "iris.parquet", "iris.arrow"])
def test_a_table_is_fitted_and_predicted_in_any_format(run, folder, name):
    result = run("fit", name, *IRIS, "--out", f"{name}.silvan", *FEW)
    assert f"{name}: a table of 150 rows and 4 features." in messages(result)
    assert "Target 'species': 3 classes, so this is classification." in messages(result)
    assert "Out-of-bag accuracy: 0.9" in result.stdout
    forest = silvan.load(folder / f"{name}.silvan")
    assert forest.verbose == 0
    assert forest.feature_names_in_[0] == "sepal_length"
    # Columns are found by name, so their order and further ones do not matter.
    shuffled = pa.parquet.read_table(folder / "iris.parquet")
    shuffled = shuffled.select(
        ["petal_width", "species", "petal_length", "id", "sepal_width", "sepal_length"]
    )
    pa.parquet.write_table(shuffled, folder / "shuffled.parquet")
    table = printed_table(
        run("predict", f"{name}.silvan", "shuffled.parquet", "--keep", "id", "-p")
    )
    assert table.column_names == ["id", "prediction", "p_setosa", "p_versicolor", "p_virginica"]
    frame = shuffled.select(list(forest.feature_names_in_)).cast(
        pa.schema([(n, pa.float32()) for n in forest.feature_names_in_])
    )
    expected = forest.predict_proba(frame)
    given = np.column_stack([table[f"p_{label}"] for label in forest.classes_])
    np.testing.assert_allclose(given, expected, atol=1e-6)
    assert table["prediction"].to_pylist() == forest.predict(frame).tolist()
    assert table["id"].to_pylist() == shuffled["id"].to_pylist()


def test_the_same_table_gives_the_same_forest_in_every_format(run, folder):
    forests = []
    for name in ("iris.csv", "iris.parquet", "iris.arrow"):
        run("fit", name, *IRIS, "--out", "same.silvan", *FEW)
        forests.append(silvan.load(folder / "same.silvan").forest_)
    for forest in forests[1:]:
        np.testing.assert_array_equal(forest.threshold, forests[0].threshold)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow"])
def test_predictions_are_written_in_several_formats(run, folder, suffix):
    run("fit", "iris.csv", *IRIS, "--out", "iris.silvan", *FEW)
    result = run("predict", "iris.silvan", "iris.csv", "--out", f"answers.{suffix}")
    assert f"Predicted 150 rows into answers.{suffix}." in messages(result)
    read = {
        "csv": pa.csv.read_csv,
        "parquet": pa.parquet.read_table,
        "arrow": pa.feather.read_table,
    }[suffix]
    table = read(str(folder / f"answers.{suffix}"))
    truth = pa.csv.read_csv(folder / "iris.csv")["species"].to_pylist()
    assert np.mean(np.array(table["prediction"].to_pylist()) == truth) > 0.95


def test_batches_give_what_one_batch_gives(run, folder, monkeypatch):
    run("fit", "digits.npz", "--out", "digits.silvan", *FEW)
    whole = {
        name: run("predict", "digits.silvan", name, "-p").stdout
        for name in ("digits.npz", "packed.npz", "rows.npy")
    }
    assert len(set(whole.values())) == 1
    monkeypatch.setattr("silvan.app.prediction.BATCH_ROWS", 7)
    for name, text in whole.items():
        assert run("predict", "digits.silvan", name, "-p").stdout == text
    run("fit", "iris.csv", *IRIS, "--out", "iris.silvan", *FEW)
    for name in ("iris.csv", "iris.parquet", "iris.arrow"):
        assert printed_table(run("predict", "iris.silvan", name)).num_rows == 150


@pytest.mark.parametrize("suffix", ["gz", "bz2", "zst", "lz4"])
def test_compressed_text_is_read_block_by_block(run, folder, suffix):
    lines = (folder / "iris.csv").read_text().splitlines()
    many = "\n".join([lines[0], *lines[1:] * 700]).encode()  # of two blocks
    for name, content in (("iris", "\n".join(lines).encode()), ("many", many)):
        with pa.CompressedOutputStream(str(folder / f"{name}.csv.{suffix}"), _CODECS[suffix]) as f:
            f.write(content)
    run("fit", f"iris.csv.{suffix}", *IRIS, "--out", "packed.silvan", *FEW)
    run("fit", "iris.csv", *IRIS, "--out", "iris.silvan", *FEW)
    forests = [silvan.load(folder / name).forest_ for name in ("packed.silvan", "iris.silvan")]
    np.testing.assert_array_equal(forests[0].threshold, forests[1].threshold)
    expected = printed_table(run("predict", "iris.silvan", "iris.csv"))["prediction"].to_pylist()
    run("predict", "packed.silvan", f"many.csv.{suffix}", "--out", "many.parquet")
    answers = pa.parquet.read_table(folder / "many.parquet")["prediction"].to_pylist()
    assert answers == expected * 700


@pytest.mark.parametrize("suffix", ["gz", "bz2", "zst"])
def test_a_compressed_file_that_was_cut_short_is_refused(run, folder, suffix):
    run("fit", "iris.csv", *IRIS, "--out", "iris.silvan", *FEW)
    path = folder / f"cut.csv.{suffix}"
    with pa.CompressedOutputStream(str(path), _CODECS[suffix]) as file:
        head, _, rows = (folder / "iris.csv").read_bytes().partition(b"\n")
        file.write(head + b"\n" + rows * 700)
    path.write_bytes(path.read_bytes()[:-30])
    result = run("predict", "iris.silvan", path.name, "--out", "cut.parquet", code=3)
    assert f"cut.csv.{suffix} cannot be read" in messages(result)
    assert not (folder / "cut.parquet").exists()


def test_a_large_row_group_is_read_in_small_batches(folder):
    table = pa.table({"a": np.arange(100_000.0), "y": np.arange(100_000) % 2})
    pa.parquet.write_table(table, folder / "group.parquet", row_group_size=100_000)
    source = open_source(folder / "group.parquet")
    batches = list(source.batches(Layout(1, ("a",), None, ("y",)), 1000))
    assert max(len(batch.X) for batch in batches) == 1000
    np.testing.assert_array_equal(
        np.concatenate([np.asarray(batch.X["a"]) for batch in batches]), table["a"]
    )


def test_numbers_are_regressed_on_and_missing_values_are_allowed(run, folder):
    result = run("fit", "diabetes.csv", "--target", "target", "--out", "diabetes.silvan", *FEW)
    assert "numbers from 25 to 346, so this is regression." in messages(result)
    assert isinstance(silvan.load(folder / "diabetes.silvan"), silvan.ForestRegressor)
    table = printed_table(run("predict", "diabetes.silvan", "diabetes.csv"))
    truth = pa.csv.read_csv(
        folder / "diabetes.csv", parse_options=pa.csv.ParseOptions(delimiter=";")
    )["target"]
    assert np.corrcoef(table["prediction"], truth)[0, 1] > 0.9


def test_arrays_are_recognised_as_images(run, folder):
    assert "240 images of 8 x 8 pixels" in messages(
        run("fit", "digits.npz", "--out", "a.silvan", *FEW)
    )
    flat = ("fit", "rows.npy", "--target", "labels.npy", "--out", "b.silvan", *FEW)
    assert "a table of 240 rows and 64 features" in messages(run(*flat))
    assert "240 images of 8 x 8 pixels" in messages(run(*flat, "--shape", "8x8"))
    same = [silvan.load(folder / name).forest_ for name in ("a.silvan", "b.silvan")]
    np.testing.assert_array_equal(same[0].threshold, same[1].threshold)
    assert "240 series of 64 time steps" in messages(run(*flat, "--shape", "64"))


def test_columns_of_pixels_lie_on_a_grid(run, folder):
    images = np.load(folder / "digits.npz")
    columns = {f"p{k}": images["X"].reshape(240, -1)[:, k] for k in range(64)}
    pa.csv.write_csv(pa.table({"digit": images["y"], **columns}), folder / "pixels.csv")
    grid = ("--target", "digit", "--shape", "8x8")
    run("fit", "pixels.csv", *grid, "--out", "pixels.silvan", *FEW)
    assert silvan.load(folder / "pixels.silvan").shape_ == (8, 8)
    pa.csv.write_csv(pa.table(columns), folder / "only_pixels.csv")
    table = printed_table(run("predict", "pixels.silvan", "only_pixels.csv"))
    assert np.mean(np.asarray(table["prediction"]) == images["y"]) > 0.95


def test_folders_are_classes_of_images(run, folder):
    result = run("fit", "photos", "--out", "photos.silvan", *FEW)
    assert "photos: 80 images of 8 x 8 pixels; in grey." in messages(result)
    table = printed_table(run("predict", "photos.silvan", "photos"))
    right = [
        os.path.dirname(file) == label
        for file, label in zip(
            *(table[name].to_pylist() for name in ("file", "prediction")), strict=True
        )
    ]
    assert np.mean(right) > 0.9
    run("fit", "photos", "--shape", "6x5", "--out", "small.silvan", *FEW)
    assert silvan.load(folder / "small.silvan").shape_ == (6, 5)


def test_series_of_the_archives_are_read(run, folder):
    result = run("fit", "bumps_train.ts", "--out", "bumps.silvan", *FEW)
    assert "40 series of 30 time steps in 2 channels." in messages(result)
    forest = silvan.load(folder / "bumps.silvan")
    assert forest.shape_ == (2, 30)
    assert forest.contiguous == (False, True)
    table = printed_table(run("predict", "bumps.silvan", "bumps_test.ts"))
    assert table["prediction"].to_pylist() == ["early", "late"] * 20
    result = run("fit", "bumps.tsv", "--out", "line.silvan", *FEW)
    assert "40 series of 30 time steps." in messages(result)
    assert list(silvan.load(folder / "line.silvan").classes_) == [0, 1]


def test_presets_and_parameters_reach_the_forest(run, folder):
    options = ("--forest", "f_rc", "--set", "max_depth=3", "--set", "criterion=entropy")
    run("fit", "iris.csv", *IRIS, *options, "--out", "f_rc.silvan", *FEW, "--no-out-of-bag")
    printed = run("info", "f_rc.silvan").stdout
    for text in (
        "UniformCombinations()",
        "max_depth=3",
        "criterion='entropy'",
        "3 classes: setosa,",
    ):
        assert text in printed
    assert "out of bag" not in printed
    assert "silvan.load('f_rc.silvan')" in printed


def test_fit_says_which_forests_do_not_search_for_thresholds(run):
    endings = {
        "rerf": "a few random features.",
        "extra_trees": "single features, at random thresholds.",
        "agnostic": "a few random features, at random thresholds that ignore the target.",
    }
    for name, ending in endings.items():
        result = run("fit", "iris.csv", *IRIS, "--forest", name, "--out", "grown.silvan", *FEW)
        assert f"{ending} " in " ".join(result.stdout.split())


def test_evaluate_compares_forests(run):
    names = "sklearn,rf,sporf,ccf"
    printed = run("evaluate", "iris.csv", *IRIS, "--against", names, *FEW, "--folds", "3").stdout
    lines = printed.splitlines()
    assert [line.split()[0] for line in lines[2:]] == [
        "silvan",
        "scikit-learn",
        "rf",
        "sporf",
        "ccf",
    ]
    assert all(" 0.9" in line and "±" in line for line in lines[2:])
    printed = run(
        "evaluate", "bumps_train.ts", "--test", "bumps_test.ts", "--against", "morf", *FEW
    ).stdout
    assert "±" not in printed
    assert "morf" in printed
    printed = run("evaluate", "diabetes.csv", "--target", "target", "--against", "rf", *FEW).stdout
    assert "R²" in printed.splitlines()[0]


WRONG = {
    "missing data": (3, ["fit", "none.csv", "--out", "x"], "none.csv does not exist"),
    "no target": (
        2,
        ["fit", "iris.csv", "--out", "x"],
        "Name it with --target; the columns are 'id',",
    ),
    "unknown target": (
        2,
        ["fit", "iris.csv", "--target", "specis", "--out", "x"],
        "--target 'specis' is not a column of iris.csv (did you mean 'species'?)",
    ),
    "text on a grid": (
        2,
        ["fit", "iris.csv", "--target", "species", "--shape", "2x3", "--out", "x"],
        "column 'note' holds text, which cannot be features here; leave it out (--drop note).",
    ),
    "categories of nothing": (
        2,
        ["fit", "iris.csv", "--target", "species", "--categorical", "nota", "--out", "x"],
        "--categorical 'nota' is not a column of iris.csv (did you mean 'note'?)",
    ),
    "categories of the target": (
        2,
        ["fit", "iris.csv", "--target", "species", "--categorical", "species", "--out", "x"],
        "--categorical 'species' is not a feature; leave it out.",
    ),
    "categories of an array": (
        2,
        ["fit", "digits.npz", "--categorical", "a", "--out", "x"],
        "--categorical is for tables with names of columns; leave it out.",
    ),
    "wrong shape": (
        2,
        ["fit", "rows.npy", "--target", "labels.npy", "--shape", "7x9", "--out", "x"],
        "--shape 7x9 has 63 cells but a row has 64 values",
    ),
    "no shape": (
        2,
        ["fit", "rows.npy", "--shape", "wide", "--out", "x"],
        "--shape takes sizes such as",
    ),
    "no targets of an array": (
        2,
        ["fit", "rows.npy", "--out", "x"],
        "--target must name the .npy file with the targets of rows.npy.",
    ),
    "unknown forest": (
        2,
        ["fit", "iris.csv", *IRIS, "--forest", "oak", "--out", "x"],
        "there is no forest called 'oak'; choose auto",
    ),
    "misspelt forest": (
        2,
        ["fit", "none.csv", *IRIS, "--forest", "srerf", "--out", "x"],
        "there is no forest called 'srerf' (did you mean 's_rerf'?); choose auto",
    ),
    "misspelt rival": (
        2,
        ["evaluate", "none.csv", *IRIS, "--against", "sklern"],
        "there is no forest called 'sklern' (did you mean 'sklearn'?)",
    ),
    "patches of a table": (
        2,
        ["fit", "iris.csv", *IRIS, "--forest", "morf", "--out", "x"],
        "the forest 'morf' needs rows on a grid; say which with --shape",
    ),
    "unknown parameter": (
        2,
        ["fit", "iris.csv", *IRIS, "--set", "depth=3", "--out", "x"],
        "--set depth=... is not a parameter of a forest (did you mean 'max_depth'?)",
    ),
    "parameter of directions": (
        2,
        ["fit", "none.csv", "--forest", "guided", "--set", "trees_per_round=10", "--out", "x"],
        "--set trees_per_round=... is not a parameter of a forest (did you mean "
        "'projections__trees_per_round'?)",
    ),
    "parameter of a grid and of directions": (
        2,
        ["fit", "rows.npy", *LABELS, "--forest", "s_rerf", "--set", "max_size=3", "--out", "x"],
        "is not a parameter of ForestClassifier (did you mean 'projections__max_size'?); it has",
    ),
    "parameter of other directions": (
        2,
        ["fit", "iris.csv", *IRIS, "--set", "projections__trees_per_round=10", "--out", "x"],
        "--set projections__trees_per_round=... is not a parameter of the directions of this "
        "forest; they have density, mean_nonzeros, counts, empty; choose other directions with",
    ),
    "misspelt parameter of directions": (
        2,
        ["fit", "iris.csv", *IRIS, "--set", "projections__densty=10", "--out", "x"],
        "of the directions of this forest (did you mean 'density'?); they have",
    ),
    "parameter of a word": (
        2,
        ["fit", "rows.npy", *LABELS, "--set", "channels__n=1", "--out", "x"],
        "--set channels__n=... is not a parameter of ManifoldForestClassifier (did you",
    ),
    "directions as a parameter": (
        2,
        ["fit", "iris.csv", *IRIS, "--set", "projections=AxisAligned()", "--out", "x"],
        "--set cannot change projections; choose directions with --forest, and change theirs as",
    ),
    "data alone in place of a model": (
        4,
        ["info", "iris.csv"],
        "iris.csv is a file of data, not a model; name the model that silvan fit wrote.",
    ),
    "parameter given twice": (
        2,
        ["fit", "iris.csv", *IRIS, "--set", "max_depth=3", "--set", "max_depth=5", "--out", "x"],
        "--set max_depth=... is given twice; leave one of them out.",
    ),
    "parameter of another forest": (
        2,
        ["fit", "iris.csv", *IRIS, "--set", "learning_rate=0.1", "--out", "x"],
        "--set learning_rate=... is not a parameter of ForestClassifier; it has",
    ),
    "data in place of a model": (
        4,
        ["predict", "iris.csv", "x.silvan"],
        "iris.csv is a file of data, not a model; pass the model that silvan fit wrote first",
    ),
    "bad parameter": (
        2,
        ["fit", "iris.csv", *IRIS, "--set", "max_depth=0", "--out", "x"],
        "the forest cannot be grown: max_depth must be",
    ),
    "text as numbers": (
        2,
        ["fit", "iris.csv", *IRIS, "--task", "regression", "--out", "x"],
        "--task regression needs numbers",
    ),
    "unknown kind": (
        2,
        ["fit", "iris.csv", "--kind", "sound", "--out", "x"],
        "--kind must be table or",
    ),
    "long name": (
        2,
        ["fit", "iris.csv", *IRIS, "--out", 300 * "x"],
        "cannot be the name of a file",
    ),
    "no jobs": (2, ["fit", "iris.csv", "--jobs", "0", "--out", "x"], "--jobs must be at least 1"),
    "many folds": (
        2,
        ["evaluate", "iris.csv", *IRIS, "--folds", "60", *FEW],
        "no class has more than 50 rows, which 60 folds cannot share",
    ),
    "no model": (
        4,
        ["info", "none.silvan"],
        "none.silvan does not exist; make a model with: silvan fit",
    ),
    "not a model": (4, ["info", "letter.txt"], "letter.txt: this file is not a saved forest"),
    "unknown format": (
        3,
        ["predict", "good.silvan", "conftest.xyz"],
        "conftest.xyz does not exist",
    ),
    "other columns": (
        3,
        ["predict", "good.silvan", "diabetes.csv"],
        "diabetes.csv lacks 4 of the 4 columns that the forest was fitted on: 'sepal_length'",
    ),
    "other kind": (3, ["predict", "good.silvan", "photos"], "photos has images but the forest was"),
    "other length": (
        3,
        ["predict", "good.silvan", "rows.npy"],
        "rows of rows.npy have shape (64,)",
    ),
    "unknown output": (
        2,
        ["predict", "good.silvan", "iris.csv", "--out", "answers.xls"],
        "--out must end in .csv, .parquet, .arrow, but it is answers.xls",
    ),
    "other data": (
        3,
        ["report", "good.silvan", "fewer.csv", *IRIS, "--against", "none"],
        "the forest was fitted on 150 rows but the data have 100; pass the data that it was fitted "
        "on, and other rows as --test.",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_get_a_sentence_and_an_exit_code(run, folder, case):
    if not (folder / "good.silvan").exists():
        run("fit", "iris.csv", *IRIS, "--out", "good.silvan", *FEW)
        (folder / "letter.txt").write_text("Dear reader, this is no forest.")
        fewer = pa.csv.read_csv(folder / "iris.csv").slice(0, 100)
        pa.csv.write_csv(fewer, folder / "fewer.csv")
    code, arguments, text = WRONG[case]
    result = run(*arguments, code=code)
    assert messages(result).startswith("silvan: ") or " silvan: " in messages(result)
    assert text in messages(result)
    assert "Traceback" not in result.output
    assert not (folder / "x").exists()
    assert not (folder / "answers.xls").exists()


def test_one_row_is_not_called_rows(run, folder):
    (folder / "one.csv").write_text("a,y\n1,yes\n")
    said = messages(run("fit", "one.csv", "--target", "y", "--out", "one.silvan", *FEW))
    assert "one.csv: a table of 1 row and 1 feature." in said
    assert "Predicted 1 row." in messages(run("predict", "one.silvan", "one.csv"))


def test_a_damaged_model_is_refused(run, folder):
    run("fit", "iris.csv", *IRIS, "--out", "whole.silvan", *FEW)
    content = (folder / "whole.silvan").read_bytes()
    (folder / "cut.silvan").write_bytes(content[:-40])
    assert "damaged" in messages(run("predict", "cut.silvan", "iris.csv", code=4))


def test_a_model_that_does_not_predict_is_refused(run, folder):
    X = np.random.default_rng(0).normal(size=(40, 4))
    silvan.DensityForest(2, random_state=0).fit(X).save(folder / "density.silvan")
    for command in (("info", "density.silvan"), ("predict", "density.silvan", "iris.csv")):
        assert "DensityForest, which does not predict" in messages(run(*command, code=4))


def test_text_far_down_a_column_of_numbers_is_reported(run, folder):
    rows = "".join(f"{k},{k % 2}\n" for k in range(700_000))
    (folder / "late.csv").write_text("a,y\n" + rows + "oops,1\n")
    result = run("fit", "late.csv", "--target", "y", "--out", "x", code=3)
    said = "column 'a' holds numbers in 700,000 rows and words in 1: 'oops' (1); read the words of "
    assert said in messages(result)
    assert "(--missing oops), leave the column out (--drop a), or insist" in messages(result)


def test_half_written_predictions_are_removed(run, folder):
    run("fit", "iris.csv", *IRIS, "--out", "iris.silvan", *FEW)
    text = (folder / "iris.csv").read_text().splitlines()
    broken = text[1].replace(text[1].split(",")[1], '"?!"')
    lines = [text[0], *text[1:] * 1200, broken]
    (folder / "broken.csv").write_text("\n".join(lines))
    result = run("predict", "iris.silvan", "broken.csv", "--out", "half.csv", code=3)
    assert (
        "column 'sepal_length' of broken.csv has '?!' in row 180,002, which is not a number"
        in messages(result)
    )
    assert not (folder / "half.csv").exists()


def test_columns_of_true_and_false_are_features(run, folder):
    rows = "".join(f"{k % 3},{str(k % 2 == 0).lower()},{'ab'[k % 2]}\n" for k in range(60))
    (folder / "flags.csv").write_text("a,flag,y\n" + rows)
    run("fit", "flags.csv", "--target", "y", "--out", "flags.silvan", *FEW)
    table = printed_table(run("predict", "flags.silvan", "flags.csv"))
    assert table["prediction"].to_pylist() == ["a", "b"] * 30


def test_a_file_without_names_of_columns_is_understood(run, folder):
    rows = "".join(f"{k % 7},{k % 5},{k % 2}\n" for k in range(60))
    (folder / "bare.csv").write_text(rows)
    result = run("fit", "bare.csv", "--target", "c3", "--out", "bare.silvan", *FEW)
    assert "no header: columns are c1 to c3" in messages(result)


@pytest.mark.parametrize("command", [None, "demo", "fit", "predict", "evaluate", "report", "info"])
def test_help_teaches_by_example(run, command):
    printed = run(*([] if command is None else [command]), "--help").stdout
    example = "silvan fit" if command is None else f"silvan {command}"
    assert command in ("demo", "info") or example in printed
    assert "--help" in printed


def test_the_program_runs_as_a_module():
    result = subprocess.run(
        [sys.executable, "-m", "silvan", "info", "none.silvan"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 4
    assert result.stderr.startswith("silvan: none.silvan does not exist")


def test_without_the_extra_the_program_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(__main__, "find_spec", lambda name: None if name == "typer" else name)
    with pytest.raises(SystemExit) as stop:
        __main__.main()
    assert "needs typer, which this Python does not have" in str(stop.value)
    assert 'pip install "silvan[cli]"' in str(stop.value)


def test_every_command_is_listed():
    assert {command.callback.__name__ for command in app.registered_commands} == {
        "demo",
        "fit",
        "predict",
        "evaluate",
        "score",
        "report",
        "info",
    }

"""Tables that are wide, or whose values a careless reader would merge or misread."""

import io
import os
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import silvan
from silvan.app.data import Request, open_source
from silvan.app.data.scanning import Scanner
from silvan.app.models import decide_task, layout_of
from silvan.app.parsing import parse_settings

FEW = ("--trees", "5", "--jobs", "1")


def messages(result) -> str:
    return " ".join(result.stderr.split())


def predictions(result) -> list:
    options = pa.csv.ConvertOptions(column_types={"prediction": pa.string()})
    table = pa.csv.read_csv(io.BytesIO(result.stdout_bytes), convert_options=options)
    return table["prediction"].to_pylist()


LARGE = {
    "beyond 64 bits": ["10000000000000000000000", "20000000000000000000000"],
    "floats": ["1e19", "2e19"],
    "neighbours": ["9223372036854775808", "9223372036854775809"],
    "the largest": ["18446744073709551614", "18446744073709551615"],
    "beyond doubles": ["9007199254740992", "9007199254740993"],
}


@pytest.mark.parametrize("kind", LARGE)
def test_large_labels_stay_apart(run, folder, kind):
    labels = LARGE[kind]
    lines = [f"{k % 2},{labels[k % 2]}" for k in range(40)]
    (folder / "large.csv").write_text("\n".join(["a,y", *lines]))
    run("fit", "large.csv", "--target", "y", "--out", "large.silvan", *FEW)
    forest = silvan.load(folder / "large.silvan")
    assert [float(label) for label in forest.classes_] == [float(label) for label in labels]
    predicted = predictions(run("predict", "large.silvan", "large.csv"))
    assert predicted[0] != predicted[1]
    assert predicted == predicted[:2] * 20
    if kind in ("neighbours", "the largest", "beyond doubles"):
        assert predicted[:2] == labels


def test_unsigned_labels_of_typed_files_stay_apart(run, folder):
    y = np.array([2**63, 2**63 + 1] * 20, dtype=np.uint64)
    pa.parquet.write_table(pa.table({"a": np.arange(40) % 2, "y": y}), folder / "u.parquet")
    np.savez(folder / "u.npz", X=(np.arange(40.0) % 2)[:, None], y=y)
    for name, target in (("u.parquet", ("--target", "y")), ("u.npz", ())):
        run("fit", name, *target, "--out", "u.silvan", *FEW)
        assert silvan.load(folder / "u.silvan").classes_.tolist() == [2**63, 2**63 + 1]
        assert predictions(run("predict", "u.silvan", name)) == [str(label) for label in y]


def test_many_large_whole_numbers_are_measurements():
    y = np.arange(40, dtype=np.float64) * 1e20
    assert decide_task(y, None)[1] == "regression"


def test_classes_that_are_no_classes_are_refused_before_anything_is_said(run, folder):
    (folder / "floats.csv").write_text("a,y\n" + "".join(f"{k},{k / 4}\n" for k in range(40)))
    fit = ("fit", "floats.csv", "--target", "y", "--out", "f.silvan", *FEW)
    result = run(*fit, "--task", "classification", code=2)
    assert messages(result).startswith("silvan: --task classification needs text or whole numbers")
    assert "has, for example, 0.25; leave it out to predict numbers" in messages(result)


def test_targets_of_another_kind_than_the_forest_predicts_are_refused_as_such(run, folder):
    letters = "".join(f"{k},{'ab'[k % 2]}\n" for k in range(40))
    numbers = "".join(f"{k},{k / 4}\n" for k in range(40))
    for mine, other, kind in ((letters, numbers, "classes"), (numbers, letters, "numbers")):
        (folder / "mine.csv").write_text("x,y\n" + mine)
        (folder / "other.csv").write_text("x,y\n" + other)
        run("fit", "mine.csv", "--target", "y", "--out", "f.silvan", *FEW)
        result = run("score", "f.silvan", "other.csv", code=2)
        assert f"the forest predicts {kind}, but the target " in messages(result)
        assert "--task" not in messages(result)


def test_settings_may_be_written_as_in_python():
    texts = (
        "early_stopping=True",
        "subsample=.5",
        "max_depth=None",
        "pool_size=none",
        "shape=(8, 8)",
    )
    assert list(parse_settings(texts).values()) == [True, 0.5, None, None, (8, 8)]
    texts = ("loss=huber", "honest=true", "max_features=[[", "monotonic_cst={'x': 1}")
    assert list(parse_settings(texts).values()) == ["huber", True, "[[", {"x": 1}]
    deep = "[" * 100_000
    assert parse_settings([f"shape={deep}"]) == {"shape": deep}


def test_a_target_that_is_not_finite_is_refused_for_every_task(run, folder):
    (folder / "inf.csv").write_text("a,y\n1,0.5\n2,inf\n3,2\n")
    for task in ((), ("--task", "regression")):
        result = run("fit", "inf.csv", "--target", "y", "--out", "i.silvan", *task, code=2)
        assert "the target has values that are not finite; remove these rows" in messages(result)


def write_wide(path, n_columns: int, *, text: bool) -> None:
    value = "ab".__getitem__ if text else str
    rows = [
        ",".join([*(value((j + k) % 2) for j in range(n_columns)), "yn"[k % 2]]) for k in range(6)
    ]
    names = ",".join([*(f"feature_{j}" for j in range(n_columns)), "y"])
    path.write_text("\n".join([names, *rows]))


def seconds_to_read(path) -> float:
    """The least of some processor times to read as fit does, and as predict does."""
    times = []
    for _ in range(3):
        start = time.process_time()
        data = open_source(path).read(Request("y"))
        list(open_source(path).batches(data.layout, 1000))
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize("text", [False, True])
def test_the_time_to_read_grows_with_the_number_of_columns(tmp_path, text):
    n = 500 if text else 2000
    for name, n_columns in (("few", n), ("many", 4 * n)):
        write_wide(tmp_path / f"{name}.csv", n_columns, text=text)
    ratio = seconds_to_read(tmp_path / "many.csv") / seconds_to_read(tmp_path / "few.csv")
    # 16 if each column were looked up among all.
    assert ratio < 9, ratio


def test_20_000_columns_go_through_every_command(run, folder):
    write_wide(folder / "wide.csv", 20_000, text=False)
    start = time.process_time()
    run("fit", "wide.csv", "--target", "y", "--out", "wide.silvan", *FEW)
    run("predict", "wide.silvan", "wide.csv", "--out", "wide_p.csv")
    run(
        "report", "wide.silvan", "wide.csv", "--target", "y", "--against", "none", "--out", "w.html"
    )
    # A minute of quadratic look-ups before; some seconds now.
    assert time.process_time() - start < 60
    assert layout_of(silvan.load(folder / "wide.silvan")).n_features == 20_000


def test_one_word_does_not_make_200_000_categories(run, folder):
    lines = [f"{k / 7:.6f},{k % 2}" for k in range(200_000)]
    lines[5] = "oops,1"
    (folder / "word.csv").write_text("\n".join(["a,y", *lines]))
    fit = ("fit", "word.csv", "--target", "y", "--out", "word.silvan", *FEW)
    result = run(*fit, code=3)
    assert "column 'a' holds numbers in 199,999 rows and words in 1: 'oops' (1)" in messages(result)
    run(*fit, "--missing", "oops", "--set", "max_depth=5")
    assert (folder / "word.silvan").stat().st_size < 2e7
    result = run("predict", "word.silvan", "word.csv", code=3)
    said = "column 'a' of word.csv has 'oops' in row 7, which is not a number; correct it, read it"
    assert said in messages(result)
    assert (
        len(predictions(run("predict", "word.silvan", "word.csv", "--missing", "oops"))) == 200_000
    )


def test_words_for_missing_values_are_those_of_text_tables(run, folder):
    for name in ("iris.parquet", "digits.npz", "photos"):
        result = run("fit", name, "--missing", "x", "--out", "x.silvan", code=2)
        said = f"--missing, --decimal and --encoding are for text tables, but {name} is not one"
        assert said in messages(result)
    result = run("fit", "iris.csv", "--decimal", ";", "--out", "x.silvan", code=2)
    assert "--decimal must be . or a comma, but it is ';'" in messages(result)


def test_quoted_line_ends_between_blocks_are_read(run, folder):
    row = '"first line\nsecond line",{},{}\n'
    text = "".join(row.format(k % 7, k % 2) for k in range(250_000))  # of two blocks
    (folder / "lines.csv").write_text("a,b,y\n" + text)
    data = open_source(folder / "lines.csv").read(Request("y"))
    assert len(data.y) == 250_000
    assert data.X["a"].unique().to_pylist() == ["first line\nsecond line"]


def test_latin_1_far_down_is_refused_in_a_sentence(run, folder):
    rows = "".join(f"plain text,{k % 2}\n" for k in range(400_000)).encode()
    (folder / "far.csv").write_bytes(b"a,y\n" + rows + "größe,1\n".encode("latin-1"))
    result = run("fit", "far.csv", "--target", "y", "--out", "x.silvan", code=3)
    assert "far.csv has bytes that are not text in its encoding; name it with" in messages(result)


def test_another_decimal_sign_is_suggested_to_predict(run, folder):
    rows = [f"{k / 7:.3f};{k % 2}\n" for k in range(40)]
    (folder / "points.csv").write_text("a;y\n" + "".join(rows))
    (folder / "commas.csv").write_text("a;y\n" + "".join(rows).replace(".", ","))
    run("fit", "points.csv", "--target", "y", "--out", "points.silvan", *FEW)
    said = messages(run("predict", "points.silvan", "commas.csv", code=3))
    assert "which is not a number with '.' as the decimal sign; pass --decimal , if that is" in said
    assert "--missing" not in said
    said = messages(run("predict", "points.silvan", "points.csv", "--decimal", ",", code=3))
    assert "not a number with ',' as the decimal sign; pass --decimal . if" in said
    right = run("predict", "points.silvan", "commas.csv", "--decimal", ",")
    assert predictions(right) == predictions(run("predict", "points.silvan", "points.csv"))


@pytest.mark.parametrize("name", ["X", "y"])
def test_arrays_of_objects_are_not_called_damaged(run, folder, name):
    arrays = {"X": np.arange(40.0).reshape(20, 2), "y": np.arange(20) % 2}
    np.savez(folder / "plain.npz", **arrays)
    arrays[name] = arrays[name].astype(object)
    np.savez(folder / "objects.npz", **arrays)
    said = messages(run("fit", "objects.npz", "--out", "x.silvan", code=3))
    assert f"the array '{name}' of objects.npz holds Python objects, which are not read" in said
    np.save(folder / "X.npy", arrays["X"])
    np.save(folder / "y.npy", arrays["y"])
    said = messages(run("fit", "X.npy", "--target", "y.npy", "--out", "x.silvan", code=3))
    assert f"{name}.npy holds Python objects, which are not read; save it as numbers" in said
    run("fit", "plain.npz", "--out", "plain.silvan", *FEW)
    if name == "X":
        said = messages(run("predict", "plain.silvan", "objects.npz", code=3))
        assert "objects.npz holds Python objects" in said


def test_the_target_cannot_be_dropped(run):
    options = ("--target", "species", "--drop", "species", "--out", "x.silvan")
    said = messages(run("fit", "iris.csv", *options, code=2))
    assert "--drop 'species' is the target, which is not a feature; leave it out." in said


@pytest.mark.parametrize(
    ("setting", "remedy"),
    [
        ("oob_score=print", "the program estimates it itself where it can"),
        ("n_estimators=3", "pass --trees"),
        ("random_state=3", "pass --seed"),
    ],
)
def test_settings_that_have_options_of_their_own_are_refused(run, setting, remedy):
    options = ("--target", "species", "--set", setting, "--out", "x.silvan")
    name = setting.partition("=")[0]
    said = messages(run("fit", "iris.csv", *options, code=2))
    assert f"--set cannot change {name}; {remedy}." in said


def test_more_trees_than_memory_can_hold_are_refused_before_any_work(run):
    options = ("--target", "species", "--trees", "2000000000", "--out", "x.silvan")
    said = messages(run("fit", "iris.csv", *options, code=2))
    assert "--trees must be at most" in said
    assert "10,000,000" in said


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_decoded_copy_is_closed_before_it_is_read_and_removed_in_the_end(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("größe;y\n" + "ü;1\n" * 10, encoding="cp1252")
    scanner = Scanner(path)
    assert scanner.schema().names == ["größe", "y"]
    copy = Path(scanner._decoded)
    # Threads of PyArrow that read ahead close it a little later.
    for _ in range(100):
        opened = {os.path.realpath(entry) for entry in Path("/proc/self/fd").iterdir()}
        if os.path.realpath(copy) not in opened:
            break
        time.sleep(0.1)
    assert os.path.realpath(copy) not in opened
    assert copy.exists()
    del scanner
    assert not copy.parent.exists()


def test_members_of_an_archive_that_are_no_arrays_are_passed_over(run, folder):
    np.savez(folder / "more.npz", X=np.arange(40.0).reshape(20, 2), y=np.arange(20) % 2)
    with zipfile.ZipFile(folder / "more.npz", "a") as archive:
        archive.writestr("README.txt", "not an array")
    run("fit", "more.npz", "--out", "more.silvan", *FEW)
    assert len(predictions(run("predict", "more.silvan", "more.npz"))) == 20
    with zipfile.ZipFile(folder / "none.npz", "w") as archive:
        archive.writestr("X", "not an array")
        archive.writestr("y", "nor this")
    result = run("fit", "none.npz", "--out", "none.silvan", code=3)
    assert "none.npz has the arrays (none); call the one with the rows X" in messages(result)


def test_a_class_with_one_row_is_reported_on(run, folder):
    lines = [f"{k % 5},{k},{'rare' if k == 7 else 'ab'[k % 2]}" for k in range(40)]
    (folder / "rare.csv").write_text("\n".join(["a,b,y", *lines]))
    run("fit", "rare.csv", "--target", "y", "--out", "rare.silvan", *FEW)
    run("report", "rare.silvan", "rare.csv", "--target", "y", "--out", "rare.html", "--jobs", "1")
    page = (folder / "rare.html").read_text(encoding="utf-8")
    assert "scikit-learn RandomForest" in page
    run("evaluate", "rare.csv", "--target", "y", "--against", "rf", *FEW)


def test_rows_too_few_to_compare_leave_out_the_comparison(run, folder):
    (folder / "three.csv").write_text("a,y\n1,x\n2,y\n3,x\n")
    run("fit", "three.csv", "--target", "y", "--out", "three.silvan", *FEW)
    result = run("report", "three.silvan", "three.csv", "--target", "y", "--out", "three.html")
    said = "the page has no comparison with other forests, since no class has more than 2 rows"
    assert said in messages(result)
    assert (
        "comparison" not in (folder / "three.html").read_text(encoding="utf-8").split("<section")[1]
    )


def test_one_row_has_no_score(run, folder):
    (folder / "one_row.csv").write_text("a,y\n1,x\n")
    result = run("fit", "one_row.csv", "--target", "y", "--out", "one_row.silvan", *FEW)
    assert "one row is too few to estimate how good predictions are" in messages(result)
    assert "nan" not in result.output.lower()
    assert "more trees" not in result.output
    assert "nan" not in run("info", "one_row.silvan").stdout


ODD = {
    "lists": pa.array([[1, 2]] * 20),
    "structs": pa.array([{"a": 1}] * 20),
    "maps": pa.array([[("a", 1)]] * 20, type=pa.map_(pa.string(), pa.int32())),
    "bytes": pa.array([b"\xff"] * 20),
}


@pytest.mark.parametrize("kind", ODD)
def test_nested_values_and_bytes_are_neither_features_nor_categories(run, folder, kind):
    labels = pa.array(["a", "b"] * 10)
    table = pa.table({"x": pa.array(range(20)), "odd": ODD[kind], "y": labels})
    pa.parquet.write_table(table, folder / "odd.parquet")
    fit = ("fit", "odd.parquet", "--target", "y", "--out", "odd.silvan", *FEW)
    said = messages(run(*fit, code=2))
    assert "column 'odd' holds values of type" in said
    assert "leave it out (--drop odd)." in said and "--categorical" not in said
    said = messages(run(*fit, "--categorical", "odd", code=2))
    assert "which cannot be categories; write them as text or numbers, or leave the column" in said
    text = table.set_column(1, "odd", pa.array(["u", "v"] * 10))
    pa.parquet.write_table(text, folder / "text.parquet")
    run("fit", "text.parquet", "--target", "y", "--out", "text.silvan", *FEW)
    said = messages(run("predict", "text.silvan", "odd.parquet", code=2))
    assert "column 'odd' holds values of type" in said


@pytest.mark.parametrize("name", ["twice.parquet", "twice.arrow"])
def test_repeated_names_of_typed_files_are_reported_as_such(run, folder, name):
    columns = [pa.array([1.0, 2.0]), pa.array([1.0, 2.0]), pa.array(["a", "b"])]
    table = pa.table(columns, names=["a", "a", "y"])
    if name.endswith("parquet"):
        pa.parquet.write_table(table, folder / name)
    else:
        with pa.ipc.new_file(folder / name, table.schema) as writer:
            writer.write_table(table)
    said = messages(run("fit", name, "--target", "y", "--out", "twice.silvan", *FEW, code=3))
    assert f"{name} has several columns named 'a'; rename them." in said


@pytest.mark.parametrize(
    ("value", "remedy"),
    [
        ("{} %", "such as '0 %'; store it as numbers, leave the column out"),
        ("{},5", "such as '0,5'; store it as numbers, leave the column out"),
        ("{}", "words.parquet as numbers, with missing values for the words, leave the column"),
    ],
)
def test_remedies_for_typed_tables_name_no_options_of_text_tables(run, folder, value, remedy):
    texts = [value.format(k) for k in range(60)]
    texts[50:] = ["unknown"] * 10 if value == "{}" else texts[50:]
    table = pa.table({"a": texts, "y": np.arange(60) % 2})
    pa.parquet.write_table(table, folder / "words.parquet")
    fit = ("fit", "words.parquet", "--target", "y", "--out", "w.silvan", *FEW)
    said = messages(run(*fit, code=3))
    assert remedy in said
    assert "--missing" not in said
    assert "--decimal" not in said


def test_columns_that_a_model_needs_are_not_called_names_of_rows(run, folder):
    lines = ["n,x,y", *(f"{k},{k * 7 % 11},{'up' if k % 3 else 'down'}" for k in range(60))]
    (folder / "numbered.csv").write_text("\n".join(lines))
    fit = ("fit", "numbered.csv", "--target", "y", "--out", "numbered.silvan", *FEW)
    assert "'n' may only name the rows" in messages(run(*fit))
    assert "may only name" not in messages(run("score", "numbered.silvan", "numbered.csv"))


def test_a_table_without_a_line_of_names_is_explained(run, folder):
    (folder / "bare.csv").write_text("1,2,yes\n2,3,no\n3,1,no\n")
    said = messages(run("fit", "bare.csv", "--target", "y", "--out", "x.silvan", code=2))
    assert "its columns are '1', '2', 'yes' (its first line is read as their names; put a" in said
    said = messages(run("fit", "iris.csv", "--target", "y", "--out", "x.silvan", code=2))
    assert "first line" not in said


def test_columns_that_tell_no_rows_apart_are_pointed_out_when_a_forest_is_fitted(run, folder):
    rows = [f"{k * k % 7},7,,{'x' if k % 3 else ''},{'uv'[k % 2]}" for k in range(30)]
    (folder / "dull.csv").write_text("\n".join(["a,same,empty,word,y", *rows]))
    fit = ("fit", "dull.csv", "--target", "y", "--out", "dull.silvan", *FEW)
    said = messages(run(*fit))
    assert "no value in 'empty', of no use (--drop)" in said
    assert "the same value in every row of 'same', of no use (--drop)" in said
    said = messages(run(*fit, "--drop", "same,empty"))
    assert "of no use" not in said
    assert "of no use" not in messages(run("score", "dull.silvan", "dull.csv"))

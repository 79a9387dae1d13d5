"""Files that the program writes: inputs are never lost, and no half file appears under its name."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

resource = pytest.importorskip("resource", reason="limits and links are those of Unix")
FEW = ("--trees", "5", "--jobs", "1")
IRIS = ("--target", "species", "--drop", "id", "--drop", "note")
PROGRAM = (sys.executable, "-m", "silvan")


def messages(result) -> str:
    return " ".join(result.stderr.split())


@pytest.fixture
def place(run, folder, tmp_path, monkeypatch):
    """A folder of its own with a table and a model."""
    (tmp_path / "d.csv").write_bytes((folder / "iris.csv").read_bytes())
    monkeypatch.chdir(tmp_path)
    run("fit", "d.csv", *IRIS, "--out", "m.silvan", *FEW)
    os.link("d.csv", "hard.csv")
    os.symlink("d.csv", "soft.csv")
    os.symlink("m.silvan", "soft.html")
    return tmp_path


def contents(place) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(place.iterdir()) if path.is_file()}


READ = {
    "fit over its data": ("fit", "d.csv", *IRIS, "--out", "d.csv", *FEW),
    "fit over a link to its data": ("fit", "d.csv", *IRIS, "--out", "soft.csv", *FEW),
    "predict over its data": ("predict", "m.silvan", "d.csv", "--out", "d.csv"),
    "predict over a hard link": ("predict", "m.silvan", "d.csv", "--out", "hard.csv"),
    "predict over what a link points to": ("predict", "m.silvan", "soft.csv", "--out", "d.csv"),
    "report over its data": ("report", "m.silvan", "d.csv", *IRIS, "--out", "d.csv"),
    "report over its model": ("report", "m.silvan", "d.csv", *IRIS, "--out", "soft.html"),
    "report over its test data": (
        "report", "m.silvan", "hard.csv", *IRIS, "--test", "d.csv", "--out", "soft.csv",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", READ)
def test_an_input_is_never_an_output(run, place, case):
    before = contents(place)
    result = run(*READ[case], code=2)
    assert "is the same file as" in messages(result)
    assert "which is to be read; choose another name." in messages(result)
    assert contents(place) == before


def test_targets_of_arrays_are_inputs_too(run, place):
    np.save(place / "X.npy", np.random.default_rng(0).normal(size=(20, 3)))
    np.save(place / "y.npy", np.arange(20) % 2)
    before = contents(place)
    run("fit", "X.npy", "--target", "y.npy", "--out", "y.npy", *FEW, code=2)
    assert contents(place) == before


UNWRITABLE = {
    "no folder": ("no/such/", "the folder of --out"),
    "a folder": ("folder", "is a folder; name a file in it"),
    "a device": ("pipe", "is not a plain file"),
}
WRITERS = {
    "fit": ("fit", "d.csv", *IRIS, *FEW),
    "predict": ("predict", "m.silvan", "d.csv"),
    "report": ("report", "m.silvan", "d.csv", *IRIS),
}


@pytest.mark.parametrize("reason", UNWRITABLE)
@pytest.mark.parametrize("command", WRITERS)
def test_an_output_is_checked_before_work(run, place, monkeypatch, command, reason):
    (place / "folder.csv").mkdir()
    os.mkfifo(place / "pipe.csv")
    monkeypatch.setattr("silvan.app.data.open_source", None)  # work would fail
    monkeypatch.setattr("silvan.app.inputs.open_source", None)
    monkeypatch.setattr("silvan.app.models.load_model", None)
    name, text = UNWRITABLE[reason]
    assert text in messages(run(*WRITERS[command], "--out", f"{name}.csv", code=2))
    assert not (place / "no").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("command", WRITERS)
def test_a_folder_without_permission_is_refused(run, place, command):
    (place / "locked").mkdir(mode=0o500)
    result = run(*WRITERS[command], "--out", "locked/x.csv", code=2)
    assert "may not be written" in messages(result)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder that takes no files")
@pytest.mark.parametrize("command", WRITERS)
def test_a_folder_that_takes_no_files_is_found_before_work(run, place, monkeypatch, command):
    monkeypatch.setattr("silvan.app.data.open_source", None)
    monkeypatch.setattr("silvan.app.inputs.open_source", None)
    monkeypatch.setattr("silvan.app.models.load_model", None)
    result = run(*WRITERS[command], "--out", "/proc/x.csv", code=2)
    assert "--out /proc/x.csv cannot be written, since /proc takes no files" in messages(result)


def test_the_check_of_an_output_leaves_nothing_behind(run, place):
    before = contents(place)
    run("fit", "d.csv", *IRIS, *FEW, "--set", "max_depth=0", "--out", "new.silvan", code=2)
    assert contents(place) == before


def test_the_demo_checks_its_folder_before_work(run, place, monkeypatch):
    monkeypatch.setattr("silvan.app.demo.load_digits", None)
    result = run("demo", "--output", "d.csv/page", code=2)
    assert "which is a file; name a folder" in messages(result)


def test_wrong_options_leave_an_existing_result(run, place):
    (place / "old.csv").write_text("old")
    run("predict", "m.silvan", "d.csv", "--keep", "typo", "--out", "old.csv", code=2)
    run("predict", "m.silvan", "d.csv", "--keep", "prediction", "--out", "old.csv", code=2)
    text = (place / "d.csv").read_text().splitlines()
    (place / "broken.csv").write_text("\n".join([*text, text[1].replace(".", "x")]))
    run("predict", "m.silvan", "broken.csv", "--out", "old.csv", code=3)
    assert (place / "old.csv").read_text() == "old"


PRINTERS = {
    "predict": ("predict", "m.silvan", "d.csv"),
    "info": ("info", "m.silvan"),
    "score": ("score", "m.silvan", "d.csv"),
}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("command", PRINTERS)
@pytest.mark.parametrize("redirection", [">/dev/full", ">&-"])
def test_results_that_cannot_be_printed_are_one_sentence(place, command, redirection):
    program = f'exec "$0" "$@" {redirection}'
    done = subprocess.run(["sh", "-c", program, *PROGRAM, *PRINTERS[command]], stderr=-1, text=True)
    assert done.returncode == 5
    sentence = done.stderr.splitlines()[-1]
    assert sentence.startswith("silvan: standard output could not be written (")
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("redirection", ["2>/dev/full", "2>&-"])
def test_messages_that_cannot_be_printed_stop_no_work(place, redirection):
    for name, arguments in (("w.csv", WRITERS["predict"]), ("w.silvan", WRITERS["fit"])):
        program = f'exec "$0" "$@" {redirection}'
        done = subprocess.run(["sh", "-c", program, *PROGRAM, *arguments, "--out", name], stdout=-1)
        assert done.returncode == 0
        assert (place / name).stat().st_size > 0


def test_a_closed_standard_input_is_empty(place):
    program = 'exec "$0" "$@" <&-'
    arguments = [*PROGRAM, "predict", "m.silvan", "-"]
    done = subprocess.run(["sh", "-c", program, *arguments], capture_output=True, text=True)
    assert done.returncode == 3
    assert done.stderr == "silvan: standard input is empty; pipe data into it, or name a file.\n"


def test_what_is_no_file_is_no_model(run, place):
    assert ". is a folder, not a model; name the file" in messages(run("info", ".", code=4))
    assert "which can hold data only; name the" in messages(run("predict", "-", "d.csv", code=4))


def test_columns_that_silvan_adds_are_not_replaced_by_kept_ones(run, place):
    table = pa.csv.read_csv(place / "d.csv")
    names = [*table.column_names, "prediction", "p_setosa"]
    table = pa.table([*table.columns, table["id"], table["id"]], names=names)
    pa.csv.write_csv(table, place / "again.csv")
    result = run("predict", "m.silvan", "again.csv", "--keep", "prediction", code=2)
    assert "--keep 'prediction' has the name of a column that silvan adds" in messages(result)
    run("predict", "m.silvan", "again.csv", "--keep", "p_setosa", "-p", code=2)
    result = run("predict", "m.silvan", "again.csv", "--keep", "p_setosa")
    assert result.stdout.splitlines()[0] == '"p_setosa","prediction"'


@pytest.fixture
def large(place):
    """A table that takes a while to predict."""
    head, *rows = (place / "d.csv").read_text().splitlines()
    (place / "large.csv").write_text("\n".join([head, *rows * 1000]))
    return place


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("suffix", ["csv", "arrow"])
def test_a_signal_leaves_no_half_file(large, number, suffix):
    out = large / f"out.{suffix}"
    out.write_text("old")
    before = sorted(path.name for path in large.iterdir())
    program = subprocess.Popen(
        [*PROGRAM, "predict", "m.silvan", "large.csv", "-p", "--out", out.name, "--jobs", "1"],
        stderr=subprocess.PIPE,
        encoding="utf-8",
        # Tests that run in the background have it ignored, and would hand that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while program.poll() is None and not hidden(large):
        time.sleep(0.005)
    program.send_signal(number)
    _, said = program.communicate(timeout=60)
    assert program.returncode == 128 + number
    assert said.splitlines()[-1] == "silvan: stopped."
    assert out.read_text() == "old"
    assert sorted(path.name for path in large.iterdir()) == before


def hidden(place) -> bool:
    """Whether writing has begun."""
    return any(path.stat().st_size for path in place.glob(".silvan-*"))


@pytest.mark.parametrize("suffix", ["csv", "arrow", "parquet"])
def test_a_full_disk_leaves_no_half_file(large, suffix):
    out = large / f"out.{suffix}"
    before = sorted(path.name for path in large.iterdir())
    result = limited("predict", "m.silvan", "large.csv", "-p", "--out", out.name, "--keep", "id")
    assert result.returncode == 5, result.stderr
    assert f"silvan: out.{suffix} could not be written (" in result.stderr
    assert "and nothing was changed" in result.stderr
    assert sorted(path.name for path in large.iterdir()) == before


def test_a_full_disk_leaves_the_old_model_and_page(place):
    (place / "old.silvan").write_text("old")
    (place / "old.html").write_text("old")
    result = limited("fit", "d.csv", *IRIS, "--out", "old.silvan", "--trees", "300")
    assert result.returncode == 5, result.stderr
    result = limited("report", "m.silvan", "d.csv", *IRIS, "--out", "old.html", "--against", "none")
    assert result.returncode == 5, result.stderr
    assert (place / "old.silvan").read_text() == (place / "old.html").read_text() == "old"
    assert not list(place.glob(".silvan-*"))


def limited(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program where files cannot grow beyond 20 KB."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    return subprocess.run(
        [*PROGRAM, *arguments], preexec_fn=limit, capture_output=True, encoding="utf-8", check=False
    )


def test_a_lack_of_memory_is_told_in_a_sentence_and_leaves_no_file(run, folder, monkeypatch):
    def starve(*_):
        raise MemoryError("std::bad_alloc")

    monkeypatch.setattr("silvan.ForestClassifier.fit", starve)
    result = run("fit", "iris.csv", "--target", "species", "--out", "starved.silvan", code=1)
    assert "silvan: not enough memory for these data" in messages(result)
    assert "Traceback" not in result.output
    assert not (folder / "starved.silvan").exists()

"""Messy text tables end in a model or in one sentence, with every command."""

import re
import subprocess
import sys

import pytest
from app.messy import CASES
from typer.testing import CliRunner

from silvan.app.commands import app

FEW = ("--trees", "5", "--jobs", "1")


@pytest.mark.parametrize("name", CASES)
def test_a_messy_table_ends_in_a_model_or_in_one_sentence(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    case = CASES[name]
    data = f"messy.{case.suffix}"
    (tmp_path / data).write_bytes(case.content)
    target = () if "--target" in case.fit_options else ("--target", "y")
    options = (*target, *case.fit_options, *case.options)

    def run(*arguments):
        result = CliRunner().invoke(app, arguments)
        said = " ".join(result.stderr.split())
        assert result.exception is None or isinstance(result.exception, SystemExit), (
            result.exception
        )
        return result.exit_code, said

    code, said = run("fit", data, "--out", "m.silvan", *options, *FEW)
    if case.refusal is not None:
        assert code in (2, 3), said
        sentence = said[said.index("silvan: ") :]
        assert case.refusal in sentence
        # What to do comes after a semicolon, and nothing after the full stop.
        assert re.fullmatch(r"silvan: [^\n]*; [^\n]*\.", sentence)
        assert sorted(path.name for path in tmp_path.iterdir()) == [data]
        return
    assert code == 0, said
    assert case.said in said
    code, said = run("predict", "m.silvan", data, "--out", "p.csv", "--jobs", "1", *case.options)
    assert code == 0, said
    report = list(options)
    if "--categorical" in report:  # which the model knows
        place = report.index("--categorical")
        del report[place : place + 2]
    code, said = run(
        "report", "m.silvan", data, "--out", "r.html", "--against", "rf", "--folds", "2",
        "--jobs", "1", *report,
    )  # fmt: skip
    assert code == 0, said
    assert "nan" not in re.sub(r"data:[^\"]*", "", (tmp_path / "r.html").read_text("utf-8")).lower()


def test_large_files_in_another_encoding_are_opened_and_closed_early(tmp_path):
    """In a process of its own: a reader that waits for its own thread cannot be interrupted."""
    path = tmp_path / "large.csv"
    path.write_text("a;größe\n" + "1;ü\n" * 6_000_000, encoding="cp1252")
    program = (
        "import sys; from pathlib import Path; from silvan.app.data.scanning import Scanner;"
        "print(Scanner(Path(sys.argv[1])).schema().names)"
    )
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program, str(path)],
        capture_output=True, encoding="utf-8", timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "['a', 'größe']"

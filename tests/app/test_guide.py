"""The transcript in the guide is what the program prints, but for times."""

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "command_line.md"
TIMES = re.compile(r"[\d.]+ (s|ms|MB)\b")


def comparable(text: str) -> list[str]:
    """Lines without times, sizes and the spaces and rules that depend on their widths."""
    lines = (" ".join(TIMES.sub("#", line).split()) for line in text.splitlines())
    return [line for line in lines if line.strip("-")]


@pytest.mark.skipif(not GUIDE.exists(), reason="the guide is not part of the source package")
def test_the_transcript_of_the_guide_is_true(run, tmp_path, monkeypatch):
    blocks = re.findall(r"```(\w+)\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)
    monkeypatch.chdir(tmp_path)
    n_commands = 0
    for language, content in blocks:
        if language == "python":
            exec(content, {})
        elif language == "console":
            command, _, expected = content.partition("\n")
            prompt, program, *arguments = command.split()
            assert (prompt, program) == ("$", "silvan")
            wrong = expected.startswith("silvan: ")
            result = run(*arguments, code=2 if wrong else 0)
            shown = comparable(result.output)
            assert comparable(expected) == shown[: len(comparable(expected))]
            n_commands += 1
    assert n_commands == 6
    assert (tmp_path / "flowers.html").exists()
    head = (tmp_path / "answers.csv").read_text().splitlines()[0]
    assert head == '"plant","prediction","p_setosa","p_versicolor","p_virginica"'

"""Every block of code in the pages runs; what the program prints in them is true, but for times.

Blocks with prompts (``>>>``) are doctests, which pytest runs by itself. The others are run here,
page after page in one folder.
"""

import re
from pathlib import Path
from shlex import split

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guide" / "command_line.md"
BUILT = {"_build", "gallery", "generated"}
BLOCK = re.compile(r"^```(\S*).*?\n(.*?)^```$", re.M | re.S)
TIMES = re.compile(r"[\d.]+ (s|ms|MB)\b")

# Why the other lines of shell blocks are not run here.
ELSEWHERE = {
    "python -m pip install": "installs; the wheels' workflow does it on fresh machines",
    "make": "targets of the Makefile; this test is part of one",
    "silvan demo": "takes a minute; test_demo.py runs it with --quick",
}

pytestmark = pytest.mark.skipif(
    not GUIDE.exists(), reason="the guide is not part of the source package"
)


def pages() -> list[Path]:
    """All pages; the one that writes the table that others use comes first."""
    inside = (p for p in (ROOT / "docs").rglob("*.md") if not BUILT & set(p.parts))
    found = [*sorted(inside), *sorted(ROOT.glob("*.md"))]
    return sorted(found, key=lambda path: path != GUIDE)


def blocks(path: Path) -> list[tuple[str, str]]:
    """Languages and contents of the blocks of a page."""
    return BLOCK.findall(path.read_text(encoding="utf-8"))


def comparable(text: str) -> list[str]:
    """Lines without times, sizes and the spaces and rules that depend on their widths."""
    lines = (" ".join(TIMES.sub("#", line).split()) for line in text.splitlines())
    return [line for line in lines if line.strip("-")]


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_block_is_of_a_kind_that_runs(path):
    n_fences = len(re.findall(r"^```", path.read_text(encoding="utf-8"), re.M))
    assert n_fences == 2 * len(blocks(path))
    for language, content in blocks(path):
        if language == "python":
            assert "+SKIP" not in content
            # Scripts of worker processes do nothing unless they are the main program.
            script = 'if __name__ == "__main__":' in content
            assert ">>>" in content or path == GUIDE or script
        elif language == "text":
            # Layouts of folders and of clusters, and what experiments have written.
            drawn = path.name in ("ARCHITECTURE.md", "clusters.md")
            assert drawn or path.parent.name == "results"
        else:
            assert language in ("sh", "console") or re.fullmatch(r"\{[\w-]+\}", language)


def test_what_has_no_prompts_runs_and_prints_what_the_pages_say(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    n_commands = 0
    for path in pages():
        for language, content in blocks(path):
            if language == "python" and ">>>" not in content:
                exec(content, {})
            elif language == "sh":
                for line in content.splitlines():
                    if not line.startswith(tuple(ELSEWHERE)):
                        check_command(run, line, "")
                        n_commands += 1
            elif language == "console":
                command, _, expected = content.partition("\n")
                assert command.startswith("$ ")
                check_command(run, command[2:], expected)
                n_commands += 1
    assert n_commands == 10
    assert (tmp_path / "flowers.html").exists()
    head = (tmp_path / "answers.csv").read_text().splitlines()[0]
    assert head == '"plant","prediction","p_setosa","p_versicolor","p_virginica"'


def check_command(run, command: str, expected: str) -> None:
    """Run a command of the program; what it prints begins as expected."""
    program, *arguments = split(command, comments=True)
    assert program == "silvan"
    wrong = expected.startswith("silvan: ")
    shown = comparable(run(*arguments, code=2 if wrong else 0).output)
    assert comparable(expected) == shown[: len(comparable(expected))]

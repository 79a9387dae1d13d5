"""The experiments' pages keep what people wrote, or stay as they are."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from experiments import papers
from experiments.arguments import Arguments
from experiments.pages import BEGIN, END, at_most, write_measured


def test_page_keeps_the_lines_around_the_measured_part(tmp_path):
    page = tmp_path / "page.md"
    write_measured(page, "Title", "first")
    page.write_text(page.read_text().replace(BEGIN, "Before.\n\n" + BEGIN) + "\nAfter.\n")
    write_measured(page, "Title", "second")
    text = page.read_text()
    assert "first" not in text
    assert text.index("Before.") < text.index("second") < text.index("After.")


def test_a_blank_behind_the_last_mark_does_no_harm(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"Before.\n\n{BEGIN}\n\nfirst\n\n{END} \n\nAfter.\n")
    write_measured(page, "Title", "second")
    assert page.read_text() == f"Before.\n\n{BEGIN}\n\nsecond\n\n{END} \n\nAfter.\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"Before.\n{BEGIN}\nfirst\nAfter.\n", f"the mark {END} once but has it 0 times"),
        (f"Before.\nfirst\n{END}\nAfter.\n", f"the mark {BEGIN} once but has it 0 times"),
        (f"{BEGIN}\n{BEGIN}\n{END}\n", f"the mark {BEGIN} once but has it 2 times"),
        (f"{END}\nfirst\n{BEGIN}\n", f"has the mark {END} before {BEGIN}"),
        ("Written by hand.\n", f"the mark {BEGIN} once but has it 0 times"),
    ],
    ids=["no end", "no beginning", "two beginnings", "exchanged", "none"],
)
def test_a_page_without_its_marks_is_refused_and_kept(tmp_path, text, message, monkeypatch):
    page = tmp_path / "index.md"
    page.write_text(text)
    with pytest.raises(SystemExit, match=rf"index\.md (must have )?{message}"):
        write_measured(page, "Title", "second")
    monkeypatch.setattr(papers, "INDEX", page)
    with pytest.raises(SystemExit, match=r"index\.md"):
        papers.main()
    assert page.read_text() == text
    assert list(tmp_path.iterdir()) == [page]


def test_a_page_that_cannot_be_written_stays_whole(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    write_measured(page, "Title", "first")
    before = page.read_text()

    def refuse(*_):
        raise OSError("no space")

    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(OSError, match="no space"):
        write_measured(page, "Title", "second")
    assert page.read_text() == before


def test_a_run_says_where_its_page_is_and_the_page_how_to_repeat_it(tmp_path, capsys):
    write_measured(tmp_path / "page.md", "Title", "measured")
    assert f"The page is {tmp_path / 'page.md'}" in capsys.readouterr().out
    quick = Arguments("test", quick=True, seeds=1, jobs=1, data=tmp_path, output=tmp_path)
    assert quick.command == "python -m experiments.test --quick"
    full = replace(quick, quick=False, seeds=3)
    assert full.command == "python -m experiments.test --seeds 3"


def test_a_bound_that_is_not_known_is_not_judged():
    assert at_most("claim", 0.1, math.nan).holds is None
    assert at_most("claim", math.nan, 0.1).holds is None
    assert at_most("claim", 0.1, 0.2).holds

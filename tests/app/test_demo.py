"""The demo prints a table that can be read, and writes a figure and a page to look at."""

import re

import numpy as np
from matplotlib.image import imread

import silvan
from silvan import ForestClassifier
from silvan.app import demo
from silvan.app.comparison import Result, System, format_table

NAMES = (demo.WINDOWS, demo.SPARSE, demo.RANDOM_FOREST, demo.EXTRA_TREES)


def test_quick_demo_prints_a_table_and_writes_figure_model_and_page(run, tmp_path, monkeypatch):
    result = run("demo", "--quick", "--output", str(tmp_path / "new" / "folder"))
    folder = tmp_path / "new" / "folder"
    accuracies = {}
    for name in NAMES:
        rows = re.findall(rf"^{name} +(0\.\d{{3}}) ± 0\.0\d\d .* m?s .* m?s$", result.stdout, re.M)
        assert len(rows) == 2, result.stdout
        accuracies[name] = [float(accuracy) for accuracy in rows]
    best = np.max([accuracies[name] for name in NAMES[1:]], axis=0)
    assert (np.array(accuracies[demo.WINDOWS]) > best).all()
    for name in ("demo.png", "digits.silvan", "report.html"):
        assert str(folder / name) in result.stdout
    words = result.stdout.split("The figure is")[0]
    assert max(map(len, words.splitlines())) <= 100
    figure = imread(folder / "demo.png")
    assert figure.shape[0] > 700
    assert figure.shape[1] > 1200
    assert 0.02 < np.mean(figure[..., :3].min(axis=2) < 0.9) < 0.6
    forest = silvan.load(folder / "digits.silvan")
    assert forest.shape_ == (8, 8)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert f"correctly classifies {forest.oob_score_:.1%} of" in page
    assert demo.EXTRA_TREES in page
    assert page.count("<section") == 11


def test_demo_without_matplotlib_says_how_to_get_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(demo, "find_spec", lambda name: None)
    demo.draw((), (), 10, 1, tmp_path / "none.png")
    printed = " ".join(capsys.readouterr().out.split())
    assert 'matplotlib is not installed; get it with "python -m pip install matplotlib"' in printed
    assert not (tmp_path / "none.png").exists()


def test_columns_of_the_table_are_aligned():
    lines = format_table(RESULTS).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert len(lines) == len(RESULTS) + 2


def test_a_column_without_numbers_is_left_out():
    result = Result(System("one", ForestClassifier()), [0.9], [0.1], [0.01])
    assert "out of bag" not in format_table([result])
    assert "±" not in format_table([result])


RESULTS = [
    Result(System(name, ForestClassifier()), [0.94, 0.96], [0.1, 0.2], [0.01, 0.02], 0.95)
    for name in NAMES
]

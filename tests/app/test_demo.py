"""The demo prints a table that can be read and writes a picture that can be looked at."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.image import imread
from sklearn.datasets import load_iris

from silvan import ForestClassifier
from silvan.app import demo
from silvan.app.comparison import Result, System, format_table
from silvan.app.picture import most_gainful_directions
from silvan.projections import Dictionary


def test_quick_demo_prints_the_table_and_writes_the_picture(tmp_path):
    folder = os.path.join("new", "folder")
    finished = subprocess.run(
        [sys.executable, "-m", "silvan.app.demo", "--quick", "--output", folder],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONIOENCODING": "utf-8", "PYTHONWARNINGS": "error"},
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    for name in (*demo.LAWS, demo.RANDOM_FOREST, demo.EXTRA_TREES):
        row = re.search(rf"^{name} +0\.9\d\d ± 0\.0\d\d .* m?s .* m?s$", finished.stdout, re.M)
        assert row is not None, finished.stdout
    assert os.path.join(folder, "digits.png") in finished.stdout
    assert max(map(len, finished.stdout.splitlines())) <= 100
    picture = imread(tmp_path / folder / "digits.png")
    assert picture.shape[0] > 700
    assert picture.shape[1] > 1200
    assert 0.02 < np.mean(picture[..., :3].min(axis=2) < 0.9) < 0.6


def test_demo_without_matplotlib_says_how_to_get_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(demo, "find_spec", lambda name: None)
    monkeypatch.setattr(demo, "compare", lambda *args: iter(RESULTS))
    assert demo.main(["--quick", "--output", str(tmp_path / "none")]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert 'matplotlib is not installed; get it with "python -m pip install matplotlib"' in printed
    assert "0.950 ± 0.014" in printed
    assert not (tmp_path / "none").exists()


def test_zero_jobs_are_refused(capsys):
    with pytest.raises(SystemExit) as stop:
        demo.main(["--jobs", "0"])
    assert stop.value.code == 2
    assert "--jobs must be at least 1, or -1 for all processors" in capsys.readouterr().err


def test_help_describes_every_option(capsys):
    with pytest.raises(SystemExit) as stop:
        demo.main(["--help"])
    assert stop.value.code == 0
    printed = capsys.readouterr().out
    assert all(option in printed for option in ("--output", "--jobs", "--quick"))


def test_columns_of_the_table_are_aligned():
    lines = format_table(RESULTS).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert len(lines) == len(RESULTS) + 2


def test_a_direction_and_its_negative_are_one():
    X, y = load_iris(return_X_y=True)
    atoms = Dictionary([[0, 0, 1, -1], [0, 0, -1, 1], [0, 0, 2, 1], [1, 0, 0, 0]])
    forest = ForestClassifier(10, projections=atoms, random_state=0).fit(X, y).forest_
    best = most_gainful_directions(forest, 5)
    assert {(indices, weights) for indices, weights, _ in best} == {
        ((2, 3), (1.0, -1.0)),
        ((2, 3), (2.0, 1.0)),
    }
    shares = [share for *_, share in best]
    assert shares == sorted(shares, reverse=True)
    assert 0 < sum(shares) <= 1 + 1e-12


RESULTS = [
    Result(System(name, None), [0.94, 0.96], [0.1, 0.2], [0.01, 0.02], 0.95)
    for name in (*demo.LAWS, demo.RANDOM_FOREST)
]

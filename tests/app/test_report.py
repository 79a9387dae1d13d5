"""The report page: whole in itself, readable by a parser, with all panels and right numbers."""

import base64
import io
import re
from html.parser import HTMLParser

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from PIL import Image
from sklearn.metrics import (
    balanced_accuracy_score,
    f1_score,
    log_loss,
    mean_absolute_error,
    r2_score,
    roc_auc_score,
)

import silvan
from silvan.app.report import charts, figures
from silvan.app.scores import classification_scores, regression_scores, wilson

IRIS = ("--target", "species", "--drop", "id", "--drop", "note")
FEW = ("--trees", "40", "--jobs", "1")
VOID = {"meta", "img", "br", "link"}
ALL = [
    "fitted",
    "scores",
    "comparison",
    "growth",
    "confusion",
    "calibration",
    "embedding",
    "importance",
    "projections",
    "mistakes",
    "loading",
]


class Page(HTMLParser):
    """The page as panels and attributes; refuses tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open, self.panels, self.links, self.images, self.tags = [], [], [], [], []
        self.words: dict[str, str] = {}
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append(tag)
        if tag == "section":
            self.panels.append(given["id"])
        for name in ("href", "src", "xlink:href", "data", "action"):
            if name in given:
                self.links.append(given[name])
        if tag == "img":
            assert given["alt"]
            self.images.append(given["src"])
        if tag == "svg":
            assert given["aria-label"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, (tag, self.open, self.getpos())

    def handle_data(self, data):
        panel = self.panels[-1] if self.panels else "head"
        self.words[panel] = " ".join([self.words.get(panel, ""), *data.split()])


def check_page(text: str) -> Page:
    page = Page(text)
    # Nothing comes from elsewhere, and nothing runs.
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in page.links)
    assert not {"script", "link", "iframe", "object", "embed"} & set(page.tags)
    assert not re.search(r"https?://|@import|url\(", text)
    assert {link.removeprefix("#") for link in page.links if link[0] == "#"} == set(page.panels)
    for image in page.images:
        content = base64.b64decode(image.partition(",")[2])
        assert Image.open(io.BytesIO(content)).size[0] > 1
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    assert 'name="viewport"' in text
    assert "nan" not in re.sub(r"data:[^\"]*", "", text).lower()
    return page


def test_report_on_images_has_every_panel(run, folder):
    run("fit", "digits.npz", "--out", "digits.silvan", *FEW)
    result = run("report", "digits.silvan", "digits.npz", "--folds", "2", "--jobs", "1")
    assert f"The page is {(folder / 'report.html').resolve().as_uri()}" in result.stdout
    text = (folder / "report.html").read_text(encoding="utf-8")
    page = check_page(text)
    assert page.panels == ALL
    forest = silvan.load(folder / "digits.silvan")
    assert f"{forest.oob_score_:.4g}" in page.words["scores"]
    assert f"correctly classifies {forest.oob_score_:.1%} of" in page.words["head"]
    # One map for all classes and one for each; twelve projections; the mistakes.
    y = np.load(folder / "digits.npz")["y"]
    wrong = int(np.sum(forest.classes_[forest.oob_decision_function_.argmax(axis=1)] != y))
    assert f"{wrong} of 240 rows are wrong out of bag" in page.words["mistakes"]
    assert len(page.images) == 11 + 12 + min(12, wrong)
    for name in ("this forest", "scikit-learn RandomForest", "rf"):
        assert name in page.words["comparison"]
    assert "“rf” is silvan's own random forest" in page.words["comparison"]
    assert 'silvan.load("digits.silvan")' in page.words["loading"]


def test_report_on_a_table_names_its_columns(run, folder):
    run("fit", "iris.csv", *IRIS, "--out", "iris.silvan", *FEW)
    run("report", "iris.silvan", "iris.csv", *IRIS, "--against", "none", "--out", "iris.html")
    page = check_page((folder / "iris.html").read_text(encoding="utf-8"))
    assert page.panels == [name for name in ALL if name != "comparison"]
    assert page.images == []
    for panel in ("importance", "projections", "mistakes"):
        assert "petal_width" in page.words[panel]
    assert "virginica" in page.words["confusion"]


def test_report_on_numbers_has_the_panels_of_regression(run, folder):
    run("fit", "diabetes.csv", "--target", "target", "--out", "d.silvan", *FEW)
    run(
        "report",
        "d.silvan",
        "diabetes.csv",
        "--target",
        "target",
        "--against",
        "none",
        "--out",
        "d.html",
    )
    page = check_page((folder / "d.html").read_text(encoding="utf-8"))
    assert page.panels == [name for name in ALL if name != "comparison"]
    forest = silvan.load(folder / "d.silvan")
    assert f"{forest.oob_score_:.4g}" in page.words["scores"]
    assert "True and predicted" in page.words["confusion"]


def test_report_on_test_data_is_about_these(run, folder):
    run("fit", "bumps_train.ts", "--out", "bumps.silvan", *FEW, "--no-out-of-bag")
    run(
        "report", "bumps.silvan", "bumps_train.ts", "--test", "bumps_test.ts", "--out", "b.html",
        "--against", "rf", "--title", "Early & late",
    )  # fmt: skip
    text = (folder / "b.html").read_text(encoding="utf-8")
    page = check_page(text)
    assert "<title>Early &amp; late</title>" in text
    assert page.panels == [name for name in ALL if name != "growth"]
    assert "Measured on the test data, over 40 rows." in page.words["scores"]


def test_report_without_rows_to_judge_by_says_so(run, folder):
    run("fit", "iris.csv", *IRIS, "--out", "unjudged.silvan", *FEW, "--no-out-of-bag")
    run("report", "unjudged.silvan", "iris.csv", *IRIS, "--against", "none", "--out", "none.html")
    page = check_page((folder / "none.html").read_text(encoding="utf-8"))
    assert page.panels == ["fitted", "embedding", "importance", "projections", "loading"]
    assert "Too few rows were left to judge it by." in page.words["head"]


def test_scores_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    probabilities = rng.dirichlet([1, 2, 3], size=200)
    y = rng.integers(3, size=200)
    scores = {score.name: score for score in classification_scores(y, probabilities)}
    predicted = probabilities.argmax(axis=1)
    assert scores["accuracy"].value == pytest.approx(np.mean(predicted == y))
    assert scores["balanced accuracy"].value == pytest.approx(balanced_accuracy_score(y, predicted))
    assert scores["log loss"].value == pytest.approx(log_loss(y, probabilities))
    area = roc_auc_score(y, probabilities, multi_class="ovr")
    assert scores["ROC AUC"].value == pytest.approx(area)
    assert scores["F1"].value == pytest.approx(f1_score(y, predicted, average="macro"))
    shares = np.bincount(y) / 200
    assert scores["log loss"].baseline == pytest.approx(-np.sum(shares * np.log(shares)))
    brier = np.mean(((probabilities - np.eye(3)[y]) ** 2).sum(axis=1))
    assert scores["Brier score"].value == pytest.approx(brier)
    target, guess = rng.normal(size=200), rng.normal(size=200)
    numbers = {score.name: score.value for score in regression_scores(target, guess)}
    assert numbers["R²"] == pytest.approx(r2_score(target, guess))
    assert numbers["RMSE"] == pytest.approx(np.sqrt(np.mean((target - guess) ** 2)))
    assert numbers["mean absolute error"] == pytest.approx(mean_absolute_error(target, guess))


def test_intervals_hold_the_truth_in_about_95_of_100_samples():
    """Each score's truth comes from a very large sample of the same distribution."""
    rng = np.random.default_rng(1)

    def draw(n):
        x = rng.uniform(size=n)
        y = (rng.uniform(size=n) < 0.2 + 0.6 * x).astype(int)
        target, guess = 2 * x + rng.normal(size=n), 1.5 * x + 0.2
        return classification_scores(y, np.column_stack([1 - x, x])) + regression_scores(
            target, guess
        )

    truth = [score.value for score in draw(2_000_000)]
    held = np.zeros((1000, len(truth)))
    for repeat in held:
        repeat[:] = [s.low <= t <= s.high for s, t in zip(draw(200), truth, strict=True)]
    # Standard error 0.007; R² is a ratio, and its interval is a little short.
    assert (held.mean(axis=0) > 0.92).all(), held.mean(axis=0)
    assert (held.mean(axis=0) < 0.98).all(), held.mean(axis=0)


def test_accuracy_of_one_has_an_interval_below_it():
    value, low, high = wilson(1.0, 50)
    assert value == 1.0
    assert 0.9 < low < 0.95
    assert high == pytest.approx(1.0)


def test_labels_cannot_break_the_page():
    chart = charts.confusion_chart(np.array([[3, 1], [0, 2]]), ["<b>", 'a"&'])
    assert "<b>" not in chart
    assert "&lt;b&gt;" in chart
    HTMLParser().feed(chart)


def test_many_classes_get_colours_of_their_own():
    assert len({charts.colour(k, 40) for k in range(40)}) == 40
    chart = charts.confusion_chart(np.eye(40, dtype=int), [f"class {k}" for k in range(40)])
    assert chart.count("<rect") == 41


def test_report_on_series_draws_windows_on_their_channels(run, folder):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=80)
    X = rng.normal(size=(80, 40)) + 2 * np.sin(np.arange(40) * (0.5 + 0.5 * y[:, None]))
    np.savez(folder / "waves.npz", X=X, y=y)
    run("fit", "waves.npz", "--shape", "40", "--out", "waves.silvan", *FEW)
    run("report", "waves.silvan", "waves.npz", "--against", "none")  # which knows its shape
    page = check_page((folder / "report.html").read_text(encoding="utf-8"))
    assert re.search(r"(mean|spread|slope) of \w+( \d+)? \[\d+:\d+\]", page.words["projections"])
    assert "windows (mean, spread, slope) on value, difference" in " ".join(page.words.values())
    # Classifiers of series combine windows; single ones are compared with a threshold themselves.
    assert "A split combines up to 40 of them in a weighted sum" in page.words["projections"]
    run("fit", "waves.npz", "--shape", "40", "--set", "n_terms=1", "--out", "one.silvan", *FEW)
    run("report", "one.silvan", "waves.npz", "--against", "none", "--out", "one.html")
    one = check_page((folder / "one.html").read_text(encoding="utf-8")).words["projections"]
    assert "Splits compare the mean, the spread or the slope of the cells in a window" in one
    assert "combines" not in one


def test_recordings_have_a_strip_of_importance_for_each_plane():
    importance = np.array([[0.0, 0.3], [0.6, 0.1]])
    drawn = figures.draw_series_map(importance, np.zeros((2, 2)), "importance of time steps")
    assert drawn.count("<rect") == 4
    assert ">plane 0<" in drawn
    assert ">plane 1<" in drawn
    heights = [float(text) for text in re.findall(r'height="([0-9.]+)"', drawn)]
    assert max(heights) == heights[2]
    assert ">plane" not in figures.draw_series_map(importance[0], np.zeros(2), "importance")


def test_forests_on_grids_are_scored_on_tables_of_their_cells(run, folder):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60)
    X = rng.normal(size=(60, 24)) + np.outer(y, np.arange(24) < 8) * 3
    table = pa.table({f"t{k}": X[:, k] for k in range(24)} | {"y": np.where(y, "on", "off")})
    pa.parquet.write_table(table, folder / "cells.parquet")
    run("fit", "cells.parquet", "--target", "y", "--shape", "24", "--out", "cells.silvan", *FEW)
    result = run("score", "cells.silvan", "cells.parquet")
    assert "cells.parquet: 60 series of 24 time steps." in result.stderr
    assert "Note" not in result.stderr
    options = ("--test", "cells.parquet", "--against", "none", "--out", "cells.html")
    run("report", "cells.silvan", "cells.parquet", *options)
    page = check_page((folder / "cells.html").read_text(encoding="utf-8"))
    assert "importance of each time step" in page.words["importance"]
    # The test rows are those that it learnt from.
    assert "60 of the 60 test rows are training rows, too" in page.words["scores"]
    assert "But 60 of these are training rows, too." in page.words["head"]
    assert "has not seen" not in page.words["head"] + page.words["scores"]
    assert "None of the 60 rows is wrong" in page.words["mistakes"]


def test_axes_have_room_for_their_numbers_and_end_where_scores_do():
    frame = charts.Frame((0, 1), (0, 1_600_000))
    axis = "".join(frame.y_axis("loss"))
    assert ">1,500,000<" in axis
    assert frame.left > 80
    perfect = charts.dot_chart([("this forest", [1.0]), ("rf", [1.0])], "accuracy")
    assert ">0.995<" in perfect
    assert ">1.005<" not in perfect

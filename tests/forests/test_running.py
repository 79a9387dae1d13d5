"""How a fit runs: warm starts, progress, interruption."""

import io
import os
import signal
import subprocess
import sys
import textwrap
import time

import joblib
import numpy as np
import pytest
from sklearn.base import clone

from silvan import ForestClassifier, ForestRegressor, _core
from silvan._progress import ProgressBar, _duration

FORESTS = [
    ForestClassifier(random_state=5),
    ForestClassifier(random_state=5, bootstrap=False, class_weight="balanced"),
    ForestRegressor(random_state=5),
    ForestRegressor(random_state=5, bootstrap=False),
]


@pytest.mark.parametrize("forest", FORESTS, ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_warm_start_grows_the_forest_that_one_fit_grows(
    forest, weighted, labelled, assert_same_forest
):
    X, y = labelled
    weight = np.random.default_rng(0).exponential(size=len(y)) if weighted else None
    warm = clone(forest).set_params(warm_start=True)
    for n_estimators in (3, 4, 9):
        warm.set_params(n_estimators=n_estimators).fit(X, y, weight)
    at_once = clone(forest).set_params(n_estimators=9).fit(X, y, weight)
    assert_same_forest(warm.forest_, at_once.forest_)
    warm.forest_.check()
    np.testing.assert_array_equal(warm.feature_importances_, at_once.feature_importances_)


def test_warm_start_goes_on_from_an_unseeded_forest(labelled):
    X, y = labelled
    forest = ForestClassifier(3, warm_start=True).fit(X, y)
    first = forest.forest_.threshold
    forest.set_params(n_estimators=5).fit(X, y)
    np.testing.assert_array_equal(forest.forest_.threshold[: len(first)], first)


def test_warm_start_without_more_trees_warns(labelled):
    X, y = labelled
    forest = ForestClassifier(3, warm_start=True, random_state=0).fit(X, y)
    before = forest.forest_
    with pytest.warns(
        UserWarning, match="has its 3 trees already.*increase n_estimators"
    ) as caught:
        forest.fit(X, y)
    assert caught[0].filename == __file__
    assert forest.forest_ is before


def test_warm_start_refuses_fewer_trees_and_other_data(labelled, numeric):
    X, y = labelled
    forest = ForestClassifier(3, warm_start=True, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="n_estimators must be at least 3"):
        clone_of(forest).set_params(n_estimators=2).fit(X, y)
    forest.set_params(n_estimators=4)
    with pytest.raises(ValueError, match="n_features_in_ was 6 and is 5; pass the same data"):
        forest.fit(X[:, :5], y)
    with pytest.raises(ValueError, match=r"classes_ was .* and is"):
        forest.fit(X, y + 1)
    for rows in (X[:100], y[:100]), (X[::-1].copy(), np.roll(y, 1)):
        with pytest.raises(ValueError, match="same samples, but X, y, sample_weight"):
            forest.fit(*rows)
    with pytest.raises(ValueError, match="same samples, but X, y, sample_weight"):
        forest.fit(X, y, np.arange(len(y)))
    with pytest.raises(ValueError, match="same samples, but X, y, sample_weight"):
        clone_of(forest).set_params(bootstrap=False).fit(X, y)
    assert forest.forest_.n_trees == 3
    X, y = numeric
    forest = ForestRegressor(2, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="n_outputs_ was 1 and is 2"):
        forest.set_params(n_estimators=3).fit(X, np.column_stack([y, y]))


def clone_of(forest):
    copy = clone(forest)
    vars(copy).update(vars(forest))
    return copy


def test_joblib_context_sets_the_number_of_threads(labelled, monkeypatch):
    X, y = labelled
    seen = []
    grow = _core.grow

    def spy(training, distribution, options, trees, n_threads, on_progress):
        seen.append(n_threads)
        return grow(training, distribution, options, trees, n_threads, on_progress)

    monkeypatch.setattr(_core, "grow", spy)
    ForestClassifier(2).fit(X, y)
    ForestClassifier(2, n_jobs=2).fit(X, y)
    with joblib.parallel_config("threading", n_jobs=3):
        ForestClassifier(2).fit(X, y)
    assert seen == [1, 2, 3]


def test_verbose_fit_writes_progress_to_the_error_stream(labelled, capfd):
    X, y = labelled
    ForestClassifier(5, random_state=0).fit(X, y)
    assert capfd.readouterr() == ("", "")
    ForestClassifier(5, random_state=0, verbose=1).fit(X, y)
    out, err = capfd.readouterr()
    assert out == ""
    assert "5/5 trees, took" in err
    assert err.count("\n") == 1


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_terminal_gets_a_line_that_is_redrawn(monkeypatch):
    clock = iter([0.0, 1.0, 2.0, 3.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    stream = Terminal()
    with ProgressBar(10, what="trees", stream=stream) as progress:
        for done in (0, 5, 10):
            progress(done)
    assert stream.getvalue().split("\x1b[K") == [
        "\r[" + 30 * "." + "] 0/10 trees, time left unknown",
        "\r[" + 15 * "#" + 15 * "." + "] 5/10 trees, 2.0 s left",
        "\r[" + 30 * "#" + "] 10/10 trees, took 3.0 s",
        "\n",
    ]


def test_log_gets_a_line_now_and_then(monkeypatch):
    clock = iter([float(second) for second in range(100)])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    stream = io.StringIO()
    with ProgressBar(40, what="trees", stream=stream) as progress:
        for done in range(41):
            progress(done)
        progress(40)
    lines = stream.getvalue().splitlines()
    assert [line.split()[1] for line in lines] == ["9/40", "19/40", "29/40", "39/40", "40/40"]


def test_a_stream_that_fails_ends_no_fit(labelled, monkeypatch):
    X, y = labelled

    class Full(Terminal):
        def write(self, text):
            raise OSError(28, "No space left on device")

    for stream in (Full(), None):
        monkeypatch.setattr("sys.stderr", stream)
        assert ForestClassifier(3, verbose=1, random_state=0).fit(X, y).forest_.n_trees == 3


def test_interrupted_progress_ends_its_line():
    stream = Terminal()
    with pytest.raises(KeyboardInterrupt), ProgressBar(4, what="trees", stream=stream) as progress:
        progress(1)
        raise KeyboardInterrupt
    assert stream.getvalue().endswith("\n")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "0.0 s"),
        (9.4, "9.4 s"),
        (59.7, "1 min 0 s"),
        (185, "3 min 5 s"),
        (7800, "2 h 10 min"),
    ],
)
def test_durations_are_short(seconds, text):
    assert _duration(seconds) == text


INTERRUPTED = """
    import signal
    import numpy as np
    from silvan import ForestClassifier, ManifoldForestClassifier

    # A shell that runs the tests in the background has them ignore interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20000, 50)).astype(np.float32)
    y = rng.integers(0, 2, 20000)
    forest = FOREST
    print("growing", flush=True)
    try:
        forest.fit(X, y)
    except KeyboardInterrupt:
        print("stopped", flush=True)
    assert set(vars(forest)) == set(forest.get_params())
    small = ForestClassifier(5, random_state=0).fit(X[:200], y[:200])
    assert small.score(X[:200], y[:200]) > 0.8
    print("usable", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals differ")
@pytest.mark.parametrize(
    "forest",
    [
        "ForestClassifier(100_000, random_state=0, n_jobs=2)",
        "ManifoldForestClassifier(4, pool_size=2**24, channels=[np.sin], random_state=0)",
        "ManifoldForestClassifier(500, pool_size=2**15, channels=[np.sin], random_state=0)",
    ],
    ids=["trees", "drawing windows", "reading windows"],
)
def test_interrupt_stops_a_fit_at_once_and_the_process_stays_usable(forest):
    command = [sys.executable, "-c", textwrap.dedent(INTERRUPTED).replace("FOREST", forest)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "growing\n"
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        assert process.stdout.readline() == "stopped\n"
        assert time.monotonic() - start < 6.0
        assert process.stdout.readline() == "usable\n"
    assert process.returncode == 0

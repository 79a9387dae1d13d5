"""Too few processes, too little memory: an exception or the right answer, never an abort."""

import sys

import pytest
from faults.children import run_script

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits differ")

MB = 1 << 20

_FORESTS = """
    from sklearn.base import clone
    X, y = make_data(300)
    forests = [
        (ForestClassifier(12, oob_score=True, random_state=0), y),
        (ForestRegressor(12, random_state=0), X[:, 0]),
        (DensityForest(12, random_state=0), None),
    ]
    answers = [clone(forest).fit(X, y).forest_.left.tobytes() for forest, y in forests]
    probabilities = clone(forests[0][0]).fit(X, y).predict_proba(X)
"""


@pytest.mark.parametrize(
    "left",
    [0, pytest.param(1, marks=pytest.mark.faults), 5, pytest.param(9, marks=pytest.mark.faults)],
)
def test_threads_that_cannot_start_are_done_without(left):
    outcome = run_script(
        _FORESTS,
        f"""
        limit_processes({left})
        for (forest, y_), answer in zip(forests, answers):
            fitted = clone(forest).set_params(n_jobs=16).fit(X, y_)
            assert fitted.forest_.left.tobytes() == answer
        forest = clone(forests[0][0]).set_params(n_jobs=16).fit(X, y)
        assert (forest.predict_proba(X) == probabilities).all()
        forest.apply(X)
        say("same")
        """,
    )
    assert outcome.printed == "same\n", outcome.errors


@pytest.mark.parametrize("left", [0, 1])
def test_boosted_forests_do_without_threads_that_cannot_start(left):
    outcome = run_script(
        f"""
        from silvan import BoostedForestClassifier
        X, y = make_data(40_000)
        forest = BoostedForestClassifier(3, random_state=0, early_stopping=False)
        expected = forest.set_params(n_jobs=1).fit(X, y).predict_proba(X)
        limit_processes({left})
        forest.set_params(n_jobs=4).fit(X, y)
        assert (forest.predict_proba(X) == expected).all()
        say("same")
        """
    )
    assert outcome.printed == "same\n", outcome.errors


def test_interrupt_ends_a_fit_for_which_no_thread_could_start():
    outcome = run_script(
        """
        X, y = make_data(20_000)
        limit_processes(0)
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            ForestClassifier(100_000, n_jobs=4).fit(X, y)
        except KeyboardInterrupt:
            say("stopped")
        """
    )
    assert outcome.printed == "stopped\n", outcome.errors


_WORK = {
    "fit": "ForestClassifier(40, n_jobs=8, random_state=0).fit(X, y)",
    "out-of-bag": "ForestClassifier(40, n_jobs=4, oob_score=True, random_state=0).fit(X, y)",
    "patches": "ManifoldForestClassifier(20, n_jobs=4).fit(X.reshape(-1, 10, 10), y)",
    "rotation": "ForestClassifier(8, n_jobs=4, projections=RandomRotation()).fit(X, y)",
    "density": "DensityForest(20, n_jobs=4).fit(X)",
    "predict": "forest.predict_proba(np.repeat(X, 20, axis=0))",
    "apply": "forest.apply(np.repeat(X, 20, axis=0))",
    "save": "forest.save(path); silvan.load(path).predict(X)",
}


def starve(what, left, tmp_path):
    """Try some work with little memory; afterwards the process must be whole."""
    outcome = run_script(
        f"""
        X, y = make_data(4000, 100)
        forest = ForestClassifier(40, n_jobs=8, random_state=0).fit(X, y)
        expected = forest.predict_proba(X[:50])
        path = {str(tmp_path / "forest")!r}
        limit_memory({left})
        try:
            {_WORK[what]}
            how = "finished"
        except MemoryError:
            how = "starved"
        free_memory()
        assert (forest.predict_proba(X[:50]) == expected).all()
        if os.path.exists(path):
            assert (silvan.load(path).predict_proba(X[:50]) == expected).all()
            os.remove(path)
        assert os.listdir(os.path.dirname(path)) == []
        say(how)
        """
    )
    assert outcome.code == 0, outcome.errors
    return outcome.printed.strip()


@pytest.mark.parametrize("what", ["fit", "predict"])
def test_little_memory_is_an_error_of_memory(what, tmp_path):
    assert starve(what, 20 * MB, tmp_path) in {"starved", "finished"}
    assert starve(what, 2 * MB, tmp_path) == "starved"


@pytest.mark.faults
@pytest.mark.parametrize("left", [1, 2, 4, 8, 12, 16, 20, 25, 30, 35, 40, 60, 100, 200])
@pytest.mark.parametrize("what", _WORK)
def test_any_memory_gives_an_answer_or_an_error(what, left, tmp_path):
    assert starve(what, left * MB, tmp_path) in {"starved", "finished"}

"""Forests shared by threads and by forked processes."""

import sys

import pytest
from faults.children import run_script

_THREADS = """
    from concurrent.futures import ThreadPoolExecutor
    X, y = make_data(600, 10)
    forest = ForestClassifier(20, n_jobs=2, oob_score=True, random_state=0).fit(X, y)
    expected = forest.predict_proba(X)
"""


def test_two_threads_may_predict_with_one_forest_and_fit_it():
    outcome = run_script(
        _THREADS,
        """
        def use(i):
            # Fitting one estimator in two threads gives the forest of one of them.
            if i % 4 == 0:
                forest.fit(X, y)
            return (forest.predict_proba(X) == expected).all()

        with ThreadPoolExecutor(2) as pool:
            assert all(pool.map(use, range(24)))
        say("same")
        """,
    )
    assert outcome.printed == "same\n", outcome.errors


@pytest.mark.skipif(sys.platform != "linux", reason="there is no fork")
def test_forked_process_may_predict_and_fit():
    outcome = run_script(
        _THREADS,
        """
        for _ in range(5):
            pid = os.fork()
            if pid == 0:
                same = (forest.predict_proba(X) == expected).all()
                again = ForestClassifier(20, n_jobs=2, random_state=0).fit(X, y)
                same &= (again.predict_proba(X) == expected).all()
                os._exit(0 if same else 1)
            assert os.waitpid(pid, 0)[1] == 0
        say("same")
        """,
    )
    assert outcome.printed == "same\n", outcome.errors


@pytest.mark.faults
@pytest.mark.skipif(sys.platform != "linux", reason="there is no fork")
@pytest.mark.parametrize("delay", [0.0, 0.01, 0.05, 0.1, 0.2, 0.4])
def test_fork_while_threads_grow_leaves_both_processes_usable(delay):
    outcome = run_script(
        _THREADS,
        f"""
        import threading, warnings
        warnings.simplefilter("ignore")  # Python warns of forks among threads
        stop = False

        def grow():
            while not stop:
                ForestClassifier(10, n_jobs=2).fit(X, y)

        thread = threading.Thread(target=grow)
        thread.start()
        time.sleep({delay})
        pid = os.fork()
        if pid == 0:
            os._exit(0 if (forest.predict_proba(X) == expected).all() else 1)
        assert os.waitpid(pid, 0)[1] == 0
        stop = True
        thread.join()
        say("same")
        """,
    )
    assert outcome.printed == "same\n", outcome.errors

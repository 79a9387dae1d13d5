"""scikit-learn's own tests of forests pass with ours, but for those listed with a reason."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn

# Modules of tests, and how many of those that use a forest pass at least and fail at most.
SUITES = {
    "forests": (("sklearn.ensemble.tests.test_forest",), 250, 25),
    "readers": (
        (
            "sklearn.ensemble.tests.test_stacking",
            "sklearn.ensemble.tests.test_voting",
            "sklearn.inspection",
            "sklearn.feature_selection",
            "sklearn.tests.test_calibration",
        ),
        138,
        2,
    ),
}


@pytest.mark.skipif(not sklearn.__version__.startswith("1.9."), reason="lists tests of 1.9")
@pytest.mark.parametrize("suite", ["forests", pytest.param("readers", marks=pytest.mark.faults)])
def test_forests_pass_the_tests_of_scikit_learn(tmp_path, suite):
    modules, n_passed, n_failed = SUITES[suite]
    here = Path(__file__).parent
    command = [sys.executable, "-m", "pytest", "-q", "-p", "substitutes", "-p", "no:cacheprovider"]
    command += ["-c", str(tmp_path / "pytest.ini"), "--rootdir", str(tmp_path), "--tb=line"]
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command += ["--pyargs", *modules]
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    last = done.stdout.strip().splitlines()[-1]
    counts = {what: int(n) for n, what in re.findall(r"(\d+) (\w+)", last)}
    assert done.returncode == 0, done.stdout[-3000:]
    assert counts["passed"] >= n_passed
    assert counts["xfailed"] <= n_failed

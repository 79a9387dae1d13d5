"""Peak memory of one fit, measured in a fresh process that does nothing else.

``python -m benchmarks.memory`` is that process: it prints one line of JSON.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.cases import Case
from benchmarks.jobs import WARM_UP_ROWS
from benchmarks.runners import ROOT, PeerError, Runner, clean_environ
from benchmarks.systems import SYSTEMS, Work

STATUS = Path("/proc/self/status")
CLEAR = Path("/proc/self/clear_refs")


@dataclass(frozen=True)
class Peak:
    """Bytes that a fit added at its peak, beside those of the data and of the forest."""

    added: int
    data: int
    forest: int

    @property
    def allowed(self) -> int:
        """Return one copy of the data and the forest, plus 10 % of all that is then held."""
        return int(self.data + self.forest + 0.1 * (2 * self.data + self.forest))


def measure_peak(case: Case, system: str, runner: Runner, data: str) -> Peak:
    """Fit once in a new process of a library's environment.

    Parameters
    ----------
    case : Case
        The work.
    system : str
        Name of the library.
    runner : LocalRunner or WorkerRunner
        Knows the interpreter that can import it.
    data : str
        Folder of the data.

    Returns
    -------
    peak : Peak
        What the fit added to the process.

    Raises
    ------
    PeerError
        If the process ended with an error.
    """
    command = [
        *(str(runner.python), "-W", "ignore", "-m", "benchmarks.memory"),
        *("--system", system, "--data", data, "--work", json.dumps(asdict(case.work))),
    ]
    # A local runner may find its packages through PYTHONPATH; a worker must not.
    environ = dict(os.environ) if str(runner.python) == sys.executable else clean_environ()
    done = subprocess.run(
        command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise PeerError((done.stderr.strip().splitlines() or ["no message"])[-1])
    return Peak(**json.loads(done.stdout.strip().splitlines()[-1]))


def main() -> None:
    """Fit, and print what the fit added to the memory of this process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--system", required=True)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--work", required=True, type=json.loads)
    args = parser.parse_args()
    system, work = SYSTEMS[args.system], Work(**args.work)
    system.version()
    X, y = np.load(args.data / "X.npy"), np.load(args.data / "y.npy")
    # Twice as many rows as the warm-up of the timings: every code path is then loaded.
    few = slice(2 * WARM_UP_ROWS)
    system.fit(work, system.prepare_fit(X[few], y[few]))
    gc.collect()
    CLEAR.write_text("5")
    before = status_bytes("VmRSS")
    model = system.fit(work, system.prepare_fit(X, y))
    added = status_bytes("VmHWM") - before
    print(json.dumps({"added": added, "data": X.nbytes, "forest": system.model_bytes(model)}))


def can_measure() -> bool:
    """Say whether the system tells, and lets go, of its memory peaks (Linux does)."""
    return STATUS.exists() and os.access(CLEAR, os.W_OK)


def status_bytes(name: str) -> int:
    """Return a size of this process that the system keeps, such as its peak VmHWM."""
    for line in STATUS.read_text().splitlines():
        if line.startswith(name + ":"):
            return 1024 * int(line.split()[1])
    raise RuntimeError(f"{STATUS} has no line {name}.")


if __name__ == "__main__":
    main()

"""Finds where each library can be imported, and sends it commands there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.jobs import Jobs
from benchmarks.systems import SYSTEMS, System
from benchmarks.worker import answer

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENTS = ROOT / ".bench"


class PeerError(Exception):
    """A library raised, or its process ended; the message says what it said."""


class LocalRunner:
    """Runs a library in this process."""

    python = Path(sys.executable)
    where = "this process"

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    def send(self, command: dict[str, Any]) -> dict[str, Any]:
        """Carry out a command and return its reply; raise `PeerError` if it raised."""
        return _checked(answer(self._jobs, dict(command)))

    def close(self) -> None:
        """Nothing to end."""


class WorkerRunner:
    """Runs a library in a process of another environment, which lives until `close`."""

    where = "a worker"

    def __init__(self, python: Path, *, one_fit_per_process: bool = False) -> None:
        self.python = python
        self._one_fit_per_process = one_fit_per_process
        self._process: subprocess.Popen[str] | None = None

    def send(self, command: dict[str, Any]) -> dict[str, Any]:
        """Send a command and return its reply; raise `PeerError` if it raised or died."""
        if self._one_fit_per_process:
            if command["do"] == "warm_up":
                return {}
            if command["do"] == "fit":
                self.close()
        process = self._process or self._start()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps(command) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self.close()
            raise PeerError(f"its process ended with exit status {process.returncode}")
        return _checked(json.loads(line))

    def close(self) -> None:
        """End the process, if it runs."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait()
            self._process = None

    def _start(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            [self.python, "-W", "ignore", "-m", "benchmarks.worker"],
            cwd=ROOT,
            env=clean_environ(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return self._process


Runner = LocalRunner | WorkerRunner


def find_runner(system: System, environments: Path, jobs: Jobs) -> tuple[Runner, str]:
    """Find a process that can import a library: this one, or its own environment.

    Parameters
    ----------
    system : System
        The library.
    environments : Path
        Folder with one virtual environment per library that cannot live here.
    jobs : Jobs
        Carries out the commands in this process.

    Returns
    -------
    runner : LocalRunner or WorkerRunner
        Where the library is importable.
    version : str
        Its version there.

    Raises
    ------
    PeerError
        If it is importable nowhere.
    """
    hello = {"do": "hello", "system": system.name}
    here = LocalRunner(jobs)
    try:
        return here, here.send(hello)["version"]
    except PeerError as error:
        reason = str(error)
    python = environment_python(environments / (system.environment or "none"))
    if not python.exists():
        raise PeerError(f"not importable ({reason})")
    there = WorkerRunner(python, one_fit_per_process=system.one_fit_per_process)
    try:
        return there, there.send(hello)["version"]
    except PeerError:
        there.close()
        raise


class Roster:
    """The libraries of a run: each found once, dropped when it fails, closed at the end."""

    def __init__(self, environments: Path = ENVIRONMENTS) -> None:
        self._environments = environments
        self._jobs = Jobs()
        self.runners: dict[str, Runner] = {}
        self.versions: dict[str, str] = {}
        self.missing: dict[str, str] = {}

    def find(self, names: list[str]) -> list[str]:
        """Return those of the named libraries that can run."""
        for name in names:
            if name in self.runners or name in self.missing:
                continue
            try:
                runner, version = find_runner(SYSTEMS[name], self._environments, self._jobs)
            except PeerError as error:
                self.missing[name] = str(error)
            else:
                self.runners[name], self.versions[name] = runner, version
        return [name for name in names if name in self.runners]

    def close(self) -> None:
        """End all workers."""
        for runner in self.runners.values():
            runner.close()


def environment_python(folder: Path) -> Path:
    """Return the interpreter of a virtual environment."""
    if os.name == "nt":
        return folder / "Scripts" / "python.exe"
    return folder / "bin" / "python"


def clean_environ() -> dict[str, str]:
    """Return this process's environment without what would leak its packages into another."""
    return {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "PYTHONHOME"}}


def _checked(reply: dict[str, Any]) -> dict[str, Any]:
    if "failed" in reply:
        raise PeerError(reply["failed"])
    return reply

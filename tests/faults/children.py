"""Processes that faults are injected into: each runs a script and says how it ended."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# What a script may use. `limit_memory` leaves so many bytes of address space, `limit_processes` so
# many threads besides the caller's; as the administrator, whom no limit holds, it becomes
# a user who has no process.
PRELUDE = """
import ctypes, faulthandler, os, resource, signal, sys, time
import numpy as np
import silvan
from silvan import *
from silvan import _core
from silvan.projections import *

faulthandler.enable()
rng = np.random.default_rng(0)

def make_data(n_samples=400, n_features=8):
    X = rng.normal(size=(n_samples, n_features)).astype(np.float32)
    return X, (X[:, 0] + X[:, 1] * X[:, -1] > 0).astype(int)

def limit_memory(left):
    ctypes.CDLL(None).malloc_trim(0)  # else freed memory serves unlimited
    pages = int(open("/proc/self/statm").read().split()[0])
    used = pages * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + left, resource.RLIM_INFINITY))

def free_memory():
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

def limit_processes(left):
    if os.geteuid() == 0:
        os.setresuid(54321, 54321, 54321)
        resource.setrlimit(resource.RLIMIT_NPROC, (1 + left, 1 + left))
    else:
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))

def say(*words):
    print(*words, flush=True)
"""

# Address space is what is limited: threads of OpenBLAS and spare memory of threads that have ended
# would change what is left.
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}

# An abort, a bad address, a bad instruction, an arithmetic error: no fault may end in one of these.
CRASHES = {-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS, -signal.SIGILL, -signal.SIGFPE}


@dataclass(frozen=True)
class Outcome:
    code: int
    printed: str
    errors: str

    def require_no_crash(self) -> "Outcome":
        assert self.code not in CRASHES, self.errors
        assert "terminate called" not in self.errors, self.errors
        assert "Fatal Python error" not in self.errors, self.errors
        return self


def command_of(*parts: str) -> list[str]:
    """The command that runs the parts of a script, each indented by itself."""
    return [sys.executable, "-c", PRELUDE + "".join(map(textwrap.dedent, parts))]


def run_script(*parts: str, timeout: float = 300, cwd: Path | None = None) -> Outcome:
    done = subprocess.run(
        command_of(*parts),
        capture_output=True,
        text=True,
        timeout=timeout,
        cwd=cwd,
        env=os.environ | ENVIRONMENT,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr).require_no_crash()


def _heed_interrupts() -> None:
    """Undo what a process inherits that a shell started in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def started(command: list[str], cwd: Path | None = None) -> Iterator[subprocess.Popen[str]]:
    """A process that is ended at the end of the block, if it still runs."""
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env=os.environ | ENVIRONMENT,
        preexec_fn=_heed_interrupts,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def finish(process: subprocess.Popen[str], timeout: float = 300) -> Outcome:
    printed, errors = process.communicate(timeout=timeout)
    return Outcome(process.returncode, printed, errors).require_no_crash()


def cpu_seconds(pid: int) -> float:
    """Processor time of all threads of a process, in which the load of the machine has no part."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def interrupt_latency(script: str, *, after: float = 0.3) -> tuple[float, str]:
    """Processor time from Ctrl-C to the end of what a script does after it says "ready".

    The interrupt comes when the work has taken `after` seconds of processor time. Also returns
    "stopped", or "finished" where the work was done before.
    """
    watched = f"""
how = "stopped"
try:
{textwrap.indent(script, "    ")}
    how = "finished"
    while True:  # the interrupt is yet to come
        pass
except KeyboardInterrupt:
    say(how, time.process_time())
"""
    with started(command_of(watched)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", finish(process).errors
        begin = cpu_seconds(process.pid)
        while process.poll() is None and cpu_seconds(process.pid) < begin + after:
            time.sleep(0.02)
        sent = float("inf") if process.poll() is not None else cpu_seconds(process.pid)
        process.send_signal(signal.SIGINT)
        outcome = finish(process)
        assert outcome.code == 0, outcome.errors
        how, ended = outcome.printed.split()
        return float(ended) - sent, how

"""The command ``python -m benchmarks.peers``: makes an environment for each peer."""

from __future__ import annotations

import argparse
import subprocess
import sys
import venv
from pathlib import Path

from benchmarks.runners import ENVIRONMENTS, clean_environ, environment_python

REQUIREMENTS = Path(__file__).resolve().parent

# What to say when an environment cannot be made.
HINTS = {
    "ydf": "YDF is installed from a wheel: there may be none for this system or Python.",
    "lightgbm": "LightGBM is installed from a wheel, which needs the OpenMP runtime libgomp.",
    "treeple": "treeple is compiled on the spot where it has no wheel for this Python.",
    "rerf": (
        "rerf is compiled on the spot: it needs a C++ compiler with OpenMP and the Eigen headers "
        "as eigen3/Eigen/Dense (apt-get install libeigen3-dev, dnf install eigen3-devel)."
    ),
}


def make_environment(name: str, folder: Path, python: str) -> bool:
    """Make one environment, unless it is there already and imports its library.

    Parameters
    ----------
    name : str
        Name of the peer; ``requirements-<name>.txt`` says what to install.
    folder : Path
        Where to make it.
    python : str
        Interpreter to make it with.

    Returns
    -------
    works : bool
        Whether the library imports there.
    """
    interpreter = environment_python(folder)
    if interpreter.exists() and _imports(interpreter, name):
        print(f"{name}: ready in {folder}")
        return True
    print(f"{name}: installing in {folder} ...", flush=True)
    if python == sys.executable:
        venv.create(folder, clear=True, with_pip=True)
    else:
        subprocess.run([python, "-m", "venv", "--clear", str(folder)], check=True)
    listed = str(REQUIREMENTS / f"requirements-{name}.txt")
    pip = [str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*pip, "-r", listed], env=clean_environ(), check=False)
    works = done.returncode == 0 and _imports(interpreter, name)
    print(f"{name}: ready" if works else f"{name}: NOT installed. {HINTS[name]}")
    return works


def _imports(python: Path, module: str) -> bool:
    command = [str(python), "-c", f"import {module}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def main() -> None:
    """Make the environments; the benchmarks leave out a peer that could not be installed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(HINTS)}; all if none is given")
    parser.add_argument("--environments", type=Path, default=ENVIRONMENTS)
    parser.add_argument("--python", default=sys.executable, help="interpreter for the environments")
    args = parser.parse_args()
    unknown = set(args.names) - set(HINTS)
    if unknown:
        parser.error(f"unknown peer {sorted(unknown)[0]!r}; choose from {', '.join(HINTS)}.")
    for name in args.names or HINTS:
        make_environment(name, args.environments / name, args.python)


if __name__ == "__main__":
    main()

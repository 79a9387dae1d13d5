"""The program that drives the core without Python keeps up with the core's names."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_driver_compiles():
    compiler = os.environ.get("CXX", "g++")
    if shutil.which(compiler) is None:
        pytest.skip(f"no compiler {compiler}")
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wno-psabi", f"-I{ROOT / 'cpp'}"]
    run = subprocess.run(
        [*command, str(ROOT / "tests" / "native" / "drive_core.cpp")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr

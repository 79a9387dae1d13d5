"""The hot loops are compiled to vector instructions as wide as the registers.

Compilers lower comparisons of vectors that are too wide to scalar ones, which shows in no result.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FLAGS = ["-std=c++20", "-O3", "-ffp-contract=off", "-fPIC", "-Wno-psabi", "-w"]

# The x86 registers of each set of kernels in CMakeLists.txt.
REGISTERS = {"baseline": "xmm", "avx2": "ymm", "avx512": "zmm"}
PACKED = re.compile(r"v?(cmp[a-z]*p[sd]|pcmp[a-z]+|(min|max)p[sd])")
SCALAR = re.compile(r"v?u?comis[sd]")
ARM_PACKED = re.compile(r"(fcm[a-z]+|cm[a-z]{2})\s+v\d+\.(4s|2d|8h|16b)")
ARM_SCALAR = re.compile(r"fcmpe?\s+[sd]\d+")

# Loops over rows that end without a scalar remainder.
WITHOUT_SCALARS = ["sum_below", "measure_range"]
COMPARING = [
    *WITHOUT_SCALARS,
    "search_pairs_regression",
    "score_histogram",
    "score_histogram_regression",
    "largest_in_bins",
    "smallest_above",
    "order_codes",
    "order_set",
    "project_set",
]


def kernel_sets():
    """Return the flags of each set of kernels, as CMakeLists.txt has them."""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return {
        name: flags.split()
        for name, flags in re.findall(
            r"^ *add_split_kernels\((\w+) ?([^)]*)\)$", text, re.MULTILINE
        )
    }


def instructions(compiler, objdump, name, flags, folder):
    """Compile one set of kernels; return the instructions of each function, by its plain name."""
    target = folder / "kernels.o"
    source = ROOT / "cpp/core/split_kernels.cpp"
    include = ["-I", str(ROOT / "cpp"), f"-DSILVAN_KERNELS={name}"]
    command = [compiler, *FLAGS, *include, *flags, "-c", str(source), "-o", str(target)]
    subprocess.run(command, check=True)
    dump = [objdump, "--disassemble", "--demangle", "--no-show-raw-insn", str(target)]
    text = subprocess.run(dump, check=True, capture_output=True, text=True).stdout
    code = {}
    for block in re.split(r"\n(?=[0-9a-f]+ <)", text):
        head, _, body = block.partition("\n")
        function = re.search(r"(\w+)(?:<[^()]*>)?\(", head.replace("(anonymous namespace)::", ""))
        if function:
            plain = function[1].removesuffix("_blocks")
            lines = [line.partition("\t")[2].strip() for line in body.splitlines()]
            code.setdefault(plain, []).extend(lines)
    return code


def tool(name):
    """Return the path of a tool, or skip."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"there is no {name} here to compile or read the kernels with")
    return path


def is_x86():
    return os.uname().machine in ("x86_64", "AMD64") if hasattr(os, "uname") else False


def test_every_set_of_kernels_has_its_registers_named_here():
    assert kernel_sets().keys() == REGISTERS.keys()


@pytest.mark.parametrize("name", REGISTERS)
def test_hot_loops_compare_whole_registers(name, tmp_path):
    if not is_x86():
        pytest.skip("the flags of these kernels are for x86-64")
    compiler, objdump = tool(os.environ.get("CXX", "c++")), tool("objdump")
    code = instructions(compiler, objdump, name, kernel_sets()[name], tmp_path)
    for function in COMPARING:
        packed = [line for line in code[function] if PACKED.match(line)]
        assert any(REGISTERS[name] in line for line in packed), f"{function} compares no vectors"
    for function in WITHOUT_SCALARS:
        scalar = [line for line in code[function] if SCALAR.match(line)]
        assert not scalar, f"{function} compares numbers one by one"


def test_hot_loops_compare_whole_registers_on_arm(tmp_path):
    compiler, objdump = tool("aarch64-linux-gnu-g++"), tool("aarch64-linux-gnu-objdump")
    code = instructions(compiler, objdump, "baseline", [], tmp_path)
    for function in COMPARING:
        assert any(ARM_PACKED.match(line) for line in code[function]), function
    # Unlike the others this one does not end by comparing the entries of a vector.
    assert not [line for line in code["sum_below"] if ARM_SCALAR.match(line)]

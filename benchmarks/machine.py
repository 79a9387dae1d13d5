"""Says which machine, system and Python the numbers come from."""

from __future__ import annotations

import os
import platform
from datetime import date
from pathlib import Path


def describe_machine() -> list[str]:
    """Return a few lines about this machine, for the head of a report."""
    return [
        f"date: {date.today().isoformat()}",
        f"processor: {processor_name()}, usable cores: {n_cores()}",
        f"system: {platform.system()}, {platform.machine()}, {memory_gib():.0f} GiB of memory",
        f"Python: {platform.python_version()} ({platform.python_compiler()})",
    ]


def n_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processor_name() -> str:
    """Return the processor's model name, with its widest vector instructions where known."""
    info = Path("/proc/cpuinfo")
    if not info.exists():
        return platform.processor() or platform.machine()
    pairs = (line.partition(":") for line in info.read_text().splitlines())
    facts = {key.strip(): value.strip() for key, _, value in pairs}
    flags = facts.get("flags", "").split()
    vectors = next((n for f, n in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if f in flags), "")
    name = facts.get("model name", platform.machine())
    return f"{name}, {vectors}" if vectors else name


def memory_gib() -> float:
    """Return the size of the memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30

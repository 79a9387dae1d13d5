"""Measures what a fit adds to a process: ``python docs/measure_memory.py`` prints a table.

Each fit runs in a process of its own, which first fits a few samples so that all code is loaded.
Needs Linux, which tells a process the peak of its memory and lets it start anew.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from silvan import ForestClassifier, ForestRegressor
from silvan.projections import Patches, SparseSigns

IMAGES = {"dtype": "uint8", "n_samples": 60_000, "n_features": 784}
FITS: dict[str, dict[str, Any]] = {
    "float32, 1 thread": {},
    "the same, column-major": {"order": "F"},
    "2 threads": {"n_jobs": 2},
    "4 threads": {"n_jobs": 4},
    "uint8": {"dtype": "uint8"},
    "float64": {"dtype": "float64"},
    "regression": {"regression": True},
    "missing values": {"missing": 0.01},
    "with `oob_score=True`": {"oob_score": True},
    "with `honest=True`": {"honest": True},
    'with `scaling="rank"`': {"scaling": "rank"},
    "the same, uint8": {"scaling": "rank", "dtype": "uint8"},
    "uint8, 784 features": IMAGES,
    "the same, patches 1 to 3": IMAGES | {"max_size": 3},
    "the same, patches 1 to 9": IMAGES | {"max_size": 9},
    "float32, patches 1 to 9": IMAGES | {"dtype": "float32", "max_size": 9},
}


def measure(fit: dict[str, Any]) -> dict[str, float]:
    """Fit in this process; return bytes of what was there, what was added and what is explained."""
    X, y = make_data(fit)
    forest = make_forest(fit)
    forest.fit(X[:512], y[:512])
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    before = status_bytes("VmRSS")
    forest = make_forest(fit).fit(X, y)
    added = status_bytes("VmHWM") - before
    scaled = "scaling" in fit
    stored = 1 if X.dtype == np.uint8 and not scaled else 4
    copied = scaled or X.dtype == np.float64 or not X.flags.f_contiguous
    n_sums = 29 * 29 if fit.get("max_size", 0) > 3 else 0
    parts = {
        "data": X.nbytes,
        "added": added,
        "copy": stored * X.size if copied else 0,
        "forest": forest.forest_.nbytes,
        "sums": n_sums * len(X) * (4 if stored == 1 else 8),
    }
    rest = added - parts["copy"] - parts["forest"] - parts["sums"]
    return parts | {"rest_per_row": rest / len(X)}


def make_data(fit: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Random samples, and a target that depends on two of the features."""
    rng = np.random.default_rng(0)
    shape = (fit.get("n_samples", 1_000_000), fit.get("n_features", 10))
    dtype = fit.get("dtype", "float32")
    if dtype == "uint8":
        X = rng.integers(0, 256, size=shape, dtype=np.uint8)
    else:
        X = rng.standard_normal(shape, dtype=dtype)
    y = (X[:, 0] > X[:, 1]).astype(np.float64 if fit.get("regression") else np.int64)
    if "missing" in fit:
        X.ravel()[:: round(1 / fit["missing"])] = np.nan
    return np.asarray(X, order=fit.get("order", "C")), y


def make_forest(fit: dict[str, Any]) -> Any:
    """Four shallow trees: their forest takes little beside the working memory."""
    distribution = (
        Patches((28, 28), max_size=fit["max_size"]) if "max_size" in fit else SparseSigns()
    )
    kind = ForestRegressor if fit.get("regression") else ForestClassifier
    return kind(
        4,
        projections=distribution,
        max_features=3,
        max_depth=6,
        oob_score=fit.get("oob_score", False),
        honest=fit.get("honest", False),
        scaling=fit.get("scaling"),
        n_jobs=fit.get("n_jobs"),
        random_state=0,
    )


def status_bytes(name: str) -> int:
    """What the system says of this process."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return 1024 * int(line.split()[1])
    raise RuntimeError(f"/proc/self/status has no line {name}.")


def main() -> None:
    """Print the table, or measure the one fit that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fit", choices=FITS, help="measure this fit here, and print JSON")
    chosen = parser.parse_args().fit
    if chosen:
        print(json.dumps(measure(FITS[chosen])))
        return
    print("| fit | data | added | copy | running sums | forest | rest, bytes per sample |")
    print("| --- |" + " ---: |" * 6)
    for name in FITS:
        command = [sys.executable, "-W", "ignore", __file__, "--fit", name]
        result = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        sizes = [
            f"{result[part] / 1e6:.0f}" for part in ("data", "added", "copy", "sums", "forest")
        ]
        print(f"| {name} | {' | '.join(sizes)} | {result['rest_per_row']:.0f} |", flush=True)


if __name__ == "__main__":
    main()

"""Time of `silvan fit` against the same fit from NumPy, and memory of `silvan predict`.

``python -m benchmarks.command_line`` makes its files in a temporary folder, prints a table in
Markdown and removes them; with ``--repeats 0`` it measures predictions only, and with ``--text 10``
ten columns hold text. Needs Linux, and 10 GB of disk at the full size.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

N_COLUMNS = 50
BLOCK = 250_000
LARGE = 1_000_000

# What someone would write who has the data in NumPy.
PLAIN = """
import sys
import numpy as np, pyarrow.csv
from silvan import ForestClassifier
table = pyarrow.csv.read_csv(sys.argv[1])
y = np.asarray(table["y"])
X = np.column_stack([table[name] for name in table.column_names if name != "y"]).astype(np.float32)
forest = ForestClassifier(int(sys.argv[2]), n_jobs=-1, random_state=0, oob_score=True, verbose=0)
forest.fit(X, y)
"""


def make_blocks(n_rows: int, seed: int, n_text: int):
    """Blocks of a table: two Gaussian classes, numbers with six digits as in a usual file.

    Columns of text, the first ones, name tenths of these numbers.
    """
    rng = np.random.default_rng(seed)
    shift = 1 / np.sqrt(np.arange(1, N_COLUMNS + 1))
    for start in range(0, n_rows, BLOCK):
        n = min(BLOCK, n_rows - start)
        y = rng.integers(2, size=n)
        X = (rng.normal(size=(n, N_COLUMNS)) + np.where(y[:, None] == 1, shift, -shift)).round(5)
        columns = {f"x{k}": X[:, k] for k in range(N_COLUMNS)}
        for name in list(columns)[:n_text]:
            columns[name] = np.char.add("about ", columns[name].round(1).astype(str))
        yield pa.table({"y": y, **columns})


def write_files(folder: Path, n_fit: int, n_predict: int, n_text: int) -> None:
    blocks = list(make_blocks(n_fit, 0, n_text))
    pa.csv.write_csv(pa.concat_tables(blocks), folder / "fit.csv")
    schema = blocks[0].schema
    pa.csv.write_csv(blocks[0].slice(0, 20_000), folder / "small.csv")
    with (
        pa.csv.CSVWriter(folder / "new.csv", schema) as text,
        pa.CompressedOutputStream(str(folder / "new.csv.gz"), "gzip") as packed,
        pa.csv.CSVWriter(packed, schema) as packed_text,
        pa.parquet.ParquetWriter(folder / "new.parquet", schema) as groups,
        pa.parquet.ParquetWriter(folder / "large.parquet", schema) as large_groups,
        pa.ipc.new_file(folder / "new.arrow", schema) as batches,
    ):
        # One block again and again: only the number of rows counts here.
        block = next(make_blocks(BLOCK, 1, n_text))
        for start in range(0, n_predict, BLOCK):
            block = block.slice(0, n_predict - start)
            text.write_table(block)
            packed_text.write_table(block)
            groups.write_table(block)
            batches.write_table(block)
            if start % LARGE == 0:
                rows = pa.concat_tables([block] * (LARGE // BLOCK)).slice(0, n_predict - start)
                large_groups.write_table(rows, row_group_size=LARGE)


def run(*command: str) -> dict[str, float]:
    """Seconds and peak memory of a process of its own."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *command], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{command} failed")
    wall, cpu = time.perf_counter() - start, usage.ru_utime + usage.ru_stime
    return {"wall": wall, "cpu": cpu, "megabytes": usage.ru_maxrss / 1024}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--predict-rows", type=int, default=5_000_000)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--text", type=int, default=0, metavar="N", help="columns that hold text")
    parser.add_argument("--write", type=Path, metavar="DIR", help="write the files there and stop")
    parser.add_argument("--files", type=Path, metavar="DIR", help="use the files written there")
    arguments = parser.parse_args()
    # NumPy has no way to read text for a forest.
    repeats = 0 if arguments.text else arguments.repeats
    if arguments.write is not None:
        write_files(arguments.write, arguments.rows, arguments.predict_rows, arguments.text)
    elif arguments.files is not None:
        measure(arguments.files, arguments.trees, repeats)
    else:
        with tempfile.TemporaryDirectory() as name:
            # In a process of its own: what this one holds would count in its children's peaks.
            sizes = (f"--rows={arguments.rows}", f"--predict-rows={arguments.predict_rows}")
            text = f"--text={arguments.text}"
            run("-m", "benchmarks.command_line", f"--write={name}", *sizes, text)
            measure(Path(name), arguments.trees, repeats)


def measure(folder: Path, n_trees: int, n_repeats: int) -> None:
    """Print the tables; the two ways to fit take turns."""
    csv, model = str(folder / "fit.csv"), str(folder / "model.silvan")
    fit = ["-m", "silvan", "fit", csv, "--target", "y", "--trees", str(n_trees), "--out", model]
    if n_repeats:
        print("| | all, s | processor, s | peak, MiB |\n| --- | ---: | ---: | ---: |", flush=True)
    for _ in range(n_repeats):
        plain = run("-c", PLAIN, csv, str(n_trees))
        ours = run(*fit)
        for name, used in (("NumPy", plain), ("`silvan fit`", ours)):
            print(
                f"| {name} | {used['wall']:.1f} | {used['cpu']:.1f} | {used['megabytes']:.0f} |",
                flush=True,
            )
    print()
    small = ["-m", "silvan", "fit", str(folder / "small.csv"), "--target", "y", "--out", model]
    run(*small, "--trees", str(n_trees))
    print("| `silvan predict` of | file, GB | peak, MiB | all, s |")
    print("| --- | ---: | ---: | ---: |", flush=True)
    for name in ("new.parquet", "large.parquet", "new.csv", "new.csv.gz", "new.arrow"):
        new, out = folder / name, str(folder / "out.parquet")
        used = run("-m", "silvan", "predict", model, str(new), "--out", out)
        size = new.stat().st_size / 1e9
        print(f"| {name} | {size:.2f} | {used['megabytes']:.0f} | {used['wall']:.0f} |", flush=True)


if __name__ == "__main__":
    main()

"""ONNX models against the forests that they were made from, on real data.

`SILVAN_DATA=... python -m benchmarks.onnx_models --output docs/results/onnx.md` fills its table.
"""

import argparse
import os
from pathlib import Path
from time import process_time

import numpy as np
import onnxruntime
from experiments.data import load_images
from sklearn.datasets import load_diabetes, load_digits

import silvan
from silvan.export import to_onnx
from silvan.projections import Patches


def cases(folder):
    """Name, forest, training data, and rows to predict."""
    digits = load_digits()
    images = digits.images.astype(np.float32)
    train, test = slice(0, 1200), slice(1200, None)
    holes = np.where(np.random.default_rng(0).random(images.shape) < 0.05, np.nan, images)
    classifier = silvan.ManifoldForestClassifier
    yield (
        "digits, patches to 3x3",
        classifier(100),
        (images[train], digits.target[train]),
        images[test],
    )
    large = classifier(100, max_size=6)
    yield "digits, patches to 6x6", large, (images[train], digits.target[train]), images[test]
    yield "digits, 5 % missing", large, (holes[train], digits.target[train]), holes[test]
    sparse = silvan.ForestClassifier(100, voting="hard")
    flat = images.reshape(-1, 64)
    yield (
        "digits, sparse signs, hard votes",
        sparse,
        (flat[train], digits.target[train]),
        flat[test],
    )
    X, y = load_diabetes(return_X_y=True)
    X = X.astype(np.float32)
    regressor = silvan.ForestRegressor(100)
    yield "diabetes, regression", regressor, (X[:300], y[:300]), X[300:]
    ranks = silvan.ForestRegressor(100, scaling="rank", honest=True)
    yield "diabetes, on ranks, honest", ranks, (X[:300], y[:300]), X[300:]
    several = np.column_stack([y, y**2])[:300]
    yield "diabetes, two outputs", regressor, (X[:300], several), X[300:]
    mnist = load_images(folder / "mnist")
    patches = silvan.ForestClassifier(30, projections=Patches((28, 28)), n_jobs=2)
    yield "MNIST, patches to 3x3", patches, (mnist.X_train, mnist.y_train), mnist.X_test
    boxes = silvan.ForestClassifier(10, projections=Patches((28, 28), max_size=9), n_jobs=2)
    yield "MNIST, patches to 9x9", boxes, (mnist.X_train, mnist.y_train), mnist.X_test


def measure(forest, data, rows):
    """Compare model and forest, both on one thread."""
    forest.set_params(random_state=0).fit(*data).set_params(n_jobs=1)
    model = to_onnx(forest, dtype=str(rows.dtype) if rows.dtype == np.uint8 else "float32")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    predict = getattr(forest, "predict_proba", forest.predict)
    blocks = np.array_split(rows, max(1, len(rows) // 500))
    start = process_time()
    parts = [session.run(None, {"X": block}) for block in blocks]
    middle = process_time()
    expected = np.concatenate([predict(block) for block in blocks])
    ratio = (middle - start) / (process_time() - middle)
    outputs = [np.concatenate(part) for part in zip(*parts, strict=True)]
    difference = np.abs(outputs[-1] - expected).max() / max(1.0, np.abs(expected).max())
    labels = int((outputs[0] != forest.predict(rows)).sum()) if len(outputs) == 2 else 0
    milliseconds = 1000 * (middle - start) / len(rows)
    size = model.ByteSize() / 1e6
    return [
        len(rows),
        f"{difference:.1e}",
        labels,
        forest.forest_.n_leaves,
        f"{size:.1f}",
        f"{milliseconds:.2f}",
        f"{ratio:.0f}",
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("SILVAN_DATA", "data")))
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    lines = [
        "| case | rows | difference | other labels | leaves | MB | ms per row | times ours |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, forest, data, rows in cases(arguments.data):
        lines.append("| " + " | ".join(map(str, [name, *measure(forest, data, rows)])) + " |")
        print(lines[-1], flush=True)
    if arguments.output:
        before, _, after = arguments.output.read_text().split("<!-- table -->")
        table = "\n" + "\n".join(lines) + "\n"
        arguments.output.write_text("<!-- table -->".join([before, table, after]))


if __name__ == "__main__":
    main()

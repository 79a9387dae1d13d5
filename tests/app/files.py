"""Small data sets in every format that the command line reads."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
from PIL import Image
from sklearn.datasets import load_diabetes, load_digits, load_iris

N_DIGITS = 240


def iris_table() -> pa.Table:
    iris = load_iris()
    order = np.random.default_rng(0).permutation(150)
    columns = {
        name.removesuffix(" (cm)").replace(" ", "_"): iris.data[order, k]
        for k, name in enumerate(iris.feature_names)
    }
    species = iris.target_names[iris.target[order]]
    return pa.table({"id": np.arange(150), **columns, "species": species, "note": ["text"] * 150})


def write_iris(folder: Path) -> None:
    table = iris_table()
    pa.csv.write_csv(table, folder / "iris.csv")
    pa.parquet.write_table(table, folder / "iris.parquet")
    pa.feather.write_feather(table, folder / "iris.arrow")


def write_diabetes(folder: Path) -> None:
    """Semicolons, and one value missing."""
    frame = load_diabetes(as_frame=True).frame.round(6)
    frame.loc[3, "bmi"] = np.nan
    frame.to_csv(folder / "diabetes.csv", sep=";", index=False)


def write_digits(folder: Path) -> None:
    digits = load_digits()
    images, labels = digits.images[:N_DIGITS].astype(np.uint8), digits.target[:N_DIGITS]
    np.savez(folder / "digits.npz", X=images, y=labels)
    np.savez_compressed(folder / "packed.npz", X=images, y=labels)
    np.save(folder / "rows.npy", images.reshape(N_DIGITS, -1))
    np.save(folder / "labels.npy", labels)
    for number, (image, label) in enumerate(zip(images[:80], labels[:80], strict=True)):
        place = folder / "photos" / f"digit {label}"
        place.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image * 15).save(place / f"{number:03d}.png")


def make_series(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two channels of 30 steps; a bump early or late in the first."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = 0.3 * rng.normal(size=(n, 2, 30))
    for row, label in zip(X, y, strict=True):
        row[0, 5 + 12 * label : 10 + 12 * label] += 2
    return X, y


def ts_text(X: np.ndarray, labels: list[str] | None) -> str:
    head = ["@problemName bumps", "@timeStamps false", "@missing false"]
    head.append(f"@univariate {'true' if X.shape[1] == 1 else 'false'}")
    head.append("@classLabel true early late" if labels else "@classLabel false")
    lines = []
    for k, row in enumerate(X):
        parts = [",".join(f"{value:.4f}" for value in channel) for channel in row]
        lines.append(":".join(parts + ([labels[k]] if labels else [])))
    return "\n".join([*head, "@data", *lines]) + "\n"


def write_series(folder: Path) -> None:
    for name, seed in (("train", 0), ("test", 1)):
        X, y = make_series(40, seed)
        labels = ["late" if label else "early" for label in y]
        (folder / f"bumps_{name}.ts").write_text(ts_text(X, labels))
    X, y = make_series(40, 2)
    lines = [
        "\t".join([str(label), *map("{:.4f}".format, row[0])])
        for row, label in zip(X, y, strict=True)
    ]
    (folder / "bumps.tsv").write_text("\n".join(lines) + "\n")

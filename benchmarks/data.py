"""Makes the data of the benchmarks and saves them where every process can read them.

The simulators are written out here, not taken from silvan, so that the data stay the same when
silvan changes and the peers can be measured where silvan does not import.
"""

from __future__ import annotations

import gzip
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Split = tuple[NDArray[Any], NDArray[Any]]

N_TEST = 10_000
TEST_SEED = 1_000


@dataclass(frozen=True)
class DataSpec:
    """A data set by name and size; `n_samples` rows are for training and 10,000 for testing."""

    kind: str
    n_samples: int
    n_features: int
    n_classes: int = 2  # of simulated data that may have more

    def __str__(self) -> str:
        return f"{self.kind} {self.n_samples:,}x{self.n_features}"


class DataFolder:
    """Saves each data set once, as ``X.npy``, ``y.npy``, ``X_test.npy`` and ``y_test.npy``."""

    def __init__(self, folder: Path, source: Path | None) -> None:
        self._folder = folder
        self._source = source

    def path(self, spec: DataSpec, seed: int) -> str:
        """Return the folder of a data set, made on first use.

        Parameters
        ----------
        spec : DataSpec
            What to make.
        seed : int
            Seed of the simulation; images are the same for every seed.

        Returns
        -------
        path : str
            Folder of the four files.
        """
        seed = 0 if spec.kind == "mnist" else seed  # tables are split anew for every seed
        size = f"{spec.n_samples}-{spec.n_features}-{spec.n_classes}"
        folder = self._folder / f"{spec.kind}-{size}-{seed}"
        if not folder.exists():
            train, test = self._make(spec, seed)
            folder.mkdir(parents=True)
            for suffix, (X, y) in (("", train), ("_test", test)):
                np.save(folder / f"X{suffix}.npy", X)
                np.save(folder / f"y{suffix}.npy", y)
        return str(folder)

    def _make(self, spec: DataSpec, seed: int) -> tuple[Split, Split]:
        if spec.kind == "mnist":
            (X, y), test = load_mnist(self._source)
            return (X[: spec.n_samples], y[: spec.n_samples]), test
        if spec.kind == CLASSES:
            made = make_classes(spec, spec.n_samples + N_TEST, np.random.default_rng(seed))
            train, test = np.s_[: spec.n_samples], np.s_[spec.n_samples :]
            return (made[0][train], made[1][train]), (made[0][test], made[1][test])
        if spec.kind not in SIMULATORS:
            return load_table(self._source, spec, seed)
        make = SIMULATORS[spec.kind]
        train = make(spec.n_samples, spec.n_features, np.random.default_rng(seed))
        test = make(N_TEST, spec.n_features, np.random.default_rng(TEST_SEED + seed))
        return train, test


def make_parity(n_samples: int, n_features: int, rng: np.random.Generator) -> Split:
    """Label uniform points by the parity of the positive values among their first three."""
    X = rng.uniform(-1, 1, (n_samples, n_features)).astype(np.float32)
    return X, (X[:, :3] > 0).sum(axis=1) % 2


def make_trunk(n_samples: int, n_features: int, rng: np.random.Generator) -> Split:
    """Draw two Gaussian classes whose means come together as 1 / sqrt(j) along feature j."""
    return _shifted_gaussians(n_samples, 1 / np.sqrt(np.arange(1, n_features + 1)), rng)


def make_classes(spec: DataSpec, n_samples: int, rng: np.random.Generator) -> Split:
    """Draw Gaussian classes as Trunk's two, whose means have random signs: any number of them."""
    y = rng.integers(0, spec.n_classes, n_samples)
    X = rng.standard_normal((n_samples, spec.n_features), dtype=np.float32)
    means = rng.choice(np.float32([-1, 1]), (spec.n_classes, spec.n_features))
    means /= np.sqrt(np.arange(1, spec.n_features + 1, dtype=np.float32))
    for k in range(spec.n_classes):
        X[y == k] += means[k]
    return X, y


def _shifted_gaussians(n: int, mean: NDArray[Any], rng: np.random.Generator) -> Split:
    y = rng.integers(0, 2, n)
    X = rng.standard_normal((n, len(mean)), dtype=np.float32)
    X += (2 * y[:, None] - 1) * mean.astype(np.float32)
    return X, y


SIMULATORS = {"parity": make_parity, "trunk": make_trunk}
CLASSES = "classes"


def load_mnist(source: Path | None) -> tuple[Split, Split]:
    """Read the MNIST images from ``<source>/mnist``, or fetch them from OpenML.

    Parameters
    ----------
    source : Path or None
        Folder with the four original ``mnist/*-ubyte.gz`` files.

    Returns
    -------
    train, test : pair of (X, y)
        60,000 and 10,000 images as rows of 784 uint8 values.

    Raises
    ------
    FileNotFoundError
        If the files are not there and OpenML cannot be reached.
    """
    if source is not None and (source / "mnist").is_dir():
        folder = source / "mnist"
        return _read_idx(folder, "train"), _read_idx(folder, "t10k")
    try:
        from sklearn.datasets import fetch_openml

        X, y = fetch_openml("mnist_784", version=1, return_X_y=True, as_frame=False)
    except (ImportError, OSError) as error:
        raise FileNotFoundError(
            f"no MNIST: there is no folder 'mnist' in {source}, and OpenML cannot be used "
            f"({error}); pass --data (or set SILVAN_DATA to) the folder that holds "
            "mnist/train-images-idx3-ubyte.gz and its three companions."
        ) from error
    X, y = X.astype(np.uint8), y.astype(np.int64)
    return (X[:60_000], y[:60_000]), (X[60_000:], y[60_000:])


def load_table(source: Path | None, spec: DataSpec, seed: int) -> tuple[Split, Split]:
    """Read a table from ``<source>/tabular`` and draw the rows for training and testing.

    Parameters
    ----------
    source : Path or None
        Folder with ``tabular/NAME.npz``, arrays X and y.
    spec : DataSpec
        Name and size; all rows that are not for training, at most 10,000, are for testing.
    seed : int
        Seed of the draw.

    Returns
    -------
    train, test : pair of (X, y)
        Rows in random order, as float32, and class codes.

    Raises
    ------
    FileNotFoundError
        If the file is not there.
    """
    file = None if source is None else source / "tabular" / f"{spec.kind}.npz"
    if file is None or not file.is_file():
        raise FileNotFoundError(
            f"no table {spec.kind}: there is no file tabular/{spec.kind}.npz in {source}; pass "
            "--data (or set SILVAN_DATA to) the folder that holds it."
        )
    with np.load(file, allow_pickle=True) as arrays:
        X = np.ascontiguousarray(arrays["X"], np.float32)
        y = np.unique(arrays["y"], return_inverse=True)[1]
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[: spec.n_samples], order[spec.n_samples :][:N_TEST]
    return (X[train], y[train]), (X[test], y[test])


def _read_idx(folder: Path, part: str) -> Split:
    images = gzip.decompress((folder / f"{part}-images-idx3-ubyte.gz").read_bytes())
    labels = gzip.decompress((folder / f"{part}-labels-idx1-ubyte.gz").read_bytes())
    X = np.frombuffer(images, np.uint8, offset=16).reshape(-1, 784)
    return X, np.frombuffer(labels, np.uint8, offset=8).astype(np.int64)


def default_source() -> Path | None:
    """Return the folder that SILVAN_DATA names, if it is set."""
    folder = os.environ.get("SILVAN_DATA")
    return Path(folder) if folder else None

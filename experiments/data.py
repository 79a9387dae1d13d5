"""The data sets on disk, as splits into training and test rows."""

from __future__ import annotations

import gzip
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.arguments import REMEDY

IMAGE_SHAPE = (28, 28)


class Split(NamedTuple):
    """Training and test rows."""

    X_train: NDArray[Any]
    y_train: NDArray[Any]
    X_test: NDArray[Any]
    y_test: NDArray[Any]

    def head(self, n: int, seed: int) -> Split:
        """The same test rows with `n` training rows drawn at random, or all in their order."""
        if n >= len(self.y_train):
            return self
        rows = np.random.default_rng([seed, n]).permutation(len(self.y_train))[:n]
        return self._replace(X_train=self.X_train[rows], y_train=self.y_train[rows])


@lru_cache(maxsize=2)
def load_images(folder: Path) -> Split:
    """MNIST or Fashion-MNIST from a folder of IDX files: rows of 784 uint8 pixels."""
    return Split(
        _read_idx(folder / "train-images-idx3-ubyte.gz", 16).reshape(-1, 784),
        _read_idx(folder / "train-labels-idx1-ubyte.gz", 8),
        _read_idx(folder / "t10k-images-idx3-ubyte.gz", 16).reshape(-1, 784),
        _read_idx(folder / "t10k-labels-idx1-ubyte.gz", 8),
    )


def load_series(path: Path) -> tuple[Split, tuple[int, ...]]:
    """A set of the UCR archive as flat float32 rows, and the shape of one row."""
    with np.load(path) as file:
        train, test = file["X_train"], file["X_test"]
        split = Split(
            train.reshape(len(train), -1).astype(np.float32),
            file["y_train"],
            test.reshape(len(test), -1).astype(np.float32),
            file["y_test"],
        )
    return split, train.shape[1:]


def _read_idx(path: Path, offset: int) -> NDArray[np.uint8]:
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing; {REMEDY}.")
    return np.frombuffer(gzip.open(path).read(), np.uint8, offset=offset)

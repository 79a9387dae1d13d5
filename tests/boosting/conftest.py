"""Data that the tests of boosted forests share."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_friedman1


@pytest.fixture(scope="session")
def labelled():
    """600 samples of three classes."""
    X, y = make_classification(
        600, 8, n_informative=5, n_redundant=0, n_classes=3, flip_y=0.05, random_state=0
    )
    return X.astype(np.float32), np.array(["ash", "birch", "cedar"])[y]


@pytest.fixture(scope="session")
def two_classes(labelled):
    """The same of two classes."""
    X, y = labelled
    return X, y == "birch"


@pytest.fixture(scope="session")
def numeric():
    """600 samples with one positive target."""
    X, y = make_friedman1(600, 6, noise=0.5, random_state=1)
    return X.astype(np.float32), y + 5

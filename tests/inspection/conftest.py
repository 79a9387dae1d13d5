"""Data that the tests of inspection share."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_friedman1


@pytest.fixture(scope="session")
def labelled():
    """120 rows of three classes with names."""
    X, y = make_classification(
        120, 6, n_informative=4, n_redundant=0, n_classes=3, flip_y=0.1, random_state=0
    )
    return X.astype(np.float32), np.array(["ash", "beech", "cedar"])[y]


@pytest.fixture(scope="session")
def numeric():
    """80 rows with one numeric target."""
    X, y = make_friedman1(80, 6, noise=0.5, random_state=1)
    return X.astype(np.float32), y

"""Data and comparisons that the tests of forests share."""

from dataclasses import fields

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_friedman1

from silvan.forest_arrays import ForestArrays


@pytest.fixture(scope="session")
def labelled():
    """150 rows of three classes."""
    X, y = make_classification(
        150, 6, n_informative=4, n_redundant=0, n_classes=3, flip_y=0.1, random_state=0
    )
    return X.astype(np.float32), y


@pytest.fixture(scope="session")
def numeric():
    """150 rows with one numeric target."""
    X, y = make_friedman1(150, 6, noise=0.5, random_state=1)
    return X.astype(np.float32), y


@pytest.fixture(scope="session")
def two_outputs(numeric):
    """The same rows with two numeric targets."""
    X, y = numeric
    return X, np.column_stack([y, 100 * np.sin(5 * y)])


def differences(a: ForestArrays, b: ForestArrays, ignore: tuple[str, ...] = ()) -> list[str]:
    """Names of the arrays in which two forests are not equal bit for bit."""
    names = [field.name for field in fields(ForestArrays) if field.name not in ignore]
    return [name for name in names if not np.array_equal(getattr(a, name), getattr(b, name))]


@pytest.fixture(scope="session")
def assert_same_forest():
    """Asserts that two forests are equal bit for bit, but for arrays that the caller names."""

    def check(a: ForestArrays, b: ForestArrays, ignore: tuple[str, ...] = ()) -> None:
        assert differences(a, b, ignore) == []

    return check

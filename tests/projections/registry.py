"""Every projection distribution, as a function of the number of features."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from silvan.projections import (
    AxisAligned,
    Dictionary,
    Mixture,
    ProjectionDistribution,
    RandomRotation,
    SparseSigns,
    UniformCombinations,
)


class CyclicDifferences(ProjectionDistribution):
    """A user's subclass: the difference between a random feature and the one `lag` further on."""

    def __init__(self, lag=1):
        self.lag = lag

    def sample(self, node, rng):
        first = rng.integers(node.n_features, size=node.n_directions)
        return cyclic_differences(node.n_features, self.lag)[first]


def cyclic_differences(n_features, lag):
    """All atoms of that subclass."""
    atoms = np.eye(n_features)
    return csr_array(atoms - 0.5 * np.roll(atoms, lag, axis=1))


def weighted_dictionary(n_features):
    return Dictionary(cyclic_differences(n_features, 1), np.arange(n_features) + 1.0)


@dataclass(frozen=True)
class Case:
    """A distribution and how many directions it gives a node that asks for d."""

    name: str
    build: Callable[[int], ProjectionDistribution]
    fewest: Callable[[int, int], int] = lambda d, p: d
    most: Callable[[int, int], int] = lambda d, p: d
    is_native: bool = True


CASES = [
    Case("axis", lambda p: AxisAligned(), min, min),
    Case("matrix", lambda p: SparseSigns()),
    Case("matrix dense", lambda p: SparseSigns(density=0.7)),
    Case("matrix sparse", lambda p: SparseSigns(mean_nonzeros=0.4)),
    Case("poisson", lambda p: SparseSigns(mean_nonzeros=2.5, law="poisson")),
    Case("poisson dense", lambda p: SparseSigns(density=0.6, law="poisson")),
    Case("combinations", lambda p: UniformCombinations(n_features=3)),
    Case("rotation", lambda p: RandomRotation(), min, min),
    Case("dictionary", lambda p: Dictionary(np.tri(p))),
    Case("weighted dictionary", weighted_dictionary),
    Case(
        "mixture",
        lambda p: Mixture([(AxisAligned(), 1.0), (SparseSigns(law="poisson"), 2.0)]),
        lambda d, p: min(d, p),
    ),
    Case("python", lambda p: CyclicDifferences(lag=1), is_native=False),
]


def named(case):
    return case.name

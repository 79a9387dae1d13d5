"""Every projection distribution, as a function of the number of features."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, diags_array

from silvan.projections import (
    AxisAligned,
    CanonicalDirections,
    Dictionary,
    EdgeNeighborhoods,
    GraphNeighborhoods,
    Mixture,
    Patches,
    PerturbedHyperplanes,
    PrincipalComponents,
    ProjectionDistribution,
    RandomRotation,
    RidgeDirections,
    SparseSigns,
    UniformCombinations,
    UnitFree,
    WeightedCombinations,
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


def on_grid(n_features, **changes):
    """Patches on the most nearly square grid of so many cells, sizes as large as it allows."""
    n_rows = max(n for n in range(1, math.isqrt(n_features) + 1) if n_features % n == 0)
    shape = (n_rows, n_features // n_rows)
    return Patches(shape, max_size=tuple(min(side, 6) for side in shape), **changes)


def on_path(n_features, **changes):
    """Neighbourhoods in the path through all features."""
    edges = diags_array([np.ones(n_features - 1)], offsets=[1], shape=(n_features, n_features))
    return GraphNeighborhoods(csr_array(edges), max_size=4, **changes)


@dataclass(frozen=True)
class Case:
    """A distribution and how many directions it gives a node that asks for d."""

    name: str
    build: Callable[[int], ProjectionDistribution]
    fewest: Callable[[int, int], int] = lambda d, p: d
    max_drawn: Callable[[int, int], int] = lambda d, p: d
    is_native: bool = True
    n_reference: int = (
        2_500  # nodes that its NumPy reference draws for a comparison of distributions
    )


CASES = [
    Case("axis", lambda p: AxisAligned(), min, min),
    Case("matrix", lambda p: SparseSigns()),
    Case("matrix dense", lambda p: SparseSigns(density=0.7)),
    Case("matrix sparse", lambda p: SparseSigns(mean_nonzeros=0.4)),
    Case("poisson", lambda p: SparseSigns(mean_nonzeros=2.5, counts="poisson")),
    Case("poisson dense", lambda p: SparseSigns(density=0.6, counts="poisson")),
    Case(
        "matrix dropped",
        lambda p: SparseSigns(mean_nonzeros=1.0, empty="drop"),
        lambda d, p: 1,
    ),
    Case("weighted", lambda p: WeightedCombinations((1, 3), weights=1.0 + np.arange(p) % 3)),
    Case("weighted signs", lambda p: WeightedCombinations(2, coefficients="signs")),
    Case("edges", lambda p: EdgeNeighborhoods([(i, i + 1) for i in range(p)], max_size=4)),
    Case("perturbed", lambda p: PerturbedHyperplanes(2, n_perturbations=3), n_reference=600),
    Case("combinations", lambda p: UniformCombinations(n_features=3)),
    Case("rotation", lambda p: RandomRotation(), min, min),
    Case("dictionary", lambda p: Dictionary(np.tri(p))),
    Case("weighted dictionary", weighted_dictionary),
    Case(
        "mixture",
        lambda p: Mixture([(AxisAligned(), 1.0), (SparseSigns(counts="poisson"), 2.0)]),
        lambda d, p: min(d, p),
    ),
    Case("patches", Patches),
    Case("long patches", lambda p: Patches(p, max_size=p, boundary="corner")),
    Case("wrapped patches", lambda p: on_grid(p, boundary=("wrap", "inside"))),
    Case("signed patches", lambda p: on_grid(p, coefficients="signs")),
    Case("normal patches", lambda p: on_grid(p, boundary="wrap", coefficients="normal")),
    Case("shuffled patches", lambda p: on_grid(p, shuffled=True)),
    Case("channels", lambda p: on_grid(p, contiguous=(False, True))),
    Case("paired patches", lambda p: on_grid(p, n_patches=2)),
    Case("pairs inside", lambda p: Patches(p, boundary="inside", n_patches=2, reach=1)),
    Case("three wrapped patches", lambda p: Patches(p, boundary="wrap", n_patches=3)),
    Case(
        "weighted pairs",
        lambda p: on_grid(p, boundary="corner", coefficients="normal", n_patches=2),
    ),
    Case("shuffled pairs", lambda p: on_grid(p, coefficients="signs", shuffled=True, n_patches=2)),
    Case("paired channels", lambda p: on_grid(p, contiguous=(False, True), n_patches=2)),
    Case("graph", on_path),
    Case("signed graph", lambda p: on_path(p, coefficients="signs")),
    Case(
        "mixture of patches",
        lambda p: Mixture([(AxisAligned(), 1.0), (on_grid(p), 2.0)]),
        lambda d, p: min(d, p),
    ),
    Case("components", lambda p: PrincipalComponents(), n_reference=600),
    Case(
        "components of a tree",
        lambda p: PrincipalComponents(n_features=2, per="tree"),
        min,
        min,
        n_reference=600,
    ),
    Case("ridge", lambda p: RidgeDirections(), n_reference=600),
    Case("canonical", lambda p: CanonicalDirections(), n_reference=600),
    Case(
        "mixture of fits",
        lambda p: Mixture([(PrincipalComponents(per="tree"), 1.0), (CanonicalDirections(), 2.0)]),
        lambda d, p: min(d, p),
        n_reference=600,
    ),
    Case(
        "unit free",
        lambda p: UnitFree(SparseSigns(counts="poisson"), spreads=2.0 ** (np.arange(p) % 9 - 4)),
    ),
    Case(
        "unit free fits",
        lambda p: UnitFree(PrincipalComponents(), spreads=2.0 ** (np.arange(p) % 5)),
        n_reference=600,
    ),
    Case("python", lambda p: CyclicDifferences(lag=1), is_native=False),
]


def named(case):
    return case.name

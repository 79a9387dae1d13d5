"""The distributions of patches and neighbourhoods by enumeration, in exact fractions.

A distribution is a dictionary from a tuple of features, ascending, to its probability.
"""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from scipy.stats import chi2

from silvan.projections import Dictionary

RAREST = 1e-8  # a right distribution fails a test by chance less often than this


def axis_distribution(length, min_size, max_size, boundary):
    """Cells along one axis; "subset" is the distribution of an axis that is not contiguous."""
    distribution = defaultdict(Fraction)
    if boundary == "corner":
        n_starts = length - min_size + 1
        for start in range(n_starts):
            largest = min(max_size, length - start)
            for size in range(min_size, largest + 1):
                cells = tuple(range(start, start + size))
                distribution[cells] += Fraction(1, n_starts * (largest - min_size + 1))
        return distribution
    for size in range(min_size, max_size + 1):
        if boundary == "subset":
            places = list(combinations(range(length), size))
        elif boundary == "inside":
            places = [range(start, start + size) for start in range(length - size + 1)]
        elif boundary == "wrap":
            places = [[(start + i) % length for i in range(size)] for start in range(length)]
        else:
            padded = [range(start, start + size) for start in range(1 - size, length)]
            places = [[cell for cell in run if 0 <= cell < length] for run in padded]
        for cells in places:
            distribution[tuple(sorted(cells))] += Fraction(
                1, (max_size - min_size + 1) * len(places)
            )
    return distribution


def patch_distribution(axes):
    """Patches on the grid of these axes, each (length, min_size, max_size, boundary)."""
    shape = [length for length, *_ in axes]
    distribution = {}
    for runs in product(*(axis_distribution(*axis).items() for axis in axes)):
        cells = np.ravel_multi_index(np.meshgrid(*(run for run, _ in runs), indexing="ij"), shape)
        probability = Fraction(1)
        for _, share in runs:
            probability *= share
        distribution[tuple(cells.ravel().tolist())] = probability
    return distribution


def paired_axis_distribution(length, min_size, max_size, boundary, reach):
    """Cells of two patches along one axis: the second begins within reach of the first."""
    distribution = defaultdict(Fraction)
    if boundary == "subset":
        for size in range(min_size, max_size + 1):
            subsets = list(combinations(range(length), size))
            for pair in product(subsets, repeat=2):
                distribution[pair] += Fraction(1, (max_size - min_size + 1) * len(subsets) ** 2)
        return distribution
    runs = defaultdict(Fraction)
    if boundary == "corner":
        for start in range(length - min_size + 1):
            largest = min(max_size, length - start)
            for size in range(min_size, largest + 1):
                runs[start, size] += Fraction(1, (length - min_size + 1) * (largest - min_size + 1))
    else:
        for size in range(min_size, max_size + 1):
            starts = start_range(length, size, boundary)
            for start in starts:
                runs[start, size] += Fraction(1, (max_size - min_size + 1) * len(starts))
    for (start, size), share in runs.items():
        near = []
        for other in start_range(length, size, boundary):
            steps = abs(other - start)
            if boundary == "wrap":
                steps = min(steps, length - steps)
            if steps <= reach:
                near.append(other)
        for other in near:
            pair = (run_cells(first, size, length, boundary) for first in (start, other))
            distribution[tuple(pair)] += share / len(near)
    return distribution


def start_range(length, size, boundary):
    """First cells that a run may have."""
    if boundary == "pad":
        return range(1 - size, length)
    return range(length if boundary == "wrap" else length - size + 1)


def run_cells(start, size, length, boundary):
    """Cells of a run within the axis."""
    cells = range(start, start + size)
    if boundary == "wrap":
        return tuple(sorted(cell % length for cell in cells))
    return tuple(cell for cell in cells if 0 <= cell < length)


def pair_distribution(axes):
    """Differences of two patches near each other.

    An axis is (length, min_size, max_size, boundary, reach). A dictionary from the dense
    direction, as a tuple, to its probability.
    """
    shape = [length for length, *_ in axes]
    distribution = defaultdict(Fraction)
    for pairs in product(*(paired_axis_distribution(*axis).items() for axis in axes)):
        probability = Fraction(1)
        for _, share in pairs:
            probability *= share
        first, second = np.zeros(shape, dtype=int), np.zeros(shape, dtype=int)
        first[np.ix_(*(pair[0] for pair, _ in pairs))] = 1
        second[np.ix_(*(pair[1] for pair, _ in pairs))] = 1
        direction = first - second if (first != second).any() else first
        distribution[tuple(direction.ravel().tolist())] += probability
    return distribution


def neighborhood_distribution(adjacency, min_size, max_size):
    """Neighbourhoods of a uniform size around a uniform centre, grown breadth first."""
    n_nodes = len(adjacency)
    distribution = defaultdict(Fraction)
    for centre, size in product(range(n_nodes), range(min_size, max_size + 1)):
        share = Fraction(1, n_nodes * (max_size - min_size + 1))
        inside = {centre}
        while True:
            level = {j for i in inside for j in range(n_nodes) if adjacency[i][j]} - inside
            room = size - len(inside)
            if len(level) > room or not level:
                break
            inside |= level
        choices = list(combinations(sorted(level), room if level else 0))
        for chosen in choices:
            distribution[tuple(sorted(inside | set(chosen)))] += share / len(choices)
    return distribution


def coverage(distribution, n_features):
    """Probability of each feature."""
    covered = [Fraction(0)] * n_features
    for cells, probability in distribution.items():
        for cell in cells:
            covered[cell] += probability
    return covered


def as_dictionary(distribution, n_features):
    """The same distribution as a list of atoms."""
    atoms = np.zeros((len(distribution), n_features))
    for atom, cells in zip(atoms, distribution, strict=True):
        atom[list(cells)] = 1
    return Dictionary(atoms, [float(probability) for probability in distribution.values()])


def supports(directions):
    """The features of each direction."""
    indices, ends = directions.indices.tolist(), directions.indptr.tolist()
    return [tuple(indices[ends[i] : ends[i + 1]]) for i in range(len(ends) - 1)]


def assert_distribution(drawn, distribution):
    """Chi-square test of independent draws against the distribution; rare ones are pooled."""
    codes = {outcome: i for i, outcome in enumerate(distribution)}
    assert set(drawn) <= codes.keys()
    assert sum(distribution.values()) == 1
    counts = np.bincount([codes[outcome] for outcome in drawn], minlength=len(distribution))
    expected = len(drawn) * np.array([float(probability) for probability in distribution.values()])
    rare = expected < 10
    counts, expected = (
        np.append(values[~rare], values[rare].sum()) for values in (counts, expected)
    )
    if expected[-1] < 10:
        counts, expected = counts[:-1], expected[:-1]
    statistic = ((counts - expected) ** 2 / expected).sum()
    assert len(counts) == 1 or chi2.sf(statistic, len(counts) - 1) > RAREST


def assert_counts(counts, n, probabilities):
    """Each of these binomial counts within seven standard errors (one in 10^11 is not)."""
    p = np.array([float(probability) for probability in probabilities])
    assert (np.abs(counts - n * p) <= 7 * np.sqrt(n * p * (1 - p)) + 1e-9).all()

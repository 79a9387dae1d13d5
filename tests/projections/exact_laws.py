"""The laws of patches and neighbourhoods by enumeration, in exact fractions.

A law is a dictionary from a tuple of features, ascending, to its probability.
"""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from scipy.stats import chi2

from silvan.projections import Dictionary

RAREST = 1e-8  # a right law fails a test by chance less often than this


def axis_law(length, least, most, boundary):
    """Cells along one axis; "subset" is the law of an axis that is not contiguous."""
    law = defaultdict(Fraction)
    if boundary == "corner":
        n_starts = length - least + 1
        for start in range(n_starts):
            largest = min(most, length - start)
            for size in range(least, largest + 1):
                cells = tuple(range(start, start + size))
                law[cells] += Fraction(1, n_starts * (largest - least + 1))
        return law
    for size in range(least, most + 1):
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
            law[tuple(sorted(cells))] += Fraction(1, (most - least + 1) * len(places))
    return law


def patch_law(axes):
    """Patches on the grid of these axes, each (length, least, most, boundary)."""
    shape = [length for length, *_ in axes]
    law = {}
    for runs in product(*(axis_law(*axis).items() for axis in axes)):
        cells = np.ravel_multi_index(np.meshgrid(*(run for run, _ in runs), indexing="ij"), shape)
        probability = Fraction(1)
        for _, share in runs:
            probability *= share
        law[tuple(cells.ravel().tolist())] = probability
    return law


def paired_axis_law(length, least, most, boundary, reach):
    """Cells of two patches along one axis: the second begins within reach of the first."""
    law = defaultdict(Fraction)
    if boundary == "subset":
        for size in range(least, most + 1):
            subsets = list(combinations(range(length), size))
            for pair in product(subsets, repeat=2):
                law[pair] += Fraction(1, (most - least + 1) * len(subsets) ** 2)
        return law
    runs = defaultdict(Fraction)
    if boundary == "corner":
        for start in range(length - least + 1):
            largest = min(most, length - start)
            for size in range(least, largest + 1):
                runs[start, size] += Fraction(1, (length - least + 1) * (largest - least + 1))
    else:
        for size in range(least, most + 1):
            starts = start_range(length, size, boundary)
            for start in starts:
                runs[start, size] += Fraction(1, (most - least + 1) * len(starts))
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
            law[tuple(pair)] += share / len(near)
    return law


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


def pair_law(axes):
    """Differences of two patches near each other, each axis (length, least, most, boundary, reach).

    A dictionary from the dense direction, as a tuple, to its probability.
    """
    shape = [length for length, *_ in axes]
    law = defaultdict(Fraction)
    for pairs in product(*(paired_axis_law(*axis).items() for axis in axes)):
        probability = Fraction(1)
        for _, share in pairs:
            probability *= share
        first, second = np.zeros(shape, dtype=int), np.zeros(shape, dtype=int)
        first[np.ix_(*(pair[0] for pair, _ in pairs))] = 1
        second[np.ix_(*(pair[1] for pair, _ in pairs))] = 1
        direction = first - second if (first != second).any() else first
        law[tuple(direction.ravel().tolist())] += probability
    return law


def neighborhood_law(adjacency, least, most):
    """Neighbourhoods of a uniform size around a uniform centre, grown breadth first."""
    n_nodes = len(adjacency)
    law = defaultdict(Fraction)
    for centre, size in product(range(n_nodes), range(least, most + 1)):
        share = Fraction(1, n_nodes * (most - least + 1))
        inside = {centre}
        while True:
            level = {j for i in inside for j in range(n_nodes) if adjacency[i][j]} - inside
            room = size - len(inside)
            if len(level) > room or not level:
                break
            inside |= level
        choices = list(combinations(sorted(level), room if level else 0))
        for chosen in choices:
            law[tuple(sorted(inside | set(chosen)))] += share / len(choices)
    return law


def coverage(law, n_features):
    """Probability of each feature."""
    covered = [Fraction(0)] * n_features
    for cells, probability in law.items():
        for cell in cells:
            covered[cell] += probability
    return covered


def as_dictionary(law, n_features):
    """The same law as a list of atoms."""
    atoms = np.zeros((len(law), n_features))
    for atom, cells in zip(atoms, law, strict=True):
        atom[list(cells)] = 1
    return Dictionary(atoms, [float(probability) for probability in law.values()])


def supports(directions):
    """The features of each direction."""
    indices, ends = directions.indices.tolist(), directions.indptr.tolist()
    return [tuple(indices[ends[i] : ends[i + 1]]) for i in range(len(ends) - 1)]


def assert_law(drawn, law):
    """Chi-square test of independent draws against the law; rare ones are pooled."""
    codes = {outcome: i for i, outcome in enumerate(law)}
    assert set(drawn) <= codes.keys()
    assert sum(law.values()) == 1
    counts = np.bincount([codes[outcome] for outcome in drawn], minlength=len(law))
    expected = len(drawn) * np.array([float(probability) for probability in law.values()])
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

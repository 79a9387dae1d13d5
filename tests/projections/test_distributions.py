"""The native samplers draw from the distributions that their NumPy references spell out.

Seeds are fixed; the thresholds would let one distribution in a hundred million fail by chance.
"""

import numpy as np
import pytest
from growing import sample_directions
from projections.nodes import describe_node, make_node, to_dense
from projections.registry import CASES, named
from scipy.stats import chi2_contingency

RAREST = 1e-8
N_FEATURES, N_DIRECTIONS = 6, 4
# What the node holds, for distributions that look: 20 rows of three classes.
ROWS = describe_node(
    np.random.default_rng(10).normal(size=(20, N_FEATURES)).astype(np.float32),
    np.arange(20, dtype=np.int32) % 3,
)

native_cases = pytest.mark.parametrize(
    "case", [case for case in CASES if case.is_native], ids=named
)


def draw_natively(distribution, n_nodes):
    """The directions of the roots of `n_nodes` trees, dense."""
    native = distribution._to_native(N_FEATURES)
    for tree in range(n_nodes):
        directions = sample_directions(native, 11, tree, "", N_DIRECTIONS, rows=ROWS)
        yield to_dense(directions, N_FEATURES)


def draw_by_reference(distribution, n_nodes):
    rng = np.random.default_rng(12)
    for _ in range(n_nodes):
        yield distribution.sample(make_node(ROWS, N_DIRECTIONS), rng).toarray()


def pick(directions, number):
    """One direction of a node, a different place from node to node: independent between nodes."""
    return directions[number % len(directions)]


def support(directions, number):
    return int((pick(directions, number) != 0) @ (1 << np.arange(N_FEATURES)))


def sign_pattern(directions, number):
    return int((np.sign(pick(directions, number)) + 1) @ (3 ** np.arange(N_FEATURES)))


def node_total(directions, number):
    return int(np.count_nonzero(directions))


def distinct_directions(directions, number):
    return len({direction.tobytes() for direction in directions})


def largest_weight(directions, number):
    """In tenths, so that continuous weights have a distribution to compare."""
    return round(10 * float(np.abs(pick(directions, number)).max()))


def first_against_second(directions, number):
    """Whether two directions of a node share features: their dependence."""
    return int(np.count_nonzero((directions[0] != 0) & (directions[-1] != 0)))


STATISTICS = [
    support,
    sign_pattern,
    node_total,
    distinct_directions,
    largest_weight,
    first_against_second,
]


def assert_same_distribution(a, b):
    """Chi-square test of two samples of categories, rare ones pooled."""
    categories, codes = np.unique(np.concatenate([a, b]), return_inverse=True)
    counts = np.stack(
        [np.bincount(codes[: len(a)], minlength=len(categories)),
         np.bincount(codes[len(a) :], minlength=len(categories))]
    )  # fmt: skip
    # At least ten expected in the smaller sample.
    common = counts.sum(axis=0) * len(b) / (len(a) + len(b)) >= 10
    table = counts[:, common]
    if not common.all():
        table = np.column_stack([table, counts[:, ~common].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[1] > 1:
        assert chi2_contingency(table).pvalue > RAREST


@native_cases
def test_native_directions_have_the_distribution_of_the_numpy_reference(case):
    distribution = case.build(N_FEATURES)
    native = list(draw_natively(distribution, 4 * case.n_reference))
    reference = list(draw_by_reference(distribution, case.n_reference))
    for statistic in STATISTICS:
        a, b = (
            np.array([statistic(directions, i) for i, directions in enumerate(sample)])
            for sample in (native, reference)
        )
        assert_same_distribution(a, b)


def test_the_comparison_of_distributions_tells_different_distributions_apart():
    cases = {case.name: case.build(N_FEATURES) for case in CASES}
    a = [support(node, i) for i, node in enumerate(draw_natively(cases["matrix"], 4_000))]
    b = [support(node, i) for i, node in enumerate(draw_by_reference(cases["poisson"], 1_000))]
    with pytest.raises(AssertionError):
        assert_same_distribution(np.array(a), np.array(b))

"""Patches: each distribution by its frequencies, and what the parameters mean."""

import pickle
import re
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from growing import sample_directions
from projections.exact_distributions import (
    RAREST,
    as_dictionary,
    assert_counts,
    assert_distribution,
    axis_distribution,
    coverage,
    pair_distribution,
    patch_distribution,
    supports,
)
from scipy.stats import kstest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from silvan import ForestClassifier
from silvan.projections import AxisAligned, Mixture, Node, Patches

# Axes as (length, min_size, max_size, boundary). Patches of more than 12 cells are drawn over
# running sums, smaller ones over the cells themselves: each grid here has both.
GRIDS = {
    "series, pad": [(20, 2, 16, "pad")],
    "series, wrap": [(20, 2, 16, "wrap")],
    "series, whole circle": [(15, 11, 15, "wrap")],
    "series, inside": [(20, 2, 16, "inside")],
    "series, corner": [(20, 2, 16, "corner")],
    "image, pad": [(5, 1, 4, "pad"), (6, 2, 5, "pad")],
    "image, wrap": [(5, 1, 5, "wrap"), (6, 2, 5, "wrap")],
    "image, inside and corner": [(5, 2, 4, "inside"), (7, 3, 5, "corner")],
    "image, wrap and corner": [(6, 3, 5, "wrap"), (7, 3, 7, "corner")],
    "volume, pad": [(3, 2, 3, "pad"), (4, 2, 3, "pad"), (3, 1, 3, "pad")],
    "volume, wrap": [(3, 2, 3, "wrap"), (4, 2, 3, "wrap"), (3, 3, 3, "wrap")],
    "volume, mixed": [(3, 2, 3, "corner"), (3, 2, 3, "inside"), (4, 3, 4, "wrap")],
    "channels": [(4, 1, 3, "subset"), (10, 3, 8, "pad")],
    "channels last": [(10, 3, 8, "wrap"), (3, 1, 3, "subset")],
    "channels alone": [(6, 2, 4, "subset")],
    "channels between": [(3, 2, 3, "inside"), (3, 1, 2, "subset"), (4, 4, 4, "pad")],
}
grids = pytest.mark.parametrize("axes", GRIDS.values(), ids=GRIDS)


def make_patches(axes, **changes):
    """The distribution of these axes, said in its public parameters."""
    lengths, min_size, max_size, boundary = zip(*axes, strict=True)
    return Patches(
        lengths,
        min_size,
        max_size,
        boundary=tuple("pad" if rule == "subset" else rule for rule in boundary),
        contiguous=tuple(rule != "subset" for rule in boundary),
        **changes,
    )


def draw(distribution, n_directions, n_features, seed=0):
    return distribution.draw(n_directions, n_features, random_state=seed)


def n_cells(axes):
    return int(np.prod([length for length, *_ in axes]))


# The distribution of patches


@grids
def test_patches_have_the_distribution_of_the_dictionary_of_all_patches(axes):
    p, expected = n_cells(axes), patch_distribution(axes)
    patches = make_patches(axes)
    directions = draw(patches, 40_000, p)
    assert (directions.data == 1).all()
    assert_distribution(supports(directions), expected)
    assert_distribution(supports(draw(as_dictionary(expected, p), 40_000, p)), expected)
    reference = patches.sample(Node(p, 2_000), np.random.default_rng(0))
    assert_distribution(supports(reference), expected)


@grids
def test_the_grids_of_these_tests_have_patches_over_running_sums_and_over_cells(axes):
    p = n_cells(axes)
    native = make_patches(axes)._to_native(p)
    indptr, indices, _ = sample_directions(native, 0, 0, "", 4_000)
    over_sums = indices[indptr[:-1]] >= p
    assert over_sums.any() == (axes != GRIDS["channels alone"])
    assert not over_sums.all()


def test_the_comparison_with_a_dictionary_tells_boundaries_apart():
    directions = draw(make_patches([(20, 2, 6, "corner")]), 4_000, 20)
    with pytest.raises(AssertionError):
        assert_distribution(supports(directions), patch_distribution([(20, 2, 6, "inside")]))


EVEN = {
    "series": [(30, 1, 20)],
    "series, one size": [(30, 17, 17)],
    "image": [(8, 1, 5), (9, 3, 9)],
    "flat image": [(1, 1, 1), (12, 2, 12)],
    "volume": [(4, 1, 3), (5, 2, 5), (3, 2, 2)],
}


@pytest.mark.parametrize("boundary", ["pad", "wrap"])
@pytest.mark.parametrize("sides", EVEN.values(), ids=EVEN)
def test_padded_and_wrapped_patches_cover_every_cell_equally_often(sides, boundary):
    """Along an axis of W cells a run of s covers a cell with s / W, or s / (W + s - 1) padded."""
    chance = Fraction(1)
    for length, min_size, max_size in sides:
        sizes = range(min_size, max_size + 1)
        shares = [Fraction(s, length if boundary == "wrap" else length + s - 1) for s in sizes]
        assert set(coverage(axis_distribution(length, min_size, max_size, boundary), length)) == {
            sum(shares) / len(shares)
        }
        chance *= sum(shares) / len(shares)
    axes = [(*side, boundary) for side in sides]
    directions = draw(make_patches(axes), 30_000, n_cells(axes))
    counts = np.bincount(directions.indices, minlength=n_cells(axes))
    assert_counts(counts, 30_000, [chance] * n_cells(axes))


def inside_coverage(length, min_size, max_size):
    """Mean over the sizes of the share of places that hold a cell."""
    return [
        sum(
            Fraction(min(x, length - s) - max(0, x - s + 1) + 1, length - s + 1)
            for s in range(min_size, max_size + 1)
        )
        / (max_size - min_size + 1)
        for x in range(length)
    ]


def corner_coverage(length, min_size, max_size):
    """Mean over the corners u of the chance that the run from u reaches a cell."""
    chances = []
    for x in range(length):
        chance = Fraction(0)
        for u in range(min(x, length - min_size) + 1):
            largest = min(max_size, length - u)
            chance += Fraction(
                max(0, largest - max(x - u + 1, min_size) + 1), largest - min_size + 1
            )
        chances.append(chance / (length - min_size + 1))
    return chances


@pytest.mark.parametrize(
    ("boundary", "formula"), [("inside", inside_coverage), ("corner", corner_coverage)]
)
def test_inside_and_corner_patches_cover_cells_as_their_formulas_say(boundary, formula):
    sides = [(9, 2, 5), (11, 1, 8)]
    by_axis = [formula(*side) for side in sides]
    for side, chances in zip(sides, by_axis, strict=True):
        assert chances == coverage(axis_distribution(*side, boundary), side[0])
        assert len(set(chances)) > 1
    axes = [(*side, boundary) for side in sides]
    directions = draw(make_patches(axes), 30_000, 99)
    counts = np.bincount(directions.indices, minlength=99)
    assert_counts(counts, 30_000, [a * b for a in by_axis[0] for b in by_axis[1]])


def first_and_size(directions):
    return [(cells[0], len(cells)) for cells in supports(directions)]


def test_inside_patches_have_uniform_sizes_and_then_uniform_places():
    drawn = first_and_size(draw(Patches(12, 3, 9, "inside"), 20_000, 12))
    expected = {(u, s): Fraction(1, 7 * (13 - s)) for s in range(3, 10) for u in range(13 - s)}
    assert_distribution(drawn, expected)
    assert_distribution([size for _, size in drawn], {s: Fraction(1, 7) for s in range(3, 10)})


def test_corner_patches_have_uniform_corners_and_then_uniform_sizes():
    drawn = first_and_size(draw(Patches(12, 3, 9, "corner"), 20_000, 12))
    expected = {
        (u, s): Fraction(1, 10 * (min(9, 12 - u) - 2))
        for u in range(10)
        for s in range(3, min(9, 12 - u) + 1)
    }
    assert_distribution(drawn, expected)
    assert_distribution([corner for corner, _ in drawn], {u: Fraction(1, 10) for u in range(10)})


def test_wrapped_patches_are_runs_on_a_circle():
    for cells in supports(draw(Patches(20, 14, 16, "wrap"), 500, 20)):
        outside = sorted(set(range(20)) - set(cells))
        n_gaps = np.count_nonzero(np.diff([*cells, cells[0] + 20]) > 1)
        assert len(cells) == 20 - len(outside)
        assert n_gaps == 1


@pytest.mark.parametrize("boundary", ["pad", "corner", "inside", "wrap"])
def test_an_axis_that_is_not_contiguous_draws_uniform_subsets_whatever_its_boundary(boundary):
    patches = Patches((5, 6), (2, 6), (3, 6), boundary, contiguous=(False, True))
    directions = draw(patches, 20_000, 30)
    chosen = [tuple(sorted({cell // 6 for cell in cells})) for cells in supports(directions)]
    if boundary in ("inside", "corner", "wrap"):
        assert {len(cells) % 6 for cells in supports(directions)} == {0}
    expected = {
        subset: Fraction(1, 2 * len(list(combinations(range(5), size))))
        for size in (2, 3)
        for subset in combinations(range(5), size)
    }
    assert_distribution(chosen, expected)


# Several patches


# Axes as (length, min_size, max_size, boundary, reach); most have directions over running sums.
PAIRS = {
    "series, pad": [(20, 2, 12, "pad", 5)],
    "series, wrap": [(20, 2, 12, "wrap", 4)],
    "series, whole circle": [(12, 9, 12, "wrap", 12)],
    "series, inside": [(20, 4, 14, "inside", 30)],
    "series, corner": [(20, 2, 16, "corner", 3)],
    "image, pad": [(4, 1, 3, "pad", 2), (5, 3, 5, "pad", 1)],
    "image, wrap and corner": [(4, 3, 4, "wrap", 1), (5, 3, 5, "corner", 5)],
    "channels": [(3, 1, 2, "subset", 3), (9, 5, 7, "pad", 4)],
    "single cells": [(6, 1, 1, "inside", 2)],
}
pairs = pytest.mark.parametrize("axes", PAIRS.values(), ids=PAIRS)


def make_pairs(axes):
    patches = make_patches([axis[:4] for axis in axes], n_patches=2)
    return patches.set_params(reach=tuple(reach for *_, reach in axes))


def dense_rows(directions):
    return [tuple(row) for row in directions.toarray().astype(int).tolist()]


@pairs
def test_pairs_have_the_distribution_of_all_pairs_of_patches_within_reach(axes):
    p, expected = n_cells([axis[:4] for axis in axes]), pair_distribution(axes)
    patches = make_pairs(axes)
    assert_distribution(dense_rows(draw(patches, 40_000, p)), expected)
    reference = patches.sample(Node(p, 2_000), np.random.default_rng(0))
    assert_distribution(dense_rows(reference), expected)


def test_pairs_of_large_patches_are_drawn_over_running_sums_and_those_of_small_ones_are_not():
    for axes in PAIRS.values():
        p = n_cells([axis[:4] for axis in axes])
        native = make_pairs(axes)._to_native(p)
        indptr, indices, _ = sample_directions(native, 0, 0, "", 4_000)
        over_sums = indices[indptr[:-1]] >= p
        assert over_sums.any() == (axes != PAIRS["single cells"])
        assert not over_sums.all()


def test_further_patches_are_subtracted_and_added_in_turn():
    for n_patches, total in ((2, 0), (3, 5), (4, 0), (5, 5)):
        patches = Patches(900, 5, 5, "inside", n_patches=n_patches, reach=900)
        directions = draw(patches, 1_000, 900).toarray()
        apart = directions[(directions != 0).sum(axis=1) == 5 * n_patches]
        assert len(apart) > 800
        assert (apart.sum(axis=1) == total).all()
        assert (np.abs(apart).max(axis=1) == 1).all()


def test_wrapped_patches_near_each_other_cover_every_cell_equally_often():
    patches = Patches((6, 7), 2, 4, "wrap", coefficients="normal", n_patches=2, reach=2)
    directions = draw(patches, 30_000, 42)
    counts = np.bincount(directions.indices, minlength=42)
    assert_counts(counts, 30_000, [directions.nnz / 30_000 / 42] * 42)


def test_reach_is_a_largest_size_unless_it_is_given():
    for patches in (Patches(30, 2, 4, n_patches=2), Patches(30, 2, 4, n_patches=2, reach=4)):
        cells = supports(draw(patches, 5_000, 30))
        assert max(last[-1] - last[0] for last in cells) == 7
    rows, columns = Patches((20, 30), 2, (3, 5), n_patches=2).grid_axes()
    assert (rows.reach, columns.reach) == (3, 5)


def test_patches_that_always_coincide_are_the_first_one_alone():
    directions = draw(Patches(5, 5, 5, "inside", n_patches=2), 20, 5)
    assert (directions.toarray() == 1).all()
    directions = draw(Patches(50, 2, 9, n_patches=2, reach=0), 500, 50)
    assert (directions.data == 1).all()


# Coefficients and the shuffled control


@pytest.mark.parametrize("coefficients", ["signs", "uniform", "normal"])
def test_weighted_patches_lie_where_patches_lie(coefficients):
    axes = GRIDS["image, pad"]
    directions = draw(make_patches(axes, coefficients=coefficients), 40_000, 30)
    assert_distribution(supports(directions), patch_distribution(axes))


def test_signs_are_balanced_on_every_cell_and_independent_within_a_patch():
    directions = draw(Patches((6, 6), 2, 4, "wrap", coefficients="signs"), 20_000, 36)
    assert np.unique(directions.data).tolist() == [-1.0, 1.0]
    for cell in range(36):
        signs = directions.data[directions.indices == cell]
        assert_counts(np.array([(signs > 0).sum()]), len(signs), [0.5])
    first = directions.indptr[:-1]
    for lag in (1, 2, 3):
        equal = directions.data[first] == directions.data[first + lag]
        assert_counts(np.array([equal.sum()]), len(equal), [0.5])


def test_uniform_and_normal_coefficients_have_their_distributions():
    uniform = draw(Patches((9, 9), 2, 5, coefficients="uniform"), 4_000, 81).data
    assert np.abs(uniform).max() < 1
    assert kstest(uniform, "uniform", args=(-1, 2)).pvalue > RAREST
    normal = draw(Patches((9, 9), 2, 5, coefficients="normal"), 4_000, 81).data
    assert kstest(normal, "norm").pvalue > RAREST


def test_the_shuffled_control_has_the_sizes_of_patches_and_cells_from_anywhere():
    sizes = {}
    for cells, probability in patch_distribution(GRIDS["image, pad"]).items():
        sizes[len(cells)] = sizes.get(len(cells), 0) + probability
    directions = draw(make_patches(GRIDS["image, pad"], shuffled=True), 40_000, 30)
    assert (directions.data == 1).all()
    assert_distribution(np.diff(directions.indptr).tolist(), sizes)
    mean = sum(size * probability for size, probability in sizes.items()) / 30
    assert_counts(np.bincount(directions.indices, minlength=30), 40_000, [mean] * 30)


def test_the_shuffled_control_draws_every_subset_of_a_size_equally_often():
    axes = [(2, 1, 2, "pad"), (3, 1, 2, "corner")]
    expected = {}
    for cells, probability in patch_distribution(axes).items():
        subsets = list(combinations(range(6), len(cells)))
        for subset in subsets:
            expected[subset] = expected.get(subset, 0) + probability / len(subsets)
    assert_distribution(supports(draw(make_patches(axes, shuffled=True), 40_000, 6)), expected)


def test_the_shuffled_control_may_carry_weights():
    directions = draw(Patches((6, 6), 2, 3, coefficients="signs", shuffled=True), 2_000, 36)
    assert_counts(np.array([(directions.data > 0).sum()]), directions.nnz, [0.5])


# Parameters


CHANNELS = (False, True)
SAME = [
    (Patches(12), Patches((12,))),
    (Patches((4, 6), 2), Patches([np.int64(4), np.int32(6)], (2, 2))),
    (Patches((4, 6), np.int64(2), np.int8(3)), Patches(np.array([4, 6]), [2, 2], np.array([3, 3]))),
    (Patches((4, 6)), Patches((4, 6), 1, (3, 3), "pad", True, coefficients="ones", shuffled=False)),
    (Patches((4, 6), max_size=(None, 2)), Patches((4, 6), max_size=(3, 2))),
    (Patches((2, 100)), Patches((2, 100), 1, (2, 3))),
    (Patches((50, 100), 30), Patches((50, 100), 30, 30)),
    (Patches((4, 6), boundary="wrap"), Patches((4, 6), boundary=["wrap", "wrap"])),
    (Patches((4, 6), contiguous=False), Patches((4, 6), 1, (4, 6), contiguous=(np.False_,) * 2)),
    (Patches((4, 6), 2, 3, contiguous=False), Patches((4, 6), (2, 2), (3, 3), "pad", [False] * 2)),
    (Patches((4, 6), contiguous=CHANNELS), Patches((4, 6), 1, (4, 3), contiguous=CHANNELS)),
    (
        Patches((4, 6), 2, 3, contiguous=np.array(CHANNELS)),
        Patches((4, 6), (1, 2), (4, 3), contiguous=CHANNELS),
    ),
]


@pytest.mark.parametrize(("short", "long"), SAME, ids=range(len(SAME)))
def test_parameters_may_be_said_briefly_or_axis_by_axis(short, long):
    p = int(np.prod(short.shape))
    a, b = (draw(patches, 300, p).toarray() for patches in (short, long))
    assert np.array_equal(a, b)


IMAGE = (4, 6)
BAD = [
    (Patches((5, 5)), "shape (5, 5) has 25 cells but X has 24 features; pass the shape that X was"),
    (Patches(23), "shape (23,) has 23 cells but X has 24 features"),
    (Patches(()), "shape must be an integer or a tuple of integers >= 1, but it is (); pass the"),
    (Patches(0), "shape must be an integer or a tuple of integers >= 1, but it is 0"),
    (Patches((24, 0)), "shape must be an integer or a tuple of integers >= 1, but it is (24, 0)"),
    (Patches((-4, -6)), "shape must be an integer or a tuple of integers >= 1, but it is (-4, -6)"),
    (Patches((4.0, 6)), "shape must be an integer or a tuple of integers >= 1, but it is (4.0, 6)"),
    (Patches((24, True)), "shape must be an integer or a tuple of integers >= 1"),
    (Patches("24"), "shape must be an integer or a tuple of integers >= 1, but it is '24'"),
    (Patches(np.ones((4, 6))), "shape must be an integer or a tuple of integers >= 1, but it is"),
    (Patches(IMAGE, 0), "min_size must be an integer from 1 to 4, the length of axis 0, but it is"),
    (Patches(IMAGE, 1.0), "min_size must be an integer from 1 to 4, the length of axis 0, but"),
    (Patches(IMAGE, True), "min_size must be an integer from 1 to 4, the length of axis 0, but"),
    (Patches(IMAGE, None), "min_size must be an integer from 1 to 4, the length of axis 0, but"),
    (Patches(IMAGE, 5), "but it is 5; pass one size for each axis of the grid"),
    (Patches(IMAGE, (1, 7)), "min_size must be an integer from 1 to 6, the length of axis 1, but"),
    (Patches(IMAGE, 1, 5), "max_size must be an integer from 1 to 4, the length of axis 0, but it"),
    (Patches(IMAGE, 1, (4, 2.5)), "max_size must be an integer from 1 to 6, the length of axis 1"),
    (Patches(IMAGE, 1, "all"), "max_size must be an integer from 1 to 4, the length of axis 0"),
    (Patches(IMAGE, 3, 2), "min_size must be at most max_size (2 along axis 0), but it is 3; swap"),
    (Patches(IMAGE, (1, 4), 3), "min_size must be at most max_size (3 along axis 1), but it is 4"),
    (
        Patches(IMAGE, (1, 1, 1)),
        "min_size must be one value or one for each of the 2 axes of shape",
    ),
    (Patches(IMAGE, 1, (3,)), "max_size must be one value or one for each of the 2 axes of shape"),
    (Patches(IMAGE, 1, ()), "max_size must be one value or one for each of the 2 axes of shape"),
    (Patches(IMAGE, boundary=("pad",)), "boundary must be one value or one for each of the 2 axes"),
    (Patches(IMAGE, contiguous=(True,) * 3), "contiguous must be one value or one for each of the"),
    (
        Patches(IMAGE, boundary="mirror"),
        "boundary must be one of 'corner', 'inside', 'pad', 'wrap'",
    ),
    (
        Patches(IMAGE, boundary="subset"),
        "boundary must be one of 'corner', 'inside', 'pad', 'wrap'",
    ),
    (Patches(IMAGE, boundary=None), "boundary must be one of 'corner', 'inside', 'pad', 'wrap'"),
    (
        Patches(IMAGE, boundary=("no", "pad"), contiguous=CHANNELS),
        "boundary must be one of 'corner'",
    ),
    (Patches(IMAGE, contiguous="time"), "contiguous must be True or False, but it is 'time'; pass"),
    (Patches(IMAGE, contiguous=(1, 0)), "contiguous must be True or False, but it is 1; pass"),
    (
        Patches(IMAGE, coefficients="one"),
        "coefficients must be one of 'ones', 'signs', 'uniform', 'normal'",
    ),
    (
        Patches(IMAGE, shuffled=1),
        "shuffled must be True or False, but it is 1; pass one of the two",
    ),
    (Patches(IMAGE, n_patches=0), "n_patches must be an integer >= 1, but it is 0; pass for"),
    (Patches(IMAGE, n_patches=2.0), "n_patches must be an integer >= 1, but it is 2.0; pass for"),
    (Patches(IMAGE, n_patches=True), "n_patches must be an integer >= 1, but it is True; pass for"),
    (Patches(IMAGE, reach=-1), "reach must be an integer >= 0 or None, but it is -1; pass for"),
    (Patches(IMAGE, reach=1.5), "reach must be an integer >= 0 or None, but it is 1.5; pass for"),
    (Patches(IMAGE, reach=(1, "x")), "reach must be an integer >= 0 or None, but it is 'x'; pass"),
    (Patches(IMAGE, reach=(1,)), "reach must be one value or one for each of the 2 axes of shape"),
]

X = np.random.default_rng(0).normal(size=(60, 24)).astype(np.float32)
Y = (X[:, :3].sum(axis=1) > 0).astype(int)


@pytest.mark.parametrize(("patches", "message"), BAD, ids=range(len(BAD)))
def test_a_bad_parameter_is_explained_before_anything_is_drawn(patches, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        patches.draw(3, 24)
    with pytest.raises(ValueError, match=re.escape(message)):
        ForestClassifier(2, projections=patches).fit(X, Y)


def test_patches_are_shown_compared_cloned_and_pickled_by_their_parameters():
    patches = Patches((4, 6), 2, boundary=("pad", "wrap"))
    assert repr(patches) == "Patches(shape=(4, 6), min_size=2, boundary=('pad', 'wrap'))"
    assert repr(Patches(7)) == "Patches(shape=7)"
    for copy in (clone(patches), pickle.loads(pickle.dumps(patches))):
        assert copy == patches
        assert copy.get_params() == patches.get_params()
    assert patches != Patches((6, 4), 2, boundary=("pad", "wrap"))
    assert patches != Patches((4, 6), 2)
    assert Patches([4, 6]) == Patches((4, 6))


def test_a_grid_search_reaches_the_sizes_of_patches():
    search = GridSearchCV(
        ForestClassifier(3, projections=Patches(IMAGE), random_state=0),
        {"projections__max_size": [1, (4, 6)], "projections__boundary": ["pad", "wrap"]},
        cv=2,
    ).fit(X, Y)
    assert len(search.cv_results_["params"]) == 4


# Mixtures

LARGE = Patches(IMAGE, (3, 5), (4, 6))


def holds_its_members(forest, X):
    """Whether each row that a tree was grown on ends in the leaf that it is a member of."""
    leaves, arrays = forest.apply(X), forest.forest_
    for tree in range(arrays.n_trees):
        nodes = slice(*arrays.tree_offsets[tree : tree + 2])
        for node in np.flatnonzero(arrays.left[nodes] < 0):
            leaf = arrays.leaf_offsets[tree] - 1 - arrays.left[nodes][node]
            members = arrays.members[slice(*arrays.member_indptr[leaf : leaf + 2])]
            if not (leaves[members, tree] == node).all():
                return False
    return True


@pytest.mark.parametrize(
    "mixture",
    [
        Mixture([(AxisAligned(), 1.0), (LARGE, 2.0)]),
        Mixture([(LARGE, 1.0), (AxisAligned(), 1.0)]),
        Mixture([(LARGE, 1.0), (Patches(24, 1, 5, coefficients="signs"), 1.0)]),
        Mixture([(AxisAligned(), 1.0), (Mixture([(LARGE, 1.0)]), 1.0)]),
    ],
    ids=["axes first", "patches first", "two shapes of which one needs sums", "nested"],
)
def test_mixtures_with_patches_grow_and_predict(mixture):
    labels = X.sum(axis=1) > 0
    forest = ForestClassifier(8, projections=mixture, max_features=12, random_state=0)
    forest.fit(X, labels)
    over_sums = forest.forest_.direction_indices >= 24
    assert over_sums.any()
    assert not over_sums.all()
    assert holds_its_members(forest, X)
    assert forest.score(X, labels) > 0.9
    assert forest.forest_.directions().shape == (forest.forest_.n_nodes, 24)


@pytest.mark.parametrize(
    "second",
    [
        Patches((6, 4), 3, 4),
        Patches(24, 1, 20),
        Patches(IMAGE, (1, 4), (4, 6), contiguous=CHANNELS),
        Mixture([(AxisAligned(), 1.0), (Patches((2, 12), 2, (2, 12)), 1.0)]),
    ],
    ids=["turned", "flat", "channels", "nested"],
)
def test_a_mixture_of_large_patches_on_different_grids_is_refused(second):
    mixture = Mixture([(AxisAligned(), 1.0), (LARGE, 1.0), (second, 1.0)])
    message = (
        r"components must lie on the same grid .* components\[1\] has shape \(4, 6\) with "
        r"contiguous=\(True, True\) and components\[2\] has shape .*; give them the same shape"
    )
    with pytest.raises(ValueError, match=message):
        mixture.draw(3, 24)
    with pytest.raises(ValueError, match=message):
        ForestClassifier(2, projections=mixture).fit(X, Y)

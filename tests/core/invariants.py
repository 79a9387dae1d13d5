"""What holds of native forests over any columns, for the tests of each kind of column."""

import numpy as np

from silvan import _core


def noisy_classes(rng, X):
    """Two classes by the sum of the first half of the features, a tenth of them moved up."""
    n, p = X.shape
    total = np.nan_to_num(X[:, : p // 2].astype(float)).sum(axis=1)
    y = (total > np.median(total)).astype(np.int32) + (rng.random(n) < 0.1)
    return y.astype(np.int32)


def assert_same_forest(a, b):
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


def assert_grown_alike(grow, X, y, native):
    """Threads, layouts and instruction sets change nothing; returns the forest."""
    expected, *_ = grow(X, y, native, trees=4, instruction_set="baseline")
    for changes in (
        {"n_threads": 3},
        {"source": X},
        {"source": np.asfortranarray(X)},
        *({"instruction_set": name} for name in _core.instruction_sets()),
    ):
        assert_same_forest(grow(X, y, native, trees=4, **changes)[0], expected)
    return expected


def assert_samples_end_where_they_are_members(forest, X):
    """In any layout, and in small blocks, too."""
    arrays, expected = forest.forest_, forest.apply(X)
    for layout in (X, np.asfortranarray(X)):
        leaves = forest.apply(layout)
        for tree in range(arrays.n_trees):
            first, last = arrays.tree_offsets[tree : tree + 2]
            left = arrays.left[first:last]
            for node in np.flatnonzero(left < 0):
                leaf = arrays.leaf_offsets[tree] - 1 - left[node]
                members = arrays.members[slice(*arrays.member_indptr[leaf : leaf + 2])]
                assert (leaves[members, tree] == node).all()
    few = np.vstack([forest.apply(X[i : i + 3]) for i in range(0, 30, 3)])
    assert np.array_equal(few, expected[:30])

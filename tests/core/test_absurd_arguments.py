"""The core refuses arguments that would lead it beyond its arrays or into endless work."""

import numpy as np
import pytest
from growing import grow, make_draws, make_options, make_rows

from silvan import _core

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 4)).astype(np.float32)
Y = (np.arange(20) % 2).astype(np.int32)

DRAWS = [
    ({"order": [0, 20]}, "order must have numbers of samples"),
    ({"order": [2**32 - 1, 0]}, "order must have numbers of samples"),
    ({"order": []}, "order must not be empty"),
    ({"n_draws": -1}, "n_draws must be between 1"),
    ({"n_draws": -1, "replace": False}, "n_draws must be between 1"),
    ({"n_draws": 2**31}, "n_draws must be between 1"),
    ({"n_draws": 2**62}, "n_draws must be between 1"),
    ({"estimation_share": np.nan}, "estimation_share must be in"),
    ({"estimation_share": 1.0}, "estimation_share must be in"),
    ({"estimation_share": -0.5}, "estimation_share must be in"),
    ({"cumulative": [np.nan, np.nan]}, "cumulative must rise"),
    ({"cumulative": [1.0, np.inf]}, "cumulative must rise"),
    ({"cumulative": [5.0, 1.0]}, "cumulative must rise"),
    ({"cumulative": [0.0, 0.0]}, "cumulative must rise"),
    ({"cumulative": [1.0]}, "cumulative and order differ"),
    ({"repeats": [0]}, "repeats and order differ"),
    ({"given": [1]}, "given and order differ"),
    ({"ranks": [0, 1, 2]}, "ranks and order differ"),
    ({"strata": []}, "strata must rise"),
    ({"strata": [1]}, "strata must rise"),
    ({"strata": [2, 2]}, "strata must rise"),
    ({"first_tree": -1}, "first_tree must not be negative"),
]


@pytest.mark.parametrize(("changes", "fault"), DRAWS, ids=str)
def test_draws_that_cannot_be_are_refused(changes, fault):
    types = {"order": np.uint32, "cumulative": np.float64, "repeats": np.uint8}
    types |= {"given": np.int32, "ranks": np.uint32, "strata": np.int64}
    arguments = {"order": [0, 1], "n_draws": 2} | changes
    for name, dtype in types.items():
        if name in arguments:
            arguments[name] = np.array(arguments[name], dtype=dtype)
    with pytest.raises(ValueError, match=fault):
        make_draws(**arguments)


@pytest.mark.parametrize("beyond", [20, 2**32 - 1])
def test_repeats_of_samples_that_are_not_there_are_refused(beyond):
    order = np.arange(20, dtype=np.uint32)
    order[7] = beyond
    with pytest.raises(ValueError, match="order must have numbers of samples"):
        _core.sample_repeats(X, Y[:, None], order)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"series": np.zeros((3, 0))}, "series must not be empty"),
        ({"step": 0}, "step must be between 1 and the length"),
        ({"step": 2**63 - 1}, "step must be between 1 and the length"),
        ({"chosen": [[0, 1, 9]]}, "kernels have nine cells"),
        ({"chosen": [[-1, 1, 2]]}, "kernels have nine cells"),
        ({"chosen": [[0, 1]]}, "every kernel needs three cells"),
        ({"thresholds": [0.0, 0.0]}, "every kernel needs three cells"),
        ({"dilations": [0]}, "dilations must be between 1 and the length"),
        ({"dilations": [11]}, "dilations must be between 1 and the length"),
    ],
    ids=str,
)
def test_kernels_that_cannot_be_are_refused(changes, fault):
    arguments = {"series": np.zeros((3, 10)), "wraps": False, "chosen": [[0, 1, 2]]}
    arguments |= {"dilations": [1], "thresholds": [0.0], "step": 1} | changes
    types = {"series": "f4", "chosen": "i4", "dilations": "i4", "thresholds": "f4"}
    arguments |= {name: np.asarray(arguments[name], dtype=dtype) for name, dtype in types.items()}
    with pytest.raises(ValueError, match=fault):
        _core.convolve_series(**arguments)


@pytest.mark.parametrize("trees", [(0, 2**62), (0, 2**31), (3, 1), (-3, 2), (-(2**62), 2)])
def test_trees_that_nobody_waits_for_are_refused(trees):
    training = _core.TrainingSet(
        _core.to_columns(X), None, _core.Targets(Y, None, 2), make_draws(**make_rows(20))
    )
    options = _core.GrowOptions()
    with pytest.raises(ValueError, match="trees must be a range"):
        _core.grow(training, _core.axis_aligned(4), options, trees, 1, None)


@pytest.mark.parametrize(
    "changes", [{"n_directions": -1}, {"min_samples_leaf": 0}, {"max_depth": -1}]
)
def test_options_out_of_range_are_refused(changes):
    with pytest.raises(ValueError, match="must be positive"):
        grow(X, Y, _core.axis_aligned(4), make_options(**changes))


@pytest.mark.parametrize("n_threads", [0, -1, -(2**62)])
def test_no_threads_at_all_are_refused(n_threads):
    with pytest.raises(ValueError, match="n_threads must be positive"):
        grow(X, Y, _core.axis_aligned(4), make_options(), n_threads=n_threads)


@pytest.mark.parametrize("n_outputs", [0, -2])
def test_targets_have_an_output(n_outputs):
    with pytest.raises(ValueError, match="n_outputs must be at least 1"):
        _core.Targets(None, None, n_outputs)


def expand(shape=(), contiguous=(), n_categories=(), n_features=4, directions=((0, 1), (5,))):
    indptr, indices = directions
    columns = _core.ColumnDescription(
        np.array(shape, dtype=np.int64),
        np.array(contiguous, dtype=np.uint8),
        np.array(n_categories, dtype=np.int64),
    )
    coefficients = np.ones(len(indices), dtype=np.float32)
    return _core.expand_directions(
        columns,
        n_features,
        np.array(indptr, dtype=np.int64),
        np.array(indices, dtype=np.int32),
        coefficients,
    )


GRID = {"shape": (2, 2), "contiguous": (1, 1)}
COLUMNS = [
    ({"shape": (2, 2), "contiguous": (1,)}, "a cell for each feature"),
    ({"shape": (-2, -2), "contiguous": (1, 1)}, "a cell for each feature"),
    ({"shape": (0, 2), "contiguous": (1, 1)}, "a cell for each feature"),
    ({"shape": (2**32, 2**32), "contiguous": (1, 1)}, "a cell for each feature"),
    ({"shape": (2, 3), "contiguous": (1, 1)}, "a cell for each feature"),
    ({"n_categories": (3, 0)}, "one entry per feature"),
    ({"n_categories": (-3, 0, 0, 0)}, "n_categories must not be negative"),
    ({"n_categories": (2**62, 2**62, 0, 0)}, "too many to be numbered"),
    ({**GRID, "n_categories": (2, 0, 0, 0)}, "categories have no running sums"),
    ({"n_features": 0}, "1 to 2"),
    ({"n_features": -1}, "1 to 2"),
    ({"n_features": 2**31}, "1 to 2"),
    ({**GRID, "directions": ((0, 1), (13,))}, "sparse rows"),
    ({**GRID, "directions": ((0, 1), (-1,))}, "sparse rows"),
    ({**GRID, "directions": ((0, 2), (6, 5))}, "sparse rows"),
    ({**GRID, "directions": ((0, 1_000_000), (5,))}, "sparse rows"),
    ({**GRID, "directions": ((5, 1), (5,))}, "sparse rows"),
    ({**GRID, "directions": ((), ())}, "sparse rows"),
    ({"n_categories": (3, 0, 0, 0), "directions": ((0, 1), (7,))}, "sparse rows"),
    ({"directions": ((0, 1), (4,))}, "sparse rows"),
]


@pytest.mark.parametrize(("arguments", "fault"), COLUMNS, ids=str)
def test_columns_and_directions_that_do_not_fit_are_refused(arguments, fault):
    with pytest.raises(ValueError, match=fault):
        expand(**arguments)


def test_directions_that_fit_are_expanded_and_may_be_empty():
    indptr, indices, _ = expand(**GRID, directions=((0, 1, 1), (12,)))
    assert indptr.tolist() == [0, 4, 4]
    assert indices.tolist() == [0, 1, 2, 3]
    assert expand(n_categories=(3, 0, 0, 0), directions=((0, 1), (6,)))[1].tolist() == [0]

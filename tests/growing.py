"""What tests hand to the native grower: options without limits, and rows in the order given."""

import numpy as np

from silvan import _core


def make_options(**changes):
    """Options as a dictionary that references read, too."""
    options = {
        "criterion": "gini",
        "n_outputs": 2,
        "n_directions": 4,
        "max_depth": 1000,
        "min_samples_split": 2,
        "min_samples_leaf": 1,
        "min_impurity_decrease": 0.0,
        "seed": 5,
    }
    return options | changes


def make_rows(n, *, replace=True):
    """As many draws as rows; without replacement that is every row once."""
    return {"order": np.arange(n, dtype=np.uint32), "n_draws": n, "replace": replace}


def set_all(target, values):
    for name, value in values.items():
        setattr(target, name, value)
    return target


def to_native_options(options):
    """The options of the core: those of the data are told elsewhere."""
    told_elsewhere = ("n_outputs", "n_averaged", "n_categories")
    options = {name: value for name, value in options.items() if name not in told_elsewhere}
    if "gaussian" in options:
        options["gaussian"] = set_all(_core.GaussianOptions(), options["gaussian"])
    return set_all(_core.GrowOptions(), options)


def make_draws(order, n_draws, replace=True, **others):
    return set_all(_core.SampleDraws(order, n_draws, replace), others)


def grow(
    X, y, distribution, options, *, rows=None, weights=None, source=None, trees=1, n_threads=1
):
    """Grow the first trees on X; `source` is a second layout of the same values."""
    n_categories = options.get("n_categories")
    training = _core.TrainingSet(
        _core.to_columns(X),
        source,
        _core.Targets(y, weights, options["n_outputs"], options.get("n_averaged")),
        make_draws(**(make_rows(len(X)) if rows is None else rows)),
        None if n_categories is None else np.asarray(n_categories, dtype=np.int64),
    )
    native = to_native_options(options)
    return _core.grow(training, distribution, native, (0, trees), n_threads, None)


def draw_rows(rows, seed, tree):
    return _core.draw_samples(make_draws(**rows), seed, tree)


def estimation_rows(rows, seed, tree):
    return _core.estimation_samples(make_draws(**rows), seed, tree)


def sample_directions(distribution, seed, tree, path, n_directions, attempt=0, rows=None):
    """The directions of a node; `rows` are those of `projections.nodes.describe_node`."""
    place = _core.NodePlace(seed, tree, path, attempt)
    given = None if rows is None else _core.NodeSamples(**rows)
    return _core.sample_directions(distribution, place, n_directions, given)

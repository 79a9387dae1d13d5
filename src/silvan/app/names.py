"""What options may say: names and limits, without the libraries behind them.

Help, versions and mistakes in options are answered before these are imported.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from silvan.app.errors import UsageError

TASKS = ("classification", "regression")
KINDS = ("table", "image", "series")
AUTO, BOOST, SKLEARN = "auto", "boost", "sklearn"
# Those of silvan.presets; a graph cannot be given on the command line.
PRESETS = (
    "agnostic",
    "ccf",
    "extra_trees",
    "f_rc",
    "frank",
    "guided",
    "mf",
    "morf",
    "o_rf",
    "rerf",
    "rf",
    "rot_for",
    "rr_rf",
    "s_rerf",
    "sporf",
)
MAX_TREES = 10_000_000
# Those of any forest that --set may change; a test keeps them complete.
PARAMETERS = (
    "bootstrap",
    "boundary",
    "categorical_features",
    "ccp_alpha",
    "channels",
    "class_weight",
    "coefficients",
    "colsample",
    "contiguous",
    "criterion",
    "early_stopping",
    "honest",
    "honest_fraction",
    "interaction_cst",
    "l1_regularization",
    "l2_regularization",
    "learning_rate",
    "loss",
    "max_bins",
    "max_depth",
    "max_features",
    "max_leaf_nodes",
    "max_samples",
    "max_size",
    "min_balance",
    "min_child_weight",
    "min_impurity_decrease",
    "min_samples_leaf",
    "min_samples_split",
    "min_size",
    "min_weight_fraction_leaf",
    "monotonic_cst",
    "n_iter_no_change",
    "n_patches",
    "n_terms",
    "pool_size",
    "projections",
    "quantile",
    "reach",
    "redraw_every",
    "scaling",
    "scoring",
    "shape",
    "shift",
    "statistics",
    "subsample",
    "thresholds",
    "tol",
    "validation_fraction",
    "vector_leaves",
    "voting",
)

# Those of the directions of some forest; a test keeps these complete, too.
OF_DIRECTIONS = (
    "projections__alpha",
    "projections__bootstrap",
    "projections__boundary",
    "projections__coefficients",
    "projections__contiguous",
    "projections__counts",
    "projections__density",
    "projections__empty",
    "projections__max_fits",
    "projections__max_samples",
    "projections__max_size",
    "projections__mean_nonzeros",
    "projections__min_size",
    "projections__n_features",
    "projections__n_patches",
    "projections__per",
    "projections__reach",
    "projections__shape",
    "projections__shuffled",
    "projections__trees_per_round",
    "projections__weights",
)


def suggest(name: str, known: Iterable[str]) -> str:
    """Ask in brackets for what was meant, if a known name ends with this one or is close to it.

    >>> suggest("max_dept", ["max_depth", "n_jobs"]), suggest("oak", ["rf"])
    (" (did you mean 'max_depth'?)", '')
    >>> suggest("density", ["projections__density", "max_depth"])
    " (did you mean 'projections__density'?)"
    """
    names = list(known)
    nested = [other for other in names if other.endswith(f"__{name}")]
    close = nested or get_close_matches(name, names, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def boosted_name(forest: str, *, boost: bool) -> str:
    """The name of the forest that --forest and --boost ask for.

    >>> boosted_name("auto", boost=True), boosted_name("rf", boost=False)
    ('boost', 'rf')
    """
    if not boost:
        return forest
    if forest not in (AUTO, BOOST):
        raise UsageError(f"--boost grows a forest of its own; leave out --forest {forest}.")
    return BOOST


def check_forests(names: Iterable[str]) -> None:
    """Refuse names of forests that there are not."""
    known = (AUTO, BOOST, SKLEARN, *PRESETS)
    for name in names:
        if name not in known:
            raise UsageError(
                f"there is no forest called {name!r}{suggest(name, known)}; choose {AUTO}, "
                f"{BOOST}, {SKLEARN} (for comparison) or one of {', '.join(PRESETS)}."
            )

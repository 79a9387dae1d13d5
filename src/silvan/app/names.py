"""What options may say: names and limits, without the libraries behind them.

Help, versions and mistakes in options are answered before these are imported.
"""

from __future__ import annotations

TASKS = ("classification", "regression")
KINDS = ("table", "image", "series")
AUTO, BOOST, SKLEARN = "auto", "boost", "sklearn"
# Those of silvan.presets; a graph cannot be given on the command line.
PRESETS = (
    "ccf",
    "extra_trees",
    "f_rc",
    "frank",
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

"""Which defaults for boosted classifiers of tables? Candidates on half of the UCI sets."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedKFold

from experiments.arguments import Arguments, parse
from experiments.boosting_systems import Coded, log_loss_of
from experiments.pages import number, table, write_measured
from experiments.store import Cell, Store, measure_cells
from experiments.uci import is_chosen_on, load_uci, read_index
from silvan import BoostedForestClassifier

# Of larger sets so many samples are drawn once; sets of more work are left out.
MAX_SAMPLES = 1500
MAX_WORK = 400_000
FOLDS = 3
CANDIDATES: dict[str, dict[str, Any]] = {
    "20 samples a leaf, no l2": {"l2_regularization": 0.0},
    "l2": {},
    "l2, leaves of a tenth of few samples": {"leaf_share": 0.1},
    "l2, half of the columns a tree": {"colsample": 0.5},
    "l2, 70 % of the samples a round": {"subsample": 0.7},
}


def make_candidate(name: str, n_samples: int, seed: int) -> BoostedForestClassifier:
    """The classifier of a candidate for so many distinct training samples."""
    options = {"l2_regularization": 1.0, **CANDIDATES[name]}
    share = options.pop("leaf_share", 1.0)
    leaf = min(20, max(1, int(share * n_samples)))
    return BoostedForestClassifier(
        random_state=seed, n_jobs=1, early_stopping=False, min_samples_leaf=leaf, **options
    )


def measure(cell: Cell) -> Cell:
    """Log loss, error and time on one fold."""
    found = load_uci(cell["data"], cell["dataset"])
    X, y = found.X, found.y
    if len(y) > MAX_SAMPLES:
        some = np.random.default_rng(0).permutation(len(y))[:MAX_SAMPLES]
        X, y = X[some], y[some]
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=1)
    fold = int(cell["fold"])
    train, test = list(folds.split(X, y))[fold]
    n_distinct = len(np.unique(np.column_stack([X[train], y[train]]), axis=0))
    start = time.process_time()
    model = Coded(make_candidate(cell["candidate"], n_distinct, fold)).fit(X[train], y[train])
    probabilities = model.predict_proba(X[test])
    return {
        "log_loss": log_loss_of(probabilities, model.classes_, y[test]),
        "error": float(np.mean(model.classes_[probabilities.argmax(axis=1)] != y[test])),
        "seconds": time.process_time() - start,
    }


def list_cells(arguments: Arguments) -> list[Cell]:
    """The smaller sets of the choosing half, so many folds of each, every candidate."""
    index = read_index(arguments.data, arguments.quick)
    names = [
        name
        for name, row in index.items()
        if is_chosen_on(name)
        and 24 <= int(row["n"]) <= 2500
        and int(row["n"]) * int(row["p"]) * int(row["n_classes"]) < MAX_WORK
    ]
    return [
        {"dataset": name, "fold": fold, "candidate": candidate, "data": arguments.data}
        for name in names
        for fold in range(min(arguments.seeds, FOLDS))
        for candidate in CANDIDATES
    ]


def compare(store: Store) -> str:
    """Mean ranks and means over the sets, and how often each candidate beats the first."""
    rows = []
    scores = {
        column: np.array(
            [
                [store.mean(column, dataset=name, candidate=c) for c in CANDIDATES]
                for name in store.distinct("dataset")
            ]
        )
        for column in ("log_loss", "error")
    }
    for k, candidate in enumerate(CANDIDATES):
        row = [candidate]
        for values in scores.values():
            gap = values[:, k] - values[:, 0]
            row += [
                f"{rankdata(values, axis=1).mean(axis=0)[k]:.2f}",
                number(float(values[:, k].mean())),
                f"{(gap < 0).sum()} / {(gap > 0).sum()}",
            ]
        rows.append(row)
    columns = [f"{kind}{what}" for kind in ("log loss: ", "error: ") for what in HEADINGS]
    return table([f"{len(scores['error'])} sets", *columns], rows)


HEADINGS = ("mean rank", "mean", "won / lost")


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then write the page."""
    arguments = parse("boosting_defaults", __doc__ or "", seeds=1, argv=argv)
    path = arguments.output / "measurements" / "boosting_defaults.csv"
    store = Store(path, ("dataset", "fold", "candidate"), ("log_loss", "error", "seconds"))
    measure_cells(store, list_cells(arguments), measure, arguments)
    page = arguments.output / "boosting_defaults.md"
    text = f"`{arguments.command}`\n\n{compare(store)}"
    write_measured(page, "Which defaults for boosting tables?", text)


if __name__ == "__main__":
    main()

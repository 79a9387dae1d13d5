"""Chapter 4 of Tomita's thesis, simulated: few markers among hundreds of features, few patients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from experiments.arguments import Arguments, parse
from experiments.figures import COLORS, panels, save
from experiments.pages import Expectation, expectations_table, number, table, write_measured
from experiments.store import Cell, Store, measure_cells
from experiments.systems import make_forest
from silvan import ForestClassifier
from silvan.inspection import TopProjections, top_projections
from silvan.projections import AxisAligned, ProjectionDistribution, SparseSigns

P, GROUP = 318, 6
# Patients without and with the disease.
TRAINING = {"27 + 7": (27, 7), "80 + 20": (80, 20)}
TEST = (2000, 2000)
MARKERS = [0, GROUP, 2 * GROUP]
SHIFTS = np.array([3.0, 1.5, -1.5])
SYSTEMS = ("LR", "LR-2", "RF", "RF-2", "RerF", "RerF-2")
NEWTON_STEPS = 12
VALUES = ("fpr", "fnr", "first_found", "found")


def simulate(counts: tuple[int, int], seed: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Logarithms of abundances: 53 groups of six correlated features, three markers among them.

    The disease raises the first marker by three standard deviations and moves the others by 1.5.
    """
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], counts)
    factor = np.repeat(rng.normal(size=(len(y), P // GROUP)), GROUP, axis=1)
    X = (factor + rng.normal(size=(len(y), P))) / math.sqrt(2)
    X[:, MARKERS] += y[:, None] * SHIFTS
    return X.astype(np.float32), y


def make_regression() -> Any:
    """Logistic regression of standardised features."""
    return make_pipeline(StandardScaler(), LogisticRegression())


def leave_one_out(columns: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
    """Probability of class 1 of every sample, by regressions on all the others.

    `columns` has the shape (candidates, samples, features); all regressions of all candidates
    take Newton's steps together. Each is that of `make_regression`.
    """
    n = len(y)
    kept = ~np.eye(n, dtype=bool)
    rows = np.broadcast_to(columns[:, None], (len(columns), n, n, columns.shape[2]))
    mean = (rows * kept[None, :, :, None]).sum(axis=2, keepdims=True) / (n - 1)
    squares = ((rows - mean) ** 2 * kept[None, :, :, None]).sum(axis=2, keepdims=True)
    Z = (rows - mean) / np.sqrt(squares / (n - 1))
    design = np.concatenate([Z, np.ones((*Z.shape[:3], 1))], axis=3)
    penalty = np.append(np.ones(columns.shape[2]), 0.0)
    shares = (y.sum() - y) / (n - 1)
    solution = np.zeros((*design.shape[:2], design.shape[3]))
    solution[..., -1] = np.log(shares / (1 - shares))
    for _ in range(NEWTON_STEPS):
        probability = 1 / (1 + np.exp(-np.einsum("mfnk,mfk->mfn", design, solution)))
        descent = np.einsum("mfnk,mfn->mfk", design, (y - probability) * kept) - penalty * solution
        spread = probability * (1 - probability) * kept
        hessian = np.einsum("mfnk,mfn,mfnl->mfkl", design, spread, design) + np.diag(penalty)
        solution += np.linalg.solve(hessian, descent[..., None])[..., 0]
    left_out = design[:, np.arange(n), np.arange(n)]
    logits = np.einsum("mfk,mfk->mf", left_out, solution)
    return np.asarray(1 / (1 + np.exp(-logits)))


def select_forward(X: NDArray[Any], y: NDArray[Any], max_features: int = 2) -> list[int]:
    """Features added one by one while the leave-one-out error of a regression falls.

    Of features with equal errors it takes the one with the largest likelihood.
    """
    chosen: list[int] = []
    lowest = math.inf
    while len(chosen) < max_features:
        scores = {}
        for j in sorted(set(range(X.shape[1])) - set(chosen)):
            columns = X[None, :, [*chosen, j]].astype(np.float64)
            p = leave_one_out(columns, y)[0]
            likelihood = np.where(y == 1, p, 1 - p)
            loss = -float(np.log(np.maximum(likelihood, 1e-12)).sum())
            scores[j] = (float(np.mean((p > 0.5) != y)), loss)
        best = min(scores, key=lambda j: scores[j])
        if scores[best][0] >= lowest:
            break
        lowest = scores[best][0]
        chosen.append(best)
    return chosen


def fit_forest(system: str, X: NDArray[Any], y: NDArray[Any], seed: int) -> ForestClassifier:
    """The forest whose d has the least out-of-bag error."""
    p = X.shape[1]
    distributions: dict[str, ProjectionDistribution] = {
        "RF": AxisAligned(),
        "RerF": SparseSigns(mean_nonzeros=min(2, p)),
    }
    counts = {math.ceil(p**0.5), p, *([5 * p] if system == "RerF" else [])}
    forests = [
        make_forest(distributions[system], seed, d, 300, oob_score=True).fit(X, y)
        for d in sorted(counts)
    ]
    return max(forests, key=lambda forest: forest.oob_score_)


def find_top(system: str, training: str, seed: int) -> TopProjections:
    """The best projections of a forest over all features."""
    return top_projections(fit_forest(system, *simulate(TRAINING[training], seed), seed), 10)


def measure(cell: Cell) -> Cell:
    """False positive and negative rates, and whether markers were selected."""
    X, y = simulate(TRAINING[cell["training"]], cell["seed"])
    X_test, y_test = simulate(TEST, 1_000_000 + cell["seed"])
    name, _, few = cell["system"].partition("-")
    if name == "LR":
        columns = select_forward(X, y) if few else list(range(P))
        model = make_regression().fit(X[:, columns], y)
    else:
        columns = list(range(P))
        if few:
            importances = fit_forest(name, X, y, cell["seed"]).feature_importances_
            columns = np.argsort(-importances, kind="stable")[:2].tolist()
        model = fit_forest(name, X[:, columns], y, cell["seed"])
    wrong = model.predict(X_test[:, columns]) != y_test
    selected = set(columns) if few else set()
    return {
        "fpr": float(wrong[y_test == 0].mean()),
        "fnr": float(wrong[y_test == 1].mean()),
        "first_found": float(MARKERS[0] in selected),
        "found": len(selected & set(MARKERS)) / 2,
    }


def check_expectations(store: Store) -> list[Expectation]:
    """What the thesis says of selection."""

    def rate(system: str, training: str) -> float:
        where = {"system": system, "training": training}
        return (store.mean("fpr", **where) + store.mean("fnr", **where)) / 2

    expectations = []
    for training in TRAINING:
        for system in ("RF", "RerF"):
            after, before = rate(f"{system}-2", training), rate(system, training)
            expectations.append(
                Expectation(
                    f"{training}: selecting two features helps {system}",
                    f"mean of FPR and FNR {after:.3f} after {before:.3f}",
                    None if math.isnan(after + before) else after < before,
                )
            )
        rf, rerf = rate("RF-2", training), rate("RerF-2", training)
        expectations.append(
            Expectation(
                f"{training}: after selection RerF no worse than RF",
                f"{rerf:.3f} and {rf:.3f}",
                None if math.isnan(rf + rerf) else rerf <= rf,
            )
        )
    return expectations


def single_errors(training: str, seed: int) -> NDArray[np.float64]:
    """Mean squared error of a regression on each feature by itself, leaving one sample out."""
    X, y = simulate(TRAINING[training], seed)
    columns = X.T[:, :, None].astype(np.float64)
    batches = [leave_one_out(batch, y) for batch in np.array_split(columns, 20)]
    return np.asarray(((np.concatenate(batches) - y) ** 2).mean(axis=1))


def draw_singles(axis: Any) -> None:
    """The ten best single features of the first repetition (Figure 4.1)."""
    errors = single_errors("27 + 7", 0)
    order = np.argsort(errors)[:10]
    colours = ["#d1353b" if j in MARKERS else "#999999" for j in order]
    axis.bar(range(10), errors[order], color=colours)
    axis.set_xticks(range(10), [f"x{j}" for j in order], rotation=60)
    axis.axhline(np.median(errors), color="black", linestyle=":", linewidth=1)
    axis.set(title="single features; markers red, median dotted", ylabel="mean squared error")


def draw_figure(store: Store, arguments: Arguments) -> None:
    """Errors of single features, and rates of all classifiers (Figures 4.1 and 4.3)."""
    figure, axes = panels(1, len(TRAINING) + 1, width=4.0, height=2.9)
    draw_singles(axes[0, 0])
    places = np.arange(len(SYSTEMS))
    for axis, training in zip(axes[0, 1:], TRAINING, strict=True):
        for shift, column in ((-0.2, "fpr"), (0.2, "fnr")):
            rates = [store.mean(column, system=s, training=training) for s in SYSTEMS]
            colour = COLORS["RF"] if column == "fpr" else COLORS["RerF"]
            axis.bar(places + shift, rates, 0.4, color=colour, label=column.upper())
        axis.set_xticks(places, SYSTEMS)
        axis.set(title=f"{training} patients", ylabel="rate", ylim=(0, 1))
    axes[0, 1].legend(frameon=False)
    save(figure, arguments.output / "markers.png")


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("markers", __doc__ or "", seeds=10, argv=argv)
    path = arguments.output / "measurements" / "markers.csv"
    store = Store(path, ("training", "system", "seed"), VALUES)
    cells = [
        {"training": training, "system": system, "seed": seed}
        for seed in range(arguments.seeds)
        for training in TRAINING
        for system in SYSTEMS
    ]
    measure_cells(store, cells, measure, arguments)
    draw_figure(store, arguments)
    rows = [
        [
            f"{training}: {s}",
            *[number(store.mean(v, training=training, system=s), 3) for v in VALUES[:2]],
            *[
                number(store.mean(v, training=training, system=s), 2) if "-2" in s else ""
                for v in VALUES[2:]
            ],
        ]
        for training in TRAINING
        for s in SYSTEMS
    ]
    header = ["", "FPR", "FNR", "first marker selected", "markers among the selected"]
    parts = [
        f"`{arguments.command}`",
        f"{len(store.distinct('seed'))} repetitions; {P} features, three markers; 300 trees; "
        f"{sum(TEST):,} test rows.",
        expectations_table(check_expectations(store)),
        "![Errors of single features, false positive and false negative rates](markers.png)",
        table(header, rows),
        "The best projections in the first repetition with 80 + 20 patients, RerF:",
        f"```text\n{find_top('RerF', '80 + 20', 0)}\n```",
        "and RF:",
        f"```text\n{find_top('RF', '80 + 20', 0)}\n```",
    ]
    write_measured(arguments.output / "markers.md", "Selecting markers", "\n\n".join(parts))


if __name__ == "__main__":
    main()

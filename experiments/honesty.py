"""Honest posteriors: Brier score and calibration against n where the posterior is known."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from matplotlib.ticker import LogLocator, NullLocator
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import norm

from experiments.arguments import Arguments, parse
from experiments.figures import draw_curves, panels, save
from experiments.pages import (
    Expectation,
    at_most,
    expectations_table,
    number,
    table,
    write_measured,
)
from experiments.store import Cell, Store, measure_cells
from silvan import ForestClassifier

N_TEST = 10_000
N_TREES = 100
N_BINS = 15
BAYES_ERROR = 0.3
SLOPE_ERROR = 11 / 30  # of Bayes where the posterior rises along the diagonal
SIZES = (100, 300, 1000, 3000, 10_000, 30_000)
SYSTEMS: dict[str, dict[str, Any]] = {
    "plain": {},
    "honest": {"honest": True},
    "plain, n**0.8": {"bootstrap": False, "max_samples": "n**0.8"},
    "honest, n**0.8": {"bootstrap": False, "max_samples": "n**0.8", "honest": True},
    "honest, n**0.8, balanced": {
        "bootstrap": False,
        "max_samples": "n**0.8",
        "honest": True,
        "min_balance": 0.2,
    },
}
COLORS = {
    "plain": "#2c6fb3",
    "honest": "#d1353b",
    "plain, n**0.8": "#8fb4dc",
    "honest, n**0.8": "#e8969a",
    "honest, n**0.8, balanced": "#e08f2c",
}
VALUES = ("brier", "bayes_brier", "calibration", "error", "fit_s")


class Sample(NamedTuple):
    """Rows, classes, and the probability of class 1 given each row."""

    X: NDArray[np.float32]
    y: NDArray[np.int64]
    posterior: NDArray[np.float64]


def draw_slope(n: int, seed: int) -> Sample:
    """A square on which the posterior rises from 0.1 to 0.9 along the diagonal.

    The assumptions of Perry's Theorem 2 hold: the density is bounded, the posterior is Lipschitz.
    """
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 2)).astype(np.float32)
    posterior = 0.5 + 0.2 * X.sum(axis=1, dtype=np.float64)
    return Sample(X, (rng.random(n) < posterior).astype(np.int64), posterior)


def draw_gaussians(n: int, seed: int, n_features: int) -> Sample:
    """Two classes as Trunk's, but brought so close together that the Bayes error is 0.3."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    mean = 1 / np.sqrt(np.arange(1, n_features + 1))
    mean *= -norm.ppf(BAYES_ERROR) / np.linalg.norm(mean)
    X = (rng.normal(size=(n, n_features)) + np.where(y == 1, 1, -1)[:, None] * mean).astype(
        np.float32
    )
    return Sample(X, y, expit(2 * X @ mean))


def with_features(n_features: int) -> Callable[[int, int], Sample]:
    """Gaussians of so many features."""
    return lambda n, seed: draw_gaussians(n, seed, n_features)


PROBLEMS: dict[str, Callable[[int, int], Sample]] = {
    "slope": draw_slope,
    "2 Gaussian features": with_features(2),
    "5 Gaussian features": with_features(5),
    "10 Gaussian features": with_features(10),
}


def make_system(name: str, seed: int) -> ForestClassifier:
    """A forest with default directions; the settings are those of the theory, none was tuned."""
    return ForestClassifier(N_TREES, random_state=seed, n_jobs=1, **SYSTEMS[name])


def score(predicted: NDArray[np.float64], posterior: NDArray[np.float64]) -> Cell:
    """Scores in expectation over the classes, which the known posterior gives without noise."""
    brier = posterior * (1 - predicted) ** 2 + (1 - posterior) * predicted**2
    wrong = np.where(predicted > 0.5, 1 - posterior, posterior)
    gaps = np.bincount(bins_of(predicted), predicted - posterior, N_BINS)
    return {
        "brier": float(brier.mean()),
        "bayes_brier": float((posterior * (1 - posterior)).mean()),
        "calibration": float(np.abs(gaps).sum() / len(predicted)),
        "error": float(wrong.mean()),
    }


def bins_of(predicted: NDArray[np.float64]) -> NDArray[np.int64]:
    """Number of the bin of equal width that each prediction falls into."""
    return np.minimum((predicted * N_BINS).astype(np.int64), N_BINS - 1)


def measure(cell: Cell) -> Cell:
    """Scores of one forest on one draw, and the processor seconds of its fit."""
    draw = PROBLEMS[cell["problem"]]
    train, test = draw(cell["n"], cell["seed"]), draw(N_TEST, 1_000_000 + cell["seed"])
    forest = make_system(cell["system"], cell["seed"])
    start = time.process_time()
    forest.fit(train.X, train.y)
    seconds = time.process_time() - start
    return {**score(forest.predict_proba(test.X)[:, 1], test.posterior), "fit_s": seconds}


def excess(store: Store, problem: str, system: str, n: int) -> float:
    """Mean Brier score above that of the posterior itself."""
    where = {"problem": problem, "system": system, "n": n}
    return store.mean("brier", **where) - store.mean("bayes_brier", **where)


def error(store: Store, problem: str, system: str, n: int) -> float:
    """Mean probability of a wrong class."""
    return store.mean("error", problem=problem, system=system, n=n)


def bayes_error(problem: str) -> float:
    """The least error that any classifier has."""
    return SLOPE_ERROR if problem == "slope" else BAYES_ERROR


def calibration(store: Store, problem: str, system: str, n: int) -> float:
    """Mean calibration error."""
    return store.mean("calibration", problem=problem, system=system, n=n)


def draw_reliability(axis: Any) -> None:
    """What probabilities are worth: predicted ones against the truth in each bin."""
    train, test = draw_gaussians(1000, 0, 2), draw_gaussians(N_TEST, 1_000_000, 2)
    axis.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=1)
    for name in ("plain", "honest"):
        predicted = make_system(name, 0).fit(train.X, train.y).predict_proba(test.X)[:, 1]
        place = bins_of(predicted)
        counts = np.bincount(place, minlength=N_BINS)
        used = counts > 50
        means = [
            np.bincount(place, v, N_BINS)[used] / counts[used] for v in (predicted, test.posterior)
        ]
        axis.plot(*means, marker="o", markersize=4, linewidth=2, color=COLORS[name], label=name)
    axis.set(xlabel="predicted probability", ylabel="true probability", xlim=(0, 1), ylim=(0, 1))
    axis.set_title("2 Gaussian features, 1,000 rows")


def draw_figure(store: Store, arguments: Arguments) -> None:
    """Brier scores and calibration against n, and a reliability diagram."""
    figure, axes = panels(2, 3)
    for axis, problem in zip(axes.flat, PROBLEMS, strict=False):
        curves = {s: [excess(store, problem, s, n) for n in SIZES] for s in SYSTEMS}
        draw_curves(axis, SIZES, curves)
        for line, name in zip(axis.lines, SYSTEMS, strict=True):
            line.set(color=COLORS[name], linewidth=2 if "n**" not in name else 1.3)
        axis.set(yscale="log", title=problem)
        axis.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.yaxis.set_major_formatter("{x:g}")
        axis.yaxis.set_minor_locator(NullLocator())
    axes[0, 0].set_ylabel("Brier score above Bayes")
    axes[1, 0].set_ylabel("Brier score above Bayes")
    figure.legend(axes[0, 0].lines, SYSTEMS, loc="outside lower center", ncols=len(SYSTEMS))
    draw_reliability(axes[1, 1])
    features, width = (2, 5, 10), 0.8 / len(SYSTEMS)
    for k, name in enumerate(SYSTEMS):
        values = [calibration(store, f"{p} Gaussian features", name, 1000) for p in features]
        place = np.arange(3) + (k - (len(SYSTEMS) - 1) / 2) * width
        axes[1, 2].bar(place, values, width, color=COLORS[name])
    axes[1, 2].set_xticks(range(3), [f"{p} features" for p in features])
    axes[1, 2].set_ylabel("calibration error")
    axes[1, 2].set_title("Gaussians, 1,000 rows")
    save(figure, arguments.output / "honesty.png")


def lower(claim: str, honest: list[float], plain: list[float]) -> Expectation:
    """The expectation that one score is below another at every n."""
    if np.isnan([*honest, *plain]).any():
        return Expectation(claim, "-", None)
    ratio = max(a / b for a, b in zip(honest, plain, strict=True))
    return Expectation(claim, f"at most {ratio:.2f} of it", ratio < 1)


def check_expectations(store: Store) -> list[Expectation]:
    """What honesty must show, and where it does not."""
    expectations = []
    for title, measured in (
        ("Brier score above Bayes", excess),
        ("calibration error", calibration),
    ):
        for problem in PROBLEMS:
            both = [[measured(store, problem, s, n) for n in SIZES] for s in ("honest", "plain")]
            expectations.append(
                lower(f"{problem}: {title} of honest below plain at every n", *both)
            )
    curve = [excess(store, "slope", "honest, n**0.8", n) for n in SIZES]
    steps = [b - a for a, b in pairwise(curve)]
    claim = "slope: Brier score above Bayes of honest, n**0.8 falls with every n"
    falls = None if np.isnan(curve).any() else max(steps) < 0
    expectations.append(Expectation(claim, f"{number(curve[0])} to {number(curve[-1])}", falls))
    claim = f"slope: it is below 0.002 at n = {SIZES[-1]:,}"
    expectations.append(at_most(claim, curve[-1], 0.002))
    for system in list(SYSTEMS)[-2:]:
        gaps = [
            error(store, problem, system, SIZES[-1]) - bayes_error(problem) for problem in PROBLEMS
        ]
        claim = f"error of {system} within .005 of Bayes at n = {SIZES[-1]:,}, on every problem"
        expectations.append(at_most(claim, max(gaps), 0.005))
    return expectations


def score_table(store: Store, title: str, measured: Callable[..., float]) -> str:
    """One score of all systems on all problems, against n."""
    rows = [
        [f"{problem}: {s}", *[number(measured(store, problem, s, n)) for n in SIZES]]
        for problem in PROBLEMS
        for s in SYSTEMS
    ]
    return table([f"{title}, n =", *[str(n) for n in SIZES]], rows)


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("honesty", __doc__ or "", argv=argv)
    path = arguments.output / "measurements" / "honesty.csv"
    store = Store(path, ("problem", "system", "n", "seed"), VALUES)
    cells = [
        {"problem": problem, "system": system, "n": n, "seed": seed}
        for n in (SIZES[:2] if arguments.quick else SIZES)
        for seed in range(arguments.seeds)
        for problem in PROBLEMS
        for system in SYSTEMS
    ]
    measure_cells(store, cells, measure, arguments)
    draw_figure(store, arguments)
    parts = [
        f"`{arguments.command}`",
        expectations_table(check_expectations(store)),
        "![Brier scores against n, a reliability diagram, calibration errors](honesty.png)",
        score_table(store, "Brier score above Bayes", excess),
        score_table(store, "calibration error", calibration),
        f"Error of the more probable class; that of Bayes is {number(SLOPE_ERROR)} on the slope "
        f"and {BAYES_ERROR} with Gaussian features:",
        score_table(store, "test error", error),
    ]
    write_measured(arguments.output / "honesty.md", "Honest posteriors", "\n\n".join(parts))


if __name__ == "__main__":
    main()

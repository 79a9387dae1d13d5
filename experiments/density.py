"""Densities of two-dimensional toys: held-out likelihood, integrals, draws, and figures."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.datasets import make_moons
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KernelDensity

from experiments.arguments import Arguments, parse
from experiments.figures import panels, save
from experiments.pages import Expectation, expectations_table, number, table, write_measured
from experiments.store import Cell, Store, measure_cells
from silvan import DensityForest
from silvan.plotting import DensityDisplay

N_TRAIN, N_TEST = 1000, 2000
SYSTEMS = ("forest", "KDE", "GMM", "one Gaussian")
SCORES = ("log_likelihood", "integral", "energy_p", "fit_s")
Rows = NDArray[np.float64]


def blobs(n: int, rng: np.random.Generator) -> Rows:
    """Four round clusters of different size."""
    centres = np.array([[0, 0], [4, 1], [1, 5], [6, 6]])
    sizes = np.array([0.5, 1.0, 0.7, 0.3])
    cluster = rng.integers(4, size=n)
    return centres[cluster] + sizes[cluster, None] * rng.normal(size=(n, 2))


def spiral(n: int, rng: np.random.Generator) -> Rows:
    """Two turns of a spiral."""
    t = rng.uniform(1, 4 * np.pi, n)
    return np.column_stack([t * np.cos(t), t * np.sin(t)]) + 0.4 * rng.normal(size=(n, 2))


def moons(n: int, rng: np.random.Generator) -> Rows:
    """Two half circles."""
    X: Rows = make_moons(n, noise=0.1, random_state=int(rng.integers(2**31)))[0]
    return X


def rings(n: int, rng: np.random.Generator) -> Rows:
    """Two rings, one in the other."""
    angle = rng.uniform(0, 2 * np.pi, n)
    radius = rng.choice([1.0, 2.5], n) + 0.15 * rng.normal(size=n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def line(n: int, rng: np.random.Generator) -> Rows:
    """One dimension: a broad and a narrow bump, and a box."""
    kind = rng.choice(3, n, p=[0.5, 0.25, 0.25])
    draws = [rng.normal(0, 1, n), rng.normal(4, 0.3, n), rng.uniform(6, 8, n)]
    return np.choose(kind, draws)[:, None]


TOYS: dict[str, Callable[[int, np.random.Generator], Rows]] = {
    "blobs": blobs,
    "spiral": spiral,
    "moons": moons,
    "rings": rings,
    "line": line,
}
PLANE = ("blobs", "spiral", "moons", "rings")


def make_system(name: str, X: Rows, seed: int) -> Any:
    """A system with its settings; those of the rivals are chosen by cross-validation on `X`."""
    if name == "forest":
        return DensityForest(random_state=seed)
    if name == "KDE":
        widths = np.logspace(-2, 0.3, 14) * X.std()
        return GridSearchCV(KernelDensity(), {"bandwidth": widths}, cv=5)
    if name == "GMM":
        sizes = {"n_components": [1, 2, 3, 4, 6, 8, 12, 16, 24]}
        return GridSearchCV(GaussianMixture(n_init=2, random_state=seed), sizes, cv=5)
    return GaussianMixture(1)


def measure(cell: Cell) -> Cell:
    """Fit a system to a toy and score it on new rows."""
    seed = int(cell["seed"])
    rng = np.random.default_rng([seed, *cell["toy"].encode()])
    X, X_new = TOYS[cell["toy"]](N_TRAIN, rng), TOYS[cell["toy"]](N_TEST, rng)
    system = make_system(cell["system"], X, seed)
    start = time.process_time()
    system.fit(X)
    fit_s = time.process_time() - start
    fitted = getattr(system, "best_estimator_", system)
    integral = energy_p = float("nan")
    if cell["system"] == "forest":
        integral = integrate(fitted, X)
        energy_p = energy_test(fitted.sample(500, random_state=seed), X[:500], rng)
    log_likelihood = float(fitted.score_samples(X_new).mean())
    return dict(zip(SCORES, (log_likelihood, integral, energy_p, fit_s), strict=True))


def integrate(system: Any, X: Rows) -> float:
    """Sum of the density over a fine grid that reaches far beyond the rows."""
    low, high = X.min(axis=0), X.max(axis=0)
    margin = 0.5 * (high - low)
    n = 20_000 if X.shape[1] == 1 else 300
    axes = [np.linspace(a, b, n) for a, b in zip(low - margin, high + margin, strict=True)]
    grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, len(axes))
    cell = float(np.prod([axis[1] - axis[0] for axis in axes]))
    return float(np.exp(system.score_samples(grid)).sum() * cell)


def energy_test(a: Rows, b: Rows, rng: np.random.Generator, n_permutations: int = 199) -> float:
    """P-value of the permutation test, by energy distance, for two samples of one distribution."""
    both = np.concatenate([a, b])
    distances = cdist(both, both)
    sign = np.repeat([1.0, -1.0], [len(a), len(b)]) / np.repeat([len(a), len(b)], [len(a), len(b)])

    def energy(order: NDArray[np.intp]) -> float:
        s = sign[order]
        return float(-s @ distances @ s)

    seen = energy(np.arange(len(both)))
    others = [energy(rng.permutation(len(both))) for _ in range(n_permutations)]
    return float((1 + np.sum(np.array(others) >= seen)) / (1 + n_permutations))


def draw(arguments: Arguments) -> None:
    """Level sets, rows, and draws of each toy."""
    figure, axes = panels(2, 5, 3.0, 2.8)
    for column, toy in enumerate(TOYS):
        X = TOYS[toy](N_TRAIN, np.random.default_rng(0))
        forest = DensityForest(random_state=0).fit(X)
        DensityDisplay.from_estimator(forest, X, ax=axes[0, column], show_samples=False, n_levels=5)
        drawn = forest.sample(N_TRAIN, random_state=0)
        below = axes[1, column]
        if X.shape[1] == 1:
            below.hist([X[:, 0], drawn[:, 0]], bins=40, density=True, label=["rows", "draws"])
            below.legend(frameon=False)
        else:
            below.plot(*X.T, ".", color="0.75", markersize=2)
            below.plot(*drawn.T, ".", color="#2c6fb3", markersize=2)
            below.set(xlim=axes[0, column].get_xlim(), ylim=axes[0, column].get_ylim())
        axes[0, column].set_title(toy)
    axes[0, 0].set_ylabel("density")
    axes[1, 0].set_ylabel("rows (grey) and draws (blue)")
    save(figure, arguments.output / "density.png")


def expectations(store: Store) -> list[Expectation]:
    """What the density forest must show."""
    gaps, over = [], []
    for toy in PLANE:
        ours, kde, gmm, one = (store.mean("log_likelihood", toy=toy, system=s) for s in SYSTEMS)
        gaps.append(ours - np.maximum(kde, gmm))
        over.append(ours - one)
    # One that is not measured makes these NaN.
    gap, lead = float(np.min(gaps)), float(np.min(over))
    integrals = store.values("integral", system="forest")
    worst = max((abs(value - 1) for value in integrals), default=math.nan)
    p_values = store.values("energy_p", system="forest")
    least = min(p_values, default=math.nan)

    def expect(claim: str, measured: str, value: float, holds: bool) -> Expectation:
        return Expectation(claim, measured, None if math.isnan(value) else holds)

    return [
        expect(
            "within .1 nats of the better of KDE and GMM on four toys",
            f"{gap:+.3f} nats at worst",
            gap,
            gap >= -0.1,
        ),
        expect("beats one Gaussian", f"{lead:+.3f} nats at worst", lead, lead > 0),
        expect(
            "integrates to 1 within 2 %", f"{100 * worst:.2f} % off at worst", worst, worst <= 0.02
        ),
        expect(
            "draws pass the energy test at 1 %, Bonferroni over all runs",
            f"smallest of {len(p_values)} p-values {least:.3f}",
            least,
            least > 0.01 / max(len(p_values), 1),
        ),
    ]


def report(store: Store, arguments: Arguments) -> None:
    """Write the page."""
    rows = [
        (
            system,
            *(number(store.mean("log_likelihood", toy=toy, system=system), 3) for toy in TOYS),
        )
        for system in SYSTEMS
    ]
    seconds = [
        (system, *(number(store.mean("fit_s", toy=toy, system=system), 2) for toy in TOYS))
        for system in SYSTEMS
    ]
    measured = "\n\n".join(
        [
            f"`{arguments.command}`",
            expectations_table(expectations(store)),
            "![Densities with level sets, and draws](density.png)",
            "Mean log-likelihood of new rows, in nats:",
            table(("system", *TOYS), rows),
            "Processor seconds to fit, the cross-validation of the rivals included:",
            table(("system", *TOYS), seconds),
        ]
    )
    write_measured(arguments.output / "density.md", "Densities", measured)


def main() -> None:
    """Measure, draw, and write the page."""
    arguments = parse("density", __doc__, seeds=3)
    store = Store(arguments.output / "measurements/density.csv", ("toy", "system", "seed"), SCORES)
    cells = [
        {"toy": toy, "system": system, "seed": seed}
        for seed in range(arguments.seeds)
        for toy in TOYS
        for system in SYSTEMS
    ]
    measure_cells(store, cells, measure, arguments)
    draw(arguments)
    report(store, arguments)


if __name__ == "__main__":
    main()

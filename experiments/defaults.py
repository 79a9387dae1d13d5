"""Evidence for the default projections and max_features: UCI sets and numeric targets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata, wilcoxon
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3

from experiments.arguments import Arguments, parse
from experiments.data import Split
from experiments.figures import panels, save
from experiments.pages import table, write_measured
from experiments.store import Cell, Store, measure_cells
from experiments.uci import UciSet, is_chosen_on, load_uci, read_index
from silvan import ForestClassifier, ForestRegressor
from silvan.projections import (
    AxisAligned,
    Mixture,
    ProjectionDistribution,
    SparseSigns,
    UniformCombinations,
)

DISTRIBUTIONS: dict[str, ProjectionDistribution] = {
    "axis": AxisAligned(),
    "signs 1": SparseSigns(mean_nonzeros=1),
    "signs 2": SparseSigns(mean_nonzeros=2),
    "signs 3": SparseSigns(mean_nonzeros=3),
    "signs 5": SparseSigns(mean_nonzeros=5),
    "Poisson 2": SparseSigns(mean_nonzeros=2, counts="poisson"),
    "uniform 2": UniformCombinations(),
    "half axis, half signs 3": Mixture([(AxisAligned(), 1), (SparseSigns(mean_nonzeros=3), 1)]),
}
DIRECTIONS: dict[str, str | float] = {"sqrt": "sqrt", "p/3": 1 / 3, "p": 1.0, "2p": 2.0}
# What the estimators had before the experiment.
EARLIER = {"classes": ("signs 2", "sqrt"), "numbers": ("signs 2", "p")}
N_TREES = 60
MAX_SAMPLES = 500
# A setting may take this many times as long as the earlier default, on average over the sets.
MAX_TIME = 4.0
NATURAL = {
    "abalone": "rings",
    "wine_quality-red": "quality",
    "wine_quality-white": "quality",
}
Setting = tuple[str, str]


def count_folds(n_samples: int) -> int:
    """Small sets need more test rows to tell settings apart."""
    return 3 if n_samples <= 300 else 1


def class_splits(task: str, data: Path) -> Iterator[Split]:
    """Folds of a UCI set, with at most `MAX_SAMPLES` rows to train on."""
    uci = load_uci(data, task)
    for fold in range(count_folds(len(uci.y))):
        yield uci.split(fold).head(MAX_SAMPLES, fold)


@lru_cache(maxsize=2)
def load_numbers(task: str, data: Path) -> UciSet:
    """A regression task: rows, numbers to predict, and folds."""
    makers: dict[str, Callable[[], tuple[Any, Any]]] = {
        "diabetes": lambda: load_diabetes(return_X_y=True),
        "friedman1": lambda: make_friedman1(1000, noise=1.0, random_state=0),
        "friedman2": lambda: make_friedman2(1000, noise=125.0, random_state=0),
        "friedman3": lambda: make_friedman3(1000, noise=0.1, random_state=0),
    }
    if task in makers:
        X, y = makers[task]()
        return _with_folds(X, y)
    uci = load_uci(data, task.removesuffix(" feature"))
    if task in NATURAL:
        return _with_folds(uci.X, uci.y.astype(np.float64))
    target = most_varied(uci.X)
    return _with_folds(np.delete(uci.X, target, axis=1), uci.X[:, target].astype(np.float64))


def most_varied(X: NDArray[Any]) -> int:
    """The feature with the most distinct values; the first of several."""
    return int(np.argmax([len(np.unique(column)) for column in X.T]))


def _with_folds(X: NDArray[Any], y: NDArray[np.float64]) -> UciSet:
    fold = np.random.default_rng(0).permutation(len(y)) % 5
    return UciSet(X.astype(np.float32), y, fold, X[:0], y[:0])


def number_splits(task: str, data: Path) -> Iterator[Split]:
    """Folds of a regression task."""
    rows = load_numbers(task, data)
    for fold in range(count_folds(len(rows.y))):
        yield rows.split(fold).head(MAX_SAMPLES, fold)


def list_numbers(data: Path, index: dict[str, dict[str, str]]) -> list[str]:
    """Tasks with numeric targets: known ones, and a feature of each large enough numeric set."""
    features = [
        f"{name} feature"
        for name, row in index.items()
        if int(row["n_categorical"]) == 0
        and int(row["n"]) >= 200
        and int(row["p"]) >= 5
        and name not in NATURAL
        and len(np.unique(load_uci(data, name).X[:, most_varied(load_uci(data, name).X)])) >= 100
    ]
    return ["diabetes", "friedman1", "friedman2", "friedman3", *NATURAL, *features]


def measure(cell: Cell) -> Cell:
    """Error of one setting on one task, over folds: of classes, or the mean square of numbers."""
    classes = cell["target"] == "classes"
    Forest = ForestClassifier if classes else ForestRegressor
    splits = class_splits if classes else number_splits
    errors, seconds = [], 0.0
    for seed, split in enumerate(splits(cell["task"], cell["data"])):
        forest = Forest(
            N_TREES,
            projections=DISTRIBUTIONS[cell["distribution"]],
            max_features=DIRECTIONS[cell["directions"]],
            random_state=seed,
            n_jobs=1,
        )
        start = time.process_time()
        forest.fit(split.X_train, split.y_train)
        seconds += time.process_time() - start
        errors.append(normalised_error(forest, split, classes))
    return {"error": float(np.mean(errors)), "fit_s": seconds}


def normalised_error(forest: Any, split: Split, classes: bool) -> float:
    """Share of the error of the best constant: the commonest class, or the mean."""
    if classes:
        constant = np.bincount(split.y_train).argmax()
        chance = max(float(np.mean(split.y_test != constant)), 1 / len(split.y_test))
        return float(np.mean(forest.predict(split.X_test) != split.y_test)) / chance
    residual = forest.predict(split.X_test) - split.y_test
    return float(np.mean(residual**2) / np.mean((split.y_test - split.y_train.mean()) ** 2))


def list_cells(arguments: Arguments) -> list[Cell]:
    """Every task and setting, the cheapest tasks first."""
    index = read_index(arguments.data, arguments.quick)
    numbers = list_numbers(arguments.data, index)
    tasks = [("classes", name) for name in index] + [
        ("numbers", name) for name in (numbers[:5] if arguments.quick else numbers)
    ]
    return [
        {
            "target": target,
            "task": task,
            "distribution": distribution,
            "directions": d,
            "data": arguments.data,
        }
        for target, task in tasks
        for distribution in DISTRIBUTIONS
        for d in DIRECTIONS
    ]


class Evidence(NamedTuple):
    """All settings on the tasks that have all of them."""

    settings: list[Setting]
    errors: NDArray[np.float64]  # normalised, a row for each task and a column for each setting
    seconds: NDArray[np.float64]
    choosing: NDArray[np.bool_]  # tasks to choose on; the others confirm

    def half(self, choosing: bool) -> Evidence:
        """One half of the tasks."""
        rows = self.choosing == choosing
        return Evidence(self.settings, self.errors[rows], self.seconds[rows], self.choosing[rows])

    def ranks(self) -> NDArray[np.float64]:
        """Mean rank of each setting."""
        return np.asarray(rankdata(self.errors, axis=1).mean(axis=0))

    def times(self, reference: Setting) -> NDArray[np.float64]:
        """Geometric mean over the tasks of the time of a fit, relative to that of a setting."""
        logs = np.log(np.maximum(self.seconds, 1e-4))
        relative = logs - logs[:, [self.settings.index(reference)]]
        return np.asarray(np.exp(relative.mean(axis=0)))


def collect(store: Store, target: str) -> Evidence:
    """What was measured for one kind of target."""
    settings = [(distribution, d) for distribution in DISTRIBUTIONS for d in DIRECTIONS]
    found = {
        task: [store.rows.get((target, task, distribution, d)) for distribution, d in settings]
        for task in store.distinct("task", target=target)
    }
    complete = {task: row for task, row in found.items() if None not in row}
    values = {
        name: np.array([[float(cell[name]) for cell in row if cell] for row in complete.values()])
        for name in ("error", "fit_s")
    }
    choosing = np.array([is_chosen_on(task) for task in complete])
    return Evidence(settings, values["error"], values["fit_s"], choosing)


def choose(evidence: Evidence, earlier: Setting) -> Setting:
    """The best mean rank on the choosing half that costs little and has no larger mean error."""
    half = evidence.half(True)
    mean = half.errors.mean(axis=0)
    allowed = (half.times(earlier) <= MAX_TIME) & (mean <= mean[half.settings.index(earlier)])
    return half.settings[int(np.argmin(np.where(allowed, half.ranks(), np.inf)))]


def compare(half: Evidence, chosen: Setting, earlier: Setting) -> list[str]:
    """Chosen against earlier: tasks won and lost, mean errors, and a one-sided p-value."""
    new = half.errors[:, half.settings.index(chosen)]
    old = half.errors[:, half.settings.index(earlier)]
    p = float(wilcoxon(new, old, alternative="less").pvalue) if (new != old).any() else 1.0
    return [
        str(len(new)),
        f"{(new < old).sum()} / {(new > old).sum()}",
        f"{new.mean():.4f}",
        f"{old.mean():.4f}",
        f"{p:.2g}",
    ]


def name_setting(setting: Setting) -> str:
    """A setting in words."""
    return f"{setting[0]}, d = {setting[1]}"


def setting_table(evidence: Evidence, earlier: Setting) -> str:
    """All settings, by mean rank on the choosing half."""
    choosing, confirming = evidence.half(True), evidence.half(False)
    ranks = choosing.ranks(), confirming.ranks()
    means = choosing.errors.mean(axis=0), confirming.errors.mean(axis=0)
    times = evidence.times(earlier)
    rows = [
        [
            name_setting(evidence.settings[k]),
            f"{ranks[0][k]:.2f}",
            f"{means[0][k]:.4f}",
            f"{ranks[1][k]:.2f}",
            f"{means[1][k]:.4f}",
            f"{times[k]:.2f}",
        ]
        for k in np.argsort(ranks[0])
    ]
    return table(("setting", "mean rank", "mean error", "rank, confirming", "error", "time"), rows)


def describe(target: str, evidence: Evidence) -> str:
    """The choice for one kind of target, and whether the other half confirms it."""
    earlier = EARLIER[target]
    chosen = choose(evidence, earlier)
    rows = [
        [half, *compare(evidence.half(half == "choosing"), chosen, earlier)]
        for half in ("choosing", "confirming")
    ]
    header = ("half", "tasks", "won / lost", "mean error", "of the earlier default", "p")
    return "\n\n".join(
        [
            f"## Targets: {target}",
            f"Earlier default: {name_setting(earlier)}. Chosen: **{name_setting(chosen)}**.",
            table(header, rows),
            setting_table(evidence, earlier),
        ]
    )


def draw_figure(found: dict[str, Evidence], path: Path) -> None:
    """Mean ranks of all settings, for both halves."""
    figure, axes = panels(len(found), 2, width=4.4, height=3.4)
    for line, (target, evidence) in zip(axes, found.items(), strict=True):
        marked = {EARLIER[target]: "earlier", choose(evidence, EARLIER[target]): "chosen"}
        for axis, half in zip(line, ("choosing", "confirming"), strict=True):
            part = evidence.half(half == "choosing")
            ranks = part.ranks().reshape(len(DISTRIBUTIONS), len(DIRECTIONS))
            axis.imshow(ranks, cmap="viridis_r", aspect="auto")
            middle = (ranks.min() + ranks.max()) / 2
            for (i, j), rank in np.ndenumerate(ranks):
                word = marked.get((list(DISTRIBUTIONS)[i], list(DIRECTIONS)[j]))
                axis.text(
                    j,
                    i,
                    f"{rank:.1f}" + (f"\n{word}" if word else ""),
                    ha="center",
                    va="center",
                    fontsize=7,
                    fontweight="bold" if word else None,
                    color="black" if rank < middle else "white",
                )
            axis.set_xticks(range(len(DIRECTIONS)), [f"d = {d}" for d in DIRECTIONS])
            axis.set_yticks(range(len(DISTRIBUTIONS)), list(DISTRIBUTIONS))
            axis.set_title(f"{target}: mean rank, {half} half ({len(part.errors)})", fontsize=9)
    save(figure, path)


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("defaults", __doc__ or "", seeds=1, argv=argv)
    path = arguments.output / "measurements" / "defaults.csv"
    store = Store(path, ("target", "task", "distribution", "directions"), ("error", "fit_s"))
    measure_cells(store, list_cells(arguments), measure, arguments)
    found = {target: collect(store, target) for target in EARLIER}
    draw_figure(found, arguments.output / "defaults.png")
    parts = [
        f"`{arguments.command}`",
        "![Mean ranks of all settings on both halves](defaults.png)",
        *(describe(target, evidence) for target, evidence in found.items()),
    ]
    page = arguments.output / "defaults.md"
    write_measured(page, "Which defaults?", "\n\n".join(parts))


if __name__ == "__main__":
    main()

"""Embeddings of curved sheets, digits and MNIST: neighbours kept, time, and figures."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr
from sklearn.datasets import load_digits, make_circles, make_s_curve, make_swiss_roll
from sklearn.manifold import Isomap, SpectralEmbedding
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from experiments.arguments import ROOT, Arguments, parse
from experiments.data import load_images
from experiments.figures import panels, save
from experiments.pages import (
    Expectation,
    at_most,
    expectations_table,
    number,
    table,
    write_measured,
)
from experiments.store import Cell, Store, measure_cells
from silvan import ManifoldEmbedding
from silvan.plotting import EmbeddingDisplay

SETS = ("swiss roll", "S-curve", "circles", "digits")
AFFINITIES = ("binary", "gaussian", "mahalanobis")
# The defaults: an affinity by the data, and independent coordinates.
DEFAULT = "default"
SYSTEMS = (DEFAULT, *AFFINITIES, "SpectralEmbedding", "Isomap", "UMAP")
N_COMPONENTS = {"swiss roll": 5, "S-curve": 5, "circles": 2, "digits": 10}
SCORES = ("trust", "trust_2d", "order", "inside", "outside", "seconds")
N_TREES = (10, 30, 100, 300)
MNIST_ROWS = (15_000, 30_000, 60_000)
SCALES = ("accuracy", "seconds", "cpu_s", "peak_mb")
NAN = float("nan")
PLACES = ROOT / "build" / "embedding"


class Rows(NamedTuple):
    """Rows to embed, rows to place afterwards, and what is known of both."""

    X: NDArray[Any]
    y: NDArray[Any]
    X_new: NDArray[Any]
    y_new: NDArray[Any]


@cache
def load(name: str, seed: int) -> Rows:
    """3,000 rows of a sheet or two circles, or the digits, a quarter of them held out."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        order = np.random.default_rng(seed).permutation(len(X))
        X, y = X[order].astype(np.float32), y[order]
        n = 1350
    else:
        n = 3000
        make = {
            "swiss roll": lambda n: make_swiss_roll(n, random_state=seed),
            "S-curve": lambda n: make_s_curve(n, random_state=seed),
            "circles": lambda n: make_circles(n, noise=0.04, factor=0.5, random_state=seed),
        }[name]
        X, y = make(n + 1000)
    return Rows(X[:n], y[:n], X[n:], y[n:])


def make_system(name: str, n_components: int, seed: int, n_trees: int = 100) -> Any:
    """A system with its defaults; None where its package is not installed."""
    if name == "SpectralEmbedding":
        return SpectralEmbedding(n_components, random_state=seed)
    if name == "Isomap":
        return Isomap(n_components=n_components)
    if name == "UMAP":
        try:
            from umap import UMAP
        except ImportError:
            return None
        return UMAP(n_components=n_components, random_state=seed, n_jobs=1)
    if name == DEFAULT:
        return ManifoldEmbedding(n_trees, n_components=n_components, random_state=seed)
    return ManifoldEmbedding(
        n_trees,
        affinity=name,
        selection="smoothest",
        n_components=n_components,
        random_state=seed,
    )


def keep(name: str, places: NDArray[np.float64]) -> None:
    """Put coordinates aside for the figures."""
    PLACES.mkdir(parents=True, exist_ok=True)
    np.save(PLACES / f"{name}.npy", places)


def kept(name: str, make: Callable[[], NDArray[np.float64]]) -> NDArray[np.float64]:
    """Coordinates that were put aside, or made now."""
    if not (PLACES / f"{name}.npy").exists():
        keep(name, make())
    places: NDArray[np.float64] = np.load(PLACES / f"{name}.npy")
    return places


@cache
def neighbour_ranks(name: str, seed: int) -> NDArray[np.int16]:
    """How many rows are closer to row i than row j is, row i among them."""
    order = cdist(load(name, seed).X, load(name, seed).X).argsort(axis=1)
    ranks = np.empty(order.shape, dtype=np.int16)
    np.put_along_axis(ranks, order, np.arange(len(order), dtype=np.int16)[None], axis=1)
    return ranks


def trustworthiness(
    ranks: NDArray[np.int16], places: NDArray[np.float64], n_neighbors: int = 10
) -> float:
    """As in scikit-learn, from ranks that are computed once for all systems."""
    n, k = len(ranks), n_neighbors
    near = NearestNeighbors(n_neighbors=k).fit(places).kneighbors(return_distance=False)
    beyond = np.maximum(np.take_along_axis(ranks, near, axis=1).astype(np.int64) - k, 0)
    return float(1 - 2 * beyond.sum() / (n * k * (2 * n - 3 * k - 1)))


def measure(cell: Cell) -> Cell | None:
    """Embed a set and see which neighbours stay neighbours."""
    name, seed = cell["set"], int(cell["seed"])
    rows = load(name, seed)
    system = make_system(cell["system"], N_COMPONENTS[name], seed, int(cell["trees"]))
    if system is None:
        return None
    start = time.process_time()
    places = system.fit_transform(rows.X)
    seconds = time.process_time() - start
    keep(f"{name} {cell['system']} {cell['trees']} {seed}", places)
    scores = dict.fromkeys(SCORES, NAN) | {"seconds": seconds}
    ranks = neighbour_ranks(name, seed)
    scores["trust"] = trustworthiness(ranks, places)
    scores["trust_2d"] = trustworthiness(ranks, places[:, :2])
    if name in ("swiss roll", "S-curve"):
        scores["order"] = abs(float(spearmanr(places[:, 0], rows.y).statistic))
        return scores
    near = KNeighborsClassifier(5)
    scores["inside"] = float(cross_val_score(near, places, rows.y, cv=5).mean())
    if hasattr(system, "transform"):
        new = system.transform(rows.X_new)
        scores["outside"] = near.fit(places, rows.y).score(new, rows.y_new)
    return scores


def measure_mnist(cell: Cell) -> Cell:
    """Embed so many images in a process of its own, to see its time and memory."""
    program = f"from experiments.embedding import *; print(json.dumps(embed_mnist({cell!r})))"
    command = [sys.executable, "-c", program]
    output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    measured: Cell = json.loads(output.splitlines()[-1])
    return measured


def embed_mnist(cell: Cell) -> Cell:
    """Embed MNIST in 10 dimensions with two threads."""
    images = load_images(Path(cell["data"]))
    X, y = images.X_train[: int(cell["n"])], images.y_train[: int(cell["n"])]
    embedding = ManifoldEmbedding(
        n_components=10, selection="smoothest", n_jobs=2, random_state=int(cell["seed"])
    )
    start, start_cpu = time.perf_counter(), time.process_time()
    places = embedding.fit_transform(X)
    seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    peak = peak_memory()
    keep(f"mnist {len(X)}", places)
    near = KNeighborsClassifier(5).fit(places, y)
    accuracy = near.score(embedding.transform(images.X_test), images.y_test)
    return {"accuracy": accuracy, "seconds": seconds, "cpu_s": cpu, "peak_mb": peak}


def peak_memory() -> float:
    """Largest memory of this process, in MB; what its parent had does not count."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def draw(arguments: Arguments) -> None:
    """Each set by each system in two dimensions, and the sheets under more and more trees."""
    figure, axes = panels(len(SETS), len(SYSTEMS), 2.5, 2.3)
    for line, name in zip(axes, SETS, strict=True):
        rows = load(name, 0)
        for axis, system in zip(line, SYSTEMS, strict=True):
            # The first two coordinates of UMAP in many dimensions are no figure in two.
            made = make_system(system, 2 if system == "UMAP" else N_COMPONENTS[name], 0)
            if made is None or (name, system) == ("digits", "mahalanobis"):
                axis.set_axis_off()
                continue
            key = f"{name} {system} {'2d' if system == 'UMAP' else 100} 0"
            show(axis, kept(key, partial(made.fit_transform, rows.X)), rows.y)
            axis.set(title=system if name == SETS[0] else "", xlabel="", ylabel="")
        line[0].set_ylabel(name)
    save(figure, arguments.output / "embedding.png")
    figure, axes = panels(2, len(N_TREES), 2.5, 2.3)
    rows = load("swiss roll", 0)
    for line, affinity in zip(axes, ("binary", "gaussian"), strict=True):
        for axis, n_trees in zip(line, N_TREES, strict=True):
            made = make_system(affinity, N_COMPONENTS["swiss roll"], 0, n_trees)
            key = f"swiss roll {affinity} {n_trees} 0"
            show(axis, kept(key, partial(made.fit_transform, rows.X)), rows.y)
            title = f"{n_trees} trees" if affinity == "binary" else ""
            axis.set(title=title, xlabel="", ylabel="")
        line[0].set_ylabel(affinity)
    save(figure, arguments.output / "embedding_trees.png")


def show(axis: Any, places: NDArray[np.float64], y: NDArray[Any]) -> None:
    """Draw dots without a legend."""
    cmap = "tab10" if len(np.unique(y)) <= 10 else "Spectral"
    axis.scatter(*places[:, :2].T, c=y, s=1.5, cmap=cmap, linewidths=0)
    axis.set(xticks=[], yticks=[])


def draw_mnist(arguments: Arguments) -> None:
    """The first four coordinates of all images."""
    images = load_images(arguments.data / "mnist")
    n = 5_000 if arguments.quick else len(images.X_train)
    embedding = ManifoldEmbedding(n_components=10, selection="smoothest", random_state=0)
    places = kept(f"mnist {n}", partial(embedding.fit_transform, images.X_train[:n]))
    figure, axes = panels(1, 2, 5.0, 4.2)
    for axis, components in zip(axes[0], ((0, 1), (2, 3)), strict=True):
        display = EmbeddingDisplay(places, y=images.y_train[:n], components=components)
        display.plot(axis, size=0.6)
    save(figure, arguments.output / "embedding_mnist.png")


def expectations(store: Store, scale: Store) -> list[Expectation]:
    """What embeddings must show."""
    orders = {a: store.mean("order", set="swiss roll", system=a, trees=100) for a in AFFINITIES}
    best = max(orders, key=lambda name: orders[name])
    trust = store.mean("trust", set="swiss roll", system=best, trees=100)
    digits = {
        s: store.mean("inside", set="digits", system=s, trees=100)
        for s in ("binary", "SpectralEmbedding")
    }
    gap = digits["binary"] - digits["SpectralEmbedding"]
    outside = store.mean("outside", set="digits", system="binary", trees=100)
    lost = digits["binary"] - outside
    seconds = {n: scale.mean("seconds", n=n) for n in MNIST_ROWS}
    cpu = {n: scale.mean("cpu_s", n=n) for n in MNIST_ROWS}
    doubling = max(cpu[b] / cpu[a] for a, b in pairwise(MNIST_ROWS))
    flat = store.values("trust_2d", set="swiss roll", system=DEFAULT, trees=100)
    ordered = store.values("order", set="swiss roll", system=DEFAULT, trees=100)
    return [
        Expectation(
            "swiss roll, defaults, 2 dimensions: trustworthiness .97 on every draw",
            number(min(flat, default=NAN)),
            min(flat, default=0.0) >= 0.97,
        ),
        Expectation(
            "swiss roll, defaults: first coordinate ordered as the roll, .95 on every draw",
            number(min(ordered, default=NAN)),
            min(ordered, default=0.0) >= 0.95,
        ),
        Expectation(
            f"swiss roll, {best}: first coordinate ordered as the roll, .95",
            number(orders[best]),
            orders[best] >= 0.95,
        ),
        Expectation(
            f"swiss roll, {best}, 5 dimensions: trustworthiness .97", number(trust), trust >= 0.97
        ),
        Expectation(
            "digits, 10 dimensions: 5-NN within 2 points of SpectralEmbedding or better",
            f"{100 * gap:+.2f} points",
            gap >= -0.02,
        ),
        Expectation(
            "digits: held-out rows keep 5-NN accuracy within 2 points",
            f"{-100 * lost:+.2f} points",
            lost <= 0.02,
        ),
        at_most("MNIST, 60,000 rows, two threads: under 300 s", seconds[60_000], 300, 0),
        at_most("MNIST, peak memory under 3,000 MB", scale.mean("peak_mb", n=60_000), 3000, 0),
        at_most("doubling n costs at most 2.4 times the processor time", doubling, 2.4, 2),
    ]


def report(store: Store, scale: Store, arguments: Arguments) -> None:
    """Write the page."""
    parts = [f"`{arguments.command}`"]
    if scale.rows:
        parts.append(expectations_table(expectations(store, scale)))
    parts.append("![Sets and systems](embedding.png)")
    header = ("set, system", "trust", "trust, 2-D", "order", "5-NN", "5-NN, new rows", "seconds")
    lines = [
        (
            f"{name}, {system}",
            *(
                number(store.mean(score, set=name, system=system, trees=100), 3)
                for score in SCORES[:-1]
            ),
            number(store.mean("seconds", set=name, system=system, trees=100), 1),
        )
        for name in SETS
        for system in SYSTEMS
    ]
    parts.append(table(header, lines))
    parts.append("The swiss roll under more and more trees:")
    parts.append("![More and more trees](embedding_trees.png)")
    lines = [
        (
            f"{affinity}, {score}",
            *(
                number(store.mean(key, set="swiss roll", system=affinity, trees=t), 3)
                for t in N_TREES
            ),
        )
        for affinity in ("binary", "gaussian")
        for score, key in (("trust", "trust"), ("order", "order"))
    ]
    parts.append(table(("trees", *map(str, N_TREES)), lines))
    if scale.rows:
        parts.append("MNIST in 10 dimensions, two threads:")
        lines = [
            (
                f"{n:,}",
                *(
                    number(scale.mean(score, n=n), 3 if score == "accuracy" else 0)
                    for score in SCALES
                ),
            )
            for n in MNIST_ROWS
        ]
        parts.append(table(("rows", "5-NN, test set", "seconds", "processor s", "peak MB"), lines))
        parts.append("![MNIST](embedding_mnist.png)")
    write_measured(arguments.output / "embedding.md", "Embeddings", "\n\n".join(parts))


def main() -> None:
    """Measure, draw, and write the page."""
    arguments = parse("embedding", __doc__, seeds=3)
    folder = arguments.output / "measurements"
    store = Store(folder / "embedding.csv", ("set", "system", "trees", "seed"), SCORES)
    scale = Store(folder / "embedding_mnist.csv", ("n", "seed"), SCALES)
    cells: list[Cell] = [
        {"set": name, "system": system, "trees": 100, "seed": seed}
        for seed in range(arguments.seeds)
        for name in SETS
        for system in SYSTEMS
        if (name, system) != ("digits", "mahalanobis")  # with 64 features no affinity is left
    ]
    cells += [
        {"set": "swiss roll", "system": system, "trees": n_trees, "seed": seed}
        for seed in range(arguments.seeds)
        for system in ("binary", "gaussian")
        for n_trees in N_TREES
        if n_trees != 100
    ]
    measure_cells(store, cells, measure, arguments)
    mnist = arguments.data / "mnist"
    if mnist.exists() and not arguments.quick:
        scaling = [{"n": n, "seed": 0, "data": str(mnist)} for n in MNIST_ROWS]
        measure_cells(scale, scaling, measure_mnist, arguments)
    if not arguments.report:
        draw(arguments)
    if mnist.exists() and not arguments.report:
        draw_mnist(arguments)
    report(store, scale, arguments)


if __name__ == "__main__":
    main()

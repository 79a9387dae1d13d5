"""A graph-valued example: a bump somewhere on a random geometric graph decides the class."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components, shortest_path

from experiments.arguments import Arguments, parse
from experiments.data import Split
from experiments.figures import draw_curves, panels, save
from experiments.pages import (
    Expectation,
    expectations_table,
    no_worse,
    number,
    table,
    write_measured,
)
from experiments.scoring import SCORES, score_system
from experiments.store import Cell, Store, measure_cells
from experiments.systems import make_forest, make_rf, make_sporf
from silvan.projections import GraphNeighborhoods

N_NODES = 200
N_DIRECTIONS = 40
N_TEST = 10_000
HEIGHT = 0.8
SIZES = (50, 100, 200, 400, 1000, 2000)
SYSTEMS = ("MORF", "SPORF", "RF", "shuffled graph")


@cache
def make_graph() -> tuple[NDArray[np.float64], sparse.csr_array]:
    """Points in the unit square, linked within the least radius that connects them all."""
    points = np.random.default_rng(0).uniform(size=(N_NODES, 2))
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    radius = 0.08
    while connected_components(sparse.csr_array(distances < radius))[0] > 1:
        radius += 0.005
    adjacency = (distances < radius) & ~np.eye(N_NODES, dtype=bool)
    return points, sparse.csr_array(adjacency.astype(np.float64))


@cache
def hops() -> NDArray[np.float64]:
    """Number of edges between any two nodes."""
    return np.asarray(shortest_path(make_graph()[1], unweighted=True))


def draw_signals(n: int, seed: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """White noise on the nodes; in class 1 a bump around one of three centres is added.

    The bump has the same height on its centre, the neighbours and their neighbours. The centres are
    the same in all signals, as far from each other as nodes can be.
    """
    rng = np.random.default_rng(seed)
    centres = [0]
    while len(centres) < 3:
        centres.append(int(hops()[centres].min(axis=0).argmax()))
    bumps = hops()[centres] <= 2
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, N_NODES))
    X += HEIGHT * y[:, None] * bumps[rng.integers(0, len(centres), n)]
    return X.astype(np.float32), y.astype(np.int64)


def make_system(name: str, seed: int) -> Any:
    """A forest; the one on a shuffled graph knows the degrees but not the neighbours."""
    if name == "RF":
        return make_rf(seed)
    if name == "SPORF":
        return make_sporf(seed, N_DIRECTIONS)
    graph = make_graph()[1]
    if name == "shuffled graph":
        order = np.random.default_rng(1).permutation(N_NODES)
        graph = graph[order][:, order]
    return make_forest(GraphNeighborhoods(graph, 1, 15), seed, N_DIRECTIONS)


def measure(cell: Cell) -> Cell:
    """Error and times of one forest on one draw."""
    train = draw_signals(cell["n"], cell["seed"])
    split = Split(*train, *draw_signals(N_TEST, 1_000_000 + cell["seed"]))
    return score_system(make_system(cell["system"], cell["seed"]), split)


def draw_figure(store: Store, arguments: Arguments) -> None:
    """A signal, what the forest looks at, and error against n."""
    points, graph = make_graph()
    X, y = draw_signals(1000, 0)
    forest = make_system("MORF", 0).fit(X, y)
    maps = {
        "one signal of class 1": X[y == 1][0],
        "importance in MORF": forest.feature_importances_,
    }
    figure, axes = panels(1, 3, width=3.6)
    rows, columns = graph.nonzero()
    for axis, (title, values) in zip(axes[0], maps.items(), strict=False):
        for i, j in zip(rows, columns, strict=True):
            if i < j:
                axis.plot(*points[[i, j]].T, color="#cccccc", linewidth=0.4, zorder=1)
        axis.scatter(*points.T, c=values, s=16, cmap="magma", zorder=2)
        axis.set_title(title)
        axis.set_axis_off()
    curves = {s: [store.mean("error", system=s, n=n) for n in SIZES] for s in SYSTEMS}
    draw_curves(axes[0, 2], SIZES, curves)
    axes[0, 2].set_ylabel("test error")
    axes[0, 2].legend()
    save(figure, arguments.output / "graph.png")


def check_expectations(store: Store) -> list[Expectation]:
    """Neighbourhoods in the graph help."""
    expectations = []
    for other in SYSTEMS[1:]:
        gaps = [
            store.mean("error", system="MORF", n=n) - store.mean("error", system=other, n=n)
            for n in SIZES
        ]
        expectations.append(no_worse(f"MORF no worse than {other} at every n", gaps))
    return expectations


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("graph", __doc__ or "", argv=argv)
    path = arguments.output / "measurements" / "graph.csv"
    store = Store(path, ("system", "n", "seed"), SCORES)
    cells = [
        {"system": system, "n": n, "seed": seed}
        for n in (SIZES[:2] if arguments.quick else SIZES)
        for system in SYSTEMS
        for seed in range(arguments.seeds)
    ]
    measure_cells(store, cells, measure, arguments)
    draw_figure(store, arguments)
    rows = [[s, *[number(store.mean("error", system=s, n=n)) for n in SIZES]] for s in SYSTEMS]
    parts = [
        f"`{arguments.command}`",
        expectations_table(check_expectations(store)),
        "![A signal on the graph, importance of its nodes, and error against n](graph.png)",
        table(["error, n =", *[str(n) for n in SIZES]], rows),
    ]
    write_measured(arguments.output / "graph.md", "Signals on a graph", "\n\n".join(parts))


if __name__ == "__main__":
    main()

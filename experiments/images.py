"""Error of forests on 28 x 28 images against the number of training images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from experiments.arguments import Arguments
from experiments.cnn import HAS_TORCH, TABLE_1, ConvolutionalNetwork, has_gpu
from experiments.data import load_images
from experiments.figures import draw_curves, panels, save
from experiments.pages import (
    Expectation,
    at_most,
    expectations_table,
    no_worse,
    number,
    percent,
    table,
    write_measured,
)
from experiments.scoring import SCORES, score_system
from experiments.store import Cell, Store, measure_cells
from experiments.systems import (
    CLASSICS,
    Scaled,
    make_classic,
    make_forest,
    make_image_patches,
    make_rf,
    make_sporf,
)
from silvan import BoostedManifoldForestClassifier, ManifoldForestClassifier
from silvan.projections import Patches

N_DIRECTIONS = 28
ALL = 60_000
MAX_OTHER_IMAGES = 3000  # images for systems that are no forests
SIZES = (100, 300, 1000, 3000, 10_000, ALL)
FORESTS = ("MORF", "RF", "SPORF", "MORF, 1 to 3", "MORF, pairs")
# With their defaults: what the library does where the user says nothing.
DEFAULTS = ("channels", "boosted")
N_TREES, N_ROUNDS = 500, 600


def make_system(name: str, n: int, seed: int) -> Any:
    """The classifier; forests of the papers have 100 trees, and 500 where they see all images."""
    if name == "channels":
        return ManifoldForestClassifier(N_TREES, shape=(28, 28), random_state=seed, n_jobs=1)
    if name == "boosted":
        n_rounds = (N_ROUNDS,) if n < ALL else ()  # the default with all images
        return BoostedManifoldForestClassifier(
            *n_rounds, shape=(28, 28), random_state=seed, n_jobs=1
        )
    n_trees = 500 if n >= ALL else 100
    if name == "RF":
        return make_rf(seed, n_trees)
    if name == "SPORF":
        return make_sporf(seed, N_DIRECTIONS, n_trees)
    if name == "MORF":
        return make_forest(make_image_patches((2, 2), (2, 5)), seed, N_DIRECTIONS, n_trees)
    if name == "MORF, 1 to 3":
        return make_forest(make_image_patches((1, 1), (3, 3)), seed, N_DIRECTIONS, n_trees)
    if name == "MORF, pairs":
        return make_forest(Patches((28, 28), 1, 7, n_patches=2), seed, N_DIRECTIONS, n_trees)
    if name == "CNN":
        return Scaled(ConvolutionalNetwork(TABLE_1["mnist"], seed)) if HAS_TORCH else None
    return Scaled(make_classic(name, seed))


def measure(cell: Cell) -> Cell | None:
    """Error and times of one system on some of the training images and all test images."""
    system = make_system(cell["system"], cell["n"], cell["seed"])
    if system is None:
        return None
    return score_system(system, load_images(cell["folder"]).head(cell["n"], cell["seed"]))


def measure_images(arguments: Arguments, folder: str, sizes: Sequence[int]) -> Store:
    """Measure every system; more than a few thousand images by forests, and by the CNN on a GPU."""
    path = arguments.output / "measurements" / f"{arguments.name}.csv"
    store = Store(path, ("system", "n", "seed"), SCORES)
    cells = []
    grown = (*DEFAULTS, *FORESTS)
    for system in (*grown, *CLASSICS, "CNN"):
        limit = ALL if system in grown or (system == "CNN" and has_gpu()) else MAX_OTHER_IMAGES
        for n in sizes[:2] if arguments.quick else sizes:
            seeds = 1 if n >= ALL else arguments.seeds if n < 10_000 else min(2, arguments.seeds)
            for seed in range(seeds if n <= limit else 0):
                where = arguments.data / folder
                cells.append({"system": system, "n": n, "seed": seed, "folder": where})
    cells.sort(key=lambda cell: (cell["system"] not in grown, cell["n"]))
    measure_cells(store, cells, measure, arguments)
    return store


def error_table(store: Store, sizes: Sequence[int]) -> str:
    """Error in percent: one row for each system, one column for each n."""
    rows = [
        [system, *[percent(store.mean("error", system=system, n=n)) for n in sizes]]
        for system in store.distinct("system")
    ]
    return table(["n =", *[f"{n:,}" for n in sizes]], rows)


def time_table(store: Store) -> str:
    """Training and test time of the forests that saw all images."""
    rows = []
    measured = store.distinct("system", n=ALL)
    for system in (name for name in (*DEFAULTS, *FORESTS) if name in measured):
        means = [store.mean(value, system=system, n=ALL) for value in ("fit_s", "predict_s")]
        rows.append([system, *[number(mean, 1) for mean in means]])
    return table(("60,000 images", "training, CPU s", "10,000 tests, CPU s"), rows)


class Bounds(NamedTuple):
    """Errors that are expected of forests that see all images."""

    morf: float
    channels: float
    boosted: float


def check_expectations(store: Store, sizes: Sequence[int], bounds: Bounds) -> list[Expectation]:
    """The error on all images, and defaults and MORF against other systems.

    The MORF paper claims that its forest is ahead of all but the CNN for every n; others than
    forests have fewer sizes.
    """
    expectations = []
    known = {n: store.distinct("system", n=n) for n in sizes}
    for system in (*DEFAULTS, *(name for name in FORESTS if name.startswith("MORF"))):
        if system not in known[ALL]:
            continue
        bound = bounds._asdict().get(system, bounds.morf)
        error = store.mean("error", system=system, n=ALL)
        claim = f"{system}: 60,000 images: at most {percent(bound)}"
        expectations.append(at_most(claim, error, bound)._replace(measured=percent(error)))
    pairs = [("channels", "CNN", 1000), ("boosted", "CNN", 3000)]
    pairs += [("channels", other, ALL) for other in ("MORF", "RF", "SPORF", "RBF SVM")]
    pairs += [("MORF", other, ALL) for other in ("RF", "SPORF", *CLASSICS)]
    for system, other, limit in pairs:
        measured = [n for n in sizes if n <= limit and {system, other} <= set(known[n])]
        if not measured:
            continue
        gaps = [
            store.mean("error", system=system, n=n) - store.mean("error", system=other, n=n)
            for n in measured
        ]
        whole = measured == list(sizes)
        sizes_told = "every n" if whole else f"every n to {max(measured):,}"
        expectations.append(no_worse(f"{system} no worse than {other} at {sizes_told}", gaps))
    return expectations


def draw_errors(store: Store, sizes: Sequence[int], arguments: Arguments, title: str) -> None:
    """Error against n."""
    figure, axes = panels(1, 1, width=6.5, height=4)
    curves = {
        system: [store.mean("error", system=system, n=n) for n in sizes]
        for system in store.distinct("system")
        if "," not in system
    }
    draw_curves(axes[0, 0], sizes, curves)
    axes[0, 0].set_yscale("log")
    axes[0, 0].set_ylabel("test error")
    axes[0, 0].set_title(title)
    axes[0, 0].legend()
    save(figure, arguments.output / f"{arguments.name}.png")


def run(arguments: Arguments, folder: str, title: str, bounds: Bounds) -> None:
    """Measure what is missing, then draw and write the page."""
    store = measure_images(arguments, folder, SIZES)
    draw_errors(store, SIZES, arguments, title)
    parts = [
        f"`{arguments.command}`",
        expectations_table(check_expectations(store, SIZES, bounds)),
        f"![Error on {title} against the number of training images]({arguments.name}.png)",
        error_table(store, SIZES),
        time_table(store),
    ]
    write_measured(arguments.output / f"{arguments.name}.md", title, "\n\n".join(parts))

"""Error of forests on 28 x 28 images against the number of training images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from experiments.arguments import Arguments
from experiments.cnn import (
    FIXED,
    HAS_TORCH,
    STOPPED,
    TABLE_1,
    ConvolutionalNetwork,
    has_gpu,
)
from experiments.data import load_images
from experiments.figures import draw_curves, panels, save
from experiments.pages import (
    Expectation,
    at_most,
    describe_outcome,
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
    Standardised,
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
MAX_OTHER_IMAGES = 10_000  # images for systems that are no forests
MAX_IMAGES_WITHOUT_GPU = 3000  # for the network with 30 passes
SIZES = (100, 300, 1000, 3000, 10_000, ALL)
# Patches of Perry's Table 2 and of the MORF paper, each with the rules of both at the border.
PATCHES = {
    "MORF": make_image_patches((2, 2), (2, 5)),
    "MORF, corner": make_image_patches((2, 2), (2, 5), "corner"),
    "MORF, 1 to 3": make_image_patches((1, 1), (3, 3)),
    "MORF, 1 to 3, corner": make_image_patches((1, 1), (3, 3), "corner"),
    "MORF, pairs": Patches((28, 28), 1, 7, n_patches=2),
}
FORESTS = ("RF", "SPORF", *PATCHES)
NETWORKS = {"CNN": FIXED, "CNN, stopped early": STOPPED}
# Draws of the network that stops early, as the MORF paper has them.
NETWORK_DRAWS = 5
# The same classifiers on pixels with mean 0 and variance 1.
Z_SCORES = ", z-scores"
# Drawn beside the systems without a variant in their name.
DRAWN = ("MORF, corner", "CNN, stopped early")
# With their defaults: what the library does where the user says nothing.
DEFAULTS = ("channels", "boosted")
N_TREES, N_ROUNDS = 500, 600


class Plan(NamedTuple):
    """What is measured on a set of images.

    `n_trees` is the number of trees of the papers' forests where they do not see all images; then
    it is 500. `as_published` adds what the papers' figure has: the other rule at the border, the
    network that stops early, and pixels as z-scores.
    """

    n_trees: int
    as_published: bool


def make_system(name: str, n: int, seed: int, n_trees: int) -> Any:
    """The classifier of a name."""
    if name.endswith(Z_SCORES):
        return Standardised(make_plain(name.removesuffix(Z_SCORES), n, seed, n_trees))
    scaled = name in CLASSICS or name in NETWORKS
    system = make_plain(name, n, seed, n_trees)
    return Scaled(system) if scaled and system is not None else system


def make_plain(name: str, n: int, seed: int, n_trees: int) -> Any:
    """The classifier of a name, for pixels that were scaled where it needs that."""
    if name == "channels":
        return ManifoldForestClassifier(N_TREES, shape=(28, 28), random_state=seed, n_jobs=1)
    if name == "boosted":
        n_rounds = (N_ROUNDS,) if n < ALL else ()  # the default with all images
        return BoostedManifoldForestClassifier(
            *n_rounds, shape=(28, 28), random_state=seed, n_jobs=1
        )
    if name in NETWORKS:
        trained = ConvolutionalNetwork(TABLE_1["mnist"], seed, NETWORKS[name])
        return trained if HAS_TORCH else None
    if name == "RF":
        return make_rf(seed, n_trees)
    if name == "SPORF":
        return make_sporf(seed, N_DIRECTIONS, n_trees)
    if name in PATCHES:
        return make_forest(PATCHES[name], seed, N_DIRECTIONS, n_trees)
    return make_classic(name, seed)


def measure(cell: Cell) -> Cell | None:
    """Error and times of one system on some of the training images and all test images."""
    system = make_system(cell["system"], cell["n"], cell["seed"], cell["n_trees"])
    if system is None:
        return None
    return score_system(system, load_images(cell["folder"]).head(cell["n"], cell["seed"]))


def list_systems(plan: Plan) -> list[str]:
    """Every system, the forests first."""
    forests = [name for name in FORESTS if plan.as_published or not name.endswith("corner")]
    systems = [*DEFAULTS, *forests, *CLASSICS, "CNN"]
    if plan.as_published:
        systems += ["CNN, stopped early"]
        systems += [name + Z_SCORES for name in ("MORF", *CLASSICS)]
    return systems


def count_draws(system: str, n: int, seeds: int) -> int:
    """How many draws of the training images a system is measured on.

    More than 10,000 images are for forests alone, and for the network where there is a GPU.
    """
    grown = system in (*DEFAULTS, *FORESTS)
    if n > MAX_OTHER_IMAGES:
        return 1 if grown or (system == "CNN" and has_gpu()) else 0
    if system == "CNN" and not has_gpu() and n > MAX_IMAGES_WITHOUT_GPU:
        return 0
    if system.startswith("CNN, stopped early"):
        return NETWORK_DRAWS if seeds > 1 else 1
    return min(2, seeds) if n >= 10_000 else seeds


def measure_images(arguments: Arguments, folder: str, sizes: Sequence[int], plan: Plan) -> Store:
    """Measure the systems of the papers first, of these the forests, and few images first."""
    path = arguments.output / "measurements" / f"{arguments.name}.csv"
    store = Store(path, ("system", "n", "seed"), SCORES)
    where = arguments.data / folder
    cells = [
        {
            "system": system,
            "n": n,
            "seed": seed,
            "folder": where,
            "n_trees": 500 if n >= ALL else plan.n_trees,
        }
        for system in list_systems(plan)
        for n in (sizes[:2] if arguments.quick else sizes)
        for seed in range(count_draws(system, n, arguments.seeds))
    ]
    cells.sort(key=lambda c: (c["system"] in DEFAULTS, c["system"] not in FORESTS, c["n"]))
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


def outcomes(store: Store, sizes: Sequence[int]) -> str:
    """MORF with each rule against every other system, as images are and as z-scores."""
    others = ("RF", "SPORF", *CLASSICS, *NETWORKS)
    measured = store.distinct("system")
    rows = []
    for other in others:
        row = [other]
        for ours, suffix in (
            ("MORF", ""),
            ("MORF, corner", ""),
            ("MORF, 1 to 3", ""),
            ("MORF, 1 to 3, corner", ""),
            ("MORF" + Z_SCORES, Z_SCORES),
        ):
            rival = other + suffix if other + suffix in measured else other
            gaps = [
                store.mean("error", system=ours, n=n) - store.mean("error", system=rival, n=n)
                for n in sizes
            ]
            row.append(describe_outcome(sizes, gaps))
        rows.append(row)
    header = ("against", "MORF", "corner", "1 to 3", "1 to 3, corner", "all on z-scores")
    return table(header, rows)


def draw_errors(store: Store, sizes: Sequence[int], arguments: Arguments, title: str) -> None:
    """Error against n."""
    figure, axes = panels(1, 1, width=7.5, height=4)
    curves = {
        system: [store.mean("error", system=system, n=n) for n in sizes]
        for system in store.distinct("system")
        if "," not in system or system in DRAWN
    }
    draw_curves(axes[0, 0], sizes, curves)
    axes[0, 0].set_yscale("log")
    axes[0, 0].set_ylabel("test error")
    axes[0, 0].set_title(title)
    figure.legend(loc="outside right center", frameon=False)
    save(figure, arguments.output / f"{arguments.name}.png")


def run(arguments: Arguments, folder: str, title: str, bounds: Bounds, plan: Plan) -> None:
    """Measure what is missing, then draw and write the page."""
    store = measure_images(arguments, folder, SIZES, plan)
    draw_errors(store, SIZES, arguments, title)
    parts = [
        f"`{arguments.command}`",
        expectations_table(check_expectations(store, SIZES, bounds)),
        f"![Error on {title} against the number of training images]({arguments.name}.png)",
        error_table(store, SIZES),
        time_table(store),
    ]
    if plan.as_published:
        told = "MORF against each of the others, differences in points where it is behind:"
        parts += [told, outcomes(store, SIZES)]
    write_measured(arguments.output / f"{arguments.name}.md", title, "\n\n".join(parts))

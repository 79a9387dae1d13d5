"""Figure 4 of the MORF paper: which pixels tell 3 from 5, and how much falls on background."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.arguments import Arguments, parse
from experiments.data import IMAGE_SHAPE, load_images
from experiments.figures import panels, save
from experiments.pages import Expectation, expectations_table, percent, table, write_measured
from experiments.store import Cell, Store, measure_cells
from experiments.systems import make_forest, make_image_patches
from silvan.projections import AxisAligned, ProjectionDistribution, SparseSigns

N_TREES = 500
N_PER_CLASS = 100
DISTRIBUTIONS: dict[str, ProjectionDistribution] = {
    "RF": AxisAligned(),
    "SPORF": SparseSigns(counts="poisson"),
    "MORF": make_image_patches((2, 2), (2, 5)),
    "MORF, 1 to 3": make_image_patches((1, 1), (3, 3)),
}
RARE = 0.01
SHARES = ("background_count", "background_gini", "rare_count", "rare_gini", "roughness")


def draw_images(folder: Any, seed: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """One hundred threes and fives each; and how often a pixel has ink in all 3s and 5s."""
    split = load_images(folder)
    rng = np.random.default_rng(seed)
    chosen = [
        rng.choice(np.flatnonzero(split.y_train == digit), N_PER_CLASS, replace=False)
        for digit in (3, 5)
    ]
    rows = np.concatenate(chosen)
    inked = (split.X_train[np.isin(split.y_train, (3, 5))] > 0).mean(axis=0)
    return split.X_train[rows], split.y_train[rows], inked


def count_uses(forest: Any) -> NDArray[np.float64]:
    """Counts π_k: how many splits of the forest have feature k in their direction, as shares."""
    uses = np.bincount(forest.forest_.directions().indices, minlength=forest.n_features_in_)
    return np.asarray(uses / uses.sum())


def roughness(counts: NDArray[np.float64]) -> float:
    """Mean absolute step between neighbouring pixels, with the mean pixel as unit."""
    image = counts.reshape(IMAGE_SHAPE) / counts.mean()
    return float(np.mean([np.abs(np.diff(image, axis=axis)).mean() for axis in (0, 1)]))


def fit(system: str, seed: int, folder: Any) -> tuple[Any, NDArray[Any]]:
    """The forest on the images of a seed, and how often a pixel has ink."""
    X, y, inked = draw_images(folder, seed)
    return make_forest(DISTRIBUTIONS[system], seed, 28, N_TREES).fit(X, y), inked


def measure(cell: Cell) -> Cell:
    """Share of importance on pixels without ink, by counts and by decrease of impurity."""
    forest, inked = fit(cell["system"], cell["seed"], cell["folder"])
    counts, gini = count_uses(forest), forest.feature_importances_
    return {
        "background_count": float(counts[inked == 0].sum()),
        "background_gini": float(gini[inked == 0].sum()),
        "rare_count": float(counts[inked < RARE].sum()),
        "rare_gini": float(gini[inked < RARE].sum()),
        "roughness": roughness(counts),
    }


def draw_maps(arguments: Arguments) -> None:
    """Mean 3, mean 5, their difference; and the counts of the three forests."""
    folder = arguments.data / "mnist"
    X, y, _ = draw_images(folder, 0)
    means = [X[y == digit].mean(axis=0) for digit in (3, 5)]
    maps = {"mean 3": means[0], "mean 5": means[1], "difference": abs(means[0] - means[1])}
    for system in ("RF", "SPORF", "MORF"):
        maps[system] = count_uses(fit(system, 0, folder)[0])
    figure, axes = panels(2, 3, width=2.4, height=2.5)
    for axis, (name, values) in zip(axes.flat, maps.items(), strict=True):
        axis.imshow(values.reshape(IMAGE_SHAPE), cmap="magma")
        axis.set_title(name)
        axis.set_axis_off()
    save(figure, arguments.output / "importance_maps.png")


def check_expectations(store: Store) -> list[Expectation]:
    """Figure 4's claim: less importance on background than the other forests."""
    expectations = []
    names = {
        "background_count": "always background, counts",
        "background_gini": "always background, Gini",
        "rare_count": "ink in under 1 % of images, counts",
        "rare_gini": "ink in under 1 % of images, Gini",
    }
    for column, name in names.items():
        ours = store.mean(column, system="MORF")
        for other in ("RF", "SPORF"):
            theirs = store.mean(column, system=other)
            claim = f"share on pixels ({name}): MORF below {other}"
            expectations.append(
                Expectation(claim, f"{percent(ours)} and {percent(theirs)}", ours < theirs)
            )
    for other in ("RF", "SPORF"):
        ours, theirs = (store.mean("roughness", system=system) for system in ("MORF", other))
        measured = f"{ours:.3f} and {theirs:.3f}"
        expectations.append(
            Expectation(f"MORF's map is smoother than that of {other}", measured, ours < theirs)
        )
    return expectations


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("importance_maps", __doc__ or "", argv=argv)
    path = arguments.output / "measurements" / "importance_maps.csv"
    store = Store(path, ("system", "seed"), SHARES)
    folder = arguments.data / "mnist"
    cells = [
        {"system": system, "seed": seed, "folder": folder}
        for system in DISTRIBUTIONS
        for seed in range(arguments.seeds)
    ]
    measure_cells(store, cells, measure, arguments)
    draw_maps(arguments)
    rows = []
    for system in DISTRIBUTIONS:
        *shares, rough = (store.mean(column, system=system) for column in SHARES)
        rows.append([system, *[percent(share) for share in shares], f"{rough:.3f}"])
    header = (
        "forest",
        "always background, counts",
        "Gini",
        "ink in under 1 %, counts",
        "Gini",
        "roughness of the map",
    )
    parts = [
        f"`{arguments.command}`",
        expectations_table(check_expectations(store)),
        "![Mean images and importance maps](importance_maps.png)",
        table(header, rows),
    ]
    page = arguments.output / "importance_maps.md"
    write_measured(page, "Which pixels tell 3 from 5", "\n\n".join(parts))


if __name__ == "__main__":
    main()

"""Figure A.1 of Tomita's thesis: how close sampled directions come to the best one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.arguments import Arguments, parse
from experiments.figures import panels, save
from experiments.pages import Expectation, expectations_table, number, table, write_measured
from experiments.store import Cell, Store, measure_cells, require_rows
from silvan.projections import ProjectionDistribution, RandomRotation, SparseSigns

# The dimensions and angles of the authors' script.
FEATURES = (2, 4, 8, 16, 32, 64)
DEGREES = (1, 10, 22.5, 45)
TARGETS = ("sparse", "dense")
SYSTEMS = ("RerF, d = p", "RerF, d = p²", "RR-RF")
STYLES = {"RerF, d = p": "--", "RerF, d = p²": "-", "RR-RF": "-"}
COLOURS = {"RerF, d = p": "#e08f2c", "RerF, d = p²": "#e08f2c", "RR-RF": "#777777"}


def smallest_angles(cell: Cell) -> NDArray[np.float64]:
    """Angle in degrees between the target and the closest of the directions of each node."""
    p, system = cell["p"], cell["system"]
    target = np.zeros(p)
    target[: 1 if cell["target"] == "sparse" else p] = 1.0
    target /= np.linalg.norm(target)
    distribution: ProjectionDistribution = (
        RandomRotation() if system == "RR-RF" else SparseSigns(density=1 / p)
    )
    d = p**2 if system.endswith("p²") else p
    cosines = np.empty(cell["nodes"])
    for node in range(cell["nodes"]):
        directions: Any = distribution.draw(d, n_features=p, random_state=node)
        lengths = np.sqrt(directions.multiply(directions).sum(axis=1))
        cosines[node] = np.max(np.abs(directions @ target) / lengths)
    return np.degrees(np.arccos(np.minimum(cosines, 1.0)))


def measure(cell: Cell) -> Cell:
    """Share of the nodes whose closest direction is within each angle."""
    angles = smallest_angles(cell)
    return {f"within_{degrees:g}": float(np.mean(angles <= degrees + 1e-9)) for degrees in DEGREES}


def draw_figure(store: Store, arguments: Arguments) -> None:
    """Probability against p, an angle in each column; sparse targets above, dense ones below."""
    figure, axes = panels(2, len(DEGREES), width=2.8, height=2.5)
    for row, target in enumerate(TARGETS):
        for axis, degrees in zip(axes[row], DEGREES, strict=True):
            for system in SYSTEMS:
                where = {"system": system, "target": target}
                curve = [store.mean(f"within_{degrees:g}", p=p, **where) for p in FEATURES]
                style, color = STYLES[system], COLOURS[system]
                axis.plot(FEATURES, curve, style, marker=".", color=color, label=system)
            axis.set(title=f"{target}, θ = {degrees:g}°", xlabel="p", ylim=(-0.03, 1.03))
            axis.set_xscale("log", base=2)
            axis.set_xticks(FEATURES, [str(p) for p in FEATURES])
        axes[row, 0].set_ylabel("P(within θ)")
    axes[1, 0].legend(frameon=False)
    save(figure, arguments.output / "angles.png")


def check_expectations(store: Store) -> list[Expectation]:
    """A sparse distribution finds sparse targets; in many dimensions none finds dense ones."""

    def probability(system: str, target: str, p: int, degrees: float = 22.5) -> float:
        return store.mean(f"within_{degrees:g}", p=p, system=system, target=target)

    near = min(probability("RerF, d = p²", "sparse", p) for p in FEATURES)
    kept = min(probability("RerF, d = p", "sparse", p) for p in FEATURES)
    far = max(probability("RR-RF", "sparse", p, 10) for p in FEATURES[2:])
    dense = max(probability(system, "dense", p) for system in SYSTEMS for p in FEATURES[3:])

    def expect(claim: str, value: float, holds: bool) -> Expectation:
        return Expectation(claim, number(value, 3), None if math.isnan(value) else holds)

    return [
        expect(
            "sparse target: RerF with d = p² within 22.5°, above .5 for every p", near, near > 0.5
        ),
        expect(
            "sparse target: RerF with d = p within 22.5°, above .5 for every p", kept, kept > 0.5
        ),
        expect("sparse target: RR-RF within 10°, below .1 for p >= 8", far, far < 0.1),
        expect("dense target: none within 22.5°, below .1 for p >= 16", dense, dense < 0.1),
    ]


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("angles", __doc__ or "", seeds=10_000, argv=argv)
    path = arguments.output / "measurements" / "angles.csv"
    columns = [f"within_{degrees:g}" for degrees in DEGREES]
    store = Store(path, ("p", "system", "target", "nodes"), columns)
    nodes = 50 if arguments.quick else arguments.seeds
    cells = [
        {"p": p, "system": system, "target": target, "nodes": nodes}
        for p in FEATURES
        for system in SYSTEMS
        for target in TARGETS
    ]
    measure_cells(store, cells, measure, arguments)
    require_rows(store, arguments, nodes=nodes)
    draw_figure(store, arguments)
    rows = [
        [
            f"{target}, {system}",
            *[
                number(store.mean("within_22.5", p=p, system=system, target=target), 3)
                for p in FEATURES
            ],
        ]
        for target in TARGETS
        for system in SYSTEMS
    ]
    parts = [
        f"`{arguments.command}`",
        f"{nodes} nodes for each curve.",
        expectations_table(check_expectations(store)),
        "![Probability of a direction within an angle of the best one](angles.png)",
        table(["within 22.5°, p =", *[str(p) for p in FEATURES]], rows),
    ]
    write_measured(
        arguments.output / "angles.md", "Random directions in many dimensions", "\n\n".join(parts)
    )


if __name__ == "__main__":
    main()

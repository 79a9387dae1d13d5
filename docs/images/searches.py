"""Figures of guided, perturbed and edge directions."""

from __future__ import annotations

import numpy as np
from docs.images.common import GREEN, GREY, ORANGE, make_sensors
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from silvan import ForestClassifier
from silvan.projections import EdgeNeighborhoods, PerturbedHyperplanes, WeightedCombinations


def draw_edges() -> Figure:
    """Show neighbourhoods of edges that the distribution draws."""
    places, graph = make_sensors()
    ends = np.column_stack(graph.nonzero())
    ends = ends[ends[:, 0] < ends[:, 1]]
    distribution = EdgeNeighborhoods(ends, min_size=1, max_size=15)
    drawn = distribution.draw(4, len(ends), random_state=3).toarray() > 0
    figure = Figure(figsize=(11, 3.0), dpi=80, layout="constrained")
    for axis, chosen in zip(figure.subplots(1, 4), drawn, strict=True):
        lines = places[ends]
        axis.add_collection(LineCollection(list(lines[~chosen]), colors="0.8", linewidths=0.8))
        axis.add_collection(LineCollection(list(lines[chosen]), colors=GREEN, linewidths=3))
        axis.scatter(*places.T, c="white", s=12, edgecolors="0.5", zorder=2)
        axis.set_aspect("equal")
        axis.set_axis_off()
        axis.set_title(f"{int(chosen.sum())} edges", fontsize=11)
    return figure


def draw_searches() -> Figure:
    """Show hyperplanes that turn to a boundary, and weights that a forest learns."""
    figure = Figure(figsize=(11.5, 3.4), dpi=90, layout="constrained")
    turning, weights, errors = figure.subplots(1, 3)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    normal = np.array([2.0, -1.0, 2.0, 0.0, 0.0]) / 3
    steps = (0, 5, 10, 20, 50, 100)
    angles = [
        np.degrees(
            np.arccos(
                np.minimum(
                    1.0,
                    np.abs(
                        PerturbedHyperplanes(n_perturbations=n)
                        .draw(200, 5, random_state=0, X=X, y=X @ normal > 0)
                        .toarray()
                        @ normal
                    ),
                )
            )
        )
        for n in steps
    ]
    turning.boxplot(angles, tick_labels=[str(n) for n in steps], showfliers=False)
    turning.set(xlabel="perturbations", ylabel="angle to the boundary's normal (degrees)")
    turning.set_title("PerturbedHyperplanes")
    X, X_new = rng.normal(size=(500, 60)), rng.normal(size=(3000, 60))
    y, y_new = X[:, :3].sum(axis=1) > 0, X_new[:, :3].sum(axis=1) > 0
    guided = WeightedCombinations((1, 3), trees_per_round=20)
    sizes = (20, 40, 60, 80, 100, 120)
    curves = {"equal weights": [], "learnt in rounds of 20": []}
    for n_trees in sizes:
        for title, distribution in zip(curves, (WeightedCombinations((1, 3)), guided), strict=True):
            forest = ForestClassifier(
                n_trees, projections=distribution, max_features=8, random_state=0
            ).fit(X, y)
            curves[title].append(1 - forest.score(X_new, y_new))
    learnt = np.asarray(forest.projections_.weights)
    colours = np.where(np.arange(60) < 3, ORANGE, GREY)
    weights.bar(np.arange(60), learnt, color=colours)
    weights.axhline(1 / 60, color="0.2", lw=1, ls="--")
    weights.set(xlabel="feature", ylabel="weight", title="weights after 100 trees")
    for (title, curve), colour in zip(curves.items(), (GREY, GREEN), strict=True):
        errors.plot(sizes, curve, "o-", color=colour, ms=4, label=title)
    errors.set(xlabel="trees", ylabel="test error", title="WeightedCombinations", ylim=(0, None))
    errors.legend(frameon=False)
    return figure

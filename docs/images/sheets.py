"""Figures of embedded sheets."""

from __future__ import annotations

from matplotlib.figure import Figure
from sklearn.datasets import make_swiss_roll

from silvan import ManifoldEmbedding


def draw_parsimony() -> Figure:
    """Show a roll, its two smoothest functions, and the first two that are independent."""
    X, position = make_swiss_roll(3000, random_state=0)
    figure = Figure(figsize=(12.5, 3.8), dpi=90, layout="constrained")
    space = figure.add_subplot(1, 4, 1, projection="3d")
    space.scatter(*X.T, c=position, s=2, cmap="Spectral")
    space.set(xticks=[], yticks=[], zticks=[], title="the roll")
    panels = (
        ("smoothest", position, 'selection="smoothest"'),
        ("independent", position, '"independent": length in colour'),
        ("independent", X[:, 1], '"independent": width in colour'),
    )
    for number, (selection, colour, title) in enumerate(panels, 2):
        axis = figure.add_subplot(1, 4, number)
        places = ManifoldEmbedding(selection=selection, random_state=0).fit_transform(X)
        axis.scatter(*places.T, c=colour, s=2, cmap="Spectral")
        axis.set(title=title, xticks=[], yticks=[], xlabel="coordinate 0", ylabel="coordinate 1")
    return figure

"""
A projection of your own
========================

Patches are boxes, but pens make strokes, and strokes lie at any angle. A distribution that draws
them is a class with one method. :doc:`/guide/own_projections` has the rules of the game; this is a
match.
"""

# %%
# ``sample`` gets a node and a random generator, and returns a sparse matrix with a direction in
# each row. A stroke begins anywhere on the grid, at any angle, and has two to ``max_length``
# cells, fewer where the grid ends.

import numpy as np
from scipy.sparse import csr_array

from silvan.projections import ProjectionDistribution


class Strokes(ProjectionDistribution):
    """Sums over the cells of random straight strokes on a grid."""

    def __init__(self, shape, max_length=5):
        self.shape = shape
        self.max_length = max_length

    def validate(self, n_features):
        """Check the parameters once, before anything is grown."""
        height, width = self.shape
        if height * width != n_features:
            raise ValueError(f"shape {self.shape} does not have {n_features} cells.")

    def sample(self, node, rng):
        """Draw the strokes of one node."""
        n = node.n_directions
        angle = rng.uniform(0, np.pi, size=(n, 1))
        length = rng.integers(2, self.max_length, size=(n, 1), endpoint=True)
        step = np.arange(self.max_length)
        height, width = self.shape
        row = np.rint(rng.uniform(0, height - 1, size=(n, 1)) + step * np.sin(angle)).astype(int)
        column = np.rint(rng.uniform(0, width - 1, size=(n, 1)) + step * np.cos(angle)).astype(int)
        inside = (row >= 0) & (row < height) & (column >= 0) & (column < width) & (step < length)
        stroke = np.nonzero(inside)[0]
        cell = (row * width + column)[inside]
        drawn = csr_array((np.ones(len(cell)), (stroke, cell)), shape=(n, height * width))
        drawn.sum_duplicates()
        drawn.data[:] = 1
        return drawn


# %%
# ``draw``, which comes with the base class, shows what a distribution gives:

import matplotlib.pyplot as plt

distribution = Strokes((8, 8))
figure, axes = plt.subplots(2, 8, figsize=(10, 2.6), layout="constrained")
strokes = distribution.draw(axes.size, n_features=64, random_state=0).toarray()
for axis, stroke in zip(axes.flat, strokes, strict=True):
    axis.imshow(stroke.reshape(8, 8), cmap="Greens", vmin=-0.1, vmax=1.3)
    axis.set(xticks=[], yticks=[])

# %%
# The distribution goes where built-in ones go, into a mixture, too. But Python code runs at every
# node, which takes time. Where a list of directions will do, :class:`silvan.projections.Dictionary`
# draws from it at full speed; here the list has 2,000 strokes that were drawn in advance.

from time import perf_counter

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from silvan import ForestClassifier
from silvan.projections import AxisAligned, Dictionary, Mixture, Patches

X, X_new, y, y_new = train_test_split(*load_digits(return_X_y=True), random_state=0)
listed = Dictionary(distribution.draw(2000, n_features=64, random_state=1))
distributions = {
    "single pixels": AxisAligned(),
    "patches": Patches((8, 8)),
    "strokes": distribution,
    "listed strokes": listed,
    "listed, and pixels": Mixture([(listed, 1.0), (AxisAligned(), 1.0)]),
}
for name, candidate in distributions.items():
    forest = ForestClassifier(30, projections=candidate, oob_score=True, random_state=0)
    start = perf_counter()
    forest.fit(X, y)
    seconds = perf_counter() - start
    error = 1 - forest.score(X_new, y_new)
    print(
        f"{name:20}out of bag {1 - forest.oob_score_:.3f}   held out {error:.3f}   {seconds:.2f} s"
    )

# %%
# The columns are errors out of bag, errors on 450 held-out digits, and the time of the fit. With
# so few digits the distributions are hard to tell apart; what a distribution must show is that it
# helps on your data.

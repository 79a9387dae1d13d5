"""
Splits along directions
=======================

A node of a random forest compares one feature with a threshold. A node here does that with
a *direction*, a weighted sum of features, and the parameter ``projections`` is the distribution
that directions are drawn from. This plot is what each distribution makes of diagonal stripes.
"""

# %%
# The class changes along the sum of the two features. Neither of them says anything by itself.

import numpy as np

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, size=(600, 2)).astype(np.float32)
y = np.floor(2 * X.sum(axis=1)).astype(int) % 2

# %%
# One forest for each distribution, all else equal:

import matplotlib.pyplot as plt
from sklearn.inspection import DecisionBoundaryDisplay

from silvan import ForestClassifier
from silvan.projections import AxisAligned, RandomRotation, SparseSigns, UniformCombinations

X_new = rng.uniform(-1, 1, size=(5000, 2)).astype(np.float32)
y_new = np.floor(2 * X_new.sum(axis=1)).astype(int) % 2

figure, axes = plt.subplots(1, 4, figsize=(11, 3.1), layout="constrained")
distributions = (AxisAligned(), RandomRotation(), UniformCombinations(), SparseSigns())
for axis, distribution in zip(axes, distributions, strict=True):
    forest = ForestClassifier(100, projections=distribution, max_features=2, random_state=0).fit(
        X, y
    )
    DecisionBoundaryDisplay.from_estimator(
        forest,
        X,
        response_method="predict_proba",
        class_of_interest=1,
        cmap="PRGn",
        alpha=0.7,
        ax=axis,
    )
    axis.scatter(*X[:150].T, c=y[:150], cmap="PRGn", s=14, edgecolors="white", linewidths=0.6)
    axis.set(xticks=[], yticks=[], aspect="equal", xlim=(-1, 1), ylim=(-1, 1))
    axis.set_title(
        f"{type(distribution).__name__}\naccuracy {forest.score(X_new, y_new):.2f}", fontsize=11
    )

# %%
# Single features climb the stripes in steps. Rotations and random weights have directions near
# the right one, and sparse signs hit ``x0 + x1`` itself. With two features that is easy. With
# twenty, three of which matter, most of a rotation is noise, and the few features of a sparse
# direction are what counts:

from silvan.datasets import make_sparse_parity

X, y = make_sparse_parity(2000, n_features=20, random_state=0)
X_new, y_new = make_sparse_parity(5000, n_features=20, random_state=1)
for distribution in distributions:
    forest = ForestClassifier(50, projections=distribution, max_features=4.0, random_state=0).fit(
        X, y
    )
    print(f"{type(distribution).__name__:22}{forest.score(X_new, y_new):.2f}")

# %%
# :doc:`/guide/projections` describes all distributions, and :doc:`/results/randomer` has these
# errors for other numbers of samples and features.

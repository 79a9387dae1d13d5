"""
Intervals for a regression
==========================

A mean does not show its uncertainty. ``predict_quantiles`` of :class:`silvan.ForestRegressor`
reads quantiles from the training targets that a sample shares leaves with, from the same forest and
without another fit.
"""

# %%
# The noise grows from left to right.

import matplotlib.pyplot as plt
import numpy as np

from silvan import ForestRegressor

rng = np.random.default_rng(0)


def draw(n):
    """A wave with noise that grows."""
    x = rng.uniform(0, 10, size=n)
    return x[:, None], np.sin(x) + 0.08 * x * rng.normal(size=n)


X, y = draw(1000)
forest = ForestRegressor(200, min_samples_leaf=15, random_state=0).fit(X, y)

grid = np.linspace(0, 10, 400)[:, None]
low, middle, high = forest.predict_quantiles(grid, [0.05, 0.5, 0.95]).T

figure, axis = plt.subplots(figsize=(8, 3.8), layout="constrained")
axis.plot(X, y, ".", color="0.6", markersize=3)
axis.fill_between(grid[:, 0], low, high, color="#1b7837", alpha=0.25, label="5 % to 95 %")
axis.plot(grid, middle, color="#1b7837", label="median")
axis.plot(grid, np.sin(grid), "--", color="#e08214", label="truth")
axis.legend(frameon=False, ncols=3, loc="lower left")

# %%
# Nine new samples in ten should lie between the lines:

X_new, y_new = draw(5000)
low, high = forest.predict_quantiles(X_new, [0.05, 0.95]).T
inside = (low <= y_new) & (y_new <= high)
print(f"{inside.mean():.1%} of new samples inside")

# %%
# Larger leaves (``min_samples_leaf``) make smoother intervals. Behind all of it are the weights
# that the training samples have for a prediction, a sparse matrix that you can use directly:

weights = forest.forest_weights(X_new[:2])
print(weights.shape, np.allclose(weights @ y, forest.predict(X_new[:2])))

# %%
# See :doc:`/guide/out_of_bag` for both.

"""
A density, and the odd ones out
===============================

A forest needs no targets to learn what is usual. :class:`silvan.DensityForest` estimates how
dense the samples are, draws new ones, and so points at those that do not belong.
"""

# %%
# 178 wines from three vineyards, by two measurements. The vineyard is not used.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from silvan import DensityForest
from silvan.plotting import DensityDisplay

wines = load_wine(as_frame=True)
columns = ["flavanoids", "color_intensity"]
X = wines.data[columns].to_numpy()
forest = DensityForest(200, random_state=0).fit(X)

# %%
# Colours are the density; its level sets hold equal shares of the probability. In the middle are
# as many draws from the forest as there are wines.

figure, axes = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained", sharex=True, sharey=True)
display = DensityDisplay.from_estimator(forest, X, ax=axes[0])
axes[0].set_title("density")
drawn = forest.sample(len(X), random_state=0)
axes[1].plot(*drawn.T, ".", color="#1b7837", markersize=4)
axes[1].set_title("draws")

log_density = forest.score_samples(X)
odd = np.argsort(log_density)[:6]
axes[2].scatter(*X.T, c=wines.target, cmap="Dark2", s=9)
axes[2].scatter(*X[odd].T, s=90, facecolors="none", edgecolors="red")
axes[2].set_title("the six least likely wines")
for axis in axes:
    axis.set(xlabel=columns[0], ylabel=columns[1])
    axis.label_outer()

# %%
# How smooth should a density be? The mean log density of held-out samples measures it, so the
# grid search of scikit-learn does the work:

from sklearn.model_selection import GridSearchCV

grid = {"min_samples_leaf": [5, 10, 15, 30, 60]}
search = GridSearchCV(DensityForest(50, random_state=0), grid, cv=5).fit(X)
for leaf, score in zip(
    grid["min_samples_leaf"], search.cv_results_["mean_test_score"], strict=True
):
    print(f"{leaf:3} samples in a leaf: mean log density {score:.2f}")

# %%
# :doc:`/guide/unsupervised` says what such a forest maximises, and :doc:`/results/density`
# compares it with kernel estimates and Gaussian mixtures.

"""
Probabilities that mean what they say
=====================================

Trees that fill their leaves with the samples that chose the splits are overconfident.
With ``honest=True`` some samples choose the splits, and others fill the leaves. Where few features
decide and classes overlap, probabilities come much closer to the truth.
"""

# %%
# The probability of class 1 rises along the diagonal of a square, from 0.1 to 0.9.

import numpy as np

rng = np.random.default_rng(0)


def draw(n):
    """Samples, classes, and the probabilities that the classes were drawn with."""
    X = rng.uniform(-1, 1, size=(n, 2))
    posterior = 0.5 + 0.2 * X.sum(axis=1)
    return X, (rng.random(n) < posterior).astype(int), posterior


X, y, _ = draw(2000)
X_new, y_new, posterior_new = draw(5000)

# %%
from silvan import ForestClassifier

forests = {
    "plain": ForestClassifier(200, random_state=0).fit(X, y),
    "large leaves": ForestClassifier(200, min_samples_leaf=20, random_state=0).fit(X, y),
    "honest": ForestClassifier(200, honest=True, random_state=0).fit(X, y),
}
for name, forest in forests.items():
    distance = np.sqrt(np.mean((forest.predict_proba(X_new)[:, 1] - posterior_new) ** 2))
    print(
        f"{name:14}accuracy {forest.score(X_new, y_new):.3f}   distance from truth {distance:.3f}"
    )

# %%
# No classifier gets more than 0.633 here, because the classes overlap. The plain forest loses
# some six points to that, and its probabilities are far off:

import matplotlib.pyplot as plt
from sklearn.calibration import CalibrationDisplay

ticks = np.linspace(-1, 1, 101)
square = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
maps = {"the truth": 0.5 + 0.2 * square.sum(axis=1)}
maps |= {name: forest.predict_proba(square)[:, 1] for name, forest in forests.items()}

figure, axes = plt.subplots(1, 4, figsize=(11, 3), layout="constrained")
for axis, (name, posterior) in zip(axes, maps.items(), strict=True):
    image = axis.imshow(
        posterior.reshape(101, 101),
        origin="lower",
        extent=(-1, 1, -1, 1),
        cmap="RdBu_r",
        vmin=0,
        vmax=1,
    )
    axis.set(title=name, xticks=[], yticks=[])
figure.colorbar(image, ax=axes, label="probability of class 1")

# %%
# A calibration curve asks: of the samples with a predicted probability of 0.8, are 80 % in class 1?

figure, axis = plt.subplots(figsize=(5, 4.2), layout="constrained")
for name, forest in forests.items():
    CalibrationDisplay.from_estimator(forest, X_new, y_new, n_bins=10, name=name, ax=axis)

# %%
# Large leaves do the same job here, if one knows how large. Honesty is no cure-all either: with
# many features that each say a little, a plain forest is the better calibrated one.
# :doc:`/guide/honesty` explains why, and :doc:`/results/honesty` measures both.

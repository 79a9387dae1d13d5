"""
Boosting along directions
=========================

A boosted forest grows each tree on what the trees before it got wrong. Its trees may split single
features, as in other libraries, or sums of features that are drawn anew in every round.
"""

# %%
# Two classes that differ in the sum of some features and in the product of two others:

import numpy as np

rng = np.random.default_rng(0)


def draw(n):
    """Samples and classes."""
    X = rng.normal(size=(n, 12))
    score = X[:, :6].sum(axis=1) + 3 * X[:, 6] * X[:, 7]
    return X, (score + rng.normal(size=n) > 0).astype(int)


X, y = draw(3000)
X_new, y_new = draw(10_000)

# %%
# Early stopping holds a tenth of the samples out and keeps the rounds up to the best.

from sklearn.metrics import log_loss

from silvan import BoostedForestClassifier, ForestClassifier
from silvan.projections import AxisAligned

forests = {
    "bagged": ForestClassifier(200, random_state=0),
    "boosted, single features": BoostedForestClassifier(
        500, projections=AxisAligned(), early_stopping=True, random_state=0
    ),
    "boosted, with sums": BoostedForestClassifier(500, early_stopping=True, random_state=0),
}
for name, forest in forests.items():
    probabilities = forest.fit(X, y).predict_proba(X_new)
    rounds = getattr(forest, "n_iter_", forest.n_estimators)
    print(
        f"{name:26}error {1 - forest.score(X_new, y_new):.3f}   "
        f"log loss {log_loss(y_new, probabilities):.3f}   rounds or trees {rounds}"
    )

# %%
# The loss of held-out samples falls, then rises again; the dashed line is the round that is kept.

import matplotlib.pyplot as plt

from silvan.plotting import RoundsDisplay

figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained", sharey=True)
for axis, name in zip(axes, list(forests)[1:], strict=True):
    RoundsDisplay.from_estimator(forests[name], ax=axis)
    axis.set_title(name)

# %%
# A quantile on each side makes an interval. Here the spread of the target grows along the axis. The
# lower edge is flat from 0.2 to 1.1: after 60 rounds no target there lies below it yet, so the loss
# has the same slope for all of them, and trees find nothing to split. By 150 rounds it is curved.

from silvan import BoostedForestRegressor

x = rng.uniform(0, 4, size=(2000, 1))
target = np.sin(2 * x[:, 0]) + rng.normal(size=2000) * 0.2 * x[:, 0]
line = np.linspace(0, 4, 400)[:, None]
low, middle, high = (
    BoostedForestRegressor(60, loss="quantile", quantile=q, random_state=0)
    .fit(x, target)
    .predict(line)
    for q in (0.05, 0.5, 0.95)
)

figure, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
axis.plot(x, target, ".", markersize=2, color="0.7")
axis.fill_between(line[:, 0], low, high, alpha=0.3, label="90 % of targets")
axis.plot(line, middle, label="median")
axis.legend(frameon=False)
plt.show()

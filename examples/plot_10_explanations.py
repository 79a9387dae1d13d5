"""
Why did the forest say that?
============================

:func:`silvan.explanations.feature_contributions` splits a prediction into a bias and a part
for each feature, which add up to it. For images the parts are a map: red pixels raised the
probability of the class, blue ones lowered it.
"""

# %%
# A forest learns from 1,200 digits and classifies the others.

import numpy as np
from sklearn.datasets import load_digits

from silvan import ManifoldForestClassifier

digits = load_digits()
forest = ManifoldForestClassifier(100, n_patches=2, random_state=0)
forest.fit(digits.images[:1200], digits.target[:1200])
X, y = digits.images[1200:], digits.target[1200:]
predicted = forest.predict(X)

# %%
# The parts add up exactly:

from silvan.explanations import feature_contributions
from silvan.plotting import ContributionDisplay

bias, parts = feature_contributions(forest, X[:3])
print(parts.shape)
print(np.abs(bias + parts.sum(axis=1) - forest.predict_proba(X[:3])).max() < 1e-9)

# %%
right = [np.flatnonzero((predicted == y) & (y == label))[0] for label in (0, 1, 3, 4, 7)]
wrong = np.flatnonzero(predicted != y)[:5]
rows = np.concatenate([right, wrong])
display = ContributionDisplay.from_estimator(forest, X[rows])
for axis, label in zip(display.axes_, y[rows], strict=True):
    axis.set_title(f"{axis.get_title()} (is {label})", fontsize=10)
display.figure_.set_size_inches(10, 4.2)

# %%
# The number is the probability of the predicted class. Below are digits that the forest
# misclassifies. ``output`` asks for another class, here the true one of the first mistake:

import matplotlib.pyplot as plt

mistake = wrong[0]
figure, axes = plt.subplots(1, 2, figsize=(6.4, 3), layout="constrained")
for axis, label in zip(axes, (predicted[mistake], y[mistake]), strict=True):
    ContributionDisplay.from_estimator(forest, X[[mistake]], output=label, ax=axis)
    axis.set_title(f"for {axis.get_title()}")

# %%
# Contributions follow the path of a sample. Shapley values compare it with other samples, here
# 20 digits of any class, and say why its prediction differs from theirs. The empty centre
# makes the 0, the empty corner the 7:

from silvan.explanations import shapley_values

explained = shapley_values(forest, X[[right[0], right[4]]], digits.images[:20], random_state=0)
parts = [explained.values[0, ..., 0], explained.values[1, ..., 7]]
display = ContributionDisplay(parts, explained.data, ["0", "7"]).plot()

# %%
# For a table the largest parts are bars. Two people from the diabetes study, whose disease is
# predicted a year ahead:

from sklearn.datasets import load_diabetes

from silvan import ForestRegressor
from silvan.projections import AxisAligned

table, target = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
regressor = ForestRegressor(200, projections=AxisAligned(), random_state=0).fit(table, target)
display = ContributionDisplay.from_estimator(regressor, table.iloc[[2, 9]], max_features=6)

# %%
# Parts show what the forest did, not what would happen if a feature changed.
# :doc:`/guide/explanations` says how they are computed and how to read them.

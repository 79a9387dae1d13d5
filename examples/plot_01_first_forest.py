"""
A forest in place of scikit-learn's
===================================

:class:`silvan.ForestClassifier` goes wherever scikit-learn's ``RandomForestClassifier`` goes:
into pipelines, cross-validation and grid searches. Here both sort tumours into malignant and
benign by 30 measurements of cells.
"""

# %%
# Only the last step of the pipeline differs. The number of trees is the first parameter.

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from silvan import ForestClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
pipelines = {
    "RandomForestClassifier": make_pipeline(
        StandardScaler(), RandomForestClassifier(50, random_state=0)
    ),
    "ForestClassifier": make_pipeline(StandardScaler(), ForestClassifier(50, random_state=0)),
}

# %%
# The scaler stands for the steps that your pipeline has already; neither forest needs it.
# scikit-learn's forest splits on single features. Ours splits along sums and differences of
# features by default, and brings them to comparable units by itself (see :doc:`/guide/scaling`).
#
# Both are judged on the same ten parts of the data:

from sklearn.model_selection import StratifiedKFold, cross_val_score

folds = StratifiedKFold(10, shuffle=True, random_state=0)
accuracy = {name: cross_val_score(pipe, X, y, cv=folds) for name, pipe in pipelines.items()}
for name, values in accuracy.items():
    print(f"{name:24}{values.mean():.3f}")

# %%
# A line joins the two accuracies on the same part.

import matplotlib.pyplot as plt
import numpy as np

figure, axis = plt.subplots(figsize=(6, 3.6), layout="constrained")
left, right = accuracy.values()
# Equal values would lie on top of each other, so lines are moved apart a little.
shift = np.linspace(-0.001, 0.001, len(left))
axis.plot([0, 1], np.stack([left, right]) + shift, "o-", color="#1b7837", alpha=0.6)
axis.plot(
    [0, 1], [left.mean(), right.mean()], "_", color="#e08214", markersize=50, markeredgewidth=3
)
axis.set(xticks=[0, 1], xticklabels=accuracy, xlim=(-0.5, 1.5), ylabel="accuracy")
axis.set_title("ten parts of the data (green), and their mean (orange)")

# %%
# The difference is small, and it goes either way on single parts: on tables whose columns are
# useful one by one, no forest is far ahead of the others. The next example shows where directions
# matter, and :doc:`/guide/choosing` says what to expect of which data.
#
# A fitted forest has what one expects of it: ``predict_proba``, ``feature_importances_``,
# ``feature_names_in_`` and, with ``oob_score=True``, an estimate of its accuracy that needs no
# test data.

forest = ForestClassifier(100, scaling="standard", oob_score=True, random_state=0).fit(X, y)
print(f"out-of-bag accuracy {forest.oob_score_:.3f}")
for feature in np.argsort(-forest.feature_importances_)[:3]:
    print(f"{forest.feature_importances_[feature]:.3f}  {forest.feature_names_in_[feature]}")

"""
Why is one forest better than another?
======================================

Because its trees are better, or because they err on different samples. Breiman measures the first
as
*strength* and the second as *correlation*, both from out-of-bag votes.
"""

# %%
# In Trunk's problem every feature says something, each less than the one before. Sparse oblique
# forests with more and more directions at a node, beside random forests:

import matplotlib.pyplot as plt

from silvan import ForestClassifier
from silvan.datasets import make_trunk
from silvan.inspection import strength_and_correlation
from silvan.plotting import OutOfBagDisplay, StrengthDisplay
from silvan.projections import AxisAligned, SparseSigns

X, y = make_trunk(500, random_state=0)
X_new, y_new = make_trunk(10_000, random_state=1)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
for distribution, short in (
    (AxisAligned(), "single features"),
    (SparseSigns(mean_nonzeros=3), "sums"),
):
    for d in (1, 3, 10):
        forest = ForestClassifier(
            200, projections=distribution, max_features=d, random_state=0
        ).fit(X, y)
        name = f"{short}, d = {d}"
        StrengthDisplay.from_estimator(forest, X, y, name=name, ax=left)
        OutOfBagDisplay.from_estimator(forest, X, y, name=name, ax=right, linewidth=1)
        trees = strength_and_correlation(forest, X, y)
        print(
            f"{name:24}strength {trees.strength:.2f}   correlation {trees.correlation:.2f}   "
            f"error {1 - forest.score(X_new, y_new):.3f}"
        )

# %%
# The best place is at the upper left: strong trees that are unlike each other. More directions at
# a node make trees stronger and more alike. Sums of features make them stronger at less cost,
# because a sum of three features says more than any one of them, and there are so many sums that
# trees stay different.
#
# The curves on the right answer another common question: whether more trees would help.
#
# :doc:`/guide/inspection` has these and other measures, bias and variance among them, and
# :doc:`/results/strength` what they say about the problems of the literature.

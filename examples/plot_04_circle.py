"""
Cyclic series
=============

The hours of a day and the directions of the wind have no ends: the last place is next to the
first. Patches with ``boundary="wrap"`` know that. The out-of-bag error says how long they should
be.
"""

# %%
# The samples are circles of 100 places with two segments of ones. In class 0 both are five long, in
# class 1 one has four and the other six.

import matplotlib.pyplot as plt
import numpy as np

from silvan import ManifoldForestClassifier
from silvan.datasets import make_circle_segments

X, y = make_circle_segments(400, random_state=0)
X_new, y_new = make_circle_segments(4000, random_state=1)

angle = 2 * np.pi * np.arange(100) / 100
figure, axes = plt.subplots(
    1, 6, figsize=(10, 2.2), subplot_kw={"projection": "polar"}, layout="constrained"
)
for axis, i in zip(axes, [*np.flatnonzero(y == 0)[:3], *np.flatnonzero(y == 1)[:3]], strict=True):
    axis.bar(angle, 0.3, width=angle[1], bottom=0.7, color=np.where(X[i] > 0, "#1b7837", "0.9"))
    axis.set_axis_off()
    axis.set_title(f"class {y[i]}", fontsize=10)

# %%
# A patch is a run of neighbouring places, here of 1 to ``max_size``, and with ``channels="raw"``
# splits look at sums over patches alone. One forest for each length,
# with ends (``"pad"``) and without (``"wrap"``):

lengths = (3, 5, 8, 10, 12, 15, 20, 30, 50)
errors = {}
for boundary in ("pad", "wrap"):
    forests = [
        ManifoldForestClassifier(
            100,
            channels="raw",
            max_size=length,
            boundary=boundary,
            oob_score=True,
            random_state=0,
        ).fit(X, y)
        for length in lengths
    ]
    out_of_bag = [1 - forest.oob_score_ for forest in forests]
    held_out = [1 - forest.score(X_new, y_new) for forest in forests]
    errors[boundary] = out_of_bag, held_out

# %%
figure, axis = plt.subplots(figsize=(7, 3.8), layout="constrained")
for (boundary, (out_of_bag, held_out)), colour in zip(
    errors.items(), ("#e08214", "#1b7837"), strict=True
):
    axis.plot(lengths, held_out, "o-", color=colour, label=f"{boundary}, new samples")
    axis.plot(lengths, out_of_bag, ":", color=colour, label=f"{boundary}, out of bag")
axis.set(xlabel="longest patch", ylabel="error", ylim=(0, None))
axis.legend(frameon=False)
# sphinx_gallery_thumbnail_number = 2

# %%
# Patches shorter than a segment see next to nothing, and from 15 places on some 95 % of the
# circles are classified correctly. The out-of-bag error (dotted), which needs no new samples,
# shows the same. At lengths between, wrapped patches lose less: a segment that crosses the end is
# cut in two for the others.
#
# With the default channels a forest also sees differences of neighbouring places, which are where
# segments begin and end, and makes no mistake here:

forest = ManifoldForestClassifier(100, boundary="wrap", random_state=0).fit(X, y)
print(f"error with the default channels {1 - forest.score(X_new, y_new):.3f}")

# %%
# Everything about grids, cylinders and channels is in :doc:`/guide/grids`;
# :doc:`/results/simulations` repeats this problem with more samples and other classifiers.

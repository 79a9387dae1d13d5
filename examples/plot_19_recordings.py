"""
From recordings to a map
========================

Recordings of several sensors, such as an electroencephalogram (EEG), often differ in two ways: in a
response at about the same time, which an average over recordings shows, and in a rhythm whose phase
varies, which no average shows. A manifold forest sees both, and says where.
"""

# %%
# 300 recordings of 8 sensors and 200 time steps. Class 1 has a response around sensor 3 about a
# third of the way through, and a rhythm around sensor 6 in the second half:

import matplotlib.pyplot as plt
import numpy as np

from silvan.datasets import make_recordings

X, y = make_recordings(300, random_state=0)
X_new, y_new = make_recordings(1000, random_state=1)

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
gap = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
for axis, values, title in (
    (axes[0], gap, "difference of the means"),
    (axes[1], X[y == 1].std(axis=0) - X[y == 0].std(axis=0), "difference of the spreads"),
):
    image = axis.imshow(values, aspect="auto", cmap="PuOr", vmin=-1, vmax=1)
    axis.set(title=title, xlabel="step", ylabel="sensor", yticks=range(8), yticklabels=range(1, 9))
figure.colorbar(image, ax=axes)

# %%
# The response shows in the mean, the rhythm hardly anywhere. The forest is told that neighbouring
# sensors do not belong together, ``contiguous=(False, True)``: each has its own series,
# differences, spectrum and convolutions, and a split looks at the mean, the spread or the slope of
# a stretch of one of them. Beside it stand a random forest and a linear discriminant with
# shrinkage, which is what many use for evoked responses:

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier

from silvan import ManifoldForestClassifier

forest = ManifoldForestClassifier(200, contiguous=(False, True), random_state=0).fit(X, y)
print(f"error of the manifold forest       {1 - forest.score(X_new, y_new):.3f}")
flat, flat_new = X.reshape(300, -1), X_new.reshape(1000, -1)
for name, rival in (
    ("random forest", RandomForestClassifier(200, random_state=0)),
    ("linear discriminant", LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")),
):
    print(f"error of the {name:<21} {1 - rival.fit(flat, y).score(flat_new, y_new):.3f}")

# %%
# Where does it look? The map has the shape of a recording. Both places stand out. (The very last
# steps do so more than they should: windows that the end cuts short share their gain among fewer
# steps, see :doc:`/guide/grids`.)

from silvan.inspection import importance_map, top_windows

share = 100 * importance_map(forest, "gain")
figure, axis = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
image = axis.imshow(share, aspect="auto", cmap="YlGn", vmin=0)
axis.set(xlabel="step", ylabel="sensor", yticks=range(8), yticklabels=range(1, 9))
figure.colorbar(image, label="share of the importance, %")

# %%
# By channel, the axis of a spectrum is frequency: the rhythm has 20 cycles in 200 steps. Planes are
# sensors, counted from 0.

spectra = importance_map(forest, "gain", by_channel=True)
rhythm = spectra["spectrum of plane 5"]
figure, axis = plt.subplots(figsize=(6.4, 2.8), layout="constrained")
axis.plot(1 + np.arange(len(rhythm)), 100 * rhythm, color="#1b7837")
axis.set(xlabel="cycles in a recording", ylabel="importance, %", title="spectrum of sensor 6")

# %%
# The single windows that divide the classes best:

print(top_windows(forest, 5))

# %%
# :doc:`/guide/channels` explains channels and windows, and how to write a channel of your own.

"""
From recordings to a map
========================

Recordings of several sensors, such as an electroencephalogram (EEG), often differ in two ways: in a
response at about the same time, which an average over recordings shows, and in a rhythm whose phase
varies, which no average shows. A manifold forest sees both, and says where.
"""

# %%
# 300 recordings of a second, with 8 sensors and 200 time steps. Class 1 has a response around
# sensor P3 about a third of the way through, and a rhythm of 20 Hz around sensor C4 in the second
# half. An array of xarray knows what its axes are; epochs of MNE can be passed in the same way, and
# so can arrays of NumPy, without names.

import matplotlib.pyplot as plt
import numpy as np
import xarray

from silvan.datasets import make_recordings

sensors = ["F3", "F4", "P3", "P4", "C3", "C4", "O1", "O2"]
axes_of = {
    "dims": ("recording", "sensor", "time"),
    "coords": {"sensor": sensors, "time": np.arange(200) / 200},
}
values, y = make_recordings(300, random_state=0)
X = xarray.DataArray(values, **axes_of)
values_new, y_new = make_recordings(1000, random_state=1)
X_new = xarray.DataArray(values_new, **axes_of)

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
gap = values[y == 1].mean(axis=0) - values[y == 0].mean(axis=0)
for axis, difference, title in (
    (axes[0], gap, "difference of the means"),
    (axes[1], values[y == 1].std(axis=0) - values[y == 0].std(axis=0), "difference of the spreads"),
):
    image = axis.imshow(
        difference, aspect="auto", cmap="PuOr", vmin=-1, vmax=1, extent=(0, 1, 7.5, -0.5)
    )
    axis.set(title=title, xlabel="time, s", yticks=range(8), yticklabels=sensors)
figure.colorbar(image, ax=axes)

# %%
# The response shows in the mean, the rhythm hardly anywhere. An axis called sensor has no order
# for the forest (that of an array without names needs ``contiguous=(False, True)``): each sensor
# has its own series, differences, spectrum and convolutions. A split adds up the means, spreads
# and slopes of forty stretches of them, by a regression. How long may a stretch be? The samples
# that a tree did not draw decide, without any held-out data:

from silvan import ManifoldForestClassifier
from silvan.tuning import OutOfBagSearch

search = OutOfBagSearch(
    ManifoldForestClassifier(100, random_state=0),
    {"max_size": [(1, 10), (1, 40), (1, 200)]},
).fit(X, y)
forest = search.best_estimator_
print(search.best_params_)

# %%
# Beside it stand a random forest and a linear discriminant with shrinkage, which is what many use
# for evoked responses:

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier

print(f"error of the manifold forest       {1 - forest.score(X_new, y_new):.3f}")
flat, flat_new = values.reshape(300, -1), values_new.reshape(1000, -1)
for name, rival in (
    ("random forest", RandomForestClassifier(100, random_state=0)),
    ("linear discriminant", LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")),
):
    print(f"error of the {name:<21} {1 - rival.fit(flat, y).score(flat_new, y_new):.3f}")

# %%
# Where does it look? The map has the shape of a recording and, with ``axes_.label``, its names.
# Both places stand out. (The first and last steps do so less than they should: stretches lie inside
# a recording, so that fewer of them cover its ends, see :doc:`/guide/grids`.)

from silvan.inspection import importance_map, top_windows

share = forest.axes_.label(100 * importance_map(forest, "gain"))
print(share.sum("time").to_series().round(1).sort_values(ascending=False).head(2))

figure, axis = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
image = axis.imshow(share, aspect="auto", cmap="YlGn", vmin=0, extent=(0, 1, 7.5, -0.5))
axis.set(xlabel="time, s", yticks=range(8), yticklabels=sensors)
figure.colorbar(image, label="share of the importance, %")

# %%
# By channel, the axis of a spectrum is frequency, here in cycles per second:

spectra = importance_map(forest, "gain", by_channel=True)
rhythm = spectra["spectrum of C4"]
figure, axis = plt.subplots(figsize=(6.4, 2.8), layout="constrained")
axis.plot(1 + np.arange(len(rhythm)), 100 * rhythm, color="#1b7837")
axis.set(xlabel="frequency, Hz", ylabel="importance, %", title="spectrum of C4")

# %%
# The windows with the largest part in these sums. Each is drawn anew, so that none counts for much;
# ``n_terms=1`` gives splits along single windows, which are easier to read:

print(top_windows(forest, 5))

# %%
# :doc:`/guide/channels` explains channels and windows, and how to write a channel of your own.

"""
Spectra: how much, and at which wavelength
==========================================

A spectrum is a series over wavelengths. What it says about a sample, such as a concentration, is in
the height and form of a few bands, on top of a baseline that drifts. A manifold forest reads
windows of the spectrum and of its differences, which the drift hardly affects.
"""

# %%
# 300 simulated near-infrared spectra of fruit, 900 to 1,700 nm. Water absorbs much around 970 and
# 1,450 nm, sugar a little around 1,200 nm. Light that is scattered adds a slope of its own to
# every spectrum.

import matplotlib.pyplot as plt
import numpy as np

wavelength = np.arange(900, 1700, 5.0)


def band(centre, width):
    """An absorption band of height 1."""
    return np.exp(-(((wavelength - centre) / width) ** 2))


def measure(n, rng):
    """Spectra of n fruit, and their sugar content in percent."""
    sugar = rng.uniform(8, 18, n)
    water = 100 - sugar + rng.normal(scale=2, size=n)
    baseline = rng.normal(scale=[[0.05], [0.02]], size=(2, n))
    clean = (
        np.outer(water / 100, band(970, 30) + 2 * band(1450, 60))
        + np.outer(sugar / 100, band(1200, 40))
        + baseline[0][:, None]
        + np.outer(baseline[1], (wavelength - 1300) / 400)
    )
    return clean + rng.normal(scale=0.004, size=clean.shape), sugar


X, y = measure(300, np.random.default_rng(0))
X_new, y_new = measure(1000, np.random.default_rng(1))

figure, axis = plt.subplots(figsize=(7, 3.2), layout="constrained")
order = np.argsort(y)[::15]
for spectrum, sugar in zip(X[order], y[order], strict=True):
    axis.plot(wavelength, spectrum, linewidth=0.8, color=plt.cm.viridis((sugar - 8) / 10))
axis.set(xlabel="wavelength, nm", ylabel="absorbance")
figure.colorbar(plt.cm.ScalarMappable(plt.Normalize(8, 18), "viridis"), ax=axis, label="sugar, %")

# %%
# The errors of a random forest, of the partial least squares that chemists use, and of the manifold
# forest with default parameters:

from sklearn.cross_decomposition import PLSRegression
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import root_mean_squared_error

from silvan import ManifoldForestRegressor

forest = ManifoldForestRegressor(100, random_state=0)
for name, model in (
    ("random forest", RandomForestRegressor(100, random_state=0)),
    ("least squares", PLSRegression(6)),
    ("manifold forest", forest),
):
    error = root_mean_squared_error(y_new, model.fit(X, y).predict(X_new))
    print(f"{name:16}{error:.2f} % sugar")

# %%
# Partial least squares are hard to beat where the spectrum is linear in what is sought, as here; a
# forest earns its place where it is not, or where spectra fall into classes. It also says where it
# looks, and that is where sugar absorbs. ``coords`` are the places of the cells, so that the axis
# is in nanometres:

from silvan.plotting import ImportanceDisplay

figure, axis = plt.subplots(figsize=(7, 3.2), layout="constrained")
ImportanceDisplay.from_estimator(
    forest, X, kind="gain", axis_names=["wavelength, nm"], coords=[wavelength], ax=axis
)
axis.axvspan(1160, 1240, color="#e08214", alpha=0.2, label="sugar absorbs")
axis.legend(frameon=False)

# %%
# :doc:`/guide/channels` says what differences and other channels are, and :doc:`/guide/grids` how
# to read such maps.

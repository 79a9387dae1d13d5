"""
Categories, seen and unseen
===========================

Columns of strings need no encoder: a data frame goes into the forest as it is. At each node a
category gets a code from the node's own samples, so one column can mean different things in
different parts of the data, and a category that was never seen counts as an average one.
"""

# %%
# Bicycles that are rented by the hour. The weather decides together with the hour, and each of two
# hundred stations has a habit of its own.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from silvan import ForestRegressor

rng = np.random.default_rng(0)
n_rows = 4000
weather = rng.choice(["sun", "clouds", "rain", "snow"], n_rows)
station = rng.integers(0, 200, n_rows)
hour = rng.uniform(0, 24, n_rows)
habit = rng.normal(size=200)
commute = np.exp(-((hour - 8) ** 2) / 4) + np.exp(-((hour - 18) ** 2) / 4)
leisure = np.exp(-((hour - 14) ** 2) / 8)
fair = np.isin(weather, ["sun", "clouds"])
rented = 2 * commute + 3 * leisure * fair + habit[station] + rng.normal(scale=0.5, size=n_rows)

X = pd.DataFrame({"weather": weather, "station": [f"station {i}" for i in station], "hour": hour})
X_train, X_test, y_train, y_test = train_test_split(X, rented, random_state=0)
X_train.head(3)

# %%
# The same forest reads the categories by itself, as columns of zeros and ones, or as arbitrary
# numbers.

text = ["weather", "station"]
readers = {
    "native": ForestRegressor(random_state=0),
    "one-hot": make_pipeline(
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore", sparse_output=False), text),
            remainder="passthrough",
        ),
        ForestRegressor(random_state=0),
    ),
    "numbers": make_pipeline(
        make_column_transformer(
            (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), text),
            remainder="passthrough",
        ),
        ForestRegressor(random_state=0),
    ),
}
scores = {
    name: reader.fit(X_train, y_train).score(X_test, y_test) for name, reader in readers.items()
}

_, axis = plt.subplots(figsize=(5, 2), layout="constrained")
axis.barh(list(scores), list(scores.values()))
axis.set(xlabel="R² on new samples", xlim=(0, 1))
axis.invert_yaxis()
axis.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# What the forest expects in the course of a day, for a station that it knows and for one that was
# built yesterday. The new one is taken for an average station, and the weather still counts.

forest = readers["native"]
hours = np.linspace(0, 24, 97)
_, axes = plt.subplots(1, 2, figsize=(8, 3), sharey=True, layout="constrained")
for axis, name in zip(axes, ["station 3", "a new station"], strict=True):
    for sky in ("sun", "rain"):
        day = pd.DataFrame({"weather": sky, "station": name, "hour": hours})
        axis.plot(hours, forest.predict(day), label=sky)
    axis.set(title=name, xlabel="hour")
    axis.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("rented")
axes[1].legend(frameon=False)
plt.show()

# %%
# Importances and explanations have one entry per column, not one per category.

dict(zip(forest.feature_names_in_, forest.feature_importances_.round(2).tolist(), strict=True))

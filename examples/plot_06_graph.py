"""
Features on a graph
===================

Sensors, brain regions and genes have neighbours, but lie on no grid. With
:class:`silvan.projections.GraphNeighborhoods` a node of a tree adds up a random sensor and those
around it. A map then shows which sensors carry the signal.
"""

# %%
# 120 sensors lie in a field, and those within reach of each other are linked. In class 1 the
# values rise a little around two places; the rest is noise.

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import csr_array

rng = np.random.default_rng(3)
places = rng.uniform(size=(120, 2))
distance = np.linalg.norm(places[:, None] - places, axis=2)
graph = csr_array((distance < 0.14) & (distance > 0))
rise = 0.4 * (np.exp(-((distance[5] / 0.15) ** 2)) + np.exp(-((distance[40] / 0.15) ** 2)))


def measure(n):
    """Draw n days, half of them with the rise."""
    y = rng.permutation(np.arange(n) % 2)
    return rng.normal(size=(n, 120)) + y[:, None] * rise, y


X, y = measure(500)
X_new, y_new = measure(4000)

# %%
# The graph is any square sparse matrix, or a networkx graph. To see that it is the graph that
# helps, a third distribution gets the same graph with the sensors permuted.

from silvan import ForestClassifier
from silvan.projections import AxisAligned, GraphNeighborhoods

mixed = rng.permutation(120)
distributions = {
    "single sensors": AxisAligned(),
    "neighbourhoods": GraphNeighborhoods(graph, max_size=12),
    "wrong graph": GraphNeighborhoods(graph[mixed][:, mixed], max_size=12),
}
forests = {}
for name, distribution in distributions.items():
    forests[name] = ForestClassifier(200, projections=distribution, random_state=0).fit(X, y)
    print(f"{name:16}{forests[name].score(X_new, y_new):.2f}")

# %%
# The true rise, and the importance of the sensors in two of the forests:

from silvan.plotting import ImportanceDisplay

figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
truth = ImportanceDisplay.from_importances(
    rise / rise.sum(), graph=graph, positions=places, label="share of the rise", ax=axes[0]
)
axes[0].set_title("the truth")
for axis, name in zip(axes[1:], ("neighbourhoods", "single sensors"), strict=True):
    gain = forests[name].feature_importances_
    ImportanceDisplay.from_importances(gain, graph=graph, positions=places, ax=axis)
    axis.set_title(name)

# %%
# Neighbourhoods spread the importance over the two places, as the rise is spread; single sensors
# pick out a few. With the wrong graph a sum over neighbours is a sum over noise, no better than
# single sensors.
#
# The guide to :doc:`/guide/grids` goes on from here; :doc:`/results/graph` measures such signals
# with fewer and more samples.

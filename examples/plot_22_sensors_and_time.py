"""
A graph of sensors, each with a series
======================================

Electrodes on a head, stations of a network, joints of a body: sensors with neighbours, and each
records over time. Sensors times time steps are the nodes of one graph, in which a node is linked to
the same sensor a step before and after, and to the neighbouring sensors at the same step.
"""

# %%
# 40 sensors on a field, 25 time steps. In class 1 the values rise a little around sensor 9 from
# step 8 to step 14.

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import csr_array, diags_array, eye_array, kron

N_SENSORS, N_STEPS = 40, 25
rng = np.random.default_rng(1)
places = rng.uniform(size=(N_SENSORS, 2))
distance = np.linalg.norm(places[:, None] - places, axis=2)
sensors = csr_array((distance < 0.26) & (distance > 0)).astype(float)
rise = np.zeros((N_SENSORS, N_STEPS))
rise[:, 8:15] = 0.4 * (np.exp(-((distance[9] / 0.25) ** 2)) > 0.3)[:, None]


def record(n):
    """Draw n recordings, half of them with the rise."""
    y = rng.permutation(np.arange(n) % 2)
    return rng.normal(size=(n, N_SENSORS, N_STEPS)) + y[:, None, None] * rise, y


X, y = record(300)
X_new, y_new = record(2000)

# %%
# The product of the graph of sensors and the line of steps, in the order of the flattened samples.
# (``networkx.cartesian_product`` makes the same of two networkx graphs.)

steps = diags_array([1.0, 1.0], offsets=[-1, 1], shape=(N_STEPS, N_STEPS))
product = csr_array(kron(sensors, eye_array(N_STEPS)) + kron(eye_array(N_SENSORS), steps))
print(product.shape, product.nnz)

# %%
# A direction is the sum over a random node and those around it: some sensors for some steps. Beside
# it, the same without links between the steps, without those between the sensors, and single
# values.

from silvan import ForestClassifier
from silvan.projections import AxisAligned, GraphNeighborhoods

distributions = {
    "sensors and steps": GraphNeighborhoods(product, max_size=30),
    "sensors alone": GraphNeighborhoods(csr_array(kron(sensors, eye_array(N_STEPS))), max_size=30),
    "steps alone": GraphNeighborhoods(csr_array(kron(eye_array(N_SENSORS), steps)), max_size=30),
    "single values": AxisAligned(),
}
flat, flat_new = X.reshape(len(X), -1), X_new.reshape(len(X_new), -1)
forests = {}
for name, distribution in distributions.items():
    forest = ForestClassifier(200, projections=distribution, random_state=0)
    forests[name] = forest.fit(flat, y)
    print(f"{name:18}{forest.score(flat_new, y_new):.2f}")

# %%
# Where and when? The importances have the shape of a recording. Summed over the steps they are a
# map of the sensors; summed over the sensors, a time course.

from silvan.plotting import ImportanceDisplay

gain = forests["sensors and steps"].feature_importances_.reshape(N_SENSORS, N_STEPS)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
ImportanceDisplay.from_importances(gain.sum(axis=1), graph=sensors, positions=places, ax=left)
raised = places[rise.any(axis=1)]
left.scatter(*raised.T, s=140, facecolors="none", edgecolors="#e08214", linewidths=2, zorder=5)
left.set_title("where: sensors that rise are circled")
right.plot(100 * gain.sum(axis=0), color="#1b7837")
right.axvspan(8, 14, color="#e08214", alpha=0.2)
right.set(xlabel="step", ylabel="importance, %", ylim=(0, None), title="when: steps of the rise")

# %%
# :doc:`/guide/grids` has more about graphs, and about sensors that have no neighbours.

"""
A map of the data, with room for new samples
============================================

Two samples are alike if many trees send them to the same leaf. :class:`silvan.ManifoldEmbedding`
makes coordinates from that, and places samples that it has never seen.
"""

# %%
# A third of the digits is kept for later. No label is used.

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from silvan import ManifoldEmbedding

X, X_new, y, y_new = train_test_split(
    *load_digits(return_X_y=True), test_size=1 / 3, random_state=0
)
embedding = ManifoldEmbedding(n_components=10, random_state=0).fit(X)

# %%
# The first two coordinates of the samples that the embedding was fitted on, and of new ones:

import matplotlib.pyplot as plt

from silvan.plotting import EmbeddingDisplay

figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained", sharex=True, sharey=True)
for axis, rows, labels, title in (
    (axes[0], X, y, "fitted"),
    (axes[1], X_new, y_new, "new"),
):
    EmbeddingDisplay.from_estimator(embedding, rows, labels, ax=axis)
    axis.set_title(f"{len(rows)} {title} digits")

# %%
# Two coordinates show little of ten classes. Do neighbours in all ten have the same label?

from sklearn.neighbors import KNeighborsClassifier

neighbours = KNeighborsClassifier(5).fit(embedding.transform(X), y)
share = neighbours.score(embedding.transform(X_new), y_new)
print(f"new digits whose neighbours name them: {share:.2f}")

# %%
# Where there are labels, a classifier can provide the leaves, and samples that it separates come to
# lie apart:

from silvan import ForestClassifier

supervised = ManifoldEmbedding(forest=ForestClassifier(100), n_components=10, random_state=0)
supervised.fit(X, y)
figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
for axis, components in zip(axes, ((0, 1), (2, 3)), strict=True):
    EmbeddingDisplay.from_estimator(supervised, X_new, y_new, components=components, ax=axis)
figure.suptitle("new digits, coordinates from a classifier's leaves")

# %%
# :doc:`/guide/unsupervised` has the other affinities and says how to choose the number of
# coordinates; :doc:`/results/embedding` compares with Isomap, UMAP and others.

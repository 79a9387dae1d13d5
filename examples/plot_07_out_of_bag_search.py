"""
Let the out-of-bag samples choose
=================================

How many directions should a node try, and how many features should they have? Every tree leaves
samples out, and these samples score the candidates: :class:`silvan.tuning.OutOfBagSearch` needs
neither folds nor held-out data.
"""

# %%
# The class is the parity of the signs of three features out of ten.

from silvan import ForestClassifier
from silvan.datasets import make_sparse_parity
from silvan.tuning import OutOfBagSearch, direction_grid

X, y = make_sparse_parity(1000, n_features=10, random_state=0)
X_new, y_new = make_sparse_parity(5000, n_features=10, random_state=1)

# %%
# The default grid has five numbers of directions and five sparsities. All 25 candidates grow 20
# trees, the better third goes on to 60, and the best third of those to 100.

search = OutOfBagSearch(ForestClassifier(100, random_state=0)).fit(X, y)
print(search.best_params_)
default = ForestClassifier(100, random_state=0).fit(X, y)
print(f"error with defaults {1 - default.score(X_new, y_new):.3f}")
print(f"error when chosen   {1 - search.score(X_new, y_new):.3f}")

# %%
# The out-of-bag error of every candidate, and the number of trees that it was granted:

import matplotlib.pyplot as plt
import numpy as np

grid = direction_grid(None, n_features=10)
shape = len(grid["max_features"]), len(grid["projections"])
error = 1 - search.results_["oob_score"][: np.prod(shape)].reshape(shape)
n_trees = search.results_["n_trees"][: np.prod(shape)].reshape(shape)

figure, axis = plt.subplots(figsize=(6.4, 4), layout="constrained")
image = axis.imshow(error, cmap="viridis", aspect="auto")
for (i, j), value in np.ndenumerate(error):
    colour = "white" if value < 0.3 else "black"
    text = f"{value:.2f}\n{n_trees[i, j]} trees"
    axis.text(j, i, text, ha="center", va="center", color=colour, fontsize=9)
axis.set_xticks(
    range(shape[1]), [str(each.distribution.mean_nonzeros) for each in grid["projections"]]
)
axis.set_yticks(range(shape[0]), [f"{d}" for d in grid["max_features"]])
axis.set(xlabel="mean number of features in a direction", ylabel="directions at a node")
figure.colorbar(image, label="out-of-bag error")

# %%
# A search is an estimator itself: ``search.predict`` uses the winner. Any grid works, whole
# distributions in it included, see :doc:`/guide/tuning`.

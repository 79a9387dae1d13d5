"""
Channels: two photographs, tile by tile
=======================================

Colour images have axes of two kinds: rows and columns have neighbours, colours have none.
``contiguous`` says which is which. A forest learns here to tell two photographs apart by tiles of
16 x 16 pixels, and then looks at parts of them that it has not seen.
"""

# %%
# The photographs, a Chinese landscape and a flower, come with scikit-learn. The left half of each
# is for learning.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_images

SIZE = 16
photographs = [image[:416] for image in load_sample_images().images]


def cut(image):
    """All tiles of an image, row by row."""
    rows, columns = image.shape[0] // SIZE, image.shape[1] // SIZE
    tiles = image.reshape(rows, SIZE, columns, SIZE, 3).swapaxes(1, 2)
    return tiles.reshape(-1, SIZE, SIZE, 3)


halves = [(image[:, :320], image[:, 320:]) for image in photographs]
X = np.concatenate([cut(left) for left, _ in halves])
X_new = np.concatenate([cut(right) for _, right in halves])
y = y_new = np.repeat([0, 1], len(X) // 2)
print(X.shape, X.dtype)

# %%
# Each colour is a plane of its own, with its values and its gradients as channels. A split looks at
# a box of pixels on one of them, or here at the difference of two.

from silvan import ManifoldForestClassifier

forest = ManifoldForestClassifier(
    100, contiguous=(True, True, False), n_patches=2, oob_score=True, random_state=0
).fit(X, y)
print(f"out of bag {forest.oob_score_:.2f}, right halves {forest.score(X_new, y_new):.2f}")

# %%
# The right halves, shaded by what the forest takes each tile for: green for the landscape, purple
# for the flower.

probability = forest.predict_proba(X_new)[:, 1].reshape(2, 416 // SIZE, 320 // SIZE)
figure, axes = plt.subplots(1, 4, figsize=(10, 3.6), layout="constrained")
for k, (_, right) in enumerate(halves):
    axes[2 * k].imshow(right)
    axes[2 * k + 1].imshow(right.mean(axis=2), cmap="gray")
    shade = axes[2 * k + 1].imshow(
        probability[k],
        cmap="PRGn_r",
        vmin=0,
        vmax=1,
        alpha=0.55,
        extent=(0, 320, 416, 0),
    )
for axis in axes:
    axis.set_axis_off()
bar = figure.colorbar(shade, ax=axes, shrink=0.8, label="probability of the flower")
bar.solids.set_alpha(1)

# %%
# The out-of-bag accuracy is too good here. Neighbouring tiles look alike, and the trees that
# judge a tile have seen its neighbours: the halves that were held back give an honest error.
# :doc:`/guide/tuning` says what to do about samples that come in groups.
#
# Which colours count? ``importance_map`` has the shape of a tile.

from silvan.inspection import importance_map

shares = importance_map(forest, "gain").sum(axis=(0, 1))
for colour, share in zip(("red", "green", "blue"), shares, strict=True):
    print(f"{colour:6}{share:.0%}")

"""
Images: splits that look at patches
===================================

In an image, neighbouring pixels belong together. :class:`silvan.ManifoldForestClassifier` splits
along sums over patches of neighbours, and differences of such sums, and shows where it looks.
"""

# %%
# Images are passed in their shape: 1,797 digits of 8 x 8 pixels.

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from silvan import ManifoldForestClassifier

digits = load_digits()
X, X_new, y, y_new = train_test_split(digits.images, digits.target, random_state=0)
print(X.shape)

# %%
# ``max_size`` is the longest side of a patch, and ``n_patches=2`` takes the difference of two
# patches, as along an edge. The out-of-bag error says which to choose, without using the
# held-out images:

settings = {
    "single pixels": {"max_size": 1},
    "patches": {"max_size": 3},
    "pairs of patches": {"max_size": 3, "n_patches": 2},
}
forests = {}
for name, parameters in settings.items():
    forest = ManifoldForestClassifier(
        100, channels="raw", oob_score=True, random_state=0, **parameters
    )
    forests[name] = forest.fit(X, y)
    print(
        f"{name:18}out of bag {forest.oob_score_:.3f}   held out {forest.score(X_new, y_new):.3f}"
    )

# %%
# On images as small as these a sum blurs what is small already, and differences make up for it.
# On :doc:`MNIST </results/mnist>` with few images sums alone beat single pixels;
# :doc:`/guide/grids` has more on the choice.
#
# What does the forest look at to tell each digit from the others?

import matplotlib.pyplot as plt

from silvan.plotting import ImportanceDisplay

forest = forests["pairs of patches"]
display = ImportanceDisplay.from_estimator(forest, kind="gain", per_class=True)
display.figure_.set_size_inches(10, 4.2)
# sphinx_gallery_thumbnail_number = 1

# %%
# And which pairs of patches decide most? Red is added, blue is subtracted.

from silvan.plotting import ProjectionsDisplay

ProjectionsDisplay.from_estimator(forest, k=10)

# %%
# Some held-out digits that it misclassifies, with the probability of the predicted class:

wrong = (forest.predict(X_new) != y_new).nonzero()[0][:6]
figure, axes = plt.subplots(1, len(wrong), figsize=(10, 2.1), layout="constrained")
for axis, i in zip(axes, wrong, strict=True):
    probability = forest.predict_proba(X_new[[i]])[0]
    axis.imshow(X_new[i], cmap="gray_r")
    axis.set_title(f"{probability.argmax()} ({probability.max():.0%}), is {y_new[i]}", fontsize=10)
    axis.set_axis_off()

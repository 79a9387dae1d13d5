"""The classifiers that the experiments compare, set as the papers set them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from silvan import ForestClassifier
from silvan.projections import Patches, ProjectionDistribution, SparseSigns

N_TREES = 100


def make_classic(name: str, seed: int) -> Any:
    """One of scikit-learn's classifiers with its defaults; None if the name is not one of them."""
    if name == "LogReg":
        return LogisticRegression()
    if name == "linear SVM":
        return LinearSVC(random_state=seed)
    if name == "RBF SVM":
        return SVC()
    if name == "kNN":
        return KNeighborsClassifier()
    if name == "MLP":
        return MLPClassifier(random_state=seed)
    return None


CLASSICS = ("LogReg", "linear SVM", "RBF SVM", "kNN", "MLP")


def make_rf(seed: int, n_trees: int = N_TREES) -> RandomForestClassifier:
    """Breiman's random forest as scikit-learn has it, which the papers compare with."""
    return RandomForestClassifier(n_trees, random_state=seed)


def make_forest(
    projections: ProjectionDistribution,
    seed: int,
    n_directions: int | str = "sqrt",
    n_trees: int = N_TREES,
    **options: Any,
) -> ForestClassifier:
    """A forest of silvan with `n_directions` candidates at each node, on one thread."""
    return ForestClassifier(
        n_trees,
        projections=projections,
        max_features=n_directions,
        random_state=seed,
        n_jobs=1,
        **options,
    )


def make_sporf(
    seed: int, n_directions: int | str = "sqrt", n_trees: int = N_TREES
) -> ForestClassifier:
    """SPORF: directions of signs whose number of features is Poisson.

    The papers do not print the rate; 2 is the default of `SparseSigns`.
    """
    return make_forest(SparseSigns(counts="poisson"), seed, n_directions, n_trees)


def make_image_patches(
    min_size: tuple[int, int], max_size: tuple[int, int], boundary: str = "pad"
) -> Patches:
    """Patches of a 28 x 28 image, with Perry's padding or the corner rule of the MORF paper."""
    return Patches((28, 28), min_size, max_size, boundary=boundary)


class Standardised:
    """A classifier on pixels with mean 0 and variance 1, as the authors' program has them."""

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> Standardised:
        """Learn means and deviations of the training images, and fit on what they make of these."""
        self.scaler = StandardScaler().fit(X)
        self.classifier.fit(self.scaler.transform(X).astype(np.float32), y)
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Predict for images that are standardised likewise."""
        rows = self.scaler.transform(X).astype(np.float32)
        return np.asarray(self.classifier.predict(rows))


class Scaled:
    """A classifier on pixels divided by 255, for those that depend on the scale."""

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> Scaled:
        """Fit on the scaled rows."""
        self.classifier.fit(X.astype(np.float32) / 255, y)
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Predict for the scaled rows."""
        return np.asarray(self.classifier.predict(X.astype(np.float32) / 255))

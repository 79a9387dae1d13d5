"""Figures of what forests have learnt: displays of silvan.plotting."""

from __future__ import annotations

import numpy as np
from docs.images.common import make_sensor_data, make_sensors
from matplotlib.figure import Figure
from sklearn.datasets import load_diabetes, load_digits

from silvan import ForestClassifier, ForestRegressor, ManifoldForestClassifier
from silvan.datasets import make_impulse, make_sparse_parity, make_trunk
from silvan.explanations import shapley_values
from silvan.plotting import (
    BiasVarianceDisplay,
    ContributionDisplay,
    ImportanceDisplay,
    OutOfBagDisplay,
    ProjectionsDisplay,
    StrengthDisplay,
    TreeDisplay,
)
from silvan.projections import (
    AxisAligned,
    GraphNeighborhoods,
    SparseSigns,
)


def draw_importance() -> Figure:
    """Show what a manifold forest looks at to tell each of the digits from the others."""
    digits = load_digits()
    forest = ManifoldForestClassifier(100, random_state=0).fit(digits.images, digits.target)
    display = ImportanceDisplay.from_estimator(forest, kind="gain", per_class=True)
    display.figure_.set_size_inches(11, 4.6)
    return display.figure_


def draw_line_and_graph() -> Figure:
    """Show importance along a series and on a graph."""
    figure = Figure(figsize=(11, 3.6), dpi=80, layout="constrained")
    line, graph_axis = figure.subplots(1, 2, width_ratios=(1.6, 1))
    X, y = make_impulse(1000, random_state=0)
    series = ManifoldForestClassifier(100, max_size=15, random_state=0).fit(X, y)
    ImportanceDisplay.from_estimator(series, X, ax=line)
    line.set_title("a bump that starts at step 20")
    places, graph = make_sensors()
    X, y, raised = make_sensor_data(graph)
    distribution = GraphNeighborhoods(graph, max_size=12)
    forest = ForestClassifier(100, projections=distribution, random_state=0).fit(X, y)
    ImportanceDisplay.from_estimator(forest, positions=places, ax=graph_axis)
    graph_axis.scatter(*places[raised].T, s=160, facecolors="none", edgecolors="red", zorder=3)
    graph_axis.set_title(f"a rise of {raised.sum()} sensors (circles)")
    return figure


def draw_contributions() -> Figure:
    """Show what raised and lowered the probability of the predicted class of some digits."""
    digits = load_digits()
    forest = ManifoldForestClassifier(200, random_state=0)
    forest.fit(digits.images[:1200], digits.target[:1200])
    X, y = digits.images[1200:], digits.target[1200:]
    is_right = forest.predict(X) == y
    right = [np.flatnonzero(is_right & (y == label))[1] for label in (0, 3, 4, 6, 8)]
    rows = np.concatenate([right, np.flatnonzero(~is_right)[:5]])
    display = ContributionDisplay.from_estimator(forest, X[rows])
    for axis, label in zip(display.axes_, y[rows], strict=True):
        axis.set_title(f"{axis.get_title()} (is {label})")
    display.figure_.set_size_inches(11, 4.6)
    return display.figure_


def draw_contribution_bars() -> Figure:
    """Show what raised and lowered the predictions for two people."""
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    forest = ForestRegressor(200, projections=AxisAligned(), random_state=0).fit(X, y)
    display = ContributionDisplay.from_estimator(forest, X.iloc[[2, 9]], max_features=6)
    display.figure_.set_size_inches(7, 5)
    return display.figure_


def draw_shapley() -> Figure:
    """Show the Shapley values of all people, by the plot of the package shap."""
    import matplotlib.pyplot as plt
    import shap

    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    forest = ForestRegressor(100, random_state=0).fit(X, y)
    background = X.sample(100, random_state=0)
    explained = shapley_values(forest, X, background, max_exact_features=0, random_state=0)
    axis = shap.plots.beeswarm(explained.to_shap(), show=False, plot_size=(7.5, 4.4))
    axis.set_xlabel("Shapley value: what the feature adds to the prediction")
    plt.close(axis.figure)
    axis.figure.tight_layout()
    return axis.figure


def draw_projections() -> Figure:
    """Show the best projections of an oblique forest on a problem whose signal is a sum."""
    X, y = make_trunk(1000, random_state=0)
    distribution = SparseSigns(mean_nonzeros=2)
    forest = ForestClassifier(200, projections=distribution, max_features=20, random_state=0).fit(
        X, y
    )
    return ProjectionsDisplay.from_estimator(forest, k=12).figure_


def draw_image_projections() -> Figure:
    """Show the best patches of a manifold forest on digits."""
    digits = load_digits()
    forest = ManifoldForestClassifier(200, channels="raw", random_state=0)
    forest.fit(digits.images, digits.target)
    return ProjectionsDisplay.from_estimator(forest, k=10).figure_


def draw_trees() -> Figure:
    """Show strength against correlation, and the out-of-bag error as the forests grow."""
    figure = Figure(figsize=(11, 3.8), dpi=80, layout="constrained")
    left, right = figure.subplots(1, 2)
    X, y = make_trunk(500, random_state=0)
    for d in (1, 3, 10, 30):
        distribution = SparseSigns(density=0.3)
        forest = ForestClassifier(
            300, projections=distribution, max_features=d, random_state=0
        ).fit(X, y)
        StrengthDisplay.from_estimator(forest, X, y, name=f"d = {d}", ax=left)
        OutOfBagDisplay.from_estimator(forest, X, y, name=f"d = {d}", ax=right, linewidth=1)
    return figure


def draw_bias_variance() -> Figure:
    """Show where the errors of two forests on sparse parity come from."""
    axes = None
    for name, distribution in (("RF", AxisAligned()), ("RerF", SparseSigns(mean_nonzeros=2))):
        forest = ForestClassifier(50, projections=distribution, max_features=8, n_jobs=1)
        display = BiasVarianceDisplay.from_estimator(
            forest,
            lambda n, random_state: make_sparse_parity(n, n_features=8, random_state=random_state),
            sizes=(100, 200, 400, 800),
            name=name,
            ax=axes,
            n_repeats=20,
            n_test=2000,
            random_state=0,
        )
        axes = display.axes_
    return display.figure_


def draw_image_tree() -> Figure:
    """Show the top of a tree whose directions are patches of digits."""
    digits = load_digits()
    forest = ManifoldForestClassifier(100, channels="raw", max_size=4, random_state=0)
    forest.fit(digits.images, digits.target)
    return TreeDisplay.from_estimator(forest).figure_


def draw_table_tree() -> Figure:
    """Show the top of a tree whose directions are sums of the columns of a table."""
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    forest = ForestRegressor(100, min_samples_leaf=5, random_state=0).fit(X, y)
    return TreeDisplay.from_estimator(forest).figure_

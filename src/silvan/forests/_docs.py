"""The parts of docstrings that forests share: written once, put where a docstring names them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

from silvan.forests._growth_docs import GROWTH_PARTS

Documented = TypeVar("Documented", bound=Callable[..., Any])

_PARTS = {
    **GROWTH_PARTS,
    "n_estimators": """
        n_estimators : int, default=100
            Number of trees.
    """,
    "projections": """
        projections : ProjectionDistribution, default=None
            The distribution from which each node draws its candidate split directions; None is
            ``UnitFree(SparseSigns())``: single features, and sums and differences of a few that do
            not depend on units. See :mod:`silvan.projections`; the page "Which default for tables?"
            of the results has the evidence for the default. Its parameters are reached with two
            underscores, for example ``projections__mean_nonzeros`` in a grid search; with None
            these are the parameters of the default.
    """,
    "patches": """
        shape : int or tuple of int, default=None
            Shape of the grid that one sample lies on, for example ``(28, 28)``. None takes it from
            `X` in `fit`: ``X.shape[1:]``, so that a row of a two-dimensional `X` is a series.
            Features are numbered as ``numpy.ravel`` does.
        channels : "auto", "raw" or sequence of Channel or callable, default="auto"
            The arrays that windows lie on, computed from each sample; see :mod:`silvan.channels`.
            "auto" takes the values, their differences, their spectrum and random convolutions of a
            series and its differences, and the values and their gradients of images and volumes.
            Each colour and each sensor has its own arrays; see `contiguous`. "raw" sums patches of
            the values themselves: the manifold forest of the papers.
        statistics : {"auto", "mean", "spread", "slope"} or sequence of these, default="auto"
            What is computed from the cells of a window. "auto" is all three on series, and the mean
            on images and volumes.
        shift : int or "auto", default="auto"
            How many cells a window may move in search of its largest or smallest mean; three
            quarters of the means do so. 0 keeps windows in place. "auto" is 0 on series and 2 on
            images and volumes.
        n_terms : int or "auto", default="auto"
            Largest number of windows in a direction. With more than one, a node draws eight times
            as many, keeps those that correlate most with its targets (fewer of few samples), and
            combines them by a ridge regression (:class:`silvan.projections.RidgeWindows`).
            "auto" is 40 for classes of series without missing values where `max_features` is
            "auto", too, and 1 elsewhere.
        min_size, max_size : int or tuple of int, default=1 and None
            Smallest and largest number of cells of a window or patch along each axis; one number
            holds for the contiguous axes. ``max_size=None`` means the whole axis of a series, where
            a tenth of the windows then cover their channel (a quarter of single ones), and 8 cells
            along each axis of an image or volume; with ``channels="raw"`` it means 3 cells, and all
            of an axis that is not contiguous.
        boundary : {"auto", "pad", "corner", "inside", "wrap"} or tuple of these, default="auto"
            How windows and patches meet the ends of an axis; see
            :class:`silvan.projections.Patches`. "pad" cuts them off, and "wrap" continues at the
            other end, for data on a circle; both cover every cell equally often. "inside" draws
            those that fit. "auto" is "inside" where directions combine windows (`n_terms`), and
            "pad" elsewhere.
        contiguous : bool or tuple of bool, default=True
            False for an axis whose neighbours do not belong together, such as the sensors of a
            recording: ``(False, True)`` for samples of shape (sensors, length). With channels, each
            index of such an axis is a plane with its own arrays; a single True treats axes of at
            most 4 cells beside a longer one in the same way, such as colours, and labelled axes
            called channel, sensor or electrode. Where it is not clear whether samples are images
            or recordings of sensors, there is a warning.
        coefficients : {"ones", "signs", "uniform", "normal"}, default="ones"
            Coefficients of the cells of a patch; only "ones" with channels.
        n_patches : int, default=1
            Number of patches in a direction. With 2 a direction is the difference of two patches of
            the same size near each other, as along an edge; more are added and subtracted in turn.
        reach : int or tuple of int or None, default=None
            How far, in cells along each axis, further patches may lie from the first; None means
            `max_size`.
    """,
    "pool": """
        pool_size : int, "auto" or None, default="auto"
            Number of windows (differences of them, with `n_patches`) on channels that 25 trees
            share; the next 25 have others. Each node draws its candidates from this pool, without
            replacement: there are never more than `pool_size`. The values of a pool are in memory
            while its trees grow, 4 bytes for each window (each of the `n_patches` of a difference)
            and sample, and trees grow on them as fast as on the columns of a table. A fit of fewer
            than six trees reads windows when nodes draw them; its trees are the same. None lets
            each node draw from all windows there are. "auto" is 4096, or as many as fit into 4 GiB,
            which takes more than 262144 samples of single windows. It must be "auto" with
            ``channels="raw"``.
    """,
    "classifier_criterion": """
        criterion : {"gini", "entropy", "log_loss"}, default="gini"
            Impurity that splits decrease; "log_loss" is another name for "entropy".
    """,
    "classifier_voting": """
        voting : {"soft", "hard"}, default="soft"
            Whether trees average the class probabilities of their leaves, or cast one vote each for
            the most probable class. If several classes are equally probable in a leaf, they share
            its vote, so the order of `classes_` does not matter.
        oob_score : bool or callable, default=False
            Whether to estimate the accuracy from the samples that each tree did not draw. A
            callable ``oob_score(y_true, y_pred)`` replaces the accuracy.
        class_weight : dict, list of dict, "balanced", "balanced_subsample" or None, default=None
            Weights of the classes, multiplied with `sample_weight`: a dictionary (classes that it
            leaves out have weight 1), or "balanced" for weights inversely proportional to the
            classes' total weights. With "balanced_subsample" every tree draws the same number of
            samples from each class, up to one, instead of the same number on average; with
            ``bootstrap=False`` it is "balanced". For several outputs, a list of dictionaries; the
            weights of the outputs are multiplied.
    """,
    "regressor_criterion": """
        criterion : str, default="squared_error"
            Impurity that splits decrease, averaged over the outputs: the variance of the targets
            ("squared_error", also called "friedman_mse"); "absolute_error", their mean distance
            from the median, which leaves then predict; or "poisson", half the deviance, for targets
            that are not negative.
    """,
    "regressor_oob": """
        oob_score : bool or callable, default=False
            Whether to estimate R² from the samples that each tree did not draw. A callable
            ``oob_score(y_true, y_pred)`` replaces R².
    """,
    "categorical_features": """
        categorical_features : "from_dtype", list or None, default="from_dtype"
            The columns that hold categories: strings, numbers or anything that can be compared.
            "from_dtype" selects the columns of a data frame or Arrow table that have a categorical
            type or hold strings, and none of an array; a list gives positions, names, or a boolean
            for each column; None treats all columns as numbers. At each node a category gets a
            code, the mean target of its samples in a random half of the node (see Notes); a
            category that is not among them, or was never seen, gets the code of an average sample.
            Missing categories are missing values. Dates in other columns of a frame are split into
            parts, such as ``when.year``.
    """,
    "gaussian": """
        covariance_type : {"full", "diag"}, default="full"
            Whether to use full covariance matrices, or only variances.
        reg_covar : float, default=1e-4, in embeddings 1e-3
            Added to each variance, relative to the variances of the node while splits are searched
            for, and to the variances of all samples in leaves. It bounds densities where samples
            repeat, features are constant, or leaves have fewer samples than features.
        criterion_dim : int or None, default=8
            Largest number of dimensions in which a node measures its samples. If there are more
            features, that many directions are drawn from `projections` at each node; those that do
            not vary there are replaced. None measures all features, at a cost that grows with the
            cube of their number.
        max_thresholds : int or None, default=8, in embeddings None
            Largest number of thresholds that are tried along a direction. If there are more, they
            are divided into that many runs of equal length, and one of each is drawn at random.
            None tries all.
    """,
    "running": """
        n_jobs : int, default=None
            Number of threads for growing and predicting; None is 1 unless a joblib context says
            otherwise, -1 is all processors. The forest does not depend on it.
        random_state : int, RandomState instance or None, default=None
            Seed of all draws. An integer makes the forest reproducible, whatever the order of the
            samples.
        verbose : int, default=0
            1 shows a progress bar with the time left on the standard error stream.
        warm_start : bool, default=False
            Whether `fit` keeps the trees of the last call and grows only the missing ones. The
            result is the forest that a single call would have grown; the data must be the same.
    """,
    "fit_samples": """
        X : array-like of shape (n_samples, n_features)
            Training samples. float32 and uint8 are used as they are; other numbers are converted to
            float32. NaN is a missing value.
    """,
    "fit_weights": """
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights of the samples; None weights all samples equally. See `bootstrap`
            and `max_samples` for what a weight means.

        Returns
        -------
        self : object
            The fitted forest.
    """,
    "grid_fitted": """
        shape_ : tuple of int
            Shape of the grid that the samples lie on.
        channels_ : FittedChannels or None
            The fitted channels, which turn samples into the cells that windows lie on; None with
            ``channels="raw"``.
    """,
    "classifier_fitted": """
        classes_ : ndarray of shape (n_classes_,)
            The labels of the classes, sorted; a list of arrays for several outputs.
        n_classes_ : int
            Number of classes; a list for several outputs.
        oob_decision_function_ : ndarray of shape (n_samples, n_classes_)
            Class probabilities from the trees that did not draw the sample; NaN for samples that
            all trees drew and for samples of weight zero. Only if `oob_score` is not False. With
            several outputs the shape is (n_samples, n_classes, n_outputs_).
    """,
    "regressor_fitted": """
        oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs_)
            Predictions from the trees that did not draw the sample; NaN for samples that all trees
            drew and for samples of weight zero. Only if `oob_score` is not False.
    """,
    "fitted": """
        forest_ : ForestArrays
            The trees, as arrays.
        projections_ : ProjectionDistribution
            The distribution that the directions were drawn from.
        n_features_in_ : int
            Number of columns seen by `fit`.
        feature_names_in_ : ndarray of shape (n_features_in_,)
            Names of the columns; only if `X` had names that are all strings.
        feature_names_ : ndarray of shape (n_features,) or None
            Names of the features: one per column, except that dates have several.
        target_name_ : str or None
            The name of `y`, if it is a named column.
        categories_ : list of ndarray or None
            The categories of each feature (None for a number); a category is encoded as its
            position in that array. None if no feature is categorical.
        n_outputs_ : int
            Number of outputs.
        feature_importances_ : ndarray of shape (n_features,)
            Share of each feature in the decrease of impurity.
        oob_score_ : float
            Score of the out-of-bag predictions; only if `oob_score` is not False.
        estimators_ : sequence of forests
            The trees, each as a forest of one tree that shares the arrays; ``len(forest)``,
            ``forest[0]`` and ``for tree in forest`` access it.
        estimators_samples_ : sequence of ndarray
            The samples that each tree drew, as often as it drew them; drawn again when asked for.
    """,
    "grid_samples": """
        Every method takes `X` as flat samples of shape (n_samples, n_features) or in the shape of
        the data, ``(n_samples, *shape)``: images (n, H, W), volumes (n, D, H, W), series (n,
        length), series of several channels (n, channels, length). Arrays whose samples are
        contiguous in memory are not copied.
    """,
    "preset": """
        task : {"classification", "regression"}, default="classification"
            What the forest predicts.
        **options : dict
            Further parameters of the forest.

        Returns
        -------
        forest : ForestClassifier or ForestRegressor
            The forest, not fitted.
    """,
    "manifold_preset": """
        task : {"classification", "regression"}, default="classification"
            What the forest predicts.
        **options : dict
            Further parameters of the forest.

        Returns
        -------
        forest : ManifoldForestClassifier or ManifoldForestRegressor
            The forest, not fitted.
    """,
    "preset_grid": """
        shape : int or tuple of int, default=None
            Shape of the grid that one sample lies on; None takes it from `X`.
        min_size, max_size : int or tuple of int, default=1 and None
            Smallest and largest number of cells of a patch along each axis; None stands for 3.
    """,
    "notes": """
        Features of type float32 and uint8 are kept as they are; all others are stored as float32. A
        missing value (NaN) makes every direction that touches it missing for that sample, and each
        split has learnt which side to send such samples to: the better one, or the one of greater
        weight if no training sample was missing there.

        A direction reads a categorical feature through codes that are learnt at each node. The code
        of a category is the mean target of its samples in the node minus that of all samples, in
        standard deviations of the target; with more than two classes the target is whether the
        class is in a random group of them, and with several outputs it is a random one of these.
        Codes are estimated from a random half of the node's samples. All samples of the node are
        then divided as if the codes were numbers, alone or added up with others. So that a feature
        of many categories cannot win by chance alone, such a direction is compared with others by
        the geometric mean of its gain over all samples and of its gain over the other half.

        Samples of weight zero are ignored. A fit depends neither on the order of the samples nor on
        `n_jobs`; with the default limits an integer weight and a repeated sample give the same
        forest, or, if features are categorical, forests with the same distribution. A fit that
        fails or is interrupted leaves the estimator unchanged.
    """,
}


def shared_docs(documented: Documented) -> Documented:
    """Replace each line ``{part}`` in the docstring of a class or function by that shared part."""

    def fill(match: re.Match[str]) -> str:
        part = textwrap.dedent(_PARTS[match["part"]]).strip("\n")
        return textwrap.indent(part.rstrip(), match["indent"])

    if documented.__doc__ is not None:
        documented.__doc__ = re.sub(
            r"^(?P<indent> *)\{(?P<part>\w+)\}$", fill, documented.__doc__, flags=re.M
        )
    return documented


def add_parts(parts: dict[str, str]) -> None:
    """Let docstrings name further parts."""
    _PARTS.update(parts)

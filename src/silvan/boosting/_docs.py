"""The parts of docstrings that boosted forests share; see silvan.forests._docs."""

from __future__ import annotations

from silvan.forests._docs import add_parts

add_parts(
    {
        "boosted_n_estimators": """
            n_estimators : int, default=100 (300 on grids)
                Number of rounds. A round grows one tree for each raw score: one for a single target
                or two classes, otherwise one for each output or class.
        """,
        "boosted_projections": """
            projections : ProjectionDistribution, default=None
                Where the columns that trees may split on come from. With
                :class:`~silvan.projections.AxisAligned`, all single features are always in the
                pool; from any other distribution, `max_features` directions are drawn anew in every
                round. None is a mixture of both: all features, and sparse directions that do not
                depend on units, ``UnitFree(SparseSigns())``.
        """,
        "boosted_limits": """
            learning_rate : float, default=0.1
                Factor of all leaf values, in (0, 1]; smaller values need more rounds and often
                predict better.
            max_features : int, float, "sqrt", "log2" or None, default=1.0 (256 on grids)
                Number d of directions drawn in a round, in addition to single features. An integer
                is d itself; a float is a fraction of the number of features p, rounded, and may
                exceed 1; "sqrt" and "log2" are those functions of p, rounded down; None is p.
            redraw_every : int, default=1
                Number of rounds that drawn directions are kept for; more rounds save the time of
                projecting all samples onto new ones.
            colsample : float, default=1.0
                Share of the columns that a tree may split on, drawn for each tree.
            subsample : float, default=1.0
                Share of the samples that the trees of a round are grown on, drawn without
                replacement for each round.
            max_leaf_nodes : int, "auto" or None, default=31 ("auto" on grids)
                Largest number of leaves of a tree, which grows where the gain is largest. "auto" is
                one for every 625 samples, but at least 8 and at most 31. With None
                it grows level by level, down to `max_depth`. Every leaf that may still be split
                keeps a histogram, 8 or 16 bytes for each bin of each feature and direction: many
                thousands of leaves may take gigabytes. None needs few histograms at a time.
            max_depth : int or None, default=None
                Largest depth of a tree; None sets no limit.
            min_samples_leaf : int, float or "auto", default="auto"
                Smallest number of distinct samples on each side of a split; a float below 1 is a
                fraction of the samples. "auto" is 20, or a fifth of the distinct samples if there
                are fewer than 100.
            min_child_weight : float, default=0.001
                Smallest sum of hessians on each side of a split.
            l1_regularization : float, default=0.0
                L1 penalty on leaf values: sums of gradients shrink by it towards zero.
            l2_regularization : float, default=0.0 (1.0 for classes of tables)
                L2 penalty on leaf values: added to sums of hessians. It shrinks leaf values towards
                zero, most in leaves with few samples or with samples whose class is certain.
            thresholds : {"best", "random"}, default="best" ("random" for classes on grids)
                Whether a node tries all thresholds along a column, or one at random.
            max_bins : int, default=255
                Largest number of bins that the values of a column are put into, from 2 to 255;
                missing values have one of their own. Only thresholds between bins are tried.
            scaling : {"rank", "minmax", "standard"} or None, default=None
                How features are made comparable before directions add them up; see
                :class:`silvan.ForestClassifier`.
            vector_leaves : bool, default=False
                Whether a round grows one tree whose leaves have a value for each output or class,
                instead of one tree for each.
            early_stopping : "auto", "out_of_bag" or bool, default="auto" (False on grids)
                Whether to hold samples out, stop when their score no longer improves, and keep the
                rounds up to the best. "auto" does so with more than 10,000 samples. With
                "out_of_bag" no sample is held out: each round is judged by what it does for the
                samples that `subsample` leaves out of it.
            validation_fraction : int, float or None, default=0.1
                Number or fraction of the samples to hold out. None stops by the score of the
                training samples.
            n_iter_no_change : int, default=10
                Number of rounds without a better score after which growing stops.
            tol : float, default=1e-7
                Smallest improvement of the score that counts.
            scoring : str, callable or None, default="loss"
                The score: "loss", a scorer of scikit-learn or its name, or None for accuracy or R².
            monotonic_cst : array-like of shape (n_features,), dict or None, default=None
                For each feature, 1 if predictions must rise with it, -1 if they must fall, else 0;
                or a dictionary of these by name. Only with ``projections=AxisAligned()``, so not in
                manifold forests, and for regression and two classes; not with the losses
                "absolute_error" and "quantile".
            interaction_cst : {"no_interactions", "pairwise"}, sequence or None, default=None
                Groups of features, by position or name, that may occur together on a path to a
                leaf; features in no group form one more. Only with ``projections=AxisAligned()``,
                so not in manifold forests.
        """,
        "boosted_running": """
            n_jobs : int, default=None
                Number of threads for growing and predicting; None is 1 unless a joblib context says
                otherwise, -1 is all processors. The forest does not depend on it.
            random_state : int, RandomState instance or None, default=None
                Seed of all draws. An integer makes the forest reproducible.
            verbose : int, default=0
                1 shows a progress bar with the loss and the time left on the standard error stream.
            warm_start : bool, default=False
                Whether `fit` keeps the rounds of the last call and grows only the missing ones. The
                result is the forest that a single call would have grown; the data must be the same.
        """,
        "boosted_fit_weights": """
            sample_weight : array-like of shape (n_samples,), default=None
                Non-negative weights, which multiply the losses of the samples. None weights all
                samples equally.

            Returns
            -------
            self : object
                The fitted forest.
        """,
        "boosted_fitted": """
            n_iter_ : int
                Number of rounds that the forest has.
            train_score_ : ndarray
                Score of the training samples before the first round and after each that was grown,
                estimated from 10,000 of them if there are more; the negative loss unless `scoring`
                says otherwise.
            validation_score_ : ndarray
                The same for the samples that were held out; empty if none were. With
                ``early_stopping="out_of_bag"`` it starts from the first `train_score_`, and each
                round adds its gain on the samples that it left out.
            loss_ : Loss
                The loss that was minimised.
            start_ : ndarray of shape (n_scores,)
                Raw scores before the first round.
            forest_ : ForestArrays
                The trees, as arrays: those of a round side by side.
            projections_ : ProjectionDistribution
                Where the columns come from.
            n_features_in_ : int
                Number of columns seen by `fit`.
            feature_names_in_ : ndarray of shape (n_features_in_,)
                Names of the columns; only if `X` had names that are all strings.
            feature_names_ : ndarray of shape (n_features,) or None
                Names of the features: one per column, except that dates have several.
            categories_ : list of ndarray or None
                The categories of each feature (None for a number); a category is encoded as its
                position in that array. None if no feature is categorical.
            n_outputs_ : int
                Number of outputs.
            feature_importances_ : ndarray of shape (n_features,)
                Share of each feature in the gains of the splits.
        """,
        "boosted_notes": """
            A leaf value is a Newton step: minus the sum of gradients over the sum of hessians,
            times the learning rate. Thresholds lie between bins: split search is approximate where
            a column has more than `max_bins` distinct values. Features of type float32 and uint8
            are kept as they are; all others are stored as float32. Each split has learnt which side
            to send missing values (NaN) to.

            A column reads a categorical feature through the mean gradients of its categories,
            learnt from a random half of the samples when it is drawn.

            Samples of weight zero are ignored, and equal samples are merged into one of their total
            weight. Leaves do not store their training samples, so there are neither out-of-bag
            estimates nor forest weights; `early_stopping` holds out samples of its own. A fit that
            fails or is interrupted leaves the estimator unchanged.
        """,
    }
)

"""Parts of docstrings on how trees grow: directions, limits, samples and thresholds."""

from __future__ import annotations

GROWTH_PARTS = {
    "max_features": """
            Number d of candidate directions at a node. An integer is d itself; a float is a
            fraction of the number of features p, rounded, and may exceed 1; "sqrt" and "log2" are
            those functions of p, rounded down; None is p. "auto" is the square root of p, or with
            `UnitFree` directions, such as the default, 24 (all p if there are fewer) if that is
            more. At least one direction is always drawn.
    """,
    "grid_max_features": """
        max_features : int, float, "auto", "sqrt", "log2" or None, default="auto"
            Number d of candidate directions at a node. An integer is d itself; a float is a
            fraction of the number p of cells of all channels, of features with
            ``channels="raw"``, rounded, and may exceed 1; "sqrt" and "log2" are those functions of
            p, rounded down; None is p. "auto" is 2 where directions combine windows (`n_terms`),
            three times the square root on other channels of series, and the square root elsewhere.
            At least one direction is always drawn.
    """,
    "limits": """
        max_depth : int, default=None
            Largest depth of a tree; None sets no limit.
        min_samples_split : int or float, default=2
            Smallest number of distinct samples for a node to be split; a float is a fraction of the
            samples.
        min_samples_leaf : int or float, default=1
            Smallest number of distinct samples on each side of a split; a float below 1 is a
            fraction of the samples.
        min_balance : float, default=0.0
            Smallest share of a node's distinct samples on each side of its split, between 0 and
            0.5; rounded up, but never more than half of the samples. Random thresholds are drawn
            among those that satisfy it. A node where no drawn direction has such a threshold
            becomes a leaf, which is common with large shares where columns are mostly zero or have
            few values.
        min_weight_fraction_leaf : float, default=0.0
            Smallest share of a tree's weight on each side of a split, at most 0.5.
        min_impurity_decrease : float, default=0.0
            Smallest decrease in impurity, times the node's share of the weight, for a node to be
            split.
        max_leaf_nodes : int or None, default=None
            Largest number of leaves of a tree. With a limit, the leaf whose split decreases the
            impurity of the tree most is split next; None sets no limit.
        monotonic_cst : array-like of int, dict or None, default=None
            For each feature, 1 if predictions must rise with it, -1 if they must fall, 0 for no
            constraint, in order or by name. It applies to the predicted number, or to the
            probability of the second of two classes. Only with single features
            (``projections=silvan.projections.AxisAligned()``), and not with ``honest=True``.
        ccp_alpha : float, default=0.0
            Price of a leaf in minimal cost-complexity pruning: of each grown tree the smallest
            subtree is kept whose impurity plus `ccp_alpha` times its number of leaves is least.
            Not in honest forests.
    """,
    "sampling": """
        max_samples : int, float or str, default=None
            Number of samples that a tree draws, or a fraction in (0, 1] of the base number; None is
            the base number n. A power of n is written as in ``"n**0.8"``, with an exponent between
            0 and 1: the subsamples of the theory of honest forests. With ``bootstrap=True`` the
            base number is the sum of `sample_weight` if all weights are integers (a weight k stands
            for k samples), and otherwise the number of samples whose weight is not zero. With
            ``bootstrap=False`` it is the number of samples whose weight is not zero, and samples
            are drawn without replacement.
        honest : bool, default=False
            Whether the samples of each tree are divided at random into those that decide its splits
            and those that fill its leaves, so that no target is used for both. Posteriors are
            better calibrated for it, at the price of coarser trees. A leaf that no sample fills
            takes the values of its nearest ancestor. Limits such as `min_samples_leaf` count the
            samples that decide splits.
        honest_fraction : float, default=0.5
            Share of the distinct samples of an honest tree that fill its leaves, between 0 and 1.
        scaling : {"rank", "minmax", "standard"} or None, default=None
            How features are made comparable before directions add them up, learnt on the training
            samples: "rank" replaces values by their ranks (see
            :class:`silvan.preprocessing.RankScaler`), "minmax" maps the range of each feature to
            [0, 1], and "standard" its mean to 0 and its standard deviation to 1. An integer weight
            counts as that many samples; for other weights only the ratios matter. Scaled features
            are stored as float32.
    """,
    "thresholds": """
        thresholds : {"best", "random", "agnostic"}, default="best"
            Whether a node looks for the best threshold along each candidate direction, or draws one
            uniformly between the smallest and the largest value there and only chooses among the
            directions: extremely randomised trees, which grow faster and differ more from each
            other. "agnostic" does not choose either: a node takes its first direction that the
            limits allow, pure nodes are split as well, and with `max_leaf_nodes` the leaf to split
            next is drawn. Targets then determine only the values of leaves (Tomita's data-agnostic
            forest; limit the trees by `min_samples_leaf`, `max_leaf_nodes` or `max_depth`). Where
            each tree sees all samples (``bootstrap=False`` without `max_samples` and `honest`),
            splits are the same for any targets with the same seed; draws of samples depend on the
            targets, too, because they are computed from the seed and all that is known of a sample.
    """,
    "bootstrap": """
        bootstrap : bool, default=True
            Whether each tree draws its samples with replacement, with probability proportional to
            their weight. With False each tree sees every sample, and weights multiply the samples'
            counts.
    """,
    "grid_thresholds": """
        thresholds : {"auto", "best", "random", "agnostic"}, default="auto"
            Whether a node looks for the best threshold along each candidate direction, or draws one
            uniformly between the smallest and the largest value there and only chooses among the
            directions; "agnostic" does not choose either, and ignores the targets until leaves are
            filled, but for which samples are drawn and which convolutions learn from. "auto" is
            "random" with single windows on channels of series, and "best" elsewhere.
    """,
    "grid_bootstrap": """
        bootstrap : bool or "auto", default="auto"
            Whether each tree draws its samples with replacement, with probability proportional to
            their weight. With False each tree sees every sample, and weights multiply the samples'
            counts. "auto" is True with ``channels="raw"`` and False with channels; there each tree
            leaves out three tenths of the samples if `oob_score` is set, unless `max_samples` says
            how many. With class weights it is True, because trees that separate all the samples
            that they see would ignore weights.
    """,
}

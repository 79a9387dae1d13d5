"""The parts of docstrings that forests on a cluster share; see silvan.forests._docs."""

from __future__ import annotations

from silvan.forests._docs import add_parts

add_parts(
    {
        "layout": """
            layout : {"auto", "replicated", "partitioned"}, default="auto"
                Where the samples are while trees grow: on every worker, or in their partitions,
                from which only the samples that a tree draws travel to the worker that grows it.
                "auto" copies them to every worker if that takes a small part of its memory.
            client : distributed.Client or None, default=None
                The cluster; None is that of the current client.
        """,
        "cluster_notes": """
            The forest is the same as that of the local estimator with the same parameters and
            samples, whatever the layout, the partitions and the workers: all draws are keyed by
            seed, tree and node. If a worker dies, others grow the trees that it was growing. Each
            task grows trees on `n_jobs` threads (None: one), and a worker runs as many tasks as it
            has threads. Directions that LAPACK fits are the same on like processors, and a
            distribution written in Python sees other sample numbers in the partitioned layout.
        """,
        "lazy_samples": """
            X : Dask collection, list of delayed, or array-like of shape (n_samples, n_features)
                Samples.
        """,
        "fit_partitions": """
            X : Dask array or DataFrame, list of delayed, or array-like
                Samples, in partitions of whole samples; NaN is a missing value.
        """,
        "fit_partition_weights": """
            sample_weight : like y, default=None
                Non-negative weights of the samples; None weights all samples equally.

            Returns
            -------
            self : object
                The fitted estimator.
        """,
    }
)

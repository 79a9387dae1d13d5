"""Coordinates of an affinity graph that may fall into parts: each is embedded by itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from silvan._validation import warn_user
from silvan.unsupervised.eigenmap import Graph, embed_graph


class PartsMap(NamedTuple):
    """Coordinates of all samples, and the eigenvalues of each part."""

    vectors: NDArray[np.float64]  # (n_samples, n_components)
    values: NDArray[np.float64]  # (n_parts, n_components), ascending
    gaps: NDArray[np.float64]  # of the same shape
    labels: NDArray[np.integer]  # (n_samples,): the part of each sample


def embed_parts(
    graph: Graph, n_components: int, remedy: str, *, independent: bool = False
) -> PartsMap:
    """Embed each part by itself, and set it to the right of the last one.

    If there are several, a warning says so, and gives the remedy.
    """
    labels = graph.components()
    sizes = np.bincount(labels)
    if len(sizes) == 1:
        whole = embed_graph(graph, n_components, independent=independent)
        return PartsMap(whole.vectors, whole.values[np.newaxis], whole.gaps[np.newaxis], labels)
    _warn_of_parts(sizes, remedy)
    vectors = np.zeros((len(labels), n_components))
    values, gaps = (np.empty((len(sizes), n_components)) for _ in range(2))
    gap = 1.0 / np.sqrt(len(labels))
    border = 0.0
    for number in range(len(sizes)):
        samples = np.flatnonzero(labels == number)
        part = embed_graph(graph.restrict(samples), n_components, independent=independent)
        values[number], gaps[number] = part.values, part.gaps
        # As if all samples were one graph: the mean squared coordinate is the same in all parts.
        placed = part.vectors * np.sqrt(len(samples) / len(labels))
        placed[:, 0] += border - placed[:, 0].min()
        vectors[samples] = placed
        border = float(placed[:, 0].max()) + gap
    vectors[:, 0] -= vectors[:, 0].mean()
    return PartsMap(vectors, values, gaps, labels)


def _warn_of_parts(sizes: NDArray[np.integer], remedy: str) -> None:
    largest = ", ".join(map(str, sorted(sizes.tolist(), reverse=True)[:5]))
    warn_user(
        f"the affinity graph falls into {len(sizes)} parts that are not linked, of {largest}"
        f"{', ...' if len(sizes) > 5 else ''} samples; each is embedded by itself and they "
        f"are set side by side. If the data are one piece, {remedy}."
    )

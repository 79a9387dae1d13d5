"""Forests on their way to workers: in pieces, so that no process holds a large one twice."""

from __future__ import annotations

from uuid import uuid4

from distributed import Client, Future

from silvan.dask.running import give_back_memory, tree_ranges
from silvan.forest_arrays import ForestArrays
from silvan.forest_arrays.joining import join_forests

BYTES_OF_A_PIECE = 2**21


def send_forest(client: Client, forest: ForestArrays) -> Future:
    """The forest on a worker.

    What a client scatters goes through the scheduler, which is often in the same process.
    """
    pieces = []
    for span in tree_ranges((0, forest.n_trees), -(-forest.nbytes // BYTES_OF_A_PIECE)):
        pieces.append(client.scatter(forest.trees(*span), hash=False))
        give_back_memory()
    return client.submit(join_pieces, pieces, key=f"silvan-join-pieces-{uuid4().hex}")


def join_pieces(pieces: list[ForestArrays]) -> ForestArrays:
    """The forest whose pieces these are."""
    return join_forests(list(pieces))

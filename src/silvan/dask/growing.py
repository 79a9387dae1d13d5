"""Trees on samples in partitions, in batches: their draws are sent, they grow, and they vote."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from operator import getitem
from typing import TYPE_CHECKING, Any

from distributed import Future

from silvan.dask.blocks import pick_samples
from silvan.dask.drawing import Drawn, GrowingJob, TreeDrawer, Votes, grow_drawn, vote_on_block
from silvan.dask.running import Losses, Session, give_back_memory, tree_ranges
from silvan.dask.sending import send_forest
from silvan.forest_arrays import ForestArrays

if TYPE_CHECKING:
    from silvan.dask.forest import ClusterForest

Span = tuple[int, int]  # the first of some trees, and the one after the last


class TreeBatches:
    """Trees that draw from `blocks`, which are futures or delayed values, as `drawer` says."""

    def __init__(self, session: Session, blocks: list[Any], drawer: TreeDrawer) -> None:
        self._session = session
        self._blocks = blocks
        self._drawer = drawer

    def grow(self, job: GrowingJob, trees: Span) -> Iterator[ForestArrays]:
        """Grow groups of some trees from one pass over the partitions, and fetch them in order.

        What is lost with a worker is grown again.
        """
        session, losses = self._session, Losses()
        left = list(tree_ranges(trees, session.n_threads()))
        growing: dict[Span, Future] = {}
        picks: list[Future] = []
        while left:
            with losses.counted():
                session.drop(picks)
                lost = [span for span in left if not _is_done(growing.get(span))]
                picks = self._start(job, lost, growing)
                while left:
                    future = growing[left[0]]
                    for piece in range(session.result(session.submit(len, future))):
                        part = session.result(session.submit(getitem, future, piece))
                        left[0] = (left[0][0] + part.n_trees, left[0][1])
                        losses.forget()
                        yield part
                        del part  # before the next one comes
                    session.drop([future])
                    del left[0]
        session.drop(picks)

    def vote(self, forest: ClusterForest, at_once: int) -> list[Votes]:
        """Out-of-bag votes on the samples of each partition, of so many trees at once."""
        losses = Losses()
        while True:
            with losses.counted():
                return self._vote(forest, at_once)

    def _start(self, job: GrowingJob, spans: list[Span], growing: dict[Span, Future]) -> Any:
        """Have the samples of some trees picked from all partitions, and these trees grown.

        Returns futures of what they drew, which must be kept until they have grown.
        """
        session = self._session
        picks = self._send_picks([self._drawer(tree) for span in spans for tree in range(*span)])
        sizes = [last - first for first, last in spans]
        picked = session.compute(
            [
                (partial(pick_samples, self._drawer.first_member(k), sizes), picks[k], block)
                for k, block in enumerate(self._blocks)
            ]
        )
        # All samples before any tree: tasks run in the order in which they come, and a worker that
        # grows trees already would keep the samples of others from them.
        parts = [
            [session.submit(getitem, future, number) for future in picked]
            for number in range(len(spans))
        ]
        for span, samples in zip(spans, parts, strict=True):
            growing[span] = session.submit(grow_drawn, job, span[0], samples)
            session.drop(samples)
        session.drop(picked)
        give_back_memory()
        return picks

    def _vote(self, forest: ClusterForest, at_once: int) -> list[Votes]:
        session, n_trees = self._session, forest.forest_.n_trees
        arrays = send_forest(session.client, forest.forest_)
        reader = forest._reader()
        votes: list[Any] = [None] * len(self._blocks)
        for first in range(0, n_trees, at_once):
            last = min(first + at_once, n_trees)
            picks = self._send_picks([self._drawer(tree) for tree in range(first, last)])
            before = votes
            vote = partial(vote_on_block, reader, first)
            votes = session.compute(
                [(vote, picks[k], before[k], arrays, block) for k, block in enumerate(self._blocks)]
            )
            session.wait(votes)
            session.drop([*picks, *(future for future in before if future is not None)])
        return session.results(votes)

    def _send_picks(self, drawn: list[Drawn]) -> list[Future]:
        """What some trees drew of each partition, on workers."""
        return self._session.send(self._drawer.packed(drawn, k) for k in range(len(self._blocks)))


def _is_done(future: Future | None) -> bool:
    return future is not None and future.status == "finished"

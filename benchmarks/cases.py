"""The table of what is measured, and the factors that silvan promises over its peers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isqrt

from benchmarks.data import DataSpec
from benchmarks.systems import Work

AXIS_PEERS = ("scikit-learn RF", "YDF")
SPARSE_PEERS = ("YDF", "treeple", "rerf")
EXTRA_TREES = "silvan extra trees"
RANDOM = "silvan random thresholds"


@dataclass(frozen=True)
class Target:
    """`ours`, a forest of silvan, is to be at least `factor` times as fast as `peer`."""

    peer: str
    factor: float
    ours: str = "silvan"


@dataclass(frozen=True)
class Case:
    """One comparison: the same work, done by silvan and by its peers on the same data."""

    name: str
    data: DataSpec
    work: Work
    peers: tuple[str, ...]
    targets: tuple[Target, ...] = ()
    # Whether silvan's test error has to stay within half a point of the peers that have a target.
    same_error: bool = True

    @property
    def title(self) -> str:
        """Return the work in words."""
        nonzeros = self.work.mean_nonzeros
        kind = "axis-aligned" if nonzeros is None else f"sparse, {nonzeros:g} nonzeros on average"
        if self.work.max_size is not None:
            kind = f"patches of 1 to {self.work.max_size} pixels (RF: single pixels)"
        return f"{self.data}, {self.work.n_trees} trees, d={self.work.n_directions}, {kind}"


PARITY = DataSpec("parity", 5_000, 20)
TRUNK = DataSpec("trunk", 100_000, 50)
MNIST = DataSpec("mnist", 60_000, 784)
# Enough rows for trees that do not fit the cache, few enough for 100 trees of every library.
SMALL_TRUNK = DataSpec("trunk", 20_000, 50)

FIT_CASES = (
    Case(
        "parity-axis",
        PARITY,
        Work(100, 20),
        (RANDOM, *AXIS_PEERS),
        (Target("silvan", 1.5, RANDOM),),
        same_error=False,
    ),
    Case(
        "parity",
        PARITY,
        Work(100, 20, 3.0),
        SPARSE_PEERS,
        (Target("YDF", 7), Target("treeple", 12)),
    ),
    Case(
        "trunk-axis",
        TRUNK,
        Work(20, 7),
        (RANDOM, *AXIS_PEERS),
        (Target("scikit-learn RF", 3), Target("silvan", 1.5, RANDOM)),
    ),
    Case(
        "trunk",
        TRUNK,
        Work(20, 7, 3.0),
        SPARSE_PEERS,
        (Target("YDF", 6), Target("treeple", 12)),
    ),
    Case(
        "mnist-axis",
        MNIST,
        Work(10, 28),
        (*AXIS_PEERS, "scikit-learn ExtraTrees"),
        (Target("scikit-learn RF", 1),),
    ),
    Case(
        "mnist",
        MNIST,
        Work(10, 28, 3.0),
        SPARSE_PEERS,
        (Target("YDF", 6), Target("treeple", 12)),
    ),
    Case(
        "mnist-patches",
        MNIST,
        Work(10, 28, max_size=3),
        ("treeple", "scikit-learn RF"),
        (Target("treeple", 4), Target("scikit-learn RF", 1.5)),
    ),
)

# Real tables: few distinct values, ties, constant and skewed columns, 2 to 23 classes; d = sqrt(p).
_TABLES = {
    "connect_4": (57_557, 42),
    "bank_full": (35_211, 48),
    "covtype_20k": (15_000, 54),
    "kddcup99_10pct": (484_020, 41),
    "eeg_eye_state": (11_980, 14),
}
TABLE_CASES = tuple(
    Case(
        f"table-{name}",
        DataSpec(name, n, p),
        Work(50, isqrt(p)),
        (RANDOM, EXTRA_TREES, "scikit-learn RF", "scikit-learn ExtraTrees", "YDF", "LightGBM rf"),
        (
            Target("scikit-learn RF", 3),
            Target("scikit-learn ExtraTrees", 2, EXTRA_TREES),
            Target("silvan", 1.5, RANDOM),
        ),
    )
    for name, (n, p) in _TABLES.items()
)

_AXIS_TARGETS = (Target("scikit-learn RF", 3),)
_SPARSE_TARGETS = (Target("YDF", 4), Target("treeple", 4))
_SPARSE_PREDICTORS = ("YDF", "YDF from arrays", "treeple", "rerf")
_PREDICTED_TABLES = ("connect_4", "bank_full", "covtype_20k", "eeg_eye_state")


def _predicted_tables() -> Iterator[Case]:
    for name in _PREDICTED_TABLES:
        n, p = _TABLES[name]
        data, work = DataSpec(name, n, p), Work(100, isqrt(p))
        axis = Case(f"predict-{name}-axis", data, work, AXIS_PEERS, _AXIS_TARGETS, False)
        yield axis
        sparse = replace(work, mean_nonzeros=3.0)
        yield replace(
            axis,
            name=f"predict-{name}",
            work=sparse,
            peers=_SPARSE_PREDICTORS,
            targets=_SPARSE_TARGETS,
        )


PREDICT_CASES = (
    *(
        Case(name, data, work, peers, targets, same_error=False)
        for name, data, work, peers, targets in (
            ("predict-parity-axis", PARITY, Work(100, 20), AXIS_PEERS, _AXIS_TARGETS),
            ("predict-parity", PARITY, Work(100, 20, 3.0), _SPARSE_PREDICTORS, _SPARSE_TARGETS),
            ("predict-trunk-axis", SMALL_TRUNK, Work(100, 7), AXIS_PEERS, _AXIS_TARGETS),
            ("predict-trunk", SMALL_TRUNK, Work(100, 7, 3.0), _SPARSE_PREDICTORS, _SPARSE_TARGETS),
        )
    ),
    *_predicted_tables(),
)

# Two threads are to be this much faster than one.
THREADS_TARGET = 1.8


# Narrow data (Trunk) are the hard case: working memory is per row, whatever the number of features.
MEMORY_CASES = (
    Case("memory-mnist-axis", MNIST, Work(5, 28), ("scikit-learn RF", "YDF")),
    Case("memory-mnist", MNIST, Work(5, 28, 3.0), ("YDF", "treeple")),
    Case("memory-trunk, 5 trees", TRUNK, Work(5, 7, 3.0), ("YDF", "treeple")),
    Case("memory-trunk", TRUNK, Work(20, 7, 3.0), ("YDF", "treeple")),
    Case("memory-trunk, 2 threads", TRUNK, Work(20, 7, 3.0, n_jobs=2), ("YDF", "treeple")),
)


def reduced(case: Case) -> Case:
    """Return a case with at most 10,000 rows and a quarter of the trees, for a quick look."""
    data = replace(case.data, n_samples=min(case.data.n_samples, 10_000))
    return replace(case, data=data, work=replace(case.work, n_trees=max(2, case.work.n_trees // 4)))

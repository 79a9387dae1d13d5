"""The table of what is measured, and the factors that silvan promises over its peers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isqrt

from benchmarks.data import DataSpec
from benchmarks.systems import Work

AXIS_PEERS = ("scikit-learn RF", "YDF")
SPARSE_PEERS = ("YDF", "treeple", "rerf")


@dataclass(frozen=True)
class Target:
    """silvan is to be at least `factor` times as fast as `peer`."""

    peer: str
    factor: float


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
    Case("parity-axis", PARITY, Work(100, 20), AXIS_PEERS),
    Case(
        "parity",
        PARITY,
        Work(100, 20, 3.0),
        SPARSE_PEERS,
        (Target("YDF", 4), Target("treeple", 5)),
    ),
    Case("trunk-axis", TRUNK, Work(20, 7), AXIS_PEERS, (Target("scikit-learn RF", 3),)),
    Case("trunk", TRUNK, Work(20, 7, 3.0), SPARSE_PEERS, (Target("YDF", 4),)),
    Case(
        "mnist-axis",
        MNIST,
        Work(10, 28),
        (*AXIS_PEERS, "scikit-learn ExtraTrees"),
        (Target("scikit-learn RF", 1),),
    ),
    Case("mnist", MNIST, Work(10, 28, 3.0), SPARSE_PEERS, (Target("YDF", 4),)),
    Case(
        "mnist-patches",
        MNIST,
        Work(10, 28, max_size=3),
        ("treeple", "scikit-learn RF"),
        (Target("treeple", 4), Target("scikit-learn RF", 1)),
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
        ("silvan extra trees", "scikit-learn RF", "scikit-learn ExtraTrees"),
        (Target("scikit-learn RF", 3),),
    )
    for name, (n, p) in _TABLES.items()
)

_AXIS_TARGETS = (Target("scikit-learn RF", 1),)
_SPARSE_TARGETS = (Target("YDF", 2), Target("treeple", 2))
_SPARSE_PREDICTORS = ("YDF", "YDF from arrays", "treeple", "rerf")

PREDICT_CASES = tuple(
    Case(name, data, work, peers, targets, same_error=False)
    for name, data, work, peers, targets in (
        ("predict-parity-axis", PARITY, Work(100, 20), AXIS_PEERS, _AXIS_TARGETS),
        ("predict-parity", PARITY, Work(100, 20, 3.0), _SPARSE_PREDICTORS, _SPARSE_TARGETS),
        ("predict-trunk-axis", SMALL_TRUNK, Work(100, 7), AXIS_PEERS, _AXIS_TARGETS),
        ("predict-trunk", SMALL_TRUNK, Work(100, 7, 3.0), _SPARSE_PREDICTORS, _SPARSE_TARGETS),
    )
)

# Two threads are to be this much faster than one.
THREADS_TARGET = 1.8


@dataclass(frozen=True)
class Growth:
    """Fit time along one quantity, all else equal."""

    name: str
    points: tuple[tuple[DataSpec, Work], ...]
    values: tuple[int, ...]


def growth_cases(mean_nonzeros: float | None, n_threads: int, *, quick: bool) -> list[Growth]:
    """Return the growth measurements for one kind of direction.

    Parameters
    ----------
    mean_nonzeros : float or None
        Mean number of features in a direction; None for single features.
    n_threads : int
        Largest number of threads.
    quick : bool
        Whether to use a fifth of the rows.

    Returns
    -------
    cases : list of Growth
        Growth with rows, features, directions and threads.
    """
    rows = 4_000 if quick else 20_000
    # Twenty trees make what a forest does once a small part; where rows grow, five must do.
    few, work = Work(5, 7, mean_nonzeros), Work(20, 7, mean_nonzeros)
    base = DataSpec("even", rows, 50)
    n_samples = tuple(rows * 2**i // 2 for i in range(5))
    n_features = (25, 100, 400, 1_600)
    n_directions = (4, 8, 16, 32)
    n_jobs = tuple(range(1, n_threads + 1))
    return [
        Growth("n", tuple((replace(base, n_samples=n), few) for n in n_samples), n_samples),
        Growth("p", tuple((replace(base, n_features=p), work) for p in n_features), n_features),
        Growth(
            "d",
            tuple((base, replace(work, n_directions=d)) for d in n_directions),
            n_directions,
        ),
        Growth(
            "threads",
            tuple((base, replace(work, n_trees=40, n_jobs=j)) for j in n_jobs),
            n_jobs,
        ),
    ]


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

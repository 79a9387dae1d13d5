"""Types of the native core; tests/core/test_stub.py holds them to the extension."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

class ProjectionDistribution:
    @property
    def n_features(self) -> int: ...
    @property
    def grid(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]] | None: ...

class PythonDistribution(ProjectionDistribution): ...

class NodeView:
    @property
    def tree(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def n_samples(self) -> int: ...
    @property
    def rows(self) -> NDArray[np.uint32]: ...
    @property
    def X(self) -> NDArray[Any]: ...
    @property
    def targets(self) -> NDArray[Any]: ...
    @property
    def weights(self) -> NDArray[np.float64]: ...

_Directions = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]

def axis_aligned(n_features: int) -> ProjectionDistribution: ...
def sparse_signs(
    n_features: int, mean_nonzeros: float, poisson: bool
) -> ProjectionDistribution: ...
def uniform_combinations(n_features: int, n_nonzeros: int) -> ProjectionDistribution: ...
def random_rotation(n_features: int) -> ProjectionDistribution: ...
def principal_components(
    n_features: int, group_size: int, per_tree: bool, max_samples: int
) -> ProjectionDistribution: ...
def ridge_directions(
    n_features: int, n_drawn: int, alpha: float, max_samples: int
) -> ProjectionDistribution: ...
def canonical_directions(
    n_features: int, n_drawn: int, bootstrap: bool, max_samples: int, max_fits: int
) -> ProjectionDistribution: ...
def dictionary(
    n_features: int,
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[np.float32],
    cumulative: NDArray[np.float64],
) -> ProjectionDistribution: ...
def mixture(
    components: Sequence[ProjectionDistribution], cumulative: NDArray[np.float64]
) -> ProjectionDistribution: ...
def patches(
    axes: Sequence[tuple[int, int, int, str, int]], weights: str, shuffled: bool, n_patches: int
) -> ProjectionDistribution: ...
def graph_neighborhoods(
    indptr: NDArray[np.int64],
    neighbors: NDArray[np.int32],
    sizes: tuple[int, int],
    weights: str,
) -> ProjectionDistribution: ...
def expand_directions(
    shape: NDArray[np.int64],
    contiguous: NDArray[np.uint8],
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[np.float32],
) -> _Directions: ...
def python_distribution(
    n_features: int,
    sample: Callable[[NodeView, int, int], _Directions],
    name: str = "sample",
) -> ProjectionDistribution: ...
def sample_directions(
    distribution: ProjectionDistribution,
    seed: int,
    tree: int,
    path: str,
    n_directions: int,
    attempt: int = 0,
    rows: Mapping[str, Any] | None = None,
) -> _Directions: ...
def to_columns(X: NDArray[Any]) -> NDArray[Any]: ...
def row_order(
    X: NDArray[Any],
    targets: NDArray[np.float64] | NDArray[np.int32],
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.uint32]: ...
def draw_rows(rows: Mapping[str, Any], seed: int, tree: int) -> NDArray[np.int32]: ...
def row_repeats(
    X: NDArray[Any],
    targets: NDArray[np.float64] | NDArray[np.int32],
    order: NDArray[np.uint32],
) -> NDArray[np.uint8]: ...
def estimation_rows(rows: Mapping[str, Any], seed: int, tree: int) -> NDArray[np.uint32]: ...
def grow(
    columns: NDArray[Any],
    source: NDArray[Any] | None,
    targets: NDArray[Any] | None,
    weights: NDArray[np.float64] | None,
    rows: Mapping[str, Any],
    distribution: ProjectionDistribution,
    options: Mapping[str, Any],
    trees: tuple[int, int],
    n_threads: int,
    on_progress: Callable[[int], object] | None,
) -> dict[str, NDArray[Any]]: ...
def instruction_sets() -> list[str]: ...
def apply(forest: object, X: NDArray[Any], n_threads: int) -> NDArray[np.int32]: ...
def predict(forest: object, X: NDArray[Any], hard: bool, n_threads: int) -> NDArray[np.float64]: ...
def predict_out_of_bag(
    forest: object,
    X: NDArray[Any],
    hard: bool,
    rows: Mapping[str, Any],
    seed: int,
    n_threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.int32]]: ...
def leaf_votes(
    value_indptr: NDArray[np.int64], values: NDArray[np.float64]
) -> NDArray[np.float64]: ...

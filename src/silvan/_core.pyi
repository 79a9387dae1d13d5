"""
The native core of silvan: sampling directions, growing and predicting.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class SampleDraws:
    """
    Which samples each tree draws, in canonical order; see sample_draws.hpp.
    """

    def __init__(self, order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_draws: int, replace: bool = True, cumulative: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, estimation_share: float = 0.0, repeats: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, given: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

class Targets:
    """
    Class codes, or outputs with a column for each, and weights of the samples.
    """

    def __init__(self, values: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_outputs: int) -> None: ...

class TrainingSet:
    """What trees grow on; holds the arrays, and copies none."""

    def __init__(self, columns: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], source: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)] | None, targets: Targets, draws: SampleDraws, n_categories: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

class GaussianOptions:
    """How the Gaussian criterion measures a node."""

    def __init__(self) -> None: ...

    @property
    def full(self) -> bool:
        """Covariances, or the variances alone."""

    @full.setter
    def full(self, arg: bool, /) -> None: ...

    @property
    def n_dimensions(self) -> int:
        """Dimensions of the space, at most."""

    @n_dimensions.setter
    def n_dimensions(self, arg: int, /) -> None: ...

    @property
    def max_thresholds(self) -> int:
        """Thresholds tried along a direction; 0: all."""

    @max_thresholds.setter
    def max_thresholds(self, arg: int, /) -> None: ...

    @property
    def ridge(self) -> float:
        """Added to every variance."""

    @ridge.setter
    def ridge(self, arg: float, /) -> None: ...

    @property
    def bits(self) -> int:
        """Bits of a coordinate, besides its sign."""

    @bits.setter
    def bits(self, arg: int, /) -> None: ...

class GrowOptions:
    """How trees grow."""

    def __init__(self) -> None: ...

    @property
    def criterion(self) -> str:
        """What a split maximises: gini, entropy, squared_error or gaussian."""

    @criterion.setter
    def criterion(self, arg: str, /) -> None: ...

    @property
    def gaussian(self) -> GaussianOptions:
        """Read by the Gaussian criterion alone."""

    @gaussian.setter
    def gaussian(self, arg: GaussianOptions, /) -> None: ...

    @property
    def n_directions(self) -> int:
        """Candidate directions of a node."""

    @n_directions.setter
    def n_directions(self, arg: int, /) -> None: ...

    @property
    def max_depth(self) -> int:
        """Depth of a leaf, at most."""

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def min_samples_split(self) -> int:
        """Samples of a node that is split, at least."""

    @min_samples_split.setter
    def min_samples_split(self, arg: int, /) -> None: ...

    @property
    def min_samples_leaf(self) -> int:
        """Samples of a leaf, at least."""

    @min_samples_leaf.setter
    def min_samples_leaf(self, arg: int, /) -> None: ...

    @property
    def min_impurity_decrease(self) -> float:
        """Decrease by a split, at least."""

    @min_impurity_decrease.setter
    def min_impurity_decrease(self, arg: float, /) -> None: ...

    @property
    def random_thresholds(self) -> bool:
        """
        Whether a threshold is drawn along each direction, instead of the best one found.
        """

    @random_thresholds.setter
    def random_thresholds(self, arg: bool, /) -> None: ...

    @property
    def seed(self) -> int:
        """Of all random streams."""

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def instruction_set(self) -> str:
        """Of the kernels; the best that the processor has unless told otherwise."""

    @instruction_set.setter
    def instruction_set(self, arg: str, /) -> None: ...

class ColumnDescription:
    """The columns that directions are over besides the features."""

    def __init__(self, grid_shape: Sequence[int], grid_contiguous: Sequence[int], n_categories: Sequence[int]) -> None: ...

    @property
    def grid_shape(self) -> list[int]:
        """The grid whose running sums are columns, or empty."""

    @property
    def grid_contiguous(self) -> list[int]:
        """Per axis 1 where sums run along it."""

    @property
    def n_categories(self) -> list[int]:
        """Categories of each feature, or empty."""

def to_columns(X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)]) -> object:
    """
    Copies X into column-major float32 (uint8 stays uint8) in one pass; the caller has checked that the values are within the range of float32.
    """

@overload
def sample_order(X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], targets: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...

@overload
def sample_order(X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], targets: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """
    The canonical order of the samples, by a hash of their features and targets, then by weight.
    """

@overload
def sample_hashes(X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], targets: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

@overload
def sample_hashes(X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], targets: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """
    The hash of each sample's features and targets, which sample_order sorts by.
    """

def draw_samples(draws: SampleDraws, seed: int, tree: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """How often a tree draws each sample."""

@overload
def sample_repeats(X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], targets: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

@overload
def sample_repeats(X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], targets: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """
    For each position in the canonical order, 1 if the sample there equals the one before.
    """

def estimation_samples(draws: SampleDraws, seed: int, tree: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """
    The samples that fill the leaves of an honest tree, ascending; none if trees are not honest.
    """

class ProjectionDistribution:
    """Where a node's candidate directions come from; immutable."""

    @property
    def n_features(self) -> int:
        """The number of features."""

    @property
    def columns(self) -> ColumnDescription:
        """The columns that directions are drawn over besides the features."""

class NodePlace:
    """Which draw of which node; `path` from the root is a string of L and R."""

    def __init__(self, seed: int, tree: int, path: str = '', attempt: int = 0) -> None: ...

class NodeSamples:
    """The samples of a node that no forest has."""

    def __init__(self, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], targets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, multiplicity: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], samples: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

class PythonDistribution(ProjectionDistribution):
    """A distribution written in Python."""

class NodeView:
    """The node that a Python distribution draws for, during that call."""

    @property
    def tree(self) -> int:
        """The number of the tree."""

    @property
    def depth(self) -> int:
        """The depth of the node, 0 at the root."""

    @property
    def n_samples(self) -> int:
        """The number of distinct samples in the node."""

    @property
    def samples(self) -> object:
        """The sample numbers, ascending: uint32, a copy."""

    @property
    def X(self) -> object:
        """The features of the samples: float32 or uint8, a copy."""

    @property
    def targets(self) -> object:
        """Class codes (int32) or outputs (float64) of the samples, a copy."""

    @property
    def weights(self) -> object:
        """Multiplicity times sample weight of the samples, a copy."""

def axis_aligned(n_features: int) -> ProjectionDistribution: ...

def sparse_signs(n_features: int, mean_nonzeros: float, poisson: bool) -> ProjectionDistribution: ...

def uniform_combinations(n_features: int, n_nonzeros: int) -> ProjectionDistribution: ...

def random_rotation(n_features: int) -> ProjectionDistribution: ...

def principal_components(n_features: int, group_size: int, per_tree: bool, max_samples: int) -> ProjectionDistribution: ...

def ridge_directions(n_features: int, n_drawn: int, alpha: float, max_samples: int) -> ProjectionDistribution: ...

def canonical_directions(n_features: int, n_drawn: int, bootstrap: bool, max_samples: int, max_fits: int) -> ProjectionDistribution: ...

def dictionary(n_features: int, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], coefficients: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], cumulative: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ProjectionDistribution: ...

def mixture(components: Sequence[ProjectionDistribution], cumulative: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ProjectionDistribution: ...

def patches(axes: Sequence[tuple[int, int, int, str, int]], coefficients: str, shuffled: bool, n_patches: int) -> ProjectionDistribution:
    """
    Patches on a grid; each axis is (length, min_size, max_size, boundary, reach).
    """

def graph_neighborhoods(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbors: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: tuple[int, int], coefficients: str) -> ProjectionDistribution: ...

def expand_directions(columns: ColumnDescription, n_features: int, indptr: NDArray[numpy.int64], indices: NDArray[numpy.int32], coefficients: NDArray[numpy.float32]) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]:
    """Directions over all columns, written over the features alone."""

def python_distribution(n_features: int, sample: Callable, name: str = 'sample') -> ProjectionDistribution:
    """
    A distribution given by sample(node, n_directions, key) -> (indptr, indices, coefficients). Errors begin with name.
    """

def sample_thresholds(place: NodePlace, n: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Where random thresholds lie between smallest and largest value, for the directions that vary at a node.
    """

def sample_directions(distribution: ProjectionDistribution, place: NodePlace, n_directions: int, samples: NodeSamples | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]:
    """
    The directions that a tree draws at a node. Distributions that look at data see `samples`, or a node without samples.
    """

def grow(training: TrainingSet, distribution: ProjectionDistribution, options: GrowOptions, trees: tuple[int, int], n_threads: int, on_progress: Callable[[int], object] | None) -> dict[str, NDArray]:
    """Grows trees [first, last) and returns the arrays of the forest."""

def instruction_sets() -> list[str]:
    """
    The instruction sets that this processor can run and the core was compiled for, best last.
    """

class PackedForest:
    """A forest's nodes as prediction reads them; made from ForestArrays."""

    def __init__(self, forest: object) -> None: ...

    @property
    def nbytes(self) -> int: ...

def apply(forest: object, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
    """
    The node of each tree, counted from the tree's first, where each sample ends.
    """

def predict(forest: object, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], hard: bool, n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """The mean over trees of the leaf values, or of each tree's vote."""

def predict_out_of_bag(forest: object, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], hard: bool, draws: SampleDraws, seed: int, n_threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    Sums of votes over the trees that did not draw a sample, and the number of those trees.
    """

def leaf_votes(value_indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    The vote of each leaf: a share for each of its values, zero for those that are not the largest.
    """

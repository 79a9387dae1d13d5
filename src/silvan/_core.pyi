"""
The native core of silvan: sampling directions, growing and predicting.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class SparseFeatures:
    """
    Samples that are mostly zero: the other values, as float32, by samples and where trees grow on them by features; each part is indptr, indices and values.
    """

    def __init__(self, shape: tuple[int, int], rows: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], columns: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> None: ...

class SampleDraws:
    """
    Which samples each tree draws, in canonical order; see sample_draws.hpp.
    """

    def __init__(self, order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_draws: int, replace: bool = True) -> None: ...

    cumulative: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None
    """Running sums of the weights that samples are drawn by, in order."""

    estimation_share: float
    """Share of its samples that an honest tree fills its leaves from."""

    repeats: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None
    """1 where a sample in order equals the one before."""

    given: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None
    """How often each sample was drawn, where that was decided elsewhere."""

    ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None
    """
    Places of the samples in the order of the larger set that they were drawn from.
    """

    strata: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None
    """Where groups of samples that trees draw alike end in order."""

    first_tree: int
    """The number that tree 0 has in the forest that it was grown in."""

class Targets:
    """
    Class codes, or outputs with a column for each, and weights of the samples.
    """

    def __init__(self, values: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_outputs: int, n_averaged: int | None = None) -> None: ...

class TrainingSet:
    """What trees grow on; holds the arrays, and copies none."""

    @overload
    def __init__(self, columns: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], source: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)] | None, targets: Targets, draws: SampleDraws, n_categories: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    @overload
    def __init__(self, features: SparseFeatures, targets: Targets, draws: SampleDraws) -> None: ...

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
        """
        What a split maximises: gini, entropy, squared_error, absolute_error, poisson or gaussian.
        """

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
    def min_weight_fraction_leaf(self) -> float:
        """Weight of a leaf, at least, as a share of the tree's."""

    @min_weight_fraction_leaf.setter
    def min_weight_fraction_leaf(self, arg: float, /) -> None: ...

    @property
    def min_balance(self) -> float:
        """Share of a node's samples on either side, at least."""

    @min_balance.setter
    def min_balance(self, arg: float, /) -> None: ...

    @property
    def max_leaf_nodes(self) -> int:
        """Leaves of a tree, at most; 0: no limit."""

    @max_leaf_nodes.setter
    def max_leaf_nodes(self, arg: int, /) -> None: ...

    @property
    def monotone(self) -> list[int]:
        """
        Per feature 1 where means must rise with it, -1 where they must fall, else 0; empty: no constraint.
        """

    @monotone.setter
    def monotone(self, arg: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

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
    def pool_size(self) -> int:
        """
        Directions over windows that trees share for their nodes to choose from; 0: none are shared.
        """

    @pool_size.setter
    def pool_size(self, arg: int, /) -> None: ...

    @property
    def agnostic(self) -> bool:
        """
        Whether targets decide nothing but the values of leaves; with random thresholds.
        """

    @agnostic.setter
    def agnostic(self, arg: bool, /) -> None: ...

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

class WindowDescription:
    """Channels, and what windows may be on them."""

    def __init__(self, channel_shapes: Sequence[int], max_size: Sequence[int], wraps: Sequence[int], statistics: Sequence[int]) -> None: ...

    @property
    def channel_shapes(self) -> list[int]:
        """Lengths along each axis, channel by channel."""

    @property
    def max_size(self) -> list[int]:
        """Cells of a box along each axis, at most."""

    @property
    def wraps(self) -> list[int]:
        """Per axis 1 where it is a circle."""

    @property
    def statistics(self) -> list[int]:
        """The statistics of windows, ascending."""

class WindowTable:
    """Windows that the indices of directions from n_features on stand for."""

    def __init__(self, channel: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], box: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], statistic: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], shift: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_axes: int) -> None: ...

    def __len__(self) -> int: ...

    @property
    def channel(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def box(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Start and end along each axis, window by window."""

    @property
    def statistic(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

    @property
    def shift(self) -> Annotated[NDArray[numpy.int8], dict(shape=(None,))]: ...

    @property
    def scale(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """What each statistic is divided by."""

class ColumnDescription:
    """The columns that directions are over besides the features."""

    def __init__(self, grid_shape: Sequence[int], grid_contiguous: Sequence[int], n_categories: Sequence[int], windows: WindowDescription = ...) -> None: ...

    @property
    def grid_shape(self) -> list[int]:
        """The grid whose running sums are columns, or empty."""

    @property
    def grid_contiguous(self) -> list[int]:
        """Per axis 1 where sums run along it."""

    @property
    def n_categories(self) -> list[int]:
        """Categories of each feature, or empty."""

    @property
    def windows(self) -> WindowDescription:
        """The channels that windows are on, or none."""

    def bytes_per_sample(self, n_features: int, largest: Sequence[float]) -> int:
        """
        Memory of a sample's running sums of channels while forests grow, by the largest cell of each channel: infinity where cells are not all whole numbers from 0 on.
        """

def expand_directions(columns: ColumnDescription, n_features: int, indptr: NDArray[numpy.int64], indices: NDArray[numpy.int32], coefficients: NDArray[numpy.float32], windows: WindowTable | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]:
    """Directions over all columns, written over the features alone."""

def share_directions(columns: ColumnDescription, n_features: int, indptr: NDArray[numpy.int64], indices: NDArray[numpy.int32], coefficients: NDArray[numpy.float32], windows: WindowTable | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]:
    """
    What features have to do with directions, in proportion to the absolute values.
    """

def to_columns(X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], n_threads: int = 1) -> object:
    """
    Copies X into column-major float32 (uint8 stays uint8) in one pass; the caller has checked that the values are within the range of float32.
    """

@overload
def sample_order(X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], targets: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, factors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 1) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...

@overload
def sample_order(X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], targets: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, factors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 1) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...

@overload
def sample_order(X: SparseFeatures, targets: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, factors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 1) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...

@overload
def sample_order(X: SparseFeatures, targets: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, factors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 1) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """
    The canonical order of the samples, by a hash of their features (times factors, if any) and targets, then by weight.
    """

@overload
def sample_repeats(X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], targets: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], factors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 1) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

@overload
def sample_repeats(X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], targets: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], factors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 1) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

@overload
def sample_repeats(X: SparseFeatures, targets: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], factors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 1) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

@overload
def sample_repeats(X: SparseFeatures, targets: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], factors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 1) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """
    For each position in the canonical order with the same factors, 1 if the sample there equals the one before.
    """

@overload
def sample_hashes(X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], targets: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], factors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

@overload
def sample_hashes(X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], targets: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], factors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """
    The hash of each sample's features (times factors, if any) and targets, which sample_order sorts by.
    """

def draw_samples(draws: SampleDraws, seed: int, tree: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """How often a tree draws each sample."""

def list_draws(draws: SampleDraws, seed: int, tree: int) -> tuple[NDArray[numpy.uint32], NDArray[numpy.int32]]:
    """
    The samples that a tree draws, ascending, and how often each: little memory for few draws.
    """

def estimation_samples(draws: SampleDraws, seed: int, tree: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """
    The samples that fill the leaves of an honest tree, ascending; none if trees are not honest.
    """

def convolve_series(series: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], wraps: bool, chosen: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], dilations: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], thresholds: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], step: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
    """
    How many cells of each run of `step` exceed the threshold of each kernel, by sample, kernel and run.
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

def sparse_signs(n_features: int, mean_nonzeros: float, poisson: bool, drop_empty: bool = False) -> ProjectionDistribution: ...

def uniform_combinations(n_features: int, n_nonzeros: int) -> ProjectionDistribution: ...

def random_rotation(n_features: int) -> ProjectionDistribution: ...

def principal_components(n_features: int, group_size: int, per_tree: bool, max_samples: int) -> ProjectionDistribution: ...

def ridge_directions(n_features: int, n_drawn: int, alpha: float, max_samples: int) -> ProjectionDistribution: ...

def perturbed_hyperplanes(n_features: int, n_drawn: int, n_perturbations: int, max_samples: int) -> ProjectionDistribution: ...

def weighted_combinations(weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: tuple[int, int], coefficients: str) -> ProjectionDistribution: ...

def canonical_directions(n_features: int, n_drawn: int, bootstrap: bool, max_samples: int, max_fits: int) -> ProjectionDistribution: ...

def dictionary(n_features: int, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], coefficients: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], cumulative: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ProjectionDistribution: ...

def mixture(components: Sequence[ProjectionDistribution], cumulative: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ProjectionDistribution: ...

def unit_free(distribution: ProjectionDistribution, exponents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ProjectionDistribution: ...

def patches(axes: Sequence[tuple[int, int, int, str, int]], coefficients: str, shuffled: bool, n_patches: int) -> ProjectionDistribution:
    """
    Patches on a grid; each axis is (length, min_size, max_size, boundary, reach).
    """

def windows(channels: Sequence[Sequence[tuple[int, int, int, str, int]]], weights: Sequence[float], statistics: Sequence[str], n_patches: int, shift: tuple[int, float], whole_probability: float = 0.0) -> ProjectionDistribution:
    """
    Windows on channels, each a list of axes as of patches; `shift` is the largest one and its probability.
    """

def ridge_windows(windows: ProjectionDistribution, n_drawn: int, n_terms: int, terms_per_root: float, alpha: float, max_samples: int) -> ProjectionDistribution:
    """Ridge regressions on windows that another distribution draws."""

def graph_neighborhoods(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbors: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: tuple[int, int], coefficients: str) -> ProjectionDistribution: ...

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

def sample_windows(distribution: ProjectionDistribution, place: NodePlace, n_directions: int, samples: NodeSamples | None = None) -> tuple[tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]], WindowTable]:
    """The same, and the windows that directions are over."""

def sample_pool(distribution: ProjectionDistribution, size: int, seed: int, number: int = 0) -> tuple[NDArray[numpy.int64], NDArray[numpy.float32], WindowTable]:
    """
    A pool of directions over windows that the nodes of some trees choose among: where their terms begin, coefficients, and windows. Trees 0 to TREES_OF_POOL - 1 have the first, number 0.
    """

TREES_OF_POOL: int = 25

FEWEST_TREES_AHEAD: int = 6

def grow(training: TrainingSet, distribution: ProjectionDistribution, options: GrowOptions, trees: tuple[int, int], n_threads: int, on_progress: Callable[[int], object] | None) -> dict[str, NDArray]:
    """Grows trees [first, last) and returns the arrays of the forest."""

def instruction_sets() -> list[str]:
    """
    The instruction sets that this processor can run and the core was compiled for, best last.
    """

class BoostOptions:
    """How boosted trees grow."""

    def __init__(self) -> None: ...

    @property
    def seed(self) -> int:
        """Of all random streams."""

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def use_features(self) -> bool:
        """Whether every feature is a column."""

    @use_features.setter
    def use_features(self, arg: bool, /) -> None: ...

    @property
    def n_directions(self) -> int:
        """Columns that are drawn from the distribution."""

    @n_directions.setter
    def n_directions(self, arg: int, /) -> None: ...

    @property
    def redraw_every(self) -> int:
        """Rounds that a draw of directions lasts."""

    @redraw_every.setter
    def redraw_every(self, arg: int, /) -> None: ...

    @property
    def max_bins(self) -> int:
        """Bins of a column besides that of missing values, 2 to 255."""

    @max_bins.setter
    def max_bins(self, arg: int, /) -> None: ...

    @property
    def max_leaf_nodes(self) -> int:
        """Leaves of a tree, at most; 0: no limit."""

    @max_leaf_nodes.setter
    def max_leaf_nodes(self, arg: int, /) -> None: ...

    @property
    def max_depth(self) -> int:
        """Depth of a leaf, at most."""

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def min_samples_leaf(self) -> int:
        """Samples of a leaf, at least."""

    @min_samples_leaf.setter
    def min_samples_leaf(self, arg: int, /) -> None: ...

    @property
    def min_child_weight(self) -> float:
        """Sum of hessians of a leaf, at least."""

    @min_child_weight.setter
    def min_child_weight(self, arg: float, /) -> None: ...

    @property
    def min_gain(self) -> float:
        """A split gains more than this."""

    @min_gain.setter
    def min_gain(self, arg: float, /) -> None: ...

    @property
    def l1(self) -> float:
        """Sums of gradients shrink by it."""

    @l1.setter
    def l1(self, arg: float, /) -> None: ...

    @property
    def l2(self) -> float:
        """Added to sums of hessians."""

    @l2.setter
    def l2(self, arg: float, /) -> None: ...

    @property
    def learning_rate(self) -> float:
        """Factor of all values."""

    @learning_rate.setter
    def learning_rate(self, arg: float, /) -> None: ...

    @property
    def subsample(self) -> float:
        """Share of the samples that the trees of a round grow on."""

    @subsample.setter
    def subsample(self, arg: float, /) -> None: ...

    @property
    def colsample(self) -> float:
        """Share of the columns that a tree may split."""

    @colsample.setter
    def colsample(self, arg: float, /) -> None: ...

    @property
    def random_thresholds(self) -> bool:
        """
        Whether one random edge is tried for each column and node, instead of all.
        """

    @random_thresholds.setter
    def random_thresholds(self, arg: bool, /) -> None: ...

    @property
    def vector_leaves(self) -> bool:
        """
        Whether a round grows one tree with a value for each output in its leaves.
        """

    @vector_leaves.setter
    def vector_leaves(self, arg: bool, /) -> None: ...

    @property
    def monotone(self) -> list[int]:
        """
        Per feature 1 where values must rise with it, -1 where they must fall, else 0; empty: no constraint.
        """

    @monotone.setter
    def monotone(self, arg: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

    @property
    def interaction_groups(self) -> list[list[int]]:
        """Features that may be split on one path; empty: all."""

    @interaction_groups.setter
    def interaction_groups(self, arg: Sequence[Sequence[int]], /) -> None: ...

    @property
    def instruction_set(self) -> str:
        """Of the kernels; the best that the processor has unless told otherwise."""

    @instruction_set.setter
    def instruction_set(self, arg: str, /) -> None: ...

class Booster:
    """Grows boosted trees, a round at a time."""

    def __init__(self, training: TrainingSet, distribution: ProjectionDistribution | None, options: BoostOptions) -> None:
        """The options are copied; a distribution is needed for directions alone."""

    def grow_round(self, round: int, gradients: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], hessians: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, n_threads: int) -> None:
        """
        Grows the trees of a round (0, 1, ...) and adds their values to the scores, unless they are None.

        Gradients, hessians and scores have a row for each sample and a column for each output.
        """

    def leaves(self, n_threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """
        Per sample and tree of the last round the leaf, counted through all of its trees.
        """

    def outside(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """Samples that the last round's trees were not grown on, ascending."""

    @property
    def n_leaves(self) -> int:
        """Leaves of all trees of the last round."""

    def set_values(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None:
        """
        Replaces the values of the last round's leaves, a row for each leaf, and adds them to the scores.

        A row has one value, or one for each output where leaves are vectors. No learning rate is applied.
        """

    def take_trees(self) -> dict[str, NDArray]:
        """
        The arrays of the trees since the last call, in the order of rounds and outputs.
        """

class PackedForest:
    """A forest's nodes as prediction reads them; made from ForestArrays."""

    def __init__(self, forest: object) -> None: ...

    @property
    def nbytes(self) -> int: ...

@overload
def apply(forest: object, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]: ...

@overload
def apply(forest: object, X: SparseFeatures, n_threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
    """
    The node of each tree, counted from the tree's first, where each sample ends.
    """

@overload
def predict(forest: object, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], hard: bool, n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

@overload
def predict(forest: object, X: SparseFeatures, hard: bool, n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """The mean over trees of the leaf values, or of each tree's vote."""

@overload
def predict_out_of_bag(forest: object, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], hard: bool, draws: SampleDraws, seed: int, n_threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

@overload
def predict_out_of_bag(forest: object, X: SparseFeatures, hard: bool, draws: SampleDraws, seed: int, n_threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    Sums of votes over the trees that did not draw a sample, and the number of those trees.
    """

def add_leaf_values(forest: object, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], trees: tuple[int, int], n_threads: int) -> None:
    """
    Adds the leaf values of trees [first, last) to sums, a row for each sample, in the order of the trees.
    """

class ShapleyOptions:
    """How Shapley values are computed."""

    def __init__(self, max_exact_features: int, n_permutations: int, seed: int) -> None: ...

def shapley_values(forest: object, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], background: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], options: ShapleyOptions, n_threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
    """
    Shapley values of each feature and output, summed over trees, and the variances of those that are sampled.
    """

def leaf_votes(value_indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    The vote of each leaf: a share for each of its values, zero for those that are not the largest.
    """

"""A mixture of distributions: each direction comes from one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from silvan import _core
from silvan._validation import invalid, is_number
from silvan.projections.arrays import share_weights
from silvan.projections.base import ProjectionDistribution
from silvan.projections.dictionary import to_cumulative
from silvan.projections.node import Node

Kind = TypeVar("Kind", bound=ProjectionDistribution)


class Mixture(ProjectionDistribution):
    """Directions from several distributions, chosen by weight.

    Each of the d directions of a node picks its component with probability proportional to the
    weight; each component then draws its share at once, and the directions come grouped by
    component, in the order of `components`. If a component has a limited number of directions
    (`AxisAligned`, `RandomRotation`) and is asked for more, the node gets fewer.

    With `AxisAligned` among the components every single feature has a fixed chance at every
    node, which is the first of the assumptions under which manifold forests are consistent
    [1]_.

    Parameters
    ----------
    components : list of (ProjectionDistribution, float)
        The distributions and their non-negative weights, which are divided by their sum.

    Notes
    -----
    In a grid search component i is reached as ``component_i`` and ``component_i__parameter``,
    its weight as ``weight_i``.

    References
    ----------
    .. [1] R. Perry. Manifold-aware forests: closing the gap to convolutional neural networks.
       Johns Hopkins University, 2020, section 4.2.

    Examples
    --------
    >>> from silvan.projections import AxisAligned, Mixture, SparseSigns
    >>> mixture = Mixture([(AxisAligned(), 1.0), (SparseSigns(density=0.2), 3.0)])
    >>> mixture.set_params(component_1__density=0.5, weight_0=2.0)
    Mixture(components=[(AxisAligned(), 2.0), (SparseSigns(density=0.5), 3.0)])
    >>> mixture.draw(n_directions=6, n_features=10, random_state=0).shape
    (6, 10)
    """

    def __init__(self, components: Sequence[tuple[ProjectionDistribution, float]]) -> None:
        self.components = components

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Whether to add ``component_i``, ``component_i__parameter`` and ``weight_i``.

        Returns
        -------
        params : dict
            Names and values.
        """
        params: dict[str, Any] = {"components": self.components}
        if deep and self._are_pairs():
            for i, (distribution, weight) in enumerate(self.components):
                params[f"component_{i}"] = distribution
                params[f"weight_{i}"] = weight
                if isinstance(distribution, ProjectionDistribution):
                    for name, value in distribution.get_params().items():
                        params[f"component_{i}__{name}"] = value
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by the names of `get_params`.

        Parameters
        ----------
        **params
            Names and values. `components` is set first; the list itself is never changed.

        Returns
        -------
        self : object
            This object.
        """
        if "components" in params:
            self.components = params.pop("components")
        # Whole components before their parameters: shorter names first.
        for key in sorted(params, key=len):
            name, _, sub = key.partition("__")
            kind, _, number = name.partition("_")
            if name not in self.get_params() or kind not in ("component", "weight"):
                raise ValueError(
                    f"Invalid parameter {key!r} for {self!r}; its parameters are "
                    f"{sorted(self.get_params())}."
                )
            pairs = list(self.components)
            distribution, weight = pairs[int(number)]
            if sub:
                distribution.set_params(**{sub: params[key]})
            elif kind == "component":
                pairs[int(number)] = (params[key], weight)
            else:
                pairs[int(number)] = (distribution, params[key])
            self.components = pairs
        return self

    def validate(self, n_features: int) -> None:
        """Raise an error if a parameter, or one of a component, is wrong."""
        self._check_components()
        for distribution, _ in self.components:
            distribution.validate(n_features)
        self._check_grids(n_features)

    def _check_components(self) -> None:
        """Require pairs of a distribution and a weight, one weight positive."""
        if not self._are_pairs() or len(self.components) == 0:
            raise invalid(
                "components",
                "a list of at least one pair (distribution, weight)",
                self.components,
                "pass for example [(AxisAligned(), 1.0), (SparseSigns(), 1.0)]",
            )
        for i, (distribution, weight) in enumerate(self.components):
            if not isinstance(distribution, ProjectionDistribution):
                raise invalid(
                    f"components[{i}][0]",
                    "a ProjectionDistribution",
                    distribution,
                    "pass for example AxisAligned()",
                )
            if not (is_number(weight) and weight >= 0):
                raise invalid(
                    f"components[{i}][1]",
                    "a finite weight that is not negative",
                    weight,
                    "pass for example 1.0",
                )
        if not any(weight > 0 for _, weight in self.components):
            raise invalid(
                "components",
                "such that at least one weight is positive",
                [weight for _, weight in self.components],
                "give the components that count a positive weight",
            )

    def _check_grids(self, n_features: int) -> None:
        """Require that all components that read running sums share one grid, or channels."""
        grids: dict[str, int] = {}
        for i, (distribution, _) in enumerate(self.components):
            columns = distribution._to_native(n_features).columns
            windows = columns.windows
            if columns.grid_shape:
                contiguous = tuple(map(bool, columns.grid_contiguous))
                shape = tuple(columns.grid_shape)
                grids.setdefault(f"shape {shape} with contiguous={contiguous}", i)
            if windows.max_size:
                shapes = np.reshape(windows.channel_shapes, (-1, len(windows.max_size))).tolist()
                wraps = tuple(map(bool, windows.wraps))
                grids.setdefault(f"channels of shapes {shapes} with wrap={wraps}", i)
        if len(grids) > 1:
            (first, i), (second, j) = list(grids.items())[:2]
            raise ValueError(
                "components must lie on the same grid where their patches are large, but "
                f"components[{i}] has {first} and components[{j}] has {second}; give them the same "
                "shape and contiguous axes, or grow two forests."
            )

    def sample(self, node: Node, rng: np.random.Generator) -> sparse.csr_array[np.float64]:
        """Draw directions for one node in NumPy, as a reference for the core."""
        counts = rng.multinomial(node.n_directions, self._normalised_weights())
        drawn = [
            distribution.sample(node.asking_for(int(count)), rng)
            for (distribution, _), count in zip(self.components, counts, strict=True)
            if count > 0
        ]
        return sparse.csr_array(sparse.vstack(drawn))

    def _are_pairs(self) -> bool:
        return isinstance(self.components, list | tuple) and all(
            isinstance(pair, list | tuple) and len(pair) == 2 for pair in self.components
        )

    def _normalised_weights(self) -> NDArray[np.float64]:
        weights = np.array([weight for _, weight in self.components], dtype=np.float64)
        return share_weights(weights)

    def resolve(self, shape: tuple[int, ...]) -> Mixture:
        """A mixture whose components know the shape of a sample."""
        self._check_components()
        return Mixture(
            [(component.resolve(shape), weight) for component, weight in self.components]
        )

    def _with_spreads(self, spreads: NDArray[np.float64]) -> Mixture:
        return Mixture(
            [(component._with_spreads(spreads), weight) for component, weight in self.components]
        )

    def _to_native(self, n_features: int) -> _core.ProjectionDistribution:
        natives = [distribution._to_native(n_features) for distribution, _ in self.components]
        return _core.mixture(natives, to_cumulative(self._normalised_weights()))


def find_component(projections: ProjectionDistribution, kind: type[Kind]) -> Kind | None:
    """The distribution itself or the first in a mixture or another that is of a kind, if any."""
    if isinstance(projections, Mixture):
        found = (find_component(component, kind) for component, _ in projections.components)
        return next((one for one in found if one is not None), None)
    if isinstance(projections, kind):
        return projections
    inner = getattr(projections, "distribution", None)
    return find_component(inner, kind) if isinstance(inner, ProjectionDistribution) else None

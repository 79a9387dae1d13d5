"""The windows of a manifold forest: its parameters, carried over to the axes of its channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from silvan._validation import invalid, is_word
from silvan.channels import FittedChannels
from silvan.forests.grid_defaults import (
    SHIFT_PROBABILITY,
    default_max_size,
    default_shift,
    default_statistics,
    default_whole,
    is_auto,
)
from silvan.projections import Windows
from silvan.projections.grids import spread_over_axes

if TYPE_CHECKING:
    from silvan.forests.grid import GridParameters


def check_raw(forest: GridParameters) -> None:
    """Refuse parameters of windows where directions are sums of the values themselves."""
    for name in ("statistics", "shift"):
        value = getattr(forest, name)
        if not is_auto(value):
            raise invalid(
                name,
                '"auto" with channels="raw", whose directions are sums of values',
                value,
                "pass channels=[silvan.channels.Raw()] for windows of the values themselves",
            )


def has_ones(forest: GridParameters) -> bool:
    """Whether the cells of a patch all count alike."""
    return is_word(forest.coefficients, "ones")


def windows_on(forest: GridParameters, channels: FittedChannels) -> Windows:
    """The windows that the parameters of a forest describe, on its channels."""
    if not has_ones(forest):
        raise invalid(
            "coefficients",
            '"ones" where windows lie on channels',
            forest.coefficients,
            'pass channels="raw" for patches with other coefficients',
        )
    plane = channels.planes.plane
    statistics: Any = default_statistics(plane) if is_auto(forest.statistics) else forest.statistics
    shift: Any = default_shift(plane) if is_auto(forest.shift) else forest.shift
    max_size: Any = default_max_size(plane)
    whole = default_whole(plane)
    if forest.max_size is not None:
        max_size, whole = _along_planes("max_size", forest.max_size, channels), 0.0
    return Windows(
        channels.layout.shapes,
        min_size=_along_planes("min_size", forest.min_size, channels),
        max_size=max_size,
        boundary=_along_planes("boundary", forest.boundary, channels),
        statistics=statistics,
        n_patches=forest.n_patches,
        reach=_along_planes("reach", forest.reach, channels),
        shift=shift,
        shift_probability=SHIFT_PROBABILITY,
        whole_probability=whole,
        weights=channels.weights,
    )


def _along_planes(name: str, value: Any, channels: FittedChannels) -> tuple[Any, ...]:
    """One value for each axis of a plane, from those of a sample's axes or from a single one."""
    planes = channels.planes
    values = spread_over_axes(name, value, planes.shape)
    return tuple(v for v, run in zip(values, planes.contiguous, strict=True) if run)

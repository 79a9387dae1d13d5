"""The windows of a manifold forest: its parameters, carried over to the axes of its channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from silvan._validation import check_integer, invalid, is_word
from silvan.channels import FittedChannels
from silvan.forests.grid_defaults import (
    AUTO,
    DRAWN_PER_TERM,
    SHIFT_PROBABILITY,
    default_boundary,
    default_max_size,
    default_shift,
    default_statistics,
    default_terms,
    default_whole,
    is_auto,
    root_of_arrays,
)
from silvan.projections import RidgeWindows, Windows
from silvan.projections.grids import spread_over_axes
from silvan.projections.ridge_windows import MAX_DRAWN

if TYPE_CHECKING:
    from silvan.forests.grid import GridForest


def check_raw(forest: GridForest) -> None:
    """Refuse parameters of windows where directions are sums of the values themselves."""
    for name in ("statistics", "shift", "n_terms", "pool_size"):
        value = getattr(forest, name, AUTO)
        if not is_auto(value):
            raise invalid(
                name,
                '"auto" with channels="raw", whose directions are sums of values',
                value,
                "pass channels=[silvan.channels.Raw()] for windows of the values themselves",
            )


def has_ones(forest: GridForest) -> bool:
    """Whether the cells of a patch all count alike."""
    return is_word(forest.coefficients, "ones")


def windows_on(forest: GridForest, channels: FittedChannels) -> Windows:
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
    n_terms = n_terms_on(forest, channels)
    whole = default_whole(plane, n_terms)
    if forest.max_size is not None:
        max_size, whole = _along_planes("max_size", forest.max_size, channels), 0.0
    boundary = boundary_on(forest, n_terms)
    fitted: dict[str, Any] = {"n_terms": n_terms, "n_drawn": DRAWN_PER_TERM * n_terms}
    kind, further = (Windows, {}) if n_terms == 1 else (RidgeWindows, fitted)
    return kind(
        channels.layout.shapes,
        min_size=_along_planes("min_size", forest.min_size, channels),
        max_size=max_size,
        boundary=_along_planes("boundary", boundary, channels),
        statistics=statistics,
        n_patches=forest.n_patches,
        reach=_along_planes("reach", forest.reach, channels),
        shift=shift,
        shift_probability=SHIFT_PROBABILITY,
        whole_probability=whole,
        weights=channels.weights(root_of_arrays(n_terms)),
        **further,
    )


def n_terms_on(forest: GridForest, channels: FittedChannels) -> int:
    """Number of windows that a direction of a forest combines."""
    if not is_auto(forest.n_terms):
        check_integer("n_terms", forest.n_terms, 1, maximum=MAX_DRAWN // DRAWN_PER_TERM)
        return int(forest.n_terms)
    # Whoever asks for many candidates means windows, of which a fit draws many itself.
    is_open = is_auto(forest.max_features) and not is_word(
        getattr(forest, "thresholds", None), "agnostic"
    )
    return default_terms(channels) if forest._combines and is_open else 1


def boundary_on(forest: GridForest, n_terms: int) -> str | Sequence[str]:
    """How the windows or patches of a forest meet the ends of an axis."""
    return default_boundary(n_terms) if is_auto(forest.boundary) else forest.boundary


def _along_planes(name: str, value: Any, channels: FittedChannels) -> tuple[Any, ...]:
    """One value for each axis of a plane, from those of a sample's axes or from a single one."""
    planes = channels.planes
    values = spread_over_axes(name, value, planes.shape)
    return tuple(v for v, run in zip(values, planes.contiguous, strict=True) if run)

"""How channels learn from training samples, and how their arrays become bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from silvan._validation import check_integer, invalid
from silvan.channels.base import Channel, State, as_floats
from silvan.channels.fitted import FittedChannels
from silvan.channels.function import Function
from silvan.channels.layout import ChannelLayout
from silvan.channels.plane import Plane, PlaneGrid, find_planes

# Samples that channels learn from, and the cells of a plane that these have together.
_MAX_LEARNING_SAMPLES = 1000
_MAX_LEARNING_CELLS = 2**23
# The quantile of a channel that becomes the largest byte, or, if that is 0, its maximum.
_LARGEST_BYTE_QUANTILE = 0.999


def fit_channels(
    channels: Sequence[Any],
    X: ArrayLike,
    *,
    contiguous: bool | Sequence[bool] = True,
    boundary: str | Sequence[str] = "pad",
    shape: tuple[int, ...] | None = None,
    seed: int = 0,
) -> FittedChannels:
    """Let channels learn from training samples; forests do this in `fit`.

    Parameters
    ----------
    channels : sequence of Channel or callable
        What to compute; a callable is wrapped in `Function`.
    X : array-like of shape (n_samples, n_features) or (n_samples, *shape)
        Training samples, of which the channels learn from the first thousand or fewer. Channels of
        uint8 images and volumes are uint8; all others are float32.
    contiguous : bool or sequence of bool, default=True
        False for an axis whose neighbours do not belong together, such as sensors or colours: each
        index is a plane with its own arrays. A single True treats axes of at most 4 cells beside a
        longer one in the same way.
    boundary : str or sequence of str, default="pad"
        "wrap" for an axis that is a circle; anything else ends the axis at its last cell.
    shape : tuple of int, default=None
        Shape of one sample; None takes it from `X`.
    seed : int, default=0
        Seed of what channels draw, such as kernels.

    Returns
    -------
    fitted : FittedChannels
        The channels, ready for samples of this shape.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.channels import Difference, Raw, fit_channels
    >>> X = np.random.default_rng(0).normal(size=(100, 8, 200))
    >>> fitted = fit_channels([Raw(), Difference()], X, contiguous=(False, True))
    >>> fitted.layout.n_channels, fitted.layout.names[:3]
    (16, ('value of plane 0', 'difference of plane 0', 'value of plane 1'))
    """
    samples = np.asarray(X)
    shape = samples.shape[1:] if shape is None else shape
    boundaries = [boundary] * len(shape) if isinstance(boundary, str) else boundary
    planes = find_planes(shape, contiguous, tuple(rule == "wrap" for rule in boundaries))
    check_integer("seed", seed, 0)
    return learn_channels(channels, samples.reshape(len(samples), -1), planes, seed)


def learn_channels(
    channels: Any, samples: NDArray[Any], planes: PlaneGrid, seed: int
) -> FittedChannels:
    """Let channels learn from the first of some flat samples; how many depends on their size.

    Parameters
    ----------
    channels : sequence of Channel or callable
        What to compute.
    samples : ndarray of shape (n_samples, n_features)
        Training samples.
    planes : PlaneGrid
        How they are divided.
    seed : int
        Seed of what channels draw.

    Returns
    -------
    fitted : FittedChannels
        The channels, ready for samples of this shape.
    """
    plane = planes.plane
    strategies = as_channels(channels, plane)
    samples = samples[: count_learning_samples(plane)]
    samples = samples if samples.dtype == np.uint8 else as_floats(samples)
    in_bytes = samples.dtype == np.uint8 and len(plane.shape) > 1
    states: list[list[State]] = []
    names: list[str] = []
    shapes: list[tuple[int, ...]] = []
    scales: list[tuple[float, float]] = []
    for at, values in enumerate(np.moveaxis(planes.divide(samples), 1, 0)):
        states.append([])
        suffix = f" of plane {at}" if planes.n_planes > 1 else ""
        for number, channel in enumerate(strategies):
            rng = np.random.Generator(np.random.Philox(key=[seed, at * len(strategies) + number]))
            state = channel.learn(values, plane, rng)
            states[at].append(state)
            # Scales need all learning samples, shapes and types a few.
            seen = values if in_bytes else values[:2]
            arrays = _compute(channel, seen, plane, state)
            names += [name + suffix for name in channel.names(plane)]
            for k in range(arrays.shape[1]):
                shapes.append(tuple(arrays.shape[2:]))
                scales.append(_learn_scale(arrays[:, k]) if in_bytes else (0.0, 1.0))
    dtype = "uint8" if in_bytes else "float32"
    layout = ChannelLayout(tuple(names), tuple(shapes))
    missing = samples.dtype.kind == "f" and bool(np.isnan(samples).any())
    return FittedChannels(strategies, planes, dtype, states, np.array(scales), layout, missing)


def count_learning_samples(plane: Plane) -> int:
    """Number of samples that channels learn from, if there are so many.

    Parameters
    ----------
    plane : Plane
        The grid of a plane.

    Returns
    -------
    n_samples : int
        Fewer where planes are large.
    """
    return min(_MAX_LEARNING_SAMPLES, max(16, _MAX_LEARNING_CELLS // plane.n_cells))


def as_channels(channels: Any, plane: Plane) -> tuple[Channel, ...]:
    """The channels of a sequence, checked against the grid; callables become `Function`.

    Parameters
    ----------
    channels : sequence of Channel or callable
        What the user passed.
    plane : Plane
        The grid of a plane.

    Returns
    -------
    channels : tuple of Channel
        Copies are not made.
    """
    given = list(channels) if isinstance(channels, list | tuple) else []
    # A class can be called, too, but computes nothing: it lacks its parentheses.
    built = tuple(
        Function(entry) if callable(entry) and not isinstance(entry, Channel | type) else entry
        for entry in given
    )
    if not built or not all(isinstance(channel, Channel) for channel in built):
        raise invalid(
            "channels",
            '"auto", "raw" or a sequence of objects of silvan.channels and callables',
            channels,
            "pass for example [Raw(), Difference()] from silvan.channels",
        )
    for channel in built:
        channel.validate(plane)
    return built


def _compute(channel: Channel, values: NDArray[Any], plane: Plane, state: State) -> NDArray[Any]:
    """What a channel computes from learning samples, its shape checked."""
    arrays = np.asarray(channel.compute(values, plane, state))
    expected = (len(values), len(channel.names(plane)))
    if arrays.ndim != 2 + len(plane.shape) or arrays.shape[:2] != expected or arrays.size == 0:
        raise ValueError(
            f"{type(channel).__name__}.compute must return an array of shape (n_samples, "
            f"len(names), *shape) with as many axes in shape as {plane.shape} has, but for "
            f"{expected[0]} samples and {expected[1]} names it returned {arrays.shape}; reshape it."
        )
    if arrays.dtype.kind not in "biuf":
        raise ValueError(
            f"{type(channel).__name__}.compute must return real numbers, but for "
            f"{channel.names(plane)[0]!r} it returned dtype {arrays.dtype}; convert it to floats."
        )
    return arrays


def _learn_scale(values: NDArray[Any]) -> tuple[float, float]:
    """What byte 0 stands for and the step to the next: bytes as they are, others by quantiles."""
    if values.dtype == np.uint8:
        return 0.0, 1.0
    known = values[np.isfinite(values)].astype(np.float64)
    if not len(known):
        return 0.0, 1.0
    low, high = np.quantile(known, [1 - _LARGEST_BYTE_QUANTILE, _LARGEST_BYTE_QUANTILE])
    low = min(0.0, float(low))
    if high <= low:
        high = float(known.max())
    return low, (float(high) - low) / 255 if high > low else 1.0

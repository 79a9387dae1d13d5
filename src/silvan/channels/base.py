"""The base class of every channel, built-in or a user's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan.channels.plane import Plane
from silvan.projections.parameters import ParameterHolder

State = dict[str, NDArray[Any]]

# Decorates what computes: results of values near the limit of float32 may be infinite or NaN, which
# is no reason to warn of.
quiet_overflow = np.errstate(over="ignore", invalid="ignore")


class Channel(ParameterHolder, ABC):
    """One or several arrays that are computed from each sample, for windows to be laid on.

    A sample on a grid has one or several planes: a series, an image or a volume each. A channel
    turns a plane into arrays, usually on the same grid. It is computed from one sample alone; what
    it learns from training samples before (`learn`) is kept with the forest.

    A subclass implements `compute` and `names`, stores the arguments of its constructor under their
    own names and does nothing else there. It may implement `learn`, `validate` and `to_grid`. Files
    know it after `silvan.files.register`.

    See Also
    --------
    Plane : The grid that a channel is computed on, with its rule for the ends of axes.
    Function : A channel from a function, which files cannot keep.

    Examples
    --------
    The distance of each value from the median of its series:

    >>> import numpy as np
    >>> from silvan.channels import Channel, fit_channels
    >>> class FromMedian(Channel):
    ...     def names(self, plane):
    ...         return ["distance from median"]
    ...
    ...     def compute(self, samples, plane, state):
    ...         medians = np.median(samples, axis=-1, keepdims=True)
    ...         return np.abs(samples - medians)[:, None]
    >>> X = np.array([[1.0, 5.0, 2.0], [0.0, 0.0, 9.0]])
    >>> fit_channels([FromMedian()], X).transform(X)
    array([[1., 3., 0.],
           [0., 0., 9.]], dtype=float32)
    """

    @abstractmethod
    def names(self, plane: Plane) -> list[str]:
        """The name of each array that the channel makes of a plane.

        Parameters
        ----------
        plane : Plane
            The grid.

        Returns
        -------
        names : list of str
            Nouns, as in "spread of difference".
        """

    @abstractmethod
    def compute(self, samples: NDArray[Any], plane: Plane, state: State) -> NDArray[Any]:
        """Compute the arrays.

        Parameters
        ----------
        samples : ndarray of shape (n_samples, *plane.shape)
            Values of one plane: float32, or uint8 as they were given; read-only. NaN is a missing
            value: a result is missing (NaN) where it is computed from one.
        plane : Plane
            The grid, with `pad` for the ends of its axes.
        state : dict of str to ndarray
            What `learn` returned.

        Returns
        -------
        arrays : ndarray of shape (n_samples, len(names), *shape)
            As many axes as the plane has; their lengths may differ from the plane's. uint8 is
            stored as it is where channels are bytes, all else is scaled there.
        """

    def learn(self, samples: NDArray[Any], plane: Plane, rng: np.random.Generator) -> State:
        """Learn from training samples; the default learns nothing.

        Parameters
        ----------
        samples : ndarray of shape (n_samples, *plane.shape)
            Up to a thousand distinct training samples.
        plane : Plane
            The grid.
        rng : numpy.random.Generator
            The only source of randomness to use.

        Returns
        -------
        state : dict of str to ndarray
            Arrays that `compute` is given, and that files keep.
        """
        return {}

    def accepts(self, state: State, plane: Plane) -> bool:
        """Whether `learn` could have returned this; asked of what a file says.

        Parameters
        ----------
        state : dict of str to ndarray
            What the file has.
        plane : Plane
            The grid.

        Returns
        -------
        accepted : bool
            True by default: a channel that indexes by what it learnt should look at it.
        """
        return True

    def largest(self, plane: Plane) -> int | None:
        """The largest value of the arrays, where all are whole numbers from 0 on.

        Running sums of small whole numbers take less memory; this tells how much before there are
        any.

        Parameters
        ----------
        plane : Plane
            The grid.

        Returns
        -------
        largest : int or None
            None by default: arrays may have any values.
        """
        return None

    def validate(self, plane: Plane) -> None:
        """Raise an error if a parameter is wrong, or wrong for this grid.

        Parameters
        ----------
        plane : Plane
            The grid.
        """

    def to_grid(self, credit: NDArray[np.float64], plane: Plane) -> NDArray[np.float64]:
        """Spread what the cells of one array are credited with over the cells of the plane.

        Maps of importances use it. The default leaves an array of the plane's shape as it is and
        spreads any other evenly, as where every value of a sample has a part in every cell.

        Parameters
        ----------
        credit : ndarray of shape (n, *shape)
            A number for each cell of one of the arrays, n times.
        plane : Plane
            The grid.

        Returns
        -------
        spread : ndarray of shape (n, *plane.shape)
            Numbers with the same n sums.
        """
        if credit.shape[1:] == plane.shape:
            return credit
        totals = credit.reshape(len(credit), -1).sum(axis=1)
        parts = totals.reshape(-1, *(1 for _ in plane.shape)) / plane.n_cells
        return np.broadcast_to(parts, (len(credit), *plane.shape))


def as_floats(samples: NDArray[Any]) -> NDArray[np.float32]:
    """The samples as float32, without a copy where they are that already."""
    return samples.astype(np.float32, copy=False)


def is_positive_number(value: object) -> bool:
    """Whether the value is an array of one positive float32, as floors are kept."""
    return (
        isinstance(value, np.ndarray)
        and value.shape == (1,)
        and value.dtype == np.float32
        and bool(np.isfinite(value[0]) and value[0] > 0)
    )

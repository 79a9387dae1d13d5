"""What boosting asks of a loss."""

from __future__ import annotations

from abc import ABC, abstractmethod
from inspect import signature
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Of the search for the best constant: until the loss falls by less than this share of it.
_MAX_STEPS, _MAX_HALVINGS, _ENOUGH = 50, 60, 1e-9
_SMALLEST = 1e-12


class Loss(ABC):
    """A loss of one target and its raw scores.

    A subclass gives `losses` and `derivatives`, sample by sample and without weights; weights are
    multiplied with both by the methods of this class. What it stores in its constructor, under the
    names of the arguments, are its parameters.

    Targets and raw scores are arrays of shape (n_samples, n_scores): a column for each output of a
    regressor. Losses of classes have codes 0, 1, ... of shape (n_samples,) as targets instead, and
    one raw score for two classes, positive in favour of the second, or one for each class. Methods
    are called with blocks of samples, from several threads, and cannot write into them.

    Examples
    --------
    A loss that punishes predictions below the target four times as much as those above:

    >>> import numpy as np
    >>> from silvan import BoostedForestRegressor
    >>> from silvan.losses import Loss
    >>> class Asymmetric(Loss):
    ...     def losses(self, y, raw):
    ...         return np.where(raw < y, 4.0, 1.0) * (raw - y) ** 2
    ...
    ...     def derivatives(self, y, raw):
    ...         factor = np.where(raw < y, 8.0, 2.0)
    ...         return factor * (raw - y), factor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3))
    >>> y = X[:, 0] + rng.normal(size=500)
    >>> forest = BoostedForestRegressor(30, loss=Asymmetric(), random_state=0).fit(X, y)
    >>> bool((forest.predict(X) > y).mean() > 0.6)
    True
    """

    @abstractmethod
    def losses(self, y: NDArray[Any], raw: Floats) -> Floats:
        """Loss of each sample, of shape (n_samples,) or (n_samples, n_scores).

        Parameters
        ----------
        y : ndarray
            Targets.
        raw : ndarray of shape (n_samples, n_scores)
            Raw scores.

        Returns
        -------
        losses : ndarray
            One number for each sample, or for each of its scores; these are added up.
        """

    @abstractmethod
    def derivatives(self, y: NDArray[Any], raw: Floats) -> tuple[Floats, Floats]:
        """First and second derivatives of the losses by the raw scores.

        Parameters
        ----------
        y : ndarray
            Targets.
        raw : ndarray of shape (n_samples, n_scores)
            Raw scores.

        Returns
        -------
        gradients, hessians : ndarray of shape (n_samples, n_scores)
            The hessians must not be negative. Where the second derivative is zero or unbounded, an
            upper bound takes its place.
        """

    def start(self, y: NDArray[Any], weight: Floats | None = None) -> Floats:
        """Raw scores of the forest without trees: for numbers the best constant, by Newton steps.

        For classes they are zeros unless a subclass knows better.

        Parameters
        ----------
        y : ndarray
            Targets.
        weight : ndarray of shape (n_samples,) or None, default=None
            Weights of the samples.

        Returns
        -------
        raw : ndarray of shape (n_scores,)
            The best constant, where that is known.
        """
        if y.ndim == 1:
            return np.zeros(1)
        return self._best_constant(y, weight)

    def _best_constant(self, y: NDArray[Any], weight: Floats | None) -> Floats:
        """Raw scores that are the same for all samples, with the smallest loss that is found."""

        def repeated(raw: Floats) -> Floats:
            return np.repeat(raw[None], len(y), axis=0)

        raw = np.zeros(y.shape[1])
        lowest = self.value(y, repeated(raw), weight)
        for _ in range(_MAX_STEPS):
            gradients, hessians = self.gradient_and_hessian(y, repeated(raw), weight)
            step = gradients.sum(axis=0) / np.maximum(hessians.sum(axis=0), _SMALLEST)
            for _ in range(_MAX_HALVINGS):
                loss = self.value(y, repeated(raw - step), weight)
                if loss < lowest:
                    break
                step = step / 2
            else:
                break
            raw, gained, lowest = raw - step, lowest - loss, loss
            if gained <= _ENOUGH * abs(lowest):
                break
        return raw

    def inverse_link(self, raw: Floats) -> Floats:
        """Predictions from raw scores; the raw scores themselves unless a subclass says otherwise.

        Parameters
        ----------
        raw : ndarray of shape (n_samples, n_scores)
            Raw scores.

        Returns
        -------
        predictions : ndarray of shape (n_samples, n_scores) or (n_samples, n_classes)
            Means of the targets, or probabilities of the classes.
        """
        return raw

    def check_targets(self, y: NDArray[Any]) -> None:  # noqa: B027
        """Raise a ValueError where the loss is not defined for some target.

        Parameters
        ----------
        y : ndarray
            Targets.
        """

    def adapt(self, y: NDArray[Any], weight: Floats | None = None) -> Loss:
        """The loss with what it learns from the training targets; itself where that is nothing.

        Parameters
        ----------
        y : ndarray
            Training targets.
        weight : ndarray of shape (n_samples,) or None, default=None
            Weights of the samples.

        Returns
        -------
        loss : Loss
            The loss that a forest is fitted by.
        """
        return self

    def leaf_values(
        self, y: NDArray[Any], raw: Floats, weight: Floats | None, leaf: NDArray[np.int32]
    ) -> Floats | None:
        """Best values of the leaves of a tree where a Newton step is not the way to them.

        Parameters
        ----------
        y : ndarray of shape (n_samples,)
            Targets of the output that the tree is grown for.
        raw : ndarray of shape (n_samples,)
            Its raw scores before the tree.
        weight : ndarray of shape (n_samples,) or None
            Weights of the samples.
        leaf : ndarray of shape (n_samples,)
            Number of the leaf that each sample is in, from 0 on.

        Returns
        -------
        values : ndarray of shape (n_leaves,) or None
            What to add to the raw scores, before the learning rate; None for Newton steps.
        """
        return None

    def value(self, y: NDArray[Any], raw: Floats, weight: Floats | None = None) -> float:
        """Weighted mean of the losses of the samples.

        Parameters
        ----------
        y : ndarray
            Targets.
        raw : ndarray of shape (n_samples, n_scores)
            Raw scores.
        weight : ndarray of shape (n_samples,) or None, default=None
            Weights of the samples.

        Returns
        -------
        value : float
            The mean over samples; over several scores of a sample the losses are added up.
        """
        losses = np.asarray(self.losses(y, raw))
        if losses.shape not in ((len(raw),), raw.shape):
            raise ValueError(
                f"{type(self).__name__}.losses must return an array of shape {(len(raw),)} or "
                f"{raw.shape}, but it returned one of shape {losses.shape}; reshape it."
            )
        _require_reals(self, "losses", losses)
        if losses.ndim == 2:
            losses = losses.sum(axis=1)
        return float(np.average(losses, weights=weight))

    def gradient_and_hessian(
        self, y: NDArray[Any], raw: Floats, weight: Floats | None = None
    ) -> tuple[Floats, Floats]:
        """Derivatives times the weights of the samples.

        Parameters
        ----------
        y : ndarray
            Targets.
        raw : ndarray of shape (n_samples, n_scores)
            Raw scores.
        weight : ndarray of shape (n_samples,) or None, default=None
            Weights of the samples.

        Returns
        -------
        gradients, hessians : ndarray of shape (n_samples, n_scores)
            What trees are grown on.
        """
        pair = self.derivatives(y, raw)
        shapes = [np.shape(part) for part in pair] if isinstance(pair, tuple) else np.shape(pair)
        if shapes != [raw.shape, raw.shape]:
            raise ValueError(
                f"{type(self).__name__}.derivatives must return a pair of arrays of shape "
                f"{raw.shape}, first and second derivatives, but it returned "
                f"{'shapes' if isinstance(pair, tuple) else 'one array of shape'} {shapes}; "
                "return gradients, hessians."
            )
        gradients, hessians = (np.asarray(part) for part in pair)
        _require_reals(self, "derivatives", gradients, hessians)
        if weight is None:
            return gradients, hessians
        return gradients * weight[:, None], hessians * weight[:, None]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Not used; there for the sake of grid searches.

        Returns
        -------
        params : dict
            Names and values.
        """
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by the names of `get_params`.

        Parameters
        ----------
        **params
            Names and values.

        Returns
        -------
        self : object
            This object.
        """
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for {self!r}; its parameters are {sorted(known)}."
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = signature(type(self)).parameters
        given = ", ".join(
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if not np.array_equal(value, defaults[name].default)
        )
        return f"{type(self).__name__}({given})"


def _require_reals(loss: Loss, method: str, *answers: NDArray[Any]) -> None:
    for answer in answers:
        if answer.dtype.kind not in "biuf":
            raise ValueError(
                f"{type(loss).__name__}.{method} must return an array of real numbers, but it "
                f"returned one of dtype {answer.dtype}; see silvan.losses.Loss."
            )


def weighted_mean(y: Floats, weight: Floats | None) -> Floats:
    """Mean of each column."""
    mean: Floats = np.average(y, axis=0, weights=weight)
    return mean


def weighted_quantile(values: Floats, level: float, weight: Floats | None) -> float:
    """The smallest value whose share of the weight, with all below it, reaches the level.

    Where the level is reached exactly, the middle between it and the next value, so that the median
    of two is their mean.
    """
    group = np.zeros(len(values), dtype=np.int32)
    return float(grouped_quantiles(values, level, weight, group)[0])


def grouped_quantiles(
    values: Floats, level: float, weight: Floats | None, group: NDArray[np.int32]
) -> Floats:
    """The same within each group; groups are numbered from 0 on, and none is empty."""
    order = np.lexsort((values, group))
    values, group = values[order], group[order]
    ends = np.flatnonzero(np.append(group[1:] != group[:-1], True))
    if weight is None:
        running = np.arange(1.0, len(values) + 1)
    else:
        # Heavy groups would drown the light ones after them: totals are brought near 1, by powers
        # of two, so that sums of whole weights stay exact.
        single = weight[order]
        totals = np.add.reduceat(single, np.append(0, ends[:-1] + 1))
        running = np.cumsum(np.ldexp(single, -np.frexp(totals)[1][group]))
    before = np.append(0.0, running[ends[:-1]])
    target = before + level * (running[ends] - before)
    starts = np.append(0, ends[:-1] + 1)
    # Rounding must not carry the target beyond the values of its group.
    at = np.clip(np.searchsorted(running, target * (1 - 1e-12)), starts, ends)
    following = np.minimum(at + 1, ends)
    reached = np.isclose(running[at], target, rtol=1e-12, atol=0.0)
    quantiles: Floats = np.where(reached, (values[at] + values[following]) / 2, values[at])
    return quantiles

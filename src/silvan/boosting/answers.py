"""What a loss answers while a forest is boosted, checked: a loss may be a user's own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan.losses import Loss

Floats = NDArray[np.float64]


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The same memory, which losses and scorers read and cannot write into."""
    view = array.view()
    view.flags.writeable = False
    return view


def ask_start(loss: Loss, y: NDArray[Any], weight: Floats | None, n_values: int) -> Floats:
    """Raw scores of the forest without trees, as floats.

    Parameters
    ----------
    loss : Loss
        The loss.
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Codes of classes, or numbers.
    weight : ndarray of shape (n_samples,) or None
        Weights of the samples.
    n_values : int
        Number of predictions for a sample: of outputs, or of classes.

    Returns
    -------
    start : ndarray of shape (n_scores,)
        Finite numbers whose predictions have the right number.
    """
    start = _as_floats(loss, "start", loss.start(y, weight))
    shape = "(n_scores,)" if y.ndim == 1 else f"({y.shape[1]},)"
    expected = start.shape if y.ndim == 1 else (y.shape[1],)
    if start.ndim != 1 or start.shape != expected or not len(start):
        raise _wrong(loss, "start", f"of shape {shape}", f"of shape {start.shape}")
    if not np.isfinite(start).all():
        raise _wrong(loss, "start", "of finite numbers", str(start))
    predicted = np.shape(loss.inverse_link(start[None]))
    if predicted != (1, n_values):
        rule = f"of shape (1, {n_values}) for raw scores of shape {(1, len(start))}"
        raise _wrong(loss, "inverse_link", rule, f"of shape {predicted}")
    return start


def ask_derivatives(
    loss: Loss, y: NDArray[Any], raw: Floats, weight: Floats | None
) -> tuple[Floats, Floats]:
    """Gradients and hessians times the weights, of the shape of the raw scores."""
    answer = loss.gradient_and_hessian(y, read_only(raw), weight)
    gradients, hessians = (_as_floats(loss, "derivatives", part) for part in answer)
    for part in (gradients, hessians):
        if part.shape != raw.shape:
            rule = f"of shape {raw.shape}, as the raw scores have, for gradients and for hessians"
            raise _wrong(loss, "derivatives", rule, f"one of shape {part.shape}")
    return gradients, hessians


def require_finite(loss: Loss, gradients: Floats, hessians: Floats) -> None:
    """Raise where no tree can be grown on such derivatives.

    The core looks at them as it rounds them; this says whose they are.
    """
    if np.isfinite(gradients).all() and np.isfinite(hessians).all() and (hessians >= 0).all():
        return
    raise ValueError(
        f"{type(loss).__name__}.derivatives must return finite gradients and finite hessians "
        ">= 0, but some times their weights are not; rescale the targets or weights, lower "
        "learning_rate, or correct the loss where it is your own."
    )


def renews_leaves(loss: Loss) -> bool:
    """Whether the loss says itself what leaves have, in place of Newton steps."""
    return type(loss).leaf_values is not Loss.leaf_values


def ask_leaf_values(
    loss: Loss, y: Floats, raw: Floats, weight: Floats | None, leaf: NDArray[np.int32]
) -> Floats:
    """Best values of the leaves of a tree, a finite number for each.

    Leaves may be numbered on from another tree's; the loss sees numbers from 0 on.
    """
    leaf = leaf - leaf.min()
    values = _as_floats(loss, "leaf_values", loss.leaf_values(y, read_only(raw), weight, leaf))
    n_leaves = int(leaf.max()) + 1
    if values.shape != (n_leaves,) or not np.isfinite(values).all():
        rule = f"of {n_leaves} finite numbers, one for each leaf"
        raise _wrong(loss, "leaf_values", rule, f"{values!r}")
    return values


def _as_floats(loss: Loss, method: str, answer: object) -> Floats:
    values = np.asarray(answer)
    if values.dtype.kind not in "biuf":
        raise _wrong(loss, method, "of real numbers", f"one of dtype {values.dtype}")
    return values.astype(np.float64, copy=False)


def _wrong(loss: Loss, method: str, rule: str, came: str) -> ValueError:
    return ValueError(
        f"{type(loss).__name__}.{method} must return an array {rule}, but it returned {came}; "
        "see silvan.losses.Loss."
    )

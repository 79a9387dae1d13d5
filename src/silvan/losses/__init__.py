"""Losses that boosted forests minimise: values, gradients, hessians and links, in NumPy.

A boosted forest predicts a *raw score*, a sum over its trees; a loss says how bad a raw score is
for a target, and its link turns raw scores into predictions. To write a loss of your own, derive
from `Loss`.
"""

from silvan.losses.base import Loss
from silvan.losses.classes import BinaryLogLoss, MultinomialLogLoss
from silvan.losses.numbers import (
    AbsoluteError,
    Gamma,
    Huber,
    Poisson,
    Quantile,
    SquaredError,
)

__all__ = [
    "AbsoluteError",
    "BinaryLogLoss",
    "Gamma",
    "Huber",
    "Loss",
    "MultinomialLogLoss",
    "Poisson",
    "Quantile",
    "SquaredError",
]

"""Plots of forests; they need matplotlib, the extra ``silvan[plot]``."""

from silvan.plotting.bias_variance import BiasVarianceDisplay
from silvan.plotting.contributions import ContributionDisplay
from silvan.plotting.importances import ImportanceDisplay
from silvan.plotting.out_of_bag import OutOfBagDisplay
from silvan.plotting.projections import ProjectionsDisplay
from silvan.plotting.regions import RegionsDisplay
from silvan.plotting.rounds import RoundsDisplay
from silvan.plotting.strength import StrengthDisplay
from silvan.plotting.tree import TreeDisplay
from silvan.plotting.unsupervised import DensityDisplay, EmbeddingDisplay

__all__ = [
    "BiasVarianceDisplay",
    "ContributionDisplay",
    "DensityDisplay",
    "EmbeddingDisplay",
    "ImportanceDisplay",
    "OutOfBagDisplay",
    "ProjectionsDisplay",
    "RegionsDisplay",
    "RoundsDisplay",
    "StrengthDisplay",
    "TreeDisplay",
]

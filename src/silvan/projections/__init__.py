"""Projection distributions: where a node's candidate split directions come from.

A forest is one algorithm; the distribution makes it a random forest, a sparse oblique forest, a
rotation forest, and so on. Each distribution is a small object that holds the parameters of a
distribution. To write a new one, derive from `ProjectionDistribution` and draw with NumPy.
"""

from silvan._windows import Window
from silvan.projections.axis import AxisAligned
from silvan.projections.base import ProjectionDistribution
from silvan.projections.canonical import CanonicalDirections
from silvan.projections.combinations import UniformCombinations
from silvan.projections.components import PrincipalComponents
from silvan.projections.dictionary import Dictionary
from silvan.projections.edges import EdgeNeighborhoods
from silvan.projections.graphs import GraphNeighborhoods
from silvan.projections.grids import Grid, Patches
from silvan.projections.mixture import Mixture
from silvan.projections.node import Node
from silvan.projections.perturbed import PerturbedHyperplanes
from silvan.projections.ridge import RidgeDirections
from silvan.projections.ridge_windows import RidgeWindows
from silvan.projections.rotation import RandomRotation
from silvan.projections.sparse import SparseSigns
from silvan.projections.units import UnitFree
from silvan.projections.weighted import WeightedCombinations
from silvan.projections.windows import Windows

__all__ = [
    "AxisAligned",
    "CanonicalDirections",
    "Dictionary",
    "EdgeNeighborhoods",
    "GraphNeighborhoods",
    "Grid",
    "Mixture",
    "Node",
    "Patches",
    "PerturbedHyperplanes",
    "PrincipalComponents",
    "ProjectionDistribution",
    "RandomRotation",
    "RidgeDirections",
    "RidgeWindows",
    "SparseSigns",
    "UniformCombinations",
    "UnitFree",
    "WeightedCombinations",
    "Window",
    "Windows",
]

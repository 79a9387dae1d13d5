"""A grown forest as plain fixed-width arrays, which all prediction and inspection reads."""

from silvan.forest_arrays.arrays import ForestArrays
from silvan.forest_arrays.layout import MAX_CATEGORIES

__all__ = ["MAX_CATEGORIES", "ForestArrays"]

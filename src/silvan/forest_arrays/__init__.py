"""A grown forest as plain fixed-width arrays, which all prediction and inspection reads."""

from silvan.forest_arrays.arrays import ForestArrays

__all__ = ["ForestArrays"]

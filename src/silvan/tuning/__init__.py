"""Choosing the parameters of a forest by its out-of-bag score."""

from silvan.tuning.grids import direction_grid, patch_grid, window_grid
from silvan.tuning.search import OutOfBagSearch

__all__ = ["OutOfBagSearch", "direction_grid", "patch_grid", "window_grid"]

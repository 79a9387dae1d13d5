"""Pictures of forests; they need matplotlib, the extra ``silvan[plot]``."""

from silvan.plotting.importances import ImportanceDisplay

__all__ = ["ImportanceDisplay"]

"""The error that all checks of a forest's arrays share."""

from __future__ import annotations


def require(holds: bool, otherwise: str) -> None:
    """Raise a ValueError that says what is wrong, unless the condition holds."""
    if not holds:
        raise ValueError(f"these arrays are not a forest: {otherwise}; grow or load it again.")

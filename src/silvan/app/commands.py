"""The commands of `silvan`, in the order in which its help lists them."""

from __future__ import annotations

from silvan.app import fitting, judging
from silvan.app.program import app

__all__ = ["app", "fitting", "judging"]

"""Parameters as declarations of dataclasses: what they change, and how they are passed."""

from __future__ import annotations

from copy import copy
from dataclasses import field, fields
from typing import Any, TypeVar

Declared = TypeVar("Declared", bound=type)


def growing(default: Any) -> Any:
    """A parameter that changes how trees grow, and nothing that is read or drawn before."""
    return field(default=default, metadata={"growing": True})


def growing_parameters(estimator: type) -> set[str]:
    """The parameters in which forests may differ and still share their samples and draws."""
    return {declared.name for declared in fields(estimator) if declared.metadata.get("growing")}


def keyword_only(declared: Declared) -> Declared:
    """Let every parameter of a dataclass be passed by name only, inherited ones included."""
    own: dict[str, Any] = declared.__dataclass_fields__  # type: ignore[attr-defined]
    for name, parameter in own.items():
        own[name] = copy(parameter)
        own[name].kw_only = True
    return declared

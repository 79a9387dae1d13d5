"""How many samples have numbers: in the canonical order, and as members of leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

# The canonical order has numbers of type uint32, leaves have members of type int32: on tables of
# more samples, forests are grown without members.
MAX_SAMPLES_IN_ORDER = 2**32 - 1
MAX_SAMPLES_WITH_MEMBERS = 2**31 - 1


def has_members(n_samples: int) -> bool:
    """Whether leaves of a forest on so many samples know their members."""
    return n_samples <= MAX_SAMPLES_WITH_MEMBERS


def number_type(n_samples: int) -> type[np.integer[Any]]:
    """The type of the numbers of so many samples: that of members, where leaves have them."""
    return np.int32 if has_members(n_samples) else np.uint32


def check_members(n_samples: int, method: str) -> None:
    """Require that leaves know their members, for a method that reads them."""
    if not has_members(n_samples):
        raise ValueError(
            f"{method} needs the training samples in each leaf, which a forest on more than "
            f"{MAX_SAMPLES_WITH_MEMBERS} samples does not keep, but this one was fitted on "
            f"{n_samples}; fit a forest on fewer of them."
        )

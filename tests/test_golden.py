"""Every forest stays the same, bit for bit, unless a change means to change it.

``SILVAN_RENEW_GOLDEN=1 python -m pytest tests/test_golden.py`` writes the digests anew; the commit
that does so says which forests changed, and why.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from golden_forests import FITTED, FORESTS, digest, processor_kind

GOLDEN = Path(__file__).with_name("golden.json")
RENEW = os.environ.get("SILVAN_RENEW_GOLDEN") == "1"


def known() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(GOLDEN.read_text())
    return found


def keep(section: dict[str, Any], name: str, came: str, everything: dict[str, Any]) -> None:
    section[name] = came
    GOLDEN.write_text(json.dumps(everything, indent=1, sort_keys=True) + "\n")


@pytest.mark.parametrize("name", FORESTS)
def test_forest_is_the_recorded_one(name: str) -> None:
    digests = known()
    came = digest(FORESTS[name]())
    if RENEW:
        keep(digests["forests"], name, came, digests)
    assert came == digests["forests"][name]


@pytest.mark.parametrize("name", FITTED)
def test_forest_of_fitted_directions_is_the_recorded_one(name: str) -> None:
    digests = known()
    kind = processor_kind()
    section = digests["fitted"].setdefault(kind, {})
    if not RENEW and name not in section:
        pytest.skip(f"LAPACK rounds by the kind of processor, and {kind} has no digest")
    came = digest(FITTED[name]())
    if RENEW:
        keep(section, name, came, digests)
    assert came == section[name]


def test_every_digest_belongs_to_a_forest() -> None:
    digests = known()
    assert set(digests["forests"]) == set(FORESTS)
    assert all(set(section) == set(FITTED) for section in digests["fitted"].values())

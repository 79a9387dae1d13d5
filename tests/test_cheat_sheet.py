"""Every line of the guide's cheat sheet does what it says, and no distribution is missing."""

import re
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from silvan import ForestClassifier, ManifoldForestClassifier, channels, projections

PAGE = Path(__file__).parents[1] / "docs" / "guide" / "cheat_sheet.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="packages have no docs")


def lines_of(table: str) -> list[str]:
    """The code in the first column of one of the tables."""
    if not PAGE.exists():
        return []
    rows = PAGE.read_text().split(f"<!-- {table} -->")[1].split("<!-- end -->")[0]
    return re.findall(r"^\| `([^`]+)` \|", rows, flags=re.M)


RNG = np.random.default_rng(0)
Y = np.arange(60) % 2
TABLE = pd.DataFrame(RNG.normal(size=(60, 6)) + Y[:, None], columns=[f"x{k}" for k in range(6)])
SERIES = RNG.normal(size=(60, 3, 40)) + Y[:, None, None]
GIVEN = {
    **vars(projections),
    **vars(channels),
    "np": np,
    "atoms": np.eye(6),
    "graph": nx.path_graph(6),
    "edges": [(k, k + 1) for k in range(6)],
}


@pytest.mark.parametrize("code", lines_of("projections") + lines_of("graphs"))
def test_distributions_of_the_sheet_grow_forests(code):
    forest = ForestClassifier(3, projections=eval(code, GIVEN), random_state=0)
    assert forest.fit(TABLE, Y).score(TABLE, Y) > 0.7


@pytest.mark.parametrize("code", lines_of("switches"))
def test_switches_of_the_sheet_grow_forests(code):
    forest = eval(f"Forest(40, random_state=0, {code})", GIVEN | {"Forest": ForestClassifier})
    assert forest.fit(TABLE, Y).score(TABLE, Y) > 0.7


@pytest.mark.parametrize("code", [*lines_of("grids"), *lines_of("channels")])
def test_grids_and_channels_of_the_sheet_grow_forests(code):
    options = code if "=" in code.partition("(")[0] else f"channels=[Raw(), {code}]"
    call = f"Forest(3, random_state=0, {options})"
    forest = eval(call, GIVEN | {"Forest": ManifoldForestClassifier})
    X = SERIES.reshape(60, 12, 10) if "Gradients" in code else SERIES  # those of images
    assert forest.fit(X, Y).score(X, Y) > 0.7


def test_no_distribution_or_channel_is_missing():
    text = PAGE.read_text()
    for module, parents in (
        (projections, (projections.ProjectionDistribution,)),
        (channels, (channels.Channel,)),
    ):
        for name in module.__all__:
            kind = getattr(module, name)
            # What manifold forests make themselves.
            internal = name in ("Windows", "RidgeWindows", "Patches", "Channel")
            if isinstance(kind, type) and issubclass(kind, parents) and not internal:
                assert name in text, name

"""Data frames of numbers, categories and text, with values missing, and rows with new ones."""

import numpy as np
import pandas as pd

COLOURS = np.array(["blue", "green", "pink", "red", "white"])
SHOPS = np.array([f"shop {k}" for k in range(12)])


def make_frame(n: int = 200, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Rows of a category, two numbers and a text; classes (three, as text) and numbers."""
    rng = np.random.default_rng(seed)
    colour, shop = rng.integers(0, len(COLOURS), n), rng.integers(0, len(SHOPS), n)
    numbers = rng.normal(size=(n, 2)).astype(np.float32)
    target = np.isin(colour, [0, 3]) + 0.5 * numbers[:, 0] + (shop % 3 == 0)
    classes = np.array(["low", "middle", "top"])[np.digitize(target, [0.3, 1.1])]
    X = pd.DataFrame(
        {
            "colour": pd.Categorical(COLOURS[colour]),
            "size": numbers[:, 0],
            "shop": SHOPS[shop].astype(object),
            "noise": numbers[:, 1],
        }
    )
    for k, name in enumerate(X.columns):
        X.loc[X.index[k::17], name] = None
    return X, classes, target


def new_rows(n: int = 60) -> pd.DataFrame:
    """Rows with categories that `make_frame` never has, and with missing ones."""
    X = make_frame(n, seed=99)[0].astype({"colour": object})
    X.loc[::5, "colour"] = "mauve"
    X.loc[::7, "shop"] = "a new shop"
    X.loc[3, ["colour", "shop"]] = None
    return X

"""One boosted tree in plain NumPy: the splits and values that the native booster must find."""

from dataclasses import dataclass, field

import numpy as np

DEFAULTS = {
    "max_leaf_nodes": 31,
    "max_depth": 1000,
    "min_samples_leaf": 1,
    "min_child_weight": 1e-3,
    "min_gain": 0.0,
    "l1": 0.0,
    "l2": 0.0,
    "learning_rate": 0.1,
    "monotone": None,
    "interaction_groups": None,
}


@dataclass
class Node:
    samples: np.ndarray
    depth: int = 0
    low: float = -np.inf
    high: float = np.inf
    path: frozenset = frozenset()
    gain: float = 0.0
    feature: int = -1
    threshold: float = 0.0
    missing_left: bool = False
    sides: tuple = ()
    left: int = -1
    sums: np.ndarray = field(default_factory=lambda: np.zeros(2))


def edges_of(column):
    """The middles between neighbours, as float32; the smaller neighbour where they meet."""
    values = np.unique(column[~np.isnan(column)]).astype(np.float32)
    middle = values[:-1] / np.float32(2) + values[1:] / np.float32(2)
    return np.where(middle < values[1:], middle, values[:-1])


def shrink(sums, l1):
    return np.sign(sums) * np.maximum(np.abs(sums) - l1, 0.0)


class ReferenceTree:
    """Grows on X with gradients and hessians of shape (n_samples, n_outputs)."""

    def __init__(self, X, gradients, hessians, samples=None, **options):
        self.X, self.g, self.h = X, gradients, hessians
        self.options = DEFAULTS | options
        samples = np.arange(len(X)) if samples is None else samples
        self.nodes = [self.describe(Node(samples))]
        limit = self.options["max_leaf_nodes"] or np.inf
        queue = [0]
        leaves = 1
        while leaves < limit:
            queue = [i for i in queue if self.nodes[i].gain > 0]
            if not queue:
                break
            best = max(queue, key=lambda i: (self.nodes[i].gain, -i))
            queue.remove(best)
            queue += self.split(best)
            leaves += 1

    def value(self, sums, node):
        g, h = sums[..., 0], sums[..., 1]
        value = -shrink(g, self.options["l1"]) / (h + self.options["l2"])
        return np.clip(value, node.low, node.high)

    def score(self, sums, node):
        g, h = shrink(sums[..., 0], self.options["l1"]), sums[..., 1] + self.options["l2"]
        value = self.value(sums, node)
        return -(value * (2 * g + h * value)).sum(axis=-1)

    def describe(self, node):
        rows = np.stack([self.g[node.samples], self.h[node.samples]], axis=-1)
        node.sums = rows.sum(axis=0)
        if node.depth >= self.options["max_depth"]:
            return node
        for feature in self.allowed(node):
            column = self.X[node.samples, feature]
            missing = np.isnan(column)
            edges = list(edges_of(self.X[:, feature]))
            for missing_left in (False, True) if missing.any() else (False,):
                extra = [np.inf] if missing.any() and not missing_left else []
                for edge in edges + extra:
                    left = (column <= edge) | (missing & missing_left)
                    self.try_split(node, rows, left, (feature, edge, missing_left))
        return node

    def allowed(self, node):
        features = range(self.X.shape[1])
        groups = self.options["interaction_groups"]
        if groups is None:
            return features
        alive = [set(group) for group in groups if node.path <= set(group)]
        return [j for j in features if any(j in group for group in alive)]

    def try_split(self, node, rows, left, place):
        options = self.options
        if min(left.sum(), (~left).sum()) < max(options["min_samples_leaf"], 1):
            return
        sides = rows[left].sum(axis=0), rows[~left].sum(axis=0)
        if min(side[:, 1].sum() for side in sides) < options["min_child_weight"]:
            return
        if options["monotone"] is not None:
            step = self.value(sides[1], node) - self.value(sides[0], node)
            if (options["monotone"][place[0]] * step < 0).any():
                return
        gain = sum(self.score(side, node) for side in sides) - self.score(node.sums, node)
        if gain > max(node.gain, options["min_gain"]):
            node.gain, node.sides = gain, sides
            node.feature, node.threshold, node.missing_left = place

    def split(self, parent):
        node = self.nodes[parent]
        column = self.X[node.samples, node.feature]
        goes_left = (column <= node.threshold) | (np.isnan(column) & node.missing_left)
        node.left = len(self.nodes)
        bounds = [(node.low, node.high)] * 2
        sign = 0 if self.options["monotone"] is None else self.options["monotone"][node.feature]
        if sign:
            middle = float(sum(self.value(side, node)[0] for side in node.sides) / 2)
            bounds = [(node.low, middle), (middle, node.high)][:: int(sign)]
        path = node.path | {node.feature}
        for side, (low, high) in zip((goes_left, ~goes_left), bounds, strict=True):
            child = Node(node.samples[side], node.depth + 1, low, high, path)
            self.nodes.append(self.describe(child))
        return [node.left, node.left + 1]

    def arrays(self):
        """The fields of ForestArrays that a tree's nodes and leaves have."""
        inner = [node for node in self.nodes if node.left >= 0]
        leaves = [node for node in self.nodes if node.left < 0]
        weight = np.array([node.sums[:, 1].sum() for node in self.nodes])
        score = np.array([self.score(node.sums, node) for node in self.nodes])
        rate = self.options["learning_rate"]
        numbers = iter(range(len(leaves)))
        return {
            "left": [node.left if node.left >= 0 else -1 - next(numbers) for node in self.nodes],
            "threshold": [node.threshold if node.left >= 0 else 0.0 for node in self.nodes],
            "missing_left": [node.missing_left and node.left >= 0 for node in self.nodes],
            "direction_indices": [node.feature for node in inner],
            "n_samples": [len(node.samples) for node in self.nodes],
            "weight": weight,
            "impurity": -score / weight,
            "values": np.concatenate([rate * self.value(node.sums, node) for node in leaves]),
        }

    def predict(self, X):
        """The values of the leaves that samples fall into, of shape (n_samples, n_outputs)."""
        out = np.zeros((len(X), self.g.shape[1]))
        for i, row in enumerate(X):
            node = self.nodes[0]
            while node.left >= 0:
                value = row[node.feature]
                left = value <= node.threshold or (np.isnan(value) and node.missing_left)
                node = self.nodes[node.left + (0 if left else 1)]
            out[i] = self.options["learning_rate"] * self.value(node.sums, node)
        return out

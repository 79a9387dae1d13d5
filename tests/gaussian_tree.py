"""A slow and obvious grower of trees without targets: what the native one must equal."""

import math
from itertools import pairwise

import numpy as np
from growing import sample_directions
from reference_tree import MAX_REDRAWS, ReferenceTree

MASK = 2**64 - 1


def mix_bits(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def combine_keys(key, value):
    return mix_bits(
        (key * 0x9E3779B97F4A7C15 + mix_bits((value + 0x632BE59BD9B4E019) & MASK)) & MASK
    )


class Random:
    """The core's counter-based stream."""

    def __init__(self, key):
        self.state = key

    def below(self, n):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        return (mix_bits(self.state) * n) >> 64


def node_key(seed, tree, path):
    key = combine_keys(combine_keys(seed, tree), 3)
    for side in path:
        key = combine_keys(key, {"L": 1, "R": 2}[side])
    return key


def to_whole_numbers(values, bits):
    """Coordinates of the criterion: values rounded to whole numbers of about 2 ** bits."""
    low, high = float(values.min()), float(values.max())
    half = 0.5 * (high - low)
    return np.rint((values.astype(np.float64) - 0.5 * (high + low)) * (2.0**bits / half))


class Space:
    """A node's rows as the criterion measures them, one determinant at a time."""

    def __init__(self, columns, weight, gaussian):
        self.ridge, self.full = gaussian["ridge"], gaussian["full"]
        varying = [c for c in columns if c.min() < c.max()]
        self.points = np.column_stack([to_whole_numbers(c, gaussian["bits"]) for c in varying])
        self.weight = weight
        mean = (weight @ self.points) / weight.sum()
        variance = (weight @ self.points**2) / weight.sum() - mean * mean
        self.inverse_sd = 1.0 / np.sqrt(variance)

    def log_determinant(self, inside):
        """Cholesky, entry by entry in the order of the core, so that rounding is the same."""
        points, weight = self.points[inside], self.weight[inside]
        total = float(weight.sum())
        first = (weight[:, None] * points).sum(axis=0)
        second = (weight[:, None] * points).T @ points
        n, factor, product = points.shape[1], np.zeros((points.shape[1],) * 2), 1.0
        for j in range(n):
            if not self.full:
                variance = (second[j, j] - first[j] * first[j] / total) / total
                pivot = max(variance * self.inverse_sd[j] * self.inverse_sd[j], 0.0) + self.ridge
                product *= pivot
                continue
            for i in range(j + 1):
                entry = (second[j, i] - first[j] * first[i] / total) / total
                entry = entry * self.inverse_sd[j] * self.inverse_sd[i]
                for m in range(i):
                    entry -= factor[j, m] * factor[i, m]
                factor[j, i] = entry / factor[i, i] if i < j else entry
            pivot = max(factor[j, j] + self.ridge, self.ridge)
            factor[j, j] = np.sqrt(pivot)
            product *= pivot
        return math.log(product)


class GaussianTree(ReferenceTree):
    """Grows one tree by the log-determinant gain, from the native grower's rows and directions."""

    def __init__(self, X, weight, distribution, options, tree=0):
        super().__init__(X, np.zeros((len(X), 1)), weight, distribution, options, tree)

    def grow(self, rows, path, estimation=None, ancestor=None):
        split = None
        if self.may_split(rows, None, path):
            key = node_key(self.options["seed"], self.tree, path)
            self.random = Random(combine_keys(key, 1024))
            self.space = self.make_space(rows, path)
            split = None if self.space is None else self.find_split(rows, path)
        self.nodes[path] = {"rows": rows, "weight": self.weight[rows].sum(), "split": split}
        if split is not None:
            self.grow(rows[split["left"]], path + "L")
            self.grow(rows[~split["left"]], path + "R")

    def may_split(self, rows, targets, path):
        options = self.options
        enough = max(options["min_samples_split"], 2 * options["min_samples_leaf"])
        return len(path) < options["max_depth"] and len(rows) >= enough

    def make_space(self, rows, path):
        gaussian = self.options["gaussian"]
        wanted, n_features = gaussian["n_dimensions"], self.X.shape[1]
        if n_features <= wanted:
            columns = [self.X[rows, j].astype(np.float32) for j in range(n_features)]
        else:
            columns = []
            for draw in range(1, MAX_REDRAWS + 1):
                columns = [c for c in columns if c.min() < c.max()]
                if len(columns) == wanted:
                    break
                columns += self.draw_columns(rows, path, wanted - len(columns), draw)
        if not any(c.min() < c.max() for c in columns):
            return None
        return Space(columns, self.weight[rows].astype(np.float64), gaussian)

    def draw_columns(self, rows, path, n, draw):
        # sample_directions names streams by attempts; those of the space are numbers 1024 and on.
        indptr, indices, weights = sample_directions(
            self.distribution, self.options["seed"], self.tree, path, n, 1024 - 16 + draw
        )
        return [self.project(rows, indices[a:b], weights[a:b]) for a, b in pairwise(indptr)]

    def candidates(self, rows, value, missing, distinct):
        min_leaf = max(1, self.options["min_samples_leaf"])
        admissible = [
            c
            for c in super().candidates(rows, value, missing, distinct)
            if min(c["left"].sum(), (~c["left"]).sum()) >= min_leaf
        ]
        n, max_thresholds = len(admissible), self.options["gaussian"]["max_thresholds"]
        if max_thresholds == 0 or n <= max_thresholds:
            return admissible
        chosen = []
        for j in range(max_thresholds):
            begin, end = j * n // max_thresholds, (j + 1) * n // max_thresholds
            chosen.append(admissible[begin + self.random.below(end - begin)])
        return chosen

    def score(self, rows, left):
        weight = self.weight[rows].astype(np.float64)
        return -(
            weight[left].sum() * self.space.log_determinant(left)
            + weight[~left].sum() * self.space.log_determinant(~left)
        )

"""A slow and obvious grower with categorical features: what the native one must equal."""

from itertools import pairwise

import numpy as np
from projections.nodes import ROOT_NODE, NativeStream, combine_keys, stream_key
from reference_tree import ReferenceTree, project, score_side

FIRST_CODES = 512


def node_key(seed, tree, path):
    key = stream_key(seed, tree, ROOT_NODE)
    for side in path:
        key = combine_keys(key, {"L": 1, "R": 2}[side])
    return key


def draw_groups(n_classes, stream):
    """Two groups of the classes, none empty, the first class in group 0."""
    groups = np.array([0, 1])
    while n_classes > 2:
        groups = np.append(0, [stream.below(2) for _ in range(n_classes - 1)])
        if groups.any():
            break
    return groups


def learn_codes(column, labels, targets, weight, asked, n_categories, stream):
    """Codes of the categories at a node, and which of them the node's half has met."""
    codes, met = np.zeros(n_categories, dtype=np.float32), np.zeros(n_categories, dtype=bool)
    total = float(sum(weight))
    if labels is not None:
        present = np.unique(labels)
        if len(present) < 2:
            return codes, met
        groups = dict(zip(present, draw_groups(len(present), stream), strict=True))
        values = np.array([groups[label] for label in labels], dtype=np.float64)
        mean = float(sum(weight * values)) / total
        deviation = np.sqrt(mean * (1 - mean))
    else:
        n_outputs = targets.shape[1]
        values = targets[:, stream.below(n_outputs) if n_outputs > 1 else 0]
        mean = float(sum(weight * values)) / total
        deviation = np.sqrt(float(sum(weight * (values - mean) * (values - mean))) / total)
    if deviation == 0:
        return codes, met
    for category in range(n_categories):
        mine = asked & (column == category)
        if mine.any():
            met[category] = True
            away = float(sum(weight[mine] * (values[mine] - mean)))
            codes[category] = away / (float(sum(weight[mine])) * deviation)
    return codes, met


class CategoricalTree(ReferenceTree):
    """Grows one tree; features with `n_categories` above 0 are read through codes."""

    def __init__(self, X, targets, weight, distribution, options, *, labels=None, **kinds):
        self.labels, self.n_categories = labels, np.array(options["n_categories"])
        self.rank = np.arange(len(X))
        super().__init__(X, targets, weight, distribution, options, **kinds)

    def start(self, rows, path, attempt):
        key = combine_keys(node_key(self.options["seed"], self.tree, path), FIRST_CODES + attempt)
        self.half = combine_keys(key, len(self.n_categories))
        self.codes = {
            j: learn_codes(
                self.X[rows, j],
                None if self.labels is None else self.labels[rows],
                self.targets[rows],
                self.weight[rows],
                self.asked(rows),
                count,
                NativeStream(combine_keys(key, int(j))),
            )
            for j, count in enumerate(self.n_categories)
            if count > 0
        }

    def asked(self, rows):
        """Tell which rows the node learns its codes from."""
        return np.array([combine_keys(self.half, int(self.rank[r])) % 2 == 0 for r in rows], bool)

    def search(self, rows, indptr, indices, weights):
        """The best threshold of each direction by its score, the best direction by its rank."""
        best, best_rank, varies = None, -np.inf, False
        for start, stop in pairwise(indptr):
            found, tells = super().search(rows, np.array([start, stop]), indices, weights)
            varies = varies or tells
            if found is not None and self.rank_of(rows, found) > best_rank:
                best, best_rank = found, self.rank_of(rows, found)
        return best, varies

    def rank_of(self, rows, found):
        if not (self.n_categories[found["indices"]] > 0).any():
            return found["score"]
        targets, weight = self.targets[rows], self.weight[rows]
        base = score_side(targets, weight, self.options["criterion"])
        seen = max(found["score"] - base, 0.0)
        other = ~self.asked(rows)
        left, right = other & found["left"], other & ~found["left"]
        confirmed = 0.0
        if left.any() and right.any():
            parts = [weight[side].sum() for side in (left, right)]
            total = sum(parts)
            for k in range(targets.shape[1]):
                sums = [(weight[side] * targets[side, k]).sum() for side in (left, right)]
                squares = [s * s / w for s, w in zip(sums, parts, strict=True)]
                confirmed += squares[0] + squares[1] - sum(sums) * sum(sums) / total
            confirmed *= weight.sum() / total
        return base + np.sqrt(min(max(confirmed, 1e-6 * seen), seen) * seen)

    def project(self, rows, indices, weights):
        numeric = self.n_categories[indices] == 0
        value = np.zeros(len(rows), dtype=np.float32)
        if numeric.any():
            value = project(self.X[rows], indices[numeric], weights[numeric])
        for j, weight in zip(indices[~numeric], weights[~numeric], strict=True):
            column = self.X[rows, j]
            known = (column >= 0) & (column < self.n_categories[j])
            code = np.zeros(len(rows), dtype=np.float32)
            code[known] = self.codes[j][0][column[known].astype(int)]
            value = value + np.where(np.isnan(column), np.float32(np.nan), weight * code)
        return value.astype(np.float32)

    def find_split(self, rows, path):
        split = super().find_split(rows, path)
        return None if split is None else split | self.write_out(split)

    def send(self, estimation, split):
        drawn = split | {"indices": split["drawn_indices"], "weights": split["drawn_weights"]}
        return super().send(estimation, drawn)

    def write_out(self, split):
        """The direction over numbers and indicators of categories."""
        indices, weights = split["indices"], split["weights"]
        numeric = self.n_categories[indices] == 0
        columns, written = list(indices[numeric]), list(weights[numeric])
        first = len(self.n_categories) + np.cumsum(self.n_categories) - self.n_categories
        for j, weight in zip(indices[~numeric], weights[~numeric], strict=True):
            codes, met = self.codes[j]
            # Without a code the direction still tells missing categories from others.
            met = met if met.any() else np.arange(len(met)) == 0
            columns += list(first[j] + np.flatnonzero(met))
            written += list(weight * codes[met])
        return {
            "indices": np.array(columns),
            "weights": np.array(written, dtype=np.float32),
            "drawn_indices": indices,
            "drawn_weights": weights,
        }

"""A slow and obvious tree grower in NumPy: what the native one must equal, split for split."""

from itertools import pairwise

import numpy as np
from growing import sample_directions

from silvan import _core

MAX_REDRAWS = 8


def project(X, indices, weights):
    """Project rows on a sparse direction, each term and partial sum rounded to float32."""
    value = weights[0] * X[:, indices[0]].astype(np.float32)
    for index, weight in zip(indices[1:], weights[1:], strict=True):
        value = value + weight * X[:, index].astype(np.float32)
    return value.astype(np.float32)


def entropy_scale(weight):
    """Give the power of two by which terms x log x are rounded at a node of this weight."""
    largest = weight * abs(np.log2(weight)) + weight + 1
    return 2.0 ** (50 - np.floor(np.log2(largest)))


def x_log_x(x, scale):
    return np.rint(x * np.log2(x) * scale) / scale if x > 0 else 0.0


def weighted_median(values, weight):
    """Give the median; the middle of two where half of the weight lies on either side."""
    order = np.argsort(values, kind="stable")
    running = np.cumsum(weight[order])
    half = running[-1] / 2
    lower = values[order][np.searchsorted(running, half, side="left")]
    upper = values[order][np.searchsorted(running, half, side="right")]
    return 0.5 * lower + 0.5 * upper


def score_side(targets, weight, criterion, scale=1.0, n_groups=1):
    """Score one side of a division: what the criterion maximises, summed over the sides."""
    total = weight.sum()
    sums = (weight[:, None] * targets).sum(axis=0)
    if criterion == "entropy":
        return sum(x_log_x(s, scale) for s in sums) - n_groups * x_log_x(total, scale)
    if criterion == "poisson":
        return sum(s * np.log(s / total) if s > 0 else 0.0 for s in sums)
    if criterion == "absolute_error":
        medians = np.array([weighted_median(column, weight) for column in targets.T])
        return -(weight[:, None] * np.abs(targets - medians)).sum()
    squares = 0.0
    for s in sums:
        squares += s * s
    return squares / total


class ReferenceTree:
    """Grows one tree from the same directions and the same rows as the native grower.

    `data` describes the training rows to distributions that look at them; see `describe_node`.
    `estimation` lists the rows that fill the leaves of an honest tree; all others decide splits.
    """

    def __init__(
        self, X, targets, weight, distribution, options, tree=0, data=None, estimation=None
    ):
        self.X, self.targets, self.weight, self.data = X, targets, weight, data
        self.distribution, self.options, self.tree = distribution, options, tree
        self.nodes = {}
        rows = np.flatnonzero(weight > 0)
        if estimation is not None and len(estimation) < len(rows):
            rows = np.setdiff1d(rows, estimation)
            if data is not None:
                seen = np.where(np.isin(np.arange(len(X)), rows), data["multiplicity"], 0)
                self.data = data | {"multiplicity": seen.astype(np.int32)}
        self.root_weight = weight[rows].sum()
        self.min_weight = options.get("min_weight_fraction_leaf", 0.0) * self.root_weight
        self.n_groups = options.get("n_averaged", 1)
        self.grow(rows, "", estimation)

    def grow(self, rows, path, estimation=None, ancestor=None):
        """Grow the node of `rows`; `ancestor` has estimation rows where this node has none."""
        targets, weight = self.targets[rows], self.weight[rows]
        split = None
        empty = estimation is not None and len(estimation) == 0
        if self.may_split(rows, targets, path) and not empty:
            split = self.find_split(rows, path)
        if split is not None:
            classes = self.options["criterion"] in ("gini", "entropy")
            n_outputs = self.n_groups if classes else targets.shape[1]
            base = score_side(
                targets, weight, self.options["criterion"], self.scale(weight), self.n_groups
            )
            decrease = (split["score"] - base) / self.root_weight / n_outputs
            if decrease < self.options["min_impurity_decrease"] * (1 - 1e-9) - 1e-12:
                split = None
        members = rows if estimation is None else ancestor if empty else estimation
        member_weight = self.weight[members]
        mean = (member_weight[:, None] * self.targets[members]).sum(axis=0) / member_weight.sum()
        if self.options["criterion"] == "absolute_error":
            mean = np.array([weighted_median(y, member_weight) for y in self.targets[members].T])
        self.nodes[path] = {
            "rows": rows,
            "members": members,
            "value": mean,
            "weight": weight.sum(),
            "split": split,
        }
        if split is not None:
            left = self.send(estimation, split)
            for side, mine in (("L", split["left"]), ("R", ~split["left"])):
                theirs = None if left is None else estimation[left if side == "L" else ~left]
                self.grow(rows[mine], path + side, theirs, estimation)

    def send(self, estimation, split):
        """Tell which estimation rows go left at a split."""
        if estimation is None:
            return None
        value = self.project(estimation, split["indices"], split["weights"])
        return np.where(np.isnan(value), split["missing_left"], value <= split["threshold"])

    def may_split(self, rows, targets, path):
        options = self.options
        return (
            not (targets == targets[0]).all()
            and len(path) < options["max_depth"]
            and len(rows) >= max(options["min_samples_split"], 2 * options["min_samples_leaf"])
            and self.weight[rows].sum() >= 2 * self.min_weight
        )

    def scale(self, weight):
        """Give the scale of rounded logarithms; several outputs leave fewer bits to each."""
        several = self.n_groups > 1
        return entropy_scale(weight.sum() * (self.targets.shape[1] if several else 1))

    def find_split(self, rows, path):
        n_directions = self.options["n_directions"]
        n_features = self.X.shape[1]
        for attempt in range(MAX_REDRAWS + 1):
            self.start(rows, path, attempt)
            directions = self.draw(rows, path, attempt, n_directions)
            self.place = _core.NodePlace(self.options["seed"], self.tree, path)
            best, varies = self.search(rows, *directions)
            if varies:
                return best
            n_directions = max(n_directions, min(2 * n_directions, 2 * n_features))
        return None

    def draw(self, rows, path, attempt, n_directions):
        """Draw the directions of a node as the core does."""
        return sample_directions(
            self.distribution,
            self.options["seed"],
            self.tree,
            path,
            n_directions,
            attempt,
            None if self.data is None else self.data | {"samples": rows.astype(np.uint32)},
        )

    def start(self, rows, path, attempt):
        """Prepare a node for its draw number `attempt`."""

    def search(self, rows, indptr, indices, weights):
        best, varies = None, False
        draws = iter(())
        if self.options.get("random_thresholds"):
            draws = iter(_core.sample_thresholds(self.place, len(indptr)))
        for start, stop in pairwise(indptr):
            value = self.project(rows, indices[start:stop], weights[start:stop])
            missing = np.isnan(value)
            distinct = np.unique(value[~missing])
            if len(distinct) == 0 or (len(distinct) == 1 and not missing.any()):
                continue
            varies = True
            found = (
                self.random_candidates(rows, value, missing, distinct, draws)
                if self.options.get("random_thresholds")
                else self.candidates(rows, value, missing, distinct)
            )
            for candidate in found:
                score = self.score(rows, candidate["left"])
                if score is not None and (best is None or score > best["score"]):
                    best = candidate | {
                        "score": score,
                        "indices": indices[start:stop],
                        "weights": weights[start:stop],
                    }
        return best, varies

    def project(self, rows, indices, weights):
        return project(self.X[rows], indices, weights)

    def candidates(self, rows, value, missing, distinct):
        weight = self.weight[rows]
        for missing_left in (False, True) if missing.any() else (False,):
            for i, lower in enumerate(distinct):
                left = np.where(missing, missing_left, value <= lower)
                if left.all():
                    continue
                if i + 1 < len(distinct):
                    upper = distinct[i + 1]
                    threshold = np.float32(0.5 * (np.float64(lower) + np.float64(upper)))
                    threshold = threshold if threshold < upper else lower
                else:
                    threshold = np.float32(np.inf)
                saw = bool(missing.any())
                goes = missing_left if saw else weight[left].sum() > weight[~left].sum()
                yield {"left": left, "threshold": threshold, "missing_left": bool(goes)}

    def random_candidates(self, rows, value, missing, distinct, draws):
        """One threshold, uniform over the range of the values; missing ones on either side."""
        low, high = distinct[0], distinct[-1]
        if self.options.get("min_balance"):
            ordered = np.sort(value[~missing])
            least = min(self.least_samples(len(rows)), max(1, len(ordered) // 2))
            low, high = ordered[least - 1], ordered[len(ordered) - least]
        threshold = np.float32(np.inf)
        if low < high:
            threshold = np.float32(low + next(draws) * (np.float64(high) - np.float64(low)))
            threshold = max(threshold, low) if threshold < high else low
        weight = self.weight[rows]
        for missing_left in (False, True) if missing.any() else (False,):
            left = np.where(missing, missing_left, value <= threshold)
            if left.all():
                continue
            saw = bool(missing.any())
            goes = missing_left if saw else weight[left].sum() > weight[~left].sum()
            yield {"left": left, "threshold": threshold, "missing_left": bool(goes)}

    def score(self, rows, left):
        smallest = min(left.sum(), (~left).sum())
        if smallest < max(1, self.least_samples(len(rows))):
            return None
        targets, weight = self.targets[rows], self.weight[rows]
        if min(weight[left].sum(), weight[~left].sum()) < self.min_weight:
            return None
        criterion, scale = self.options["criterion"], self.scale(weight)
        if criterion == "poisson" and not self.has_events(targets, weight, left):
            return None
        sides = (
            score_side(targets[side], weight[side], criterion, scale, self.n_groups)
            for side in (left, ~left)
        )
        return sum(sides)

    def least_samples(self, n):
        """Give how many of a node's n samples either side of its split needs."""
        share = np.ceil(self.options.get("min_balance", 0.0) * n - 1e-9)
        return max(self.options["min_samples_leaf"], min(int(share), n // 2))

    def has_events(self, targets, weight, left):
        sums = weight[:, None] * targets
        both = sums.sum(axis=0) > 0
        return (sums[left].sum(axis=0)[both] > 0).all() and (
            sums[~left].sum(axis=0)[both] > 0
        ).all()


def native_nodes(arrays, tree=0):
    """Read one tree of the native arrays as {path: node}."""
    first, first_leaf = arrays["tree_offsets"][tree], arrays["leaf_offsets"][tree]
    nodes, stack = {}, [("", 0)]
    while stack:
        path, index = stack.pop()
        node = first + index
        left = arrays["left"][node]
        start, stop = arrays["direction_indptr"][node : node + 2]
        entry = {
            "weight": arrays["weight"][node],
            "n_samples": arrays["n_samples"][node],
            "threshold": arrays["threshold"][node],
            "missing_left": bool(arrays["missing_left"][node]),
            "indices": arrays["direction_indices"][start:stop],
            "weights": arrays["direction_coefficients"][start:stop],
            "leaf": left < 0,
        }
        if left < 0:
            leaf = first_leaf - 1 - left
            members = slice(*arrays["member_indptr"][leaf : leaf + 2])
            values = slice(*arrays["value_indptr"][leaf : leaf + 2])
            entry["rows"] = np.sort(arrays["members"][members])
            entry["value"] = dict(
                zip(arrays["value_outputs"][values], arrays["values"][values], strict=True)
            )
        else:
            stack += [(path + "L", left), (path + "R", left + 1)]
        nodes[path] = entry
    return nodes

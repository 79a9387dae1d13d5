"""The reference tree on windows: their values by running sums in NumPy, operation by operation."""

import numpy as np
from reference_tree import ReferenceTree, native_nodes, project

from silvan import _core
from silvan.projections.windows import read_windows


class Channels:
    """Running sums of channels, exact integers for uint8 and centred float64 otherwise."""

    def __init__(self, X, shapes, wraps, max_size):
        self.shapes, self.wraps = shapes, wraps
        firsts = np.cumsum([0, *(np.prod(shape) for shape in shapes)])
        self.cells, self.centre, self.sums = [], [], []
        for shape, first, last in zip(shapes, firsts, firsts[1:], strict=False):
            cells = X[:, first:last].reshape(len(X), *shape)
            self.cells.append(cells)
            if X.dtype == np.uint8:
                centre = np.zeros(len(X), dtype=np.float32)
                centred = cells.astype(np.int64)
            else:
                centre = nearest_to_mean(cells.reshape(len(X), -1))
                wide = np.expand_dims(centre, tuple(range(1, cells.ndim))).astype(np.float64)
                centred = np.nan_to_num(cells.astype(np.float64) - wide)
            for axis, (wrap, size) in enumerate(zip(wraps, max_size, strict=True), start=1):
                if wrap:
                    again = np.arange(cells.shape[axis] + min(size, cells.shape[axis]) - 1)
                    centred = np.take(centred, again % cells.shape[axis], axis=axis)
            position = np.arange(centred.shape[-1])
            planes = (centred, centred * centred, centred * position)
            self.centre.append(centre.astype(np.float64))
            self.sums.append([run(plane) for plane in planes])

    def values(self, window, rows):
        boxes = window.boxes(self.shapes[window.channel], self.wraps)
        centre, planes = self.centre[window.channel][rows], self.sums[window.channel]
        found = []
        for box in boxes:
            sums, squares, moments = (box_sum(plane[rows], box) for plane in planes)
            n = float(np.prod([end - start for start, end in box]))
            if window.statistic == "mean":
                found.append((centre * n + sums) * (1.0 / n))
            elif window.statistic == "spread":
                found.append(np.sqrt(np.maximum(n * squares - sums * sums, 0.0)) * (1.0 / n))
            else:
                start, end = box[-1]
                steps = float(end - start)
                factor = 6.0 / (n * (steps * steps - 1.0)) if steps > 1 else 0.0
                found.append((2.0 * moments - (end + start - 1) * sums) * factor)
        value = np.max(found, axis=0) if window.shift >= 0 else np.min(found, axis=0)
        return np.where(self.touches_missing(window, boxes, rows), np.nan, value)

    def touches_missing(self, window, boxes, rows):
        missing = np.isnan(self.cells[window.channel][rows])
        touched = np.zeros(len(rows), dtype=bool)
        for box in boxes:
            inside = missing
            for axis, (start, end) in enumerate(box, start=1):
                inside = np.take(inside, np.arange(start, end) % missing.shape[axis], axis=axis)
            touched |= inside.reshape(len(rows), -1).any(axis=1)
        return touched


def nearest_to_mean(cells):
    """The first cell of each row that is nearest to the row's mean; missing ones do not count."""
    wide = cells.astype(np.float64)
    total = np.array([np.cumsum(row[~np.isnan(row)])[-1:].sum() for row in wide])
    n = (~np.isnan(wide)).sum(axis=1)
    distance = np.abs(wide - (total / np.maximum(n, 1))[:, None])
    distance[np.isnan(distance)] = np.inf
    nearest = cells[np.arange(len(cells)), distance.argmin(axis=1)]
    return np.where(n > 0, nearest, 0).astype(np.float32)


def run(plane):
    for axis in range(plane.ndim - 1, 0, -1):
        plane = np.insert(np.cumsum(plane, axis=axis), 0, 0, axis=axis)
    return plane


def box_sum(sums, box):
    """Sums up to the end less those up to the start, along the last axis first."""
    for start, end in reversed(box):
        sums = sums[..., end] - sums[..., start]
    return sums.astype(np.float64)


class WindowTree(ReferenceTree):
    """The reference tree on directions over features or windows."""

    def __init__(self, X, targets, weight, distribution, options, **rest):
        windows = distribution.columns.windows
        axes = len(windows.max_size)
        shapes = [tuple(shape) for shape in np.reshape(windows.channel_shapes, (-1, axes)).tolist()]
        wraps = [wrap > 0 for wrap in windows.wraps]
        self.channels = Channels(X, shapes, wraps, windows.max_size)
        super().__init__(X, targets, weight, distribution, options, **rest)

    def draw(self, rows, path, attempt, n_directions):
        place = _core.NodePlace(self.options["seed"], self.tree, path, attempt)
        directions, table = _core.sample_windows(self.distribution, place, n_directions)
        self.table = read_windows(table)
        return directions

    def project(self, rows, indices, weights):
        p = self.X.shape[1]
        if indices[0] < p:
            return project(self.X[rows], indices, weights)
        total = None
        for index, weight in zip(indices, weights, strict=True):
            window = self.table[index - p]
            statistic = self.channels.values(window, rows).astype(np.float32)
            value = np.float64(weight) / window.scale * statistic
            total = value if total is None else total + value
        return total.astype(np.float32)

    def search(self, rows, indptr, indices, weights):
        best, varies = super().search(rows, indptr, indices, weights)
        if best is not None:
            best["terms"] = self.terms(best["indices"], best["weights"])
        return best, varies

    def terms(self, indices, weights):
        p = self.X.shape[1]
        return [
            (float(weight), self.table[index - p] if index >= p else int(index))
            for index, weight in zip(indices, weights, strict=True)
        ]


def table_of(arrays):
    return read_windows(
        _core.WindowTable(
            arrays["window_channel"],
            arrays["window_box"],
            arrays["window_statistic"],
            arrays["window_shift"],
            arrays["window_scale"],
            len(arrays["window_max_size"]),
        )
    )


def assert_tree_equals_reference(arrays, reference):
    native, table, p = native_nodes(arrays), table_of(arrays), reference.X.shape[1]
    assert native.keys() == reference.nodes.keys()
    for path, node in reference.nodes.items():
        ours, split = native[path], node["split"]
        assert ours["leaf"] == (split is None)
        if split is None:
            np.testing.assert_array_equal(ours["rows"], np.sort(node["members"]))
            continue
        terms = [
            (float(weight), table[index - p] if index >= p else int(index))
            for index, weight in zip(ours["indices"], ours["weights"], strict=True)
        ]
        assert terms == split["terms"]
        assert ours["threshold"] == split["threshold"]
        assert ours["missing_left"] == split["missing_left"]

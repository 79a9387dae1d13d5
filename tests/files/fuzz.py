"""Damaged and malicious model files: each gives an error or a forest that works, never a crash.

`python tests/files/fuzz.py --output docs/results/fuzzed_files.md` tries 10,000 of them.
"""

import argparse
import faulthandler
import hashlib
import json
import multiprocessing
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from sklearn.datasets import load_diabetes, load_digits

import silvan
from silvan.projections import Dictionary, Mixture, Patches, Windows

NASTY = [0, 1, -1, 2, 255, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63), 0.5, 1e308, np.inf, np.nan]
NASTY_JSON = [None, True, "", "x" * 70, -1, 0, 10**30, 1e300, [], {}, [[]], {"kind": "array"}]
SECONDS = 60  # for one file; none takes a tenth of one


class Subject:
    """A forest, its file, and what it says about some rows."""

    def __init__(self, forest, X):
        self.X = X
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "forest"
            forest.save(path)
            self.content = path.read_bytes()
            self.answers = self.ask(forest)
            assert self.same(silvan.load(path))

    def ask(self, forest):
        """Predictions, leaves and weights of training rows; or densities; or coordinates."""
        if hasattr(forest, "transform"):
            return [forest.transform(self.X), forest.embedding_, forest.kernel(self.X).toarray()]
        if hasattr(forest, "score_samples"):
            return [forest.score_samples(self.X), forest.apply(self.X), forest.weights_]
        predict = getattr(forest, "predict_proba", forest.predict)
        weights = forest.forest_weights(self.X[:20]).toarray()
        return [predict(self.X), forest.predict(self.X), forest.apply(self.X), weights]

    def same(self, forest):
        return all(map(np.array_equal, self.ask(forest), self.answers))


def subjects():
    """Classifiers of images and of a table with categories, and one of each other estimator."""
    digits = load_digits()
    images, labels = digits.images[:150].astype(np.uint8), digits.target[:150]
    names = np.array([f"digit {label}" for label in labels])
    classifier = silvan.ManifoldForestClassifier(
        3, max_size=6, oob_score=True, class_weight={"digit 3": 2.0}, random_state=0
    )
    with warnings.catch_warnings(action="ignore"):  # three trees leave rows without a prediction
        classifier.fit(images, names)
    X, y = (a[:100] for a in load_diabetes(return_X_y=True))
    distribution = Mixture([(Dictionary(csr_array(np.tri(10))), 1.0), (Patches(10), 2.0)])
    regressor = silvan.ForestRegressor(
        3,
        projections=distribution,
        min_samples_leaf=5,
        honest=True,
        scaling="rank",
        random_state=np.random.RandomState(0),
    )
    regressor.fit(X, np.column_stack([y, -y]), sample_weight=np.arange(len(y)) % 3)
    density = silvan.DensityForest(3, random_state=0).fit(X[:, :3])
    embedding = silvan.ManifoldEmbedding(5, affinity="mahalanobis", random_state=0).fit(X[:, :3])
    table = X[:, :3].astype(object)
    table[:, 0], table[:, 1] = (
        np.where(X[:, 1] > 0, "tall", "short"),
        np.digitize(X[:, 2], [-0.05, 0.0]),
    )
    with_categories = silvan.ForestClassifier(3, categorical_features=[0, 1], random_state=0)
    with_categories.fit(table, y > y.mean())
    windows = Windows([(4, 8), (4, 8)], statistics=("mean", "spread", "slope"), shift=1)
    with_windows = silvan.ForestClassifier(3, projections=windows, random_state=0)
    with_windows.fit(images.reshape(150, 64), labels)
    return [
        Subject(classifier, images),
        Subject(regressor, X),
        Subject(density, X[:, :3]),
        Subject(embedding, X[:, :3]),
        Subject(with_categories, table),
        Subject(with_windows, images.reshape(150, 64)),
    ]


def split(content):
    """Header and data of a file."""
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def seal(header, data):
    """A file with these contents and a checksum that belongs to them."""
    header["__metadata__"] = {**header["__metadata__"], "checksum": "0" * 64}
    encoded = json.dumps(header).encode()
    start = len(encoded).to_bytes(8, "little") + encoded
    checksum = hashlib.sha256(start + data).hexdigest()
    return start.replace(b"0" * 64, checksum.encode(), 1) + data


def flip_bytes(content, rng):
    changed = np.frombuffer(content, np.uint8).copy()
    places = rng.integers(len(changed), size=rng.integers(1, 9))
    if rng.random() < 0.5:  # half of the time within the header
        places %= 8 + int.from_bytes(content[:8], "little")
    changed[places] ^= rng.integers(1, 256, size=len(places)).astype(np.uint8)
    return changed.tobytes()


def cut_or_fill(content, rng):
    at, length = int(rng.integers(len(content))), int(rng.integers(1, 100))
    kind = rng.integers(4)
    if kind == 0:
        return content[:at]
    if kind == 1:
        return content[:at] + content[at + length :]
    noise = rng.bytes(length)
    return content[:at] + noise + content[at:] if kind == 2 else content + noise


def edit_header(content, rng):
    """Digits and letters of the header replaced, its length kept or set right."""
    length = int.from_bytes(content[:8], "little")
    header = bytearray(content[8 : 8 + length])
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(len(header)))
        header[at : at + int(rng.integers(3))] = rng.choice(list(b'09aZ{}[]",:-.'), 1).tolist()
    return len(header).to_bytes(8, "little") + bytes(header) + content[8 + length :]


def places_in(tree):
    """Every container in a tree of JSON with a key of it."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in list(items):
        yield tree, key
        if isinstance(value, dict | list):
            yield from places_in(value)


def edit_json(tree, rng):
    """Replace, drop, double or exchange a value somewhere in a tree of JSON."""
    places = list(places_in(tree))
    holder, key = places[rng.integers(len(places))]
    kind = rng.integers(4)
    if kind == 0:
        holder[key] = NASTY_JSON[rng.integers(len(NASTY_JSON))]
    elif kind == 1:
        del holder[key]
    elif kind == 2 and isinstance(holder[key], int | float):
        holder[key] = holder[key] + int(rng.integers(-3, 4))
    else:
        other, its_key = places[rng.integers(len(places))]
        holder[key] = json.loads(json.dumps(other[its_key]))


def edit_sealed_header(content, rng):
    header, data = split(content)
    edit_json(header, rng)
    header.setdefault("__metadata__", {})
    if not isinstance(header["__metadata__"], dict):
        header["__metadata__"] = {}
    return seal(header, data)


def edit_sealed_description(content, rng):
    header, data = split(content)
    description = json.loads(header["__metadata__"]["estimator"])
    for _ in range(rng.integers(1, 3)):
        edit_json(description, rng)
    header["__metadata__"]["estimator"] = json.dumps(description)
    return seal(header, data)


def edit_sealed_arrays(content, rng):
    """Entries of an array replaced, or the array shortened, in an otherwise correct file."""
    header, data = split(content)
    data = bytearray(data)
    names = [n for n, entry in header.items() if n != "__metadata__" and entry["shape"] != [0]]
    name = names[rng.integers(len(names))]
    begin, end = header[name]["data_offsets"]
    kinds = {"I": "i", "U": "u", "F": "f", "B": "u"}
    dtype = np.dtype(f"<{kinds[header[name]['dtype'][0]]}{(end - begin) // size_of(header[name])}")
    array = np.frombuffer(bytes(data[begin:end]), dtype).copy()
    for _ in range(rng.integers(1, 4)):
        at = rng.integers(array.size)
        kind = rng.integers(4)
        with np.errstate(all="ignore"):
            if kind == 0:
                array[at] = np.asarray(NASTY[rng.integers(len(NASTY))]).astype(dtype)
            elif kind == 1:
                array[at] += np.asarray(rng.integers(-2, 3)).astype(dtype)
            elif kind == 2:
                array[at] = array[rng.integers(array.size)]
            else:
                array[: at + 1] = array[: at + 1][::-1]
    data[begin:end] = array.tobytes()
    return seal(header, bytes(data))


def size_of(entry):
    return int(np.prod(entry["shape"], dtype=np.int64))


# Whether the checksum belongs to the contents: then the file may be that of another forest.
MUTATIONS = {
    flip_bytes: False,
    cut_or_fill: False,
    edit_header: False,
    edit_sealed_header: True,
    edit_sealed_description: True,
    edit_sealed_arrays: True,
}


def outcome(subject, number, folder):
    """Try one mutation: what kind it was, and how it ended."""
    rng = np.random.default_rng([number, 7])
    mutation = list(MUTATIONS)[number % len(MUTATIONS)]
    content = mutation(subject.content, rng)
    path = Path(folder) / "mutated"
    path.write_bytes(content)
    try:
        forest = silvan.load(path, memory_map=bool(rng.integers(2)))
    except silvan.files.FileFormatError:
        return mutation, "refused"
    if subject.same(forest):
        return mutation, "same"
    values = subject.ask(forest)[0]
    assert np.isfinite(values).all(), f"{mutation.__name__} {number} gave {values}"
    return mutation, "another forest"


def run(subject, numbers):
    """Outcomes of some mutations, counted."""
    counts = Counter()
    with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
        for number in numbers:
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            mutation, ended = outcome(subject, number, folder)
            counts[mutation.__name__, ended] += 1
            faulthandler.cancel_dump_traceback_later()
    for (name, ended), n in counts.items():
        sealed = MUTATIONS[next(m for m in MUTATIONS if m.__name__ == name)]
        assert sealed or ended != "another forest", f"{n} files changed silently ({name})"
    return counts


def run_apart(which, numbers):
    """The same in a process of its own, whose crash ends nothing else."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply_async(_run_here, (which, numbers)).get(len(numbers) * SECONDS)


def _run_here(which, numbers):
    return run(subjects()[which], numbers)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutations", type=int, default=10_000)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    numbers = np.arange(arguments.mutations)
    total = Counter()
    for which, part in enumerate(np.array_split(numbers, len(subjects()))):
        total += run_apart(which, part.tolist())
    lines = [
        "| mutation | checksum | files | refused | same predictions | another forest |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for mutation, sealed in MUTATIONS.items():
        ended = [total[mutation.__name__, e] for e in ("refused", "same", "another forest")]
        cells = [mutation.__name__.replace("_", " "), "fixed" if sealed else "stale", sum(ended)]
        lines.append("| " + " | ".join(map(str, [*cells, *ended])) + " |")
    print("\n".join(lines))
    if arguments.output:
        page = arguments.output.read_text().split("<!-- table -->")
        arguments.output.write_text(
            "<!-- table -->".join([page[0], "\n" + "\n".join(lines) + "\n", page[2]])
        )


if __name__ == "__main__":
    main()

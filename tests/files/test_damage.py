"""Damaged and malicious files give an error, or a forest that works."""

import json
import warnings

import numpy as np
import pytest
from files.fuzz import MUTATIONS, run, seal, split, subjects

import silvan
from silvan import ForestClassifier


@pytest.fixture(scope="module")
def saved():
    return subjects()


@pytest.mark.parametrize(
    "which", range(5), ids=["classifier", "regressor", "density", "embedding", "categories"]
)
def test_mutated_files_are_refused_or_work(saved, which):
    counts = run(saved[which], range(180))
    assert counts["flip_bytes", "refused"] >= 29  # of 30; the rest came out as it was
    assert {name for name, _ in counts} == {mutation.__name__ for mutation in MUTATIONS}


def load(content, folder):
    path = folder / "forest"
    path.write_bytes(content)
    return silvan.load(path)


@pytest.fixture
def parts(saved):
    header, data = split(saved[0].content)
    return header, data, json.loads(header["__metadata__"]["estimator"])


def test_every_flipped_bit_is_noticed(saved, tmp_path):
    content = saved[1].content
    rng = np.random.default_rng(0)
    for at in rng.integers(len(content), size=60):
        changed = bytearray(content)
        changed[at] ^= 1 << rng.integers(8)
        with pytest.raises(ValueError, match="not a saved forest, or it is damaged"):
            load(bytes(changed), tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "fewer than 8 bytes"),
        (b"PK\x03\x04 this is a zip file", "header is longer than the file"),
        (b"\x02\0\0\0\0\0\0\0[]", "header is not a dictionary"),
        (b"\x02\0\0\0\0\0\0\0{}", "no metadata"),
        (b"\x02\0\0\0\0\0\0\0{]", "header is not JSON"),
        ((200_000).to_bytes(8, "little") + b"[" * 200_000, "header is not JSON"),
        (seal({"__metadata__": {}}, b""), "safetensors file of something else"),
        (seal({"__metadata__": {"format": "silvan"}}, b"x"), "bytes that belong to no array"),
    ],
)
def test_other_files_are_refused(content, message, tmp_path):
    with pytest.raises(silvan.files.FileFormatError, match=message):
        load(content, tmp_path)


@pytest.mark.parametrize(
    ("version", "remedy"), [("99", "upgrade silvan, or save"), ("2", "fit the forest again")]
)
def test_files_of_other_versions_say_so(version, remedy, parts, tmp_path):
    header, data, _ = parts
    header["__metadata__"] |= {"format_version": version, "silvan_version": "7.0"}
    with pytest.raises(
        ValueError, match=rf"saved by silvan 7.0 in version .{version}..* reads version 4; {remedy}"
    ):
        load(seal(header, data), tmp_path)


EDITS = {
    "no attribute 'forest_'": lambda d: d["fitted"].pop("forest_"),
    "its array 'oob_decision_function_' belongs to nothing": lambda d: d["fitted"].pop(
        "oob_decision_function_"
    ),
    "class 'Popen', which is not registered": lambda d: d.update(type="Popen"),
    "unknown kind 'pickle'": lambda d: d["params"].update(shape={"kind": "pickle"}),
    "no attributes \\['predict'\\]": lambda d: d["fitted"].update(predict=3),
    "unexpected keyword argument 'booster'": lambda d: d["params"].update(booster=1),
    "max_depth must be an integer": lambda d: d["params"].update(max_depth=-1),
    "n_samples is no integer": lambda d: d["fitted"]["_sampling"]["params"]["plan"][
        "params"
    ].update(n_samples=10**12),
    "seed is no integer": lambda d: d["fitted"]["_sampling"]["params"].update(seed=-1),
    "n_features is no integer": lambda d: d["fitted"]["forest_"]["params"].update(n_features=True),
    "strings do not fit": lambda d: d["fitted"]["classes_"].update(width=10**9),
    "shape_ does not belong": lambda d: d["fitted"].update(
        shape_={"kind": "tuple", "items": [64.0]}
    ),
}


@pytest.mark.parametrize("message", EDITS)
def test_descriptions_that_do_not_hold_are_refused(parts, message, tmp_path):
    header, data, description = parts
    EDITS[message](description)
    header["__metadata__"]["estimator"] = json.dumps(description)
    with pytest.raises(silvan.files.FileFormatError, match=message):
        load(seal(header, data), tmp_path)


def edit_array(name, value):
    """Set the first entry of an array."""

    def edit(header, data):
        begin, end = header[name]["data_offsets"]
        kind = {"F64": np.float64, "I32": np.int32, "I64": np.int64}[header[name]["dtype"]]
        array = np.frombuffer(data[begin:end], kind).copy()
        array[0] = value
        return data[:begin] + array.tobytes() + data[end:]

    return edit


@pytest.mark.parametrize(
    ("which", "message", "edit"),
    [
        (2, "masses_ does not belong", edit_array("masses_", 0.0)),
        (2, "masses_ does not belong", edit_array("masses_", np.nan)),
        (2, "means does not belong", edit_array("_gaussians.means", 1e300)),
        (2, "covariances does not belong", edit_array("_gaussians.covariances", -1.0)),
        (2, "covariances does not belong", edit_array("_gaussians.covariances", np.inf)),
        (2, "covariances does not belong", edit_array("_gaussians.covariances", 1e-300)),
        (2, "forest_.values does not belong", edit_array("forest_.values", 0.7)),
        (3, "leaves does not belong", edit_array("_affinity.index.leaves", 10**9)),
        (3, "leaves does not belong", edit_array("_affinity.index.leaves", -1)),
        (3, "rows does not belong", edit_array("_affinity.rows", np.inf)),
        (3, "embedding_ does not belong", edit_array("embedding_", np.nan)),
        (3, "eigenvalues_ does not belong", edit_array("eigenvalues_", np.inf)),
        (3, "component_labels_ does not belong", edit_array("component_labels_", 3)),
    ],
)
def test_unsupervised_arrays_that_do_not_hold_are_refused(saved, which, message, edit, tmp_path):
    header, data = split(saved[which].content)
    with pytest.raises(silvan.files.FileFormatError, match=message):
        load(seal(header, edit(header, data)), tmp_path)


def test_draws_from_cells_that_no_gaussian_reaches_end(saved, tmp_path, monkeypatch):
    forest = load(saved[2].content, tmp_path)
    nowhere = np.full(forest.means_.shape, -1)
    monkeypatch.setattr("silvan.unsupervised.density.leaf_numbers", lambda *_: nowhere[:, :1])
    with pytest.raises(ValueError, match="masses_ cannot be right"):
        forest.sample(3, random_state=0)


def test_a_state_of_random_numbers_that_numpy_trusts_is_checked(saved, tmp_path):
    header, data = split(saved[1].content)
    description = json.loads(header["__metadata__"]["estimator"])
    description["params"]["random_state"]["pos"] = 10**6
    header["__metadata__"]["estimator"] = json.dumps(description)
    with pytest.raises(ValueError, match="RandomState has no valid state"):
        load(seal(header, data), tmp_path)


def test_sparse_atoms_out_of_bounds_are_refused(saved, tmp_path):
    header, data = split(saved[1].content)
    name = next(name for name in header if name.endswith("atoms.indices"))
    begin = header[name]["data_offsets"][0]
    changed = bytearray(data)
    changed[begin : begin + 4] = (2**30).to_bytes(4, "little")
    with pytest.raises(ValueError, match="not a saved forest"):
        load(seal(header, bytes(changed)), tmp_path)


def test_arrays_may_not_overlap(parts, tmp_path):
    header, data, _ = parts
    first, second = [name for name in header if name != "__metadata__"][:2]
    header[second]["data_offsets"] = header[first]["data_offsets"]
    with pytest.raises(ValueError, match="not where they should be"):
        load(seal(header, data), tmp_path)


def test_more_threads_than_a_system_has_do_no_harm():
    X = np.random.default_rng(0).normal(size=(40, 3))
    forest = ForestClassifier(1, random_state=0).fit(X, X[:, 0] > 0)
    forest.n_jobs = 10**9
    with warnings.catch_warnings(action="error"):
        assert forest._n_threads() <= 1024


def test_a_lack_of_memory_is_no_damage(tmp_path, monkeypatch):
    path = tmp_path / "forest"
    X = np.arange(20.0)[:, None]
    ForestClassifier(2, random_state=0).fit(X, X[:, 0] > 9).save(path)

    def starve(*arguments):
        raise MemoryError

    monkeypatch.setattr("silvan.files.saving.Decoder.decode", starve)
    with pytest.raises(MemoryError):
        silvan.load(path)

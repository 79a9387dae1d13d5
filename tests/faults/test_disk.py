"""A full disk: an error, the old file whole, and no other beside it."""

import os
import sys

import pytest
from faults.children import run_script

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits differ")

# A limit on the size of files stands for a full disk where no file system can be mounted.
_FULL = """
    import contextlib, subprocess

    @contextlib.contextmanager
    def full_disk(n_bytes):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        os.mkdir("disk")
        options = ["-t", "tmpfs", "-o", f"size={max(n_bytes, 4096)}", "none", "disk"]
        mounted = subprocess.run(["mount", *options], capture_output=True).returncode == 0
        try:
            if not mounted:
                resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, resource.RLIM_INFINITY))
            yield "disk"
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
            if mounted:
                subprocess.run(["umount", "disk"], check=True)
"""
_SAVE = """
    X, y = make_data(2000, 10)
    small = ForestClassifier(1, max_depth=1, random_state=0).fit(X, y)
    large = ForestClassifier(30, random_state=0).fit(X, y)
    small.save("measure")
    smallest = os.path.getsize("measure")
    large.save("measure")
    largest = os.path.getsize("measure")
    with full_disk(int(smallest + {share} * (largest - smallest))) as folder:
        path = folder + "/forest"
        small.save(path)
        before = open(path, "rb").read()
        try:
            large.save(path)
            say("saved")
        except OSError as error:
            say(error.strerror)
            assert open(path, "rb").read() == before
        assert os.listdir(folder) == ["forest"]
        silvan.load(path)
"""


def save_on_a_full_disk(share, tmp_path):
    outcome = run_script(_FULL, _SAVE.format(share=share), cwd=tmp_path)
    assert outcome.code == 0, outcome.errors
    assert outcome.printed.strip() in {"No space left on device", "File too large"}
    assert sorted(os.listdir(tmp_path)) == ["disk", "measure"]


def test_full_disk_keeps_the_saved_forest(tmp_path):
    save_on_a_full_disk(0.5, tmp_path)


@pytest.mark.faults
@pytest.mark.parametrize("share", [0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9])
def test_disk_of_any_size_keeps_the_saved_forest(share, tmp_path):
    save_on_a_full_disk(share, tmp_path)

"""Files that appear whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from silvan._atomic import atomic_path


def test_file_appears_at_the_end_of_the_block(tmp_path):
    target = tmp_path / "table.csv"
    with atomic_path(target) as temporary:
        temporary.write_text("new")
        assert not target.exists()
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".csv"
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["table.csv"]


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt(), SystemExit(1)])
def test_failure_keeps_the_old_file_and_leaves_no_other(tmp_path, error):
    target = tmp_path / "table.csv"
    target.write_text("old")
    with pytest.raises(type(error)), atomic_path(target) as temporary:
        temporary.write_text("ha")
        raise error
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["table.csv"]


def test_disk_that_is_full_in_the_end_keeps_the_old_file(tmp_path, monkeypatch):
    def fail(descriptor):
        raise OSError(28, "No space left on device")

    target = tmp_path / "table.csv"
    target.write_text("old")
    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="No space left"), atomic_path(target) as temporary:
        temporary.write_text("new")
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["table.csv"]


def test_link_stays_and_its_file_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    real = tmp_path / "there" / "real.csv"
    real.write_text("old")
    link = tmp_path / "link.csv"
    link.symlink_to(real)
    with atomic_path(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert os.listdir(tmp_path / "there") == ["real.csv"]


def test_link_to_nothing_makes_its_file(tmp_path):
    link = tmp_path / "link.csv"
    link.symlink_to(tmp_path / "real.csv")
    with atomic_path(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert (tmp_path / "real.csv").read_text() == "new"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_new_file_has_the_permissions_of_the_umask(tmp_path):
    previous = os.umask(0o027)
    try:
        with atomic_path(tmp_path / "new.csv") as temporary:
            temporary.write_text("new")
    finally:
        os.umask(previous)
    assert stat.S_IMODE((tmp_path / "new.csv").stat().st_mode) == 0o640


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_permissions_of_an_existing_file_stay(tmp_path):
    target = tmp_path / "secret.csv"
    target.write_text("old")
    target.chmod(0o600)
    with atomic_path(target) as temporary:
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
        temporary.write_text("new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() == 0, reason="the administrator may write everything"
)
def test_read_only_file_is_refused(tmp_path):
    target = tmp_path / "kept.csv"
    target.write_text("old")
    target.chmod(0o400)
    with pytest.raises(PermissionError, match=r"read-only.*kept\.csv"), atomic_path(target):
        pytest.fail("the block must not run")
    assert target.read_text() == "old"


def test_folder_is_refused(tmp_path):
    with (
        pytest.raises(IsADirectoryError, match="cannot be written over a folder"),
        atomic_path(tmp_path),
    ):
        pytest.fail("the block must not run")


def test_missing_folder_is_an_error_that_names_the_target(tmp_path):
    target = tmp_path / "no" / "such" / "table.csv"
    with pytest.raises(FileNotFoundError) as raised, atomic_path(target):
        pytest.fail("the block must not run")
    assert raised.value.filename == str(target)


def test_longest_names_can_be_written(tmp_path):
    for target in (tmp_path / ("n" * 255), tmp_path / ("n." + "e" * 253)):
        with atomic_path(target) as temporary:
            temporary.write_text("new")
        assert target.read_text() == "new"


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there is no such device")
def test_device_is_written_and_not_replaced():
    with atomic_path("/dev/null") as temporary:
        temporary.write_text("new")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)

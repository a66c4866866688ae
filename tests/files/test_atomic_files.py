"""A file is replaced whole, or stays as it was."""

import stat

import pytest

from agentevals.files import atomic_files


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def fill_disk(path):
    with atomic_files.replacement(path, mode=0o600) as file:
        file.write(b"ha")
        raise OSError(28, "No space left on device")


def test_a_new_file_has_its_content_and_is_for_its_owner_alone(tmp_path):
    atomic_files.write(tmp_path / "a", b"one")

    assert (tmp_path / "a").read_bytes() == b"one"
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600


def test_the_permissions_can_be_given(tmp_path):
    atomic_files.write(tmp_path / "a", b"one", mode=0o640)

    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def test_a_reader_that_has_the_file_open_keeps_the_old_content(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    with (tmp_path / "a").open("rb") as before:
        atomic_files.write(tmp_path / "a", b"new")

        assert before.read() == b"old"
    assert (tmp_path / "a").read_bytes() == b"new"


def test_a_failure_leaves_the_old_file_and_nothing_beside_it(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(OSError, match="No space"):
        fill_disk(tmp_path / "a")

    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_a_link_is_replaced_and_its_target_is_not_touched(tmp_path):
    (tmp_path / "secret").write_bytes(b"mine")
    (tmp_path / "a").symlink_to("secret")
    atomic_files.write(tmp_path / "a", b"new")

    assert not (tmp_path / "a").is_symlink()
    assert (tmp_path / "secret").read_bytes() == b"mine"


def test_a_folder_of_that_name_is_refused(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    with pytest.raises(IsADirectoryError):
        atomic_files.write(tmp_path / "a", b"new")

    assert names(tmp_path) == ["a"]

import os
import threading
from functools import partial

import pytest

from agentevals.files import reading
from agentevals.model.errors import InputError

soon = partial(reading.open_readable, patience=0.01)


def refusal(path):
    with pytest.raises(InputError) as refused:
        reading.text(path)
    return str(refused.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_any_unicode_encoding_is_read(tmp_path, encoding):
    path = tmp_path / "a.yaml"
    path.write_bytes("a: é😀\r\n".encode(encoding))

    assert reading.text(path) == "a: é😀\n"


def test_other_encodings_are_refused_with_the_line(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_bytes("a: 1\nb: é\n".encode("latin-1"))

    with pytest.raises(InputError) as refused:
        reading.text(path)
    assert str(refused.value) == f"{path}:2: this is not UTF-8 text; save the file as UTF-8"


def test_a_missing_file_offers_the_nearest_name(tmp_path):
    (tmp_path / "eval_config.yaml").touch()

    assert refusal(tmp_path / "eval_config.yml") == (
        "there is no such file (did you mean 'eval_config.yaml'?)"
    )


def test_a_missing_folder(tmp_path):
    assert refusal(tmp_path / "no" / "a.yaml") == "there is no such file"


def test_a_folder(tmp_path):
    assert refusal(tmp_path) == "this is a folder; name a file in it"


def test_a_name_that_no_file_can_have(tmp_path):
    assert refusal(tmp_path / "a\0b") == "cannot be read: embedded null byte"
    assert refusal(tmp_path / ("a" * 5_000)) == "cannot be read: file name too long"
    assert not reading.exists(tmp_path / "a\0b")
    assert not reading.exists(tmp_path / ("a" * 5_000))


def test_a_path_below_the_working_directory_is_shown_from_there(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    assert str(reading.shortest(tmp_path / "here" / "a" / "b")) == "a/b"
    assert reading.shortest(tmp_path / "a") == tmp_path / "a"


def test_a_folder_that_is_called_like_a_glob_leads_nowhere_else(tmp_path):
    root = tmp_path / "root"
    (root / "[a]").mkdir(parents=True)
    (root / "[b]").symlink_to(tmp_path)

    assert reading.contains(root, root / "[a]/x")
    assert reading.contains(root, root / "**/*.json")
    assert not reading.contains(root, root / "[a]/../../x")
    assert not reading.contains(root, root / "[b]/x")
    assert not reading.contains(root, root / "*/../../x")


@pytest.fixture
def pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def test_a_pipe_without_a_writer_is_refused(pipe):
    with pytest.raises(OSError, match="no program writes into"):
        soon(pipe, os.O_RDONLY)


def test_a_writer_that_says_nothing_yet_is_waited_for(pipe):
    # a writer can open a pipe only together with a reader, so this end is opened for both
    writing = os.open(pipe, os.O_RDWR)

    reading = soon(pipe, os.O_RDONLY)
    sender = threading.Thread(target=os.write, args=(writing, b"late"))
    sender.start()

    assert os.read(reading, 10) == b"late"
    sender.join()
    for end in (reading, writing):
        os.close(end)


def test_a_device_is_refused():
    with pytest.raises(OSError, match="a device"):
        reading.open_readable("/dev/zero", os.O_RDONLY)

import pytest

from agentevals.evaluator import evaluator_lock, registry_index
from agentevals.evaluator.evaluator_lock import Lock, Locked, Pin
from agentevals.model.errors import InputError

FILES = {"a.py": "0" * 64}


def pin(**facts):
    known = {"source": "github", "repository": "github.com/o/r", "path": "e/a/a.py"}
    return Pin(
        **known, entrypoint="a.py", files=FILES, sha256=registry_index.digest(FILES), **facts
    )


def test_it_is_found_by_source_and_reference():
    known = Lock(evaluators=(Locked(ref="a", pin=pin()),))

    assert known.find("github", "a") == pin()
    assert known.find("https", "a") is None
    assert known.find("github", "b") is None


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / evaluator_lock.FILE
    known = Lock().merge([Locked(ref="b", pin=pin()), Locked(ref="a", pin=pin())])
    evaluator_lock.write(path, known)

    assert evaluator_lock.read(path) == known
    assert [each.ref for each in known.evaluators] == ["a", "b"]
    assert path.read_text().startswith('{\n  "evaluators": [')


def test_without_a_file_there_is_no_lock(tmp_path):
    assert evaluator_lock.read(tmp_path / evaluator_lock.FILE) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"commit": "main"},
        {"path": "e/b.py"},
        {"path": "../a.py"},
        {"sha256": "1" * 64},
        {"files": {}},
        {"files": {"../a.py": "0" * 64}},
    ],
)
def test_what_cannot_be_is_refused(tmp_path, wrong):
    path = tmp_path / evaluator_lock.FILE
    facts = {name: getattr(pin(), name) for name in pin().__struct_fields__} | wrong
    evaluator_lock.write(path, Lock(evaluators=(Locked(ref="a", pin=Pin(**facts)),)))

    with pytest.raises(InputError, match=r"agentevals\.lock"):
        evaluator_lock.read(path)


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_lock_is_a_sentence(tmp_path, content):
    path = tmp_path / evaluator_lock.FILE
    path.write_bytes(content)

    with pytest.raises(InputError, match="run 'agentevals lock --update' to write it anew"):
        evaluator_lock.read(path)


def test_a_folder_is_no_lock(tmp_path):
    with pytest.raises(InputError, match="not a lock"):
        evaluator_lock.read(tmp_path)


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        evaluator_lock.write(tmp_path / "no" / evaluator_lock.FILE, Lock())

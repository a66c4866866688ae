import os
import subprocess
import sys

import msgspec
import pytest

from agentevals.evaluator.evaluator_files import compute_digests
from agentevals.evaluator.evaluator_lock import Pin
from agentevals.evaluator.evaluator_store import Store, find_default_root
from agentevals.model.errors import UnavailableError

CONTENTS = {"a.py": b"print(1)", "data/words.txt": b"yes"}
FILES = compute_digests(CONTENTS)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def test_what_is_kept_is_found_by_its_content(store):
    folder = store.keep(CONTENTS)

    assert store.find_folder(FILES) == folder
    assert (folder / "data" / "words.txt").read_bytes() == b"yes"
    assert store.find_folder(compute_digests({"a.py": b"print(2)"})) is None


def test_it_is_readable_by_its_owner_alone(store):
    folder = store.keep(CONTENTS)

    assert folder.parent.stat().st_mode & 0o077 == 0


def removed(folder):
    (folder / "a.py").unlink()


def changed(folder):
    (folder / "a.py").write_bytes(b"print(2)")


def linked(folder):
    (folder / "a.py").unlink()
    (folder / "a.py").symlink_to("/etc/passwd")


@pytest.mark.parametrize("damage", [removed, changed, linked])
def test_what_somebody_damaged_is_not_used(store, damage):
    folder = store.keep(CONTENTS)
    damage(folder)

    assert store.find_folder(FILES) is None
    assert store.keep(CONTENTS) == folder
    assert store.find_folder(FILES) == folder


def test_what_somebody_put_beside_is_taken_away(store):
    folder = store.keep(CONTENTS)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "a.cpython-311.pyc").write_bytes(b"\0")

    assert store.find_folder(FILES) == folder
    assert sorted(path.name for path in folder.iterdir()) == ["a.py", "data"]


def test_nothing_half_written_stays(store):
    folder = store.keep(CONTENTS)

    assert [path for path in folder.parent.iterdir() if path != folder] == []


def test_what_is_known_of_a_folder_is_remembered(store):
    pin = Pin(source="github", repository="r", path="a.py", entrypoint="a.py", files=FILES)
    store.remember(pin, "github", "a")

    assert store.recall("github", "a") == pin
    assert store.recall("github", "b") is None


@pytest.mark.parametrize("content", [b"", b"{", b'{"source": 1}', b"[" * 100_000])
def test_a_record_that_is_none_is_forgotten(store, content):
    pin = Pin(source="github", repository="r", path="a.py", entrypoint="a.py")
    store.remember(pin, "a")
    (record,) = (store.root / "pins").iterdir()
    record.write_bytes(content)

    assert store.recall("a") is None


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").touch()

    with pytest.raises(UnavailableError, match="name another place in AGENTEVALS_CACHE"):
        Store(tmp_path / "file").keep(CONTENTS)


def test_where_it_is(monkeypatch, tmp_path):
    monkeypatch.setenv("AGENTEVALS_CACHE", str(tmp_path))
    own = find_default_root()
    monkeypatch.delenv("AGENTEVALS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")

    assert own == tmp_path / "evaluators"
    assert str(find_default_root()) == "/x/agentevals/evaluators"


RACER = """
import sys
from pathlib import Path
from agentevals.evaluator.evaluator_files import compute_digests
from agentevals.evaluator.evaluator_store import Store

contents = {f"{n}.py": bytes([n]) * 50_000 for n in range(20)}
store, files = Store(Path(sys.argv[1])), compute_digests(contents)
sys.stdin.readline()
for _ in range(15):
    folder = store.find_folder(files) or store.keep(contents)
    assert all((folder / name).stat().st_size == 50_000 for name in contents)
print("whole")
"""


def test_processes_that_keep_the_same_never_see_half_of_it(tmp_path):
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        for _ in range(4)
    ]
    for racer in racers:
        racer.stdin.write("go\n")
        racer.stdin.flush()
    said = [racer.communicate()[0] for racer in racers]

    assert said == ["whole\n"] * 4
    assert len(list((tmp_path / "files").iterdir())) == 1


def test_a_pin_is_written_as_people_can_read_it(store):
    pin = Pin(source="s", repository="r", path="p/a.py", entrypoint="a.py", commit="c" * 40)
    store.remember(pin, "a")
    (record,) = (store.root / "pins").iterdir()

    assert msgspec.json.decode(record.read_bytes())["path"] == "p/a.py"
    assert (str(pin), pin.folder) == ("r@cccccccccccc:p/a.py", "p/")

import os
import subprocess
import sys

import pytest
from msgspec.structs import replace

from agentevals.evaluator import folders, index, lock
from agentevals.evaluator.github import GitHubEvaluatorSource
from agentevals.evaluator.lock import Lock, Locked
from agentevals.evaluator.resolver import EvaluatorResolver, RemoteEvaluatorDef
from agentevals.evaluator.sources import EvaluatorSource
from agentevals.evaluator.store import Store
from agentevals.model.errors import InputError, UnavailableError
from agentevals.web import Terms
from tests.evaluator.conftest import COMMIT, PROGRAM, entry, fetched, listing

FETCH = """
import sys
from agentevals.evaluator.resolver import EvaluatorResolver, RemoteEvaluatorDef

sys.stdin.readline()
found = EvaluatorResolver().obtain(RemoteEvaluatorDef(name="ev", ref="a"))
print(found.pin.sha256, len(list(found.path.parent.iterdir())))
"""


def test_processes_that_want_the_same_fetch_it_once(github):
    files = {"a.py": PROGRAM, **{f"{n}.txt": b"x" * 10_000 for n in range(10)}}
    github.files = {f"evaluators/a/{name}": content for name, content in files.items()}
    github.files["index.json"] = listing(entry(files=files))
    path = os.pathsep.join(sys.path)
    fetchers = [
        subprocess.Popen(
            [sys.executable, "-c", FETCH],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        for _ in range(4)
    ]
    said = {fetcher.communicate("go\n")[0] for fetcher in fetchers}

    (line,) = said
    assert line.endswith(" 11\n")
    place = f"/raw/o/r/{COMMIT}/evaluators/a/a.py"
    assert [seen.path for seen in github.server.seen].count(place) == 1


def test_a_folder_that_is_there_by_its_content_is_not_fetched_for_another_name(github):
    fetched("a")
    github.files["index.json"] = listing(entry(aliases=["b"]))
    github.commit = "e" * 40
    before = len(github.server.seen)
    fetched("b")

    asked = [seen.path for seen in github.server.seen[before:]]
    assert not any(path.endswith("/a.py") for path in asked)


@pytest.fixture
def locked(tmp_path):
    """A file that says what a reference was fetched as."""

    def write(ref, pin):
        path = tmp_path / lock.FILE
        lock.write(path, Lock(evaluators=(Locked(ref=ref, pin=pin),)))
        return path

    return write


def test_a_locked_evaluator_is_fetched_at_its_commit_without_asking_for_another(
    github, locked, monkeypatch, tmp_path
):
    path = locked("a", fetched("a").pin)
    monkeypatch.setenv("AGENTEVALS_CACHE", str(tmp_path / "empty"))
    before = len(github.server.seen)

    found = fetched("a", lock=path)

    assert (found.path.read_bytes(), found.pinned_by) == (PROGRAM, "lock")
    asked = [seen.path for seen in github.server.seen[before:]]
    assert asked == [f"/raw/o/r/{COMMIT}/evaluators/a/a.py"]


def test_other_bytes_than_the_locked_ones_are_refused(github, locked, monkeypatch, tmp_path):
    path = locked("a", fetched("a").pin)
    github.files["evaluators/a/a.py"] = b"import os"
    monkeypatch.setenv("AGENTEVALS_CACHE", str(tmp_path / "empty"))

    with pytest.raises(InputError, match=r"is not what agentevals\.lock says: a\.py has"):
        fetched("a", lock=path)


def test_another_repository_than_the_locked_one_is_refused(github, locked, monkeypatch):
    path = locked("a", fetched("a").pin)
    monkeypatch.setenv("AGENTEVALS_EVALUATOR_REPO", "o/fork")

    with pytest.raises(InputError, match=r"o/fork, and agentevals\.lock has it from .*/o/r"):
        fetched("a", lock=path)


def test_what_a_lock_does_not_have_is_refused(github, locked):
    path = locked("a", fetched("a").pin)

    with pytest.raises(InputError, match=r"'a@\^1' is not in .*agentevals\.lock"):
        fetched("a@^1", lock=path)


LISTED = {"a.py": PROGRAM, "a.so": b"\0"}


def test_what_was_locked_with_compiled_files_is_used_without_them(github, locked, caplog):
    digests = folders.compute_digests(LISTED)
    path = locked("a", replace(fetched("a").pin, files=digests, sha256=index.digest(digests)))

    found = fetched("a", lock=path)

    assert [each.name for each in found.path.parent.iterdir()] == ["a.py"]
    assert (list(found.pin.files), found.pinned_by) == (["a.py"], "lock")
    assert "has compiled files, which are never fetched or run: a.so" in caplog.text


def test_what_an_older_release_kept_with_compiled_files_is_not_used(github, tmp_path):
    github.files["index.json"] = listing(entry(files={}, sha256=None))
    store = Store(tmp_path / "cache" / "evaluators")
    pin = fetched("a").pin
    digests = folders.compute_digests(LISTED)
    kept = replace(pin, files=digests, sha256=index.digest(digests))
    store.keep(LISTED)
    store.remember(kept, GitHubEvaluatorSource().cache_key, pin.commit, pin.path)

    assert [each.name for each in fetched("a").path.parent.iterdir()] == ["a.py"]


def test_a_foreign_source_hands_out_no_compiled_files(caplog):
    class Compiled(Shelf):
        async def fetch_evaluator(self, ref, dest):
            (dest.parent / "a.so").write_bytes(b"\0")
            return await super().fetch_evaluator(ref, dest)

    found = shelved(Compiled())

    assert sorted(each.name for each in found.path.parent.iterdir()) == ["a.py", "words.txt"]
    assert "has compiled files, which are never fetched or run: a.so" in caplog.text


class Shelf(EvaluatorSource):
    """A source that does not say what it hands out."""

    source_name = "shelf"

    def __init__(self, content=b"print(1)", own=None):
        self.content, self.own = content, own

    async def list_evaluators(self):
        return []

    async def fetch_evaluator(self, ref, dest):
        if self.own:
            return self.own
        dest.write_bytes(self.content)
        (dest.parent / "words.txt").write_text("yes")
        return dest


def shelved(source, *, path=None, ref="a.py"):
    resolver = EvaluatorResolver()
    resolver.register_source(source)
    definition = RemoteEvaluatorDef(name="ev", source="shelf", ref=ref, lock=path)
    return resolver.obtain(definition)


def test_a_foreign_source_can_be_locked_as_well(locked):
    first = shelved(Shelf())
    path = locked("a.py", first.pin)

    assert sorted(first.pin.files) == ["a.py", "words.txt"]
    assert shelved(Shelf(b"print(2)"), path=path).pinned_by == "lock"


def test_a_foreign_source_that_hands_out_something_else_is_refused(locked, monkeypatch, tmp_path):
    path = locked("a.py", shelved(Shelf()).pin)
    monkeypatch.setenv("AGENTEVALS_CACHE", str(tmp_path / "empty"))

    with pytest.raises(InputError, match=r"a\.py is not what agentevals\.lock says"):
        shelved(Shelf(b"print(2)"), path=path)


def test_so_is_a_file_of_its_own_that_was_changed(locked, tmp_path):
    own = tmp_path / "own.py"
    own.write_text("print(1)")
    path = locked("own.py", shelved(Shelf(own=own), ref="own.py").pin)
    own.write_text("print(2)")

    with pytest.raises(InputError, match=r"own\.py has the sha256"):
        shelved(Shelf(own=own), path=path, ref="own.py")


def test_an_evaluator_that_should_not_be_used_any_more_is_said_to_be_that(github, caplog):
    github.files["index.json"] = listing(entry(deprecated="slow", replaced_by="b"))
    fetched("a")

    assert "a should not be used any more: slow; use 'b' instead" in caplog.text


def test_an_evaluator_without_end_is_refused(github):
    big = b"x" * (folders.MOST_BYTES // 3)
    files = {"a.py": PROGRAM, **{f"{n}.bin": big for n in range(4)}}
    github.files = {f"evaluators/a/{name}": content for name, content in files.items()}
    github.files["index.json"] = listing(entry(files=files))

    with pytest.raises(InputError, match="has more than 32 MiB"):
        fetched("a")


def test_a_name_needs_an_index(github):
    github.files = {"evaluators/a/a.py": PROGRAM}

    with pytest.raises(InputError, match=r"'a' is a name, and .* has no index; give a path"):
        fetched("a")


def test_where_no_address_of_the_index_answers_that_of_the_repository_is_used(
    github, monkeypatch, caplog
):
    monkeypatch.setenv("AGENTEVALS_EVALUATOR_INDEX", "http://127.0.0.1:1/index.json")
    monkeypatch.setattr(GitHubEvaluatorSource, "terms", Terms(retries=0))

    assert fetched("a").pinned_by == "index"
    assert "itself is used" in caplog.text


def test_a_file_that_cannot_be_fetched_leaves_the_last_good_copy(github, monkeypatch, caplog):
    monkeypatch.setattr(GitHubEvaluatorSource, "terms", Terms(retries=0))
    before = fetched("a")
    changed = b"print(2)"
    github.files = {"index.json": listing(entry(files={"a.py": changed}))}
    github.files["evaluators/a/a.py"] = changed
    github.commit = "e" * 40
    github.down = {f"/raw/o/r/{github.commit}/eval", "/api/repos/o/r/contents/eval"}

    after = fetched("a")

    assert (after.path, after.pinned_by) == (before.path, "cache")
    assert "which was fetched before, is used" in caplog.text
    with pytest.raises(UnavailableError):
        fetched("evaluators/b/b.py")

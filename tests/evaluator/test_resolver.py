import os
import subprocess
import sys

import pytest
from msgspec.structs import replace

from agentevals.evaluator import evaluator_files, evaluator_lock, registry_index
from agentevals.evaluator.evaluator_lock import Lock, Locked, RemoteEvaluatorDef
from agentevals.evaluator.evaluator_store import Store
from agentevals.evaluator.github_source import GitHubEvaluatorSource
from agentevals.evaluator.lock_updates import Wish, update_lock
from agentevals.evaluator.resolver import EvaluatorResolver, get_default_resolver
from agentevals.evaluator.sources import EvaluatorSource, register_source
from agentevals.model.errors import InputError, UnavailableError
from agentevals.web import Terms
from tests.evaluator.conftest import COMMIT, LATER, PROGRAM, entry, fetched, listing


class Shelf(EvaluatorSource):
    """A source that counts what it hands out."""

    def __init__(self, name="shelf", error=None, elsewhere=None):
        self._name, self._error, self._elsewhere = name, error, elsewhere
        self.asked = 0

    @property
    def source_name(self):
        return self._name

    async def list_evaluators(self):
        return []

    async def fetch_evaluator(self, ref, dest):
        self.asked += 1
        if self._elsewhere:
            return self._elsewhere
        (dest.parent / "requirements.txt").write_text("six")
        if self._error:
            raise self._error
        dest.write_text(f"# {ref}")
        return dest


def remote(ref="some/ref/path.py", source="shelf"):
    return RemoteEvaluatorDef(name="mine", source=source, ref=ref)


def resolver(tmp_path, source):
    made = EvaluatorResolver(tmp_path / "cache")
    made.register_source(source)
    return made


def test_a_remote_evaluator_becomes_a_local_one(tmp_path):
    program = resolver(tmp_path, Shelf()).fetch(remote())

    assert program.is_relative_to(tmp_path / "cache" / "files")
    assert program.name == "path.py"
    assert program.read_text() == "# some/ref/path.py"
    assert program.with_name("requirements.txt").read_text() == "six"


def test_what_is_in_the_cache_is_not_fetched_again(tmp_path):
    shelf = Shelf()
    resolver(tmp_path, shelf).fetch(remote())
    path = resolver(tmp_path, shelf).fetch(remote())

    assert shelf.asked == 1
    path.unlink()
    resolver(tmp_path, shelf).fetch(remote())
    assert shelf.asked == 2


def test_nothing_half_fetched_stays_in_the_cache(tmp_path):
    broken = resolver(tmp_path, Shelf(error=UnavailableError("shelf: is closed")))

    with pytest.raises(UnavailableError):
        broken.fetch(remote())

    assert not (tmp_path / "cache" / "files").exists()


def test_a_failure_names_the_evaluator_and_is_not_tried_again_in_this_run(tmp_path):
    shelf = Shelf(error=UnavailableError("shelf: is closed"))
    broken = resolver(tmp_path, shelf)

    for _ in range(3):
        with pytest.raises(UnavailableError, match=r"^evaluator 'mine': shelf: is closed$"):
            broken.fetch(remote())
    assert shelf.asked == 1


def test_a_source_that_breaks_is_unavailable(tmp_path):
    with pytest.raises(UnavailableError, match="evaluator 'mine': no route"):
        resolver(tmp_path, Shelf(error=OSError("no route"))).fetch(remote())


def test_a_source_may_have_the_file_already(tmp_path):
    own = tmp_path / "own.py"
    own.touch()

    assert resolver(tmp_path, Shelf(elsewhere=own)).fetch(remote()) == own


def test_an_unknown_source_names_the_known_ones(tmp_path):
    with pytest.raises(InputError, match=r"source 'shelv' [(]did you mean 'shelf'"):
        resolver(tmp_path, Shelf()).fetch(remote(source="shelv"))

    (problem,) = resolver(tmp_path, Shelf()).problems(remote(source="nowhere"))
    assert "known: " in problem


@pytest.mark.parametrize("ref", ["../../etc/passwd.py", "/etc/x.py", "a/../../x.py"])
def test_no_reference_leads_out_of_the_cache(tmp_path, ref):
    shelf = Shelf()
    with pytest.raises(InputError, match="must be a relative path"):
        resolver(tmp_path, shelf).fetch(remote(ref=ref))

    assert shelf.asked == 0


def test_the_default_resolver_sees_sources_registered_later():
    default = get_default_resolver()
    register_source(Shelf(name="late"))

    assert default.problems(remote(source="late")) == []


def test_a_run_sees_one_state_of_a_registry_and_asks_for_it_once(github):
    github.files["evaluators/b/b.py"] = PROGRAM
    github.files["index.json"] = listing(entry("a"), entry("b"))
    run = EvaluatorResolver()
    run.fetch(RemoteEvaluatorDef(name="one", ref="a"))
    github.commit, github.older = LATER, [COMMIT]
    run.fetch(RemoteEvaluatorDef(name="other", ref="b@^1"))

    asked = [seen.path for seen in github.server.seen]
    assert [path for path in asked if "/commits/" in path] == ["/api/repos/o/r/commits/main"]
    assert [path for path in asked if path.endswith("/index.json")] == [
        f"/raw/o/r/{COMMIT}/index.json"
    ]


def lock_refs(path, *refs, update=False):
    wanted = [RemoteEvaluatorDef(name=ref, ref=ref, lock=path) for ref in refs]
    new, changed = update_lock(path, wanted, EvaluatorResolver(), Wish(update=update))
    evaluator_lock.write(path, new)
    return [(change.ref, change.before and change.before.commit) for change in changed]


def test_only_what_is_not_locked_yet_is_looked_for(github, tmp_path):
    path = tmp_path / evaluator_lock.FILE
    first = lock_refs(path, "a")
    github.commit = LATER

    assert first == [("a", None)]
    assert lock_refs(path, "a", "a@^1") == [("a@^1", None)]
    assert evaluator_lock.read(path).find("github", "a").commit == COMMIT
    assert evaluator_lock.read(path).find("github", "a@^1").commit == LATER


def test_an_update_says_what_it_changed(github, tmp_path):
    path = tmp_path / evaluator_lock.FILE
    lock_refs(path, "a", "evaluators/a/a.py")
    github.commit = LATER
    github.files["index.json"] = listing(entry(version="1.0.1"), commit=LATER)

    changed = lock_refs(path, "a", "evaluators/a/a.py", update=True)
    assert changed == [("a", COMMIT), ("evaluators/a/a.py", COMMIT)]
    assert evaluator_lock.read(path).find("github", "a").commit == LATER


def test_an_update_that_finds_the_same_changes_nothing(github, tmp_path):
    path = tmp_path / evaluator_lock.FILE
    lock_refs(path, "a")
    before = path.read_bytes()

    assert lock_refs(path, "a", update=True) == []
    assert path.read_bytes() == before
    assert PROGRAM not in before


FETCH = """
import sys
from agentevals.evaluator.evaluator_lock import RemoteEvaluatorDef
from agentevals.evaluator.resolver import EvaluatorResolver

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
        path = tmp_path / evaluator_lock.FILE
        evaluator_lock.write(path, Lock(evaluators=(Locked(ref=ref, pin=pin),)))
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

    with pytest.raises(UnavailableError, match=r"is not what agentevals\.lock says: a\.py has"):
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
    digests = evaluator_files.compute_digests(LISTED)
    path = locked(
        "a", replace(fetched("a").pin, files=digests, sha256=registry_index.digest(digests))
    )

    found = fetched("a", lock=path)

    assert [each.name for each in found.path.parent.iterdir()] == ["a.py"]
    assert (list(found.pin.files), found.pinned_by) == (["a.py"], "lock")
    assert "has compiled files, which are never fetched or run: a.so" in caplog.text


def test_what_an_older_release_kept_with_compiled_files_is_not_used(github, tmp_path):
    github.files["index.json"] = listing(entry(files={}, sha256=None))
    store = Store(tmp_path / "cache" / "evaluators")
    pin = fetched("a").pin
    digests = evaluator_files.compute_digests(LISTED)
    kept = replace(pin, files=digests, sha256=registry_index.digest(digests))
    store.keep(LISTED)
    store.remember(kept, GitHubEvaluatorSource().cache_key, pin.commit, pin.path)

    assert [each.name for each in fetched("a").path.parent.iterdir()] == ["a.py"]


def test_a_foreign_source_hands_out_no_compiled_files(caplog):
    class Compiled(Desk):
        async def fetch_evaluator(self, ref, dest):
            (dest.parent / "a.so").write_bytes(b"\0")
            return await super().fetch_evaluator(ref, dest)

    found = shelved(Compiled())

    assert sorted(each.name for each in found.path.parent.iterdir()) == ["a.py", "words.txt"]
    assert "has compiled files, which are never fetched or run: a.so" in caplog.text


class Desk(EvaluatorSource):
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
    first = shelved(Desk())
    path = locked("a.py", first.pin)

    assert sorted(first.pin.files) == ["a.py", "words.txt"]
    assert shelved(Desk(b"print(2)"), path=path).pinned_by == "lock"


def test_a_foreign_source_that_hands_out_something_else_is_refused(locked, monkeypatch, tmp_path):
    path = locked("a.py", shelved(Desk()).pin)
    monkeypatch.setenv("AGENTEVALS_CACHE", str(tmp_path / "empty"))

    with pytest.raises(UnavailableError, match=r"a\.py is not what agentevals\.lock says"):
        shelved(Desk(b"print(2)"), path=path)


def test_so_is_a_file_of_its_own_that_was_changed(locked, tmp_path):
    own = tmp_path / "own.py"
    own.write_text("print(1)")
    path = locked("own.py", shelved(Desk(own=own), ref="own.py").pin)
    own.write_text("print(2)")

    with pytest.raises(UnavailableError, match=r"own\.py has the sha256"):
        shelved(Desk(own=own), path=path, ref="own.py")


def test_an_evaluator_that_should_not_be_used_any_more_is_said_to_be_that(github, caplog):
    github.files["index.json"] = listing(entry(deprecated="slow", replaced_by="b"))
    fetched("a")

    assert "a should not be used any more: slow; use 'b' instead" in caplog.text


def test_an_evaluator_without_end_is_refused(github):
    big = b"x" * (evaluator_files.MOST_BYTES // 3)
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

import pytest

from agentevals.evaluator import lock
from agentevals.evaluator.resolver import (
    EvaluatorResolver,
    RemoteEvaluatorDef,
    get_default_resolver,
    update_lock,
)
from agentevals.evaluator.sources import EvaluatorSource, register_source
from agentevals.model.errors import InputError, UnavailableError
from tests.evaluator.conftest import COMMIT, LATER, PROGRAM, entry, listing


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
    new, changed = update_lock(path, wanted, EvaluatorResolver(), update=update)
    lock.write(path, new)
    return [(change.ref, change.before and change.before.commit) for change in changed]


def test_only_what_is_not_locked_yet_is_looked_for(github, tmp_path):
    path = tmp_path / lock.FILE
    first = lock_refs(path, "a")
    github.commit = LATER

    assert first == [("a", None)]
    assert lock_refs(path, "a", "a@^1") == [("a@^1", None)]
    assert lock.read(path).find("github", "a").commit == COMMIT
    assert lock.read(path).find("github", "a@^1").commit == LATER


def test_an_update_says_what_it_changed(github, tmp_path):
    path = tmp_path / lock.FILE
    lock_refs(path, "a", "evaluators/a/a.py")
    github.commit = LATER
    github.files["index.json"] = listing(entry(version="1.0.1"), commit=LATER)

    assert lock_refs(path, "a", update=True) == [("a", COMMIT)]
    assert lock.read(path).find("github", "evaluators/a/a.py").commit == COMMIT


def test_an_update_that_finds_the_same_changes_nothing(github, tmp_path):
    path = tmp_path / lock.FILE
    lock_refs(path, "a")
    before = path.read_bytes()

    assert lock_refs(path, "a", update=True) == []
    assert path.read_bytes() == before
    assert PROGRAM not in before

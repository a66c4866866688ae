from agentevals.evaluator import lock, locking
from agentevals.evaluator.resolver import EvaluatorResolver, RemoteEvaluatorDef
from tests.evaluator.conftest import COMMIT, LATER, PROGRAM, entry, listing


def changes(path, *refs, update=False):
    wanted = [RemoteEvaluatorDef(name=ref, ref=ref, lock=path) for ref in refs]
    new, changed = locking.changes(path, wanted, EvaluatorResolver(), update=update)
    lock.write(path, new)
    return [(change.ref, change.before and change.before.commit) for change in changed]


def test_only_what_is_not_locked_yet_is_looked_for(github, tmp_path):
    path = tmp_path / lock.FILE
    first = changes(path, "a")
    github.commit = LATER

    assert first == [("a", None)]
    assert changes(path, "a", "a@^1") == [("a@^1", None)]
    assert lock.read(path).find("github", "a").commit == COMMIT
    assert lock.read(path).find("github", "a@^1").commit == LATER


def test_an_update_says_what_it_changed(github, tmp_path):
    path = tmp_path / lock.FILE
    changes(path, "a", "evaluators/a/a.py")
    github.commit = LATER
    github.files["index.json"] = listing(entry(version="1.0.1"), commit=LATER)

    assert changes(path, "a", update=True) == [("a", COMMIT)]
    assert lock.read(path).find("github", "evaluators/a/a.py").commit == COMMIT


def test_an_update_that_finds_the_same_changes_nothing(github, tmp_path):
    path = tmp_path / lock.FILE
    changes(path, "a")
    before = path.read_bytes()

    assert changes(path, "a", update=True) == []
    assert path.read_bytes() == before
    assert PROGRAM not in before

import json

import pytest
import yaml

from tests.evaluator.conftest import COMMIT, LATER, PROGRAM, Repository, entry, head_of, listing
from tests.servers import serve
from tests.support import EXAMPLES, agentevals

PARIS = str(EXAMPLES / "traces" / "paris.jsonl")
REF = "evaluators/a/a.py"


@pytest.fixture
def place():
    """A GitHub with one repository that has one evaluator."""
    github = Repository({REF: PROGRAM, "index.json": listing(entry())})
    with serve(github) as server:
        github.server = server
        yield github


@pytest.fixture
def command(place, tmp_path):
    def run(*words, **variables):
        return agentevals(
            *words,
            cwd=tmp_path,
            HOME=str(tmp_path),
            AGENTEVALS_API_URL=f"{place.server.url}/api",
            AGENTEVALS_RAW_URL=f"{place.server.url}/raw",
            AGENTEVALS_EVALUATOR_REPO="o/r",
            **variables,
        )

    return run


def configured(folder, *refs, name="eval_config.yaml"):
    entries = [{"name": f"e{n}", "type": "remote", "ref": ref} for n, ref in enumerate(refs)]
    (folder / name).write_text(yaml.safe_dump({"evaluators": entries}))


def publish(github, program, version, commit):
    """The next state of the registry."""
    index = listing(entry(files={"a.py": program}, version=version))
    github.files = {REF: program, "index.json": index, "head.json": head_of(index, 2)}
    github.commit = commit


def judged(done):
    """Score, error and origin of the first evaluator on the one trace."""
    assert done.stdout, done.stderr
    (trace,) = json.loads(done.stdout)["traces"]
    metric = trace["metrics"][0]
    return metric["score"], metric["error"], metric.get("details", {}).get("evaluator")


NEWER = PROGRAM.replace(b"0.75", b"0.5")
RUN = ("run", PARIS, "-c", "eval_config.yaml", "-o", "json")


def test_it_records_what_was_found(command, tmp_path):
    configured(tmp_path, "a@^1", REF)

    done = command("lock")

    assert done.returncode == 0, done.stderr
    lock = json.loads((tmp_path / "agentevals.lock").read_text())
    assert [each["ref"] for each in lock["evaluators"]] == ["a@^1", REF]
    pin = lock["evaluators"][0]["pin"]
    assert (pin["commit"], pin["path"], pin["version"]) == (COMMIT, REF, "1.0.0")
    assert pin["repository"].endswith("/o/r")
    assert len(pin["sha256"]) == 64
    assert "2 locked, 2 changed" in done.stdout


def test_one_that_stands_in_another_is_recorded_too(command, tmp_path):
    inner = {"name": "both", "type": "composite", "evaluators": [{"type": "remote", "ref": "a"}]}
    inner["evaluators"][0]["name"] = "a"
    outer = {"name": "all", "type": "composite", "evaluators": [inner]}
    (tmp_path / "eval_config.yaml").write_text(yaml.safe_dump({"evaluators": [outer]}))

    done = command("lock")

    lock = json.loads((tmp_path / "agentevals.lock").read_text())
    assert [each["ref"] for each in lock["evaluators"]] == ["a"], done.stderr


def test_the_same_lock_has_the_same_bytes(command, tmp_path):
    configured(tmp_path, REF, "a")
    command("lock")
    before = (tmp_path / "agentevals.lock").read_bytes()
    configured(tmp_path, "a", REF)
    command("lock", "--update")

    assert (tmp_path / "agentevals.lock").read_bytes() == before


def test_a_run_uses_what_is_locked_whatever_the_branch_says(command, tmp_path, place):
    configured(tmp_path, "a")
    command("lock")
    publish(place, NEWER, "1.1.0", LATER)

    score, _, origin = judged(command(*RUN))

    assert score == 0.75
    assert (origin["commit"], origin["version"], origin["pinned_by"]) == (COMMIT, "1.0.0", "lock")


def test_without_a_lock_a_run_uses_the_newest_and_says_which(command, tmp_path, place):
    configured(tmp_path, "a")
    publish(place, NEWER, "1.1.0", LATER)

    score, _, origin = judged(command(*RUN))

    assert score == 0.5
    assert (origin["commit"], origin["pinned_by"]) == (LATER, "index")
    assert len(origin["sha256"]) == 64


def test_what_is_locked_stays_until_an_update(command, tmp_path, place):
    configured(tmp_path, "a")
    command("lock")
    publish(place, NEWER, "1.1.0", LATER)

    kept, updated = command("lock"), command("lock", "--update")

    assert "1 locked, 0 changed" in kept.stdout
    assert "a: 1.0.0 -> 1.1.0" in updated.stdout
    assert judged(command(*RUN))[0] == 0.5


def test_other_bytes_than_the_locked_ones_are_refused(command, tmp_path, place):
    configured(tmp_path, "a")
    command("lock")
    place.files[REF] = NEWER

    done = command(*RUN, AGENTEVALS_CACHE=str(tmp_path / "empty"))

    assert done.returncode != 0
    assert "is not what agentevals.lock says: a.py has the sha256" in judged(done)[1]


@pytest.mark.parametrize("words", [("validate", "eval_config.yaml"), RUN])
def test_what_a_lock_does_not_have_is_refused(command, tmp_path, words):
    configured(tmp_path, "a")
    command("lock")
    configured(tmp_path, "a", REF)

    done = command(*words)

    assert done.returncode == 2
    assert "run 'agentevals lock' to add it" in done.stdout


def test_what_another_config_needs_stays(command, tmp_path):
    configured(tmp_path, "a")
    configured(tmp_path, REF, name="other.yaml")
    command("lock", "eval_config.yaml")
    command("lock", "other.yaml")

    lock = json.loads((tmp_path / "agentevals.lock").read_text())

    assert [each["ref"] for each in lock["evaluators"]] == ["a", REF]


def test_a_lock_is_that_of_the_configs_beside_it_alone(command, tmp_path):
    (tmp_path / "deeper").mkdir()
    configured(tmp_path, REF)
    configured(tmp_path / "deeper", "a")
    command("lock")

    done = command("run", PARIS, "-c", "deeper/eval_config.yaml", "-o", "json")

    assert judged(done)[2]["pinned_by"] == "index"


def test_a_config_may_name_its_lock(command, tmp_path):
    (tmp_path / "deeper").mkdir()
    configured(tmp_path / "deeper", "a")
    config = tmp_path / "deeper" / "eval_config.yaml"
    config.write_text(config.read_text() + "  lock: ../all.lock\n")
    command("lock", str(config))

    done = command("run", PARIS, "-c", "deeper/eval_config.yaml", "-o", "json")

    assert (tmp_path / "all.lock").exists()
    assert judged(done)[2]["pinned_by"] == "lock"


def test_an_unpinned_evaluator_is_pinned_by_its_lock(command, tmp_path, place):
    del place.files["index.json"]
    configured(tmp_path, REF)
    unpinned = command(*RUN)
    command("lock")
    pinned = command(*RUN)

    assert "is not pinned" in unpinned.stderr
    assert judged(unpinned)[2]["pinned_by"] is None
    assert "is not pinned" not in pinned.stderr
    assert judged(pinned)[2]["pinned_by"] == "lock"


def test_another_repository_than_the_locked_one_is_refused(command, tmp_path):
    configured(tmp_path, "a")
    command("lock")
    lock = tmp_path / "agentevals.lock"
    lock.write_text(lock.read_text().replace("/o/r", "/o/other"))

    assert "agentevals.lock has it from" in judged(command(*RUN))[1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"evaluators"', '"evalutors"'),
        ('"path": "evaluators/a/a.py"', '"path": "../a.py"'),
        ('"a.py": "', '"../a.py": "'),
        ('"sha256": "', '"sha256": "0'),
        (COMMIT, "main"),
        ("{", ""),
        ('"schema": 1', '"schema": 2'),
    ],
)
def test_a_lock_is_not_trusted(command, tmp_path, before, after):
    configured(tmp_path, "a")
    command("lock")
    lock = tmp_path / "agentevals.lock"
    assert before in lock.read_text()
    lock.write_text(lock.read_text().replace(before, after, 1))

    done = command("validate", "eval_config.yaml")

    assert done.returncode == 2
    assert "agentevals.lock" in done.stdout


def test_check_says_what_is_not_locked(command, tmp_path):
    configured(tmp_path, "a")
    missing = command("lock", "--check")
    command("lock")

    assert (missing.returncode, command("lock", "--check").returncode) == (1, 0)
    assert "a is not locked" in missing.stdout


def test_a_registry_that_is_not_reached_leaves_the_lock_as_it_is(command, tmp_path, place):
    configured(tmp_path, "a")
    place.down = {"/"}

    done = command("lock", AGENTEVALS_OFFLINE="1")

    assert done.returncode == 3
    assert not (tmp_path / "agentevals.lock").exists()


def test_offline_a_locked_evaluator_runs_out_of_the_cache(command, tmp_path, place):
    configured(tmp_path, "a")
    command("lock")
    asked = len(place.server.seen)

    assert judged(command(*RUN, AGENTEVALS_OFFLINE="1"))[0] == 0.75
    assert len(place.server.seen) == asked


def test_without_a_config_it_says_what_to_do(command):
    done = command("lock")

    assert done.returncode == 2
    assert "there is no eval_config.yaml here" in done.stderr

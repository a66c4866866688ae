import pytest
from pydantic import ValidationError

from agentevals.evaluator.resolver import get_default_resolver
from agentevals.evaluator.sources import EvaluatorSource
from agentevals.graders.grader import Services
from agentevals.graders.grading import grade_case, grade_cases
from agentevals.graders.programs.remote import Remote
from agentevals.model.cases import Case, Status
from agentevals.model.completeness import Fact, Gap, Presence
from agentevals.model.errors import InputError, UnavailableError
from tests.servers import reply, serve
from tests.support import case, conversation, turn

PROGRAM = b"""print('{"score": 0.75}')"""


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("AGENTEVALS_EVALUATOR_REPO", "org/repo")
    monkeypatch.delenv("AGENTEVALS_OFFLINE", raising=False)
    get_default_resolver.cache_clear()
    yield
    get_default_resolver.cache_clear()


def remote(ref="evaluators/a/a.py", **settings):
    return Remote(name="ev", ref=ref, **settings)


def test_a_program_of_a_registry_judges_a_case(monkeypatch):
    files = {"/org/repo/main/evaluators/a/a.py": PROGRAM}
    with serve(
        lambda seen: reply(200 if seen.path in files else 404, files.get(seen.path, b""))
    ) as server:
        monkeypatch.setenv("AGENTEVALS_RAW_URL", server.url)
        grades = [remote().grade(case(), Services()) for _ in range(2)]

    assert [grade.score for grade in grades] == [0.75, 0.75]
    assert [seen.path for seen in server.seen].count("/org/repo/main/evaluators/a/a.py") == 1


def test_a_program_that_is_not_there_is_the_users_mistake(monkeypatch):
    with serve(lambda seen: reply(404)) as server:
        monkeypatch.setenv("AGENTEVALS_RAW_URL", server.url)
        with pytest.raises(InputError, match=r"^evaluator 'ev': evaluators/a/a\.py does not"):
            remote().grade(case(), Services())


def test_a_registry_that_is_not_reached_is_unavailable(monkeypatch):
    monkeypatch.setenv("AGENTEVALS_OFFLINE", "1")

    with pytest.raises(UnavailableError, match=r"^evaluator 'ev': .* this run is offline"):
        remote().grade(case(), Services())


@pytest.mark.parametrize(
    "settings",
    [
        {"ref": "../a.py"},
        {"ref": "a.rb"},
        {"ref": ""},
        {"source": "builtin"},
        {"path": "a.py"},
        {"timeout": 0},
    ],
)
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(ValidationError):
        remote(**settings)


def test_the_report_says_what_judged(monkeypatch):
    with serve(lambda seen: reply(200 if seen.path.endswith("/a.py") else 404, PROGRAM)) as server:
        monkeypatch.setenv("AGENTEVALS_RAW_URL", server.url)
        grader = remote()
        before = grader.content
        told = grader.grade(case(), Services()).details["evaluator"]

    assert (told["repository"], told["path"]) == (f"{server.host}/org/repo", "evaluators/a/a.py")
    assert told["pinned_by"] is None
    assert (before, grader.content) == ("", told["sha256"])


def test_a_name_is_a_reference_too():
    assert remote(ref="contains@^1.2").definition.ref == "contains@^1.2"


def test_an_unknown_source_is_found_before_anything_runs():
    assert remote().problems() == []
    assert "did you mean 'github'" in remote(source="gihub").problems()[0]


def test_an_unknown_executor_is_found_before_anything_is_fetched():
    assert "did you mean 'local'" in remote(executor="locl").problems()[0]


MANIFEST = """
name: silence
description: No tool was called.
language: python
entrypoint: silence.py
needs: [tool_calls, arguments, a_fact_of_tomorrow]
"""
WITHHELD = Gap(fact=Fact.TOOL_CALLS, presence=Presence.WITHHELD, evidence="a placeholder")


class Shelf(EvaluatorSource):
    """Hands out a program and its manifest."""

    source_name = "shelf"

    async def list_evaluators(self):
        return []

    async def fetch_evaluator(self, ref, dest):
        (dest.parent / "evaluator.yaml").write_text(MANIFEST)
        dest.write_bytes(PROGRAM)
        return dest


def judge(**settings):
    get_default_resolver().register_source(Shelf())
    grader = remote(source="shelf", ref="silence.py", **settings)
    recorded = conversation(turn(gaps=(WITHHELD,)))
    return grade_case(grader, Case(conversation=recorded), Services())


def test_without_a_fact_that_its_manifest_names_it_is_not_asked():
    result = judge()

    assert result.status is Status.NOT_EVALUATED
    assert result.details["gap"] == WITHHELD


def test_what_the_config_says_that_it_needs_goes_before_its_manifest():
    assert judge(needs=["answer"]).score == 0.75
    assert judge(needs=[]).score == 0.75


LINES = b"""
import json, os, sys
for line in sys.stdin:
    told = json.loads(line)
    of = os.environ.get("AGENTEVALS_BATCH", "")
    named = {"id": told["id"]} if of else {}
    print(json.dumps(named | {"score": 1, "details": {"batch": of, "by": os.getpid()}}))
"""


class LineShelf(Shelf):
    """Hands out a program that reads lines, with what its manifest says about that."""

    def __init__(self, allowed):
        self.allowed = allowed

    async def fetch_evaluator(self, ref, dest):
        (dest.parent / "evaluator.yaml").write_text(f"{MANIFEST}batch: {self.allowed}\n")
        dest.write_bytes(LINES)
        return dest


@pytest.mark.parametrize(("allowed", "starts"), [("true", 1), ("false", 2)])
def test_lines_are_sent_to_a_program_whose_manifest_allows_it(allowed, starts):
    get_default_resolver().register_source(LineShelf(allowed))
    grader, services = remote(source="shelf", ref="silence.py", batch=True), Services()

    results = grade_cases(grader, [case(), case()], services)

    assert [one.error for one in results] == ["", ""]
    assert len({one.details["by"] for one in results}) == starts
    assert all(one.details["evaluator"]["path"] for one in results)
    refused = "evaluator 'ev': `batch: true` has no effect: its manifest does not allow it"
    assert list(services.findings) == ([] if allowed == "true" else [refused])

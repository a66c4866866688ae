""""""

import json
import shutil
import threading
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from pydantic import ValidationError

from agentevals.compare.case_summaries import keep_case
from agentevals.configs.plan import Expectation, Plan
from agentevals.graders.grader import Grader, Services
from agentevals.graders.text.text_checks import Contains
from agentevals.model.cases import Case, Grade, Status
from agentevals.model.completeness import Fact, Gap, Presence
from agentevals.model.conversations import ToolCall
from agentevals.model.errors import EvaluatorError, InputError, UnavailableError
from agentevals.model.policy import Policy
from agentevals.model.results import Blame
from agentevals.run.attempts import join_attempts
from agentevals.run.engine import Grading, digest_recording, make_report
from agentevals.traces import loaders
from agentevals.traces.turns import converse
from tests.support import DATA, case, conversation, turn
from tests.traces.loaders.test_formats import SAMPLES, trace_file

EXPORT = DATA / "traces/otlp-json/export/trace.json"


class Says(Grader):
    """Returns what it was told to, or raises it."""

    type = "says"

    answer: object = None

    def grade(self, case, services):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Waits(Says):
    """The same, in a thread."""

    type = "waits"
    waits = True


class Compares(Says):
    """The same, but it needs an expectation."""

    type = "compares"
    needs_expectation = True


def graded(*graders, cases=None, jobs=2):
    plan = Plan(title="t", graders=graders)
    return list(Grading(plan, cases or [case()], Services(), jobs=jobs))


def only(*graders):
    ((_, results),) = graded(*graders)
    return results


@pytest.mark.parametrize(
    ("grade", "status"),
    [
        (Grade(score=0.5), Status.PASSED),
        (Grade(score=0.49), Status.FAILED),
        (Grade(score=None), Status.NOT_EVALUATED),
        (Grade(score=0.1, status=Status.PASSED), Status.PASSED),
    ],
)
def test_the_threshold_decides_unless_the_grader_did(grade, status):
    assert only(Says(name="s", answer=grade))[0].status is status


@pytest.mark.parametrize("kind", [Says, Waits])
@pytest.mark.parametrize(
    ("raised", "blame"),
    [
        (EvaluatorError("broke"), Blame.EVALUATOR),
        (InputError("broke"), Blame.INPUT),
        (UnavailableError("broke"), Blame.OUTSIDE),
        (ZeroDivisionError("broke"), Blame.BUG),
    ],
)
def test_a_grader_that_breaks_costs_its_own_result_only(kind, raised, blame):
    broken, fine = only(
        kind(name="broken", answer=raised), Says(name="fine", answer=Grade(score=1.0))
    )

    assert (broken.status, broken.blame, broken.score) == (Status.ERROR, blame, None)
    assert "broke" in broken.error
    assert fine.status is Status.PASSED


@pytest.mark.parametrize("weight", [-1, 1e10, 1e308, float("inf"), float("nan")])
def test_weights_are_such_that_they_add_up(weight):
    with pytest.raises(ValidationError, match="weight"):
        Contains(name="a", value="b", weight=weight)


def test_what_needs_an_expectation_is_not_asked_without_one():
    (result,) = only(Compares(name="c", answer=AssertionError("asked")))

    assert (result.status, result.score) == (Status.NOT_EVALUATED, None)


def test_results_come_in_the_order_of_cases_and_config_however_long_each_takes():
    second_done = threading.Event()

    class First(Waits):
        type = "first"

        def grade(self, case, services):
            assert second_done.wait(timeout=30)
            return Grade(score=1.0)

    class Second(Waits):
        type = "second"

        def grade(self, case, services):
            second_done.set()
            return Grade(score=1.0)

    results = only(First(name="first"), Second(name="second"))

    assert [result.name for result in results] == ["first", "second"]


def test_a_long_run_is_not_begun_all_at_once():
    begun, handed_on = 0, 0

    def endless():
        nonlocal begun
        for number in range(500):
            begun += 1
            yield Case(conversation=conversation(turn(), name=str(number)))

    plan = Plan(title="t", graders=(Waits(name="w", answer=Grade(score=1.0)),))
    for _ in Grading(plan, endless(), Services(), jobs=2):
        handed_on += 1
        assert begun - handed_on <= 2 * 8 + 1

    assert handed_on == 500


def test_a_judge_is_asked_while_the_next_conversation_is_read():
    asked, read = threading.Event(), threading.Event()

    class Judge(Waits):
        type = "asked"

        def grade(self, case, services):
            asked.set()
            assert read.wait(timeout=30)
            return Grade(score=1.0)

    def read_cases():
        yield case()
        assert asked.wait(timeout=30)
        read.set()
        yield case()

    found = graded(Judge(name="judge"), cases=read_cases(), jobs=1)

    assert [result.status for _, (result,) in found] == [Status.PASSED] * 2


def test_a_conversation_that_could_not_be_read_is_not_graded():
    unreadable = Case(conversation=conversation(error="No invocations extracted from trace."))

    ((_, results),) = graded(Says(name="s", answer=AssertionError()), cases=[unreadable])

    assert results == ()


class Together(Waits):
    """Judges cases in batches, and says how many each has."""

    type = "together"

    @property
    def batches(self):
        return True

    def grade_batch(self, cases, services):
        if isinstance(self.answer, Exception):
            raise self.answer
        return [Grade(score=1.0, details={"of": len(cases)}) for _ in cases]


@pytest.mark.parametrize("jobs", [1, 3])
def test_cases_of_a_batch_follow_each_other(jobs):
    found = graded(Together(name="t"), cases=[case() for _ in range(21)], jobs=jobs)

    assert [one.details["of"] for _, (one,) in found] == [8] * 16 + [5] * 5


def test_what_a_batch_raises_is_the_error_of_each_of_its_cases():
    found = graded(Together(name="t", answer=ZeroDivisionError("broke")), cases=[case(), case()])

    assert [(one.status, one.blame) for _, (one,) in found] == [(Status.ERROR, Blame.BUG)] * 2


def test_a_batch_does_not_wait_for_cases_that_nobody_has_read(tmp_path):
    """The first case is handed on although no other one is for this grader."""
    read = []

    def read_cases():
        for number in range(1000):
            read.append(number)
            yield Case(conversation=conversation(turn()), eval_case_id=str(number))

    expected = Expectation(case_id="0", graders=(Together(name="t"),))
    plan = Plan(title="t", expectations=(expected,))
    _, (first,) = next(iter(Grading(plan, read_cases(), Services(), jobs=2)))

    assert first.details == {"of": 1}
    assert len(read) < 100


def digests(*paths: Path) -> list[str]:
    """The recordings of files, by conversation."""
    return [digest_recording(found) for found in converse(loaders.load(paths).traces)]


def written(path: Path, *questions: str) -> Path:
    """Conversations as chat messages, one to a line, without an id or a time."""
    lines = [{"messages": [{"role": "user", "content": text}]} for text in questions]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


# ---- the digest of a recording


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda f: f"{f.parent.name}/{f.name}")
def test_a_recording_of_any_format_is_the_same_under_another_name(sample, tmp_path):
    path = trace_file(sample)
    moved = tmp_path / "elsewhere" / f"moved{''.join(path.suffixes)}"
    shutil.copytree(sample, moved.parent)
    shutil.copy(path, moved)

    known = digests(path)

    assert digests(moved) == known
    assert any(known)
    assert all(len(one) == 16 for one in known if one)


def test_it_does_not_depend_on_what_was_recorded_beside_it(tmp_path):
    alone = written(tmp_path / "b.jsonl", "weather in rome")
    other = written(tmp_path / "a.jsonl", "weather in rome?", "weather in oslo")

    assert digests(other, alone)[-1:] == digests(alone)
    assert len({*digests(other, alone)}) == 3


@pytest.mark.parametrize(
    ("recorded", "anew"),
    [
        ("1760000000000000007", "1760000000000000008"),
        ("b9c7c989f97918e1", "b9c7c989f97918e2"),
        ('"12"', '"13"'),
        ('"version": "1"', '"version": "2"'),
    ],
    ids=["time", "span", "tokens", "instrumentation"],
)
def test_a_new_recording_of_a_case_has_another(recorded, anew, tmp_path):
    text = EXPORT.read_text()
    assert recorded in text
    path = tmp_path / "trace.json"
    path.write_text(text.replace(recorded, anew))

    assert digests(path) != digests(EXPORT)


def test_what_we_say_about_a_recording_is_no_part_of_it():
    gap = Gap(fact=Fact.COST, presence=Presence.UNKNOWN, evidence="no span has it", remedy="")
    told = conversation(
        turn(gaps=(gap,)), warnings=("a span is missing",), sources=("a.json",), name="c2"
    )

    assert digest_recording(told) == digest_recording(conversation(turn()))


def test_where_nothing_was_recorded_it_is_unknown():
    assert digest_recording(conversation(error="the agent could not be started")) == ""
    report = make_report(Case(conversation=conversation(error="no turns")), (), Policy())
    assert report.recording is msgspec.UNSET
    assert keep_case(report).recording == ""


def test_each_attempt_of_a_case_has_one_and_later_runs_know_it():
    reports = [make_report(case(answer), (), Policy()) for answer in ("sunny", "rainy")]

    joined = join_attempts(reports, Policy())

    assert joined.recording is msgspec.UNSET
    known = [one.recording for one in joined.attempts]
    assert known == [one.recording for one in reports]
    assert len(set(known)) == 2
    assert [keep_case(one).recording for one in joined.attempts] == known


def test_a_call_of_another_agent_is_outlined_with_its_name():
    calls = ToolCall(name="a", agent="bakery"), ToolCall(name="b", agent="returns")
    recorded = conversation(turn(agent="bakery", tool_calls=calls))

    report = make_report(Case(conversation=recorded), (), Policy())

    assert report.calls == ("a()", "b() by returns")
    anonymous = tuple(replace(call, agent="") for call in calls)
    unnamed = conversation(turn(agent="bakery", tool_calls=anonymous))
    assert digest_recording(unnamed) == digest_recording(recorded)

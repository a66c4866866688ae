"""What coding agents read: failing cases, evidence and places, the same in every run."""

import re

import msgspec
import pytest

from agentevals.compare import settlement
from agentevals.model.results import EVALUATOR_ERROR, Blame, Finding, Severity
from agentevals.model.review import Scene
from agentevals.report.outputs.failures import render
from agentevals.report.pages import check_run_page, failures_page
from agentevals.report.pages.page_shortening import octets
from tests.compare.runs import against, report, result, run
from tests.compare.runs import case as judged
from tests.hostile import strings
from tests.report.pages.harmless import complaints
from tests.report.pages.hostile_reviews import hostile
from tests.report.pages.reviews import REVIEWS, review, section

FEW, MANY = 3, 2_000


def shown(found, limit=failures_page.LIMIT):
    return failures_page.render(found, limit)


def failing(count, **fields):
    """A run of which so many cases fail, with a long reason each."""
    cases = [
        judged(f"case-{number}", result("path", 0.0, misses=(f"call {number} {'x' * 500}",)))
        for number in range(count)
    ]
    outcome = against(report(cases))
    return settlement.review_of(Scene(**fields), [outcome])


def test_a_case_has_its_places_and_what_each_evaluator_says():
    page = shown(REVIEWS["failed"])
    (block,) = re.findall(r"#### Case `two-orders`.*?(?=#### )", page, re.DOTALL)

    assert "(regressed)" in block
    assert "- trace `traces/support.jsonl:12`\n- rule `evals/support.yaml:33`\n" in block
    assert "evaluator tool_path:\n" in block
    assert "  argument order_id was A-17, expected A-71\n" in block


def test_the_worst_case_comes_first():
    found = re.findall("#### Case `([^`]+)`", shown(REVIEWS["failed"]))

    assert found[:2] == ["refund-over-limit", "two-orders"]
    assert "angry-customer" not in found  # it was fixed


def test_limits_and_errors_stand_apart_from_cases():
    error = Finding(
        severity=Severity.ERROR, rule=EVALUATOR_ERROR, message="boom", blame=Blame.EVALUATOR
    )
    page = shown(review(section(findings=(error,), gates=REVIEWS["failed"].sections[0].gates)))

    assert "- `gate: Pass rate is 90 %, the limit is ≥ 92 %" in page
    assert "What is in error says nothing about the agent. Correct it first:\n\n" in page
    assert "- `boom`\n" in page


def test_the_command_is_there():
    assert "```shell\nagentevals run evals/support.yaml" in shown(REVIEWS["failed"])


def test_kept_traces_are_beside_the_file_in_whatever_run():
    commands = (
        "git checkout a1b2c3d4e5f6\n"
        "gh run download 30433642 -n agentevals-x-attempt-2 -D agentevals-x-attempt-2-30433642\n"
        "cd evals\n"
        "agentevals run '../agentevals-x-attempt-2-30433642/traces/*' --config eval_config.yaml"
    )
    failed = REVIEWS["failed"].sections[0]
    page = shown(review(msgspec.structs.replace(failed, reproduce=commands)))

    assert "30433642" not in page
    assert "attempt" not in page
    assert "# REPORT is the folder of this file\n" in page
    assert "agentevals run '$REPORT/traces/*' --config eval_config.yaml\n" in page


@pytest.mark.parametrize("name", REVIEWS)
def test_another_run_of_the_commit_gives_the_same_bytes(name):
    found = REVIEWS[name]
    other = msgspec.structs.replace(
        found.scene,
        run_id=77,
        run_number=78,
        run_attempt=79,
        run_url=f"{found.scene.run_url}7",
        made_at="2030-01-01T00:00:00+00:00",
    )

    assert shown(msgspec.structs.replace(found, scene=other)) == shown(found)


def test_durations_are_in_none_of_it():
    fast, slow = (
        settlement.review_of(
            Scene(), [against(report([judged("a", result("path", 0.0, duration_ms=taken))]))]
        )
        for taken in (1.0, 2_000.0)
    )

    assert shown(fast) == shown(slow)


@pytest.mark.parametrize("count", [FEW, MANY])
def test_it_never_exceeds_its_limit_and_says_what_is_missing(count):
    page = shown(failing(count))

    assert octets(page) <= failures_page.LIMIT
    assert ("left out to fit" in page) is (count == MANY)
    assert page.startswith("### Failures\n")


def test_an_answer_without_end_leaves_room_for_other_cases():
    long = judged("long", result("path", 0.0, misses=tuple(f"{n} {'x' * 900}" for n in range(99))))
    other = judged("other", result("path", 0.0, misses=("short",)))
    page = shown(settlement.review_of(Scene(), [against(report([long, other]))]))

    assert "#### Case `other`" in page
    assert octets(page) < 10_000


def test_what_passes_is_not_there():
    outcome = against(run({"good": 1.0, "bad": 0.0}))
    page = shown(settlement.review_of(Scene(), [outcome]))

    assert "`bad`" in page
    assert "`good`" not in page


def test_a_run_that_passes_has_nothing_to_tell():
    assert shown(REVIEWS["passed"]).endswith("Nothing fails.\n")
    assert not failures_page.has_failures(REVIEWS["passed"])


def test_an_accepted_failure_is_none_until_it_expires():
    names = re.findall("#### Case `([^`]+)`", shown(REVIEWS["accepted"]))

    assert names == ["refund-over-limit"]


def test_the_output_is_the_page():
    assert "".join(render(REVIEWS["failed"])) == shown(REVIEWS["failed"])


def test_no_foreign_text_leaves_its_code():
    page = shown(hostile(list(strings(500))), 10**6)

    assert complaints(page) == []


class TestInTheCheck:
    def test_the_text_has_it_folded(self):
        text = check_run_page.check(REVIEWS["failed"]).text

        assert "<summary>The failures for a coding agent</summary>" in text
        assert shown(REVIEWS["failed"]).strip() in text

    def test_a_run_without_failures_has_no_fold(self):
        assert "coding agent" not in check_run_page.check(REVIEWS["passed"]).text

    @pytest.mark.parametrize("room", [65_535, 17_535, 2_000])
    def test_the_text_keeps_to_its_room(self, room):
        assert octets(check_run_page.check(failing(MANY), room).text) <= room

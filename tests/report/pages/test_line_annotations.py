import msgspec
import pytest

from agentevals.model.outcome import Kind, Place, Standing
from agentevals.model.results import Finding, Severity, Verdict
from agentevals.report.pages.line_annotations import Annotation, Level, annotations, choose
from tests.report.pages.reviews import (
    CASES,
    FAILED,
    FAILING,
    PASSED,
    REVIEWS,
    RULES,
    TRACES,
    case,
    review,
    section,
)


def places(found):
    return [(one.path, one.line, one.level) for one in found]


def test_the_rule_and_the_trace_are_marked_worst_first():
    assert places(annotations(REVIEWS["failed"])) == [
        (RULES, 18, Level.FAILURE),
        (RULES, 33, Level.FAILURE),
        (RULES, 40, Level.FAILURE),
        (TRACES, 41, Level.FAILURE),
        (TRACES, 12, Level.FAILURE),
        (TRACES, 203, Level.FAILURE),
        (RULES, 4, Level.WARNING),
    ]


def test_a_trace_is_told_what_was_missed():
    (found,) = [one for one in annotations(REVIEWS["failed"]) if one.line == 203]

    assert found == Annotation(
        path=TRACES,
        line=203,
        level=Level.FAILURE,
        title="late-parcel regressed",
        message="steps: 11 steps, budget 6 (search 7 times)\n"
        "tone, says a judge: the answer blames the customer",
    )


def test_a_rule_is_marked_once_with_all_cases_that_break_it():
    twice = [CASES[0], msgspec.structs.replace(CASES[0], case_id="another")]
    found = annotations(review(msgspec.structs.replace(FAILING, highlights=tuple(twice))))
    (rule,) = [one for one in found if one.path == RULES]

    assert rule.title == "tool_path: not met by 2 cases"
    assert rule.message.splitlines() == [
        "refund-over-limit: tool_path: called issue_refund before check_policy",
        "another: tool_path: called issue_refund before check_policy",
    ]


def test_what_does_not_block_is_no_failure():
    assert {one.level for one in annotations(REVIEWS["tolerated"])} == {Level.WARNING}


def test_what_somebody_answers_for_is_not_marked():
    assert places(annotations(REVIEWS["accepted"])) == [
        (RULES, 18, Level.FAILURE),
        (TRACES, 41, Level.FAILURE),
    ]


@pytest.mark.parametrize(("now", "titles"), [(FAILED, ["a is new and fails"]), (PASSED, [])])
def test_of_new_cases_those_that_fail_are_marked(now, titles):
    new = case("a", Kind.ADDED, line=7, now=now)
    found = annotations(review(msgspec.structs.replace(FAILING, highlights=(new,))))

    assert [one.title for one in found] == titles


def test_a_borderline_case_is_marked_and_blocks_nobody():
    nearly = case("a", Kind.BORDERLINE, line=7, now=Standing(verdict=Verdict.BORDERLINE))
    [found] = annotations(review(msgspec.structs.replace(FAILING, highlights=(nearly,))))

    assert (found.title, found.level) == ("a is borderline", Level.WARNING)


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a\\b", ""])
def test_nothing_outside_of_the_repository_is_marked(path):
    case = msgspec.structs.replace(CASES[0], trace=Place(path=path, line=1), reasons=())
    found = annotations(review(msgspec.structs.replace(FAILING, highlights=(case,))))

    assert found == ()


@pytest.mark.parametrize("line", [None, 0, -1])
def test_a_line_that_no_file_has_becomes_the_first(line):
    case = msgspec.structs.replace(CASES[0], trace=Place(path="a", line=line), reasons=())
    (found,) = annotations(review(msgspec.structs.replace(FAILING, highlights=(case,))))

    assert (found.line, found.message) == (1, "refund-over-limit regressed")


def test_the_least_serious_are_dropped_and_counted():
    many = [
        Finding(severity=severity, rule="r", message=f"{n}", path="a", line=n)
        for severity in (Severity.NOTE, Severity.ERROR)
        for n in range(1, 41)
    ]
    chosen = choose(review(section(findings=tuple(many))), 50)

    assert len(chosen.shown) == 50
    assert chosen.dropped == 30
    assert [one.level for one in chosen.shown].count(Level.FAILURE) == 40

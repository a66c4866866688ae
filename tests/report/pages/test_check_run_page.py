import msgspec
import pytest

from agentevals.model.outcome import Counts
from agentevals.model.results import Finding, Severity, Verdict
from agentevals.model.review import State
from agentevals.report.pages import check_run_page
from agentevals.report.pages.check_run_page import DESCRIPTION, make_status
from agentevals.report.pages.line_annotations import MOST
from agentevals.report.pages.page_shortening import CHECK, octets
from tests.report.outputs.reports import MIXED
from tests.report.pages.reviews import FAILING, PASSING, REVIEWS, review, section
from tests.report.pages.test_page_shortening import HUGE


@pytest.mark.parametrize(
    ("state", "title", "conclusion"),
    [
        ("failed", "Not ready to merge: 2 of 6 gates fail.", "failure"),
        ("passed", "Ready to merge: all 6 gates pass.", "success"),
        ("tolerated", "Can be merged, because nothing blocks here: 2 of 6 gates fail.", "success"),
        (
            "broken",
            (
                "Cannot tell whether to merge: evals/support.yaml:7: unknown evaluator type "
                "'tool_trajctory' (did you mean 'tool_trajectory_avg_score'?)."
            ),
            "failure",
        ),
        ("running", "The evaluation is running.", ""),
        (
            "unchanged",
            "Not evaluated: nothing that the evaluation reads was changed.",
            "neutral",
        ),
    ],
)
def test_title_and_conclusion_come_from_the_same_verdict(state, title, conclusion):
    shown = check_run_page.check(REVIEWS[state])

    assert (shown.title, shown.conclusion) == (title, conclusion)


def test_a_check_without_a_score_is_neutral_unless_the_step_fails():
    unscored = section(counts=Counts(cases=4, unscored=4))
    idle = section(counts=Counts())
    failing = section(counts=Counts(cases=4, unscored=4), verdict=Verdict.FAIL, exit_code=1)

    conclusions = [
        check_run_page.check(review(one)).conclusion for one in (unscored, idle, failing)
    ]
    assert conclusions == ["neutral", "neutral", "failure"]
    for one in (unscored, idle):
        assert check_run_page.check(review(PASSING, one)).conclusion == "neutral"


@pytest.mark.parametrize("exit_code", [130, 143])
def test_who_was_cancelled_has_not_failed(exit_code):
    cancelled = msgspec.structs.replace(REVIEWS["broken"], exit_code=exit_code)

    assert check_run_page.check(cancelled).conclusion == "cancelled"


def test_the_first_screen_is_that_of_the_comment_without_an_alert():
    shown = check_run_page.check(REVIEWS["failed"]).summary

    assert shown.startswith("### ❌ Not ready to merge: 2 of 6 gates fail.\n\nPass rate")
    assert "| Figure | Cases | `main` | This PR |" in shown
    assert "#### Regressed (3)" in shown
    assert "[!" not in shown


def test_the_text_holds_the_cases():
    shown = check_run_page.check(review(msgspec.structs.replace(FAILING, report=MIXED)))

    assert "| `umbrella` | ❌ fail | 0.41 |" in shown.text


def test_a_huge_review_fits():
    shown = check_run_page.check(review(*[HUGE] * 20, state=State.DONE))

    assert octets(shown.summary) <= CHECK
    assert shown.summary.startswith("### ❌ Not ready to merge: 20 of 20 configs fail")


def test_annotations_that_are_left_out_are_counted():
    found = [
        Finding(severity=Severity.NOTE, rule="r", message=f"{n}", path="a", line=n)
        for n in range(1, MOST + 21)
    ]

    assert (
        "*20 more annotations not shown.*" in check_run_page.check(review(notes=tuple(found))).text
    )


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("failed", "failure"),
        ("passed", "success"),
        ("tolerated", "success"),
        ("broken", "error"),
        ("running", "pending"),
        ("unchanged", "success"),
    ],
)
def test_each_state_is_one_of_github(state, expected):
    assert make_status(REVIEWS[state]).state == expected


def test_the_answer_comes_first_and_the_rest_is_cut():
    said = make_status(REVIEWS["failed"]).description

    assert said.startswith("Not ready to merge: 2 of 6 gates fail. Pass rate 90.0 % (54/60),")
    assert len(said) <= DESCRIPTION


def test_a_bug_of_ours_is_an_error_and_no_failure():
    assert make_status(review(verdict=Verdict.FAIL, exit_code=4)).state == "error"
    assert make_status(review(FAILING, exit_code=3)).state == "error"

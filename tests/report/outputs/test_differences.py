"""In every place where people look, expected and actual are told apart, however long they are."""

import msgspec
import pytest

from agentevals.graders.grader import Services
from agentevals.graders.tools.tool_trajectory_avg_score import ToolTrajectory
from agentevals.model.cases import Status
from agentevals.model.conversations import ToolCall, Turn
from agentevals.model.outcome import Place
from agentevals.report.outputs import OUTPUTS
from agentevals.report.pages import check_run_page, comment_page, page_layout, summary_page
from agentevals.report.pages.line_annotations import annotations
from agentevals.report.pages.page_shortening import STAGES
from tests.report.outputs.reports import PASSED, alone, case, graded, report
from tests.support import paired

LONG = "lorem ipsum dolor sit amet " * 27
SHOWN = {
    "argument": (
        [ToolCall(name="lookup", args={"a_text": LONG, "account": account})]
        for account in ("DE01", "DE99")
    ),
    "nested": (
        [ToolCall(name="lookup", args={"a": {"b": {"text": LONG, "ids": [1, 2, account]}}})]
        for account in ("DE01", "DE99")
    ),
    "within a text": (
        [ToolCall(name="reply", args={"text": f"{LONG}{account}{LONG}"})]
        for account in ("DE01", "DE99")
    ),
    "letters": (
        [ToolCall(name="reply", args={"text": f"{'日本語 é' * 90}{account}"})]
        for account in ("DE01", "DE99")
    ),
    "in another place": (
        [ToolCall(name=name, args={"text": LONG}) for name in ("a", "DE01", "DE99")],
        [ToolCall(name=name, args={"text": LONG}) for name in ("DE01", "DE99", "a")],
    ),
    "missing and extra": (
        [ToolCall(name="DE01", args={"text": LONG})],
        [ToolCall(name="DE99", args={"text": LONG})],
    ),
    "repeated": (
        [*[ToolCall(name="a", args={"text": LONG})] * 50, ToolCall(name="b", args={"x": "DE01"})],
        [*[ToolCall(name="a", args={"text": LONG})] * 50, ToolCall(name="b", args={"x": "DE99"})],
    ),
}
SHOWN = {name: tuple(map(tuple, sides)) for name, sides in SHOWN.items()}
PAGES = {
    "comment": comment_page.render,
    "check": lambda review: check_run_page.check(review).summary,
    "check, all cases": lambda review: check_run_page.check(review).text,
    "job summary": summary_page.render,
    "annotations": lambda review: "\n".join(one.message for one in annotations(review)),
}
FILES = ("table", "markdown", "comment", "review", "junit", "sarif", "ctrf", "report")


def failing(kind):
    expected, actual = ([Turn(tool_calls=calls)] for calls in SHOWN[kind])
    grade = ToolTrajectory(name="tools").grade(paired(actual, expected), Services())
    failed = graded("tools", 0.0, misses=grade.misses, details=grade.details)
    assert failed.status is Status.FAILED
    return alone(report(PASSED, case("pay", failed)))


def find_absent(kind, written):
    """What a reader needs to see the difference, and does not find."""
    needed = ("another place",) if kind == "in another place" else ("DE01", "DE99")
    return [text for text in needed if text not in written]


def with_place(review):
    """Annotations are about lines of the repository."""
    (outcome,) = review.sections
    placed = tuple(
        msgspec.structs.replace(one, trace=Place(path="t.jsonl", line=1))
        for one in outcome.highlights
    )
    section = msgspec.structs.replace(outcome, highlights=placed)
    return msgspec.structs.replace(review, sections=(section,))


@pytest.mark.parametrize("kind", SHOWN)
@pytest.mark.parametrize("name", FILES)
def test_a_file_shows_the_difference(name, kind):
    written = "".join(OUTPUTS[name].render(failing(kind)))

    assert find_absent(kind, written) == []


@pytest.mark.parametrize("kind", SHOWN)
@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_the_difference(page, kind):
    written = PAGES[page](with_place(failing(kind)))

    assert find_absent(kind, written) == []


@pytest.mark.parametrize("kind", SHOWN)
@pytest.mark.parametrize("stage", [one for one in STAGES if one.rows], ids=lambda one: one.name)
def test_a_page_that_is_cut_to_fit_shows_it_still(stage, kind):
    written = page_layout.page(page_layout.parts(failing(kind), stage))

    assert find_absent(kind, written) == []

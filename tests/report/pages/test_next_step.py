import msgspec
import pytest

from agentevals.model import project_links
from agentevals.model.results import Verdict
from agentevals.model.review import State
from agentevals.report.pages import (
    check_run_page,
    comment_page,
    first_line,
    next_step,
    page_links,
    summary_page,
)
from agentevals.report.pages.comment_digest import Digest
from tests.model.test_project_links import list_anchors
from tests.report.pages.reviews import REVIEWS

DONE = {"passed", "fork", "rules approved", "running"}  # there is nothing to do, or not yet
KNOWN = Digest(writer="a", key="b", cases=4, passed=4)
FAILED = {"verdict": Verdict.FAIL, "exit_code": 1}


def step(*changes):
    found = first_line.summarise([msgspec.structs.replace(KNOWN, **one) for one in changes]).step
    return found and found.text


@pytest.mark.parametrize("name", REVIEWS)
def test_one_line_says_what_to_do_next_wherever_somebody_looks(name):
    review = REVIEWS[name]
    made = first_line.make_headline(review).step
    written = next_step.write(made)

    assert (made is None) is (name in DONE)
    for page in (
        comment_page.render(review),
        summary_page.render(review),
        check_run_page.check(review).summary,
    ):
        assert page.count("**Next:**") == (made is not None)
        assert written in page


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ({**FAILED, "passed": 3, "failed": 1}, "fix the agent, or, if the new"),
        ({**FAILED, "gates": 2, "failing": 1}, "fix the agent, or change the limit"),
        ({**FAILED, "exit_code": 0, "failed": 1}, "look at the failures below"),
        ({"verdict": Verdict.ERROR, "exit_code": 1}, "fix the evaluator that crashed"),
        ({"verdict": Verdict.ERROR, "exit_code": 2}, "fix the file that is named"),
        ({"verdict": Verdict.ERROR, "exit_code": 3}, "run the job again; if the error stays"),
        ({"verdict": Verdict.ERROR, "exit_code": 4}, "run the job again; if the error stays"),
        ({"verdict": Verdict.ERROR, "exit_code": 0}, "fix what the errors below name"),
        ({**FAILED, "state": State.CANCELLED, "exit_code": 143}, "run the job again"),
        ({**FAILED, "undecided": True, "lacking": 2}, "run 'agentevals doctor' on the traces"),
        ({**FAILED, "undecided": True, "stale": "old"}, "record the agent again"),
        ({"cases": 0, "passed": 0, **FAILED}, "check that traces were recorded"),
        ({"unscored": 4, "passed": 0}, "see the reason of each case"),
        ({"state": State.UNCHANGED, "cases": 0}, "if the pull request changes the agent"),
        ({"pending": "2 cases fail"}, "if the change of the rules is meant"),
        ({"unsure": 1, "gates": 1}, "look at the figures below; the base has some once"),
        ({"unsure": 1, "gates": 1, "compared": True}, "look at the figures below and decide"),
        ({"lacking": 1}, "run 'agentevals doctor' on the traces"),
        ({"verdict": Verdict.BORDERLINE, "borderline": 1}, "look at what is listed below"),
    ],
)
def test_the_step_goes_with_the_first_line(known, text):
    assert step(known).startswith(text)


def test_nothing_is_to_be_done_where_all_is_well():
    assert step({}) is None
    assert step({"state": State.UNAFFECTED, "cases": 0}) is None


def list_steps():
    return [one for one in vars(next_step).values() if isinstance(one, next_step.Step)] + [
        *vars(next_step)["_OF_ERRORS"].values()
    ]


@pytest.mark.parametrize(
    "heading", sorted({one.heading for one in list_steps()} | {*page_links.HEADINGS.values()})
)
def test_each_link_leads_to_a_heading(heading):
    page, _, anchor = heading.partition("#")

    assert not anchor or anchor in list_anchors(page)
    assert project_links.find_page(heading) == f"{project_links.REPOSITORY}/blob/main/{heading}"


def test_the_words_that_a_page_uses_are_linked_once():
    failed, running = (comment_page.render(REVIEWS[name]) for name in ("failed", "running"))

    assert failed.count("<sub>Help:") == 1
    for word in ("how to read this", "figures", "limits and accepted failures", "base"):
        assert f"[{word}]({project_links.find_page(page_links.HEADINGS[word])})" in failed
    assert "[errors]" not in failed
    assert "<sub>Help:" not in running


def test_the_log_has_the_same_line():
    made = first_line.make_headline(REVIEWS["failed"]).step

    assert made.words == f"Next: {made.text}: {project_links.find_page(made.heading)}"

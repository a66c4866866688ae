import re

import pytest

from agentevals.model.review import State
from agentevals.report.pages import comment
from tests.report.outputs.reports import HOSTILE, PASSED, TOGETHER, report
from tests.report.pages.reviews import FAILING, PASSING, REVIEWS, review, scene, section


@pytest.mark.parametrize("state", REVIEWS)
def test_each_state_has_its_layout(golden, state):
    written = re.sub(r"(agentevals:section) \S+", r"\1 DIGEST", comment.render(REVIEWS[state]))

    golden(f"pages/{state}/comment.md", written)


@pytest.mark.parametrize(
    ("state", "answer"),
    [
        ("failed", "[!CAUTION]\n> **Not ready to merge: 2 of 6 gates fail.**"),
        ("passed", "[!TIP]\n> **Ready to merge: all 6 gates pass.**"),
        ("broken", "[!WARNING]\n> **Cannot tell whether to merge:"),
        ("running", "[!NOTE]\n> **The evaluation is running.**"),
        ("unchanged", "[!NOTE]\n> **Not evaluated: nothing that the evaluation reads"),
        ("no-baseline", "[!WARNING]\n> **Can be merged, with care:"),
        ("tolerated", "[!WARNING]\n> **Can be merged, because nothing blocks here: 2 of 6"),
    ],
)
def test_the_first_thing_said_is_whether_to_merge(state, answer):
    assert comment.render(REVIEWS[state]).split("-->\n> ", 1)[1].startswith(answer)


def test_a_link_leads_to_the_line_at_the_head_of_the_pull_request():
    place = (
        "shop/support-agent/blob/a1b2c3d4e5f60718293a4b5c6d7e8f9001122334/traces/support.jsonl#L41"
    )

    assert f"[trace\N{NO-BREAK SPACE}L41](https://github.example/{place})" in comment.render(
        REVIEWS["failed"]
    )


@pytest.mark.parametrize(
    "nowhere",
    [{"server_url": "javascript:alert(1)"}, {"repository": "../.."}, {"head_sha": "main"}],
)
def test_without_a_trustworthy_address_there_is_no_link_to_a_file(nowhere):
    page = comment.render(review(FAILING, scene=scene(**nowhere)))

    assert "/blob/" not in page
    assert "trace\N{NO-BREAK SPACE}L41 `traces/support.jsonl`" in page


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/shop/support-agent/actions/runs/1",
        "https://github.example/shop/support-agent/actions/runs/1)](x",
        "https://github.example/shop/support-agent.evil/actions/runs/1",
    ],
)
def test_only_runs_of_the_repository_are_linked(url):
    page = comment.render(review(state=State.RUNNING, scene=scene(run_url=url)))

    assert "](" not in page


def test_a_removed_failing_case_is_said_in_the_open():
    page = comment.render(REVIEWS["failed"])

    assert "\n⚠️ **1 case that was failing is gone**: `gift-card`\n" in page


def test_an_expired_acceptance_is_said_in_the_open():
    page = comment.render(REVIEWS["accepted"])

    assert "⚠️ **1 acceptance has expired:** `refund-over-limit`" in page


def test_an_older_run_says_that_it_was_overtaken():
    said = comment.explain_superseded(review(PASSING))

    assert "was overtaken by a newer one" in said
    assert said.endswith("It says: Ready to merge: all 6 gates pass.\n")


def test_what_only_all_cases_together_say_is_there():
    page = comment.render(review(section(report=TOGETHER)))

    assert "| all cases | score |\n|---|--:|\n| Label, f-score | 0.52 |\n" in page
    assert "| | a | b |\n|---|--:|--:|\n| a | 2 | 1 |\n| b | 0 | 3 |\n" in page


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_evaluator_can_leave_its_cell(text):
    figures = {text: {"reduce_scores": 0.5, "metric": text}}
    page = comment.render(review(section(report=report(PASSED, overall=figures))))

    (row,) = (row for row in page.splitlines() if row.endswith("| 0.50 |"))
    assert row.count("|") == 3


def test_many_figures_do_not_fill_a_page():
    figures = {f"e{at}": {"reduce_scores": 0.5} for at in range(500)}
    page = comment.render(review(section(report=report(PASSED, overall=figures))))

    assert page.count("| 0.50 |") == 30
    assert "*470 more figures in the report.*" in page

import re
from functools import cache

import msgspec
import pytest

from agentevals.model.outcome import Point
from agentevals.report.pages import summary_page
from agentevals.report.pages.page_shortening import octets
from tests.report.outputs.reports import MIXED, PASSED, UNSCORED, graded, report
from tests.report.outputs.reports import case as case_report
from tests.report.pages.harmless import complaints
from tests.report.pages.reviews import FAILING, PASSING, REVIEWS, review, section

WITH_CASES = msgspec.structs.replace(FAILING, report=MIXED)


@cache
def many():
    return report(*(case_report(f"case-{n}", graded("words", 0.1)) for n in range(30_000)))


def test_it_says_what_the_comment_says_and_shows_every_case(golden):
    golden("pages/failed/summary.md", summary_page.render(review(WITH_CASES)))


@pytest.mark.parametrize("state", REVIEWS)
def test_it_begins_with_the_answer_and_holds_no_markers(state):
    page = summary_page.render(REVIEWS[state])

    assert page.startswith("> [!")
    assert "<!--" not in page


@pytest.mark.parametrize("limit", [1_048_576, 100_000, 10_000, 4_000, 1_000, 300, 10])
def test_it_fits_and_says_how_many_cases_are_missing(limit):
    page = summary_page.render(review(section(report=many())), limit)
    rows = page.count("| `case-")

    assert octets(page) <= limit
    assert complaints(page) == []
    assert not rows or f"*{30_000 - rows:,} more cases in the report.*" in page


def test_a_diagram_that_does_not_fit_is_left_out():
    given = review(section(report=report(), trend=PASSING.trend))
    whole = octets(summary_page.render(given))
    lengths = [
        octets(summary_page.render(given, limit)) - limit for limit in range(whole - 9, whole)
    ]

    assert max(lengths) <= 0


def test_a_case_that_nothing_could_judge_has_not_passed():
    page = summary_page.render(review(section(report=report(UNSCORED))))

    assert "| `void` | ⚪ not evaluated |" in page


def test_a_missed_gate_is_named_although_the_score_is_high_enough():
    gated = report(case_report("gate", graded("safety", 0.8, required=0.9)))

    page = summary_page.render(review(section(report=gated)))

    assert "| `gate` | ❌ fail | 0.80 | **safety**: required to score 0.90 |" in page


def test_the_trend_is_a_diagram():
    page = summary_page.render(review(PASSING))
    (drawn,) = re.findall(r"^```mermaid\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)

    assert drawn.splitlines() == [
        "xychart-beta",
        'title "Pass rate of support on the base branch"',
        'x-axis ["9999999", "aaaaaaa", "bbbbbbb", "ccccccc", "ddddddd", "eeeeeee"]',
        'y-axis "percent" 0 --> 100',
        "line [87.0, 92.0, 93.0, 90.0, 93.0, 93.3]",
    ]


def test_names_in_a_diagram_are_letters_and_digits():
    points = (Point(commit='"]\nclick a "https://x"', pass_rate=7.0),) * 2
    odd = msgspec.structs.replace(PASSING, title='a"]\n%%{init}%% | <b>', trend=points)
    drawn = summary_page.chart(odd)

    assert 'title "Pass rate of a_init_ _ _b on the base branch"' in drawn
    assert 'x-axis ["clic", "clic"]' in drawn


def test_one_point_is_no_trend():
    assert summary_page.chart(msgspec.structs.replace(PASSING, trend=PASSING.trend[:1])) == ""


def test_a_run_without_cases_has_no_table():
    assert "All 0 cases" not in summary_page.render(review(section(report=report())))
    assert "All 1 case of" in summary_page.render(review(section(report=report(PASSED))))

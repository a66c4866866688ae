import re

import pytest

from agentevals.compare.settlement import review_of
from agentevals.model.review import Scene
from agentevals.report.outputs.markdown import LIMIT, render
from tests.compare.runs import against, run
from tests.report.outputs.reports import (
    HOSTILE,
    MIXED,
    ORDER,
    PASSED,
    REPORTS,
    TOGETHER,
    TWO_TURNS,
    UNSCORED,
    alone,
    call,
    case,
    graded,
    hostile,
    report,
    trajectory,
)
from tests.report.pages.harmless import count_borders


def markdown(report):
    return "".join(render(alone(report)))


def test_a_failing_run(golden):
    golden("reports/mixed.md", markdown(MIXED))


def test_a_passing_run(golden):
    golden("reports/passing.md", markdown(REPORTS["passing"]))


def test_a_missed_gate_is_named_although_the_score_is_high_enough():
    text = markdown(report(case("gate", graded("safety", 0.8, required=0.9))))

    assert "**safety** (0.80): required to score 0.90 |" in text


def test_a_case_that_nothing_could_judge_has_not_passed():
    text = markdown(report(PASSED, UNSCORED))

    assert "1 of 2 cases have no score" in text
    assert "| `void` | ⚪ not evaluated | – | **tokens**: none recorded |" in text  # noqa: RUF001


def test_the_worst_case_comes_first():
    text = markdown(report(PASSED, TWO_TURNS, case("worst", graded("words", 0.01))))

    assert text.index("worst") < text.index("umbrella") < text.index("greeting")


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_every_row_keeps_its_cells(text):
    rows = [line for line in markdown(hostile(text)).splitlines() if line.startswith("| `")]

    assert {row.count("|") for row in rows} <= {5}


def test_a_run_with_a_baseline_says_what_regressed():
    base, head = run({"kept": 1, "lost": 1}), run({"kept": 1, "lost": 0})

    text = "".join(render(review_of(Scene(), [against(head, base)])))

    assert "#### Regressed (1)" in text
    assert "| `lost` | ✅\N{NO-BREAK SPACE}pass" in text


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_comment_never_gets_too_long_or_hides_anything(text):
    written = markdown(hostile(text))

    assert len(written.encode("utf-16-le")) // 2 <= LIMIT
    assert "<!--" not in written
    assert "##[" not in written
    assert written.count("<details>") == written.count("</details>")


@pytest.mark.parametrize("text", ["```", "`" * 9, "x\n```\n<b>"])
def test_calls_cannot_leave_their_fence(text):
    turn = ([call(text, x=text)], [call(text, x="y")])
    written = markdown(report(case("a", trajectory(0.0, turn))))
    fence, body = re.search(r"^(`+)diff\n(.*?)\n\1$", written, re.MULTILINE | re.DOTALL).groups()

    assert fence not in body
    assert len(fence) >= 3


def test_a_huge_run_fits_and_says_what_it_leaves_out():
    long = case("refund", graded("words", 0.1, misses=("no " * 10_000,)))
    text = markdown(report(*[PASSED] * 3_000, *[long] * 300, *[ORDER] * 200))

    assert len(text) <= LIMIT
    assert re.search(r"\*[\d,]+ more cases in the (job summary and the )?report\.\*", text)
    assert "500 of 3,500 cases failed" in text


def test_what_all_cases_together_say():
    text = markdown(TOGETHER)

    assert "| all cases | score |\n|---|--:|\n| Label, f-score | 0.52 |\n" in text
    assert "precision | 0.6667 |\n" in text
    assert "| | a | b |\n|---|--:|--:|\n| a | 2 | 1 |\n| b | 0 | 3 |\n" in text
    assert "Plain" not in text


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_class_can_leave_its_cell(text):
    said = {"score": 0.0, "details": {"metric": "confusion_matrix", "classes": [text]}}
    said["details"]["confusionMatrix"] = [[1]]
    rows = markdown(report(PASSED, overall={text: {text: said}})).splitlines()

    matrix = [row for row in rows if row.endswith("| 1 |")]
    assert [count_borders(row) for row in matrix] == [3]

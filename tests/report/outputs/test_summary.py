import re

import pytest

from agentevals.report.outputs.summary import render
from tests.report.outputs.reports import (
    HOSTILE,
    MIXED,
    PASSED,
    REPORTS,
    UNSCORED,
    alone,
    case,
    graded,
    hostile,
    report,
)


def test_a_line_per_result(golden):
    golden("reports/mixed.summary.txt", "".join(render(alone(MIXED))))


def test_a_missed_gate_is_a_failure_that_says_why():
    text = "".join(render(alone(report(case("gate", graded("safety", 0.8, required=0.9))))))

    assert "[FAIL] safety: 0.8000 (FAILED) - required to score 0.90 [12 ms]" in text


def test_what_was_not_graded_says_why():
    text = "".join(render(alone(REPORTS["ungraded"])))

    assert text.startswith("ERROR: 5 cases in error, 5 results not evaluated")
    assert "[----] response_match_score: N/A (NOT_EVALUATED) - no eval set provided" in text
    assert "[ERR!] p: ERROR - p.py: no answer" in text


def test_a_case_that_nothing_could_judge_has_not_passed():
    text = "".join(render(alone(report(PASSED, UNSCORED))))

    assert text.startswith("PASS: 1 of 2 cases passed, 1 result not evaluated")
    assert " void (1 invocations): NOT EVALUATED\n" in text


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_foreign_text_is_only_shown(text):
    shown = "".join(render(alone(hostile(text))))

    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", shown
    )
    assert not re.search(r"^\s*::|##\[", shown, re.MULTILINE)

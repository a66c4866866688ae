import re

import pytest
from msgspec.structs import replace

from agentevals.model.cases import Raw, Status
from agentevals.model.policy import Policy
from agentevals.model.results import Result
from agentevals.report.outputs.table import render
from agentevals.text.terminal import width
from agentevals.text.wording import NOTHING
from tests.report.outputs.reports import (
    HOSTILE,
    ORDER,
    PASSED,
    REPORTS,
    TOGETHER,
    TWO_TURNS,
    UNSCORED,
    alone,
    case,
    graded,
    hostile,
    report,
    trajectory,
    unevaluated,
)


def table(report, **how):
    return "".join(render(alone(report), **how))


@pytest.mark.parametrize("name", REPORTS)
def test_what_people_read(name, golden):
    golden(f"reports/{name}.txt", table(REPORTS[name]))


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_foreign_text_is_only_shown(text):
    shown = table(hostile(text))

    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", shown
    )
    assert not re.search(r"^\s*::|##\[", shown, re.MULTILINE)
    assert max(map(width, shown.split("\n"))) <= 100


@pytest.mark.parametrize("columns", [60, 80, 100, 200])
def test_no_line_is_wider_than_the_terminal(columns):
    every = report(PASSED, TWO_TURNS, ORDER, case("x" * 300, graded("y" * 300, 0.1)))

    assert max(map(width, table(every, width=columns).split("\n"))) <= columns


def test_colour_adds_nothing_but_colour():
    coloured = table(REPORTS["mixed"], colour=True)
    bare = re.sub(r" *\x1b\[[0-9;]*m(?=\n)|\x1b\[[0-9;]*m", "", coloured)

    assert bare.replace(" FAIL ", "FAIL", 1) == table(REPORTS["mixed"])
    assert coloured.count("\x1b[0m") == len(re.findall(r"\x1b\[[1-9][0-9;]*m", coloured))


def test_many_passing_cases_are_folded_into_a_count():
    shown = table(report(*[PASSED] * 180, TWO_TURNS))

    assert "✓ 180 cases passed" in shown
    assert "✗ umbrella" in shown
    assert len(shown.splitlines()) < 50


@pytest.mark.parametrize("passing", [1, 180])
def test_a_case_that_nothing_could_judge_has_not_passed(passing):
    shown = table(report(*[PASSED] * passing, UNSCORED))

    assert f"{NOTHING} void" in shown
    assert "✓ void" not in shown
    assert f"PASS  {passing} of {passing + 1} cases passed" in shown
    assert passing == 1 or "✓ 180 cases passed" in shown


def test_a_single_case_that_nothing_could_judge_has_not_passed():
    assert f"{NOTHING} void" in table(report(UNSCORED))


def test_many_failing_cases_are_shown_up_to_a_number_that_is_said():
    shown = table(report(*[TWO_TURNS] * 100))

    assert "90 more failed cases not shown here" in shown
    assert "and 30 more that did not pass" in shown


def test_one_reason_for_many_results_is_said_once():
    shown = table(REPORTS["ungraded"])

    assert shown.count("p.py: no answer") == 1
    assert "in a, b, c and 2 more" in shown


def test_more_evaluators_than_fit_stand_in_several_tables():
    names = [f"evaluator_with_a_long_name_{n}" for n in range(15)]
    shown = table(report(*(case(c, *(graded(n, 0.7) for n in names)) for c in "ab")))

    assert all(name in shown for name in names)
    assert shown.count("  mean") == 2


def test_evaluators_of_a_single_case_share_a_column_where_all_would_not_fit():
    cases = [
        case(c, graded("polite", 1.0), *(graded(f"{c}: rule number {n}", n / 10) for n in (9, 1)))
        for c in "abcdef"
    ]
    shown = table(report(*cases, case("plain", graded("polite", 1.0))))

    assert [line.rstrip() for line in shown.splitlines() if "✓ 1.00" in line] == [
        *(f"✗ {c}      ✓ 1.00   ✗ 1/2" for c in "abcdef"),
        "✓ plain  ✓ 1.00",
    ]
    assert "         polite   others\n" in shown


def test_what_was_missed_is_not_said_twice():
    result = graded("words", 0.0, misses=("no 'Paris' in it (case counts)",))

    assert (
        table(report(case("a", replace(result, reasoning="no 'Paris' in it")))).count("in it") == 1
    )
    assert "because" in table(report(case("a", replace(result, reasoning="because"))))


def test_a_borderline_case_says_what_it_reached():
    policy = Policy(pass_at=0.8, borderline_at=0.6)
    shown = table(report(case("close", graded("words", 0.7, threshold=0.8), policy=policy)))

    assert shown.startswith("BORDERLINE  1 case borderline · score 0.70")
    assert "~ close" in shown


@pytest.mark.parametrize(
    ("score", "said"), [(0.6, "✗ safety  0.60, needs 0.70"), (0.8, "✗ safety  0.80")]
)
def test_a_missed_gate_is_called_one(score, said):
    result = graded("safety", score, threshold=0.7, required=0.9)

    shown = table(report(case("gate", result)))

    assert f"  {said}\n    - required to score 0.90\n" in shown
    assert f"    safety  ✗ {score:.2f}" in shown


def test_what_is_required_and_was_not_evaluated_is_called_so():
    result = replace(unevaluated("safety", "no eval set provided"), required=0.9)

    assert "required, and was not evaluated; no eval set provided" in table(
        report(case("gate", result))
    )


def test_details_of_an_own_shape_are_no_comparison():
    odd = graded("own", 0.1, details={"comparisons": [{"expected": "?"}]}, misses=("why",))

    assert "- why" in table(report(case("own", odd)))


def test_a_score_just_below_the_threshold_does_not_look_like_it():
    shown = table(report(case("close", graded("words", 0.999999, threshold=1.0))))

    assert "0.9999, needs 1.00" in shown
    assert "✗ 0.99" in shown


@pytest.mark.parametrize(
    ("highest", "shown"), [(1, "1.00"), (100, "100"), (12345, "12345"), (1234567, "1e+06")]
)
def test_a_score_on_a_large_scale_is_never_cut(highest, shown):
    result = graded("m", 1.0, scale=(0.0, float(highest)))

    assert re.search(rf"✓ {re.escape(shown)}\s", table(report(case("large", result))))


def test_scores_are_shown_on_the_scale_of_the_evaluator():
    scored = {"scale": (-1.0, 1.0), "threshold": 0.75, "per_turn": (0.3, 0.5)}
    low, high = graded("m", 0.4, **scored), graded("m", 0.5, **scored)
    shown = table(report(case("low", low), case("high", high)))

    assert "✗ m  -0.20, needs 0.50 (from -1 to 1)\n    by turn: -0.40  0.00\n" in shown
    assert re.search(r"low +✗ -0.20\n.*high +✗ 0.00 *\n +mean +-0.10", shown)


def test_scores_outside_that_scale_are_shown_as_they_are():
    raw = Raw(score=30, threshold=60, per_turn=(-10, 70))
    scored = graded("m", 1.0, threshold=1.0, per_turn=(0.0, 1.0), status=Status.FAILED, raw=raw)
    shown = table(report(case("far", scored)))

    assert "✗ m  30.00, needs 60.00\n    by turn: -10.00  70.00\n" in shown


def test_an_evaluator_without_a_threshold_needs_none():
    result = Result(name="own", type="code", status=Status.FAILED, score=0.4)

    assert "✗ own  0.40\n" in table(report(case("own", result)))


def test_hundreds_of_calls_are_compared_and_counted():
    turn = ([{"name": f"a{n}", "args": {}} for n in range(500)], [])

    assert "and 400 more calls" in table(report(case("long", trajectory(0.0, turn))))


def test_what_was_put_right_in_a_trace_is_said_although_its_case_passed():
    doubtful = case("twin", graded("words", 1.0), warnings=("duplicate span 1 ignored",) * 7)

    shown = table(report(PASSED, doubtful))

    assert shown.count("! traces/weather.jsonl: duplicate span 1 ignored; check what rec") == 5
    assert "  and 2 more, under 'conversion_warnings' of -o json\n" in shown


def test_what_all_cases_together_say():
    assert (
        "\n\nall cases\n"
        "  Label, f-score    0.52\n"
        "  Match::precision  0.6667\n"
        "  Own               0.30\n"
        "  Match::confusion_matrix: predicted in rows, expected in columns\n"
        "       a  b\n"
        "    a  2  1\n"
        "    b  0  3\n"
    ) in table(TOGETHER)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_class_can_leave_its_place(text):
    said = {"score": 0.0, "details": {"metric": "confusion_matrix", "classes": [text]}}
    said["details"]["confusionMatrix"] = [[1]]
    figure = {"reduce_scores": 0.5, "metric": text}

    shown = table(report(PASSED, overall={text: {**figure, text: said}}))
    assert max(map(width, shown.split("\n"))) <= 100
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", shown)

import msgspec
import pytest

from agentevals.model.outcome import Apart, Counts, Kind, Standing
from agentevals.model.results import Verdict
from agentevals.report.pages import page_cases
from agentevals.report.pages.page_shortening import FULL
from tests.report.pages.reviews import CASES, FAILED, PASSED, SCENE, case, section


def worst(*highlights, **fields):
    return "\n".join(page_cases.worst(section(highlights=highlights, **fields), SCENE, FULL))


def folded(*highlights, **fields):
    return "\n".join(page_cases.fold_others(section(highlights=highlights, **fields), FULL))


def test_without_a_regression_the_failing_cases_stand_in_the_open():
    failing = case("a", Kind.FAILING, now=FAILED)

    assert worst(failing).startswith("#### Failing (1)\n")
    assert folded(failing) == ""


def test_beside_a_regression_those_that_failed_before_are_folded():
    both = (case("a", Kind.FAILING, now=FAILED), CASES[0])

    assert "`a`" not in worst(*both)
    assert "Failing, and not regressed (1)" in folded(*both)


def test_a_borderline_case_stands_in_the_open_after_those_that_fail():
    nearly = case("a", Kind.BORDERLINE, was=PASSED, now=Standing(verdict=Verdict.BORDERLINE))
    shown = worst(CASES[0], nearly)

    assert shown.index("#### Regressed (1)") < shown.index("#### Borderline (1)")
    assert "| `a` | ✅\xa0pass" in shown
    assert folded(nearly) == ""


def test_a_new_case_that_fails_stands_in_the_open_with_its_reasons():
    new = msgspec.structs.replace(CASES[0], case_id="new", kind=Kind.ADDED, was=None)
    shown = worst(CASES[0], new)

    assert "#### Regressed (1)" in shown
    assert "#### New, and failing (1)" in shown
    assert "| `new` | ❌\xa0fail" in shown
    assert "- **Added:** `new` (fails)" in folded(CASES[0], new)


def test_a_new_case_that_passes_is_only_named():
    new = case("new", Kind.ADDED, now=PASSED)

    assert worst(new) == ""
    assert "- **Added:** `new`\n" in folded(new) + "\n"


def test_at_most_ten_rows_are_shown_and_the_others_counted():
    many = [case(f"case-{n}", Kind.REGRESSED, was=PASSED, now=FAILED) for n in range(15)]
    shown = worst(*many, counts=Counts(regressed=40))

    assert shown.count("| `case-") == 10
    assert "#### Regressed (40)" in shown
    assert "*30 more cases in the job summary and the report.*" in shown


@pytest.mark.parametrize(("expected", "legend"), [(True, "expected"), (False, "base")])
def test_a_tool_path_says_what_it_is_compared_with(expected, legend):
    shown = page_cases.tool_path(msgspec.structs.replace(CASES[0], expected_calls=expected))

    assert f"<code>refund-over-limit</code>: \N{MINUS SIGN} {legend}, + this PR</summary>" in shown


def test_long_tool_paths_show_what_is_near_the_difference():
    calls = tuple(f"step_{n}()" for n in range(40))
    changed = (*calls[:20], "other()", *calls[21:])
    shown = page_cases.tool_path(
        case("a", Kind.REGRESSED, calls_before=calls, calls_now=changed)
    ).splitlines()

    assert [line for line in shown if line.startswith(("-", "+", "#"))] == [
        "# 17 calls before are the same",
        "- step_20()",
        "+ other()",
    ]
    assert "  step_19()" in shown
    assert "  step_1()" not in shown


def test_what_is_not_compared_is_counted():
    calls = tuple(f"step_{n}()" for n in range(100))
    shown = page_cases.tool_path(case("a", Kind.REGRESSED, calls_before=calls, calls_now=("x()",)))

    assert "# and 40 calls more" in shown


def test_of_several_attempts_the_file_of_the_one_that_is_shown_stands_beside_the_name():
    failed = Standing(verdict=Verdict.FAIL, runs=3, passed=1)
    one = case("a", Kind.FAILING, now=failed, source="traces/a-2.jsonl")

    assert "| `a`<br>traces/a-2.jsonl | ❌\xa0fail (1 of 3 attempts passed) |" in worst(one)


def test_how_often_a_flaky_case_passed_is_said():
    flaky = case("a", Kind.FLAKY, now=Standing(verdict=Verdict.FAIL, runs=5, passed=3))

    assert "- **Flaky:** `a` (3 of 5 attempts passed)" in folded(flaky)


def warned(*ones, **fields):
    return "".join(page_cases.warn_of_losses(section(highlights=ones, **fields), FULL))


def test_removed_cases_are_counted_even_where_they_are_not_named():
    gone = warned(counts=Counts(removed=3, removed_failing=2))

    assert gone == "⚠️ **3 cases removed, 2 of them failing**\n"


def test_removed_cases_that_failed_are_named_first():
    ones = [case("a", Kind.REMOVED, was=PASSED), case("b", Kind.REMOVED, was=FAILED)]

    assert warned(*ones, counts=Counts(removed=2)).endswith(": `b` (was failing ⚠️), `a`\n")


def test_changed_expectations_are_a_warning_also_where_the_case_fails():
    changed = Apart(kind=Kind.CHANGED, cases=2)
    found = warned(case("a", Kind.CHANGED, now=PASSED), apart=(changed,), counts=Counts(changed=1))

    assert found == "⚠️ **2 cases with a changed expectation**: `a`\n"

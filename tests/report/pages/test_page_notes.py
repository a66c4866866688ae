import msgspec
import pytest

from agentevals.model.conversations import ModelCost, RecordingCost
from agentevals.model.outcome import Against, Origin, Point
from agentevals.model.results import Finding, Report, Severity, Verdict
from agentevals.report.pages import page_notes
from agentevals.report.pages.page_shortening import FULL
from agentevals.text.wording import NOTHING
from tests.report.pages.reviews import ORIGIN, PASSING, SCENE, review, scene, section

INFORMATION = "\N{INFORMATION SOURCE}\N{VARIATION SELECTOR-16}"


def finding(message, severity=Severity.WARNING, **fields):
    return Finding(severity=severity, rule="r", message=message, **fields)


def footer(origin, **fields):
    one = section(against=Against(origin=origin))
    return page_notes.footer(review(one, scene=scene(**fields)), one)


def test_errors_come_before_warnings_and_notes_are_folded():
    found = [finding("look"), finding("hint", Severity.NOTE), finding("bad", Severity.ERROR)]

    assert list(page_notes.findings(found, SCENE, FULL)) == [
        "- ❌ bad\n- ⚠️ look\n",
        f"<details><summary>1 note</summary>\n\n- {INFORMATION} hint\n\n</details>\n",
    ]


def test_more_findings_than_anybody_reads_are_counted():
    (shown,) = page_notes.findings([finding(f"{n}") for n in range(50)], SCENE, FULL)

    assert shown.endswith("- and 30 more problems\n")


@pytest.mark.parametrize(
    ("made_at", "age"),
    [
        ("2026-08-20T08:00:00+00:00", "6 h old"),
        ("2026-08-20T13:59:00Z", "0 h old"),
        ("2026-08-10T14:00:00+00:00", "10 days old"),
        ("2027-01-01T00:00:00+00:00", "0 h old"),
        ("2026-08-20T08:00:00", "2026-08-20T08:00:00"),
        ("yesterday", "yesterday"),
    ],
)
def test_how_old_a_baseline_is(made_at, age):
    assert f", {age})" in footer(msgspec.structs.replace(ORIGIN, made_at=made_at))


def test_a_run_that_is_not_linked_is_no_reference_to_an_issue():
    shown = footer(Origin(run_number=812, run_url="https://elsewhere.example"))

    assert "run #\u200b812" in shown


def test_the_trend_ends_with_the_latest_value():
    assert "pass rate ▃▇█▅██ 93.3\N{NO-BREAK SPACE}% · cost" in page_notes.trend(PASSING, "main")


def test_one_run_is_no_trend():
    one = section(trend=(Point(commit="a", pass_rate=1.0),))

    assert page_notes.trend(one, "main") == ""


def costing(*models, **fields):
    found = RecordingCost(models=tuple(ModelCost(model=name, calls=2) for name in models), **fields)
    whole = Report(title="a", verdict=Verdict.PASS, exit_code=0, recording_cost=found)
    return page_notes.cost(section(report=whole))


def test_the_cost_of_the_recordings_is_folded_with_a_row_for_each_model():
    shown = costing("gpt-5", "o9", cost=0.0123, calls=4)

    assert "<summary>Cost of the recordings: <span>$</span>0.012 for 4 model calls</s" in shown
    assert "| Model | Calls | Of unknown cost | Cost |\n" in shown
    assert f"| `gpt-5` | 2 | 0 | {NOTHING} |\n| `o9` |" in shown


def test_the_name_of_a_model_is_shown_as_it_is_in_the_title_of_a_fold():
    models = (ModelCost(model="my_model*x*", calls=1, unpriced=1),)
    found = RecordingCost(calls=1, unpriced=1, models=models)
    whole = Report(title="a", verdict=Verdict.PASS, exit_code=0, recording_cost=found)

    assert "of my_model*x*</summary>" in page_notes.cost(section(report=whole)).replace(
        "&#42;", "*"
    )
    assert "\\" not in page_notes.cost(section(report=whole))


def test_without_a_cost_nothing_is_said_about_it():
    assert (
        page_notes.cost(section(report=Report(title="a", verdict=Verdict.PASS, exit_code=0))) == ""
    )
    assert page_notes.cost(section()) == ""


def test_only_so_many_models_are_listed():
    assert costing(*map(str, range(50)), cost=1.0, calls=100).count("| `") == 20

import msgspec
import pytest

from agentevals.model.outcome import Against, Origin, Point
from agentevals.model.results import Finding, Severity
from agentevals.report.pages import notes
from agentevals.report.pages.stages import FULL
from tests.report.pages.reviews import ORIGIN, PASSING, SCENE, review, scene, section

INFORMATION = "\N{INFORMATION SOURCE}\N{VARIATION SELECTOR-16}"


def finding(message, severity=Severity.WARNING, **fields):
    return Finding(severity=severity, rule="r", message=message, **fields)


def footer(origin, **fields):
    one = section(against=Against(origin=origin))
    return notes.footer(review(one, scene=scene(**fields)), one)


def test_errors_come_before_warnings_and_notes_are_folded():
    found = [finding("look"), finding("hint", Severity.NOTE), finding("bad", Severity.ERROR)]

    assert list(notes.findings(found, SCENE, FULL)) == [
        "- ❌ bad\n- ⚠️ look\n",
        f"<details><summary>1 note</summary>\n\n- {INFORMATION} hint\n\n</details>\n",
    ]


def test_more_findings_than_anybody_reads_are_counted():
    (shown,) = notes.findings([finding(f"{n}") for n in range(50)], SCENE, FULL)

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
    assert "pass rate ▃▇█▅██ 93.3\N{NO-BREAK SPACE}% · cost" in notes.trend(PASSING, "main")


def test_one_run_is_no_trend():
    one = section(trend=(Point(commit="a", pass_rate=1.0),))

    assert notes.trend(one, "main") == ""

"""Findings of the loaders: those about a file that cannot be read, and those to note."""

import pytest

from agentevals.model.results import Finding, Severity
from agentevals.traces.diagnosis import examine


def finding(severity, rule):
    return Finding(severity=severity, rule=rule, message="said", path="a.json")


@pytest.mark.parametrize(
    ("severity", "rule", "is_about_file"),
    [
        (Severity.ERROR, "unreadable", True),
        (Severity.WARNING, "no-trace", True),
        (Severity.WARNING, "skipped-record", False),
    ],
)
def test_a_finding_is_about_a_file_or_a_note(severity, rule, is_about_file):
    found = examine([], [finding(severity, rule)])

    assert [file.path for file in found.files] == ["a.json"] * is_about_file
    assert len(found.notes) == (not is_about_file)
    assert found.complete is not is_about_file


def test_problems_of_one_file_stand_together_with_their_lines():
    second = Finding(
        severity=Severity.ERROR, rule="unreadable", message="more", path="a.json", line=3
    )

    [file] = examine([], [finding(Severity.ERROR, "unreadable"), second]).files

    assert file.problems == ("said", "line 3: more")

"""What foreign text may not do, whatever the format; what each looks like is in `test_validate`."""

import json

import pytest

from agentevals.model.results import Severity
from registry_tools.cli.formats import FORMATS
from registry_tools.manifests.registry_finding import Finding, Outcome
from tests.hostile import strings

TEXTS = [text for text in strings(2_000) if len(text) < 10_000]
HOSTILE = Outcome(
    checked=("politeness",),
    findings=tuple(
        Finding(
            rule="schema",
            severity=Severity.WARNING,
            message=text,
            path=f"evaluators/{text}/evaluator.yaml",
            line=1,
            column=1,
            fix=text,
            entry=text,
        )
        for text in TEXTS
    ),
)


def written(name, outcome=HOSTILE):
    return "".join(FORMATS[name].render(outcome))


@pytest.mark.parametrize("name", ["text", "github", "markdown"])
def test_nothing_in_a_text_is_obeyed_by_a_terminal_or_a_runner(name):
    lines = written(name).splitlines()
    commands = [line for line in lines if line.lstrip().startswith("::")]

    assert not any("\x1b" in line or "\u202e" in line or "##[" in line for line in lines)
    assert len(commands) == (10 if name == "github" else 0)


@pytest.mark.parametrize("name", ["json", "sarif"])
def test_every_finding_is_in_a_document_that_can_be_read(name):
    document = json.loads(written(name))
    found = document["findings"] if name == "json" else document["runs"][0]["results"]

    assert len(found) == len(TEXTS)


def test_a_table_of_markdown_keeps_its_columns():
    rows = [line for line in written("markdown").splitlines() if line.startswith("| ")]

    assert {line.replace("\\|", "").count("|") for line in rows} == {4}


@pytest.mark.parametrize("name", FORMATS.ours)
def test_nothing_to_say_is_said(name):
    assert written(name, Outcome(checked=("politeness",)))

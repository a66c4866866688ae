"""What judges answer to the prompts of ADK is read as an answer to ours."""

import pytest

from agentevals.graders.llm.questions import adk_verdicts
from agentevals.model.cases import Rubric

POLITE = Rubric(rubric_id="r1", text="Is polite.")
PARIS = Rubric(rubric_id="r2", text="Mentions 'Paris'.")


def test_why_is_read_beside_the_verdict():
    said = '{"reasoning": "not \\"sunny\\"\nat all", "is_the_agent_response_valid": "invalid"}'

    assert adk_verdicts.read_validity(said)["reasoning"] == 'not "sunny"\nat all'
    assert adk_verdicts.read_validity('{"is_valid": true}')["reasoning"] == ""


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ('{"reasoning": "r", "is_the_agent_response_valid": "valid"}', "valid"),
        ('```json\n{"is_the_agent_response_valid": "invalid"}\n```', "invalid"),
        ('{"is_the_agent_response_valid": true}', "valid"),
        ('{"is_the_agent_response_valid": ["valid"]}', "valid"),
        ('{"is_the_agent_response_valid": "partially_valid"}', "invalid"),
        ('{"is_the_agent_response_valid": "almost"}', "invalid"),
        ('{"is_the_agent_response_invalid": "false"}', "valid"),
        ('{"is_the_agent_response_invalid": "invalid"}', "invalid"),
        ('{"criteria": [], "is_valid": true}', "valid"),
        ('{"is_valid": "false"}', "invalid"),
    ],
)
def test_a_verdict_on_validity(text, verdict):
    assert (adk_verdicts.read_validity(text) or {})["verdict"] == verdict


@pytest.mark.parametrize(
    "text",
    [
        "valid",
        "",
        '{"is_the_agent_response_valid": "VALID"}',
        '{"is_the_agent_response_valid": "partially valid"}',
        '{"is_the_agent_response_valid": "valid"',
        '{"is_the_agent_response_valid" : "valid"}',
        '{"is_the_agent_response_valid": "maybe"}',
    ],
)
def test_what_says_neither_is_no_verdict(text):
    assert adk_verdicts.read_validity(text) is None


def block(rubric_id, text, verdict):
    name = f"ID: {rubric_id}\n" if rubric_id else ""
    return f"{name}Property: {text}\nEvidence: x\nRationale: because\nVerdict: {verdict}\n\n"


def verdicts(text):
    found = adk_verdicts.read_verdicts(text, (POLITE, PARIS))
    return found and [(row["id"], row["verdict"]) for row in found["verdicts"]]


@pytest.mark.parametrize(
    "text",
    [
        block("r1", "whatever", "yes") + block("r2", "whatever", "no"),
        block("", "**Is polite.**", "Yes") + block("", "Mentions \u2018Paris\u2019.", "no"),
        block("?", "is  polite.", "not applicable, yes") + block("r2", "x", "no, not at all"),
    ],
    ids=["by id", "by text", "by either"],
)
def test_a_verdict_on_each_rubric(text):
    assert verdicts(text) == [("r1", "yes"), ("r2", "no")]


def test_a_block_that_is_not_whole_makes_all_of_it_useless():
    whole, cut = block("r1", "x", "yes"), "ID: r2\nProperty: y\nRationale: because\n"

    assert verdicts(whole + cut) is None
    assert verdicts("yes") is None


def test_verdicts_on_what_was_not_asked_are_left_out():
    assert verdicts(block("r9", "Is funny.", "yes") + block("r1", "x", "perhaps")) == []


def test_labels_of_sentences_in_their_order():
    text = "sentence: A.\nlabel: supported\nrationale: r\n\nsentence: B.\nlabel: Unsupported\n"

    assert adk_verdicts.read_labels(text) == {
        "sentences": [
            {"number": 1, "rationale": "r", "label": "supported"},
            {"number": 2, "rationale": "", "label": "unsupported"},
        ]
    }
    assert adk_verdicts.read_labels("<sentence>A.</sentence>") is None

"""The remedy of a fact that a turn does not show: no setting that is plainly in force."""

from typing import Any

import pytest

from agentevals.model.completeness import Fact
from agentevals.model.conversations import Span, Trace
from agentevals.traces.turns import converse

OPENLLMETRY = "opentelemetry.instrumentation.openai.v1"
OPENINFERENCE = "openinference.instrumentation.openai"
ASKED = {"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "Weather in Oslo?"}
ASKED_OF_OPENINFERENCE = {
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": "Weather in Oslo?",
}
UNSET = (
    "Unset OPENINFERENCE_HIDE_INPUTS, OPENINFERENCE_HIDE_OUTPUTS and the others of that name, and "
    "record again"
)
IN_FORCE = (
    "OpenLLMetry has recorded other messages of this turn: no setting of it adds this one, and "
    "another instrumentation may"
)


def read_remedies(scope: str, **attributes: Any) -> dict[Fact, str]:
    request = Span(
        span_id="01",
        name="chat",
        end_ns=50,
        scope=scope,
        scope_version="0.62.4",
        attributes=attributes,
    )
    [conversation] = converse([Trace(trace_id="t", spans=(request,))])
    [turn] = conversation.turns
    return {gap.fact: gap.remedy for gap in turn.gaps}


@pytest.mark.parametrize(
    ("asked", "remedy"),
    [
        pytest.param({}, "Set TRACELOOP_TRACE_CONTENT=true, and record again", id="nothing"),
        pytest.param(ASKED, IN_FORCE, id="the question"),
    ],
)
def test_one_switch_for_both_sides_is_on_if_either_was_recorded(asked, remedy):
    found = read_remedies(OPENLLMETRY, **{"llm.request.type": "chat", **asked})

    assert found[Fact.ANSWER] == remedy


def test_a_switch_for_one_side_may_still_be_off_where_the_other_was_recorded():
    kind = {"openinference.span.kind": "LLM"}

    assert read_remedies(OPENINFERENCE, **kind, **ASKED_OF_OPENINFERENCE)[Fact.ANSWER] == UNSET


def test_no_setting_of_messages_is_named_for_tokens():
    priced = {"openinference.span.kind": "LLM", "llm.token_count.prompt": 9}

    assert read_remedies(OPENINFERENCE, **priced)[Fact.TOKENS] == ""


def test_what_records_more_is_still_named_beside_messages():
    found = read_remedies("langfuse-sdk", **{"gen_ai.operation.name": "chat"}, **ASKED)

    assert found[Fact.ANSWER] == (
        "Add OpenInference's or OpenLLMetry's instrumentation of your framework: its spans go "
        "beside those of Langfuse, and record again"
    )

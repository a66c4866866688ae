"""Teams of AutoGen: a trace for each agent, and one for each message in the queue between them."""

from typing import Any

import pytest

from agentevals.model.completeness import Fact
from agentevals.model.conversations import Span
from agentevals.traces.conventions.autogen import QUEUE
from agentevals.traces.diagnosis.missing_turns import explain
from tests.traces.conventions.spans import make_span, read

TEAM = "fcd9f584-1ea2-4f80-83ae-90abca63e1bc"
ASKED = {
    "gen_ai.operation.name": "chat",
    "gen_ai.input.messages": '[{"role": "user", "content": "Name a film"}]',
    "gen_ai.output.messages": '[{"role": "assistant", "content": "101 Reykjav\u00edk"}]',
}


def span(at: int, name: str, parent: int = 0, scope: str = "autogen-core", **said: Any) -> Span:
    return make_span(at, name, parent, scope, said)


def agent(agent_id: str) -> Span:
    named = {"gen_ai.agent.name": "scout", "gen_ai.agent.id": agent_id}
    return span(1, "invoke_agent scout", **{"gen_ai.operation.name": "invoke_agent", **named})


ALONE, REQUEST = agent("scout/default"), span(2, "chat", 1, "openai", **ASKED)
TOLD = span(3, f"autogen create group_topic_{TEAM}.({TEAM})-T", 1, QUEUE)


@pytest.mark.parametrize(
    "spans", [(agent(f"scout_{TEAM}/{TEAM}"), REQUEST), (ALONE, REQUEST, TOLD)]
)
def test_what_an_agent_of_a_team_hears_and_says_is_no_question_and_no_answer(spans):
    [turn] = read(*spans).turns

    assert (turn.user, turn.response) == ("", None)
    assert {gap.fact for gap in turn.gaps} == {Fact.QUESTION, Fact.ANSWER}


def test_an_agent_by_itself_is_asked_and_answers():
    [turn] = read(ALONE, REQUEST).turns

    assert (turn.user, turn.response, turn.gaps) == ("Name a film", "101 Reykjav\u00edk", ())


def test_the_messages_of_a_team_fail_no_run():
    conversation = read(span(1, "autogen process scout", scope=QUEUE))

    assert conversation.preparation
    assert "between the agents of a team" in explain(conversation).reason

"""What a workflow was asked and has answered, where its own code or several agents take part."""

from typing import Any

import pytest

from agentevals.model.completeness import Fact
from agentevals.model.conversations import Span, Trace, Turn
from agentevals.traces.turns import converse

SCOPE = "agent_framework"
RUN = Span(span_id="1", name="workflow.run", end_ns=100, scope=SCOPE)


def message(role: str, text: str) -> str:
    return f'[{{"role": "{role}", "parts": [{{"type": "text", "content": "{text}"}}]}}]'


def run_step(at: int, end: int, executor: str) -> Span:
    return Span(
        span_id=f"s{at}",
        parent_id="1",
        name=f"executor.process {executor}",
        start_ns=at,
        end_ns=end,
        scope=SCOPE,
        attributes={"executor.type": executor},
    )


def run_agent(at: int, end: int, said: str, heard: str = "Where is order 7?") -> tuple[Span, Span]:
    """An agent of this name, and its only request."""
    shared = {"gen_ai.input.messages": message("user", heard)}
    made: dict[str, Any] = {"start_ns": at, "end_ns": end, "scope": SCOPE}
    own = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": said}
    request = {**shared, "gen_ai.operation.name": "chat"}
    request["gen_ai.output.messages"] = message("assistant", said)
    return (
        Span(span_id=f"a{at}", parent_id="1", name="invoke_agent", attributes=own, **made),
        Span(span_id=f"c{at}", parent_id=f"a{at}", name="chat", attributes=request, **made),
    )


def read(*spans: Span) -> Turn:
    [conversation] = converse([Trace(trace_id="t", spans=(RUN, *spans))])
    [turn] = conversation.turns
    return turn


FIRST, SECOND = run_agent(10, 30, "One."), run_agent(40, 60, "Two.")


def test_the_agents_of_a_workflow_answer_one_turn_and_the_last_of_them_answers_it():
    turn = read(*FIRST, *SECOND)

    assert (turn.user, turn.response, turn.agent) == ("Where is order 7?", "Two.", "One.")
    assert (turn.intermediate, turn.gaps) == (("One.",), ())


def test_an_agent_that_is_asked_in_other_words_after_an_answer_is_in_the_same_turn():
    turn = read(*FIRST, *run_agent(40, 60, "Two.", heard="Review: One."))

    assert (turn.user, turn.response) == ("Where is order 7?", "Two.")


@pytest.mark.parametrize(
    ("executor", "lost"),
    [("FunctionExecutor", {Fact.QUESTION}), ("_InputToConversation", set())],
)
def test_code_before_the_first_request_may_have_put_the_question_in_other_words(executor, lost):
    turn = read(run_step(1, 2, executor), *FIRST)

    assert {gap.fact for gap in turn.gaps} == lost


@pytest.mark.parametrize(
    ("at", "executor", "answer"),
    [
        ((31, 32), "FunctionExecutor", None),
        ((31, 32), "GroupChatOrchestrator", None),
        ((31, 32), "HandoffAgentExecutor", "One."),
        ((9, 32), "Own", "One."),
        ((2, 3), "FunctionExecutor", "One."),
    ],
)
def test_code_after_the_last_request_may_have_answered_something_else(at, executor, answer):
    turn = read(*FIRST, run_step(*at, executor))

    assert turn.response == answer
    assert (turn.find_gap(Fact.ANSWER) is None) == (answer is not None)


@pytest.mark.parametrize(
    ("second", "answer"), [("Two.", None), ("One.", "One.")], ids=["different", "the same"]
)
def test_of_agents_side_by_side_nobody_knows_which_one_answers(second, answer):
    turn = read(*FIRST, *run_agent(20, 60, second))

    assert turn.response == answer


def test_requests_of_one_agent_side_by_side_leave_the_answer_unknown():
    own, request = FIRST
    beside = run_agent(20, 25, "Two.")[1]
    turn = read(own, request, Span(**{**_as_dict(beside), "parent_id": own.span_id}))

    assert turn.response is None


def _as_dict(span: Span) -> dict[str, Any]:
    return {name: getattr(span, name) for name in span.__struct_fields__}

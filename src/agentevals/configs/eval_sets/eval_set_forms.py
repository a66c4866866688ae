"""Other forms of an eval set: lists of questions that ADK had before, and traces in its place."""

from dataclasses import replace
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from agentevals.configs.plan import Expectation
from agentevals.model.conversations import ToolCall, Turn

MISTAKEN = (
    "this is a trace, not an eval set; name it after 'run', and give --eval-set a file with "
    "'eval_cases'"
)
_KEYS = {"resourceSpans", "resource_spans", "resourceLogs", "batches"}


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)
    is_data: ClassVar[bool] = True


class _ToolUse(_Written):
    tool_name: str
    tool_input: dict[str, Any] | None = {}
    mock_tool_output: Any = None

    def call(self) -> ToolCall:
        output = self.mock_tool_output
        return ToolCall(
            name=self.tool_name, args=self.tool_input, response=output, answered=output is not None
        )


class _Message(_Written):
    author: str = ""
    text: str


class Question(_Written):
    """The user's message in one turn, with the calls and the answer that are expected."""

    query: str
    reference: str | None = None
    expected_tool_use: list[_ToolUse] = []
    expected_intermediate_agent_responses: list[_Message] = []

    def turn(self) -> Turn:
        """Return the turn as the rest of the program knows it."""
        return Turn(
            user=self.query,
            response=self.reference,
            tool_calls=tuple(use.call() for use in self.expected_tool_use),
            intermediate=tuple(m.text for m in self.expected_intermediate_agent_responses),
        )


class NamedSession(_Written):
    """A named conversation."""

    name: str
    data: list[Question]
    initial_session: dict[str, Any] | None = None

    def expectation(self) -> Expectation:
        """Return the session as the rest of the program knows it."""
        known = expect_session(self.name, self.data)
        return replace(known, labels={"initial_session": self.initial_session or {}})


def expect_session(case_id: str, questions: list[Question]) -> Expectation:
    """Return the conversation that consists of these questions."""
    turns = tuple(question.turn() for question in questions)
    return Expectation(case_id=case_id, turns=turns, opening=turns[0].user if turns else "")


def is_trace(record: dict[str, Any]) -> bool:
    """Return whether it is what OTLP or Jaeger writes."""
    traces = record.get("data")
    first = traces[0] if isinstance(traces, list) and traces else None
    return bool(record.keys() & _KEYS) or (isinstance(first, dict) and "spans" in first)

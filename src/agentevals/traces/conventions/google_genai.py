"""Google's GenAI SDK, which calls tools itself: one span covers several requests to the model."""

from collections.abc import Iterator, Sequence
from typing import Any

from agentevals.traces.attribute_values import parse_json, word
from agentevals.traces.chat_messages import ASSISTANT, USER, Message, parse_messages
from agentevals.traces.conventions import Kind, Reading, Shape

CONVERSATION_KEYS: tuple[str, ...] = ()

_SCOPES = frozenset(
    {"opentelemetry.instrumentation.google_genai", "openinference.instrumentation.google_genai"}
)
_OUT, _HISTORY = "output.value", "automatic_function_calling_history"
_TOOL, _CALLED = "gen_ai.tool.name", "message.tool_calls."
_GIVEN, _VALUE = "code.function.parameters.", ".value"
_RETURNED = "code.function.return.value"


def speaks(shape: Shape) -> bool:
    return shape.scope in _SCOPES


def read(reading: Reading) -> None:
    attributes = reading.span.attributes
    if reading.kind is Kind.NONE and _TOOL in attributes:
        reading.kind, reading.tool = Kind.TOOL, word(attributes[_TOOL])
    if reading.kind is Kind.TOOL:
        _read_tool(reading, attributes)
    elif reading.kind is Kind.INFERENCE:
        reading.asks_again = True
        if _HISTORY in str(attributes.get(_OUT)):
            _read_history(reading, attributes[_OUT])
        told = any(key.startswith(_CALLED) for key in attributes)
        reading.hides_calls = told and not reading.before


def _read_tool(reading: Reading, attributes: dict[str, Any]) -> None:
    """Read the function that was called: older releases write of it what they write of any."""
    if reading.args is None:
        given = {
            key[len(_GIVEN) : -len(_VALUE)]: value
            for key, value in attributes.items()
            if key.startswith(_GIVEN) and key.endswith(_VALUE)
        }
        reading.args = given or None
    if reading.result is None:
        reading.result = attributes.get(_RETURNED)


def _read_history(reading: Reading, raw: Any) -> None:
    """Read what was said and done before the answer, which is all that the span else holds."""
    told = parse_json(raw)
    history = parse_messages(told.get(_HISTORY) or [], USER) if isinstance(told, dict) else []
    questions = [n for n, message in enumerate(history) if message.role == USER and message.text]
    if not questions:
        return
    reading.before += _list_requests(reading, history, questions[-1])
    if reading.before:
        reading.input_sources.insert(0, (_HISTORY, _repeat, history))


def _list_requests(
    reading: Reading, history: Sequence[Message], question: int
) -> Iterator[Reading]:
    for number in range(question + 1, len(history)):
        if history[number].role == ASSISTANT:
            request = Reading(reading.span, kind=Kind.INFERENCE, model=reading.model)
            request.input_sources.append((_HISTORY, _repeat, history[:number]))
            request.fill_output([history[number]])
            yield request


def _repeat(messages: Sequence[Message], _role: str) -> list[Message]:
    return list(messages)

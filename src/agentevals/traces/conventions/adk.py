"""Google's Agent Development Kit: what `gcp.vertex.agent.*` adds to the GenAI attributes."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from agentevals.traces.attribute_values import UnreadableError, count, decode, word
from agentevals.traces.chat_messages import USER, Message, parse_message
from agentevals.traces.conventions import Kind, Reading, Shape

CONVERSATION_KEYS = ()

_SCOPE = "gcp.vertex.agent"
_REQUEST, _RESPONSE = f"{_SCOPE}.llm_request", f"{_SCOPE}.llm_response"
_ARGS, _RESULT = f"{_SCOPE}.tool_call_args", f"{_SCOPE}.tool_response"
_MARKS = frozenset(
    {_REQUEST, _RESPONSE, _ARGS, _RESULT}
    | {f"{_SCOPE}.{name}" for name in ("invocation_id", "session_id", "event_id", "data")}
)
_KINDS = {"call_llm": Kind.INFERENCE, "invocation": Kind.WORKFLOW}
_NO_ARGS, _NO_RESULT = "N/A", "<not specified>"
_STRUCTURED = "set_model_response"  # how an agent with tools gives an answer of a given form
# how an agent is told what another one has said and done: as if the user had
_QUOTED = re.compile(
    r"For context:(?: below is a transcript of what another agent did,.*?from the user\.)?"
    r"\[[^\]]+\] (?:said:|called tool `|`[^`]+` tool returned result:)",
    re.DOTALL,
)
_MERGED_SPAN, _MERGED_TOOL = "execute_tool (merged)", "(merged tools)"


def speaks(shape: Shape) -> bool:
    return shape.scope == _SCOPE or not _MARKS.isdisjoint(shape.keys)


def read(reading: Reading) -> None:
    """Names of spans count only here: older releases say nothing else about some of them."""
    span = reading.span
    if span.name == _MERGED_SPAN or reading.tool == _MERGED_TOOL:
        # a summary of calls that have spans of their own
        reading.kind, reading.ignored = Kind.NONE, True
        return
    if reading.kind is Kind.NONE and "gen_ai.operation.name" not in span.attributes:
        reading.kind = _KINDS.get(span.name, Kind.NONE)
    if reading.kind is Kind.TOOL:
        _read_tool(reading, span.attributes)
    elif reading.kind is Kind.INFERENCE:
        _read_inference(reading, span.attributes)


def _read_tool(reading: Reading, attributes: dict[str, Any]) -> None:
    if reading.args is None and attributes.get(_ARGS) != _NO_ARGS:
        reading.args = attributes.get(_ARGS)
    if reading.result is None and attributes.get(_RESULT) != _NO_RESULT:
        reading.result = attributes.get(_RESULT)
    reading.concludes = reading.tool == _STRUCTURED


def _read_inference(reading: Reading, attributes: dict[str, Any]) -> None:
    if not reading.model:
        reading.model = word(attributes.get("gen_ai.request.model"))
    request, response = attributes.get(_REQUEST), attributes.get(_RESPONSE)
    if request is not None:
        request = request if reading.model else _unpack(request)
        reading.input_sources.append((_REQUEST, _parse_input, request))
    if response is not None:
        response = _unpack(response)
        reading.output_sources.append((_RESPONSE, _parse_output, response))
    reading.input_sources = [
        (name, partial(_drop_quotes, read), raw) for name, read, raw in reading.input_sources
    ]
    if isinstance(response, dict):
        _read_usage(reading, response.get("usage_metadata"))
    if not reading.model and isinstance(request, dict):
        reading.model = word(request.get("model"))


def _drop_quotes(read: Callable[[Any, str], list[Message]], raw: Any, role: str) -> list[Message]:
    messages = read(raw, role)
    return [m for m in messages if m.role != USER or not _QUOTED.match(m.text)]


def _read_usage(reading: Reading, usage: Any) -> None:
    if isinstance(usage, dict):
        reading.fill_counts(
            input_tokens=count(usage.get("prompt_token_count")),
            output_tokens=count(usage.get("candidates_token_count")),
            cache_read_tokens=count(usage.get("cached_content_token_count")),
            reasoning_tokens=count(usage.get("thoughts_token_count")),
        )


def _unpack(raw: Any) -> Any:
    """Return the object in a JSON string; the string itself where the reader says what is wrong."""
    try:
        return _object(raw)
    except UnreadableError:
        return raw


def _object(raw: Any) -> dict[str, Any]:
    found = decode(raw) if isinstance(raw, str) else raw
    if not isinstance(found, dict):
        msg = "is not an object"
        raise UnreadableError(msg)
    return found


def _parse_input(raw: Any, role: str) -> list[Message]:
    contents = _object(raw).get("contents")
    contents = contents if isinstance(contents, list) else [contents]
    return [parse_message(content, role) for content in contents if isinstance(content, dict)]


def _parse_output(raw: Any, role: str) -> list[Message]:
    content = _object(raw).get("content")
    return [parse_message(content, role)] if isinstance(content, dict) else []

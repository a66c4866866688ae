"""Tool calls, read out of the spans of an execution."""

import ast
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from agentevals_evaluator_sdk.standins.uipath.standin_results import ToolCall, ToolOutput
from agentevals_evaluator_sdk.standins.uipath.standin_spans import ReadableSpan

__all__ = [
    "extract_tool_calls",
    "extract_tool_calls_names",
    "extract_tool_calls_outputs",
    "trace_to_str",
]

_NANOSECONDS = 1e9
_TIME = "%Y-%m-%d %H:%M:%S"


def extract_tool_calls(
    spans: Sequence[ReadableSpan],
    include_args: bool = True,
) -> list[ToolCall]:
    """The calls with their arguments, in the order of the spans."""
    return [
        ToolCall(
            name=str(attributes["tool.name"]),
            args=_arguments(attributes.get("input.value")) if include_args else {},
            id=_id(attributes),
        )
        for attributes in _calls(spans)
    ]


def extract_tool_calls_names(spans: Sequence[ReadableSpan]) -> list[str]:
    """The names of the tools, in the order of the spans."""
    return [str(attributes["tool.name"]) for attributes in _calls(spans)]


def extract_tool_calls_outputs(spans: Sequence[ReadableSpan]) -> list[ToolOutput]:
    """Return the outputs of the tools, in the order of the spans."""
    return [
        ToolOutput(
            name=str(attributes["tool.name"]),
            output=_output(attributes.get("output.value", "")),
            id=_id(attributes),
        )
        for attributes in _calls(spans)
    ]


def trace_to_str(agent_trace: Sequence[ReadableSpan]) -> str:
    """The tool calls as a log that people and models read, in the time zone of the machine."""
    lines: list[str] = []
    seen: set[int] = set()
    for span in agent_trace:
        attributes = span.attributes or {}
        number = span.context.span_id if span.context else id(span)
        if attributes.get("tool.name") and number not in seen:
            seen.add(number)
            lines += _format_call(span, attributes)
    return "\n".join(lines)


def _format_call(span: ReadableSpan, attributes: Mapping[str, Any]) -> Iterable[str]:
    name = attributes["tool.name"]
    return (
        f"[{_moment(span.start_time)}] LLM Response:",
        "  Agent Selected 1 Tool(s):",
        "",
        f"  Tool: {name}",
        f"  Arguments: {attributes.get('input.value', {})}",
        "",
        f"[{_moment(span.end_time)}] Tool Call Response - {name}:",
        str(attributes.get("output.value", {})).strip(),
        "",
    )


def _calls(spans: Iterable[ReadableSpan]) -> Iterator[Mapping[str, Any]]:
    for span in spans:
        attributes = span.attributes or {}
        if attributes.get("tool.name") and not attributes.get("tool.synthesized"):
            yield attributes


def _id(attributes: Mapping[str, Any]) -> str | None:
    given = attributes.get("tool.id")
    return None if given is None else str(given)


def _arguments(given: object) -> dict[str, Any]:
    """An object; also one that is written as JSON, or as Python writes it."""
    if isinstance(given, str):
        given = _parse(given)
    return dict(given) if isinstance(given, Mapping) else {}


def _parse(text: str) -> object:
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
    return None


def _output(given: object) -> str:
    """The `content` of an object, else all of it."""
    if isinstance(given, str):
        try:
            parsed = json.loads(given)
        except (ValueError, RecursionError):
            return given
        if not isinstance(parsed, dict):
            return given
        given = parsed
    content = given.get("content", "") if isinstance(given, Mapping) else given
    return str(content) if content else ""


def _moment(nanoseconds: int | None) -> str:
    seconds = (nanoseconds or 0) / _NANOSECONDS
    return datetime.fromtimestamp(seconds).strftime(_TIME)  # noqa: DTZ006 -- of the machine

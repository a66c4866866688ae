"""A recording as a sample that you can give away: every text is replaced, its structure stays."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from agentevals.model.conversations import Span, SpanEvent, Trace
from agentevals.text.json_text import encode
from agentevals.traces.attribute_values import parse_json
from agentevals.traces.langchain_values import parse_literal

_SDK = "telemetry.sdk."
_ERROR = 2  # the code of a status
_KINDS = {bool: "boolValue", int: "intValue", float: "doubleValue", str: "stringValue"}
_LARGEST = 1_000  # numbers above it may say who somebody is

# attributes whose short values say what something is
_SAYS_WHAT = re.compile(
    r"(?:.*[._-])?(?:kinds?|(?:span)?types?|(?:operation|method)\.?(?:name|id)|system"
    r"|provider\.name|finish_?reasons?"
    r"|stop_reason|mime_?type|language|sdk\.name|modality|format|event\.name)",
    re.IGNORECASE,
).fullmatch
_IS_WORD = re.compile(r"[A-Za-z][\w./-]{0,40}").fullmatch
_IS_KEY = re.compile(r"[A-Za-z_][\w.$:-]{0,80}").fullmatch
_IS_COUNT = re.compile(r"token|count|index|usage|iteration|sequence", re.IGNORECASE).search
_IS_EVENT = re.compile(r"gen_ai(?:\.[a-z_]{1,30}){1,4}|mlflow\.chunk\.item\.\d{1,9}").fullmatch
_PART = re.compile(r"[^\s:.]+")
_IS_CAMEL = re.compile(r"\w*[a-z][A-Z]\w*").fullmatch  # of a framework's class or function
_HANDOVER = "transfer_to_"
_COUNTS = "tool_call_counts"  # of Haystack, by the names of tools
# the words of conventions, as names of spans, values and keys
_IS_OF_CONVENTION = re.compile(
    r"user|assistant|system|tool|tools|human|ai|developer|function|agent|model|chain|llm"
    r"|text|tool_call|tool_calls|tool_call_response|tool_use|tool_result|refusal|stop"
    r"|end_turn|length|chat|completion|completions|execute_tool|invoke_agent|create_agent"
    r"|invoke_workflow|workflow|task|step|run|running|turn|session|handoff|response"
    r"|generation|embeddings|retriever|guardrail|request|call|calls|messages|message"
    r"|content|invoke|stream|generate|doGenerate|doStream|error|input|output|inputs|outputs"
    r"|args|arguments|kwargs|value|values|result|name|type|id|role|parts|parameters"
    r"|properties|required|object|string|integer|number|boolean|array|success|constructor"
    r"|not_implemented|tool-call|tool-result|AIMessage|HumanMessage|ToolMessage"
    r"|SystemMessage|exception|openai|OpenAI|anthropic|langchain|crewai|mcp|MCP"
    r"|tools/call|tools/list|__end__"
    r"|haystack|component"
).fullmatch


class Mask:
    """Replaces texts by words that say nothing. The same text always becomes the same word."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._numbers: dict[float, int] = {}

    def hide_attribute(self, key: str, value: Any) -> Any:
        """Replace the texts in an attribute; what says of which kind something is stays."""
        if isinstance(value, str) and _SAYS_WHAT(key) and _IS_WORD(value.strip('"')):
            return value
        if isinstance(value, list):
            return [self.hide_attribute(key, each) for each in value]
        return self.hide(value, key)

    def hide(self, value: Any, key: str = "") -> Any:
        """Replace the texts in a value, and in the JSON or printed objects in its texts."""
        if isinstance(value, str):
            return self._hide_text(value)
        if isinstance(value, dict):
            hide_key = self._name if key == _COUNTS else self._hide_key
            return {hide_key(str(k)): self.hide(v, str(k)) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [self.hide(each, key) for each in value]
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value if _IS_COUNT(key) else self._hide_number(value)
        return value if isinstance(value, bool | None) else self._name(repr(value))

    def hide_name(self, name: str) -> str:
        """Replace the parts of a span's name that are not the same in all programs."""
        return _PART.sub(lambda found: self._hide_part_of_name(found.group()), name)

    def _hide_part_of_name(self, part: str) -> str:
        return part if _IS_CAMEL(part) and part not in self._texts else self._hide_part(part)

    def _hide_text(self, text: str) -> str:
        inner = text.strip()
        if not inner:
            return text
        found = parse_json(text)
        if isinstance(found, dict | list):
            return encode(self.hide(found)).decode()
        printed = parse_literal(text)
        if isinstance(printed, dict):
            return repr(self.hide(printed))
        return text.replace(inner, self._hide_part(inner))

    def _hide_part(self, text: str) -> str:
        if _IS_OF_CONVENTION(text) or _IS_EVENT(text):
            return text
        start, is_handover, agent = text.partition(_HANDOVER)
        if is_handover and agent and not start:
            return _HANDOVER + self._name(agent)
        return self._name(text)

    def _hide_key(self, key: str) -> str:
        """A key stays, unless it is a text as well, such as the name of a tool."""
        stays = _IS_OF_CONVENTION(key) or (_IS_KEY(key) and key not in self._texts)
        return key if stays else self._name(key)

    def _hide_number(self, number: float) -> float:
        if abs(number) < _LARGEST:
            return number
        return self._numbers.setdefault(number, _LARGEST + len(self._numbers))

    def _name(self, text: str) -> str:
        return self._texts.setdefault(text, f"word-{len(self._texts) + 1}")


def write_sample(traces: Sequence[Trace]) -> Iterator[str]:
    """Yield a line of OTLP JSON for each trace, with its structure and none of its texts."""
    mask = Mask()
    for _ in _write(traces, mask):
        pass  # a key that is a text somewhere else is known from here on
    yield from _write(traces, mask)


def _write(traces: Sequence[Trace], mask: Mask) -> Iterator[str]:
    for trace in traces:
        spans = [_write_resource(trace, span, mask) for span in trace.spans]
        logs = [_write_log(trace, log, mask) for log in trace.logs]
        found = {"resourceSpans": spans}
        if logs:
            found["resourceLogs"] = [{"scopeLogs": [{"logRecords": logs}]}]
        yield encode(found).decode() + "\n"


def _write_resource(trace: Trace, span: Span, mask: Mask) -> dict[str, Any]:
    sdk = {key: value for key, value in span.resource.items() if key.startswith(_SDK)}
    scope = {"name": span.scope, "version": span.scope_version}
    return {
        "resource": {"attributes": _write_pairs(sdk)},
        "scopeSpans": [{"scope": scope, "spans": [_write_span(trace, span, mask)]}],
    }


def _write_span(trace: Trace, span: Span, mask: Mask) -> dict[str, Any]:
    found: dict[str, Any] = {
        "traceId": trace.trace_id,
        "spanId": span.span_id,
        "parentSpanId": span.parent_id,
        "name": mask.hide_name(span.name),
        "startTimeUnixNano": str(span.start_ns),
        "endTimeUnixNano": str(span.end_ns),
        "attributes": _hide_pairs(span.attributes, mask),
        "events": [_write_event(event, mask) for event in span.events],
    }
    if span.failed:
        found["status"] = {"code": _ERROR, "message": mask.hide(span.status_message)}
    return found


def _write_event(event: SpanEvent, mask: Mask) -> dict[str, Any]:
    return {
        "name": mask.hide(event.name),
        "timeUnixNano": str(event.time_ns),
        "attributes": _hide_pairs(event.attributes, mask),
    }


def _write_log(trace: Trace, log: SpanEvent, mask: Mask) -> dict[str, Any]:
    return {
        "traceId": trace.trace_id,
        "spanId": log.span_id,
        "eventName": mask.hide(log.name),
        "timeUnixNano": str(log.time_ns),
        "attributes": _hide_pairs(log.attributes, mask),
        "body": _write_value(mask.hide(log.body)),
    }


def _hide_pairs(attributes: dict[str, Any], mask: Mask) -> list[dict[str, Any]]:
    return _write_pairs({key: mask.hide_attribute(key, v) for key, v in attributes.items()})


def _write_pairs(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _write_value(value)} for key, value in attributes.items()]


def _write_value(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"arrayValue": {"values": [_write_value(each) for each in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": _write_pairs(value)}}
    kind = _KINDS.get(type(value))
    return {kind: value} if kind else {}

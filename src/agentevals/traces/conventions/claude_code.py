"""The spans and log records of Claude Code, which hang its records on the span of the turn."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from agentevals.model.conversations import Span, SpanEvent
from agentevals.traces.attribute_values import count, parse_json, word
from agentevals.traces.chat_messages import Message
from agentevals.traces.conventions import Kind, Reading, Shape

CONVERSATION_KEYS: tuple[str, ...] = ()

_SCOPE = "com.anthropic.claude_code.tracing"
_PREFIX = "claude_code."
_TYPE, _USE = "span.type", "tool_use_id"
_KINDS = {"interaction": Kind.AGENT, "llm_request": Kind.INFERENCE, "tool": Kind.TOOL}
_RESULT, _RESPONSE = "tool_result", "assistant_response"  # records
_PROMPT, _GIVEN, _OUTPUT = "user_prompt", "tool_input", "tool.output"
_STRUCTURED = "StructuredOutput"
_LONGEST = 60_000  # characters of a text, of which the program cuts off the rest


def speaks(shape: Shape) -> bool:
    return shape.scope == _SCOPE


def _find_type(span: Span) -> str:
    return word(span.attributes.get(_TYPE)) or span.name.removeprefix(_PREFIX)


def settle(spans: Sequence[Span], logs: Sequence[SpanEvent]) -> Iterator[SpanEvent]:
    """Yield each record with the span that it tells of."""
    own = [span for span in spans if span.scope == _SCOPE]
    tools = {
        word(span.attributes.get(_USE)): span.span_id for span in own if _find_type(span) == "tool"
    }
    requests = [span for span in own if _find_type(span) == "llm_request"]
    requests.sort(key=lambda span: span.start_ns)
    for record in logs:
        kind, home = record.attributes.get("event.name"), ""
        if own and kind == _RESULT:
            home = tools.get(word(record.attributes.get(_USE)), "")
        elif own and kind == _RESPONSE:
            home = _find_request(record, requests)
        yield replace(record, span_id=home) if home else record


def _find_request(record: SpanEvent, requests: Sequence[Span]) -> str:
    """Return the latest request before a text, of the agent that said it."""
    before = [
        span.span_id
        for span in requests
        if span.parent_id == record.span_id and span.start_ns <= record.time_ns
    ]
    return before[-1] if before else ""


def read(reading: Reading) -> None:
    attributes = reading.span.attributes
    kind = _find_type(reading.span)
    reading.kind = _KINDS.get(kind, Kind.NONE)
    reading.ignored = kind not in _KINDS
    if reading.kind is Kind.AGENT:
        reading.input_sources = [(_PROMPT, _parse_texts, [attributes.get(_PROMPT)])]
    elif reading.kind is Kind.INFERENCE:
        _read_request(reading, attributes)
    elif reading.kind is Kind.TOOL:
        _read_tool(reading, attributes)


def _read_request(reading: Reading, attributes: dict[str, Any]) -> None:
    reading.model = reading.model or word(attributes.get("model"))
    counted = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens")
    reading.fill_counts(**{name: count(attributes.get(name)) for name in counted})
    said = [each.attributes.get("response") for each in _find_records(reading, _RESPONSE)]
    if said:
        reading.output_sources = [(_RESPONSE, _parse_texts, said)]


def _read_tool(reading: Reading, attributes: dict[str, Any]) -> None:
    reading.tool = word(attributes.get("tool_name"))
    reading.call_id = word(attributes.get(_USE)) or None
    for record in _find_records(reading, _RESULT):
        reading.args = _find_arguments(record)
        reading.error = word(record.attributes.get("error"))
    told = [each.attributes.get("output") for each in reading.span.events if each.name == _OUTPUT]
    whole = [each for each in told if isinstance(each, str) and len(each) < _LONGEST]
    reading.result = parse_json(whole[0]) if whole else None
    if reading.tool == _STRUCTURED and reading.args is not None and not reading.error:
        reading.concludes, reading.result = True, reading.args


def _find_records(reading: Reading, name: str) -> list[SpanEvent]:
    return [each for each in reading.logs if each.attributes.get("event.name") == name]


def _find_arguments(record: SpanEvent) -> Any:
    """Return the arguments, unless the program has shortened one: it counts as JavaScript does."""
    given = word(record.attributes.get(_GIVEN))
    size = count(record.attributes.get(f"{_GIVEN}_size_bytes"))
    return parse_json(given) if given and size == len(given.encode("utf-16-le")) // 2 else None


def _parse_texts(raw: list[Any], role: str) -> list[Message]:
    message = Message(role)
    for text in map(word, raw):
        message.add_text(text)
        message.is_cut |= len(text) >= _LONGEST
    return [message]

"""OpenTelemetry's conventions for generative AI: current, deprecated, in events, in logs."""

from collections.abc import Container, Sequence
from typing import Any

from agentevals.model.conversations import Span, SpanEvent
from agentevals.traces.attribute_values import (
    UnreadableError,
    count,
    decode,
    is_withheld,
    parse_json,
    word,
)
from agentevals.traces.chat_messages import (
    ASSISTANT,
    SYSTEM,
    TOOL,
    USER,
    Message,
    parse_message,
    parse_messages,
)
from agentevals.traces.conventions import Kind, Reading, Shape
from agentevals.traces.instrumentations import is_of_vectors
from agentevals.traces.message_parts import are_bare_parts
from agentevals.traces.span_texts import find_text

CONVERSATION_KEYS = ("gen_ai.conversation.id",)

_AGENT_NAME = "gen_ai.agent.name"
_OPERATION = "gen_ai.operation.name"
_INPUT, _OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
_REQUEST_MODEL, _RESPONSE_MODEL = "gen_ai.request.model", "gen_ai.response.model"
_PROVIDERS = ("gen_ai.provider.name", "gen_ai.system")
_MARKS = frozenset(
    {_OPERATION, _REQUEST_MODEL, _RESPONSE_MODEL, *_PROVIDERS, _INPUT, _OUTPUT, "gen_ai.tool.name"}
)
_EVIDENCE = ("gen_ai.usage.", "gen_ai.prompt", "gen_ai.completion", _INPUT, _OUTPUT)
_FETCH = "fetch_response"  # what an earlier request, in the background, was answered with
_CURSOR = "gen_ai.request.stream_cursor"
_KINDS = {
    "chat": Kind.INFERENCE,
    "generate_content": Kind.INFERENCE,
    "generate_live_content": Kind.INFERENCE,
    "text_completion": Kind.INFERENCE,
    _FETCH: Kind.INFERENCE,
    "invoke_agent": Kind.AGENT,
    "invoke_workflow": Kind.WORKFLOW,
    "handle_conversation_turn": Kind.WORKFLOW,
    "execute_tool": Kind.TOOL,
    "create_agent": Kind.PREPARATION,
}

_AGENTIC = frozenset({Kind.AGENT, Kind.WORKFLOW})

_DETAILS = "gen_ai.client.inference.operation.details"
_CHOICE, _TOOL_MESSAGE = "gen_ai.choice", "gen_ai.tool.message"
_PROMPT_EVENT, _COMPLETION_EVENT = "gen_ai.content.prompt", "gen_ai.content.completion"
_SPEAKERS = {
    "gen_ai.system.message": SYSTEM,
    "gen_ai.user.message": USER,
    "gen_ai.assistant.message": ASSISTANT,
    _TOOL_MESSAGE: TOOL,
}
_EVENTS = frozenset({_DETAILS, _CHOICE, _PROMPT_EVENT, _COMPLETION_EVENT, *_SPEAKERS})

_NOTHING = "None"  # what Python prints: Agent Framework writes it of a call without arguments
_RESULT = "final_result"  # of Pydantic AI, whose agents give structured answers through a tool

_USAGE = "gen_ai.usage."
_INPUT_TOKENS = (_USAGE + "input_tokens", _USAGE + "prompt_tokens")
_OUTPUT_TOKENS = (_USAGE + "output_tokens", _USAGE + "completion_tokens")
# OpenLLMetry's `cache_read_input_tokens` is not read: `agentevals-cli` counts none of it either
_CACHE_READ = (_USAGE + "cache_read.input_tokens", _USAGE + "details.cache_read_tokens")
_CACHE_WRITE = tuple(
    _USAGE + name
    for name in (
        "cache_write.input_tokens",
        "cache_creation.input_tokens",
        "details.cache_write_tokens",
    )
)
_REASONING = tuple(
    _USAGE + name
    for name in ("reasoning.output_tokens", "reasoning_tokens", "details.reasoning_tokens")
)
_PARTIAL = frozenset({*_CACHE_READ, *_CACHE_WRITE, *_REASONING})


def speaks(shape: Shape) -> bool:
    """A span says `gen_ai.` something, or an event of it does."""
    return not (_MARKS.isdisjoint(shape.keys) and _EVENTS.isdisjoint(shape.events))


def read(reading: Reading) -> None:
    """Attributes first, then the details event, then the events of single messages."""
    span, own = reading.span, reading.span.attributes
    sources, has_events = [own], bool(span.events or reading.logs)
    if has_events:
        sources += [_details(e) for e in (*span.events, *reading.logs) if e.name == _DETAILS]
    reading.kind = _kind(span, sources)
    reading.agent = word(own.get(_AGENT_NAME))
    if reading.kind is Kind.TOOL:
        _read_tool(reading, own)
        return
    reading.fetches = own.get(_OPERATION) == _FETCH
    for attributes in sources:
        _read_attributes(reading, attributes)
    if has_events:
        _read_events(reading)
    _read_content(reading, own)


def _kind(span: Span, sources: list[dict[str, Any]]) -> Kind:
    for attributes in sources:
        operation = attributes.get(_OPERATION)
        if isinstance(operation, str):
            return _KINDS.get(operation, Kind.NONE)
    is_request = _looks_like_inference(sources[0]) and not is_of_vectors(span)
    return Kind.INFERENCE if is_request else Kind.NONE


def _looks_like_inference(attributes: dict[str, Any]) -> bool:
    """Older instrumentations do not name the operation."""
    if _REQUEST_MODEL not in attributes or not any(key in attributes for key in _PROVIDERS):
        return False
    return any(key.startswith(_EVIDENCE) for key in attributes)


def _read_tool(reading: Reading, attributes: dict[str, Any]) -> None:
    reading.tool = word(attributes.get("gen_ai.tool.name"))
    reading.call_id = word(attributes.get("gen_ai.tool.call.id")) or None
    given = attributes.get("gen_ai.tool.call.arguments")
    reading.args = None if given == _NOTHING else given
    reading.result = attributes.get("gen_ai.tool.call.result")
    reading.error = word(attributes.get("error.type"))
    for event in reading.span.events:
        if event.name == _TOOL_MESSAGE and reading.args is None:
            reading.args = event.attributes.get("content")
        if event.name == _CHOICE and reading.result is None:
            reading.result = _read_result(event.attributes.get("message"))


def _read_result(told: Any) -> Any:
    """Return the answer of a tool, out of the parts of a message where it is one."""
    found = parse_json(told)
    if not are_bare_parts(found):
        return told
    return "".join(message.text for message in parse_messages(found, ASSISTANT))


def _read_attributes(reading: Reading, attributes: dict[str, Any]) -> None:
    if _INPUT in attributes:
        parse = _parse_task if reading.kind is Kind.WORKFLOW else parse_messages
        reading.input_sources.append((_INPUT, parse, attributes[_INPUT]))
    if _OUTPUT in attributes and not (reading.fetches and _CURSOR in attributes):  # the rest of it
        reading.output_sources.append((_OUTPUT, _parse_output, attributes[_OUTPUT]))
    if reading.kind in _AGENTIC:
        if _RESULT in attributes:
            reading.output_sources.append((_RESULT, _parse_result, attributes[_RESULT]))
        return
    reading.model = reading.model or word(attributes.get(_REQUEST_MODEL))
    reading.served_by = reading.served_by or word(attributes.get(_RESPONSE_MODEL))
    reading.response_id = reading.response_id or word(attributes.get("gen_ai.response.id"))
    if reading.input_tokens is None:
        reading.input_tokens = _find_count(attributes, _INPUT_TOKENS)
    if reading.output_tokens is None:
        reading.output_tokens = _find_count(attributes, _OUTPUT_TOKENS)
    if not _PARTIAL.isdisjoint(attributes):
        reading.fill_counts(
            cache_read_tokens=_find_count(attributes, _CACHE_READ),
            cache_creation_tokens=_find_count(attributes, _CACHE_WRITE),
            reasoning_tokens=_find_count(attributes, _REASONING),
        )


def _parse_task(raw: Any, role: str) -> list[Message]:
    """Read the input of a workflow: where it is no message, its state stands there as JSON."""
    found = parse_messages(raw, role)
    state = parse_json(found[0].text) if len(found) == 1 else None
    return find_text(state, role) if isinstance(state, dict) else found


def _parse_output(raw: Any, role: str) -> list[Message]:
    """Read the output of Google ADK: the parts of a stream, and after them often all of it."""
    found = parse_json(raw)
    if not isinstance(found, list):
        return parse_messages(raw, role)
    parts = [item for item in found if isinstance(item, dict) and item.get("finish_reason") == ""]
    is_stream = 0 < len(parts) < len(found) and all(isinstance(item, dict) for item in found)
    if not is_stream:
        return parse_messages(found, role)
    ended = parse_messages([item for item in found if item not in parts], role)
    return ended if _repeat(ended, parse_messages(parts, role)) else parse_messages(found, role)


def _repeat(ended: Sequence[Message], parts: Sequence[Message]) -> bool:
    """Return whether the messages at the end of a stream say what its parts have said."""
    said = "".join(message.text for message in ended)
    asked = {(call.name, call.call_id) for message in ended for call in message.asked}
    return said.startswith("".join(message.text for message in parts)) and all(
        (call.name, call.call_id) in asked for message in parts for call in message.asked
    )


def _parse_result(raw: Any, role: str) -> list[Message]:
    """Return the answer as it is: JSON in it is what was said, and no message."""
    said = Message(role)
    said.add_text(raw if isinstance(raw, str) else "")
    return [said]


def _find_count(attributes: dict[str, Any], keys: tuple[str, ...]) -> int | None:
    for key in keys:
        if key in attributes and (number := count(attributes[key])) is not None:
            return number
    return None


def _read_events(reading: Reading) -> None:
    """Read the deprecated events that hold one message each, and those that hold all of them."""
    before = _find_events(reading, _SPEAKERS)
    if before:
        reading.input_sources.append(("its message events", _parse_message_events, before))
    after = _find_events(reading, {_CHOICE})
    if after:
        reading.output_sources.append(("its choice events", _parse_choices, after))
    for event in _find_events(reading, {_PROMPT_EVENT, _COMPLETION_EVENT}):
        _read_content(reading, event.attributes)


def _read_content(reading: Reading, attributes: dict[str, Any]) -> None:
    """Read the oldest spelling: everything in one JSON string."""
    if "gen_ai.prompt" in attributes:
        reading.input_sources.append(("gen_ai.prompt", parse_messages, attributes["gen_ai.prompt"]))
    if "gen_ai.completion" in attributes:
        reading.output_sources.append(
            ("gen_ai.completion", parse_messages, attributes["gen_ai.completion"])
        )


def _find_events(reading: Reading, names: Container[str]) -> list[SpanEvent]:
    """Return the span's own events where it has such, else those that came as log records."""
    own = [event for event in reading.span.events if event.name in names]
    return own or [event for event in reading.logs if event.name in names]


def _details(event: SpanEvent) -> dict[str, Any]:
    return {**event.body, **event.attributes} if isinstance(event.body, dict) else event.attributes


def _parse_message_events(events: list[SpanEvent], _role: str) -> list[Message]:
    spoken = ((event, _SPEAKERS[event.name]) for event in events)
    return [parse_message({**_body(event), "role": role}, role) for event, role in spoken]


def _parse_choices(events: list[SpanEvent], role: str) -> list[Message]:
    """The `message` of a choice may be an object, JSON of one, or only a text."""
    found = []
    for body in map(_body, events):
        told = body.get("message", body)
        beside = body.get("tool_calls") if told is not body else None
        found += parse_messages(told, role)
        found += [parse_message({"tool_calls": beside}, role)] if beside else []
    return found


def _body(event: SpanEvent) -> dict[str, Any]:
    """Return the attributes of a message event, or the body of its log record."""
    body = event.body
    if isinstance(body, str) and body.strip() and not is_withheld(body):
        body = _unpack(body)
    found = {**event.attributes, **body} if isinstance(body, dict) else event.attributes
    parts = parse_json(found.get("content"))
    return {**found, "content": parts} if are_bare_parts(parts) else found


def _unpack(body: str) -> dict[str, Any]:
    try:
        found = decode(body)
    except UnreadableError:
        found = body
    return found if isinstance(found, dict) else {"content": body}

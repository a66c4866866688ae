"""MLflow's own spans: a type each, with inputs and outputs as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from agentevals.model.conversations import Span, SpanEvent
from agentevals.traces import langchain_values
from agentevals.traces.attribute_values import UnreadableError, amount, count, parse_json, word
from agentevals.traces.chat_messages import Message, parse_message, parse_messages
from agentevals.traces.conventions import Kind, Reading, Shape, Verdict
from agentevals.traces.span_texts import find_text

CONVERSATION_KEYS = ("mlflow.trace.session", "metadata#mlflow.trace.session", "metadata#thread_id")

_TYPE, _IN, _OUT = "mlflow.spanType", "mlflow.spanInputs", "mlflow.spanOutputs"
_MODEL, _USAGE, _COST = "mlflow.llm.model", "mlflow.chat.tokenUsage", "mlflow.llm.cost"
_MARKS = frozenset({_MODEL, _USAGE, _IN, _OUT})
_CALL, _NOTED = "tool_call_id", "metadata"
_KINDS = {
    **dict.fromkeys(("CHAT_MODEL", "LLM"), Kind.INFERENCE),
    **dict.fromkeys(("CHAIN", "WORKFLOW"), Kind.WORKFLOW),
    "AGENT": Kind.AGENT,
    "TOOL": Kind.TOOL,
}
_FUNCTION = "UNKNOWN"  # any function under `@mlflow.trace`: the outermost one is asked and answers
_ASKING = frozenset({"tool_calls", "tool_use", "function_call"})
_CHUNK, _PART = "mlflow.chunk.item.", "mlflow.chunk.value"


def speaks(shape: Shape) -> Verdict:
    return _has_type if _TYPE in shape.keys else not _MARKS.isdisjoint(shape.keys)


def _has_type(span: Span) -> bool:
    return _find_type(span.attributes) != ""


def _find_type(attributes: dict[str, Any]) -> str:
    """Return the type; a request still tells what it is where it was lost."""
    if _TYPE in attributes:
        return word(parse_json(attributes[_TYPE]))
    return "CHAT_MODEL" if _MODEL in attributes or _USAGE in attributes else ""


def read(reading: Reading) -> None:
    attributes = reading.span.attributes
    kind = _find_type(attributes)
    if reading.kind is Kind.NONE:
        is_outermost = kind == _FUNCTION and not reading.span.parent_id and _IN in attributes
        reading.kind = Kind.WORKFLOW if is_outermost else _KINDS.get(kind, Kind.NONE)
    if reading.kind is Kind.TOOL:
        _read_tool(reading, attributes)
    elif reading.kind is Kind.INFERENCE:
        _read_inference(reading, attributes)
    elif reading.kind is not Kind.NONE or not kind:  # MLflow types each span: one was lost
        _read_agent(reading, attributes)


def _read_agent(reading: Reading, attributes: dict[str, Any]) -> None:
    own = reading.span.name if reading.kind is Kind.AGENT else ""
    reading.agent = reading.agent or _find_noted(attributes, "lc_agent_name") or own
    reading.input_sources.append((_IN, _parse_text, attributes.get(_IN)))
    reading.output_sources.append((_OUT, _parse_text, attributes.get(_OUT)))


def _find_noted(attributes: dict[str, Any], key: str) -> str:
    """Return what LangChain notes in what it calls metadata."""
    noted = parse_json(attributes.get(_NOTED))
    return word(noted.get(key)) if isinstance(noted, dict) else ""


def _read_inference(reading: Reading, attributes: dict[str, Any]) -> None:
    given = parse_json(attributes.get(_IN))
    asked = given.get("model") if isinstance(given, dict) else None
    asked = asked or _find_noted(attributes, "ls_model_name")
    reading.model = reading.model or word(parse_json(attributes.get(_MODEL))) or word(asked)
    reading.input_sources.append((_IN, _parse_input, given))
    chunks = [event for event in reading.span.events if event.name.startswith(_CHUNK)]
    if any(_list_deltas(chunks)):
        reading.output_sources.append(("its chunks", _parse_chunks, chunks))
    else:
        reading.output_sources.append((_OUT, _parse_output, parse_json(attributes.get(_OUT))))
    usage = parse_json(attributes.get(_USAGE))
    if isinstance(usage, dict):
        reading.fill_counts(
            input_tokens=count(usage.get("input_tokens")),
            output_tokens=count(usage.get("output_tokens")),
            cache_read_tokens=count(usage.get("cache_read_input_tokens")),
            cache_creation_tokens=count(usage.get("cache_creation_input_tokens")),
        )
    costs = parse_json(attributes.get(_COST))
    if isinstance(costs, dict) and reading.cost is None:
        reading.cost = amount(costs.get("total_cost"))


def _read_tool(reading: Reading, attributes: dict[str, Any]) -> None:
    reading.tool = reading.tool or reading.span.name
    reading.call_id = reading.call_id or word(parse_json(attributes.get(_CALL))) or None
    if reading.args is None:
        reading.args = langchain_values.parse_literal(parse_json(attributes.get(_IN)))
    if reading.result is None:
        reading.result = attributes.get(_OUT)
    langchain_values.read_answer(reading)


def _parse_text(raw: Any, role: str) -> list[Message]:
    return find_text(parse_json(raw), role)


def _parse_input(given: Any, role: str) -> list[Message]:
    """The messages of a request, as OpenAI's APIs and those like it name them."""
    if isinstance(given, dict):
        given = next((given[key] for key in ("messages", "input") if given.get(key)), None)
    return parse_messages(given, role) if given else []


def _parse_output(told: Any, role: str) -> list[Message]:
    """The message of a chat completion, the items of a response, or a message alone."""
    if isinstance(told, dict) and "generations" in told:
        return _parse_generations(told, role)
    if isinstance(told, dict):
        choices, items = told.get("choices"), told.get("output")
        if isinstance(choices, list):
            told = [each.get("message") for each in choices if isinstance(each, dict)]
        elif isinstance(items, list):
            told = items
    return parse_messages(told, role) if told else []


def _parse_generations(told: dict[str, Any], role: str) -> list[Message]:
    """MLflow 3.6 drops the calls in LangChain's answers: the next request holds all that was said.

    Why an answer has ended tells that it had calls.
    """
    found = list(langchain_values.read_generations(told, role))
    for message, generation in found:
        noted = generation.get("generation_info")
        reason = word(noted.get("finish_reason")) if isinstance(noted, dict) else ""
        if reason in _ASKING and not message.asked:
            return []
    return [message for message, _ in found]


def _parse_chunks(events: list[SpanEvent], role: str) -> list[Message]:
    """The answer of a chat completion that was streamed: beside its parts is only its text."""
    names = [event.name for event in events if _PART in event.attributes]
    if names != [f"{_CHUNK}{number}" for number in range(len(events))]:
        msg = "lacks some of its parts"
        raise UnreadableError(msg)
    said: dict[str, str] = {"content": "", "refusal": ""}
    calls: dict[Any, dict[str, str]] = {}
    for delta in _list_deltas(events):
        for name in said:
            said[name] += word(delta.get(name))
        for part in _list_objects(delta.get("tool_calls")):
            call = calls.setdefault(part.get("index"), {"id": "", "name": "", "arguments": ""})
            call["id"] += word(part.get("id"))
            for function in _list_objects([part.get("function")]):
                call["name"] += word(function.get("name"))
                call["arguments"] += word(function.get("arguments"))
    return [parse_message({**said, "tool_calls": list(calls.values())}, role)]


def _list_deltas(events: Sequence[SpanEvent]) -> Iterator[dict[str, Any]]:
    for event in events:
        for chunk in _list_objects([parse_json(event.attributes.get(_PART))]):
            for choice in _list_objects(chunk.get("choices")):
                yield from _list_objects([choice.get("delta")])


def _list_objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []

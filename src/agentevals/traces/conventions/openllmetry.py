"""OpenLLMetry: indexed `gen_ai.prompt.N.*` messages, `traceloop.*` spans of the user's code."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from msgspec.structs import replace

from agentevals.traces import langchain_values
from agentevals.traces.attribute_values import count, list_numbered, numbers, parse_json, word
from agentevals.traces.chat_messages import TOOL, USER, Message, parse_message
from agentevals.traces.conventions import Kind, Reading, Shape
from agentevals.traces.span_texts import find_text

CONVERSATION_KEYS = (
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.conversation_id",
    "traceloop.association.properties.thread_id",
)

_KIND, _NAME = "traceloop.span.kind", "traceloop.entity.name"
_AGENT_NAME = "traceloop.association.properties.lc_agent_name"
_IN, _OUT = "traceloop.entity.input", "traceloop.entity.output"
_REQUEST = "llm.request.type"
_PROMPT, _COMPLETION = "gen_ai.prompt", "gen_ai.completion"
_MARKS = frozenset(
    {_KIND, _REQUEST, _AGENT_NAME}
    | {f"{_PROMPT}.0.{field}" for field in ("role", "content")}
    | {
        f"{_COMPLETION}.0.{field}"
        for field in ("role", "content", "finish_reason", "tool_calls.0.name")
    }
)
_Parse = Callable[[Any, str], list[Message]]
_KINDS = {"workflow": Kind.WORKFLOW, "agent": Kind.AGENT, "tool": Kind.TOOL}
_CALL = {name: name for name in ("name", "id", "arguments")}
# what an agent of LlamaIndex returns, with the message of the model in it
_LLAMA_INDEX = {"response", "current_agent_name", "tool_calls"}
_ROUTE = {"output": "__end__"}  # the next step of a graph, and nobody's words
_REQUESTS = frozenset({"chat", "completion", "response"})
_LANGCHAIN, _RUN = "opentelemetry.instrumentation.langchain", ".workflow"
_CLASSES = ("LangGraph", "Runnable")  # how LangChain's own names of runs begin that have none
_OPENAI, _ITEM = "opentelemetry.instrumentation.openai.", "fc_"
_ANTHROPIC_JS = "@traceloop/instrumentation-anthropic"
_LOSING = (_OPENAI, _ANTHROPIC_JS)  # who write ids of items, or parts of a stream
_FINISHED = "gen_ai.response.finish_reasons"  # it is not written of a stream


def speaks(shape: Shape) -> bool:
    return shape.scope.startswith(_LOSING) or not _MARKS.isdisjoint(shape.keys)


def read(reading: Reading) -> None:
    attributes = reading.span.attributes
    if reading.kind is Kind.NONE and not reading.ignored:
        reading.kind = _kind(attributes)
    if reading.kind is Kind.INFERENCE:
        _read_inference(reading, attributes)
    elif reading.kind is Kind.TOOL:
        _read_tool(reading, attributes)
    elif reading.kind is not Kind.NONE and _KIND in attributes:
        _read_agent(reading, attributes)
    reading.agent = reading.agent or word(attributes.get(_AGENT_NAME))
    if reading.span.scope == _LANGCHAIN:
        reading.is_run = reading.span.name.endswith(_RUN)
        reading.agent = "" if reading.agent.startswith(_CLASSES) else reading.agent


def _kind(attributes: dict[str, Any]) -> Kind:
    kind = attributes.get(_KIND)
    if isinstance(kind, str) and kind in _KINDS:
        return _KINDS[kind]
    return Kind.INFERENCE if attributes.get(_REQUEST) in _REQUESTS else Kind.NONE


def _read_inference(reading: Reading, attributes: dict[str, Any]) -> None:
    reading.input_sources.append((f"{_PROMPT}.N", _parse_items, attributes))
    reading.output_sources.append((f"{_COMPLETION}.N", _parse_items, attributes))
    if reading.span.scope.startswith(_OPENAI):
        _parse_by(reading, _parse_without_items)
    if reading.span.scope == _ANTHROPIC_JS and _FINISHED not in attributes:
        _parse_by(reading, _parse_stream)
    if reading.reasoning_tokens is None:
        thought = attributes.get("gen_ai.usage.reasoning_tokens")
        thought = attributes.get("llm.usage.reasoning_tokens") if thought is None else thought
        reading.reasoning_tokens = count(thought)


def _parse_by(reading: Reading, change: Callable[[_Parse, Any, str], list[Message]]) -> None:
    reading.output_sources = [
        (name, partial(change, parse), raw) for name, parse, raw in reading.output_sources
    ]


def _parse_stream(parse: _Parse, raw: Any, role: str) -> list[Message]:
    """Take no arguments for unknown: of a stream, the first part of a call is all that is kept."""
    messages = parse(raw, role)
    for message in messages:
        message.asked = [replace(call, args=call.args or None) for call in message.asked]
    return messages


def _parse_without_items(parse: _Parse, raw: Any, role: str) -> list[Message]:
    """Drop the ids of items of a response: a tool answers to the id of a call, which differs."""
    messages = parse(raw, role)
    for message in messages:
        message.asked = [
            replace(call, call_id=None) if (call.call_id or "").startswith(_ITEM) else call
            for call in message.asked
        ]
    return messages


def _read_tool(reading: Reading, attributes: dict[str, Any]) -> None:
    named = word(attributes.get(_NAME))
    reading.tool = reading.tool or named or reading.span.name.removesuffix(".tool")
    if reading.args is None:
        reading.args = _find_arguments(attributes.get(_IN))
    else:
        reading.args = langchain_values.read_input(parse_json(reading.args))
    if reading.result is None:
        reading.result = attributes.get(_OUT)
    reading.result = langchain_values.read_output(parse_json(reading.result))
    langchain_values.read_answer(reading)


def _read_agent(reading: Reading, attributes: dict[str, Any]) -> None:
    if reading.kind is Kind.AGENT:
        reading.agent = reading.agent or word(attributes.get(_NAME))
    reading.input_sources.append((_IN, _parse_task, attributes.get(_IN)))
    reading.output_sources.append((_OUT, _parse_outcome, attributes.get(_OUT)))


def _find_arguments(raw: Any) -> Any:
    """Return the arguments of a call, without what decorators and callbacks wrap around them."""
    found = langchain_values.read_input(parse_json(raw))
    if not isinstance(found, dict):
        return found
    args, kwargs = found.get("args"), found.get("kwargs")
    if isinstance(kwargs, dict) and (kwargs or args == []):
        return kwargs if not args else {"args": args, **kwargs}
    inputs = found.get("inputs")
    return inputs if isinstance(inputs, dict) and inputs else found


def _parse_task(raw: Any, role: str) -> list[Message]:
    given = _find_arguments(raw)
    args = given.get("args") if isinstance(given, dict) else None
    return find_text(args[0] if isinstance(args, list) and len(args) == 1 else given, role)


def _parse_outcome(raw: Any, role: str) -> list[Message]:
    found = langchain_values.read_output(parse_json(raw))
    if found == _ROUTE:
        return []
    inner = parse_json(found)
    is_printed = isinstance(inner, dict) and inner.keys() >= _LLAMA_INDEX
    return find_text(inner if is_printed else found, role)


def _parse_items(attributes: dict[str, Any], role: str) -> list[Message]:
    family = _PROMPT if role == USER else _COMPLETION
    return [parse_message(item, role) for item in _items(attributes, family)]


def _items(attributes: dict[str, Any], family: str) -> Iterator[dict[str, Any]]:
    for number in numbers(attributes, family):
        prefix = f"{family}.{number}."
        calls = list(list_numbered(attributes, f"{prefix}tool_calls", _CALL))
        role, content = attributes.get(f"{prefix}role"), attributes.get(f"{prefix}content")
        if not calls and role is None and content is None:
            continue
        item: dict[str, Any] = {
            "role": role,
            "content": _unpack_parts(content),
            "tool_calls": calls,
        }
        if role is None or role == TOOL:
            item["tool_call_id"] = attributes.get(f"{prefix}tool_call_id")
        yield item


def _unpack_parts(content: Any) -> Any:
    """A list of typed parts, or nothing, comes as JSON; any other JSON is what was said."""
    if content == '""':
        return ""
    if not isinstance(content, str) or not content.startswith("[{"):
        return content
    found = parse_json(content)
    typed = isinstance(found, list) and all(isinstance(p, dict) and "type" in p for p in found)
    return found if typed else content

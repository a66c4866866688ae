"""The spans in the files of a recording, read plainly: messages, calls and answers.

Only the forms of `tests.differential.grammars` are read, and those recorded rows that use them.
Nothing of the project is asked, so that a mistake of its reader is not repeated here.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic.alias_generators import to_camel

Attributes = dict[str, Any]
Part = dict[str, Any]

_DETAILS = "gen_ai.client.inference.operation.details"
_INPUT, _OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
_REQUEST, _RESPONSE = "gcp.vertex.agent.llm_request", "gcp.vertex.agent.llm_response"
ARGUMENTS = ("gen_ai.tool.call.arguments", "gcp.vertex.agent.tool_call_args")
RESULTS = ("gen_ai.tool.call.result", "gcp.vertex.agent.tool_response")
_OUTPUT_TOKENS = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens")


@dataclass
class Span:
    """One span, whatever format wrote it."""

    trace: str
    id: str
    parent: str
    name: str
    start: int
    end: int
    attributes: Attributes
    resource: Attributes = field(default_factory=dict)
    failed: bool = False
    events: list[Attributes] = field(default_factory=list)

    @property
    def is_agent(self) -> bool:
        named = self.name == "invocation" or self.name.startswith("invoke_agent")
        return named or self.attributes.get("gen_ai.operation.name") == "invoke_agent"

    @property
    def is_model(self) -> bool:
        asked = self.attributes.get("gen_ai.operation.name") == "chat"
        return asked or self.name == "call_llm" or "gen_ai.request.model" in self.attributes

    @property
    def is_tool(self) -> bool:
        named = self.name.startswith("execute_tool")
        return named or self.attributes.get("gen_ai.operation.name") == "execute_tool"

    @property
    def has_arguments(self) -> bool:
        """Whether the span of a tool says what it was given."""
        return any(key in self.attributes for key in ARGUMENTS)

    @property
    def has_answer(self) -> bool:
        """Whether the span of a tool says what the tool has answered."""
        return any(key in self.attributes for key in RESULTS)

    @property
    def heard(self) -> list[Part]:
        """The messages that the model was given."""
        return _read_messages(self.attributes, _INPUT, _REQUEST)

    @property
    def said(self) -> list[Part]:
        """The messages that the model gave."""
        return _read_messages(self.attributes, _OUTPUT, _RESPONSE)

    @property
    def tells_output(self) -> bool:
        """Whether it has an attribute for them, be there any or none."""
        return _OUTPUT in self.attributes or _RESPONSE in self.attributes

    @property
    def output_tokens(self) -> int | None:
        given = (self.attributes[key] for key in _OUTPUT_TOKENS if key in self.attributes)
        usage = decode(self.attributes.get(_RESPONSE, "{}")).get("usage_metadata", {})
        return next((int(one) for one in given), usage.get("candidates_token_count"))


@dataclass(frozen=True)
class Call:
    """A call that a model asked for."""

    name: str
    args: Any
    id: str | None


def list_texts(message: Part) -> list[str]:
    """The texts of a message, in either spelling."""
    content = message.get("content") or []
    parts = message.get("parts", content if isinstance(content, list) else [content])
    texts = (p if isinstance(p, str) else p.get("text", p.get("content")) for p in parts)
    return [text for text in texts if isinstance(text, str)]


def list_calls(message: Part) -> list[Call]:
    """The calls in a message: parts as the conventions or Gemini write them, or OpenAI's list."""
    told = [p.get("function_call", p) for p in message.get("parts", ()) if _asks(p)]
    told += [{**one["function"], "id": one.get("id")} for one in message.get("tool_calls") or ()]
    return [Call(t["name"], decode(t.get("arguments", t.get("args"))), t.get("id")) for t in told]


def _asks(part: Part) -> bool:
    return part.get("type") == "tool_call" or "function_call" in part


def list_answers(message: Part) -> list[Part]:
    """The answers in a message."""
    parts = message.get("parts", ())
    told = [part.get("function_response", part) for part in parts if _answers(part)]
    return [part for part in told if "response" in part or part.get("type")]


def _answers(part: Part) -> bool:
    return part.get("type") == "tool_call_response" or "function_response" in part


def _read_messages(attributes: Attributes, key: str, adk: str) -> list[Part]:
    found = decode(attributes.get(key))
    if isinstance(found, list):
        return found
    whole = decode(attributes.get(adk))
    if not isinstance(whole, dict):
        return []
    return list(whole["contents"]) if "contents" in whole else [whole.get("content") or {}]


def decode(value: Any) -> Any:
    """The JSON in a text; a text that is none as it is."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def read_spans(path: Path) -> Iterator[Span]:
    """The spans of a file of OTLP, or of Jaeger; none if it is neither, or not there."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return
    for document in _read_documents(text):
        for trace in document.get("data", ()):
            yield from (_read_jaeger(span, trace.get("processes", {})) for span in trace["spans"])
        whole = _spell_camel(document) if "resource_spans" in document else document
        whole = whole.get("trace", whole)
        for resource in whole.get("resourceSpans", whole.get("batches", ())):
            yield from _read_resource(resource)
        if "spanId" in whole:
            yield _read_otlp(whole, {})


def _read_documents(text: str) -> list[dict[str, Any]]:
    """The objects in a text: one, a list of them, or one on each line."""
    try:
        found = json.loads(text)
    except ValueError:
        try:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError:
            return []
    every = found if isinstance(found, list) else [found]
    return [each for each in every if isinstance(each, dict)]


def _spell_camel(value: Any) -> Any:
    if isinstance(value, dict):
        return {to_camel(key): _spell_camel(inner) for key, inner in value.items()}
    return [_spell_camel(inner) for inner in value] if isinstance(value, list) else value


def _read_resource(resource: dict[str, Any]) -> Iterator[Span]:
    about = _read_attributes(resource.get("resource", {}).get("attributes", ()))
    for scope in resource.get("scopeSpans", resource.get("instrumentationLibrarySpans", ())):
        yield from (_read_otlp(span, about) for span in scope["spans"])


def _read_otlp(span: Mapping[str, Any], resource: Attributes) -> Span:
    start, end = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
    told = _read_attributes(span.get("attributes", ()))
    where = span["traceId"], span["spanId"], span.get("parentSpanId") or ""
    failed = span.get("status", {}).get("code") in (2, "STATUS_CODE_ERROR")
    events = [
        {"event.name": event.get("name"), **_read_attributes(event.get("attributes", ()))}
        for event in span.get("events", ())
    ]
    return Span(*where, span["name"], start, end, _lay_over(told, events), resource, failed, events)


def _lay_over(told: Attributes, events: list[Attributes]) -> Attributes:
    """The attributes, with those of the event that tells the details of a request."""
    details = (event for event in events if event.get("event.name") == _DETAILS)
    return {**next(details, {}), **told}


def _read_attributes(told: Any) -> Attributes:
    if isinstance(told, dict):
        return dict(told)
    return {one["key"]: next(iter(one["value"].values()), None) for one in told}


def _read_jaeger(span: Mapping[str, Any], processes: Mapping[str, Any]) -> Span:
    parent = next((each["spanID"] for each in span.get("references", ())), "")
    told = {tag["key"]: tag["value"] for tag in span.get("tags", ())}
    process = processes.get(span.get("processID", ""), {})
    resource = {tag["key"]: tag["value"] for tag in process.get("tags", ())}
    start = span["startTime"] * 1000
    where = span["traceID"], span["spanID"], parent, span["operationName"]
    end, failed = start + span["duration"] * 1000, told.get("error") is True
    fields = [{one["key"]: one["value"] for one in log["fields"]} for log in span.get("logs", ())]
    events = [{"event.name": each.get("event"), **each} for each in fields]
    return Span(*where, start, end, _lay_over(told, events), resource, failed, events)

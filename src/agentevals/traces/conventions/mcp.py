"""The Model Context Protocol: what its client and its server write about tools on a server."""

from typing import Any

from agentevals.model.conversations import Span
from agentevals.traces.attribute_values import parse_json, word
from agentevals.traces.conventions import Kind, Reading, Shape, Verdict

CONVERSATION_KEYS: tuple[str, ...] = ()

_METHOD, _NAME, _CALL = "mcp.method.name", "gen_ai.tool.name", "tools/call"
_ARGS, _RESULT = "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"
_OPENLLMETRY, _MESSAGE, _TOOL = "opentelemetry.instrumentation.mcp", ".mcp", ".tool"
_IN_SESSION = "@traceloop/instrumentation-mcp"  # its calls are below the session, not the agent
_SCOPES = (_OPENLLMETRY, _IN_SESSION)
_ASKED, _TOLD = {"tool_name", "arguments"}, {"result", "is_error"}


def speaks(shape: Shape) -> Verdict:
    is_either = _METHOD in shape.keys or shape.scope.startswith(_SCOPES)
    return _has_method if is_either else False


def _has_method(span: Span) -> bool:
    return find_method(span) != ""


def find_method(span: Span) -> str:
    """Return the message that a span is about, such as `tools/call`; empty if it is about none."""
    if method := word(span.attributes.get(_METHOD)):
        return method
    if not span.scope.startswith(_SCOPES):
        return ""
    return _CALL if span.name.endswith(_TOOL) else span.name.removesuffix(_MESSAGE)


def read(reading: Reading) -> None:
    """Only a call is the work of an agent: that of the tool around it, if there is one."""
    reading.remote = True
    if find_method(reading.span) != _CALL or reading.span.scope == _IN_SESSION:
        reading.kind = Kind.SERVICE
        return
    reading.kind = Kind.TOOL
    attributes = reading.span.attributes
    reading.tool = reading.tool or word(attributes.get(_NAME))
    if not reading.tool and f"{_CALL} " in reading.span.name:
        reading.tool = reading.span.name.rpartition(f"{_CALL} ")[2]
    reading.error = reading.error or word(attributes.get("error.type"))
    if reading.args is None:
        reading.args = attributes.get(_ARGS)
    if reading.result is None:
        reading.result = attributes.get(_RESULT)
    reading.args = _unwrap(reading.args, _ASKED, "arguments")
    reading.result = _unwrap(reading.result, _TOLD, "result")


def _unwrap(value: Any, keys: set[str], key: str) -> Any:
    """Return a value out of what OpenLLMetry notes of a message."""
    found = parse_json(value)
    return found[key] if isinstance(found, dict) and {key} <= found.keys() <= keys else value

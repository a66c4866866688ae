"""OpenTelemetry's instrumentations of the OpenAI Agents SDK.

The first one writes outputs as Python prints them. Under the later ones an agent directly below
another one is asked by a guardrail: that of a handover is beside it, and that of a tool below it.
"""

import ast
import re
import warnings
from typing import Any

from agentevals.traces.attribute_values import parse_json
from agentevals.traces.chat_messages import Message, parse_message
from agentevals.traces.conventions import Kind, Reading, Shape

CONVERSATION_KEYS: tuple[str, ...] = ()

_SCOPE, _OUTPUT = "opentelemetry.instrumentation.openai_agents", "gen_ai.output.messages"
_LATER = "opentelemetry.instrumentation.genai.openai_agents"
_DESCRIPTION, _OF_NOBODY = "gen_ai.agent.description", "OpenAI Agents instrumentation"
_PRINTED = re.compile(r"Response[A-Z]\w*\([a-z_]+=.*\)", re.DOTALL)
_LONGEST = 64 * 1024


def speaks(shape: Shape) -> bool:
    return shape.scope in (_SCOPE, _LATER)


def read(reading: Reading) -> None:
    attributes = reading.span.attributes
    if reading.span.scope == _LATER:
        reading.has_checks = reading.kind is Kind.AGENT
        return
    if reading.kind is not Kind.AGENT and attributes.get(_DESCRIPTION) == _OF_NOBODY:
        reading.agent = ""  # below an agent's span, its name is one that the package has for all
    if "Response" in str(attributes.get(_OUTPUT)):
        reading.output_sources.insert(0, (_OUTPUT, _parse_printed, attributes[_OUTPUT]))


def _parse_printed(raw: Any, role: str) -> list[Message]:
    """Read the items of a response, if every part of the messages is one that was printed."""
    messages = parse_json(raw)
    parts = [
        part
        for message in (messages if isinstance(messages, list) else [])
        if isinstance(message, dict) and isinstance(message.get("parts"), list)
        for part in message["parts"]
    ]
    found = [_parse_object(p.get("content")) if isinstance(p, dict) else None for p in parts]
    return [parse_message(item, role) for item in found if item] if all(found) else []


def _parse_object(text: Any) -> dict[str, Any] | None:
    if not isinstance(text, str) or len(text) > _LONGEST or not _PRINTED.fullmatch(text):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = _evaluate(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return found if isinstance(found, dict) else None


def _evaluate(node: ast.expr) -> Any:
    """Return the fields of an object, and whatever else a literal can be."""
    if isinstance(node, ast.Call) and not node.args:
        return {each.arg: _evaluate(each.value) for each in node.keywords if each.arg}
    if isinstance(node, ast.List):
        return [_evaluate(each) for each in node.elts]
    return ast.literal_eval(node)

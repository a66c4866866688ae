"""OpenInference's spans of the Claude Agent SDK: one for a turn, and one for each call of a tool.

They hold no requests. What the agent said in all of them is one list, with the words of the
program in between, so that only the answer is taken from the span of the turn.
"""

from typing import Any

from agentevals.traces.attribute_values import parse_json, word
from agentevals.traces.chat_messages import Message, build_message
from agentevals.traces.conventions import Kind, Reading, Shape

CONVERSATION_KEYS: tuple[str, ...] = ()

_SCOPE = "openinference.instrumentation.claude_agent_sdk"
_SUBAGENT = "ClaudeAgentSDK.Agent"  # it has the name of the tool that starts one
_OUT = "output.value"


def speaks(shape: Shape) -> bool:
    return shape.scope == _SCOPE


def read(reading: Reading) -> None:
    if reading.kind is Kind.TOOL:
        reading.result = _unwrap(parse_json(reading.result))
        return
    reading.output_sources = [(_OUT, _parse_answer, reading.span.attributes.get(_OUT))]
    if reading.span.name == _SUBAGENT:
        reading.agent = ""


def _parse_answer(raw: Any, role: str) -> list[Message]:
    return [build_message(raw, role)] if isinstance(raw, str) else []


def _unwrap(result: Any) -> Any:
    """Return the text in the parts of an answer.

    Of a subagent it is an object of the program's own, and not what the model was told.
    """
    if isinstance(result, dict) and "agentId" in result:
        return None
    parts = result if isinstance(result, list) else []
    texts = [word(p.get("text")) for p in parts if isinstance(p, dict) and p.get("type") == "text"]
    whole = bool(texts) and len(texts) == len(parts)
    return parse_json("\n".join(texts)) if whole else result

"""The events that `codex exec --json` prints while it works."""

from collections import Counter
from typing import Any

from agentevals.model.completeness import Fact
from agentevals.model.conversations import ModelCall, ToolCall
from agentevals.traces.attribute_values import read_arguments, word
from agentevals.traces.reading import spoken_turns
from agentevals.traces.reading.agent_sessions import Session
from agentevals.traces.reading.fact_evidence import require

_FAMILIES = ("thread.", "turn.", "item.")
_SILENT = frozenset({"reasoning"})
_FAILED = frozenset({"failed", "declined"})
_NAMES = {
    "command_execution": "shell",
    "file_change": "apply_patch",
    "web_search": "web_search",
    "todo_list": "update_plan",
}
# those that were cached are among the input
TOKENS = (
    "input_tokens", "output_tokens", "cached_input_tokens", "cache_write_input_tokens",
    "reasoning_output_tokens",
)  # fmt: skip
_ANSWERING = frozenset({"command_execution", "mcp_tool_call"})
_GIVEN = ("command", "changes", "query", "items")

Fields = dict[str, Any]


def is_event(document: Fields) -> bool:
    """Return whether a record is such an event."""
    kind = document.get("type")
    return isinstance(kind, str) and kind.startswith(_FAMILIES) and "data" not in document


def read(event: Fields, session: Session, skipped: Counter[str]) -> None:
    """Add one event to the session. What the user asked is not among them."""
    match event["type"]:
        case "thread.started":
            session.name = word(event.get("thread_id")) or session.name
        case "turn.started":
            session.add_question("")
        case "turn.completed":
            session.add_request(spoken_turns.read_model_call(event.get("usage"), TOKENS))
        case "turn.failed":
            session.add_request(ModelCall(failed=True))
            session.warn(f"a turn failed: {_message(event.get('error'))}")
        case "item.completed":
            require(event, "item", of="an event")
            item = event["item"]
            _add(item if isinstance(item, dict) else {}, session, skipped)


def _add(item: Fields, session: Session, skipped: Counter[str]) -> None:
    kind = word(item.get("type")) or word(item.get("item_type"))
    if not kind:
        require(item, "type", of="an item")
    if kind in {"agent_message", "assistant_message"}:
        require(item, "text", of="what the agent said")
        session.add_text(word(item.get("text")))
    elif kind == "error":
        session.warn(f"the session tells of an error: {_message(item)}")
    elif kind in _NAMES or kind == "mcp_tool_call":
        call = _call(kind, item)
        session.add_call(call)
        if kind in _ANSWERING and not (call.answered or call.failed):
            session.add_gap(Fact.TOOL_ANSWERS, f"the call of {call.name!r} has no output")
    elif kind not in _SILENT:
        skipped[kind] += 1


def _call(kind: str, item: Fields) -> ToolCall:
    """Return a call that is over when it is told."""
    if kind == "mcp_tool_call":
        require(item, "server", "tool", of="a tool call")
        name = f"mcp__{word(item.get('server'))}__{word(item.get('tool'))}"
        args = read_arguments(item, "arguments")
        response = item.get("result")
    else:
        name, args = _NAMES[kind], {key: item[key] for key in _GIVEN if key in item} or None
        response = item.get("aggregated_output")
    error = item.get("error")
    return ToolCall(
        name=name,
        args=args,
        call_id=word(item.get("id")) or None,
        response=response,
        answered=response is not None,
        failed=item.get("status") in _FAILED
        if isinstance(item.get("status"), str)
        else bool(error),
        error=_message(error) if error else "",
    )


def _message(error: Any) -> str:
    told = error.get("message") if isinstance(error, dict) else error
    return word(told)[:200] or "it does not say why"

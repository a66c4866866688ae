"""Questions for a judge, in which whatever agents, users and tools wrote is marked as data."""

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from agentevals.model.completeness import Fact
from agentevals.model.conversations import ToolCall, Turn
from agentevals.model.plugins import suggestion
from agentevals_evaluator_sdk.judge import RULES, mark

LONGEST_TEXT = 20_000
LONGEST_TRANSCRIPT = 100_000

# the schemas of parts of an answer
TEXT = {"type": "string"}
_TOO_DEEP = "(nested too deeply to be shown)"

# what the items of an OpenAI eval are called
ACTUAL, EXPECTED = "item.actual_response", "item.expected_response"

_PLACE = re.compile(r"\{\{\s*(.*?)\s*\}\}", re.DOTALL)


def write_question(task: str, *material: str, asked: str) -> str:
    """A prompt: the rules, the task, the material, and last what is to be answered."""
    return "\n".join((RULES, task, "", *material, asked))


def build_enum(values: Iterable[str]) -> dict[str, Any]:
    """The schema of a text that is one of these."""
    return {"type": "string", "enum": [*values]}


def build_list(**properties: Any) -> dict[str, Any]:
    """The schema of a list of such objects."""
    return {"type": "array", "items": build_object(**properties)}


def build_object(**properties: Any) -> dict[str, Any]:
    """The schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


def mark_untrusted(name: str, text: str, longest: int = LONGEST_TEXT) -> str:
    """A text that somebody else wrote, between marks that it cannot contain."""
    return f"{mark(name, _shorten(text, longest))}\n"


def write_transcript(
    turns: Iterable[Turn], name: str = "CONVERSATION", *, answered: bool = True
) -> str:
    """Turns with their tool calls, as JSON, in which no text can pass for somebody else's.

    Without `answered` the last turn lacks what the agent said in the end.
    """
    shown = [_describe_turn(number, turn) for number, turn in enumerate(turns, start=1)]
    if shown and not answered:
        del shown[-1]["agent"]
    return mark_untrusted(name, "\n".join(map(to_json, shown)), LONGEST_TRANSCRIPT)


NOT_RECORDED = "(not recorded)"


def _describe_turn(number: int, turn: Turn) -> dict[str, Any]:
    """An unknown is never shown as empty: a judge would take it for what happened."""
    calls: Any = [_describe_call(call, turn) for call in turn.tool_calls]
    if turn.find_gap(Fact.TOOL_CALLS):
        calls = [*calls, NOT_RECORDED]
    done = {"tool_calls": calls} if calls else {}
    said = {"on_the_way": turn.intermediate} if turn.intermediate else {}
    user = mark_unknown(turn, Fact.QUESTION, turn.user)
    answer = mark_unknown(turn, Fact.ANSWER, turn.response)
    return {"turn": number, "user": user, **done, **said, "agent": answer}


def mark_unknown(turn: Turn, fact: Fact, text: str | None) -> str:
    """Return a text of the turn, or the mark of one that was not recorded."""
    return text or (NOT_RECORDED if turn.find_gap(fact) else "")


def _describe_call(call: ToolCall, turn: Turn) -> dict[str, Any]:
    unknown = call.args is None and turn.find_gap(Fact.ARGUMENTS)
    args = NOT_RECORDED if unknown else _limit_size(call.args)
    shown: dict[str, Any] = {"tool": call.name, "arguments": args}
    if call.failed:
        shown["failed"] = call.error or True
    if call.response is None and turn.find_gap(Fact.TOOL_ANSWERS):
        shown["returned"] = NOT_RECORDED
    elif call.answered:
        shown["returned"] = _limit_size(call.response)
    return shown


def _limit_size(value: Any) -> Any:
    """The value if it can be written, and a part of it if it is long."""
    text = to_json(value)
    return value if text != _TOO_DEEP and len(text) <= LONGEST_TEXT else _shorten(text)


def to_json(value: Any, indent: int | None = None) -> str:
    """JSON for somebody to read."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str, indent=indent)
    except (RecursionError, ValueError):
        return _TOO_DEEP


def _shorten(text: str, longest: int = LONGEST_TEXT) -> str:
    """Beginning and end, because both ends of a long text tell most."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[-half:]}"


def find_places(template: str) -> list[str]:
    """The names in a template, in order."""
    return _PLACE.findall(template)


def check_places(template: str, known: Iterable[str]) -> str:
    """The template, or a ValueError that names the first place nothing belongs in."""
    names = list(known)
    unknown = next((name for name in find_places(template) if name not in names), None)
    if unknown is not None:
        msg = f"nothing is called '{{{{ {unknown} }}}}' here{suggestion(unknown, names)}"
        raise ValueError(msg)
    return template


def fill(template: str, value: Callable[[str], str]) -> str:
    """The template with every place filled. What is filled in is not read as a template again."""
    return _PLACE.sub(lambda place: value(place[1]), template)

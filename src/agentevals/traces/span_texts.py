"""The text in what a function of the user's was given, and in what it has returned."""

import re
from typing import Any

from agentevals.traces.attribute_values import prose
from agentevals.traces.chat_messages import TOOL, USER, Message, build_message, parse_messages

_PRINTED = "content="
_OBJECT = re.compile(r"[A-Z]\w*\([a-z_]\w*=")  # an object as Python prints it: no text of anybody
_TASK_KEYS = ("input", "question", "query", "prompt", "task", "user_input", "message", "text")
_OUTCOME_KEYS = (
    *("output", "answer", "response", "result", "final_output", "message", "text", "raw"),
)
# LangChain's key for an answer of a given form, which need not be in the messages
_STRUCTURED = "structured_response"
_NO_SPEAKERS = (USER, TOOL)  # who has the last word only where something else followed


def find_text(value: Any, role: str) -> list[Message]:
    """Find the text in the input or output of a user's function, if it is clear which text it is.

    A text, an object with messages, or an object with one text under a usual name; whatever
    else a program passes around is data, and no message.
    """
    if isinstance(value, dict):
        if role != USER and (formed := value.get(_STRUCTURED)) is not None:
            return [build_message(prose(formed), role)]
        if isinstance(value.get("messages"), list):
            return _find_last(value["messages"], role)
        keys = _TASK_KEYS if role == USER else _OUTCOME_KEYS
        value = next((value[key] for key in keys if isinstance(value.get(key), str)), None)
    is_text = isinstance(value, str) and not _OBJECT.match(value)
    return [build_message(value, role)] if is_text else []


def _find_last(items: list[Any], role: str) -> list[Message]:
    """A state holds the whole conversation: the outcome is what was said last, by an agent.

    Messages as Python prints them do not say who speaks, so they are no messages here.
    """
    printed = (item for item in items if isinstance(item, str))
    if any(item.startswith(_PRINTED) or _OBJECT.match(item) for item in printed):
        return []
    found = parse_messages(items, role)
    if role == USER:
        return found
    return [] if found and found[-1].role in _NO_SPEAKERS else found[-1:]

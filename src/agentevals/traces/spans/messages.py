"""Chat messages of every spelling, as one: who spoke, what was said, asked for and answered."""

from collections.abc import Iterable
from typing import Any

import msgspec

from agentevals.traces.spans.values import (
    UnreadableError,
    arguments,
    decode,
    parsed,
    prose,
    withheld,
    word,
)

USER, ASSISTANT, SYSTEM, TOOL = "user", "assistant", "system", "tool"

_ROLES = {
    "human": USER,
    "ai": ASSISTANT,
    "model": ASSISTANT,
    "function": TOOL,
    "developer": SYSTEM,
}
_SPEAKERS = frozenset({USER, ASSISTANT, SYSTEM, *_ROLES})
_TEXTS = frozenset({"text", "input_text", "output_text"})
_CALLS = frozenset({"tool_call", "function_call", "tool_use"})
_ANSWERS = frozenset({"tool_call_response", "tool_result", "function_call_output"})
_PRINTED = "content="

_TASK_KEYS = ("input", "question", "query", "prompt", "task", "user_input", "message", "text")
_OUTCOME_KEYS = ("output", "answer", "response", "result", "final_output", "message", "text")


class Asked(msgspec.Struct, frozen=True):
    """A tool call that a model asked for."""

    name: str
    args: dict[str, Any]
    call_id: str | None = None


class Answer(msgspec.Struct, frozen=True):
    """What a tool answered, as a model was told."""

    value: Any
    call_id: str | None = None
    name: str = ""


class Message(msgspec.Struct, eq=False):
    """One message, whatever spelled it."""

    role: str
    text: str = ""
    asked: list[Asked] = []
    answers: list[Answer] = []

    def say(self, text: str) -> None:
        if not withheld(text):
            self.text += text


def heard(raw: Any) -> list[Message]:
    """The messages that a model, or an agent, was given."""
    return listed(raw, USER)


def spoken(raw: Any) -> list[Message]:
    """The messages that a model, or an agent, answered with."""
    return listed(raw, ASSISTANT)


def listed(raw: Any, role: str) -> list[Message]:
    """The messages in a value: a list, one message, JSON of either, or a plain text."""
    if isinstance(raw, str):
        if withheld(raw):
            return []
        raw = decode(raw) if raw.lstrip()[:1] in '[{"' else raw
    if isinstance(raw, str):
        return [_said(raw, role)]
    if isinstance(raw, dict):
        within = raw.get("messages")
        raw = within if isinstance(within, list) else [raw]
    if not isinstance(raw, list):
        msg = "is not a list of messages"
        raise UnreadableError(msg)
    found = [message for item in raw for message in _of_item(item, role)]
    if raw and not found:
        msg = "holds nothing that is a message"
        raise UnreadableError(msg)
    return found


def plain(value: Any, role: str) -> list[Message]:
    """What a function of the user took or gave back, where it is plain which text that is.

    A text, an object with messages, or an object with one text under a usual name; whatever
    else a program passes around is data, and no message.
    """
    if isinstance(value, dict):
        if isinstance(value.get("messages"), list):
            return _last_spoken(value["messages"], role)
        keys = _TASK_KEYS if role == USER else _OUTCOME_KEYS
        value = next((value[key] for key in keys if isinstance(value.get(key), str)), None)
    return [_said(value, role)] if isinstance(value, str) else []


def message_of(item: dict[str, Any], role: str) -> Message:
    """One message; `role` is who speaks when it does not say so itself."""
    own = item.get("role") or item.get("type")
    own = own if isinstance(own, str) else role
    message = Message(_ROLES.get(own, own))
    parts = item.get("parts")
    content = item.get("content") if parts is None else parts
    if message.role == TOOL and parts is None:
        _answered(message, item, content)
    elif isinstance(content, str):
        message.say(content)
    elif isinstance(content, list):
        for part in content:
            add_part(message, part)
    elif content is not None:
        add_part(message, content)
    elif own in _CALLS or own in _ANSWERS or own in _TEXTS:
        message.role = TOOL if own in _ANSWERS else role
        add_part(message, item)
    calls = item.get("tool_calls")
    if calls:
        add_calls(message, calls)
    return message


def opened(item: dict[str, Any]) -> dict[str, Any]:
    """A message out of either wrapping in which LangChain stores one; any other as it is."""
    kwargs, data = item.get("kwargs"), item.get("data")
    if "lc" in item and isinstance(kwargs, dict):
        return kwargs
    if "type" in item and isinstance(data, dict):
        return {"type": item["type"], **data}
    return item


def add_part(message: Message, part: Any) -> None:
    """Add one part of a message, by its type; what is neither text nor tool is left out."""
    if isinstance(part, str):
        message.say(part)
    if not isinstance(part, dict):
        return
    kind = part.get("type")
    if not isinstance(kind, str):
        _add_untyped(message, part)
    elif kind in _TEXTS:
        text = part.get("content", part.get("text"))
        message.say(text if isinstance(text, str) else prose(text) if text is not None else "")
    elif kind in _CALLS:
        add_call(message, part)
    elif kind in _ANSWERS:
        _add_answer(message, part)


def add_calls(message: Message, calls: Any) -> None:
    """Add the `tool_calls` of an OpenAI-style message."""
    calls = parsed(calls)
    for call in calls if isinstance(calls, list) else [calls]:
        if isinstance(call, dict):
            add_call(message, call)


def add_call(message: Message, call: dict[str, Any]) -> None:
    """Add one call: flat, or with its name and arguments in a `function` object."""
    inner = call.get("function")
    inner = inner if isinstance(inner, dict) else call
    name = inner.get("name")
    if not isinstance(name, str) or not name:
        return
    given = _first_of(inner, ("arguments", "args", "input"))
    args = {} if given in ("", "null") else arguments(given)
    call_id = word(call.get("call_id") or call.get("id")) or None
    message.asked.append(Asked(name, args, call_id))


def _of_item(item: Any, role: str) -> Iterable[Message]:
    if isinstance(item, str):
        try:
            item = parsed(item) if item.startswith("{") else item
        except UnreadableError:
            return ()
    if isinstance(item, dict):
        return (message_of(opened(item), role),)
    if isinstance(item, str):
        return (_said(item, role),)
    if isinstance(item, list):
        return _of_list(item, role)
    return ()


def _of_list(item: list[Any], role: str) -> Iterable[Message]:
    """Messages within a list, or one as the pair of who speaks and what is said."""
    match item:
        case [str(own), str(text)] if own in _SPEAKERS:
            return (_said(text, _ROLES.get(own, own)),)
    return tuple(message_of(opened(each), role) for each in item if isinstance(each, dict))


def _last_spoken(items: list[Any], role: str) -> list[Message]:
    """A state holds the whole conversation: the outcome is what was said last.

    Messages as Python prints them do not say who speaks, so they are no messages here.
    """
    if any(isinstance(item, str) and item.startswith(_PRINTED) for item in items):
        return []
    found = listed(items, role)
    return found if role == USER else found[-1:]


def _said(text: str, role: str) -> Message:
    message = Message(role)
    message.say(text)
    return message


def _add_untyped(message: Message, part: dict[str, Any]) -> None:
    """A part as Gemini writes it: what it is, is the name of its only key."""
    text = part.get("text", part.get("content"))
    if isinstance(text, str) and not part.get("thought"):
        message.say(text)
    call = _first_of(part, ("function_call", "functionCall"))
    if isinstance(call, dict):
        add_call(message, call)
    answer = _first_of(part, ("function_response", "functionResponse"))
    if isinstance(answer, dict):
        _add_answer(message, answer)


def _add_answer(message: Message, part: dict[str, Any]) -> None:
    call_id = word(_first_of(part, ("id", "call_id", "tool_use_id"))) or None
    value = _first_of(part, ("response", "result", "output", "content"))
    message.answers.append(Answer(parsed(value), call_id, word(part.get("name"))))


def _answered(message: Message, item: dict[str, Any], content: Any) -> None:
    """An OpenAI-style message of a tool: all of it is the answer to one call."""
    if isinstance(content, list) and any(_is_answer(part) for part in content):
        for part in content:
            add_part(message, part)
        return
    call_id = word(item.get("tool_call_id") or item.get("id")) or None
    if isinstance(content, list):
        aside = Message(TOOL)
        for part in content:
            add_part(aside, part)
        content = aside.text
    message.answers.append(Answer(parsed(content), call_id, word(item.get("name"))))


def _is_answer(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in _ANSWERS


def _first_of(item: dict[str, Any], keys: tuple[str, ...]) -> Any:
    return next((item[key] for key in keys if item.get(key) is not None), None)

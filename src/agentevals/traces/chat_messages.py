"""Chat messages of every spelling, as one: who spoke, what was said, asked for and answered."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from agentevals.traces.attribute_values import (
    UnreadableError,
    arguments,
    decode,
    is_withheld,
    parse_json,
    prose,
    unwrap_message,
    word,
)
from agentevals.traces.message_parts import (
    ANSWERS,
    CALL,
    CALLS,
    OPENINGS,
    OUTCOMES,
    TEXTS,
    are_bare_parts,
    are_texts,
    find_arguments,
    first_of,
    is_answer,
    is_repeated,
    is_run_by_provider,
)

USER, ASSISTANT, SYSTEM, TOOL = "user", "assistant", "system", "tool"

_ROLES = {"human": USER, "ai": ASSISTANT, "model": ASSISTANT, "function": TOOL, "developer": SYSTEM}
_SPEAKERS = frozenset({USER, ASSISTANT, SYSTEM, *_ROLES})
_BESIDE = frozenset({"tool_calls", "additional_kwargs", "refusal"})


class ToolRequest(msgspec.Struct, frozen=True, gc=False):
    """A tool call that a model asked for."""

    name: str
    args: dict[str, Any] | None
    call_id: str | None = None
    is_hosted: bool = False  # the provider has run it: the same request goes on with what it found


class Answer(msgspec.Struct, frozen=True, gc=False):
    """The answer of a tool, as a model received it."""

    value: Any
    call_id: str | None = None
    name: str = ""


class Message(msgspec.Struct, eq=False, gc=False):
    """One message, whatever spelled it."""

    role: str
    text: str = ""
    asked: list[ToolRequest] = []
    answers: list[Answer] = []
    is_withheld: bool = False
    has_nameless_call: bool = False
    is_cut: bool = False  # a part of it lacks what its type says that it holds

    def add_text(self, text: str) -> None:
        if is_withheld(text):
            self.is_withheld = True
        elif text.strip():
            self.text += text


def parse_messages(raw: Any, role: str) -> list[Message]:
    """Return the messages in a value: a list, one message, JSON of either, or a plain text."""
    raw = _unpack(raw)
    if isinstance(raw, str):
        return [build_message(raw, role)]
    if not isinstance(raw, list):
        msg = "is not a list of messages"
        raise UnreadableError(msg)
    if are_bare_parts(raw):
        raw = [{"role": role, "content": raw}]
    found: list[Message] = []
    for item in raw:
        if isinstance(item, dict):
            wrapped = "lc" in item or "data" in item  # by LangChain
            found.append(parse_message(unwrap_message(item) if wrapped else item, role))
        else:
            found += _parse_item(item, role)
    if raw and not found:
        msg = "holds nothing that is a message"
        raise UnreadableError(msg)
    return found


def _unpack(raw: Any) -> Any:
    """Return a list of what may be messages, or the text that there is instead."""
    if isinstance(raw, str):
        start = raw[:1]
        start = raw.lstrip()[:1] if start.isspace() else start
        if not start:
            return []
        raw = decode(raw) if start in '[{"' else raw
    if isinstance(raw, dict):
        within = raw.get("messages")
        return within if isinstance(within, list) else [raw]
    return raw


def parse_message(item: dict[str, Any], role: str) -> Message:
    """One message; `role` is who speaks when it does not say so itself."""
    own = item.get("role") or item.get("type")
    told = TOOL if item.get("tool_call_id") and not item.get("tool_calls") else role
    own = own if isinstance(own, str) else told
    own = TOOL if own == USER and told == TOOL else own  # Anthropic's users answer for tools
    message = Message(_ROLES.get(own, own))
    parts = item.get("parts")
    content = item.get("content") if parts is None else parts
    if message.role == TOOL and parts is None:
        _add_tool_message(message, item, content)
    elif isinstance(content, str):
        message.add_text(content)
    elif isinstance(content, list):
        for part in content:
            add_part(message, part, content)
    elif content is not None:
        add_part(message, content)
    elif own in TEXTS or own.endswith((*CALLS, *ANSWERS, CALL)):
        message.role = TOOL if own.endswith(ANSWERS) else role
        add_part(message, item)
    if not _BESIDE.isdisjoint(item):
        _add_beside(message, item)
    return message


def _add_beside(message: Message, item: dict[str, Any]) -> None:
    """Add what stands beside the content: calls, and the words of a model that refuses."""
    if calls := item.get("tool_calls"):
        known = {call.call_id for call in message.asked if call.call_id}
        beside = Message(message.role)
        add_calls(beside, calls)
        message.asked += [call for call in beside.asked if call.call_id not in known]
        message.has_nameless_call |= beside.has_nameless_call
    more = item.get("additional_kwargs")
    refusal = item.get("refusal") or (more.get("refusal") if isinstance(more, dict) else None)
    if isinstance(refusal, str) and not message.text:
        message.add_text(refusal)


def add_part(message: Message, part: Any, beside: Sequence[Any] | None = None) -> None:
    """Add one part of a message, by its type; what is neither text nor tool is skipped."""
    if not isinstance(part, dict):
        if isinstance(part, str):
            message.add_text(part)
        return
    kind = part.get("type")
    if not isinstance(kind, str):
        _add_untyped(message, part)
    elif kind in TEXTS:
        _add_text(message, part, beside)
    elif kind.endswith(CALLS):
        add_call(message, part)
    elif kind.endswith(CALL):
        add_call(message, {"name": kind.removesuffix(CALL), **part})
    elif kind.endswith(ANSWERS):
        _add_answer(message, part)


def _add_text(message: Message, part: dict[str, Any], beside: Sequence[Any] | None) -> None:
    text = first_of(part, ("content", "text"))
    is_plain = isinstance(text, str) and text[:1] not in OPENINGS
    if not is_plain and beside is not None and is_repeated(text, beside):
        return
    text = part.get("refusal") if text is None else text
    if text is None:
        message.is_cut = True
    else:
        message.add_text(text if isinstance(text, str) else prose(text))


def add_calls(message: Message, calls: Any) -> None:
    """Add the `tool_calls` of an OpenAI-style message."""
    calls = parse_json(calls)
    for call in calls if isinstance(calls, list) else [calls]:
        if isinstance(call, dict):
            add_call(message, call)


def add_call(message: Message, call: dict[str, Any], usual: dict[str, Any] | None = None) -> None:
    """Add one call: flat, or with its name and arguments in a `function` object.

    Its arguments are the `usual` ones if it has no key for them.
    """
    inner = call.get("function")
    inner = inner if isinstance(inner, dict) else call
    is_hosted = is_run_by_provider(kind := call.get("type"))
    name = inner.get("name") or (kind if is_hosted else None)
    if not isinstance(name, str) or not name:
        message.has_nameless_call = True
        return
    name = name.removesuffix(CALL) if is_hosted else name
    given = find_arguments(inner, is_hosted=is_hosted)
    args = usual if given is None else arguments(given)
    call_id = word(call.get("call_id") or call.get("id")) or None
    message.asked.append(ToolRequest(name, args, call_id, is_hosted))


def _parse_item(item: Any, role: str) -> Iterable[Message]:
    """Return the messages in an item of a list that is no object."""
    if isinstance(item, str):
        try:
            item = parse_json(item) if item.startswith("{") else item
        except UnreadableError:
            return ()
    if isinstance(item, dict):
        return (parse_message(unwrap_message(item), role),)
    if isinstance(item, str):
        return (build_message(item, role),)
    if isinstance(item, list):
        return _parse_list(item, role)
    return ()


def _parse_list(item: list[Any], role: str) -> Iterable[Message]:
    """Messages within a list, or one as the pair of who speaks and what is said."""
    match item:
        case [str(own), str(text)] if own in _SPEAKERS:
            return (build_message(text, _ROLES.get(own, own)),)
    return tuple(
        parse_message(unwrap_message(each), role) for each in item if isinstance(each, dict)
    )


def build_message(text: str, role: str) -> Message:
    """Return a message that is nothing but a text."""
    message = Message(role)
    message.add_text(text)
    return message


def _add_untyped(message: Message, part: dict[str, Any]) -> None:
    """Add a part as Gemini writes it: the name of its only key says what it is."""
    text = part.get("text", part.get("content"))
    if "tool_use_id" in part or part.keys() >= {"name", "input"}:
        message.is_cut = True
    elif isinstance(text, str) and not part.get("thought"):
        message.add_text(text)
    call = first_of(part, ("function_call", "functionCall"))
    if isinstance(call, dict):
        add_call(message, call, usual={})  # Gemini leaves out what is empty
    answer = first_of(part, ("function_response", "functionResponse"))
    if isinstance(answer, dict):
        _add_answer(message, answer)
    if isinstance(asked := part.get("toolUse"), dict):
        add_call(message, {**asked, "id": asked.get("toolUseId")})
    if isinstance(told := part.get("toolResult"), dict):
        value = parse_json(_read_text(told.get("content") or ()))
        message.answers.append(Answer(value, word(told.get("toolUseId")) or None))


def _add_answer(message: Message, part: dict[str, Any]) -> None:
    call_id = word(first_of(part, ("id", "call_id", "tool_use_id"))) or None
    if part.keys().isdisjoint(OUTCOMES):
        message.is_cut = True
    value = _join_texts(first_of(part, OUTCOMES))
    message.answers.append(Answer(parse_json(value), call_id, word(part.get("name"))))


def _join_texts(value: Any) -> Any:
    """Return the text of an answer that comes in parts; anything else as it is."""
    return _read_text(value) if are_texts(value) else value


def _read_text(parts: Iterable[Any]) -> str:
    aside = Message(TOOL)
    for part in parts:
        add_part(aside, part)
    return aside.text


def _add_tool_message(message: Message, item: dict[str, Any], content: Any) -> None:
    """Add an OpenAI-style message of a tool: all of it is the answer to one call."""
    if isinstance(content, list) and any(is_answer(part) for part in content):
        for part in content:
            add_part(message, part)
        return
    call_id = word(item.get("tool_call_id") or item.get("id")) or None
    value = _join_texts(parse_json(_read_text(content) if isinstance(content, list) else content))
    message.answers.append(Answer(value, call_id, word(item.get("name"))))

"""`input` and `expected_output` in every form they may be written in, as messages and as text."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from agentevals.files.document_places import describe, quote
from agentevals.files.pydantic_mistakes import Where
from agentevals.model.conversations import ToolCall
from agentevals.model.plugins import suggestion
from agentevals.text.json_text import readable

Message = dict[str, Any]
Read = Callable[[str], str]
Refuse = Callable[[str, Where], None]

_ROLES = ["system", "user", "assistant", "tool", "developer", "function"]
_BLOCKS = ["text", "file", "image", "json"]
_ANSWERING = {"assistant", "tool", "function"}


def read(given: Any, role: str) -> tuple[Message, ...]:
    """Return messages; written are one or several of them, or the content of one by that role."""
    if given is None:
        return ()
    if isinstance(given, list) and given and all(map(_is_message, given)):
        return tuple(given)
    return (given,) if _is_message(given) else ({"role": role, "content": given},)


def check(messages: Iterable[Message], where: Where, refuse: Refuse) -> None:
    """Says what no agent can be given: an unknown role or kind of content, no text at all."""
    for message in messages:
        role, content = message["role"], message.get("content")
        if role not in _ROLES:
            refuse(f"unknown role {quote(role)}{suggestion(str(role), _ROLES)}", where)
        if role == "user" and (content in ("", []) or isinstance(content, int | float | None)):
            refuse(f"the input must be text or messages, not {describe(content)}", where)
        for block in content if isinstance(content, list) else ():
            kind = block.get("type") if isinstance(block, dict) else "text"
            if role == "user" and kind not in _BLOCKS:
                known = suggestion(kind, _BLOCKS) if isinstance(kind, str) else ""
                refuse(f"unknown type of content {describe(kind)}{known}", where)


def join_question(messages: Sequence[Message], read: Read) -> str:
    """Return the messages as one text; who speaks is said where several do."""
    told = [(message["role"], read_text(message.get("content"), read)) for message in messages]
    spoken = [(role, said) for role, said in told if said.strip()]
    if len(spoken) > 1 or any(message["role"] in _ANSWERING for message in messages):
        return "\n\n".join(f"@[{role.capitalize()}]:\n{said}" for role, said in spoken)
    return spoken[0][1] if spoken else ""


def find_user_texts(messages: Iterable[Message]) -> Iterator[str]:
    """Return the texts of the user, without the files that come with them."""
    for message in messages:
        if message["role"] == "user" and (said := read_text(message.get("content"), lambda _: "")):
            yield said


def read_text(content: Any, read: Read) -> str:
    """Return a content as text, the files in it included."""
    if isinstance(content, list):
        return "\n".join(said for block in content if (said := _read_block(block, read)))
    if content is None or isinstance(content, str):
        return content or ""
    return _dump_json(content)


def find_files(messages: Iterable[Message]) -> Iterator[str]:
    """Yield the files that messages bring along."""
    for message in messages:
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and block.get("type") in ("file", "image"):
                named = block.get("value", block.get("path"))
                if isinstance(named, str):
                    yield named


def join_reference(messages: Sequence[Message]) -> str:
    """Return the expected answer as text: what the last message says, or what it calls."""
    if not messages:
        return ""
    last = messages[-1]
    content = last.get("content")
    if isinstance(content, str):
        return content
    if content is None:
        return _dump_json(last["tool_calls"]) if last.get("tool_calls") else ""
    if (
        content
        and isinstance(content, list)
        and all(isinstance(one, dict) and "type" in one for one in content)
    ):
        return read_text(content, lambda _: "")
    return _dump_json(content)


def read_tool_calls(messages: Iterable[Message]) -> Iterator[ToolCall]:
    """Yield the calls that are expected, as AgentV writes them or as OpenAI does."""
    for message in messages:
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                yield _read_call(call)


def _read_call(raw: dict[str, Any]) -> ToolCall:
    inner = raw.get("function")
    function = inner if isinstance(inner, dict) else {}
    args = raw.get("input", function.get("arguments"))
    return ToolCall(
        name=str(raw.get("tool") or raw.get("name") or function.get("name") or ""),
        args=_parse(args),
        call_id=raw["id"] if isinstance(raw.get("id"), str) else None,
        response=raw.get("output"),
        answered="output" in raw,
    )


def _parse(args: Any) -> dict[str, Any] | None:
    if isinstance(args, str):
        try:
            args = json.loads(args)
        except (ValueError, RecursionError):
            return None
    return args if isinstance(args, dict) else None


def _is_message(given: Any) -> bool:
    return isinstance(given, dict) and isinstance(given.get("role"), str)


def _read_block(block: Any, read: Read) -> str:
    if isinstance(block, str):
        return block
    if not isinstance(block, dict):
        return _dump_json(block)
    value = block.get("value", block.get("text", block.get("path")))
    if block.get("type") == "file" and isinstance(value, str):
        held = read(value)
        return f'<file path="{value}">\n{held}\n</file>' if held else ""
    if block.get("type") == "image":
        return ""
    return value if isinstance(value, str) else _dump_json(value)


def _dump_json(value: Any) -> str:
    return readable(value).rstrip("\n")

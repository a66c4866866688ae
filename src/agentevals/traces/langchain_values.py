"""Values as LangChain writes them: stored messages, and the notes its callbacks make of them."""

import ast
import re
import warnings
from collections.abc import Iterator
from typing import Any

from agentevals.traces.attribute_values import parse_json, prose, unwrap_message
from agentevals.traces.chat_messages import TOOL, Message, parse_message
from agentevals.traces.conventions import Reading

_LONGEST_LITERAL = 64 * 1024
_PRINTED = re.compile(
    r"""content=(?P<content>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")(?: name='[^']*')?"""
    r"""(?: id='[^']*')? tool_call_id='(?P<id>[^']*)'(?P<status> status='error')?"""
)


def read_input(value: Any) -> Any:
    """Return the input of a chain or a tool, unwrapped from a callback's record."""
    if not isinstance(value, dict) or "tags" not in value:
        return value
    if value.get("inputs") is not None:
        return value["inputs"]
    return parse_literal(value["input_str"]) if "input_str" in value else value


def read_output(value: Any) -> Any:
    """Return the output of a chain or a tool, unwrapped from a callback's record."""
    if not isinstance(value, dict) or "kwargs" not in value:
        return value
    return next((value[key] for key in ("output", "outputs") if key in value), value)


def read_answer(reading: Reading) -> None:
    """Replace a stored tool message by the answer in it."""
    message = _message(parse_json(reading.result))
    answers = parse_message(message, TOOL).answers if message else []
    if message is None or len(answers) != 1:
        return
    [told] = answers
    reading.result = told.value
    reading.call_id = reading.call_id or told.call_id
    if message.get("status") == "error":
        reading.error = reading.error or prose(told.value)


def read_generations(value: Any, role: str) -> Iterator[tuple[Message, dict[str, Any]]]:
    """Yield the answers of a model: generations, in lists of lists, each a message or a text."""
    if isinstance(value, list):
        for item in value:
            yield from read_generations(item, role)
    elif isinstance(value, dict) and isinstance(value.get("generations"), list):
        yield from read_generations(value["generations"], role)
    elif isinstance(value, dict):
        said = value.get("message")
        said = unwrap_message(said) if isinstance(said, dict) else {"content": value.get("text")}
        yield parse_message(said, role), value


def _message(value: Any) -> dict[str, Any] | None:
    if isinstance(value, dict) and set(value) == {"output"}:
        value = value["output"]
    if isinstance(value, str):
        return _parse_printed(value)
    message = unwrap_message(value) if isinstance(value, dict) else {}
    is_answer = message.get("type") == TOOL and {"content", "tool_call_id"} <= set(message)
    return message if is_answer else None


def _parse_printed(text: str) -> dict[str, Any] | None:
    """Older releases leave what Python prints of the message."""
    found = _PRINTED.fullmatch(text) if len(text) <= _LONGEST_LITERAL else None
    if not found:
        return None
    status = "error" if found["status"] else "success"
    return {"content": evaluate(found["content"]), "tool_call_id": found["id"], "status": status}


def parse_literal(value: Any) -> Any:
    """Return the object that a Python program printed; anything else stays what it is."""
    if not isinstance(value, str) or not value.startswith("{") or len(value) > _LONGEST_LITERAL:
        return value
    return evaluate(value)


def evaluate(text: str) -> Any:
    """Return the literal of Python in a text; a text that is none stays as it is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is odd in foreign text is nobody's business
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text

"""The JSON in an answer, and the values in it that a path names."""

import re
from collections.abc import Sequence
from typing import Any

from agentevals.graders import javascript
from agentevals.graders.javascript import UNDEFINED

_FENCE = re.compile(r"```(?:json)?", re.IGNORECASE)
_STEP = re.compile(r"[^.\[\]]+")


def read_document(answer: str) -> Any:
    """What stands between the first and the last brace, or all of it. ValueError if no JSON."""
    plain = javascript.trim(_FENCE.sub("", answer))
    start, end = plain.find("{"), plain.rfind("}")
    return javascript.parse_json(plain[start : end + 1] if 0 <= start < end else plain)


def read_expected(messages: Sequence[dict[str, Any]]) -> Any:
    """What the last message of an assistant holds that says something; undefined without one."""
    for message in reversed(messages):
        content = _read_content(message)
        if isinstance(content, dict | list):
            return content
        if isinstance(content, str) and content:
            try:
                return read_document(content) or UNDEFINED
            except ValueError:
                continue
    return UNDEFINED


def _read_content(message: dict[str, Any]) -> Any:
    """What an assistant says; of content in blocks the JSON, else the text."""
    content = message.get("content") if message.get("role") == "assistant" else None
    if not isinstance(content, list) or not content or not all(map(_is_block, content)):
        return content
    structured = [block["value"] for block in content if block["type"] == "json"]
    if structured:
        return structured[-1]
    return "".join(block["value"] for block in content if isinstance(block["value"], str))


def _is_block(part: Any) -> bool:
    return isinstance(part, dict) and part.keys() == {"type", "value"}


def read_value(path: str, document: Any) -> Any:
    """`invoice.lines[0].amount` or `invoice.lines.0.amount`; undefined where there is nothing."""
    for key in _STEP.findall(path):
        document = javascript.read_member(document, key)
    return document

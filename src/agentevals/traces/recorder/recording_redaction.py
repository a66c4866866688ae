"""Redaction of recordings. Ids and names stay different, so that they are paired as before."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from agentevals.files import json_reader
from agentevals.text.json_text import encode
from agentevals.text.redaction import Redactor, redact_item

_KEPT = re.compile(r"(?:^|[._-])(?:name|model|(?<!key[._-])ids?)$|[a-z](?:Ids?|Name|Model)$")
# the members of OTLP's values; the key of the attribute tells what they are
_VALUES = {"stringValue", "arrayValue", "kvlistValue", "values"}


def redact_recording(content: bytes, redact: Redactor) -> bytes:
    """Return the content of a trace file without secrets; unchanged if there are none.

    A ValueError means that it is not JSON, or would not be without a secret.
    """
    text = content.decode()
    documents = _read(text)
    rename = cache(redact.rename)  # all records have the same keys
    hidden = [_redact(one, redact, rename, "") for one in documents]
    if hidden != documents:
        text = "".join(f"{encode(one).decode()}\n" for one in hidden)
    shown = redact(text)  # also what no text of it holds alone, such as a number
    if shown != text:
        _read(shown)
    return shown.encode()


def _read(text: str) -> list[Any]:
    try:
        return [json_reader.load(text)]
    except ValueError:
        return json_reader.load_lines(text)


def redact_document(value: Any, redact: Redactor) -> Any:
    """Return a document without secrets, of the same shape."""
    return _redact(value, redact, cache(redact.rename), "")


def _redact(value: Any, redact: Redactor, rename: Callable[[str], str], key: str) -> Any:
    if isinstance(value, str):
        return redact.rename_id(value) if _KEPT.search(key) else redact_item(key, value, redact)
    if isinstance(value, list):
        return [_redact(item, redact, rename, key) for item in value]
    if not isinstance(value, dict):
        return value
    members: dict[str, Any] = value
    keys = dict.fromkeys(_VALUES, key)
    if isinstance(members.get("key"), str):  # an attribute, with its value beside it
        keys["value"] = members["key"]
    return {
        rename(name): _redact(item, redact, rename, keys.get(name, name))
        for name, item in members.items()
    }

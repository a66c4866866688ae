"""Redaction of OTLP documents. Ids and names stay, so that recordings are paired as before."""

import re
from typing import Any

from agentevals.text.redaction import Redactor, redact_item

_KEPT = re.compile(r"(?:^|[._-])(?:name|model|(?<!key[._-])ids?)$|[a-z](?:Ids?|Name|Model)$")
# the members of OTLP's values; the key of the attribute tells what they are
_VALUES = {"stringValue", "arrayValue", "kvlistValue", "values"}


def redact_document(value: Any, redact: Redactor, key: str = "") -> Any:
    """Return a document without secrets, of the same shape."""
    if isinstance(value, str):
        return value if _KEPT.search(key) else redact_item(key, value, redact)
    if isinstance(value, list):
        return [redact_document(item, redact, key) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("key"), str) and "value" in value:  # an attribute
        return {**value, "value": redact_document(value["value"], redact, value["key"])}
    return {
        name: redact_document(item, redact, key if name in _VALUES else name)
        for name, item in value.items()
    }

"""Attribute values as instrumentations leave them: JSON in strings, numbers in strings, blanks."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

LONGEST_JSON = 4 * 1024 * 1024
_WIDEST, _DIGITS = 2**63, 19  # more is no number of 64 bits

_MAY_BE_JSON = frozenset('{["-0123456789tfn \t\r\n')
_LONGEST_PLACEHOLDER = 200
_BRACKETS = ("[", "<", "(", "_", "*")  # how a placeholder begins
_NUMBER = re.compile("[0-9]{1,9}")
_PLACEHOLDER = re.compile(
    r"[\[<(_*]+(elided|filtered|hidden|masked|withheld|scrubbed due to [^\]]*"
    r"|(?:\w+[ _:-]+)??redacted(?:[ _:-]+\w+)*?)[\])>_*]+|\*{3,}",
    re.IGNORECASE,
)
_BARE = frozenset({"REDACTED", "redacted"})

# by Python, of an object or of what is to become one: `<coroutine object f at 0x7f>`
_OBJECT = re.compile(
    r"\[?<(?:[\w.]+ object(?: at 0x[0-9a-f]+)?|[\w. <>]+ at 0x[0-9a-f]+)>(?:, <[^<>]+>)*\]?"
)


_CLASS = re.compile(r"(AI|Human|System|Tool)Message(?:Chunk)?$")  # of LangChain


class UnreadableError(ValueError):
    """Why a value says nothing; the sentence goes on after the name of the value."""


def is_withheld(text: str) -> bool:
    """Return whether the instrumentation left a placeholder in place of a text.

    Python prints one of an object that has no text.
    """
    if len(text) > _LONGEST_PLACEHOLDER:
        return False
    short = text.strip()
    if short[:1].isalnum():
        return short in _BARE
    return short.startswith(_BRACKETS) and bool(
        _PLACEHOLDER.fullmatch(short) or _OBJECT.fullmatch(short)
    )


def holds_withheld(value: Any) -> bool:
    """Return whether a placeholder stands anywhere in a value, in place of a part of it."""
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, str):
            if is_withheld(each):
                return True
        elif isinstance(each, dict):
            left += each.values()
        elif isinstance(each, list):
            left += each
    return False


def decode(text: str) -> Any:
    """Return the JSON in a string, of bounded length."""
    if len(text) > LONGEST_JSON:
        msg = "is longer than 4 MiB and was not read"
        raise UnreadableError(msg)
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return _decode_leniently(text)
    except RecursionError as error:
        msg = "is nested too deeply to be read"
        raise UnreadableError(msg) from error


def parse_json(value: Any) -> Any:
    """Return a value with the JSON of a string unpacked; a string that is none stays as it is."""
    if type(value) is not str or value[:1] not in _MAY_BE_JSON or not value:
        return value
    try:
        found = decode(value)
    except UnreadableError:
        return value
    return value if found is None else found


def arguments(value: Any) -> dict[str, Any] | None:
    """Return the arguments of a call: an object as it is, anything else as its `value`.

    None if nothing was recorded, or a part of them is a placeholder or was cut off. An empty text
    and the JSON `null` are no arguments.
    """
    found = value
    if isinstance(value, str):
        found = parse_json(value)
        if found != value and isinstance(found, str):
            found = parse_json(found)  # some write the JSON of a text that is JSON
    if found is None or holds_withheld(found):
        return None
    if isinstance(found, dict):
        return found
    if isinstance(found, str) and found.startswith("{") and not found.rstrip().endswith("}"):
        return None
    return {} if found in ("", "null") else {"value": found}


def read_arguments(call: Mapping[str, Any], *keys: str) -> dict[str, Any] | None:
    """Return the arguments below the first of the keys; None if the call has none of them."""
    given = [call[key] for key in keys if key in call]
    return arguments(next((each for each in given if each is not None), "null" if given else None))


def count(value: Any) -> int | None:
    """Return a number of tokens; None for anything that is not a count."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is int:
        return max(0, value) if value < _WIDEST else None
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() and len(value) < _DIGITS else None
    return None


def amount(value: Any) -> float | None:
    """Return a sum of money; None for anything that is not a finite number of zero or more."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    usable = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if usable and 0 <= value < float("inf") else None


def numbers(attributes: Mapping[str, Any], family: str) -> list[int]:
    """Return the numbers in keys such as `family.0.role`, in order.

    The lowest need not be 0: what an SDK drops, when there is too much, is the oldest.
    """
    start = len(family) + 1
    found = {key[start:].partition(".")[0] for key in attributes if key.startswith(f"{family}.")}
    return sorted(int(each) for each in found if _NUMBER.fullmatch(each))


def list_numbered(
    attributes: Mapping[str, Any], family: str, names: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield `family.0`, `family.1` and so on, by these names, until one has none of them."""
    for number in range(len(attributes)):
        prefix = f"{family}.{number}."
        told = {key: attributes.get(f"{prefix}{name}") for key, name in names.items()}
        found = {key: value for key, value in told.items() if value is not None}
        if not found:
            return
        yield found


def has_some(values: Iterable[object]) -> bool:
    """Return whether some of the values are known and others are not."""
    given = list(values)
    return 0 < given.count(None) < len(given)


def word(value: Any) -> str:
    """Return a name or an id: a text, or a number as a text; empty for anything else."""
    if type(value) is str:
        return value
    return str(value) if type(value) is int else ""


def prose(value: Any) -> str:
    """Return anything as a text to read."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _decode_leniently(text: str) -> Any:
    """Accept values that Python writes and JSON forbids: NaN, lone surrogates."""
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        msg = "is not valid JSON"
        raise UnreadableError(msg) from error


def unwrap_message(item: dict[str, Any]) -> dict[str, Any]:
    """Return a message out of either wrapping in which LangChain stores one; any other as it is.

    In JavaScript, only the name of its class tells who speaks.
    """
    kwargs, data = item.get("kwargs"), item.get("data")
    if "lc" in item and isinstance(kwargs, dict):
        path = item.get("id")
        name = _CLASS.match(str(path[-1])) if isinstance(path, list) and path else None
        return {"type": name[1].lower(), **kwargs} if name else kwargs
    if "type" in item and isinstance(data, dict):
        return {"type": item["type"], **data}
    return item

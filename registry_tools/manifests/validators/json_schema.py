"""Whether a value is a JSON Schema that checks what its author means, by the words in it."""

import re
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from typing import Any, NamedTuple

from agentevals.files.places import Key, quoted
from registry_tools.manifests.validators.words import shown

Where = tuple[Key, ...]

TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")


class Objection(NamedTuple):
    """One thing wrong with a schema: with the value at a path, or with its key."""

    message: str
    where: Where
    fix: str = ""
    of_key: bool = False


def objections(schema: Any) -> Iterator[Objection]:
    """Everything wrong, in the order of the file. What it describes must be a mapping."""
    if isinstance(schema, dict) and schema.get("type", "object") != "object":
        message = f"a config is a mapping, not {shown(schema['type'])}"
        yield Objection(message, ("type",), "write 'type: object'")
    yield from _schema(schema, ())


def _schema(value: Any, where: Where) -> Iterator[Objection]:
    if isinstance(value, bool):
        return
    if not isinstance(value, dict):
        yield Objection(f"a schema must be a mapping, not {shown(value)}", where)
        return
    for key, item in value.items():
        check = _KEYWORDS.get(key)
        if check is not None:
            yield from check(item, (*where, key))
        elif not key.startswith("x-"):
            near = get_close_matches(key, _KEYWORDS, n=1)
            fix = f"did you mean {quoted(near[0])}?" if near else "begin it with 'x-'"
            yield Objection(f"{quoted(key)} is no keyword", (*where, key), fix, of_key=True)


def _schemas(value: Any, where: Where) -> Iterator[Objection]:
    if not isinstance(value, dict):
        yield Objection(f"{quoted(where[-1])} must be a mapping, not {shown(value)}", where)
        return
    for key, item in value.items():
        yield from _schema(item, (*where, key))


def _several(value: Any, where: Where) -> Iterator[Objection]:
    if not isinstance(value, list) or not value:
        yield Objection(f"{quoted(where[-1])} must be a list of schemas", where)
        return
    for index, item in enumerate(value):
        yield from _schema(item, (*where, index))


def _type(value: Any, where: Where) -> Iterator[Objection]:
    several = isinstance(value, list)
    for index, name in enumerate(value if several else [value]):
        if name not in TYPES:
            near = get_close_matches(_MEANT.get(name, name), TYPES, n=1) if _is_text(name) else []
            fix = f"did you mean {quoted(near[0])}?" if near else f"one of {', '.join(TYPES)}"
            at = (*where, index) if several else where
            yield Objection(f"{shown(name)} is no type of JSON", at, fix)


def _pattern(value: Any, where: Where) -> Iterator[Objection]:
    try:
        re.compile(value)
    except (re.error, TypeError, RecursionError, OverflowError):
        yield Objection(f"{shown(value)} is no regular expression", where)


def _reference(value: Any, where: Where) -> Iterator[Objection]:
    if not _is_text(value) or not value.startswith("#"):
        message = f"{shown(value)} refers to something elsewhere"
        yield Objection(message, where, "write it into '$defs', and refer to '#/$defs/…'")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _depend(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_are_words, value.values()))


Check = Callable[[Any, Where], Iterator[Objection]]


def _must(holds: Callable[[Any], bool], wanted: str) -> Check:
    def check(value: Any, where: Where) -> Iterator[Objection]:
        if not holds(value):
            yield Objection(f"{quoted(where[-1])} must be {wanted}, not {shown(value)}", where)

    return check


def _anything(_: Any, __: Where) -> Iterator[Objection]:
    return iter(())


_MEANT = {"text": "string", "str": "string", "float": "number", "int": "integer", "list": "array",
          "dict": "object", "mapping": "object", "bool": "boolean", "none": "null"}  # fmt: skip
_BY_CHECK: dict[Check, str] = {
    _schema: "items additionalProperties unevaluatedItems unevaluatedProperties contains "
    "propertyNames not if then else",
    _schemas: "properties patternProperties $defs definitions dependentSchemas",
    _several: "allOf anyOf oneOf prefixItems",
    _type: "type",
    _pattern: "pattern",
    _reference: "$ref $dynamicRef",
    _must(_is_text, "text"): "$schema $id $anchor $dynamicAnchor $comment title description format "
    "contentEncoding contentMediaType",
    _must(_is_number, "a number"): "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
    _must(_is_count, "a whole number"): "minLength maxLength minItems maxItems minProperties "
    "maxProperties minContains maxContains",
    _must(_is_flag, "true or false"): "uniqueItems deprecated readOnly writeOnly",
    _must(_is_list, "a list"): "enum examples",
    _must(_are_words, "a list of words"): "required",
    _must(_depend, "a mapping of lists of words"): "dependentRequired",
    _anything: "const default",
}
_KEYWORDS = {word: check for check, words in _BY_CHECK.items() for word in words.split()}

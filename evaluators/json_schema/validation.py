"""What a value misses of a JSON Schema, by the words of 2020-12 that describe answers."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from values import BOUNDS, TYPES, comparable, same, show

UNWANTED = "should not be there"

Schema = dict[str, Any] | bool
Misses = Iterator[tuple[str, str]]  # where, as a JSON Pointer, and what


class SchemaError(ValueError):
    """The schema itself is wrong."""


def misses(value: Any, schema: Schema) -> Misses:
    """Everything that is wrong with a value, one thing after another."""
    return _misses(value, schema, "", schema)


class At(NamedTuple):
    """One word of a schema, and the value that it is about."""

    value: Any
    wanted: Any
    where: str
    word: str
    schema: dict[str, Any]
    root: Schema

    def inside(self, name: str | int, schema: Schema) -> Misses:
        """Yield what a part of the value misses."""
        step = str(name).replace("~", "~0").replace("/", "~1")
        return _misses(self.value[name], schema, f"{self.where}/{step}", self.root)

    def fits(self, value: Any, schema: Schema) -> bool:
        """Return whether nothing is wrong."""
        return next(_misses(value, schema, "", self.root), None) is None


def _misses(value: Any, schema: Schema, where: str, root: Schema) -> Misses:
    if isinstance(schema, bool):
        if not schema:
            yield where, UNWANTED
        return
    for word, wanted in schema.items():
        if word in WORDS:
            yield from WORDS[word](At(value, wanted, where, word, schema, root))


def reference(at: At) -> Misses:
    """`$ref`, within the schema only."""
    found: Any = at.root
    head, *steps = at.wanted.split("/")
    for step in steps:
        name = step.replace("~1", "/").replace("~0", "~")
        found = found.get(name) if isinstance(found, dict) else None
    if head != "#" or not isinstance(found, dict | bool):
        msg = f"{at.wanted!r} leads nowhere; only references within the schema are followed"
        raise SchemaError(msg)
    yield from _misses(at.value, found, at.where, at.root)


def type_(at: At) -> Misses:
    """`type`"""
    names = [at.wanted] if isinstance(at.wanted, str) else at.wanted
    if not any(TYPES[name](at.value) for name in names):
        yield at.where, f"is {show(at.value)}, not of type {' or '.join(names)}"


def enum(at: At) -> Misses:
    """`enum`"""
    if not any(same(at.value, each) for each in at.wanted):
        yield at.where, f"is {show(at.value)}, not one of {show(at.wanted)}"


def const(at: At) -> Misses:
    """`const`"""
    if not same(at.value, at.wanted):
        yield at.where, f"is {show(at.value)}, not {show(at.wanted)}"


def check_bound(at: At) -> Misses:
    """Every word that limits a number or a length."""
    kind, keeps, says = BOUNDS[at.word]
    if TYPES[kind](at.value):
        size = at.value if kind == "number" else len(at.value)
        if not keeps(size, at.wanted):
            yield at.where, f"is {show(at.value)}, {says} {show(at.wanted)}"


def pattern(at: At) -> Misses:
    """`pattern`"""
    if isinstance(at.value, str) and not re.search(at.wanted, at.value):
        yield at.where, f"is {show(at.value)}, which does not match {show(at.wanted)}"


def format_(at: At) -> Misses:
    """`format` only describes, but a regular expression in a schema has to be one."""
    if at.wanted == "regex" and isinstance(at.value, str):
        try:
            re.compile(at.value)
        except re.error as error:
            yield at.where, f"is {show(at.value)}, no regular expression: {error}"


def unique(at: At) -> Misses:
    """`uniqueItems`"""
    if at.wanted and isinstance(at.value, list):
        different = {json.dumps(comparable(each), sort_keys=True) for each in at.value}
        if len(different) < len(at.value):
            yield at.where, "has the same item twice"


def items(at: At) -> Misses:
    """`items`: those after the ones that `prefixItems` describes."""
    if isinstance(at.value, list):
        for place in range(len(at.schema.get("prefixItems", ())), len(at.value)):
            yield from at.inside(place, at.wanted)


def prefix_items(at: At) -> Misses:
    """`prefixItems`"""
    if isinstance(at.value, list):
        for place, schema in enumerate(at.wanted[: len(at.value)]):
            yield from at.inside(place, schema)


def contains(at: At) -> Misses:
    """`contains`"""
    if isinstance(at.value, list) and not any(at.fits(each, at.wanted) for each in at.value):
        yield at.where, "has no item as 'contains' describes it"


def check_required(at: At) -> Misses:
    """`required`"""
    if isinstance(at.value, dict):
        yield from ((at.where, f"has no {name!r}") for name in at.wanted if name not in at.value)


def properties(at: At) -> Misses:
    """`properties`"""
    if isinstance(at.value, dict):
        for name in (name for name in at.wanted if name in at.value):
            yield from at.inside(name, at.wanted[name])


def pattern_properties(at: At) -> Misses:
    """`patternProperties`"""
    if isinstance(at.value, dict):
        for expression, schema in at.wanted.items():
            for name in (name for name in at.value if re.search(expression, name)):
                yield from at.inside(name, schema)


def additional_properties(at: At) -> Misses:
    """`additionalProperties`: those that nothing else in the same schema describes."""
    if isinstance(at.value, dict):
        known, expressions = at.schema.get("properties", ()), at.schema.get("patternProperties", ())
        for name in at.value:
            if name not in known and not any(re.search(each, name) for each in expressions):
                yield from at.inside(name, at.wanted)


def property_names(at: At) -> Misses:
    """`propertyNames`"""
    if isinstance(at.value, dict):
        for name in at.value:
            yield from _misses(name, at.wanted, at.where, at.root)


def all_of(at: At) -> Misses:
    """`allOf`"""
    for schema in at.wanted:
        yield from _misses(at.value, schema, at.where, at.root)


def any_of(at: At) -> Misses:
    """`anyOf`"""
    if not any(at.fits(at.value, schema) for schema in at.wanted):
        yield at.where, f"is {show(at.value)}, which fits nothing of 'anyOf'"


def one_of(at: At) -> Misses:
    """`oneOf`"""
    fitting = sum(at.fits(at.value, schema) for schema in at.wanted)
    if fitting != 1:
        yield at.where, f"is {show(at.value)}, which fits {fitting} of 'oneOf' and not one"


def not_(at: At) -> Misses:
    """`not`"""
    if at.fits(at.value, at.wanted):
        yield at.where, f"is {show(at.value)}, which 'not' excludes"


WORDS: dict[str, Callable[[At], Misses]] = dict.fromkeys(BOUNDS, check_bound) | {
    "$ref": reference,
    "type": type_,
    "enum": enum,
    "const": const,
    "allOf": all_of,
    "anyOf": any_of,
    "oneOf": one_of,
    "not": not_,
    "properties": properties,
    "patternProperties": pattern_properties,
    "additionalProperties": additional_properties,
    "propertyNames": property_names,
    "required": check_required,
    "items": items,
    "prefixItems": prefix_items,
    "contains": contains,
    "uniqueItems": unique,
    "pattern": pattern,
    "format": format_,
}

"""`config-schema`: the JSON Schema of a config is one, and says what a mapping holds."""

import re
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from typing import Any

from agentevals.files import documents
from agentevals.files.document_places import describe, quote
from agentevals.model.errors import ConfigError, point
from agentevals.model.results import Severity
from registry_tools.manifests import manifest_paths
from registry_tools.manifests.manifest_settings import (
    advise,
    are_words,
    find_objection,
    is_number,
    is_text,
)
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, KeyPath, Misfit, Rule
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="config-schema",
    severity=Severity.ERROR,
    title="The config schema is a JSON Schema of an object",
    why=(
        "We check a config with this schema before the evaluator runs, and "
        "editors and the site show it. A misspelt keyword checks nothing, and "
        "nobody fetches a reference to another file."
    ),
    bad="config_schema:\n  type: object\n  propertys:\n    needle: {type: text}",
    good="config_schema:\n  type: object\n  properties:\n    needle: {type: string}",
)
_LARGEST = 256 << 10
TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    value = entry.values.get("config_schema")
    if isinstance(value, str):
        yield from _check_path(entry, value)
    elif isinstance(value, dict):
        for found in find_misfits(value):
            where = ("config_schema", *found.where)
            at = entry.document.locate(where, key=found.of_key)
            message = f"'config_schema': {found.message}"
            yield entry.report(RULE, message, at, fix=found.fix)


def _check_path(entry: Entry, path: str) -> Iterator[Finding]:
    if wrong := manifest_paths.report_path(entry, RULE, "config_schema"):
        yield wrong
    elif not path.endswith(".json"):
        message = "'config_schema' must be a .json file"
        yield entry.report(RULE, message, entry.locate("config_schema"), fix="rename it")
    elif len(entry.read_bytes(path, _LARGEST + 1)) > _LARGEST:
        yield entry.report_in(path, RULE, f"the schema has more than {_LARGEST:,} bytes")
    else:
        yield from _check_file(entry, path)


def _check_file(entry: Entry, path: str) -> Iterator[Finding]:
    try:
        document = documents.read(entry.home / path)
    except ConfigError as error:
        for problem in error.problems:
            yield entry.report_problem(path, RULE, problem)
        return
    value: Any = document.value
    for found in find_misfits(value):
        place = document.key_place if found.of_key else document.place
        at = point(*place(found.where))
        yield entry.report_in(path, RULE, found.message, at, fix=found.fix)


def find_misfits(schema: Any) -> Iterator[Misfit]:
    """Yield everything wrong, in the order of the file. The schema must be that of a mapping."""
    if isinstance(schema, dict) and schema.get("type", "object") != "object":
        message = f"a config is a mapping, not {describe(schema['type'])}"
        yield Misfit(message, ("type",), fix="write 'type: object'")
    yield from _check_schema(schema, ())


def _check_schema(value: Any, where: KeyPath) -> Iterator[Misfit]:
    if isinstance(value, bool):
        return
    if not isinstance(value, dict):
        yield Misfit(f"a schema must be a mapping, not {describe(value)}", where)
        return
    for key, item in value.items():
        check = _KEYWORDS.get(key)
        if check is not None:
            yield from check(item, (*where, key))
        elif not key.startswith("x-"):
            near = get_close_matches(key, _KEYWORDS, n=1)
            fix = f"did you mean {quote(near[0])}?" if near else "begin it with 'x-'"
            yield Misfit(f"{quote(key)} is no keyword", (*where, key), of_key=True, fix=fix)
    yield from _check_default(value, where)
    yield from _check_required(value, where)


def _check_default(schema: dict[str, Any], where: KeyPath) -> Iterator[Misfit]:
    if "default" in schema and (wrong := find_objection(schema["default"], schema)):
        message = f"the default {describe(schema['default'])} {wrong}"
        yield Misfit(message, (*where, "default"), fix="correct one of both")


def _check_required(schema: dict[str, Any], where: KeyPath) -> Iterator[Misfit]:
    """Find settings that must be given and that `additionalProperties: false` forbids."""
    known, required = schema.get("properties"), schema.get("required")
    is_closed = schema.get("additionalProperties") is False and "patternProperties" not in schema
    if not is_closed or not isinstance(known, dict) or not are_words(required):
        return
    for index, name in enumerate(required or ()):
        if name not in known:
            message = f"{quote(name)} is required, and 'properties' does not have it"
            yield Misfit(message, (*where, "required", index), fix=advise(name, known))


def _check_schemas(value: Any, where: KeyPath) -> Iterator[Misfit]:
    if not isinstance(value, dict):
        yield Misfit(f"{quote(where[-1])} must be a mapping, not {describe(value)}", where)
        return
    for key, item in value.items():
        yield from _check_schema(item, (*where, key))


def _check_list(value: Any, where: KeyPath) -> Iterator[Misfit]:
    if not isinstance(value, list) or not value:
        yield Misfit(f"{quote(where[-1])} must be a list of schemas", where)
        return
    for index, item in enumerate(value):
        yield from _check_schema(item, (*where, index))


def _check_type(value: Any, where: KeyPath) -> Iterator[Misfit]:
    several = isinstance(value, list)
    for index, name in enumerate(value if several else [value]):
        if name not in TYPES:
            near = get_close_matches(_MEANT.get(name, name), TYPES, n=1) if is_text(name) else []
            fix = f"did you mean {quote(near[0])}?" if near else f"one of {', '.join(TYPES)}"
            at = (*where, index) if several else where
            yield Misfit(f"{describe(name)} is no type of JSON", at, fix=fix)


def _check_pattern(value: Any, where: KeyPath) -> Iterator[Misfit]:
    try:
        re.compile(value)
    except (re.error, TypeError, RecursionError, OverflowError):
        yield Misfit(f"{describe(value)} is no regular expression", where)


def _check_reference(value: Any, where: KeyPath) -> Iterator[Misfit]:
    if not is_text(value) or not value.startswith("#"):
        message = f"{describe(value)} refers to something elsewhere"
        yield Misfit(message, where, fix="write it into '$defs', and refer to '#/$defs/…'")


def _is_count(value: Any) -> bool:
    return is_number(value) and isinstance(value, int) and value >= 0


def _are_dependencies(value: Any) -> bool:
    return isinstance(value, dict) and all(map(are_words, value.values()))


Check = Callable[[Any, KeyPath], Iterator[Misfit]]


def _require(holds: Callable[[Any], bool], wanted: str) -> Check:
    def check(value: Any, where: KeyPath) -> Iterator[Misfit]:
        if not holds(value):
            yield Misfit(f"{quote(where[-1])} must be {wanted}, not {describe(value)}", where)

    return check


_MEANT = {"text": "string", "str": "string", "float": "number", "int": "integer", "list": "array",
          "dict": "object", "mapping": "object", "bool": "boolean", "none": "null"}  # fmt: skip
_BY_CHECK: dict[Check, str] = {
    _check_schema: "items additionalProperties unevaluatedItems unevaluatedProperties contains "
    "propertyNames not if then else",
    _check_schemas: "properties patternProperties $defs definitions dependentSchemas",
    _check_list: "allOf anyOf oneOf prefixItems",
    _check_type: "type",
    _check_pattern: "pattern",
    _check_reference: "$ref $dynamicRef",
    _require(
        is_text, "text"
    ): "$schema $id $anchor $dynamicAnchor $comment title description format "
    "contentEncoding contentMediaType",
    _require(is_number, "a number"): "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
    _require(_is_count, "a whole number"): "minLength maxLength minItems maxItems minProperties "
    "maxProperties minContains maxContains",
    _require(
        lambda value: isinstance(value, bool), "true or false"
    ): "uniqueItems deprecated readOnly writeOnly",
    _require(lambda value: isinstance(value, list), "a list"): "enum examples",
    _require(are_words, "a list of words"): "required",
    _require(_are_dependencies, "a mapping of lists of words"): "dependentRequired",
    _require(lambda _: True, "anything"): "const default",
}
_KEYWORDS = {word: check for check, words in _BY_CHECK.items() for word in words.split()}

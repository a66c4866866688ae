"""The settings of an evaluator, as its `config_schema` describes them, for people."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

_KINDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "array": "list",
    "object": "mapping",
    "null": "null",
}
_STARTERS: dict[str, Any] = {"string": "…", "integer": 1, "number": 1, "boolean": True, "array": []}
_LONGEST = 200


class Setting(NamedTuple):
    """One setting: what may be written, whether it must be, and what holds without it."""

    name: str
    kind: str
    required: bool
    default: str
    description: str


def list_settings(schema: object) -> list[Setting]:
    """Return the settings of a schema. Strangers write schemas: what is odd in one is left open."""
    wanted = _list_names(schema, "required")
    return [
        Setting(name, _describe_kind(rule), name in wanted, _write_default(rule), _describe(rule))
        for name, rule in _list_properties(schema)
    ]


def describe(setting: Setting) -> str:
    """Describe a setting in a few words: `max_cost (number, required)`."""
    default = f", default {setting.default}" if setting.default else ""
    return f"{setting.name} ({setting.kind}{', required' if setting.required else default})"


def list_alternatives(schema: object) -> list[str]:
    """Return the settings of which one is needed, because the schema asks for any of them."""
    choices = schema.get("anyOf") if isinstance(schema, Mapping) else None
    listed = (
        [_list_names(one, "required") for one in choices if isinstance(one, Mapping)]
        if (isinstance(choices, list))
        else []
    )
    return [names[0] for names in listed if len(names) == 1]


def write_starter(schema: object) -> dict[str, Any]:
    """Return a config with every required setting, to be filled in."""
    wanted = [*_list_names(schema, "required"), *list_alternatives(schema)[:1]]
    rules = dict(_list_properties(schema))
    return {name: _choose_starter(rules.get(name, {})) for name in wanted}


def _list_properties(schema: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    found = schema.get("properties") if isinstance(schema, Mapping) else None
    for name, rule in found.items() if isinstance(found, Mapping) else ():
        yield str(name), rule if isinstance(rule, Mapping) else {}


def _list_names(schema: object, key: str) -> list[str]:
    found = schema.get(key) if isinstance(schema, Mapping) else None
    return [str(name) for name in found] if isinstance(found, list) else []


def _describe_kind(rule: Mapping[str, Any]) -> str:
    """Say what may be written, in words."""
    if isinstance(values := rule.get("enum"), list):
        return ", ".join(map(_write, values))[:_LONGEST]
    kind = rule.get("type")
    kinds = kind if isinstance(kind, list) else [kind] if kind else []
    words = " or ".join(_KINDS.get(str(one), str(one)) for one in kinds) or "anything"
    limits = [
        f"{word} {rule[key]}"
        for key, word in (("minimum", "at least"), ("maximum", "at most"))
        if isinstance(rule.get(key), int | float)
    ]
    return ", ".join([words, *limits])


def _write_default(rule: Mapping[str, Any]) -> str:
    return _write(rule["default"]) if "default" in rule else ""


def _describe(rule: Mapping[str, Any]) -> str:
    return str(rule.get("description", ""))


def _write(value: object) -> str:
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return written[:_LONGEST]


def _choose_starter(rule: Mapping[str, Any]) -> Any:
    values, kind = rule.get("enum"), rule.get("type")
    if "default" in rule:
        return rule["default"]
    if isinstance(values, list) and values:
        return values[0]
    first = kind[0] if isinstance(kind, list) and kind else kind
    return _STARTERS.get(str(first), {})

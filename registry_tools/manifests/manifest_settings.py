"""The settings of a config, compared with the `config_schema` of its evaluator.

Patterns and references are left to editors: a pattern of somebody else may take hours.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from agentevals.files.document_places import describe, quote
from registry_tools.manifests.registry_finding import Misfit


def find_wrong_settings(schema: Any, config: Mapping[str, Any]) -> Iterator[Misfit]:
    """Yield the settings of a config that its schema surely does not allow."""
    known = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(known, dict):
        return
    for name, value in config.items():
        if name in known:
            if isinstance(known[name], dict) and (wrong := find_objection(value, known[name])):
                message = f"the setting {quote(name)} {wrong}, and is {describe(value)}"
                yield Misfit(message, (name,), fix="correct it, or the schema")
        elif schema.get("additionalProperties") is False and "patternProperties" not in schema:
            message = f"'config_schema' has no setting {quote(name)}"
            yield Misfit(message, (name,), of_key=True, fix=advise(name, known))
    required = schema.get("required")
    for name in required if are_words(required) else ():
        if name not in config:
            yield Misfit(f"'config_schema' demands the setting {quote(name)}", (), fix="give it")


def find_objection(value: Any, schema: Mapping[str, Any]) -> str:
    """Return why a value is not what the type and the choices of a schema allow, or nothing."""
    kinds, choices = schema.get("type"), schema.get("enum")
    named: list[Any] = kinds if isinstance(kinds, list) else [kinds]
    if isinstance(choices, list) and value not in choices:
        return f"must be one of {', '.join(map(describe, choices))}"
    checks = [_IS_A[one] for one in named if is_text(one) and one in _IS_A]
    if len(checks) == len(named) and not any(check(value) for check in checks):
        return f"must be of the type {' or '.join(named)}"
    return ""


def advise(name: str, known: Iterable[str]) -> str:
    """Return the known name that may be meant, or all."""
    near = get_close_matches(name, known, n=1)
    return f"did you mean {quote(near[0])}?" if near else f"known: {', '.join(known) or 'none'}"


def is_text(value: Any) -> bool:
    """Return whether it is a string."""
    return isinstance(value, str)


def is_number(value: Any) -> bool:
    """Return whether it is a number, as JSON has them."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def are_words(value: Any) -> bool:
    """Return whether it is a list of strings."""
    return isinstance(value, list) and all(map(is_text, value))


def _is_whole(value: Any) -> bool:
    return is_number(value) and (isinstance(value, int) or value.is_integer())


_IS_A: dict[str, Callable[[Any], bool]] = {
    "string": is_text,
    "number": is_number,
    "integer": _is_whole,
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
}

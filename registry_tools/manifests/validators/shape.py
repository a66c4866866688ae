"""A value beside a JSON Schema: everything that does not fit, in words, with its place.

Only what the schema of our manifests uses is understood; nobody else's schema comes here.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any, NamedTuple

from agentevals.evaluator import manifest as manifests
from agentevals.evaluator.manifest import WORDS
from agentevals.files.places import Key, quoted
from agentevals.files.yaml_strict import UNREAD
from registry_tools.manifests.validators.words import shown

Where = tuple[Key, ...]
Schema = dict[str, Any]

_OWN = "x-"
_NEAR = 0.75  # of the letters; below that a guess is more often wrong than right


class Misfit(NamedTuple):
    """One thing that does not fit: the value at a path, or its key.

    `keyword` is the schema's word for it, `wanted` what could stand there instead, and `only`
    whether nothing else could have been meant.
    """

    keyword: str
    message: str
    where: Where
    of_key: bool = False
    wanted: str = ""
    only: bool = False


def of_manifest(value: Any) -> Iterator[Misfit]:
    """All in which a manifest does not fit its own schema."""
    return misfits(value, _manifest())


def misfits(value: Any, schema: Schema) -> Iterator[Misfit]:
    """All that does not fit, in the order of the file."""
    yield from _misfits(value, schema, schema.get("$defs", {}), ())


def _misfits(value: Any, schema: Schema, named: Schema, where: Where) -> Iterator[Misfit]:
    if value is UNREAD:
        return
    if "$ref" in schema:
        schema = named[schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        schema = _meant(value, schema["anyOf"])
    if "enum" in schema:
        yield from _choice(value, schema["enum"], where)
        return
    kind = schema.get("type")
    if kind is None:
        return
    if not _is(value, kind):
        yield Misfit("type", f"{_subject(where)} must be {_A[kind]}, not {shown(value)}", where)
        return
    yield from _CHECKS.get(kind, _nothing)(value, schema, named, where)


def _meant(value: Any, members: Sequence[Schema]) -> Schema:
    """The member of the value's own type; the last of them, which is text, says what is wrong."""
    return next((one for one in members if _is(value, one["type"])), members[-1])


def _choice(value: Any, known: list[str], where: Where) -> Iterator[Misfit]:
    if value in known:
        return
    near = _nearest(value, known) if isinstance(value, str) else ""
    message = f"{_subject(where)} must be one of {', '.join(sorted(known))}, not {shown(value)}"
    yield Misfit("enum", message, where, wanted=near, only=bool(near))


def _mapping(
    value: dict[str, Any], schema: Schema, named: Schema, where: Where
) -> Iterator[Misfit]:
    known = schema.get("properties")
    if known is None:
        return
    lacking = [key for key in schema.get("required", ()) if key not in value]
    for key, item in value.items():
        if key in known:
            yield from _misfits(item, known[key], named, (*where, key))
        elif not key.startswith(_OWN):
            yield _stranger(key, lacking, [name for name in known if name not in value], where)
    renamed = {_nearest(key, lacking) for key in value if key not in known}
    for key in lacking:
        if key not in renamed:
            yield Misfit("required", f"{_subject((*where, key))} is missing", where, wanted=key)


def _stranger(key: str, lacking: list[str], free: list[str], where: Where) -> Misfit:
    near = _nearest(key, lacking) or _nearest(key, free)
    message = f"unknown key {_subject((*where, key))}"
    return Misfit(
        "additionalProperties", message, (*where, key), of_key=True, wanted=near, only=bool(near)
    )


def _nearest(word: str, known: Sequence[str]) -> str:
    """The one known word that is meant; none where there could be two."""
    exact = [name for name in known if _folded(name) == _folded(word)]
    near = exact or get_close_matches(word.lower(), known, n=2, cutoff=_NEAR)
    return near[0] if len(near) == 1 else ""


def _folded(word: str) -> str:
    return re.sub(r"[-_. ]", "", word.lower())


def _list(value: list[Any], schema: Schema, named: Schema, where: Where) -> Iterator[Misfit]:
    most = schema.get("maxItems")
    if most is not None and len(value) > most:
        yield Misfit("maxItems", f"{_subject(where)} has {len(value)} items, at most {most}", where)
        return
    for index, item in enumerate(value):
        yield from _misfits(item, schema.get("items", {}), named, (*where, index))


def _text(value: str, schema: Schema, _: Schema, where: Where) -> Iterator[Misfit]:
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if len(value) < least:
        wanted = "must not be empty" if not value else f"must have at least {least} characters"
        yield Misfit("minLength", f"{_subject(where)} {wanted}", where)
    elif most is not None and len(value) > most:
        message = f"{_subject(where)} has {len(value):,} characters, at most {most:,}"
        yield Misfit("maxLength", message, where)
    elif "pattern" in schema and not _compiled(schema["pattern"]).search(value):
        must = f"must be {WORDS[schema['pattern']]}"
        yield Misfit("pattern", f"{_subject(where)} {must}, not {quoted(value)}", where)


def _number(value: float, schema: Schema, _: Schema, where: Where) -> Iterator[Misfit]:
    least, most = schema.get("minimum", value), schema.get("maximum", value)
    if not least <= value <= most:
        message = f"{_subject(where)} must be from {least} to {most}, not {value}"
        yield Misfit("minimum", message, where)


def _nothing(*_: object) -> Iterator[Misfit]:
    return iter(())


@cache
def _manifest() -> Schema:
    whole = manifests.schema()
    return {**whole, **whole["$defs"]["Manifest"], "$ref": "#/$defs/Manifest"}


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES[kind])


def _subject(where: Where) -> str:
    name = ""
    for step in where:
        name += f"[{step}]" if isinstance(step, int) else f".{step}" if name else step
    return quoted(name, 100) if name else "the manifest"


_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float),
    "boolean": bool,
}  # fmt: skip
_A = {
    "object": "a mapping", "array": "a list", "string": "text", "integer": "a whole number",
    "number": "a number",    "boolean": "true or false",
}  # fmt: skip
_CHECKS: dict[str, Callable[[Any, Schema, Schema, Where], Iterator[Misfit]]] = {
    "object": _mapping, "array": _list, "string": _text, "integer": _number, "number": _number,
}  # fmt: skip

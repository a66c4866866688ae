"""Compare a value with a JSON Schema; each misfit is described in words, with its path.

Only keywords that the schemas of our manifests and decisions use are understood.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any

from agentevals.evaluator.evaluator_manifest import WORDS
from agentevals.files.document_places import describe, quote
from agentevals.files.yaml_strict import UNREAD, StrictDocument
from registry_tools.manifests.registry_finding import KeyPath, Misfit

Schema = dict[str, Any]

_OWN = "x-"
_NEAR = 0.75  # of the letters; below that a guess is more often wrong than right


def find_misfits(value: Any, whole: Schema) -> Iterator[Misfit]:
    """Yield all in which a value does not fit a schema, in the order of the file."""
    yield from _compare(value, whole, whole["$defs"], ())


def advise(document: StrictDocument, misfit: Misfit) -> tuple[str, str]:
    """Return what to do, and the text to put there where only one can be meant."""
    if misfit.rule == "required":
        return f"add '{misfit.wanted}: …'", ""
    if misfit.wanted:
        return f"did you mean {quote(misfit.wanted)}?", misfit.wanted if misfit.only else ""
    if misfit.rule == "additionalProperties":
        return _advise_about_key(misfit), ""
    if misfit.where[:1] == ("maintainers",) and misfit.where[-1] == "id":
        return _NUMBER, ""
    if misfit.rule == "type":
        return _correct_type(document, misfit)
    return _respell(document, misfit) if misfit.rule == "pattern" else ("", "")


def _respell(document: StrictDocument, misfit: Misfit) -> tuple[str, str]:
    """Return what a tag or a login is without the letters that it cannot have."""
    written = document.get_source(misfit.where)
    if misfit.where[0] == "tags":
        return _respell_tag(written)
    login = re.sub(r"[^A-Za-z0-9-]", "", written)
    return (f"write {login}", login) if misfit.where[-1] == "login" and login else ("", "")


def _advise_about_key(misfit: Misfit) -> str:
    remove = "remove it, or begin it with 'x-' to keep it for yourself"
    return f"{remove}; known here: {', '.join(misfit.known)}" if misfit.known else remove


def _respell_tag(written: str) -> tuple[str, str]:
    plain = unicodedata.normalize("NFKD", written.casefold())
    letters = "".join(one for one in plain if not unicodedata.combining(one))
    tag = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")
    if any(one.isalpha() and not one.isascii() for one in letters):
        tag = ""  # half a word would be another one
    return (
        (f"write {tag}", tag if written.isascii() else "")
        if tag
        else ("use a word in Latin letters", "")
    )


def _correct_type(document: StrictDocument, misfit: Misfit) -> tuple[str, str]:
    if not misfit.where:
        return "write keys with values, such as 'name: politeness'", ""
    written = document.get_source(misfit.where)
    if misfit.where in _EXAMPLES:
        return f"write {_EXAMPLES[misfit.where]}", ""
    if "must be text" in misfit.message and written[:1] not in {"", "[", "{"}:
        if written in {"~", "null", "Null", "NULL"}:
            return "write a text, or remove the key", ""
        return f'write "{written}"', f'"{written}"'
    if "must be a list" in misfit.message and written and ":" not in written:
        return f"write [{written}]", f"[{written}]"
    return "write a value, or remove the key" if not written else "", ""


_NUMBER = "write the number of the account, which `gh api users/LOGIN --jq .id` prints"
# what quotes or brackets alone do not make right
_EXAMPLES = {
    ("license",): "an SPDX licence, such as Apache-2.0",
    ("maintainers",): "[{login: octocat, id: 583231}], with your login and its number",
}


def _compare(value: Any, schema: Schema, named: Schema, where: KeyPath) -> Iterator[Misfit]:
    if value is UNREAD:
        return
    if "$ref" in schema:
        schema = named[schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        schema = _choose_member(value, schema["anyOf"])
    if "enum" in schema:
        yield from _check_choice(value, schema["enum"], where)
        return
    kind = schema.get("type")
    if kind is None:
        return
    if not _is_a(value, kind):
        message = f"{_name_place(where)} must be {_A[kind]}, not {describe(value)}"
        yield Misfit(message, where, rule="type")
        return
    if kind in _CHECKS:
        yield from _CHECKS[kind](value, schema, named, where)


def _choose_member(value: Any, members: Sequence[Schema]) -> Schema:
    """Return the member of the value's own type; the last, which is text, explains misfits."""
    return next((one for one in members if _is_a(value, one["type"])), members[-1])


def _check_choice(value: Any, known: list[str], where: KeyPath) -> Iterator[Misfit]:
    if value in known:
        return
    near = _find_nearest(value, known) if isinstance(value, str) else ""
    message = (
        f"{_name_place(where)} must be one of {', '.join(sorted(known))}, not {describe(value)}"
    )
    yield Misfit(message, where, rule="enum", wanted=near, only=bool(near))


def _check_mapping(
    value: dict[str, Any], schema: Schema, named: Schema, where: KeyPath
) -> Iterator[Misfit]:
    known = schema.get("properties")
    if known is None:
        yield from _check_items(value, schema, named, where)
        return
    lacking = [key for key in schema.get("required", ()) if key not in value]
    for key, item in value.items():
        if key in known:
            yield from _compare(item, known[key], named, (*where, key))
        elif not key.startswith(_OWN):
            yield _describe_unknown_key(
                key, lacking, [name for name in known if name not in value], where
            )
    renamed = {_find_nearest(key, lacking) for key in value if key not in known}
    for key in lacking:
        if key not in renamed:
            message = f"{_name_place((*where, key))} is missing"
            yield Misfit(message, where, rule="required", wanted=key)


def _check_items(
    value: dict[str, Any], schema: Schema, named: Schema, where: KeyPath
) -> Iterator[Misfit]:
    """Check a mapping whose keys people choose, such as the names of evaluators."""
    names, items = schema.get("propertyNames", {}), schema.get("additionalProperties")
    for key, item in value.items():
        for misfit in _check_text(key, names, named, (*where, key)):
            yield misfit._replace(of_key=True, rule="propertyNames")
        if isinstance(items, dict):
            yield from _compare(item, items, named, (*where, key))


def _describe_unknown_key(key: str, lacking: list[str], free: list[str], where: KeyPath) -> Misfit:
    near = _find_nearest(key, lacking) or _find_nearest(key, free)
    message = f"unknown key {_name_place((*where, key))}"
    rule = "additionalProperties"
    known = tuple(free) if where and not near else ()
    return Misfit(
        message, (*where, key), True, rule=rule, wanted=near, only=bool(near), known=known
    )


def _find_nearest(word: str, known: Sequence[str]) -> str:
    """Return the one known word that is meant; none where there could be two."""
    exact = [name for name in known if _fold(name) == _fold(word)]
    near = exact or get_close_matches(word.lower(), known, n=2, cutoff=_NEAR)
    near = near or [name for name in known if _is_short_for(word.lower(), name)]
    return near[0] if len(near) == 1 else ""


def _is_short_for(word: str, name: str) -> bool:
    """Return whether a word is the name without some of its letters: `js` for javascript."""
    rest = iter(name)
    return 1 < len(word) < len(name) and word[0] == name[0] and all(c in rest for c in word)


def _fold(word: str) -> str:
    return re.sub(r"[-_. ]", "", word.lower())


def _check_list(
    value: list[Any], schema: Schema, named: Schema, where: KeyPath
) -> Iterator[Misfit]:
    most = schema.get("maxItems")
    if len(value) < schema.get("minItems", 0):
        yield Misfit(f"{_name_place(where)} must not be empty", where, rule="minItems")
        return
    if most is not None and len(value) > most:
        message = f"{_name_place(where)} has {len(value)} items, at most {most}"
        yield Misfit(message, where, rule="maxItems")
        return
    for index, item in enumerate(value):
        yield from _compare(item, schema.get("items", {}), named, (*where, index))


def _check_text(value: str, schema: Schema, _: Schema, where: KeyPath) -> Iterator[Misfit]:
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if len(value) < least:
        wanted = "must not be empty" if not value else f"must have at least {least} characters"
        yield Misfit(f"{_name_place(where)} {wanted}", where, rule="minLength")
    elif most is not None and len(value) > most:
        message = f"{_name_place(where)} has {len(value):,} characters, at most {most:,}"
        yield Misfit(message, where, rule="maxLength")
    elif "pattern" in schema and not _compile(schema["pattern"]).search(value):
        must = f"must be {WORDS[schema['pattern']]}"
        message = f"{_name_place(where)} {must}, not {quote(value)}"
        yield Misfit(message, where, rule="pattern")


def _check_number(value: float, schema: Schema, _: Schema, where: KeyPath) -> Iterator[Misfit]:
    least, most = schema.get("minimum", value), schema.get("maximum", value)
    if not least <= value <= most:
        limits = f"from {least} to {most}" if "maximum" in schema else f"{least} or more"
        message = f"{_name_place(where)} must be {limits}, not {value}"
        yield Misfit(message, where, rule="minimum")


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _is_a(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES[kind])


def _name_place(where: KeyPath) -> str:
    name = ""
    for step in where:
        name += f"[{step}]" if isinstance(step, int) else f".{step}" if name else step
    return quote(name, 100) if name else "the manifest"


_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float),
    "boolean": bool,
}  # fmt: skip
_A = {
    "object": "a mapping", "array": "a list", "string": "text", "integer": "a whole number",
    "number": "a number",    "boolean": "true or false",
}  # fmt: skip
_CHECKS: dict[str, Callable[[Any, Schema, Schema, KeyPath], Iterator[Misfit]]] = {
    "object": _check_mapping, "array": _check_list, "string": _check_text,
    "integer": _check_number, "number": _check_number,
}  # fmt: skip

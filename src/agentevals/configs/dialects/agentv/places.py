"""Find the places of the evaluators in an EVAL file."""

from collections.abc import Iterator
from typing import Any

from agentevals.configs.dialects.agentv.schema import LISTS, TESTS
from agentevals.configs.entries import name_entry
from agentevals.files.documents import Document
from agentevals.files.places import CONFIG
from agentevals.files.validation import Where

_CHILDREN = ("assertions", "assert", "evaluators")


def locate(document: Document, name: str) -> Where:
    """The path of the first evaluator of that name, given or usual; nothing where there is none."""
    plain, dash, number = name.rpartition("-")
    names = {name, plain} if dash and number.isdecimal() else {name}
    return next(
        (where for where, entry in find_entries(document) if name_entry(entry) in names), ()
    )


def find_entries(document: Document) -> Iterator[tuple[Where, dict[str, Any]]]:
    """Every evaluator that is written in the file itself, with those that stand in it."""
    value = document.value
    if isinstance(value, dict):
        yield from _find_in_holder(value, ())
    for where, test in find_tests(document):
        yield from _find_in_holder(test, where)


def find_tests(document: Document) -> Iterator[tuple[Where, dict[str, Any]]]:
    """Every test that is written in the file itself."""
    value: Any = document.value
    where: Where = ()
    if isinstance(value, dict):
        key = next((key for key in TESTS if key in value), "")
        value, where = value.get(key), (key,)
    for at, one in enumerate(value if isinstance(value, list) else ()):
        if isinstance(one, dict):
            yield (*where, at), one


def _find_in_holder(holder: dict[str, Any], where: Where) -> Iterator[tuple[Where, dict[str, Any]]]:
    for key in LISTS:
        yield from _find_in_list(holder.get(key), (*where, key))
    inner = holder.get("execution")
    if isinstance(inner, dict):
        for key in LISTS:
            yield from _find_in_list(inner.get(key), (*where, "execution", key))


def _find_in_list(given: Any, where: Where) -> Iterator[tuple[Where, dict[str, Any]]]:
    for at, entry in enumerate(given if isinstance(given, list) else ()):
        if isinstance(entry, dict):
            yield (*where, at), entry
            for way in ((), (CONFIG,)):
                holder = entry.get(CONFIG) if way else entry
                if isinstance(holder, dict):
                    for key in _CHILDREN:
                        yield from _find_in_list(holder.get(key), (*where, at, *way, key))

"""One entry of `evaluators:` becomes a grader."""

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from agentevals.configs.config_graders import (
    CONTROL,
    Builder,
    clean_name,
    describe_entry,
    make_unique,
    merge_config,
)
from agentevals.files.document_places import CONFIG, describe, get_at, quote, way_to
from agentevals.files.documents import Document, Paths
from agentevals.files.pydantic_mistakes import Where
from agentevals.graders import BUILTINS, GRADERS, find_type
from agentevals.graders.agentv.assertions import Assertion
from agentevals.graders.grader import Grader
from agentevals.model.errors import Problem
from agentevals.model.results import Finding, Severity

# the class of an entry, and what the spelling of its type says beside that
Found = tuple[type[Grader], dict[str, Any]]

BUILTIN = "builtin"
MAIN_TYPES = (BUILTIN, "code", "remote", "openai_eval")

# what every builtin entry could say before, though only some evaluators listen to it
_INERT = {"judge_model", "judge_base_url", "credential_ref", "trajectory_match_type"}
_MEANT = dict.fromkeys(("custom", "program", "python", "script"), "code")
_WORD_START = re.compile(r"(?<=[a-z0-9])([A-Z])")


class Entries:
    """Reads the entries of one list; collects what is wrong, and what should be said."""

    # what whoever names no type may have had in mind
    known_types: tuple[str, ...] = MAIN_TYPES

    def __init__(self, document: Document, paths: Paths, overrides: Mapping[str, Any]) -> None:
        self._document, self._overrides = document, overrides
        self._builder = Builder(document, paths, self.grader)
        self.problems: list[Problem] = self._builder.problems
        self.findings: list[Finding] = []
        self.sources = self._builder.sources

    def graders(self, key: str) -> list[Grader]:
        """Return the graders of the list that stands under a key, in its order."""
        given = self._document.value[key]
        if given is None:
            return []
        if not isinstance(given, list):
            self._refuse(f"{key!r} must be a list, not {describe(given)}", (key,))
            return []
        found = [self.grader(entry, (key, index)) for index, entry in enumerate(given)]
        self._refuse_same_names(given, key)
        return list(make_unique(given, found))

    def grader(self, entry: Any, where: Where) -> Grader | None:
        """Return the grader of one entry; None where a problem says why there is none."""
        if isinstance(entry, str):
            entry = self._expand_short(entry, where)
        if not isinstance(entry, dict):
            expected = "an evaluator is a mapping with 'name' and 'type'"
            self._refuse(f"{expected}, not {describe(entry)}", where)
            return None
        found = self._find_type(entry, where)
        if found is None:
            return None
        kind, settings = found
        entry, inside, mistakes = merge_config(kind, _select_settings(entry) | settings)
        for message, key in mistakes:
            place = (*where, CONFIG, *key)
            self.problems.append(
                self._document.problem(f"{describe_entry(entry)}{message}", place, key=bool(key))
            )
        if kind.type in BUILTINS:
            entry = self._clean_builtin(kind, entry, where, inside)
        made = self._builder.build(kind, self._usual(kind, entry) | settings, where, inside)
        return None if mistakes else made

    def _expand_short(self, entry: str, where: Where) -> dict[str, Any]:
        """Return the entry that a single text stands for."""
        self._add_finding(
            "deprecated", f"write '- {{name: {entry}, type: {BUILTIN}}}' instead", where
        )
        return {"name": entry, "type": BUILTIN}

    def _usual(self, kind: type[Grader], entry: dict[str, Any]) -> dict[str, Any]:
        """Return an entry with what it leaves to its file.

        Every evaluator has to pass here. AgentV's types pass at 0.8 where nothing is said, so a
        smaller score that is `required` would mean nothing unless it is what passes.
        """
        least, usual = entry.get("required"), kind.model_fields["threshold"]
        if not issubclass(kind, Assertion) or usual.validation_alias or "threshold" in entry:
            return entry
        if isinstance(least, bool) or not isinstance(least, int | float):
            return entry
        return entry | {"threshold": least} if 0 < least < usual.get_default() else entry

    def _find_unlisted(self, given: str, entry: dict[str, Any], where: Where) -> Found | None:
        """Return the class for a type that is in no table, or refuse it."""
        known = f" (known: {', '.join(self.known_types)})"
        meant = f" (did you mean {_MEANT[given]!r}?)" if given in _MEANT else ""
        near = meant or _suggest(given, [*MAIN_TYPES, *GRADERS]) or known
        self._refuse(f"{describe_entry(entry)}unknown type {quote(given)}{near}", (*where, "type"))
        return None

    def _find_type(self, entry: dict[str, Any], where: Where) -> Found | None:
        """Return the class of an entry, and what the spelling of its type says beside that.

        What is wrong is said, and None returned.
        """
        old_list = where[0] == "metrics"
        given = entry.get("type", BUILTIN if old_list else None)
        if given is None:
            self._refuse(
                f"{describe_entry(entry)}'type' is missing{_suggest_type(entry, self.known_types)}",
                where,
            )
            return None
        if not isinstance(given, str):
            self._refuse(
                f"{describe_entry(entry)}'type' must be text, not {describe(given)}",
                (*where, "type"),
            )
            return None
        if given == BUILTIN:
            builtin = self._find_builtin(entry, where)
            return (builtin, {}) if builtin else None
        meant = find_type(given)
        if meant:
            kind = GRADERS[meant.type]
            written = merge_config(kind, _select_settings(entry))
            if meant.negate and written.settings.get("negate"):
                self._refuse(
                    f"{describe_entry(entry)}{quote(given)} is negated already; remove 'negate'",
                    (*where, *way_to("negate", written.inside)),
                )
            return kind, {"negate": True} if meant.negate else {}
        return self._find_unlisted(given, entry, where)

    def _find_builtin(self, entry: dict[str, Any], where: Where) -> type[Grader] | None:
        name = entry.get("name")
        if name in BUILTINS:
            return GRADERS[name]
        if "name" not in entry:
            self._refuse("'name' is missing", where)
        else:
            near = _suggest(name, BUILTINS) or "; 'agentevals evaluator list' shows all"
            written = get_at(self._document.value, where)
            place = (*where, "name") if isinstance(written, dict) else where
            self._refuse(f"there is no builtin {describe(name)}{near}", place)
        return None

    def _clean_builtin(
        self, kind: type[Grader], entry: dict[str, Any], where: Where, inside: frozenset[str]
    ) -> dict[str, Any]:
        """Builtins also take camel case, and a null for what is not said."""
        known = kind.model_fields.keys()
        fields: dict[str, Any] = {}
        for key, value in entry.items():
            name = key if key in known else _write_snake_case(key)
            if name in _INERT - known:
                message = f"{kind.type} makes no use of '{key}'; remove it"
                place = (*where, *way_to(key, inside))
                self._add_finding("no-effect", message, place, Severity.WARNING)
            elif value is not None:
                fields[name if name in known else key] = value
        return fields | {key: value for key, value in self._overrides.items() if key in known}

    def _refuse_same_names(self, entries: Iterable[Any], key: str) -> None:
        first: dict[str, Where] = {}
        for index, entry in enumerate(entries):
            name = entry.get("name") if isinstance(entry, dict) else entry
            where: Where = (key, index, "name") if isinstance(entry, dict) else (key, index)
            if not isinstance(name, str):
                continue
            if CONTROL.search(name):
                self._refuse(f"the name {quote(name)} has control characters", where)
            if name in first:
                line, _ = self._document.place(first[name])
                message = f"the name {quote(name)} is here twice, first in line {line}; rename one"
                self._refuse(message, where)
            first.setdefault(name, where)

    def _refuse(self, message: str, where: Where) -> None:
        self.problems.append(self._document.problem(message, where))

    def _add_finding(
        self, rule: str, message: str, where: Where, severity: Severity = Severity.NOTE
    ) -> None:
        self.findings.append(self._document.finding(rule, message, where, severity))


def name_entry(entry: Any) -> str:
    """Return the name of what is written there: as it is given, or as its type makes it."""
    if not isinstance(entry, dict):
        return entry if isinstance(entry, str) else ""
    name, kind = entry.get("name"), entry.get("type")
    if isinstance(name, str):
        return name
    meant = find_type(kind) if isinstance(kind, str) else None
    if not meant:
        return ""
    made = GRADERS[meant.type]
    return clean_name(made.usual_name(merge_config(made, entry).settings))


def _select_settings(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry without its type and without the user's own keys, which begin with `x-`."""
    return {key: value for key, value in entry.items() if key != "type" and key[:2] != "x-"}


def _suggest_type(entry: Mapping[str, Any], known: Iterable[str]) -> str:
    meant = [
        kind
        for key, kind in (("path", "code"), ("ref", "remote"), ("grader", "openai_eval"))
        if key in entry
    ]
    if entry.get("name") in BUILTINS:
        meant.append(BUILTIN)
    return f"; write 'type: {meant[0]}'" if meant else f" (known: {', '.join(known)})"


def _suggest(given: Any, known: Iterable[str]) -> str:
    near = get_close_matches(given, list(known), n=1) if isinstance(given, str) else []
    return f" (did you mean {near[0]!r}?)" if near else ""


def _write_snake_case(key: str) -> str:
    return _WORD_START.sub(lambda match: f"_{match.group().lower()}", key)

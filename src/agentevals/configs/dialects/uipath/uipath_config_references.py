"""The evaluators that judge an eval set, with what each means, and the graders they become."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from agentevals.configs.dialects.uipath.uipath_config_keys import (
    OF_AN_EVALUATOR,
    EvaluatorFile,
    Item,
    Project,
    Reference,
    normalise,
)
from agentevals.configs.dialects.uipath.uipath_config_meaning import Meaning, Reader
from agentevals.configs.ignored_config_keys import IgnoredKeys
from agentevals.configs.plan import Overrides
from agentevals.files.document_places import describe, quote
from agentevals.files.documents import Document
from agentevals.files.pydantic_mistakes import Where, complaints, validate
from agentevals.files.pydantic_settings import list_spellings
from agentevals.graders.grader import Grader
from agentevals.model.errors import Problem

_KEYS = ("ref", "weight")
_CONFIGS, REFS = "evaluatorConfigs", "evaluatorRefs"


@dataclass(frozen=True)
class Asked:
    """An evaluator of a run: how it is called, how much it counts, what it means."""

    evaluator_id: str
    name: str
    weight: float
    meaning: Meaning
    changes: Mapping[str, Any]


class References:
    """Reads what an eval set refers to; collects what is wrong."""

    def __init__(
        self, document: Document, project: Project, overrides: Overrides, keys: IgnoredKeys
    ) -> None:
        self._document, self._project, self._overrides = document, project, overrides
        self._keys = keys
        self.problems: list[Problem] = []
        self.sources: list[Path] = []
        self.inert: list[str] = []

    def read_evaluators(self) -> dict[str, Asked]:
        """Return the evaluators that the eval set refers to, by id."""
        meanings: dict[str, tuple[EvaluatorFile, Meaning | None, float]] = {}
        for where, name, weight in self._read_weights():
            file = self._file(name, where)
            if file is None:
                continue
            if normalise(name) in meanings:
                self._refuse(f"the evaluator {quote(name)} is here twice; remove one", where)
            else:
                meanings[normalise(name)] = (file, self._read_meaning(name), weight)
        if not meanings and not self.problems:
            self._refuse(f"{REFS!r} names no evaluator, so there is nothing to evaluate", ())
        names = Counter(_name(file) for file, _, _ in meanings.values())
        given = self._overrides.builtin_settings
        changes = {k: v for k, v in given.items() if k in {"threshold", "judge_model"}}
        return {
            name: Asked(
                file.id,
                _name(file) if names[_name(file)] == 1 else file.id,
                weight,
                meaning,
                changes,
            )
            for name, (file, meaning, weight) in meanings.items()
            if meaning is not None
        }

    def _read_weights(self) -> Iterator[tuple[Where, str, float]]:
        """Yield the references; those with weights replace the others."""
        value = self._document.value
        name = _CONFIGS if value.get(_CONFIGS) else REFS
        given = value.get(name) or []
        if not isinstance(given, list):
            self._refuse(f"{name!r} must be a list, not {describe(given)}", (name,))
            return
        for at, entry in enumerate(given):
            where: Where = (name, at)
            if isinstance(entry, str):
                yield where, entry, 1.0
            elif isinstance(entry, dict) and name == _CONFIGS:
                made, wrong = validate(Reference, entry, self._document, where)
                self.problems += wrong
                self._keys.check(self._document, entry, _KEYS, where)
                if made is not None:
                    yield where, made.ref, made.weight
            else:
                self._refuse(f"an evaluator is referred to by its id, not {describe(entry)}", where)

    def _file(self, name: str, where: Where) -> EvaluatorFile | None:
        known, wrong = self._project.found.get(normalise(name)), self._project.wrong
        if normalise(name) in wrong:
            self.problems += wrong[normalise(name)]
            return None
        if known is None:
            self.problems += self._project.unreadable  # one of them may be the one that is meant
            self._refuse(self._project.describe_missing(name), where)
            return None
        self.sources.append(known[1].path.absolute())
        return known[0]

    def _read_meaning(self, name: str) -> Meaning | None:
        file, document = self._project.found[normalise(name)]
        self._keys.check(document, document.value, OF_AN_EVALUATOR)
        reader = Reader(file, document, self._overrides.root, self._keys)
        meaning = reader.read()
        self.problems += reader.problems
        self.inert += meaning.inert if meaning else ()
        return meaning

    def _refuse(self, message: str, where: Where) -> None:
        self.problems.append(self._document.problem(message, where))


def locate(document: Document, name: str) -> Where:
    """Return the path of the reference to the evaluator of that name."""
    project = Project(document.path)
    for where, reference in _list_references(document):
        known = project.found.get(normalise(reference))
        if reference == name or (known and _name(known[0]) == name):
            return where
    return ()


def _list_references(document: Document) -> Iterator[tuple[Where, str]]:
    for name in (_CONFIGS, REFS):
        given = document.value.get(name)
        for at, entry in enumerate(given if isinstance(given, list) else []):
            reference = entry.get("ref") if isinstance(entry, dict) else entry
            if isinstance(reference, str):
                yield (name, at), reference


def _name(file: EvaluatorFile) -> str:
    return file.name or str(file.evaluator_config.get("name") or "") or file.id


class Asking:
    """Asks evaluators about the items of one eval set; collects what is wrong."""

    def __init__(self, document: Document, keys: IgnoredKeys) -> None:
        self._document, self._keys = document, keys
        self.problems: list[Problem] = []

    def build_grader(
        self, asked: Asked, item: Item, criteria: Mapping[str, Any] | None, where: Where
    ) -> Grader | None:
        """Return the grader of one item; None where a problem says why there is none."""
        meaning = asked.meaning
        entry = {**meaning.settings, "name": asked.name, "weight": asked.weight}
        entry |= {k: v for k, v in asked.changes.items() if k in meaning.kind.model_fields}
        about = f"item {quote(item.id)}, evaluator {quote(asked.evaluator_id)}: "
        if meaning.is_class:
            entry |= _collect_class_settings(item, criteria)
            return self._build(meaning, entry, about, where)
        told = self._collect_criteria(meaning, item, criteria, about, where)
        if told is None:
            return None
        return self._build(meaning, entry | told, about, where)

    def _collect_criteria(
        self,
        meaning: Meaning,
        item: Item,
        criteria: Mapping[str, Any] | None,
        about: str,
        where: Where,
    ) -> dict[str, Any] | None:
        """Collect criteria: the item's own, what it says to all, and the evaluator's usual ones."""
        fields = meaning.kind.model_fields
        names = {key: n for n in meaning.of_the_case for key in list_spellings(n, fields[n])}
        told = {names.get(key, key): value for key, value in meaning.usual.items()}
        told |= {
            k: v for k, v in _collect_common_criteria(item).items() if k in meaning.of_the_case
        }
        told |= {names[key]: value for key, value in (criteria or {}).items() if key in names}
        unknown = [key for key in criteria or {} if key not in names and key not in meaning.unused]
        known = [to_camel(name) for name in meaning.of_the_case]
        if told:
            self._keys.check(self._document, unknown, known, where, about=about)
            return told
        if unknown:  # nothing is left, and UiPath fails as well
            self.problems += self._document.find_unknown_keys(unknown, known, where, about=about)
            return None
        needed = " and ".join(map(repr, known))
        message = (
            f"{about}there are no criteria, and the evaluator has no "
            f"'defaultEvaluationCriteria'; write {needed}"
        )
        self.problems.append(self._document.problem(message, where))
        return None

    def _build(
        self, meaning: Meaning, entry: dict[str, Any], about: str, where: Where
    ) -> Grader | None:
        wrong = len(self.problems)
        try:
            made = meaning.kind.model_validate(entry)
        except ValidationError as error:
            self.problems += complaints(error, self._document, meaning.kind, where, about=about)
            return None
        return made if len(self.problems) == wrong else None


def _collect_common_criteria(item: Item) -> dict[str, Any]:
    said = {
        "expected_output": item.expected_output,
        "expected_agent_behavior": item.expected_agent_behavior,
        "simulation_instructions": item.simulation_instructions,
    }
    return {name: value for name, value in said.items() if value not in (None, "")}


def _collect_class_settings(item: Item, criteria: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the settings for a class, which checks its criteria itself; None is its default."""
    return {
        "criteria": dict(criteria) if criteria else None,
        "expected_output": item.expected_output,
        "inputs": item.inputs,
        "expected_agent_behavior": item.expected_agent_behavior,
        "simulation_instructions": item.simulation_instructions,
    }

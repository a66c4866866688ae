"""An evaluator and what an item tells it become a grader."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from agentevals.configs.building import list_spellings
from agentevals.configs.dialects.uipath.meaning import Meaning
from agentevals.configs.dialects.uipath.written import Item
from agentevals.files.documents import Document
from agentevals.files.places import quote
from agentevals.files.validation import Where, complaints
from agentevals.graders.grader import Grader
from agentevals.model.errors import Problem
from agentevals.model.plugins import suggestion


@dataclass(frozen=True)
class Asked:
    """An evaluator of a run: how it is called, how much it counts, what it means."""

    evaluator_id: str
    name: str
    weight: float
    meaning: Meaning
    changes: Mapping[str, Any]


class Asking:
    """Asks evaluators about the items of one eval set; collects what is wrong."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self.problems: list[Problem] = []

    def build_grader(
        self, asked: Asked, item: Item, criteria: Mapping[str, Any] | None, where: Where
    ) -> Grader | None:
        """The grader of one item; None where a problem says why there is none."""
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
        """The criteria: the item's own, what it says to all, and the evaluator's usual ones."""
        fields = meaning.kind.model_fields
        names = {key: n for n in meaning.of_the_case for key in list_spellings(n, fields[n])}
        told = {names.get(key, key): value for key, value in meaning.usual.items()}
        told |= {
            k: v for k, v in _collect_common_criteria(item).items() if k in meaning.of_the_case
        }
        for key, value in (criteria or {}).items():
            if key in names:
                told[names[key]] = value
                continue
            near = suggestion(key, [to_camel(name) for name in meaning.of_the_case])
            message = f"{about}unknown key {quote(key)}{near}"
            self.problems.append(self._document.problem(message, (*where, key), key=True))
        if not told and not criteria:
            needed = " and ".join(repr(to_camel(name)) for name in meaning.of_the_case)
            message = (
                f"{about}there are no criteria, and the evaluator has no "
                f"'defaultEvaluationCriteria'; write {needed}"
            )
            self.problems.append(self._document.problem(message, where))
            return None
        return told

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
    """Return the expected values of an item that hold for every evaluator."""
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
        "inputs": item.inputs,
        "expected_agent_behavior": item.expected_agent_behavior or None,
        "simulation_instructions": item.simulation_instructions,
    }

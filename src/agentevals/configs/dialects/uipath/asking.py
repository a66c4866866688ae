"""An evaluator and what an item tells it become a grader; an item, an expectation."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from agentevals.configs.dialects.uipath.meaning import Meaning
from agentevals.configs.dialects.uipath.written import Item, normalise
from agentevals.configs.plan import Expectation
from agentevals.files.documents import Document
from agentevals.files.places import quote
from agentevals.files.validation import Where, complaints, list_spellings
from agentevals.graders.grader import Grader
from agentevals.model.cases import Task
from agentevals.model.conversations import Turn
from agentevals.model.errors import Problem
from agentevals.model.plugins import suggestion

_ASKED = ("query", "question", "input", "message", "prompt", "text", "task", "user_input")


def expect(item: Item, graders: tuple[Grader, ...]) -> Expectation:
    """Return the expected conversation of an item, and the evaluators that judge it."""
    openings = tuple(dict.fromkeys(_list_openings(item.inputs)))
    opening = openings[0] if openings else ""
    wanted = item.expected_output
    reference = "" if wanted is None else _write_text(wanted)
    return Expectation(
        case_id=normalise(item.id),
        turns=(Turn(user=opening, response=reference),) if reference else None,
        opening=opening,
        openings=openings[1:],
        criteria=item.expected_agent_behavior,
        task=Task(
            question=opening,
            reference=reference,
            input=({"role": "user", "content": opening},) if opening else (),
            expected_output=({"role": "assistant", "content": wanted},) if reference else (),
            metadata={"name": item.name, "inputs": item.inputs},
        ),
        graders=graders,
    )


def _list_openings(inputs: dict[str, Any]) -> Iterator[str]:
    """The text that a person would have said, and the whole input in the ways to write JSON."""
    if not inputs:
        return
    texts = [value for value in inputs.values() if isinstance(value, str) and value.strip()]
    named = [inputs[key] for key in _ASKED if isinstance(inputs.get(key), str)]
    if len(inputs) == 1:
        yield from texts
    elif named or len(texts) == 1:
        yield (named or texts)[0]
    for value in (inputs, {"input": inputs}):
        yield _write_text(value)
        yield json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        yield json.dumps(value)


def _write_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


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

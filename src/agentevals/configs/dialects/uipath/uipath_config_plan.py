"""An eval set of UiPath, with the project it lies in, becomes a plan."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agentevals.configs.config_gate import Gate
from agentevals.configs.dialects.uipath.uipath_config_keys import (
    OF_A_CRITERION,
    OF_A_SET,
    OF_AN_ITEM,
    OF_THE_RUN,
    Item,
    Project,
    normalise,
)
from agentevals.configs.dialects.uipath.uipath_config_references import (
    REFS,
    Asked,
    Asking,
    References,
)
from agentevals.configs.ignored_config_keys import IgnoredKeys
from agentevals.configs.plan import Expectation, Overrides, Plan
from agentevals.files.document_places import describe, quote
from agentevals.files.documents import Document
from agentevals.files.pydantic_mistakes import Where, validate
from agentevals.graders.grader import Grader
from agentevals.graders.uipath.uipath_legacy import LegacyEvaluator
from agentevals.model.cases import Task
from agentevals.model.conversations import Turn
from agentevals.model.errors import ConfigError, InputError, Problem
from agentevals.model.results import Finding, Severity

_ASKED = ("query", "question", "input", "message", "prompt", "text", "task", "user_input")
_LISTS = ("evaluationItems", "evaluations")
_OBJECT = '{"output": "…"}'


def plan(document: Document | None, overrides: Overrides) -> Plan:
    """Compile the eval set; the command line wins."""
    if document is None:
        msg = "a UiPath eval set is a file; give it with --config"
        raise InputError(msg)
    if overrides.eval_set is not None:
        name = document.path.name
        msg = f"--eval-set {overrides.eval_set}: {name} is an eval set itself; remove the option"
        raise InputError(msg)
    overrides.check()
    reading = _Reading(document, overrides)
    expectations = reading.read_expectations()
    if problems := reading.keys.join(reading.problems):
        raise ConfigError(problems)
    return Plan(
        title=document.path.name,
        graders=tuple(overrides.merge_graders([])) if overrides.metrics else (),
        expectations=expectations,
        eval_set_id=str(document.value.get("id") or document.path.stem),
        policy=overrides.change_policy(Gate()),
        judge=overrides.change_judge(None),
        trace_format=None if overrides.trace_format == "auto" else overrides.trace_format,
        group_by=overrides.group_by,
        pair=overrides.pair or "auto",
        findings=tuple(reading.findings()),
        sources=(document.path.absolute(), *reading.references.sources),
    )


class _Reading:
    def __init__(self, document: Document, overrides: Overrides) -> None:
        self._document = document
        self._project = Project(document.path, overrides.root)
        self.keys = IgnoredKeys(document)
        self._asking = Asking(document, self.keys)
        self._stray: dict[str, list[str]] = {}
        self._unjudged: list[str] = []
        self._pathless: dict[tuple[str, str], list[str]] = {}
        self.references = References(document, self._project, overrides, self.keys)
        self._inert: list[str] = []
        self.problems: list[Problem] = []

    def read_expectations(self) -> tuple[Expectation, ...]:
        """Return the items, each with the evaluators that judge it."""
        self._check_keys(self._document.value, OF_A_SET, ())
        asked = self.references.read_evaluators()
        self.problems += self.references.problems
        items = list(self._items())
        self._refuse_same(items)
        found = [_expect(item, self._graders(item, where, asked)) for item, where in items]
        self.problems += self._asking.problems
        for one in found:
            for grader in one.graders:
                if isinstance(grader, LegacyEvaluator) and grader.expects_nothing:
                    where = (grader.name, grader.target_output_key)
                    self._pathless.setdefault(where, []).append(quote(one.case_id))
        return tuple(found)

    def findings(self) -> Iterator[Finding]:
        path = str(self._document.path)
        if inert := ", ".join(map(repr, sorted({*self._inert, *self.references.inert}))):
            message = f"{inert}: how an agent or a model is run; recordings are judged as they are"
            yield Finding(severity=Severity.NOTE, rule="no-effect", message=message, path=path)
        yield from self.keys.findings
        for problem in self._project.unreadable:
            message = f"{problem.message}; nothing refers to it as it is"
            yield Finding(
                severity=Severity.WARNING,
                rule="evaluator-not-read",
                message=message,
                path=problem.path,
                line=problem.line,
                column=problem.column,
            )
        for rule, message in self._list_warnings():
            yield Finding(severity=Severity.WARNING, rule=rule, message=message, path=path)

    def _list_warnings(self) -> Iterator[tuple[str, str]]:
        for name, items in self._stray.items():
            message = f"the evaluator {quote(name)} is not listed in {REFS!r} and does not judge "
            yield "unused-criteria", message + ", ".join(items[:5])
        for (name, path), items in self._pathless.items():
            message = f"evaluator {quote(name)}: the expected output of {', '.join(items[:5])} has "
            message += f"nothing at {quote(path)}: an empty object is expected; "
            yield "nothing-at-path", f"{message}check 'targetOutputKey'"
        if self._unjudged:
            names = ", ".join(map(quote, self._unjudged[:5]))
            yield "unjudged-case", f"no evaluator judges {names}"

    def _items(self) -> Iterator[tuple[Item, Where]]:
        value = self._document.value
        name = next((name for name in _LISTS if value.get(name)), _LISTS[0])
        given = value.get(name)
        if not given or not isinstance(given, list):
            what = f", but {describe(given)}" if given else ""
            self._refuse(f"there is no list of items in 'evaluations'{what}", ())
            return
        for at, entry in enumerate(given):
            where: Where = (name, at)
            if not isinstance(entry, dict):
                self._refuse(
                    f"an item is a mapping with 'id' and 'inputs', not {describe(entry)}", where
                )
                continue
            self._check_keys(entry, OF_AN_ITEM, where)
            made, wrong = validate(Item, entry, self._document, where)
            self.problems += wrong
            if made is not None and self._is_judgeable(made, where):
                yield made, where

    def _is_judgeable(self, item: Item, where: Where) -> bool:
        """Return whether what is expected has the form that evaluators of its time compare."""
        wanted = item.expected_output
        if not item.has_layout_before_1 or isinstance(wanted, dict | None):
            return True
        message = "'expectedOutput' of an item without 'evaluationCriterias' is an object as in "
        message += f"{_OBJECT}, not {describe(wanted)}"
        self._refuse(message, (*where, "expectedOutput"))
        return False

    def _graders(self, item: Item, where: Where, asked: Mapping[str, Asked]) -> tuple[Grader, ...]:
        told = dict(self._pair_criteria(item, where, asked))
        found = [
            self._asking.build_grader(asked[name], item, *told[name])
            for name in asked
            if name in told
        ]
        if not told and not self.problems:
            self._unjudged.append(item.id)
        return tuple(grader for grader in found if grader is not None)

    def _pair_criteria(
        self, item: Item, where: Where, asked: Mapping[str, Asked]
    ) -> Iterator[tuple[str, tuple[dict[str, Any] | None, Where]]]:
        """Pair each evaluator with the item's criteria; in the oldest layout all have the same."""
        written = list(self._list_criteria(item, where))
        if not written and item.has_layout_before_1:
            yield from ((name, (None, where)) for name in asked)
            return
        for name, criteria, place in written:
            if normalise(name) in asked:
                yield normalise(name), (criteria, place)
            elif normalise(name) in self._project.found:
                self._stray.setdefault(name, []).append(quote(item.id))
            else:
                message = f"item {quote(item.id)}: {self._project.describe_missing(name)}"
                self._refuse(message, place, key=place[-2] == "evaluationCriterias")

    def _list_criteria(
        self, item: Item, where: Where
    ) -> Iterator[tuple[str, dict[str, Any] | None, Where]]:
        for name, criteria in (item.evaluation_criterias or {}).items():
            yield name, criteria, (*where, "evaluationCriterias", name)
        for at, one in enumerate(item.evaluations or ()):
            place: Where = (*where, "evaluations", at)
            entry = self._document.value[where[0]][where[1]]["evaluations"][at]
            self._check_keys(entry, OF_A_CRITERION, place)
            inner = ("evaluationCriteria",) if "evaluationCriteria" in entry else ()
            yield one.evaluator_id, one.evaluation_criteria, (*place, *inner)

    def _check_keys(self, value: Mapping[str, Any], known: list[str], where: Where) -> None:
        without_effect: tuple[Any, ...] = (None, False, [], {}, "")
        self._inert += [n for n in value if n in OF_THE_RUN and value[n] not in without_effect]
        self.keys.check(self._document, value, known, where)

    def _refuse_same(self, items: list[tuple[Item, Where]]) -> None:
        first: dict[str, Where] = {}
        for item, where in items:
            if first.setdefault(normalise(item.id), where) is not where:
                line, column = self._document.place(first[normalise(item.id)])
                message = f"the item {quote(item.id)} is here twice, first at {line}:{column}"
                self._refuse(f"{message}; rename one", (*where, "id"))

    def _refuse(self, message: str, where: Where, *, key: bool = False) -> None:
        self.problems.append(self._document.problem(message, where, key=key))


def _expect(item: Item, graders: tuple[Grader, ...]) -> Expectation:
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
    """Yield the text that a person would have said, and the whole input as JSON of any style."""
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

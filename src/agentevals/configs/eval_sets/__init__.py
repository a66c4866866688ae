"""Eval sets, read into expectations: ADK's EvalSet, its old list format, or JSON Lines."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from agentevals.configs.eval_sets import traces
from agentevals.configs.eval_sets.adk import EvalCase, EvalSet
from agentevals.configs.ignored_keys import IgnoredKeys
from agentevals.configs.labels import find_label
from agentevals.configs.plan import Expectation
from agentevals.files import documents
from agentevals.files.documents import Document
from agentevals.files.places import DEEPEST, describe, quote
from agentevals.files.validation import Where, complaints
from agentevals.model.conversations import ToolCall, Turn
from agentevals.model.errors import ConfigError, Problem
from agentevals.model.results import Finding, Severity

Written = TypeVar("Written", bound=BaseModel)

_CASE_KEYS = {"eval_id", "evalId", "conversation", "conversation_scenario", "conversationScenario"}
_SET_KEYS = {"eval_set_id", "eval_cases", "evalSetId", "evalCases"}


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)


class _ToolUse(_Written):
    tool_name: str
    tool_input: dict[str, Any] | None = {}
    mock_tool_output: Any = None

    def call(self) -> ToolCall:
        output = self.mock_tool_output
        return ToolCall(
            name=self.tool_name, args=self.tool_input, response=output, answered=output is not None
        )


class _Message(_Written):
    author: str = ""
    text: str


class Question(_Written):
    """The user's message in one turn, with the calls and the answer that are expected."""

    query: str
    reference: str | None = None
    expected_tool_use: list[_ToolUse] = []
    expected_intermediate_agent_responses: list[_Message] = []

    def turn(self) -> Turn:
        """Return the turn as the rest of the program knows it."""
        return Turn(
            user=self.query,
            response=self.reference,
            tool_calls=tuple(use.call() for use in self.expected_tool_use),
            intermediate=tuple(m.text for m in self.expected_intermediate_agent_responses),
        )


class NamedSession(_Written):
    """A named conversation."""

    name: str
    data: list[Question]
    initial_session: dict[str, Any] | None = None

    def expectation(self) -> Expectation:
        """Return the session as the rest of the program knows it."""
        known = expect_session(self.name, self.data)
        return replace(known, labels={"initial_session": self.initial_session or {}})


def expect_session(case_id: str, questions: list[Question]) -> Expectation:
    """Return the conversation that consists of these questions."""
    turns = tuple(question.turn() for question in questions)
    return Expectation(case_id=case_id, turns=turns, opening=turns[0].user if turns else "")


@dataclass(frozen=True, kw_only=True)
class Expectations:
    """The cases of an eval set, in its order, and what is worth knowing about it."""

    eval_set_id: str
    path: Path
    cases: tuple[Expectation, ...]
    findings: tuple[Finding, ...] = ()


def load(path: Path, cluster: str = "", keys: IgnoredKeys | None = None) -> Expectations:
    """Read an eval set, or raise a ConfigError with everything that is wrong with it.

    A key that `gate.cluster` names means something, whatever it is called. Other unknown keys are
    told with those of a config, if it collects them in `keys`.
    """
    document = documents.read(path)
    own = IgnoredKeys(document)
    reader = _Reader(document, keys or own, cluster)
    reader.read()
    return reader.result(own)


def try_load(
    path: Path | None, cluster: str = "", keys: IgnoredKeys | None = None
) -> tuple[Expectations | None, list[Problem]]:
    """Read an eval set, if there is one, and return what is wrong with it."""
    try:
        return (load(path, cluster, keys) if path else None), []
    except ConfigError as error:
        return None, list(error.problems)


@dataclass
class _Reader:
    document: Document
    keys: IgnoredKeys
    cluster: str
    set_ids: list[str] = field(default_factory=list)
    cases: list[tuple[Expectation, Where]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)

    def read(self) -> None:
        value = self.document.value
        if isinstance(value, dict):
            self._record(value, ())
        elif isinstance(value, list):
            self._records(value)
        else:
            self._unknown(value, ())

    def result(self, own: IgnoredKeys) -> Expectations:
        problems = own.join([*self.problems, *self._duplicates()])
        if problems:
            raise ConfigError(problems)
        return Expectations(
            eval_set_id=self.set_ids[0] if self.set_ids else self._stem,
            path=self.document.path,
            cases=tuple(case for case, _ in self.cases),
            findings=(*own.findings, *self._findings()),
        )

    @property
    def _stem(self) -> str:
        return self.document.path.name.split(".")[0]

    def _records(self, records: list[Any]) -> None:
        """A list of questions is one conversation, but on lines of their own each is one."""
        if not self.document.lines and any(_is_question(record) for record in records):
            self._session(_number_records(records, ()), (), self._stem)
            return
        for record, where in _number_records(records, ()):
            self._record(record, where)

    def _record(self, record: Any, where: Where) -> None:
        if isinstance(record, list):
            self._session(_number_records(record, where), where, self._name(where))
        elif not isinstance(record, dict):
            self._unknown(record, where)
        elif _is_question(record):
            self._session([(record, where)], where, self._name(where))
        elif traces.is_trace(record):
            self.problems.append(self.document.problem(traces.MISTAKEN, where))
        elif record.keys() & {"data", "initial_session"}:
            named = self._validate(NamedSession, record, where)
            self._add(named.expectation() if named else None, where)
        elif record.keys() & _CASE_KEYS:
            self._case(self._validate(EvalCase, record, where), where)
        elif record.keys() & _SET_KEYS or not where:
            self._set(self._validate(EvalSet, record, where), where)
        else:
            self._unknown(record, where)

    def _set(self, given: EvalSet | None, where: Where) -> None:
        if given is None:
            return
        self.set_ids.append(given.eval_set_id)
        self._check_keys(given, where)
        for index, case in enumerate(given.eval_cases):
            self._case(case, (*where, "eval_cases", index))

    def _case(self, case: EvalCase | None, where: Where) -> None:
        if case is not None:
            self._check_keys(case, where, f"case {quote(case.eval_id)}: ")
            self._add(case.expectation(), where)

    def _session(self, records: Iterable[tuple[Any, Where]], where: Where, name: str) -> None:
        questions = [self._validate(Question, record, place) for record, place in records]
        self._add(expect_session(name, [question for question in questions if question]), where)

    def _add(self, case: Expectation | None, where: Where) -> None:
        if case is not None:
            self.cases.append((case, where))

    def _validate(self, model: type[Written], record: Any, where: Where) -> Written | None:
        """ADK refuses keys that it does not know, except in its old format."""
        if isinstance(record, dict):
            levels = range(DEEPEST) if issubclass(model, _Written) else ()
            made, problems = self.keys.validate(model, record, self.document, where, levels=levels)
            self.problems += problems
            return made
        try:
            return model.model_validate(record)
        except ValidationError as error:
            self.problems += complaints(error, self.document, model, where)
            return None

    def _check_keys(self, given: EvalSet | EvalCase, where: Where, about: str = "") -> None:
        """Keys at the top of a set and of a case are ignored, unless the config says otherwise."""
        extra = given.model_extra or {}
        written = [key for key in extra if not find_label({key: extra[key]}, self.cluster)]
        fields = type(given).model_fields.items()
        known = [name for name, field in fields if not str(field.alias).startswith("x-")]
        self.keys.check(self.document, written, known, where, about=about)

    def _unknown(self, record: Any, where: Where) -> None:
        keys = "'eval_set_id' and 'eval_cases', 'eval_id', or 'query'"
        message = f"expected an eval case or an eval set (with {keys}), found {describe(record)}"
        self.problems.append(self.document.problem(message, where))

    def _duplicates(self) -> Iterator[Problem]:
        """Drop a repeated case; refuse another case under the same name."""
        first: dict[str, tuple[Expectation, Where]] = {}
        for case, where in self.cases:
            known, place = first.setdefault(case.case_id, (case, where))
            if known is case:
                continue
            if known == case:
                self.repeated.append(case.case_id)
                continue
            line, column = self.document.place(place)
            name = quote(case.case_id)
            message = f"eval case {name} is here twice, first at {line}:{column}; rename one"
            yield self.document.problem(message, where)
        self.cases = list(first.values())

    def _findings(self) -> Iterator[Finding]:
        for name in dict.fromkeys(self.repeated):
            message = f"eval case {quote(name)} is here more than once, word for word; once counts"
            yield self._finding("repeated-case", message)
        if not self.cases:
            yield self._finding("empty-eval-set", "the eval set has no cases")

    def _finding(self, rule: str, message: str) -> Finding:
        path = str(self.document.path)
        return Finding(severity=Severity.WARNING, rule=rule, message=message, path=path)

    def _name(self, where: Where) -> str:
        return "-".join([self._stem, *(str(int(step) + 1) for step in where)])


def _is_question(record: Any) -> bool:
    return isinstance(record, dict) and "query" in record


def _number_records(records: list[Any], where: Where) -> list[tuple[Any, Where]]:
    return [(record, (*where, index)) for index, record in enumerate(records)]

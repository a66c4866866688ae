"""Eval sets, read into expectations: ADK's EvalSet, its old list format, or JSON Lines."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from agentevals.configs.eval_case_labels import find_label
from agentevals.configs.eval_sets import eval_set_forms, plain_eval_cases
from agentevals.configs.eval_sets.adk_eval_set import EvalCase, EvalSet
from agentevals.configs.eval_sets.eval_set_forms import NamedSession, Question, expect_session
from agentevals.configs.ignored_config_keys import IgnoredKeys
from agentevals.configs.plan import Expectation
from agentevals.files import documents
from agentevals.files.document_places import DEEPEST, describe, quote
from agentevals.files.documents import Document
from agentevals.files.pydantic_mistakes import Where, complaints
from agentevals.model.errors import ConfigError, Problem
from agentevals.model.results import Finding, Severity

Written = TypeVar("Written", bound=BaseModel)

_CASE_KEYS = {"eval_id", "evalId", "conversation", "conversation_scenario", "conversationScenario"}
_SET_KEYS = {"eval_set_id", "eval_cases", "evalSetId", "evalCases"}


@dataclass(frozen=True, kw_only=True)
class Expectations:
    """The cases of an eval set, in its order, and what is worth knowing about it."""

    eval_set_id: str
    path: Path
    cases: Sequence[Expectation]
    findings: tuple[Finding, ...] = ()


def load(
    path: Path, cluster: str = "", keys: IgnoredKeys | None = None, *, invocations: bool = True
) -> Expectations:
    """Read an eval set, or raise a ConfigError with everything that is wrong with it.

    Without `invocations`, turns do not keep what stands there: it is most of their memory.
    A key that `gate.cluster` names means something, whatever it is called. Other unknown keys are
    told with those of a config, if it collects them in `keys`.
    """
    if (found := plain_eval_cases.read_file(path, invocations=invocations)) is not None:
        eval_set_id, cases = found
        name = _find_stem(path) if eval_set_id is None else eval_set_id
        return Expectations(eval_set_id=name, path=path, cases=cases)
    document = documents.read(path)
    own = IgnoredKeys(document)
    reader = _Reader(document, keys or own, cluster)
    reader.read()
    return reader.result(own, invocations=invocations)


def try_load(
    path: Path | None,
    cluster: str = "",
    keys: IgnoredKeys | None = None,
    *,
    invocations: bool = True,
) -> tuple[Expectations | None, list[Problem]]:
    """Read an eval set, if there is one, and return what is wrong with it."""
    try:
        return (load(path, cluster, keys, invocations=invocations) if path else None), []
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
    strays: list[tuple[str, Where, int, str]] = field(default_factory=list)

    def read(self) -> None:
        value = self.document.value
        if isinstance(value, dict):
            self._record(value, ())
        elif isinstance(value, list):
            self._records(value)
        else:
            self._unknown(value, ())

    def result(self, own: IgnoredKeys, *, invocations: bool) -> Expectations:
        problems = own.join([*self.problems, *self._duplicates()])
        if problems:
            raise ConfigError(problems)
        if not invocations:
            self.cases = [(case.drop_invocations(), where) for case, where in self.cases]
        return Expectations(
            eval_set_id=self.set_ids[0] if self.set_ids else self._stem,
            path=self.document.path,
            cases=tuple(case for case, _ in self.cases),
            findings=(*own.findings, *self._findings()),
        )

    @property
    def _stem(self) -> str:
        return _find_stem(self.document.path)

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
        elif eval_set_forms.is_trace(record):
            self.problems.append(self.document.problem(eval_set_forms.MISTAKEN, where))
        elif record.keys() & {"data", "initial_session"}:
            named = self._validate(NamedSession, record, where)
            self._add(named.expectation() if named else None, where)
        elif record.keys() & _CASE_KEYS:
            self._read_case(record, where)
        elif record.keys() & _SET_KEYS or not where:
            self._read_set(record, where)
        else:
            self._unknown(record, where)

    def _read_case(self, record: dict[str, Any], where: Where) -> None:
        if (case := plain_eval_cases.read_case(record)) is not None:
            self._add(case, where)
        else:
            self._case(self._validate(EvalCase, record, where), where)

    def _read_set(self, record: dict[str, Any], where: Where) -> None:
        found = plain_eval_cases.read_set(record)
        if found is None:
            self._set(self._validate(EvalSet, record, where), where)
            return
        eval_set_id, cases = found
        self.set_ids.append(eval_set_id)
        self.cases += [(case, (*where, "eval_cases", at)) for at, case in enumerate(cases)]

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
            self.strays += [(case.eval_id, where, *stray) for stray in case.list_stray_answers()]
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
            levels = range(DEEPEST) if issubclass(model, Question | NamedSession) else ()
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
        for case, where, turn, tool in self.strays:
            message = (
                f"eval case {quote(case)}, turn {turn + 1}: no expected call has the expected "
                f"answer of {quote(tool)}, so nothing judges it; add the call, or give both one id"
            )
            place = (*where, "conversation", turn, "intermediate_data")
            yield self.document.finding("stray-answer", message, place, Severity.WARNING)
        if not self.cases:
            yield self._finding("empty-eval-set", "the eval set has no cases")

    def _finding(self, rule: str, message: str) -> Finding:
        path = str(self.document.path)
        return Finding(severity=Severity.WARNING, rule=rule, message=message, path=path)

    def _name(self, where: Where) -> str:
        return "-".join([self._stem, *(str(int(step) + 1) for step in where)])


def _find_stem(path: Path) -> str:
    return path.name.split(".")[0]


def _is_question(record: Any) -> bool:
    return isinstance(record, dict) and "query" in record


def _number_records(records: list[Any], where: Where) -> list[tuple[Any, Where]]:
    return [(record, (*where, index)) for index, record in enumerate(records)]

"""One test of an EVAL file becomes an Expectation."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentevals.dialects.agentv import evaluators, lookup, messages, schema, variables
from agentevals.dialects.agentv.evaluators import List, Listed
from agentevals.dialects.agentv.gathering import Item
from agentevals.dialects.agentv.messages import Message
from agentevals.dialects.agentv.schema import Execution, Suite, Test
from agentevals.dialects.agentv.sheets import Shared, Sheet
from agentevals.documents import files
from agentevals.documents.complaints import Where, shown
from agentevals.documents.places import quoted
from agentevals.errors import ConfigError
from agentevals.grading import Grader
from agentevals.model import Task, Turn
from agentevals.plan import Expectation
from agentevals.report import Severity

_LARGEST = 200_000  # characters of an input file that a judge is shown
_RUBRICS = "rubric"  # the name of what a test lists under `rubrics`
_BLOCK = "file"


@dataclass(kw_only=True)
class Cases:
    """Makes Expectations of the tests of one EVAL file.

    `names` are those of the evaluators of the whole file, and `judged` is whether any is written,
    right or wrong. `settings` are what the command line says to builtins.
    """

    shared: Shared
    suite: Suite
    threshold: float
    names: frozenset[str]
    settings: Mapping[str, Any]
    judged: bool
    _first: dict[str, Item] = field(default_factory=dict)
    _unjudged: list[tuple[str, Item]] = field(default_factory=list)

    def read(self, items: Iterator[Item]) -> list[Expectation]:
        """The tests in their order; problems say what keeps one from being read."""
        found = [self._expectation(item) for item in items]
        self._refuse_unjudged()
        return [one for one in found if one is not None]

    def _expectation(self, item: Item) -> Expectation | None:
        sheet, where = item.sheet, item.where
        about = f"test {quoted(item.record['id'])}: " if "id" in item.record else ""
        record = self._with_variables(item)
        test = sheet.part(Test, record, where, schema.TEST_KEYS, about)
        if test is None:
            return None
        place = (*where, "execution")
        written = test.execution or {}
        execution = sheet.part(Execution, written, place, schema.EXECUTION_KEYS, about)
        execution = execution or Execution()
        self._refuse_twice(test.id, item)
        self._look_at_threshold(execution, sheet, where)
        self._look_at_turns(test, sheet, where)
        wrong = len(self.shared.problems)
        graders = self._graders(test, record, item, skip=execution.skip_defaults)
        judged = graders or (self.judged and not execution.skip_defaults)
        if not judged and len(self.shared.problems) == wrong:
            self._unjudged.append((test.id, item))
        return self._lowered(test, sheet, where, graders, alone=execution.skip_defaults)

    def _with_variables(self, item: Item) -> dict[str, Any]:
        own = item.record.get("vars")
        known = self.suite.vars | (own if isinstance(own, dict) else {})
        if not known:
            return item.record
        filled = variables.with_own(item.record, known)
        return {**filled, "id": item.record.get("id")} if "id" in item.record else filled

    def _lowered(
        self, test: Test, sheet: Sheet, where: Where, graders: tuple[Grader, ...], *, alone: bool
    ) -> Expectation:
        own = _first_of(test.input_messages, test.input)
        given = messages.of_input(own)
        if not given and test.turns:
            given = messages.of_input(_of_turn(test.turns[0], "input"))
        if not given:
            sheet.refuse(f"test {quoted(test.id)}: 'input' is missing", where)
        else:
            key = "input" if test.input_messages is None else "input_messages"
            messages.check(given, (*where, key), sheet.refuse)
        wanted = messages.of_output(_first_of(test.expected_messages, test.expected_output))
        given = self._complete(given, test, alone=alone)
        openings = tuple(messages.texts_of_user(messages.of_input(own) or given))
        question = messages.question(given, lambda name: _held(sheet, name))
        return Expectation(
            case_id=test.id,
            turns=_turns(test, wanted, openings[0] if openings else question),
            opening=openings[0] if openings else "",
            openings=(*openings[1:], question),
            criteria=test.criteria or test.expected_outcome or test.outcome or "",
            task=Task(
                question=question,
                reference=messages.reference(wanted),
                input=given,
                expected_output=wanted,
                input_files=tuple(_absolute(sheet, name) for name in messages.files(given)),
                guideline_files=tuple(_absolute(sheet, name) for name in test.guideline_files),
                metadata=test.metadata,
            ),
            graders=graders,
            own_only=alone,
        )

    def _complete(
        self, given: tuple[Message, ...], test: Test, *, alone: bool
    ) -> tuple[Message, ...]:
        """With the input of the whole file in front, and the files of both."""
        common = () if alone else messages.of_input(self.suite.input)
        named = [*([] if alone else self.suite.input_files), *test.input_files]
        if not named:
            return (*common, *given)
        blocks = [{"type": _BLOCK, "value": name} for name in named]
        at = next((at for at, one in enumerate(given) if one["role"] == "user"), None)
        if at is None:
            return (*common, {"role": "user", "content": blocks}, *given)
        content = given[at].get("content")
        told = content if isinstance(content, list) else [{"type": "text", "value": content}]
        with_files = {**given[at], "content": [*blocks, *told]}
        return (*common, *given[:at], with_files, *given[at + 1 :])

    def _graders(
        self, test: Test, record: Mapping[str, Any], item: Item, *, skip: bool
    ) -> tuple[Grader, ...]:
        """Those of the test alone: its rubrics first, then the list that wins."""
        known = self.suite.vars | test.vars
        reader = List(item.sheet, known, self.settings)
        found: list[Listed] = []
        if (rubrics := record.get("rubrics")) is not None:
            entry = {"name": _RUBRICS, "type": _RUBRICS, "rubrics": rubrics}
            found += reader.listed([entry], (*item.where, "rubrics"))
        given, place = winning(record, item.sheet, item.where)
        found += reader.listed(given, place)
        return evaluators.unique(found, set() if skip else set(self.names))

    def _refuse_twice(self, name: str, item: Item) -> None:
        if name in self._first:
            first = self._first[name]
            line, _ = first.sheet.document.place(first.where)
            place = f"{first.sheet.document.path}:{line}"
            item.sheet.refuse(
                f"the test {quoted(name)} is here twice, first in {place}; rename one",
                (*item.where, "id"),
            )
        self._first.setdefault(name, item)

    def _refuse_unjudged(self) -> None:
        """Said once for all tests alike: a list of a hundred would hide what else is wrong."""
        if not self._unjudged:
            return
        name, item = self._unjudged[0]
        rest = len(self._unjudged) - 1
        those = f"the test {quoted(name)}" + (f" and {rest} more" if rest else "")
        item.sheet.refuse(
            f"no evaluator judges {those}; write 'assert:' with a list of them, such as "
            "'- {type: contains, value: …}', or '- {type: llm_judge}' to have a language model "
            "judge by the criteria",
            item.where,
        )

    def _look_at_threshold(self, execution: Execution, sheet: Sheet, where: Where) -> None:
        if execution.threshold not in {None, self.threshold}:
            sheet.refuse(
                "a single test has no threshold of its own; write 'threshold' in 'execution' of "
                "the whole file, or in the evaluators of this test",
                (*where, "execution", "threshold"),
            )

    def _look_at_turns(self, test: Test, sheet: Sheet, where: Where) -> None:
        for index, turn in enumerate(test.turns):
            place = (*where, "turns", index)
            if not isinstance(turn, dict):
                sheet.refuse(f"a turn is a mapping, not {shown(turn)}", place)
                continue
            for key in schema.LISTS:
                if turn.get(key):
                    message = f"{key!r} of a single turn is not read; write it in the test"
                    sheet.refuse(message, (*place, key))


def winning(record: Mapping[str, Any], sheet: Sheet, where: Where) -> tuple[Any, Where]:
    """The list of evaluators that counts where there may be several, and its place."""
    execution = record.get("execution")
    inner = execution if isinstance(execution, dict) else {}
    first, second, last = schema.LISTS
    found = [
        (holder[key], (*where, *way, key))
        for holder, way, keys in (
            (record, (), (first, second)),
            (inner, ("execution",), (first, second, last)),
            (record, (), (last,)),
        )
        for key in keys
        if holder.get(key) is not None
    ]
    for _, place in found[1:]:
        message = f"not read: {quoted(found[0][1][-1])} is here as well, and that one counts"
        sheet.note("second-list", message, place, Severity.WARNING)
    return found[0] if found else (None, where)


def _turns(test: Test, wanted: Sequence[Message], opening: str) -> tuple[Turn, ...] | None:
    if test.turns and not wanted:
        return tuple(_turn_of(turn) for turn in test.turns if isinstance(turn, dict)) or None
    return (_turn(wanted, opening),) if wanted else None


def _turn_of(raw: Mapping[str, Any]) -> Turn:
    said = next(messages.texts_of_user(messages.of_input(raw.get("input"))), "")
    return _turn(messages.of_output(raw.get("expected_output")), said)


def _turn(wanted: Sequence[Message], user: str) -> Turn:
    said = [m for m in wanted if m["role"] == "assistant" and m.get("content") is not None]
    return Turn(
        user=user,
        response=messages.text(said[-1]["content"], lambda _: "") if said else None,
        tool_calls=tuple(messages.tool_calls(wanted)),
    )


def _of_turn(turn: Any, key: str) -> Any:
    return turn.get(key) if isinstance(turn, dict) else None


def _first_of(*given: Any) -> Any:
    return next((one for one in given if one is not None), None)


def _file(sheet: Sheet, name: str) -> Path | None:
    """A file of a test: beside it, further up, or where the program was started."""
    plain = name.removeprefix("file://")
    above = lookup.upward(sheet.folder, plain.lstrip("/"), sheet.shared.root)
    return above or sheet.paths.found(plain)


def _absolute(sheet: Sheet, name: str) -> str:
    found = _file(sheet, name)
    return str(found or sheet.folder / name)


def _held(sheet: Sheet, name: str) -> str:
    """What a file of the input says; a file that is no text, or not here, says nothing."""
    path = _file(sheet, name)
    if path is None:
        if sheet.shared.once(f"file {name}"):
            message = f"the input file {quoted(name)} is not here; a judge does not see it"
            sheet.note("no-such-input-file", message, (), Severity.WARNING)
        return ""
    try:
        return files.text(path)[:_LARGEST].rstrip("\n")
    except ConfigError:
        return ""

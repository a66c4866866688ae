"""One test of an EVAL file becomes an Expectation."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agentevals.configs.dialects.agentv import evaluators, messages, schema, tasks, variables
from agentevals.configs.dialects.agentv.evaluators import List, Listed
from agentevals.configs.dialects.agentv.gathering import Item
from agentevals.configs.dialects.agentv.schema import Execution, Suite, Test
from agentevals.configs.dialects.agentv.sheets import Shared, Sheet
from agentevals.configs.plan import Expectation
from agentevals.files.places import describe, quote
from agentevals.files.validation import Where
from agentevals.graders.grader import Grader
from agentevals.model.cases import Task


@dataclass(kw_only=True)
class Cases:
    """Makes Expectations of the tests of one EVAL file.

    `names` are those of the evaluators of the whole file, and `judged` is whether any is written,
    right or wrong. `settings` are what the command line says to builtins, `threshold` is what it
    says to tests, whatever they say themselves.
    """

    shared: Shared
    suite: Suite
    threshold: float | None
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
        about = f"test {quote(item.record['id'])}: " if "id" in item.record else ""
        record = self._with_variables(item)
        test = sheet.part(Test, record, where, schema.TEST_KEYS, about)
        if test is None:
            return None
        place = (*where, "execution")
        written = test.execution or {}
        execution = sheet.part(Execution, written, place, schema.EXECUTION_KEYS, about)
        execution = execution or Execution()
        self._refuse_twice(test.id, item)
        self._look_at_turns(test, sheet, where)
        wrong = len(self.shared.problems)
        graders = self._graders(test, record, item, skip=execution.skip_defaults)
        judged = graders or (self.judged and not execution.skip_defaults)
        if not judged and len(self.shared.problems) == wrong:
            self._unjudged.append((test.id, item))
        made = self._expect(test, sheet, where, graders, alone=execution.skip_defaults)
        return replace(made, pass_at=self._pass_at(execution))

    def _with_variables(self, item: Item) -> dict[str, Any]:
        own = item.record.get("vars")
        known = self.suite.vars | (own if isinstance(own, dict) else {})
        if not known:
            return item.record
        filled = variables.fill_own(item.record, known, self.shared.room)
        return {**filled, "id": item.record.get("id")} if "id" in item.record else filled

    def _expect(
        self, test: Test, sheet: Sheet, where: Where, graders: tuple[Grader, ...], *, alone: bool
    ) -> Expectation:
        own = messages.read_input(tasks.find_input(test))
        if own:
            key = "input" if test.input_messages is None else "input_messages"
            messages.check(own, (*where, key), sheet.refuse)
        else:
            sheet.refuse(f"test {quote(test.id)}: 'input' is missing", where)
        given = tasks.complete(own, test, self.suite, alone=alone)
        wanted = tasks.find_expected_messages(test)
        question = messages.join_question(given, lambda name: tasks.read_input_file(sheet, name))
        openings = tuple(messages.find_user_texts(own)) or (question,)
        return Expectation(
            case_id=test.id,
            turns=tasks.expect_turns(test, wanted, openings[0]),
            opening=openings[0],
            openings=(*openings[1:], question),
            criteria=test.criteria or test.expected_outcome or test.outcome or "",
            task=Task(
                question=question,
                reference=messages.join_reference(wanted),
                input=given,
                expected_output=wanted,
                input_files=tasks.make_absolute(sheet, messages.find_files(given)),
                guideline_files=tasks.make_absolute(sheet, test.guideline_files),
                metadata=test.metadata,
            ),
            graders=graders,
            own_only=alone,
        )

    def _graders(
        self, test: Test, record: Mapping[str, Any], item: Item, *, skip: bool
    ) -> tuple[Grader, ...]:
        """Read the evaluators of one test: its rubrics first, then the list that wins."""
        known = self.suite.vars | test.vars
        reader = List(item.sheet, known, self.settings)
        found: list[Listed] = []
        if (rubrics := record.get("rubrics")) is not None:
            found += reader.read_rubrics(rubrics, (*item.where, "rubrics"))
        given, place = evaluators.choose_list(record, item.sheet, item.where)
        found += reader.read(given, place)
        return evaluators.name_uniquely(found, set() if skip else set(self.names))

    def _refuse_twice(self, name: str, item: Item) -> None:
        if name in self._first:
            first = self._first[name]
            line, _ = first.sheet.document.place(first.where)
            place = f"{first.sheet.document.path}:{line}"
            item.sheet.refuse(
                f"the test {quote(name)} is here twice, first in {place}; rename one",
                (*item.where, "id"),
            )
        self._first.setdefault(name, item)

    def _refuse_unjudged(self) -> None:
        """Said once for all tests alike: a list of a hundred would hide what else is wrong."""
        if not self._unjudged:
            return
        name, item = self._unjudged[0]
        rest = len(self._unjudged) - 1
        those = f"the test {quote(name)}" + (f" and {rest} more" if rest else "")
        item.sheet.refuse(
            f"no evaluator judges {those}; write 'assert:' with a list of them, such as "
            "'- {type: contains, value: …}', or '- {type: llm_judge}' to have a language model "
            "judge by the criteria",
            item.where,
        )

    def _pass_at(self, execution: Execution) -> float | None:
        """The mean score that this test alone has to reach."""
        return None if self.threshold is not None else execution.threshold

    def _look_at_turns(self, test: Test, sheet: Sheet, where: Where) -> None:
        for index, turn in enumerate(test.turns):
            place = (*where, "turns", index)
            if not isinstance(turn, dict):
                sheet.refuse(f"a turn is a mapping, not {describe(turn)}", place)
                continue
            for key in schema.LISTS:
                if turn.get(key):
                    message = f"{key!r} of a single turn is not read; write it in the test"
                    sheet.refuse(message, (*place, key))

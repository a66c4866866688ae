"""One test of an EVAL file, with its messages, turns and files, becomes an Expectation."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agentevals.configs.dialects.agentv import (
    eval_file_evaluators,
    eval_file_keys,
    eval_file_messages,
    eval_file_variables,
)
from agentevals.configs.dialects.agentv.eval_file_defaults import Defaults
from agentevals.configs.dialects.agentv.eval_file_evaluators import List, Listed
from agentevals.configs.dialects.agentv.eval_file_keys import Execution, Suite, Test
from agentevals.configs.dialects.agentv.eval_file_messages import Message
from agentevals.configs.dialects.agentv.eval_file_parts import Item, Shared, Sheet, find_upward
from agentevals.configs.plan import Expectation
from agentevals.files import named_files
from agentevals.files.document_places import describe, quote
from agentevals.files.pydantic_mistakes import Where
from agentevals.graders.grader import Grader
from agentevals.model.cases import Task
from agentevals.model.conversations import Turn
from agentevals.model.errors import ConfigError
from agentevals.model.results import Severity

_LARGEST = 200_000  # characters of an input file that a judge is shown
_BLOCK = "file"
_ASKING = frozenset({"input", "input_messages", "turns"})
_EXPECTING = frozenset({"expected_output", "expected_messages"})


def complete(
    given: tuple[Message, ...], test: Test, suite: Suite, *, alone: bool
) -> tuple[Message, ...]:
    """Return messages with the input of the whole file in front, and the files of both."""
    common = () if alone else eval_file_messages.read(suite.input, "user")
    named = [*([] if alone else suite.input_files), *test.input_files]
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


def expect_turns(test: Test, wanted: Sequence[Message], opening: str) -> tuple[Turn, ...] | None:
    """Return the turns that are expected; None where nothing is said about them."""
    if test.turns and not wanted:
        return tuple(_read_turn(turn) for turn in test.turns if isinstance(turn, dict)) or None
    return (_make_turn(wanted, opening),) if wanted else None


def _read_turn(raw: Mapping[str, Any]) -> Turn:
    said = next(
        eval_file_messages.find_user_texts(eval_file_messages.read(raw.get("input"), "user")), ""
    )
    return _make_turn(eval_file_messages.read(raw.get("expected_output"), "assistant"), said)


def _make_turn(wanted: Sequence[Message], user: str) -> Turn:
    said = [m for m in wanted if m["role"] == "assistant" and m.get("content") is not None]
    return Turn(
        user=user,
        response=eval_file_messages.read_text(said[-1]["content"], lambda _: "") if said else None,
        tool_calls=tuple(eval_file_messages.read_tool_calls(wanted)),
    )


def _find_file(sheet: Sheet, name: str) -> Path | None:
    """Return a file of a test: beside it, further up, or where the program was started."""
    plain = name.removeprefix("file://")
    above = find_upward(sheet.folder, plain.lstrip("/"), sheet.shared.root)
    return above or sheet.paths.find(plain)


def make_absolute(sheet: Sheet, names: Iterable[str]) -> tuple[str, ...]:
    """Return the absolute paths of a test's files, whether they exist or not."""
    found = ((_find_file(sheet, name) or sheet.folder / name) for name in names)
    return tuple(str(path.absolute()) for path in found)


def read_input_file(sheet: Sheet, name: str) -> str:
    """Return the text of an input file; empty if the file is missing or no text."""
    path = _find_file(sheet, name)
    if path is None:
        if sheet.shared.once(f"file {name}"):
            message = f"the input file {quote(name)} is not here; a judge does not see it"
            sheet.note("no-such-input-file", message, (), Severity.WARNING)
        return ""
    sheet.shared.sources.append(path)
    try:
        return named_files.text(path)[:_LARGEST].rstrip("\n")
    except ConfigError:
        return ""


@dataclass(kw_only=True)
class Cases:
    """Makes Expectations of the tests of one EVAL file.

    `names` are those of the evaluators of the whole file, and `judged` is whether any is written,
    right or wrong. `settings` are what the command line says to builtins, `threshold` is what it
    says to tests, whatever they say themselves.
    """

    shared: Shared
    suite: Suite
    defaults: Defaults
    threshold: float | None
    names: frozenset[str]
    settings: Mapping[str, Any]
    judged: bool
    _first: dict[str, Item] = field(default_factory=dict)
    _unjudged: list[tuple[str, Item]] = field(default_factory=list)

    def read(self, items: Iterator[Item]) -> list[Expectation]:
        """Return the tests in their order; problems say what keeps one from being read."""
        found = [self._expectation(item) for item in items]
        self._refuse_unjudged()
        return [one for one in found if one is not None]

    def _expectation(self, item: Item) -> Expectation | None:
        sheet, where = item.sheet, item.where
        about = f"test {quote(item.record['id'])}: " if "id" in item.record else ""
        record = self._with_variables(item)
        test = sheet.part(Test, record, where, eval_file_keys.TEST_KEYS, about)
        if test is None:
            return None
        place = (*where, "execution")
        written = test.execution or {}
        execution = sheet.part(Execution, written, place, eval_file_keys.EXECUTION_KEYS, about)
        execution = execution or Execution()
        self._refuse_twice(test.id, item)
        self._look_at_turns(test, sheet, where)
        wrong = len(self.shared.problems)
        graders = self._graders(test, record, item, skip=execution.skip_defaults)
        judged = graders or (self.judged and not execution.skip_defaults)
        if not judged and len(self.shared.problems) == wrong:
            self._unjudged.append((test.id, item))
        made = self._expect(test, sheet, where, graders, alone=execution.skip_defaults)
        labels = {
            k: v for k, v in record.items() if k in eval_file_keys.LABELS or k.startswith("x-")
        }
        # what the command line says to all tests, no test can change
        own = test.threshold if execution.threshold is None else execution.threshold
        pass_at = None if self.threshold is not None else own
        return replace(made, pass_at=pass_at, labels=labels)

    def _with_variables(self, item: Item) -> dict[str, Any]:
        own, usual = item.record.get("vars"), self.defaults.test.vars
        known = self.suite.vars | usual | (own if isinstance(own, dict) else {})
        if not known:
            return item.record
        room = self.shared.room
        if isinstance(own, dict) or usual:
            known = eval_file_variables.fill_own(known, {"vars": known, **known}, room)
            item = item._replace(record=self._read_newer(item.record, known))
        filled = eval_file_variables.fill_own(item.record, {"vars": known, **known}, room)
        return {**filled, "id": item.record.get("id")} if "id" in item.record else filled

    def _read_newer(self, record: dict[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
        """Read the form of 5.x: a prompt of the file says what is asked, `vars` what it is."""
        found = dict(record)
        if not _ASKING & record.keys() and (asked := self.defaults.find_prompt(known)) is not None:
            found["input"] = asked
        if not _EXPECTING & record.keys() and "expected_output" in known:
            found["expected_output"] = known["expected_output"]
        return found

    def _expect(
        self, test: Test, sheet: Sheet, where: Where, graders: tuple[Grader, ...], *, alone: bool
    ) -> Expectation:
        key = "input" if test.input_messages is None else "input_messages"
        asked = getattr(test, key)
        first = test.turns[0] if asked is None and test.turns else None
        own = eval_file_messages.read(
            first.get("input") if isinstance(first, dict) else asked, "user"
        )
        if own:
            eval_file_messages.check(own, (*where, key), sheet.refuse)
        else:
            sheet.refuse(f"test {quote(test.id)}: 'input' is missing", where)
        given = complete(own, test, self.suite, alone=alone)
        expected = test.expected_messages
        expected = test.expected_output if expected is None else expected
        wanted = eval_file_messages.read(expected, "assistant")
        question = eval_file_messages.join_question(
            given, lambda name: read_input_file(sheet, name)
        )
        openings = tuple(eval_file_messages.find_user_texts(own)) or (question,)
        return Expectation(
            case_id=test.id,
            turns=expect_turns(test, wanted, openings[0]),
            opening=openings[0],
            openings=(*openings[1:], question),
            criteria=test.criteria or test.expected_outcome or test.outcome or "",
            task=Task(
                question=question,
                reference=eval_file_messages.join_reference(wanted),
                input=given,
                expected_output=wanted,
                input_files=make_absolute(sheet, eval_file_messages.find_files(given)),
                guideline_files=make_absolute(sheet, test.guideline_files),
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
        template = eval_file_evaluators.read_template(item.sheet, record, item.where, known)
        reader = List(item.sheet, known, self.settings, template)
        found: list[Listed] = []
        if (rubrics := record.get("rubrics")) is not None:
            found += reader.read_rubrics(rubrics, (*item.where, "rubrics"))
        given, place = eval_file_evaluators.choose_list(record, item.sheet, item.where)
        found += reader.read(given, place)
        return eval_file_evaluators.name_uniquely(found, set() if skip else set(self.names))

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

    def _look_at_turns(self, test: Test, sheet: Sheet, where: Where) -> None:
        for index, turn in enumerate(test.turns):
            place = (*where, "turns", index)
            if not isinstance(turn, dict):
                sheet.refuse(f"a turn is a mapping, not {describe(turn)}", place)
                continue
            for key in eval_file_keys.LISTS:
                if turn.get(key):
                    message = f"{key!r} of a single turn is not read; write it in the test"
                    sheet.refuse(message, (*place, key))

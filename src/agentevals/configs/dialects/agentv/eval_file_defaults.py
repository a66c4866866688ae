"""What a file of 5.x says about all of its tests: a prompt, and what a test has by default."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentevals.configs.dialects.agentv.eval_file_evaluators import List, read_template
from agentevals.configs.dialects.agentv.eval_file_keys import LISTS, Score, Section, Suite
from agentevals.configs.dialects.agentv.eval_file_parts import Sheet
from agentevals.files.document_places import describe
from agentevals.files.pydantic_mistakes import Where

_FILE = "file://"
_TEMPLATE = "rubric_prompt"
_TEXTS = ("prompt", "raw")
_INPUT = re.compile(
    r"\{\{\s*(?:vars\.)?input\s*\}\}"
)  # the prompt that is the input, be it messages


class DefaultTest(Section):
    """The keys of `default_test`, but for its evaluators."""

    vars: dict[str, Any] = {}
    threshold: Score = None
    options: dict[str, Any] = {}
    metadata: Any = None


@dataclass(frozen=True)
class Defaults:
    """The defaults of all tests, with their place: they may be in a file of their own."""

    sheet: Sheet
    where: Where = ()
    written: Mapping[str, Any] = field(default_factory=dict)
    test: DefaultTest = field(default_factory=DefaultTest)
    prompt: Any = None

    def find_prompt(self, known: Mapping[str, Any]) -> Any:
        """Return what is asked: the prompt, or the variable that it consists of."""
        own = self.prompt
        is_input = own is None or (isinstance(own, str) and _INPUT.fullmatch(own.strip()))
        return known.get("input") if is_input else own

    def read_template(self) -> str | None:
        """Return the prompt of the judges that have none."""
        place = (*self.where, "options")
        return read_template(self.sheet, self.test.options, place, self.test.vars, (_TEMPLATE,))


def read_defaults(sheet: Sheet, suite: Suite) -> Defaults:
    """Return what the file says; its problems are collected where all are."""
    prompt = _read_prompt(sheet, suite.prompts)
    given, holder = suite.default_test, sheet
    where: Where = ("default_test",)
    if isinstance(given, str):
        opened = _open(sheet, given, where)
        if opened is None:
            return Defaults(sheet, prompt=prompt)
        holder, given, where = opened, opened.document.value, ()
    if given is None:
        return Defaults(sheet, prompt=prompt)
    keys = (*LISTS, *DefaultTest.model_fields)
    test = holder.part(DefaultTest, given, where, keys) or DefaultTest()
    for key in test.options.keys() - {_TEMPLATE}:
        holder.shared.of_running[f"default_test.options.{key}"] = None
    return Defaults(holder, where, given if isinstance(given, dict) else {}, test, prompt)


def _open(sheet: Sheet, given: str, where: Where) -> Sheet | None:
    wrong = len(sheet.shared.problems)
    path = Path(sheet.paths.absolute(given.removeprefix(_FILE), where))
    return sheet.shared.open(path) if len(sheet.shared.problems) == wrong else None


def _read_prompt(sheet: Sheet, given: Any) -> Any:
    """Return the first prompt: a text, or messages."""
    if not isinstance(given, list):
        return _read_one(sheet, given, ("prompts",))
    if len(given) > 1:
        message = "only the first of several prompts is the input of the tests"
        sheet.note("first-prompt", message, ("prompts", 1))
    return _read_one(sheet, given[0], ("prompts", 0)) if given else None


def _read_one(sheet: Sheet, given: Any, where: Where) -> Any:
    if isinstance(given, dict):
        named = given.get("file")
        text = next((given[key] for key in _TEXTS if key in given), None)
        given = f"{_FILE}{named}" if isinstance(named, str) else text
    if isinstance(given, str) and given.startswith(_FILE) and given.endswith(".json"):
        opened = _open(sheet, given, where)
        return opened and opened.document.value
    if isinstance(given, str):
        return List(sheet, {}, {}).text(given, where) if given.startswith(_FILE) else given
    if given is not None and not isinstance(given, list):
        sheet.refuse(f"a prompt is a text, messages, or a file, not {describe(given)}", where)
        return None
    return given

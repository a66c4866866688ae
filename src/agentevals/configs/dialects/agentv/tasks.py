"""What one test asks and expects: its messages, its turns, its files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentevals.configs.dialects.agentv import lookup, messages
from agentevals.configs.dialects.agentv.messages import Message
from agentevals.configs.dialects.agentv.schema import Suite, Test
from agentevals.configs.dialects.agentv.sheets import Sheet
from agentevals.files import reading
from agentevals.files.places import quoted
from agentevals.model.conversations import Turn
from agentevals.model.errors import ConfigError
from agentevals.model.results import Severity

_LARGEST = 200_000  # characters of an input file that a judge is shown
_BLOCK = "file"


def asked(test: Test) -> Any:
    """What the test itself gives to the agent, as it is written; None where nothing is."""
    given = test.input if test.input_messages is None else test.input_messages
    first = test.turns[0] if given is None and test.turns else None
    return first.get("input") if isinstance(first, dict) else given


def expected(test: Test) -> tuple[Message, ...]:
    """What the agent should say."""
    given = test.expected_messages
    return messages.of_output(test.expected_output if given is None else given)


def complete(
    given: tuple[Message, ...], test: Test, suite: Suite, *, alone: bool
) -> tuple[Message, ...]:
    """With the input of the whole file in front, and the files of both."""
    common = () if alone else messages.of_input(suite.input)
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


def turns(test: Test, wanted: Sequence[Message], opening: str) -> tuple[Turn, ...] | None:
    """The turns that are expected; None where nothing is said about them."""
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


def _file(sheet: Sheet, name: str) -> Path | None:
    """A file of a test: beside it, further up, or where the program was started."""
    plain = name.removeprefix("file://")
    above = lookup.upward(sheet.folder, plain.lstrip("/"), sheet.shared.root)
    return above or sheet.paths.find(plain)


def absolute(sheet: Sheet, name: str) -> str:
    """Where a file of a test is, or should be."""
    found = _file(sheet, name)
    return str((found or sheet.folder / name).absolute())


def held(sheet: Sheet, name: str) -> str:
    """What a file of the input says; a file that is no text, or not here, says nothing."""
    path = _file(sheet, name)
    if path is None:
        if sheet.shared.once(f"file {name}"):
            message = f"the input file {quoted(name)} is not here; a judge does not see it"
            sheet.note("no-such-input-file", message, (), Severity.WARNING)
        return ""
    sheet.shared.sources.append(path)
    try:
        return reading.text(path)[:_LARGEST].rstrip("\n")
    except ConfigError:
        return ""

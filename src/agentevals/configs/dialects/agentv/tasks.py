"""The input and the expected output of one test: its messages, its turns, its files."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from agentevals.configs.dialects.agentv import messages
from agentevals.configs.dialects.agentv.messages import Message
from agentevals.configs.dialects.agentv.schema import Suite, Test
from agentevals.configs.dialects.agentv.sheets import Sheet, find_upward
from agentevals.files import reading
from agentevals.files.places import quote
from agentevals.model.conversations import Turn
from agentevals.model.errors import ConfigError
from agentevals.model.results import Severity

_LARGEST = 200_000  # characters of an input file that a judge is shown
_BLOCK = "file"


def find_input(test: Test) -> Any:
    """Return the test's own input to the agent, as it is written; None if there is none."""
    given = test.input if test.input_messages is None else test.input_messages
    first = test.turns[0] if given is None and test.turns else None
    return first.get("input") if isinstance(first, dict) else given


def find_expected_messages(test: Test) -> tuple[Message, ...]:
    """Return the messages that the agent should send."""
    given = test.expected_messages
    return messages.read_output(test.expected_output if given is None else given)


def complete(
    given: tuple[Message, ...], test: Test, suite: Suite, *, alone: bool
) -> tuple[Message, ...]:
    """With the input of the whole file in front, and the files of both."""
    common = () if alone else messages.read_input(suite.input)
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
    """The turns that are expected; None where nothing is said about them."""
    if test.turns and not wanted:
        return tuple(_read_turn(turn) for turn in test.turns if isinstance(turn, dict)) or None
    return (_make_turn(wanted, opening),) if wanted else None


def _read_turn(raw: Mapping[str, Any]) -> Turn:
    said = next(messages.find_user_texts(messages.read_input(raw.get("input"))), "")
    return _make_turn(messages.read_output(raw.get("expected_output")), said)


def _make_turn(wanted: Sequence[Message], user: str) -> Turn:
    said = [m for m in wanted if m["role"] == "assistant" and m.get("content") is not None]
    return Turn(
        user=user,
        response=messages.read_text(said[-1]["content"], lambda _: "") if said else None,
        tool_calls=tuple(messages.read_tool_calls(wanted)),
    )


def _find_file(sheet: Sheet, name: str) -> Path | None:
    """A file of a test: beside it, further up, or where the program was started."""
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
        return reading.text(path)[:_LARGEST].rstrip("\n")
    except ConfigError:
        return ""

"""What an agent did, step by step, under every name by which a step may be meant."""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from agentevals.graders import javascript, messages
from agentevals.graders.javascript import UNDEFINED
from agentevals.model.cases import Case
from agentevals.model.conversations import ToolCall

Kind = Literal["tool", "command", "message", "span"]

_SHELLS = frozenset({"bash", "exec_command", "local_shell", "run_in_terminal", "shell"})
_COMMANDS = ("command", "cmd", "commands")


class Step(NamedTuple):
    """One thing the agent did. A tool call that runs a command is of both kinds."""

    kinds: frozenset[Kind]
    names: tuple[str, ...]


def list_steps(case: Case) -> Iterator[Step]:
    """Tool calls and messages, turn by turn."""
    for turn in case.turns:
        yield from map(build_step, turn.tool_calls)
        said = (*turn.intermediate, *((turn.response,) if turn.response else ()))
        for _ in said:
            yield Step(frozenset({"message"}), ("message",))


def list_spans(case: Case) -> Iterator[Step]:
    """Everything that was recorded as taking time, whoever did it."""
    for span in case.conversation.spans:
        yield Step(frozenset({"span"}), (span.name,))


def build_step(call: ToolCall) -> Step:
    """A tool call; where it runs a command, that is known by the command and its program too."""
    command = read_command(call)
    if not command:
        return Step(frozenset({"tool"}), (call.name,))
    return Step(frozenset({"tool", "command"}), (call.name, command, command.split()[0]))


def read_command(call: ToolCall) -> str:
    """What a call of a shell runs; empty for every other call."""
    shell = call.name.lower() in _SHELLS
    return javascript.trim(read_argument(call, *_COMMANDS)) if shell else ""


def read_argument(call: ToolCall, *names: str) -> str:
    """The first argument of these names that there is, as text; the words of a list in a row."""
    values = (javascript.read_member(call.args, name) for name in names)
    given = next((one for one in values if one is not None and one is not UNDEFINED), "")
    words = given if isinstance(given, list) else [given]
    return " ".join(map(javascript.to_text, words))


def name_calls(calls: Iterable[ToolCall]) -> str:
    """The names of the calls, for a sentence."""
    return ", ".join(call.name for call in calls) or "none"


def list_calls(case: Case) -> tuple[ToolCall, ...]:
    """Every tool call."""
    return tuple(messages.list_tool_calls(case.turns))

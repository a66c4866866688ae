"""The steps of an agent, and the names or patterns by which a config means them."""

import re
from collections.abc import Iterable, Iterator
from fnmatch import translate
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from agentevals.graders import javascript, judged_messages
from agentevals.graders.javascript import UNDEFINED
from agentevals.model.cases import Case
from agentevals.model.conversations import ToolCall

UNORDERED = (
    "the recording does not say in which order the tools were called; record the messages as well"
)

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]
Count = Annotated[int, Field(ge=0, strict=True)]


@lru_cache(maxsize=512)
def _compile_pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern.replace("[", "[[]")), re.IGNORECASE)


def fits_pattern(pattern: str, name: str) -> bool:
    """Return whether a name fits: `*` is any text, `?` any character, case is no matter."""
    return _compile_pattern(pattern).fullmatch(name) is not None


class Matcher(BaseModel):
    """A name, or a pattern of names."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: Name | None = Field(default=None, description="The name; `*` and `?` stand for others")
    pattern: Name | None = Field(default=None, description="The same; it goes before the name")

    @property
    def label(self) -> str:
        """The name or pattern as it was written."""
        return self.pattern or self.name or "*"

    def means(self, names: Iterable[str]) -> bool:
        """Return whether one of the names of a step is meant."""
        return any(fits_pattern(self.label, name) for name in names)


class NamedMatcher(Matcher):
    """A name, or a pattern of names; one of them has to be there."""

    @model_validator(mode="after")
    def _check_name(self) -> Self:
        if self.name is None and self.pattern is None:
            msg = "say what it looks for: 'name' or 'pattern'"
            raise ValueError(msg)
        return self


class Used(NamedMatcher):
    """Something that has to be used, and how often."""

    min: Count | None = Field(default=None, description="How often at least")
    max: Count | None = Field(default=None, description="How often at most")

    @model_validator(mode="after")
    def _check_range(self) -> Self:
        if self.min is not None and self.max is not None and self.max < self.min:
            msg = f"'max' ({self.max}) is less than 'min' ({self.min})"
            raise ValueError(msg)
        return self

    @property
    def counted(self) -> bool:
        """True if the config says how often."""
        return self.min is not None or self.max is not None

    def holds(self, times: int) -> bool:
        """Return whether that often is as often as it should be."""
        return self.least <= times and (self.max is None or times <= self.max)

    @property
    def least(self) -> int:
        """Once, unless said otherwise; who says only `max: 0` wants none."""
        if self.min is not None:
            return self.min
        return 0 if self.max == 0 else 1

    def describe(self, times: int, *, forbidden: bool) -> str:
        """Describe how often it was used, and how often it should have been, or must not be."""
        often = f">={self.least}" if self.max is None else f"{self.least}-{self.max}"
        asked = f"{'forbidden' if forbidden else 'required'} {often}"
        return f"{self.label}: used {times} times ({asked})"


def _list_names(given: Any) -> Any:
    items = given if isinstance(given, list | tuple) else [given]
    if not items or not all(isinstance(item, str | dict | Used) for item in items):
        msg = "must be a name, a list of names, or a mapping with 'name', 'min' and 'max'"
        raise ValueError(msg)
    return [{"name": item} if isinstance(item, str) else item for item in items]


AllUsed = Annotated[
    tuple[Used, ...],
    BeforeValidator(_list_names, json_schema_input_type=str | list[str | Used] | Used),
]


def are_all_used(value: AllUsed, counts: Iterable[int], *, forbidden: bool) -> bool:
    """Return whether each was used as it should be; of forbidden ones, whether any was used."""
    times = list(counts)
    if forbidden and not any(one.counted for one in value):
        return any(times)
    return all(one.holds(often) for one, often in zip(value, times, strict=True))


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
    """Read the command that a call of a shell runs; empty for every other call."""
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
    return tuple(judged_messages.list_tool_calls(case.turns))

"""Expected tool calls, and the arguments by which a call is one of them."""

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Sequence
from enum import StrEnum
from typing import Any, Literal, NamedTuple

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from agentevals.graders import javascript
from agentevals.graders.javascript import UNDEFINED
from agentevals.model.conversations import ToolCall
from agentevals.model.errors import EvaluatorError


class ArgsComparison(StrEnum):
    """The comparison of a call's arguments at the top level; below it they must be equal."""

    EXACT = "exact"
    IGNORE = "ignore"
    SUBSET = "subset"
    SUPERSET = "superset"


_LEVELS = 4  # of nested values that are looked at to find what may agree

How = ArgsComparison | tuple[str, ...]  # or the dotted paths that alone are compared


def accepts_args(expected: dict[str, Any] | None, actual: dict[str, Any] | None, how: How) -> bool:
    """Return whether a call has the expected arguments; None expects nothing, and has none."""
    if expected is None or how is ArgsComparison.IGNORE:
        return True
    if not isinstance(actual, dict):
        return False
    if isinstance(how, tuple):
        return all(_agrees_at(path, expected, actual) for path in how)
    if how is ArgsComparison.EXACT:
        return javascript.is_same(expected, actual)
    part, whole = (expected, actual) if how is ArgsComparison.SUPERSET else (actual, expected)
    return all(
        key in whole and javascript.is_same(value, whole[key]) for key, value in part.items()
    )


class View(NamedTuple):
    """The part of arguments that decides: keys, dotted paths, or all of them (None)."""

    keys: tuple[str, ...] | None
    dotted: bool = False


def select_view(expected: dict[str, Any] | None, how: How) -> View | None:
    """Select the part of arguments that must be the same; None if nothing has to."""
    if expected is None or how in {ArgsComparison.IGNORE, ArgsComparison.SUBSET}:
        return None
    if isinstance(how, tuple):
        paths = (path for path in how if _read_path(path, expected) is not UNDEFINED)
        return View(tuple(paths), dotted=True)
    return View(tuple(expected) if how is ArgsComparison.SUPERSET else None)


def build_key(args: dict[str, Any] | None, looked_at: View | None) -> Hashable:
    """Build a key of arguments: the same for all that agree, another for most others."""
    if looked_at is None:
        return None
    if looked_at.keys is None or not isinstance(args, dict):
        return _freeze(args)
    if looked_at.dotted:
        return tuple(_freeze(_read_path(path, args)) for path in looked_at.keys)
    return tuple(_freeze(args.get(key, UNDEFINED)) for key in looked_at.keys)


def _freeze(value: Any, levels: int = _LEVELS) -> Hashable:
    if isinstance(value, dict | list) and not levels:
        return ...
    if isinstance(value, dict):
        return frozenset((key, _freeze(inner, levels - 1)) for key, inner in value.items())
    if isinstance(value, list):
        return tuple(_freeze(inner, levels - 1) for inner in value)
    if isinstance(value, int | float):
        return javascript.to_double(value)
    return value if isinstance(value, str | None) else ...


def _agrees_at(path: str, expected: dict[str, Any], actual: dict[str, Any]) -> bool:
    """A path that the expectation does not have asks for nothing."""
    wanted = _read_path(path, expected)
    return wanted is UNDEFINED or javascript.is_same(wanted, _read_path(path, actual))


def _read_path(path: str, value: Any) -> Any:
    for key in path.split("."):
        value = javascript.read_member(value, key)
    return value


MOST_COMPARED = 2_000_000  # some seconds


class Expected(BaseModel):
    """One call that is expected."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)

    tool: str = Field(min_length=1, description="Its name, letter by letter")
    args: dict[str, Any] | Literal["any"] | None = Field(
        default=None, description="Its arguments; `any`, or nothing, for all arguments"
    )
    args_match: ArgsComparison | tuple[str, ...] | None = Field(
        default=None,
        validation_alias=AliasChoices("args_match", "argsMatch"),
        description="How they are compared, if in another way than those of the other calls",
    )
    max_duration_ms: float | None = Field(
        default=None,
        ge=0,
        strict=True,
        validation_alias=AliasChoices("max_duration_ms", "maxDurationMs"),
        description="Its time limit in milliseconds, if the time was recorded",
    )

    @property
    def arguments(self) -> dict[str, Any] | None:
        """None where any will do."""
        return None if self.args == "any" else self.args

    def agrees_with(self, call: ToolCall, usual: How) -> bool:
        """Return whether a call of the tool has the arguments."""
        return accepts_args(self.arguments, call.args, self.choose_comparison(usual))

    def choose_comparison(self, usual: How) -> How:
        """Return how the arguments are compared."""
        return usual if self.args_match is None else self.args_match


class Calls:
    """Calls of which each can be taken once."""

    def __init__(self, calls: Sequence[ToolCall], how: How, most: int = MOST_COMPARED) -> None:
        self._calls, self._how, self._effort = calls, how, _Effort(most)
        self._by_tool: dict[str, list[int]] = defaultdict(list)
        for place, call in enumerate(calls):
            self._by_tool[call.name].append(place)
        self._alike: dict[tuple[str, View | None], dict[Hashable, deque[int]]] = {}
        self._taken: set[int] = set()

    def __getitem__(self, place: int) -> ToolCall:
        return self._calls[place]

    def take(self, wanted: Expected) -> int | None:
        """The place of the first call that is the expected one; it is taken then."""
        for place in self._find_candidates(wanted):
            self._effort.spend()
            free = place not in self._taken
            if free and wanted.agrees_with(self._calls[place], self._how):
                self._taken.add(place)
                return place
        return None

    def _find_candidates(self, wanted: Expected) -> deque[int]:
        looked_at = select_view(wanted.arguments, wanted.choose_comparison(self._how))
        kind = (wanted.tool, looked_at)
        if kind not in self._alike:
            self._alike[kind] = defaultdict(deque)
            for place in self._by_tool.get(wanted.tool, ()):
                self._alike[kind][build_key(self._calls[place].args, looked_at)].append(place)
        waiting = self._alike[kind].get(build_key(wanted.arguments, looked_at), deque())
        while waiting and waiting[0] in self._taken:
            waiting.popleft()
        return waiting


class Allowed:
    """Calls that are expected however often they are made."""

    def __init__(self, expected: Iterable[Expected], how: How, most: int = MOST_COMPARED) -> None:
        self._how, self._effort = how, _Effort(most)
        self._by_tool: dict[str, dict[View | None, dict[Hashable, list[Expected]]]] = {}
        for wanted in expected:
            looked_at = select_view(wanted.arguments, wanted.choose_comparison(how))
            alike = self._by_tool.setdefault(wanted.tool, {}).setdefault(looked_at, {})
            alike.setdefault(build_key(wanted.arguments, looked_at), []).append(wanted)

    def __contains__(self, call: ToolCall) -> bool:
        for looked_at, alike in self._by_tool.get(call.name, {}).items():
            for wanted in alike.get(build_key(call.args, looked_at), ()):
                self._effort.spend()
                if wanted.agrees_with(call, self._how):
                    return True
        return False


class _Effort:
    """A limit for how often arguments are compared."""

    def __init__(self, most: int) -> None:
        self._most = self._left = most

    def spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            msg = (
                f"more than {self._most:,} comparisons of arguments would be needed; "
                "expect fewer calls of one tool"
            )
            raise EvaluatorError(msg)

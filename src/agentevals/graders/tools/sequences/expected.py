"""A call that is expected, and where among many calls it may be."""

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from agentevals.graders.tools.sequences.arguments import (
    ArgsComparison,
    How,
    View,
    accepts_args,
    build_key,
    select_view,
)
from agentevals.model.conversations import ToolCall
from agentevals.model.errors import EvaluatorError

MOST_COMPARED = 2_000_000  # some seconds


class Expected(BaseModel):
    """One call that is expected."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    tool: str = Field(min_length=1, description="Its name, letter by letter")
    args: dict[str, Any] | Literal["any"] | None = Field(
        default=None, description="Its arguments; `any`, or none, for whatever they are"
    )
    args_match: ArgsComparison | tuple[str, ...] | None = Field(
        default=None,
        validation_alias=AliasChoices("args_match", "argsMatch"),
        description="How they are compared, if in another way than those of the other calls",
    )
    max_duration_ms: float | None = Field(
        default=None,
        ge=0,
        validation_alias=AliasChoices("max_duration_ms", "maxDurationMs"),
        description="How long it may take, in milliseconds, where that was recorded",
    )

    @property
    def arguments(self) -> dict[str, Any] | None:
        """None where any will do."""
        return None if self.args == "any" else self.args

    def agrees_with(self, call: ToolCall, usual: How) -> bool:
        """Whether a call of the tool has the arguments."""
        return accepts_args(self.arguments, call.args, self.choose_comparison(usual))

    def choose_comparison(self, usual: How) -> How:
        """How the arguments are compared."""
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
    """How often arguments may still be compared."""

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

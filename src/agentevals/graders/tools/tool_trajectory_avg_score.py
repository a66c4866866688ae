"""`tool_trajectory_avg_score`: the share of turns whose tool calls are the expected ones."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Self
from unicodedata import normalize

from pydantic import Field, field_validator, model_validator

from agentevals.graders.grader import Grader, Services
from agentevals.graders.tools.call_matching import ArgsMatch, MatchType, count_equal_start, matches
from agentevals.graders.tools.steps import UNORDERED
from agentevals.model.cases import Case, Grade, mean
from agentevals.model.completeness import Fact
from agentevals.model.conversations import ToolCall, Turn

_ORDER = {
    MatchType.EXACT: "exactly",
    MatchType.IN_ORDER: "in this order",
    MatchType.ANY_ORDER: "in any order",
}
_TOO_DEEP = "nested too deeply to be shown"
_SHOWN_ARGS = 200  # characters of a call's arguments that a sentence shows
_SHOWN_CALLS = 10  # calls of a turn that a sentence shows
_SHOWN_DEPTH = 100  # levels of nesting that every reporter can write


class ToolTrajectory(Grader):
    """1 for each turn with the expected tool calls, 0 for the others; the score is the mean."""

    type = "tool_trajectory_avg_score"
    needs_expectation = True

    trajectory_match_type: MatchType = Field(
        default=MatchType.EXACT,
        description="`EXACT`: these calls and no others, in this order; `IN_ORDER`: these in this "
        "order, others may come between; `ANY_ORDER`: these in any order, others may be there",
    )
    args_match: ArgsMatch = Field(
        default=ArgsMatch.EXACT,
        description="`exact`: equal arguments; `subset`: the expected ones must be there, further "
        "ones are tolerated, also inside objects; `ignore`: only the tool names count",
    )
    ignore_args: bool = Field(
        default=False, description="The same as `args_match: ignore`, as ADK spells it"
    )

    @field_validator("trajectory_match_type", mode="before")
    @classmethod
    def _normalise_match_type(cls, value: object) -> object:
        """Accept any letter case, or the number, as ADK does."""
        if type(value) is int and 0 <= value < len(MatchType):
            return tuple(MatchType)[value]
        return value.upper() if isinstance(value, str) else value

    @model_validator(mode="after")
    def _check_args_match(self) -> Self:
        if self.ignore_args and self.args_match is ArgsMatch.SUBSET:
            msg = "'ignore_args: true' contradicts 'args_match: subset'; remove one of them"
            raise ValueError(msg)
        return self

    def list_needs(self, case: Case) -> frozenset[Fact]:
        if self._how is ArgsMatch.IGNORE:
            return frozenset({Fact.TOOL_CALLS})
        return frozenset({Fact.TOOL_CALLS, Fact.ARGUMENTS})

    def grade(self, case: Case, services: Services) -> Grade:
        if not case.pairs:
            return Grade.not_evaluated(case.unpaired or "there is no turn to compare")
        ordered = self.trajectory_match_type is not MatchType.ANY_ORDER
        if ordered and any(turn.unordered for turn in case.turns):
            return Grade.not_evaluated(UNORDERED)
        matched = [self._matches(recorded, wanted) for recorded, wanted in case.pairs]
        scores = tuple(map(float, matched))
        return Grade(
            score=mean(scores),
            per_turn=scores,
            misses=tuple(
                f"turn {number}: {self._describe_difference(recorded, wanted)}"
                for number, (recorded, wanted) in enumerate(case.pairs, start=1)
                if not matched[number - 1]
            ),
            details={
                "comparisons": [
                    _describe_comparison(recorded, wanted, matched=met)
                    for (recorded, wanted), met in zip(case.pairs, matched, strict=True)
                ],
                **case.turn_gap,
            },
        )

    @property
    def _how(self) -> ArgsMatch:
        return ArgsMatch.IGNORE if self.ignore_args else self.args_match

    def _matches(self, recorded: Turn, wanted: Turn) -> bool:
        return matches(
            wanted.tool_calls, recorded.tool_calls, self.trajectory_match_type, self._how
        )

    def _describe_difference(self, recorded: Turn, wanted: Turn) -> str:
        same = count_equal_start(wanted.tool_calls, recorded.tool_calls)
        same = same if same >= _SHOWN_CALLS else 0
        expected, called = (
            _list_calls(wanted.tool_calls[same:]),
            _list_calls(recorded.tool_calls[same:]),
        )
        order = f" {_ORDER[self.trajectory_match_type]}" if wanted.tool_calls else ""
        after = f"after {same} equal calls " if same else ""
        sentence = f"{after}expected{order} {expected}, called {called}"
        if self._matches(_state_args(recorded), _state_args(wanted)):
            return f"{sentence}; no 'args' is not the same as 'args: {{}}'"
        if normalize("NFKC", expected) == normalize("NFKC", called):
            return f"{sentence}; they differ in characters that look alike, or are not shown"
        return sentence


def _describe_comparison(recorded: Turn, wanted: Turn, *, matched: bool) -> dict[str, Any]:
    return {
        "invocation_id": recorded.turn_id,
        "expected": [_describe_call(call) for call in wanted.tool_calls],
        "actual": [_describe_call(call) for call in recorded.tool_calls],
        "matched": matched,
    }


def _describe_call(call: ToolCall) -> dict[str, Any]:
    return {"name": call.name, "args": _TOO_DEEP if _is_deep(call.args) else call.args}


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(_SHOWN_DEPTH):
        level = [child for parent in level for child in _list_children(parent)]
        if not level:
            return False
    return True


def _list_children(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _state_args(turn: Turn) -> Turn:
    calls = (ToolCall(name=call.name, args=call.args or {}) for call in turn.tool_calls)
    return Turn(tool_calls=tuple(calls))


def _list_calls(calls: Sequence[ToolCall]) -> str:
    if not calls:
        return "no tool"
    shown = [f"{call.name}({_format_args(call)})" for call in calls[:_SHOWN_CALLS]]
    more = len(calls) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _format_args(call: ToolCall) -> str:
    if call.args is None:
        return "arguments not stated"
    text = _TOO_DEEP if _is_deep(call.args) else json.dumps(call.args, ensure_ascii=False)
    return text if len(text) <= _SHOWN_ARGS else f"{text[:_SHOWN_ARGS]}…"

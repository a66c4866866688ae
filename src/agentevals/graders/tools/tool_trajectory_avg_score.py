"""`tool_trajectory_avg_score`: the share of turns whose tool calls are the expected ones."""

from collections.abc import Iterable
from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from agentevals.graders.grader import NO_PAIR, Grader, Services
from agentevals.graders.tools.tool_call_matching import ArgsMatch, MatchType, matches
from agentevals.graders.tools.tool_steps import UNORDERED
from agentevals.model.cases import Case, Grade, mean
from agentevals.model.completeness import Fact
from agentevals.model.conversations import ToolCall, Turn
from agentevals.text import aligned_calls, call_mismatches
from agentevals.text.aligned_calls import Call, Comparison

_TOO_DEEP = "nested too deeply to be shown"
_NESTED = (dict, list)
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
        pairs = case.pairs
        if not pairs:
            return Grade.not_evaluated(case.unpaired or NO_PAIR)
        ordered = self.trajectory_match_type is not MatchType.ANY_ORDER
        if ordered and any(turn.unordered for turn in case.turns):
            return Grade.not_evaluated(UNORDERED)
        matched = [self._matches(recorded, wanted) for recorded, wanted in pairs]
        scores = tuple(map(float, matched))
        return Grade(
            score=mean(scores),
            per_turn=scores,
            misses=tuple(
                [
                    f"turn {at + 1}: {self._describe_difference(*pairs[at])}"
                    for at, met in enumerate(matched)
                    if not met
                ]
            ),
            details={
                "comparisons": [
                    _describe_comparison(recorded, wanted, matched=met)
                    for (recorded, wanted), met in zip(pairs, matched, strict=True)
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
        compared = Comparison(
            expected=[self._compare_by(call) for call in wanted.tool_calls],
            actual=[
                self._compare_by(call, recorded.name_other(call)) for call in recorded.tool_calls
            ],
        )
        order, how = self.trajectory_match_type, self._how
        if order is MatchType.ANY_ORDER:
            for side in (compared.expected, compared.actual):
                side.sort(key=aligned_calls.write_call)
        strict = call_mismatches.Strictness(
            order=order is not MatchType.ANY_ORDER,
            extra_calls=order is MatchType.EXACT,
            extra_arguments=how is ArgsMatch.EXACT,
        )
        sentence = call_mismatches.describe(compared, strict)
        if self._matches(_state_args(recorded), _state_args(wanted)):
            return f"{sentence}; no 'args' is not the same as 'args: {{}}'"
        return sentence

    def _compare_by(self, call: ToolCall, agent: str = "") -> Call:
        if self._how is ArgsMatch.IGNORE:
            return Call(name=call.name, args={}, agent=agent)
        return Call(**_describe_call(call, agent))


def _describe_comparison(recorded: Turn, wanted: Turn, *, matched: bool) -> dict[str, Any]:
    return {
        "invocation_id": recorded.turn_id,
        "expected": [_describe_call(call) for call in wanted.tool_calls],
        "actual": [_describe_call(call, recorded.name_other(call)) for call in recorded.tool_calls],
        "matched": matched,
    }


def _describe_call(call: ToolCall, agent: str = "") -> dict[str, Any]:
    described = {"name": call.name, "args": _TOO_DEEP if _is_deep(call.args) else call.args}
    if agent:
        described["agent"] = agent
    return described


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(_SHOWN_DEPTH):
        nested = [parent for parent in level if isinstance(parent, _NESTED)]
        level = [child for parent in nested for child in _list_children(parent)]
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

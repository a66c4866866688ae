"""`tool_trajectory`: which tools were called, in which order, with which arguments."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Annotated, Literal, Self

from pydantic import AliasChoices, Field, model_validator

from agentevals.graders import judged_messages
from agentevals.graders.agentv.assertions import Assertion
from agentevals.graders.grader import Services
from agentevals.graders.javascript import format_number
from agentevals.graders.judged_messages import measure_call_ms
from agentevals.graders.tools.expected_tool_calls import (
    Allowed,
    ArgsComparison,
    Calls,
    Expected,
    How,
)
from agentevals.graders.tools.tool_steps import UNORDERED
from agentevals.model.cases import Case, Grade
from agentevals.model.completeness import Fact
from agentevals.model.conversations import ToolCall, Turn


@dataclass
class Tally:
    """The expected calls that were found and missed, in sentences and in numbers."""

    hits: list[str] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)
    met: int = 0
    checks: int = 0

    @property
    def score(self) -> float:
        return self.met / self.checks if self.checks else 1.0

    def count(self, sentence: str, *, met: bool) -> None:
        """One check, and what came of it."""
        (self.hits if met else self.misses).append(sentence)
        self.met += met
        self.checks += 1

    def add_miss(self, wanted: Expected, sentence: str) -> None:
        """A call that was not there was not there in time either."""
        self.count(sentence, met=False)
        self.checks += wanted.max_duration_ms is not None

    def add_hit(self, wanted: Expected, call: ToolCall, sentence: str) -> None:
        """A call that was there; it must have been quick enough where it was timed."""
        self.count(sentence, met=True)
        limit, took = wanted.max_duration_ms, measure_call_ms(call)
        if limit is None or took is None:
            return
        words = "completed in" if took <= limit else "took"
        said = f"{wanted.tool} {words} {format_number(took)}ms (max: {format_number(limit)}ms)"
        self.count(said, met=took <= limit)


def match_any_order(
    minimums: Mapping[str, float],
    expected: Sequence[Expected],
    calls: Sequence[ToolCall],
    how: How,
) -> Tally:
    """Each tool often enough, and each expected call somewhere."""
    if not minimums and not expected:
        return Tally(hits=["No tool requirements specified"])
    tally, counts = Tally(), Counter(call.name for call in calls)
    for tool, least in minimums.items():
        said = f"{tool}: called {counts[tool]} times (required >={format_number(least)})"
        tally.count(said, met=counts[tool] >= least)
    _find_each(expected, Calls(calls, how), tally)
    return tally


def match_in_order(expected: Sequence[Expected], calls: Sequence[ToolCall], how: How) -> Tally:
    """One after the other; others may come between."""
    if not expected:
        return Tally(hits=["No tool sequence specified"])
    tally, rest = Tally(), enumerate(calls)
    for number, wanted in enumerate(expected):
        place, call = next(((p, c) for p, c in rest if c.name == wanted.tool), (0, None))
        start = f"Expected {wanted.tool} at position {number}"
        if call is None:
            tally.add_miss(wanted, f"{start}, not found in remaining trace")
        elif wanted.agrees_with(call, how):
            tally.add_hit(wanted, call, f"Found {wanted.tool} at position {place}")
        else:
            tally.add_miss(wanted, f"{start}: tool found at {place} but args mismatch")
    return tally


def match_exactly(expected: Sequence[Expected], calls: Sequence[ToolCall], how: How) -> Tally:
    """These and no others. A call too many counts like one too few."""
    if not expected and not calls:
        return Tally(hits=["No tool sequence specified"])
    tally = Tally()
    if len(expected) != len(calls):
        tally.misses.append(f"Expected {len(expected)} tool calls, got {len(calls)}")
    for place, (wanted, call) in enumerate(zip_longest(expected, calls)):
        got = call.name if call else "nothing"
        if wanted is None:
            tally.count(f"Position {place}: expected nothing, got {got}", met=False)
        elif call is None or call.name != wanted.tool:
            tally.add_miss(wanted, f"Position {place}: expected {wanted.tool}, got {got}")
        elif wanted.agrees_with(call, how):
            tally.add_hit(wanted, call, f"Position {place}: {wanted.tool}")
        else:
            tally.add_miss(wanted, f"Position {place}: {wanted.tool} args mismatch")
    return tally


def match_superset(expected: Sequence[Expected], calls: Sequence[ToolCall], how: How) -> Tally:
    """Each expected call somewhere, however long it took; others may be there."""
    if not expected:
        return Tally(hits=["No expected tools specified"])
    tally = Tally()
    untimed = [one.model_copy(update={"max_duration_ms": None}) for one in expected]
    _find_each(untimed, Calls(calls, how), tally)
    return tally


def match_subset(expected: Sequence[Expected], calls: Sequence[ToolCall], how: How) -> Tally:
    """No call but the expected ones, each as often as it likes."""
    if not calls:
        none = "No actual tool calls (trivially a subset)"
        return Tally(hits=[none if expected else "No tool calls and no expected tools"])
    if not expected:
        said = f"{len(calls)} unexpected tool call(s) with empty allowed list"
        return Tally(misses=[said], checks=1)
    tally, allowed = Tally(), Allowed(expected, how)
    for place, call in enumerate(calls):
        met = call in allowed
        known = "is in allowed set" if met else "is not in allowed set"
        tally.count(f"Position {place}: {call.name} {known}", met=met)
    return tally


def _find_each(expected: Sequence[Expected], calls: Calls, tally: Tally) -> None:
    """Each takes the first call that fits and that nobody before it has taken."""
    for wanted in expected:
        place = calls.take(wanted)
        if place is None:
            tally.add_miss(wanted, f"Expected {wanted.tool} not found in actual trajectory")
        else:
            tally.add_hit(wanted, calls[place], f"Found {wanted.tool} at position {place}")


Least = Annotated[float, Field(ge=0, strict=True)]

_IN_TURN = {
    "in_order": match_in_order,
    "exact": match_exactly,
    "superset": match_superset,
    "subset": match_subset,
}
_ORDERED = frozenset({"in_order", "exact"})


class ToolTrajectory(Assertion):
    """The share of what was expected of the agent's tool calls that was found in them."""

    type = "tool_trajectory"

    mode: Literal["any_order", "in_order", "exact", "superset", "subset"] = Field(
        default="any_order",
        description="`any_order`: each tool of `minimums` often enough and each of `expected` "
        "somewhere; `in_order`: `expected` in this order, others may come between; `exact`: these "
        "and no others; `superset`: each of these somewhere; `subset`: no others than these",
    )
    minimums: dict[str, Least] | None = Field(
        default=None, description="`any_order` alone: how often each tool must be called at least"
    )
    expected: tuple[Expected, ...] | None = Field(default=None, description="The expected calls")
    args_match: ArgsComparison | tuple[str, ...] = Field(
        default=ArgsComparison.EXACT,
        validation_alias=AliasChoices("args_match", "argsMatch"),
        description="`exact`: equal arguments; `superset`: those expected and perhaps more; "
        "`subset`: none but those expected; `ignore`: any; or a list of the dotted paths that "
        "alone are compared",
    )

    @model_validator(mode="after")
    def _check_expected(self) -> Self:
        if self.expected is not None or (self.mode == "any_order" and self.minimums is not None):
            return self
        besides = "'minimums' or " if self.mode == "any_order" else ""
        msg = f"mode {self.mode!r} needs {besides}'expected', the calls that it looks for"
        raise ValueError(msg)

    def list_needs(self, case: Case) -> frozenset[Fact]:
        stated = [one for one in self.expected or () if one.arguments is not None]
        compared = any(one.choose_comparison(self.args_match) != "ignore" for one in stated)
        return frozenset({Fact.TOOL_CALLS, *({Fact.ARGUMENTS} if compared else ())})

    def grade(self, case: Case, services: Services) -> Grade:
        calls = tuple(judged_messages.list_tool_calls(case.turns))
        if not calls and _is_silent(case.turns):
            return Grade(score=0.0, misses=("No trace available for evaluation",))
        if self.mode in _ORDERED and any(turn.unordered for turn in case.turns):
            return Grade.not_evaluated(UNORDERED)
        tally = self._count_matches(calls)
        return Grade(
            score=tally.score,
            hits=tuple(tally.hits),
            misses=tuple(tally.misses),
            details={"without_effect": self._list_inert()} if self._list_inert() else {},
        )

    def _count_matches(self, calls: tuple[ToolCall, ...]) -> Tally:
        expected = self.expected or ()
        if self.mode == "any_order":
            return match_any_order(self.minimums or {}, expected, calls, self.args_match)
        return _IN_TURN[self.mode](expected, calls, self.args_match)

    def _list_inert(self) -> list[str]:
        timed = any(one.max_duration_ms is not None for one in self.expected or ())
        untimed = ["max_duration_ms"] if timed and self.mode in {"superset", "subset"} else []
        return untimed + (["minimums"] if self.minimums and self.mode != "any_order" else [])


def _is_silent(turns: Sequence[Turn]) -> bool:
    """Return whether the agent is known to have said nothing in any of them."""
    unknown = any(turn.find_gap(Fact.ANSWER) for turn in turns)
    return not unknown and not judged_messages.list_agent_messages(turns)

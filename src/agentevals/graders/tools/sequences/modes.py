"""The five ways in which the calls of an agent may have to follow what was expected."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from agentevals.graders.javascript import format_number
from agentevals.graders.messages import measure_call_ms
from agentevals.graders.tools.sequences.arguments import How
from agentevals.graders.tools.sequences.expected import Allowed, Calls, Expected
from agentevals.model.conversations import ToolCall


@dataclass
class Tally:
    """What was found of what was expected, in sentences and in numbers."""

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

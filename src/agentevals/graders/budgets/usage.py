"""The usage of a conversation, for evaluators with limits. None means: not recorded."""

from collections.abc import Iterable, Iterator
from math import isfinite

from agentevals.model.cases import Case
from agentevals.model.conversations import ModelCall, Turn
from agentevals.model.noun import Noun

_MILLISECOND = 1e6
_LONGEST_MS = 10 * 365 * 24 * 3600 * 1000  # more than years is a start that was not recorded
_EXPLORING = {
    *("read", "grep", "glob", "search", "list"),
    *("Read", "Grep", "Glob", "WebSearch", "WebFetch"),
}


class Tokens(Noun, frozen=True):
    """Tokens read, written, and read from a cache."""

    input: int
    output: int
    cached: int

    @property
    def fresh(self) -> int:
        """Tokens read and written, without those from a cache."""
        return self.input + self.output

    @property
    def total(self) -> int:
        return self.fresh + self.cached


class Usage(Noun, frozen=True):
    """The usage of all turns of a conversation. Without any turn nothing is known."""

    turns: tuple[Turn, ...]

    @property
    def tool_calls(self) -> int:
        return sum(len(turn.tool_calls) for turn in self.turns)

    @property
    def model_calls(self) -> int | None:
        """The number of requests to language models; else of messages that they wrote."""
        asked = sum(len(turn.model_calls) for turn in self.turns)
        if asked:
            return asked
        messages = [message for turn in self.turns for message in turn.messages]
        wrote = sum(message.get("role") == "assistant" for message in messages)
        return wrote if messages else None

    @property
    def tokens(self) -> Tokens | None:
        known = [call for call in self._list_calls() if _has_tokens(call)]
        if not known:
            return None
        return Tokens(
            input=_add_counts(call.input_tokens for call in known),
            output=_add_counts(call.output_tokens for call in known),
            cached=_add_counts(call.cache_read_tokens for call in known),
        )

    @property
    def cost_usd(self) -> float | None:
        costs = [call.cost for call in self._list_calls() if call.cost is not None]
        total = sum(costs)
        return total if costs and isfinite(total) and total >= 0 else None

    @property
    def duration_ms(self) -> float | None:
        """The time of the agent for all its turns, without the time of the user in between."""
        lasted = [(turn.end_ns - turn.start_ns) / _MILLISECOND for turn in self.turns]
        known = bool(lasted) and all(turn.end_ns for turn in self.turns)
        return sum(lasted) if known and all(0 <= ms <= _LONGEST_MS for ms in lasted) else None

    @property
    def exploration_ratio(self) -> float | None:
        """The share of the tool calls that only look at something."""
        names = [call.name for turn in self.turns for call in turn.tool_calls]
        looking = sum(name in _EXPLORING for name in names)
        return looking / len(names) if names else None

    def _list_calls(self) -> Iterator[ModelCall]:
        for turn in self.turns:
            yield from turn.model_calls


def measure_usage(case: Case) -> Usage:
    """Return what the agent used on a case."""
    return Usage(turns=case.turns)


def _has_tokens(call: ModelCall) -> bool:
    return call.input_tokens is not None or call.output_tokens is not None


def _add_counts(counts: Iterable[int | None]) -> int:
    return sum(count or 0 for count in counts)

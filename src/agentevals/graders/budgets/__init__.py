"""Evaluators that hold what an agent used against what it may use."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from math import inf, isfinite
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from agentevals.graders.grader import NO_MODEL_CALL, NO_TURN, Grader, Services
from agentevals.model.cases import Case, Grade, Status, mean
from agentevals.model.completeness import HIDDEN_REQUESTS, Fact, Gap
from agentevals.model.conversations import ModelCall, Turn
from agentevals.model.noun import Noun

_MILLISECOND = 1e6
_LONGEST_MS = 10 * 365 * 24 * 3600 * 1000  # more than years is a start that was not recorded
_EXPLORING = {
    *("read", "grep", "glob", "search", "list"),
    *("Read", "Grep", "Glob", "WebSearch", "WebFetch"),
}

_ROUNDING = 1e-9  # a sum of fractions is not over its limit for its last binary digit
_MOST = 1e15  # more than this is a broken recording
_TINY = 0.001  # below this an amount needs other digits to be told from nothing

Limit = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]


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
        known = bool(lasted) and all(turn.is_timed for turn in self.turns)
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


def find_hidden_requests(case: Case) -> Gap | None:
    """Return why requests to models cannot be counted, if some were seen and not understood."""
    gaps = (turn.find_gap(Fact.TOKENS) for turn in case.turns if turn.gaps)
    return next((gap for gap in gaps if gap and gap.evidence in HIDDEN_REQUESTS), None)


def _has_tokens(call: ModelCall) -> bool:
    return call.input_tokens is not None or call.output_tokens is not None


def _add_counts(counts: Iterable[int | None]) -> int:
    return sum(count or 0 for count in counts)


class Used(Noun, frozen=True):
    """The amount used, as far as it was recorded, and the reason why it is not complete."""

    amount: float = 0
    unrecorded: str = ""

    def __add__(self, other: "Used") -> "Used":
        return Used(
            amount=self.amount + other.amount, unrecorded=self.unrecorded or other.unrecorded
        )


class Budget(Grader):
    """1 within the limits, else the share by which they are missed.

    The limits decide whether it passes, not the threshold. What was not recorded is not taken
    for nothing: unless the rest alone is too much already, there is no judgement then.
    """

    measures_usage = True
    unit: ClassVar[str]
    # whether it is about model calls, so that a recording without any says nothing
    of_models: ClassVar[bool] = False

    max: Limit | None = Field(default=None, description="At most this much passes")
    min: Limit | None = Field(default=None, description="At least this much passes")
    per: Literal["conversation", "turn"] = Field(
        default="conversation",
        description="Whether the limits are for all turns together or for each turn",
    )

    @model_validator(mode="after")
    def _check_limits(self) -> Self:
        if self.max is None and self.min is None:
            msg = "'max' is missing; say how much is allowed"
            raise ValueError(msg)
        if self.max is not None and self.min is not None and self.min > self.max:
            msg = f"'min' ({self.min:g}) is larger than 'max' ({self.max:g})"
            raise ValueError(msg)
        return self

    @abstractmethod
    def measure(self, turn: Turn) -> Used:
        """Measure what one turn used."""

    def find_gap(self, case: Case) -> Gap | None:
        if not case.has_gaps:
            return None
        hidden = find_hidden_requests(case) if self.of_models else None
        return hidden or super().find_gap(case)

    def grade(self, case: Case, services: Services) -> Grade:
        used = [self._measure_plausible(turn) for turn in case.turns]
        if not used:
            return Grade.not_evaluated(NO_TURN)
        if self.of_models and not any(turn.model_calls for turn in case.turns):
            return Grade.not_evaluated(NO_MODEL_CALL)
        if self.per == "conversation" and len(used) > 1:
            used = [sum(used, start=Used())]
        scores = [self._compute_score(part) for part in used]
        short = [at for at, score in enumerate(scores) if score is None or score < 1]
        misses = [f"{self._name_part(at + 1)} {self._describe_miss(used[at])}" for at in short]
        return _build_grade(scores, misses, self._list_details(used), per_turn=self.per == "turn")

    def _measure_plausible(self, turn: Turn) -> Used:
        try:
            used = self.measure(turn)
        except OverflowError:
            used = Used(amount=inf)
        if 0 <= used.amount <= _MOST:
            return used
        return Used(unrecorded=f"the recorded value is not a valid number of {self.unit}s")

    def _compute_score(self, used: Used) -> float | None:
        if self._is_over(used):
            return (self.max or 0) / used.amount
        if used.unrecorded:
            return None
        return used.amount / self.min if self.min and self._is_under(used) else 1.0

    def _is_over(self, used: Used) -> bool:
        return self.max is not None and used.amount > self.max * (1 + _ROUNDING)

    def _is_under(self, used: Used) -> bool:
        return self.min is not None and used.amount < self.min * (1 - _ROUNDING)

    def _describe_miss(self, used: Used) -> str:
        amount = self._format_amount(used.amount)
        if self._is_over(used):
            return f"used {amount}, at most {self._format_amount(self.max or 0)} allowed"
        if used.unrecorded:
            return f"cannot be judged: {used.unrecorded}"
        return f"used {amount}, at least {self._format_amount(self.min or 0)} wanted"

    def _name_part(self, number: int) -> str:
        return f"turn {number}" if self.per == "turn" else "the conversation"

    def _format_amount(self, amount: float) -> str:
        tiny = 0 < amount < _TINY
        number = f"{amount:.3g}" if tiny else f"{amount:,.4f}".rstrip("0").rstrip(".")
        return f"{number} {self.unit}{'' if amount == 1 else 's'}"

    def _list_details(self, used: Sequence[Used]) -> dict[str, Any]:
        is_each = self.per == "turn"
        details: dict[str, Any] = {
            "used": [part.amount for part in used] if is_each else used[0].amount
        }
        if self.max is not None:
            details["max"] = self.max
        if self.min is not None:
            details["min"] = self.min
        details["unit"] = self.unit
        details["per"] = self.per
        return details


def _build_grade(
    scores: Sequence[float | None],
    misses: Sequence[str],
    details: dict[str, Any],
    *,
    per_turn: bool,
) -> Grade:
    missed = bool(misses) and any(score is not None and score < 1 for score in scores)
    if not missed and None in scores:
        return Grade(
            score=None,
            status=Status.NOT_EVALUATED,
            misses=tuple(misses),
            details={**details, "reason": misses[0]},
        )
    return Grade(
        score=mean(scores),
        status=Status.FAILED if missed else Status.PASSED,
        per_turn=tuple(scores) if per_turn else (),
        misses=tuple(misses),
        details=details,
    )

"""`execution_metrics`: calls, tokens, money and time, each held against a limit."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Self

from pydantic import Field, model_validator

from agentevals.graders import budgets
from agentevals.graders.agentv.assertions import Assertion, grade_binary, grade_checks
from agentevals.graders.budgets import Limit, Usage
from agentevals.graders.grader import IN_CAMEL_CASE_TOO, Services
from agentevals.graders.javascript import format_number, to_fixed
from agentevals.model.cases import Case, Grade
from agentevals.model.completeness import Fact, Gap

_FACTS = {
    "tool_calls": Fact.TOOL_CALLS,
    "tokens": Fact.TOKENS,
    "input_tokens": Fact.TOKENS,
    "output_tokens": Fact.TOKENS,
    "cost": Fact.COST,
    "duration": Fact.TIME,
}


@dataclass(frozen=True, kw_only=True)
class _Check:
    met: bool
    sentence: str
    found: str = ""


@dataclass(frozen=True, kw_only=True)
class _Measure:
    """One number, in words: what it is called in a sentence, and in a list of numbers."""

    noun: str
    key: str
    number: float | None
    shown: Callable[[float], str] = format_number

    def check_limit(self, limit: float) -> _Check:
        number = self.number or 0  # `grade` has told what was not recorded
        met = number <= limit
        found, most = self.shown(number), self.shown(limit)
        sentence = f"{self.noun} {found} {'<=' if met else '>'} {most} max"
        return _Check(met=met, sentence=sentence, found=f"{self.key}={found}")


class ExecutionMetrics(Assertion):
    """The share of the limits that are kept. If one cannot be checked, there is no judgement."""

    type = "execution_metrics"
    measures_usage = True
    model_config = IN_CAMEL_CASE_TOO

    max_tool_calls: Limit | None = Field(default=None, description="At most this many tool calls")
    max_llm_calls: Limit | None = Field(default=None, description="At most this many model calls")
    max_tokens: Limit | None = Field(
        default=None, description="At most this many tokens read and written"
    )
    max_input_tokens: Limit | None = Field(
        default=None, description="At most this many tokens read"
    )
    max_output_tokens: Limit | None = Field(
        default=None, description="At most this many tokens written"
    )
    max_cost_usd: Limit | None = Field(default=None, description="At most this many US dollars")
    max_duration_ms: Limit | None = Field(
        default=None, description="At most this many milliseconds, all turns together"
    )
    target_exploration_ratio: Limit | None = Field(
        default=None, description="The share of tool calls that should only look at something"
    )
    exploration_tolerance: Limit = Field(
        default=0.2, description="How far from the target that share may be"
    )

    @model_validator(mode="after")
    def _check_limits(self) -> Self:
        if self._limits or self._of_trace:
            return self
        known = "a setting that begins with 'max_', or 'target_exploration_ratio'"
        msg = f"there is no limit; write {known}"
        raise ValueError(msg)

    def list_needs(self, case: Case) -> frozenset[Fact]:
        ratio = () if self.target_exploration_ratio is None else (Fact.TOOL_CALLS,)
        known = (_FACTS[key] for key in self._limits if key in _FACTS)
        return frozenset((*known, *ratio))

    def find_gap(self, case: Case) -> Gap | None:
        hidden = budgets.find_hidden_requests(case) if "llm_calls" in self._limits else None
        return hidden or super().find_gap(case)

    def grade(self, case: Case, services: Services) -> Grade:
        used = budgets.measure_usage(case)
        if not used.turns and self._of_trace:
            return grade_binary(
                met=False,
                miss="No trace summary available",
                reasoning="Execution metrics not available - no trace summary provided",
            )
        if unknown := self._list_unknown(used):
            return Grade.not_evaluated(
                f"not recorded: {', '.join(unknown)}; record it, or remove the limit"
            )
        checks = list(self._run_checks(used))
        found = ", ".join(check.found for check in checks if check.found)
        return grade_checks(
            tuple(check.sentence for check in checks if check.met),
            tuple(check.sentence for check in checks if not check.met),
            f"execution-metrics {found}" if found else "No metrics evaluated",
        )

    def _list_unknown(self, used: Usage) -> list[str]:
        limited = (one for one in _list_measures(used) if one.key in self._limits)
        return [one.noun for one in limited if one.number is None]

    @property
    def _limits(self) -> dict[str, float]:
        limits = {
            "tool_calls": self.max_tool_calls,
            "llm_calls": self.max_llm_calls,
            "tokens": self.max_tokens,
            "input_tokens": self.max_input_tokens,
            "output_tokens": self.max_output_tokens,
            "cost": self.max_cost_usd,
            "duration": self.max_duration_ms,
        }
        return {key: limit for key, limit in limits.items() if limit is not None}

    @property
    def _of_trace(self) -> bool:
        needed = (self.max_tool_calls, self.max_llm_calls, self.target_exploration_ratio)
        return any(setting is not None for setting in needed)

    def _run_checks(self, used: Usage) -> Iterator[_Check]:
        limits = self._limits
        for measure in _list_measures(used):
            if measure.key in limits:
                yield measure.check_limit(limits[measure.key])
        if self.target_exploration_ratio is not None:
            yield self._check_exploration(self.target_exploration_ratio, used.exploration_ratio)

    def _check_exploration(self, target: float, ratio: float | None) -> _Check:
        if ratio is None:
            sentence = "Exploration ratio not available (no tool calls)"
            return _Check(met=False, sentence=sentence)
        difference, shown = abs(ratio - target), to_fixed(ratio, 2)
        met, wanted = difference <= self.exploration_tolerance, format_number(target)
        sentence = f"Exploration ratio {shown} within tolerance of target {wanted}"
        if not met:
            tolerance = format_number(self.exploration_tolerance)
            sentence = (
                f"Exploration ratio {shown} outside tolerance of target {wanted} "
                f"(diff: {to_fixed(difference, 2)}, tolerance: {tolerance})"
            )
        return _Check(met=met, sentence=sentence, found=f"exploration_ratio={shown}")


def _list_measures(used: Usage) -> Iterator[_Measure]:
    yield _Measure(noun="Tool calls", key="tool_calls", number=used.tool_calls)
    yield _Measure(noun="LLM calls", key="llm_calls", number=used.model_calls)
    for noun, key, count in (
        ("Total tokens", "tokens", "fresh"),
        ("Input tokens", "input_tokens", "input"),
        ("Output tokens", "output_tokens", "output"),
    ):
        number = getattr(used.tokens, count, None)
        yield _Measure(noun=noun, key=key, number=number)
    yield _Measure(
        noun="Cost",
        key="cost",
        number=used.cost_usd,
        shown=lambda dollars: f"${to_fixed(dollars, 4)}",
    )
    yield _Measure(
        noun="Duration",
        key="duration",
        number=used.duration_ms,
        shown=lambda ms: f"{format_number(ms)}ms",
    )

"""The agent answers in time, by the durations that were recorded."""

from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    max_ms: float = Field(gt=0)
    of: Literal["overall", "llm_calls", "tool_executions"] = "overall"
    statistic: Literal["max", "median", "p50", "p95", "p99", "min"] = "max"


@evaluator
def latency_budget(given: EvalInput) -> EvalResult:
    """1 within the budget, else the share of the time that it allows; over it is a failure."""
    try:
        settings = Settings.model_validate(given.config)
    except ValidationError as error:
        return not_evaluated(complaint(error))
    told = (turn.performance_metrics for turn in given.invocations)
    found = next(
        (ms for metrics in told if (ms := milliseconds(metrics, settings)) is not None), None
    )
    if found is None:
        return not_evaluated(f"no latency of {settings.of} was recorded")
    # the predecessor's SDK has no figures of a turn
    of_turns = (getattr(turn, "turn_performance_metrics", None) for turn in given.invocations)
    per_turn = (milliseconds(metrics, settings) for metrics in of_turns)
    over = f"{settings.of} took {found:g} ms ({settings.statistic}), over {settings.max_ms:g} ms"
    fits = found <= settings.max_ms
    return EvalResult(
        score=share(found, settings),
        status=EvalStatus.PASSED if fits else EvalStatus.FAILED,
        per_invocation_scores=[None if ms is None else share(ms, settings) for ms in per_turn],
        details={"milliseconds": found, "issues": [] if fits else [over]},
    )


def milliseconds(metrics: dict[str, Any] | None, settings: Settings) -> float | None:
    """Return the recorded latency, None if there is none."""
    latency = (metrics or {}).get("latency")
    figures = latency.get(settings.of) if isinstance(latency, dict) else None
    if not isinstance(figures, dict) or not figures.get("count", 1):
        return None
    found = figures.get(settings.statistic)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return max(0.0, found)


def share(found: float, settings: Settings) -> float:
    """Return the share that the budget allows."""
    return 1.0 if found <= settings.max_ms else settings.max_ms / found


def not_evaluated(reason: str) -> EvalResult:
    """Nothing was judged, and why."""
    status = EvalStatus.NOT_EVALUATED
    return EvalResult(score=0.0, status=status, details={"reason": reason})


def complaint(error: ValidationError) -> str:
    """Everything that is wrong with the config, in one line."""
    return "; ".join(
        ".".join(["config", *map(str, each["loc"])])
        + f": {each['msg'].removeprefix('Value error, ')}"
        for each in error.errors()
    )


if __name__ == "__main__":
    latency_budget.run()

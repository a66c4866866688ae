"""Score by a judge: one question for each turn or for a whole case, and one result."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from agentevals_evaluator_sdk.judge import Prompt, Verdict, ask_judge
from agentevals_evaluator_sdk.types import EvalInput, EvalResult, EvalStatus, InvocationData

LONGEST = 200_000  # characters of one question
_MOST_REASONS = 50

Settings = TypeVar("Settings", bound=BaseModel)
Material = Mapping[str, str] | str  # what a prompt is filled with, or why there is nothing to judge


def read_settings(given: EvalInput, settings: type[Settings]) -> Settings:
    """Return the settings of a config; ValueError with everything that is wrong with it."""
    try:
        return settings.model_validate(given.config)
    except ValidationError as error:
        problems = (
            f"{'.'.join(['config', *map(str, one['loc'])])}: {one['msg']}" for one in error.errors()
        )
        raise ValueError("; ".join(problems)) from None


def not_evaluated(reason: str) -> EvalResult:
    """Return the result of an evaluator that judged nothing, and why."""
    status = EvalStatus.NOT_EVALUATED
    return EvalResult(score=0.0, status=status, details={"reason": reason})


def judge_turns(given: EvalInput, prompt: Prompt, materials: Sequence[Material]) -> EvalResult:
    """Ask about each turn that has a material. The score is the mean of those that were judged."""
    named = {f"turn {number}": one for number, one in enumerate(materials, start=1)}
    return _judge(given, prompt, named, per_turn=True)


def judge_case(given: EvalInput, prompt: Prompt, material: Material) -> EvalResult:
    """Ask one question about all turns together."""
    return _judge(given, prompt, {"conversation": material}, per_turn=False)


def write_answers(turn: InvocationData) -> list[str]:
    """Return the answers of a turn's tools, each with the name of its tool."""
    return [
        f"{one.name}{' (failed)' if one.status == 'error' else ''}: {one.output}"
        for one in turn.intermediate_steps.tool_responses
        if one.output.strip()
    ]


def _judge(
    given: EvalInput, prompt: Prompt, materials: Mapping[str, Material], *, per_turn: bool
) -> EvalResult:
    verdicts: dict[str, Verdict] = {}
    skipped: dict[str, str] = {}
    for name, material in materials.items():
        if isinstance(material, str):
            skipped[name] = material
        elif excess := _find_excess(material):
            skipped[name] = excess
        else:
            verdicts[name] = ask_judge(prompt.fill(**material), Verdict)
    if not verdicts:
        return not_evaluated("; ".join(dict.fromkeys(skipped.values())) or "there is no turn")
    missed = {name: one for name, one in verdicts.items() if one.score < given.threshold}
    scores = [verdicts[name].score if name in verdicts else None for name in materials]
    return EvalResult(
        score=sum(one.score for one in verdicts.values()) / len(verdicts),
        per_invocation_scores=scores if per_turn else [],
        details={
            "prompt_version": prompt.version,
            "issues": _list_reasons(missed),
            "reasoning": "\n".join(_list_reasons(verdicts)),
            "not_judged": [f"{name}: {why}" for name, why in skipped.items()][:_MOST_REASONS],
        },
    )


def _find_excess(material: Mapping[str, str]) -> str:
    """Return why a question would be too long. Nothing is cut: what is missing may decide."""
    length = sum(map(len, material.values()))
    if length <= LONGEST:
        return ""
    return f"{length:,} characters are more than a judge is asked about at once ({LONGEST:,})"


def _list_reasons(verdicts: Mapping[str, Verdict]) -> list[str]:
    return [f"{name}: {one.reason}" for name, one in verdicts.items()][:_MOST_REASONS]

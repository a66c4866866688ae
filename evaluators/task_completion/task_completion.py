"""The task is done when the conversation ends, in the opinion of a judge."""

import json
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field

from agentevals_evaluator_sdk import EvalInput, EvalResult, InvocationData, evaluator
from agentevals_evaluator_sdk.judge import Prompt
from agentevals_evaluator_sdk.judging import (
    Material,
    judge_case,
    not_evaluated,
    read_settings,
    write_answers,
)

PROMPT = Path(__file__).with_name("prompt.md")
WISH = "What the user asks for in the conversation."


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    task: Annotated[str, Field(min_length=1)] = WISH


@evaluator
def task_completion(given: EvalInput) -> EvalResult:
    """The share of the task that is done."""
    try:
        settings = read_settings(given, Settings)
    except ValueError as error:
        return not_evaluated(str(error))
    return judge_case(given, Prompt.read(PROMPT), collect_material(given, settings))


def collect_material(given: EvalInput, settings: Settings) -> Material:
    """Return what the judge is shown, or why it is not asked."""
    turns = given.invocations
    if settings.task == WISH and not any(turn.user_content.strip() for turn in turns):
        return "the user asked for nothing; give config.task"
    if not any(did_something(turn) for turn in turns):
        return "the agent did nothing"
    shown = (describe(number, turn) for number, turn in enumerate(turns, start=1))
    written = [json.dumps(one, ensure_ascii=False) for one in shown]
    return {"task": settings.task, "conversation": "\n".join(written)}


def did_something(turn: InvocationData) -> bool:
    """Return whether the agent answered or called a tool."""
    return bool((turn.final_response or "").strip() or turn.intermediate_steps.tool_calls)


def describe(number: int, turn: InvocationData) -> dict[str, Any]:
    """Describe one turn for the judge."""
    calls = turn.intermediate_steps.tool_calls
    return {
        "turn": number,
        "user": turn.user_content,
        "tool_calls": [{"tool": call.name, "arguments": call.args} for call in calls],
        "tool_answers": write_answers(turn),
        "agent": turn.final_response,
    }


if __name__ == "__main__":
    task_completion.run()

"""Every claim of the answer is supported by what the agent saw, in the opinion of a judge."""

from pathlib import Path

from pydantic import BaseModel, Field

from agentevals_evaluator_sdk import EvalInput, EvalResult, InvocationData, evaluator
from agentevals_evaluator_sdk.judge import Prompt
from agentevals_evaluator_sdk.judging import (
    Material,
    judge_turns,
    not_evaluated,
    read_settings,
    write_answers,
)

PROMPT = Path(__file__).with_name("prompt.md")


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    sources: list[str] = Field(default=[])


@evaluator
def faithfulness(given: EvalInput) -> EvalResult:
    """The share of claims that sources support, the mean over all turns that have sources."""
    try:
        settings = read_settings(given, Settings)
    except ValueError as error:
        return not_evaluated(str(error))
    sources = dict.fromkeys(settings.sources)
    materials: list[Material] = []
    for turn in given.invocations:
        sources |= dict.fromkeys(write_answers(turn))  # the agent still sees those of before
        materials.append(collect_material(turn, list(sources)))
    return judge_turns(given, Prompt.read(PROMPT), materials)


def collect_material(turn: InvocationData, sources: list[str]) -> Material:
    """Return what the judge is shown of one turn, or why it is not asked."""
    answer = turn.final_response or ""
    if not answer.strip():
        return "the agent gave no answer"
    if not sources:
        return "the agent saw no source: no tool answered, and config.sources is empty"
    return {
        "question": turn.user_content,
        "sources": "\n\n".join(sources),
        "answer": answer,
    }


if __name__ == "__main__":
    faithfulness.run()

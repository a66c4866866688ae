"""The answer is about what the user asked, in the opinion of a judge."""

from pathlib import Path

from pydantic import BaseModel, Field

from agentevals_evaluator_sdk import EvalInput, EvalResult, InvocationData, evaluator
from agentevals_evaluator_sdk.judge import Prompt
from agentevals_evaluator_sdk.judging import Material, judge_turns, not_evaluated, read_settings

PROMPT = Path(__file__).with_name("prompt.md")


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    earlier_turns: int = Field(default=4, ge=0, le=20)


@evaluator
def answer_relevancy(given: EvalInput) -> EvalResult:
    """The relevance of the answers, the mean over all turns with a question and an answer."""
    try:
        settings = read_settings(given, Settings)
    except ValueError as error:
        return not_evaluated(str(error))
    turns = given.invocations
    materials = [
        collect_material(turn, turns[max(0, number - settings.earlier_turns) : number])
        for number, turn in enumerate(turns)
    ]
    return judge_turns(given, Prompt.read(PROMPT), materials)


def collect_material(turn: InvocationData, earlier: list[InvocationData]) -> Material:
    """Return what the judge is shown of one turn, or why it is not asked."""
    answer = turn.final_response or ""
    if not turn.user_content.strip():
        return "the user asked nothing"
    if not answer.strip():
        return "the agent gave no answer"
    said = [f"user: {one.user_content}\nagent: {one.final_response or ''}" for one in earlier]
    return {
        "earlier": "\n\n".join(said) or "(nothing)",
        "question": turn.user_content,
        "answer": answer,
    }


if __name__ == "__main__":
    answer_relevancy.run()

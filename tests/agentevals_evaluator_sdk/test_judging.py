"""A judge is asked once for each turn or for a case; what is not judged has no score."""

import pytest
from pydantic import BaseModel

from agentevals_evaluator_sdk import EvalInput, EvalStatus, InvocationData, judging
from agentevals_evaluator_sdk.judge import JudgeError, Prompt
from agentevals_evaluator_sdk.judging import judge_case, judge_turns, read_settings, write_answers
from tests.judge.models import completion
from tests.servers import Script, serve

PROMPT = Prompt("3", "{{ answer }}")
GIVEN = EvalInput(metric_name="good", threshold=0.7)


class Settings(BaseModel, extra="forbid", strict=True):
    least: int = 1


@pytest.fixture
def judge(monkeypatch):
    """Verdicts with these scores, in their order."""

    def scripted(ask, *scores):
        said = [completion({"reason": f"worth {score}", "score": score}) for score in scores]
        with serve(Script(*said)) as server:
            monkeypatch.setenv("AGENTEVALS_JUDGE_URL", server.url)
            monkeypatch.setenv("AGENTEVALS_JUDGE_TOKEN", "secret")
            return ask(), len(server.seen)

    return scripted


def test_each_turn_with_a_material_is_one_question(judge):
    materials = [{"answer": "a"}, "the agent gave no answer", {"answer": "b"}]

    result, asked = judge(lambda: judge_turns(GIVEN, PROMPT, materials), 1, 0.5)

    assert (asked, result.score, result.per_invocation_scores) == (2, 0.75, [1, None, 0.5])
    assert result.details == {
        "prompt_version": "3",
        "issues": ["turn 3: worth 0.5"],
        "reasoning": "turn 1: worth 1\nturn 3: worth 0.5",
        "not_judged": ["turn 2: the agent gave no answer"],
    }


def test_a_case_is_one_question(judge):
    result, asked = judge(lambda: judge_case(GIVEN, PROMPT, {"answer": "all"}), 0.25)

    assert (asked, result.score, result.per_invocation_scores) == (1, 0.25, [])
    assert result.details["issues"] == ["conversation: worth 0.25"]


def test_without_anything_to_judge_nobody_is_asked():
    result = judge_turns(GIVEN, PROMPT, ["no answer", "no answer", "no source"])

    assert (result.score, result.status) == (0, EvalStatus.NOT_EVALUATED)
    assert result.details == {"reason": "no answer; no source"}
    assert judge_turns(GIVEN, PROMPT, []).details == {"reason": "there is no turn"}


def test_what_is_too_long_is_not_cut_and_not_judged():
    long = {"answer": "x" * (judging.LONGEST + 1)}

    result = judge_case(GIVEN, PROMPT, long)

    assert result.status is EvalStatus.NOT_EVALUATED
    assert result.details["reason"].startswith("200,001 characters are more than a judge")


def test_a_judge_that_gives_no_verdict_is_an_error_and_no_zero(judge):
    with pytest.raises(JudgeError, match="cannot be used"):
        judge(lambda: judge_turns(GIVEN, PROMPT, [{"answer": "a"}]), 7)


def test_settings_are_read_with_everything_that_is_wrong():
    wrong = EvalInput(metric_name="good", config={"least": "2", "most": 3})

    with pytest.raises(ValueError, match=r"^config\.least: .*; config\.most: .*"):
        read_settings(wrong, Settings)
    fine = EvalInput(metric_name="good", config={"least": 2})
    assert read_settings(fine, Settings) == Settings(least=2)


def test_answers_of_tools_have_the_name_of_their_tool():
    turn = InvocationData.model_validate(
        {
            "intermediate_steps": {
                "tool_responses": [
                    {"name": "forecast", "output": "21"},
                    {"name": "book", "output": "no seats", "status": "error"},
                    {"name": "log", "output": " "},
                ]
            }
        }
    )

    assert write_answers(turn) == ["forecast: 21", "book (failed): no seats"]

"""Evaluators of ADK that metrics build on, as they are without ADK."""

import asyncio

import pytest

from agentevals_evaluator_sdk.standins.adk.standin_cases import Invocation
from agentevals_evaluator_sdk.standins.adk.standin_contents import Content, Part
from agentevals_evaluator_sdk.standins.adk.standin_judges import (
    AgentEvaluator,
    LlmAsJudge,
    get_average_rubric_score,
    get_eval_status,
    get_text_from_content,
)
from agentevals_evaluator_sdk.standins.adk.standin_metrics import EvalMetric, EvalStatus
from agentevals_evaluator_sdk.standins.adk.standin_rubrics import RubricScore
from agentevals_evaluator_sdk.standins.adk.standin_scenarios import ConversationScenario
from agentevals_evaluator_sdk.standins.adk.standin_trajectories import TrajectoryEvaluator


def called(*names, **fields):
    """A turn with these calls."""
    uses = [{"name": name, "args": {"of": name}} for name in names]
    said = {"parts": [{"text": "q"}]}
    return Invocation.model_validate(
        {"user_content": said, "intermediate_data": {"tool_uses": uses}, **fields}
    )


def compared(match_type, found, wanted, **criterion):
    metric = EvalMetric.model_validate(
        {"metric_name": "m", "criterion": {"threshold": 1, "match_type": match_type, **criterion}}
    )
    return TrajectoryEvaluator(eval_metric=metric).evaluate_invocations(found, wanted)


@pytest.mark.parametrize(
    ("match_type", "found", "wanted", "score"),
    [
        ("EXACT", "ab", "ab", 1),
        ("EXACT", "abc", "ab", 0),
        ("EXACT", "ba", "ab", 0),
        ("IN_ORDER", "axb", "ab", 1),
        ("IN_ORDER", "ba", "ab", 0),
        ("ANY_ORDER", "xba", "ab", 1),
        ("ANY_ORDER", "ab", "aab", 0),
        ("ANY_ORDER", "", "", 1),
    ],
)
def test_tool_calls_are_compared_as_the_criterion_says(match_type, found, wanted, score):
    told = compared(match_type, [called(*found)], [called(*wanted)])

    assert told.overall_score == score
    assert told.overall_eval_status is (EvalStatus.PASSED if score else EvalStatus.FAILED)
    assert [turn.score for turn in told.per_invocation_results] == [score]


def test_arguments_count_unless_they_are_ignored():
    other = called("a")
    other.intermediate_data.tool_uses[0].args = None

    assert compared("EXACT", [other], [called("a")]).overall_score == 0
    assert compared("EXACT", [other], [called("a")], ignore_args=True).overall_score == 1


def test_the_score_is_the_mean_and_without_a_turn_there_is_none():
    plain = TrajectoryEvaluator(threshold=0.5)

    told = plain.evaluate_invocations([called("a"), called("b")], [called("a"), called("c")])

    assert (told.overall_score, told.overall_eval_status) == (0.5, EvalStatus.PASSED)
    assert plain.evaluate_invocations([], []).overall_score is None


@pytest.mark.parametrize(
    "given", [{}, {"threshold": 1, "eval_metric": EvalMetric(metric_name="m")}]
)
def test_a_threshold_comes_from_one_place(given):
    with pytest.raises(ValueError, match="should be specified"):
        TrajectoryEvaluator(**given)


@pytest.mark.parametrize("expected", [None, []])
def test_turns_without_others_beside_them_cannot_be_compared(expected):
    with pytest.raises(ValueError, match="expected_invocations"):
        TrajectoryEvaluator(threshold=1).evaluate_invocations([called("a")], expected)


def test_a_text_is_that_of_a_message_or_of_a_turn_with_its_steps():
    said = Content(parts=[Part(text="a"), Part(text="b", thought=True), Part(function_call=None)])
    event = {"author": "x", "content": {"parts": [{"text": "on the way"}]}}
    turn = called(final_response=said, intermediate_data={"invocation_events": [event]})
    older = called(
        final_response=said, intermediate_data={"intermediate_responses": [["x", [{"text": "so"}]]]}
    )

    assert get_text_from_content(said) == "a\nb"
    assert get_text_from_content(turn) == "a\nb"
    include = {"include_intermediate_responses_in_final": True}
    assert get_text_from_content(turn, **include) == "on the way\na\nb"
    assert get_text_from_content(older, **include) == "so\na\nb"
    assert get_text_from_content(called(), **include) is None
    assert get_text_from_content(None) is None


def test_statuses_and_means_are_those_of_adk():
    scores = [RubricScore(rubric_id="a", score=1), RubricScore(rubric_id="b")]

    assert get_eval_status(None, 0) is EvalStatus.NOT_EVALUATED
    assert [get_eval_status(score, 0.5) for score in (0.5, 0.4)] == [
        EvalStatus.PASSED,
        EvalStatus.FAILED,
    ]
    assert get_average_rubric_score(scores) == 1
    assert get_average_rubric_score(scores[1:]) is None


def test_what_asks_models_or_runs_agents_says_that_it_takes_the_real_package():
    with pytest.raises(NotImplementedError, match="list google-adk"):
        LlmAsJudge()
    with pytest.raises(NotImplementedError, match="runs no agent"):
        asyncio.run(AgentEvaluator.evaluate("a", "b"))


def test_of_a_persona_that_adk_brings_along_the_name_is_known():
    told = ConversationScenario.model_validate(
        {"startingPrompt": "a", "conversationPlan": "b", "userPersona": "EXPERT"}
    )

    assert told.user_persona.model_dump() == {"id": "EXPERT", "description": "", "behaviors": []}


def test_bytes_are_texts_in_json_and_what_a_newer_release_records_is_kept():
    part = Part.model_validate_json('{"inline_data": {"data": "aGk="}, "newer": {"a": 1}}')

    assert part.inline_data.data == b"hi"
    assert part.newer == {"a": 1}
    assert part.model_dump(mode="json", exclude_none=True)["inline_data"] == {"data": "aGk="}

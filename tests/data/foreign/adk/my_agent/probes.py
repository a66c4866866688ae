"""Metric functions that show what they are given, and that answer in every way there is."""

import json
import math

from google.adk.evaluation.eval_case import (
    ConversationScenario,
    Invocation,
    get_all_tool_calls,
    get_all_tool_calls_with_responses,
)
from google.adk.evaluation.eval_metrics import EvalMetric, EvalStatus
from google.adk.evaluation.eval_rubrics import RubricScore
from google.adk.evaluation.evaluator import EvaluationResult, PerInvocationResult
from google.genai import types


def show(value):
    return value and value.model_dump(mode="json", exclude_none=True)


def see(metric, actual, expected, scenario):
    return {
        "metric": show(metric),
        "actual": [show(turn) for turn in actual],
        "expected": expected and [show(turn) for turn in expected],
        "scenario": show(scenario),
        "kinds": [type(turn.intermediate_data).__name__ for turn in actual],
        "calls": [
            [call.name, call.args, response and response.response]
            for turn in actual
            for call, response in get_all_tool_calls_with_responses(turn.intermediate_data)
        ],
    }


def result(metric, actual, score, *, status=None, told=None, each=None):  # noqa: PLR0913
    threshold = metric.criterion.threshold if metric else 0.5
    status = status or (EvalStatus.PASSED if score >= threshold else EvalStatus.FAILED)
    rubrics = told and [RubricScore(rubric_id="seen", score=1, rationale=told)]
    return EvaluationResult(
        overall_score=score,
        overall_eval_status=status,
        per_invocation_results=[
            PerInvocationResult(actual_invocation=turn, score=one, eval_status=status)
            for turn, one in zip(actual, each or [score] * len(actual), strict=True)
        ],
        overall_rubric_scores=rubrics,
    )


def everything(eval_metric, actual_invocations, expected_invocations, conversation_scenario):
    seen = see(eval_metric, actual_invocations, expected_invocations, conversation_scenario)
    return result(eval_metric, actual_invocations, 1.0, told=json.dumps(seen, sort_keys=True))


async def everything_later(
    eval_metric: EvalMetric,
    actual_invocations: list[Invocation],
    expected_invocations: list[Invocation] | None,
    conversation_scenario: ConversationScenario | None = None,
) -> EvaluationResult:
    return everything(eval_metric, actual_invocations, expected_invocations, conversation_scenario)


def share_of_words(eval_metric, actual_invocations, expected_invocations, _scenario):
    each = []
    for turn in actual_invocations:
        parts = turn.final_response.parts or [] if turn.final_response else []
        words = " ".join(part.text or "" for part in parts if not part.thought).split()
        each.append(min(1.0, len(words) / 8))
    return result(eval_metric, actual_invocations, sum(each) / max(1, len(each)), each=each)


def calls_on_a_scale(eval_metric, actual_invocations, expected_invocations, _scenario):
    """As many calls as were made, and -10 for a turn without: a score beyond 0 and 1."""
    each = [float(len(get_all_tool_calls(t.intermediate_data)) or -10) for t in actual_invocations]
    return result(eval_metric, actual_invocations, sum(each) / max(1, len(each)), each=each)


def sub_agent_spoke(eval_metric, actual_invocations, *others):
    each = []
    for turn in actual_invocations:
        events = getattr(turn.intermediate_data, "invocation_events", [])
        each.append(float(any(event.author == "sub_agent" for event in events)))
    return result(eval_metric, actual_invocations, sum(each) / max(1, len(each)), each=each)


def not_evaluated(eval_metric, actual_invocations, expected_invocations, _scenario):
    return result(eval_metric, actual_invocations, 0.25, status=EvalStatus.NOT_EVALUATED)


def informational(eval_metric, actual_invocations, expected_invocations, _scenario):
    return result(eval_metric, actual_invocations, 0.25, status=EvalStatus.INFORMATIONAL)


def no_score(eval_metric, actual_invocations, expected_invocations, _scenario):
    return EvaluationResult()


def no_number(eval_metric, actual_invocations, expected_invocations, _scenario):
    return result(eval_metric, actual_invocations, math.nan, status=EvalStatus.FAILED)


def too_few(eval_metric, actual_invocations, expected_invocations, _scenario):
    return EvaluationResult(overall_score=1.0, overall_eval_status=EvalStatus.PASSED)


def nothing(eval_metric, actual_invocations, expected_invocations, _scenario):
    return None


def a_number(eval_metric, actual_invocations, expected_invocations, _scenario):
    return 1.0


def breaks(eval_metric, actual_invocations, expected_invocations, _scenario):
    return {}["no such key"]


def first_release(actual_invocations, expected_invocations, conversation_scenario):
    texts = [part.text or "" for turn in actual_invocations for part in turn.user_content.parts]
    return result(None, actual_invocations, min(1.0, len("".join(texts)) / 20))


def one_too_few(eval_metric, actual_invocations, expected_invocations):
    return result(eval_metric, actual_invocations, 1.0)


def builds_content(eval_metric, actual_invocations, expected_invocations, _scenario):
    """Builds types of its own, as metrics that ask a model do."""
    asked = types.Content(role="user", parts=[types.Part(text="is it good?")])
    answer = types.Part.from_function_call(name="grade", args={"of": asked.parts[0].text})
    told = json.dumps(show(answer), sort_keys=True)
    return result(eval_metric, actual_invocations, 1.0, told=told)


async def waited_for(eval_metric, actual, expected, scenario):
    return share_of_words(eval_metric, actual, expected, scenario)


def returns_what_is_waited_for(eval_metric, actual, expected, scenario):
    return waited_for(eval_metric, actual, expected, scenario)

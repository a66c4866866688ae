import pytest
from pydantic import ValidationError

from agentevals_evaluator_sdk.standins.adk.standin_cases import (
    AgentDetails,
    AppDetails,
    EvalCase,
    IntermediateData,
    Invocation,
    InvocationEvents,
    get_all_tool_calls,
    get_all_tool_calls_with_responses,
    get_all_tool_responses,
    get_all_usage_metadata,
)
from agentevals_evaluator_sdk.standins.adk.standin_configs import (
    EvalConfig,
    get_eval_metrics_from_config,
)
from agentevals_evaluator_sdk.standins.adk.standin_contents import (
    Content,
    FunctionCall,
    ModelContent,
    Part,
    UserContent,
)
from agentevals_evaluator_sdk.standins.adk.standin_metrics import (
    BaseCriterion,
    EvalMetric,
    EvalStatus,
    JudgeModelOptions,
    ToolTrajectoryCriterion,
)
from agentevals_evaluator_sdk.standins.adk.standin_results import (
    EvaluationResult,
    PerInvocationResult,
)

SAID = {"role": "user", "parts": [{"text": "hi"}]}
CALLED = {"functionCall": {"id": "1", "name": "T", "args": {"a": 1}}}
ANSWERED = {"function_response": {"id": "1", "name": "T", "response": {"r": 1}}}
SORTED = {
    "tool_uses": [CALLED["functionCall"], {"id": "2", "name": "U"}],
    "tool_responses": [ANSWERED["function_response"]],
}
IN_ORDER = {
    "invocationEvents": [
        {"author": "agent", "content": {"parts": [CALLED]}, "usage_metadata": {"more": 1}},
        {"author": "tool", "content": {"parts": [ANSWERED]}, "unknown": 1},
        {"author": "agent", "content": {"parts": [{"function_call": {"id": "2", "name": "U"}}]}},
        {"author": "agent"},
    ]
}


def invocation(**fields):
    return Invocation.model_validate({"user_content": SAID, **fields})


@pytest.mark.parametrize("data", [SORTED, IN_ORDER])
def test_tool_calls_are_found_however_a_turn_tells_of_them(data):
    told = invocation(intermediateData=data).intermediate_data

    assert [call.name for call in get_all_tool_calls(told)] == ["T", "U"]
    assert [response.response for response in get_all_tool_responses(told)] == [{"r": 1}]
    assert [(c.id, r and r.id) for c, r in get_all_tool_calls_with_responses(told)] == [
        ("1", "1"),
        ("2", None),
    ]


def test_a_turn_without_data_has_no_calls():
    assert get_all_tool_calls(None) == []
    assert get_all_usage_metadata(invocation()) == []
    assert len(get_all_usage_metadata(invocation(intermediate_data=IN_ORDER))) == 1


def test_what_happened_is_sorted_or_in_order():
    assert isinstance(invocation(intermediate_data={}).intermediate_data, IntermediateData)
    assert isinstance(invocation(intermediate_data=IN_ORDER).intermediate_data, InvocationEvents)


@pytest.mark.parametrize(
    "fields",
    [{"unknown": 1}, {"final_response": "text"}, {"intermediate_data": SORTED | IN_ORDER}],
)
def test_an_invocation_with_what_is_none_of_its_own_is_refused(fields):
    with pytest.raises(ValidationError):
        invocation(**fields)


def test_messages_are_made_as_usual():
    assert Part.from_text(text="a") == Part(text="a")
    assert UserContent("a").role == "user"
    assert isinstance(UserContent("a"), Content)
    assert ModelContent([Part(text="a"), "b"]).parts[1].text == "b"
    assert Part.from_function_call(name="T", args={}).function_call == FunctionCall(
        name="T", args={}
    )
    assert Part.from_function_response(name="T", response={"r": 1}).text is None
    assert Part.from_bytes(data=b"x", mime_type="a/b").inline_data.data == b"x"
    assert Part.from_uri(file_uri="f").file_data.file_uri == "f"


def test_a_result_says_nothing_of_itself():
    assert EvaluationResult().overall_eval_status is EvalStatus.NOT_EVALUATED
    assert PerInvocationResult(actual_invocation=invocation()).score is None
    assert [(status.name, status.value) for status in EvalStatus] == [
        ("PASSED", 1), ("FAILED", 2), ("NOT_EVALUATED", 3), ("INFORMATIONAL", 4)
    ]  # fmt: skip


def test_a_criterion_keeps_what_only_its_metric_knows():
    metric = EvalMetric(metric_name="m", criterion=BaseCriterion(threshold=0.5, mine=1))

    assert (metric.threshold, metric.criterion.threshold, metric.criterion.mine) == (None, 0.5, 1)


@pytest.mark.parametrize("written", ["any-order", "ANY ORDER", "Any_Order", 2])
def test_a_way_to_match_has_many_spellings(written):
    criterion = ToolTrajectoryCriterion(threshold=1, matchType=written)

    assert criterion.match_type is ToolTrajectoryCriterion.MatchType.ANY_ORDER


def test_a_judge_is_asked_at_least_once():
    with pytest.raises(ValidationError):
        JudgeModelOptions(num_samples=0)


def test_a_case_has_turns_or_a_scenario():
    assert EvalCase(eval_id="c", conversation=[invocation()], more=1).conversation
    with pytest.raises(ValidationError, match="Exactly one"):
        EvalCase(eval_id="c")


def test_agents_tell_what_they_were_told():
    app = AppDetails(agent_details={"a": AgentDetails(name="a", instructions="be kind")})

    assert app.get_developer_instructions("a") == "be kind"
    assert app.get_tools_by_agent_name() == {"a": []}
    with pytest.raises(ValueError, match="not found"):
        app.get_developer_instructions("b")


def test_a_config_names_its_metrics():
    config = EvalConfig.model_validate(
        {
            "criteria": {"mine": {"threshold": 0.5}, "other": 1},
            "customMetrics": {"mine": {"codeConfig": {"name": "m.f"}}},
        }
    )

    mine, other = get_eval_metrics_from_config(config)

    assert (mine.custom_function_path, mine.criterion.threshold) == ("m.f", 0.5)
    assert (other.custom_function_path, other.criterion.threshold) == (None, 1)

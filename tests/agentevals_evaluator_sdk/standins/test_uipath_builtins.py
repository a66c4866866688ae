"""The evaluators that UiPath brings along, which classes of users ask and build on.

The scores and details are those of uipath 2.14.44.
"""

import asyncio
import json
from types import SimpleNamespace

import pytest

from agentevals_evaluator_sdk.standins.uipath import (
    standin_classifying,
    standin_comparing,
    standin_emptiness,
    standin_judges,
    standin_kinds,
    standin_legacy,
    standin_mocks,
    standin_tool_evaluators,
    standin_tool_scores,
    standin_tracing,
)
from agentevals_evaluator_sdk.standins.uipath.standin_results import (
    AgentExecution,
    EvaluationResultDto,
    ToolCall,
    ToolOutput,
)
from agentevals_evaluator_sdk.standins.uipath.standin_spans import ReadableSpan, SpanContext


def call(name, args=None, output=None, number=1, **more):
    attributes = {"tool.name": name, **more}
    if args is not None:
        attributes["input.value"] = json.dumps(args)
    if output is not None:
        attributes["output.value"] = output
    return ReadableSpan("s", SpanContext(1, number), attributes=attributes)


def ask(kind, criteria, output=None, spans=(), **config):
    evaluator = kind(id="e", evaluatorConfig={"name": "e", **config})
    execution = AgentExecution(agent_input={"q": 1}, agent_output=output or {}, agent_trace=spans)
    return asyncio.run(evaluator.validate_and_evaluate_criteria(execution, criteria))


@pytest.mark.parametrize(
    ("output", "wanted", "config", "score"),
    [
        ({"a": 1}, {"a": 1.0}, {}, 1),
        ({"a": "X"}, {"a": "x"}, {}, 0),
        ({"a": "X"}, {"a": "x"}, {"targetOutputKey": "a"}, 1),
        ({"a": "X"}, '{"a": "x"}', {"targetOutputKey": "a", "caseSensitive": True}, 0),
        ({"a": {"b": [1]}}, {"a": {"b": [1, 2]}}, {"targetOutputKey": ["a.b[0]", "a.b[0]"]}, 1),
        ({"a": "x"}, {"a": "y"}, {"negated": True}, 1),
        (
            {"a": "x\ny\n\nz"},
            {"a": "x\nz"},
            {
                "targetOutputKey": "a",
            },
            0,
        ),
        (
            {"a": "x\ny\n\nz"},
            {"a": "x\nz\nz"},
            {"targetOutputKey": "a", "lineByLineEvaluator": True},
            2 / 3,
        ),
        ("x;y", "x;y", {"lineByLineEvaluator": True, "lineDelimiter": ";"}, 1),
    ],
)
def test_exact_match(output, wanted, config, score):
    result = ask(
        standin_comparing.ExactMatchEvaluator, {"expectedOutput": wanted}, output, **config
    )

    assert result.score == pytest.approx(score)


def test_the_details_of_an_exact_match_are_both_sides():
    result = ask(standin_comparing.ExactMatchEvaluator, {"expectedOutput": {"a": 1}}, {"a": 2})

    assert result.details.model_dump() == {"expected": "{'a': 1.0}", "actual": "{'a': 2.0}"}


def test_the_details_of_lines_tell_each():
    config = {"lineByLineEvaluator": True}
    result = ask(standin_comparing.ContainsEvaluator, {"searchText": "X"}, "x\ny", **config)

    told = result.details.model_dump()
    assert (result.score, told["total_lines_actual"], told["total_lines_expected"]) == (0.5, 2, 1)
    assert [line["score"] for line in told["line_by_line_results"]] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("kind", "criteria", "config"),
    [
        (
            standin_comparing.ExactMatchEvaluator,
            {"expectedOutput": {"b": 1}},
            {"targetOutputKey": "b"},
        ),
        (
            standin_comparing.ExactMatchEvaluator,
            {"expectedOutput": "text"},
            {"targetOutputKey": "a"},
        ),
        (
            standin_classifying.MulticlassClassificationEvaluator,
            {"expectedClass": "z"},
            {"classes": ["a"]},
        ),
        (
            standin_classifying.BinaryClassificationEvaluator,
            {"expectedClass": "z"},
            {"positiveClass": ""},
        ),
        (standin_judges.LLMJudgeOutputEvaluator, {"expectedOutput": "x"}, {}),
    ],
)
def test_what_cannot_be_judged_is_an_error_result(kind, criteria, config):
    result = ask(kind, criteria, {"a": 1}, **config)

    assert (result.score_type, result.details[:29]) == (2, "Exception thrown by evaluator")


def test_json_similarity_counts_leaves():
    result = ask(
        standin_comparing.JsonSimilarityEvaluator,
        {"expectedOutput": {"a": 10, "b": "abcd"}},
        {"a": 9, "b": "abxd"},
    )

    assert result.score == pytest.approx(0.825)
    assert result.details.total_leaves == 2


def test_classes_are_reduced_to_a_metric():
    config = {"name": "e", "classes": ["Yes", "no"], "metricType": "precision"}
    evaluator = standin_classifying.MulticlassClassificationEvaluator(
        id="e", evaluatorConfig=config
    )
    pairs = [("yes", "yes"), ("yes", "no"), ("no", "no")]
    told = [{"actual": actual, "expected": expected} for actual, expected in pairs]

    reduced = evaluator.reduce_scores(
        [EvaluationResultDto(score=0, details=one) for one in (*told, None)]
    )

    assert reduced == pytest.approx(0.75)
    assert ask(type(evaluator), {"expectedClass": "NO"}, "No", **config).score == 1


def test_one_class_is_reduced_to_a_metric():
    config = {"name": "e", "positiveClass": "Spam", "metricType": "recall"}
    evaluator = standin_classifying.BinaryClassificationEvaluator(id="e", evaluatorConfig=config)
    told = [{"actual": "ham", "expected": "spam"}, {"actual": "spam", "expected": "spam"}]

    assert evaluator.reduce_scores([EvaluationResultDto(score=0, details=t) for t in told]) == 0.5


SPANS = (
    call("look_up", {"city": "Oslo", "n": 1}, "sunny"),
    call("look up", {"city": "Rome"}, '{"content": "rain"}', number=2),
    call("pay", {}, number=3, **{"tool.id": "id1"}),
)


@pytest.mark.parametrize(
    ("kind", "criteria", "config", "score", "told"),
    [
        (
            standin_tool_evaluators.ToolCallOrderEvaluator,
            {"toolCallsOrder": ["look_up", "id1", "look_up"]},
            {},
            2 / 3,
            {"lcs": ["look_up", "id1"]},
        ),
        (
            standin_tool_evaluators.ToolCallOrderEvaluator,
            {"toolCallsOrder": ["look_up", "look_up", "pay"]},
            {"strict": True},
            0,
            {"lcs": []},
        ),
        (
            standin_tool_evaluators.ToolCallCountEvaluator,
            {"toolCallsCount": {"look_up": ["=", 1], "pay": [">", 0]}},
            {},
            0.5,
            {
                "explained_tool_calls_count": {
                    "look_up": "Actual: 1, Expected: 1, Score: 1.0",
                    "pay": "Actual: 0, Expected: 0, Score: 0.0",
                }
            },
        ),
        (
            standin_tool_evaluators.ToolCallArgsEvaluator,
            {"toolCalls": [{"name": "look up", "args": {"city": "Rome"}}]},
            {"strict": True},
            1,
            {
                "explained_tool_calls_args": {
                    "look_up_0": "Actual: {'city': 'Oslo', 'n': 1}, Expected: {'city': 'Rome'}, "
                    "Score: 0.0",
                    "look up_0": "Actual: {'city': 'Rome'}, Expected: {'city': 'Rome'}, Score: 1.0",
                }
            },
        ),
        (
            standin_tool_evaluators.ToolCallOutputEvaluator,
            {"toolOutputs": [{"name": "look_up", "output": "rain"}]},
            {"strict": True},
            0,
            {
                "explained_tool_calls_outputs": {
                    "look_up_0": "Actual: sunny, Expected: rain, Score: 0.0"
                }
            },
        ),
    ],
)
def test_tool_calls(kind, criteria, config, score, told):
    result = ask(kind, criteria, spans=SPANS, **config)

    details = result.details.model_dump()
    assert result.score == pytest.approx(score)
    assert {key: details[key] for key in told} == told


def test_names_of_which_nothing_is_left_are_the_same_there():
    asked = {"toolCallsOrder": ["検索"]}
    result = ask(standin_tool_evaluators.ToolCallOrderEvaluator, asked, spans=[call("天気")])

    assert result.score == 1


@pytest.mark.parametrize(
    ("scored", "said"),
    [
        (standin_tool_scores.tool_calls_order_score([], []), (1.0, [])),
        (standin_tool_scores.tool_calls_order_score(["a", "b"], ["b", "a"]), (0.5, ["b"])),
        (standin_tool_scores.tool_calls_order_score(["a"], ["a"], strict=True), (1.0, ["a"])),
    ],
)
def test_the_order_of_names_has_a_helper(scored, said):
    assert (scored[0], scored[1]["lcs"]) == said


def test_helpers_say_where_there_is_nothing():
    calls, outputs = [ToolCall(name="a", args={})], [ToolOutput(name="a", output="")]

    assert standin_tool_scores.tool_calls_count_score({}, {})[0] == 1
    assert standin_tool_scores.tool_calls_args_score(calls, [])[0] == 0
    [said] = standin_tool_scores.tool_calls_output_score([], outputs)[1][
        "explained_tool_calls_outputs"
    ]
    assert said == "_result"
    assert standin_tool_scores.count_tool_calls_by_name_and_id([*calls, *calls]) == {"a": 2}


def answer(**_):
    said = SimpleNamespace(arguments={"score": 87.456, "justification": "so"})
    message = SimpleNamespace(tool_calls=[said])
    return SimpleNamespace(choices=[SimpleNamespace(message=message)])


@pytest.mark.parametrize(
    ("kind", "criteria"),
    [
        (standin_judges.LLMJudgeOutputEvaluator, {"expectedOutput": "x"}),
        (standin_judges.LLMJudgeStrictJSONSimilarityOutputEvaluator, {"expectedOutput": "x"}),
        (standin_judges.LLMJudgeTrajectoryEvaluator, {"expectedAgentBehavior": "x"}),
        (standin_judges.LLMJudgeTrajectorySimulationEvaluator, {"expectedAgentBehavior": "x"}),
    ],
)
def test_a_class_may_bring_its_own_model(kind, criteria):
    seen = []

    async def service(**asked):
        seen.append(asked["messages"][1]["content"])
        return answer()

    evaluator = kind(id="e", evaluatorConfig={"name": "e", "prompt": "Judge."}, llm_service=service)
    execution = AgentExecution(agent_input={}, agent_output="out", agent_trace=list(SPANS))
    result = asyncio.run(evaluator.validate_and_evaluate_criteria(execution, criteria))

    assert (result.score, result.details.justification) == (0.87, "so")
    assert seen[0].startswith("Judge.")
    assert seen[0].endswith("x")


OLD = {"id": "L", "category": 0, "type": 1, "createdAt": "", "updatedAt": ""}


@pytest.mark.parametrize(
    ("kind", "settings", "wanted", "output", "score"),
    [
        (standin_legacy.LegacyExactMatchEvaluator, {}, {"a": 1}, {"a": 1.0}, True),
        (
            standin_legacy.LegacyExactMatchEvaluator,
            {"targetOutputKey": "b"},
            {"b": 1},
            {"a": 1},
            True,
        ),
        (
            standin_legacy.LegacyExactMatchEvaluator,
            {"targetOutputKey": "b.c"},
            {"b": {"c": 1}},
            {},
            True,
        ),
        (
            standin_legacy.LegacyJsonSimilarityEvaluator,
            {"targetOutputKey": "b"},
            {"b": 1},
            {"a": 1},
            0,
        ),
        (standin_legacy.LegacyJsonSimilarityEvaluator, {}, {"a": 1, "b": 2}, {"a": 1}, 50),
        (
            standin_legacy.LegacyCSVExactMatchEvaluator,
            {"targetSubOutputKey": "name"},
            {"content": "Name,X\nJo,1\nAl,2"},
            {"content": "Name\n Jo\nEd"},
            True,
        ),
    ],
)
def test_evaluators_of_before_version_1_can_be_asked(kind, settings, wanted, output, score):
    execution = AgentExecution(agent_input={}, agent_output=output, agent_trace=[])
    criteria = {"expectedOutput": wanted, "expectedAgentBehavior": ""}

    result = asyncio.run(
        kind(**OLD, **settings).validate_and_evaluate_criteria(execution, criteria)
    )

    assert result.score == score


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (standin_legacy.LegacyCSVExactMatchEvaluator, {"targetSubOutputKey": "Town"}),
        (standin_legacy.LegacyCSVExactMatchEvaluator, {"targetSubOutputKey": "Name"}),
        (standin_legacy.LegacyFaithfulnessEvaluator, {}),
    ],
)
def test_those_that_cannot_judge_say_so(kind, settings):
    execution = AgentExecution(agent_input={}, agent_output={"content": "Name"}, agent_trace=[])
    criteria = standin_legacy.LegacyEvaluationCriteria(
        expected_output="Name", expected_agent_behavior=""
    )

    result = asyncio.run(
        kind(**OLD, **settings).validate_and_evaluate_criteria(execution, criteria)
    )

    assert result.score_type == 2


def test_kinds_of_before_version_1_have_numbers():
    assert (
        standin_kinds.LegacyEvaluatorType(10)
        is standin_kinds.LegacyEvaluatorType.CSVColumnExactMatch
    )
    assert standin_kinds.LegacyEvaluatorCategory.Trajectory == 3


def test_decorators_of_mocks_and_tracing_leave_functions_as_they_are():
    @standin_tracing.traced
    @standin_tracing.traced(name="x", span_type="tool")
    @standin_mocks.mockable(
        example_calls=[standin_mocks.ExampleCall(id="1", input="i", output="o")]
    )
    def double(number):
        return 2 * number

    assert double(2) == 4
    assert not standin_mocks.is_tool_simulated("double")


@pytest.mark.parametrize(
    ("value", "empty"),
    [
        (None, True),
        (" ", True),
        ("x", False),
        ({}, True),
        ({"a": " "}, True),
        ({"a": 0}, False),
        ([], True),
        (0, False),
    ],
)
def test_a_value_may_say_nothing(value, empty):
    assert standin_emptiness.is_empty_value(value) is empty

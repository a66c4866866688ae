import asyncio

import pytest
from pydantic import ValidationError

from agentevals_evaluator_sdk.standins.uipath.standin_contract import (
    BaseEvaluationCriteria,
    BaseEvaluatorConfig,
    BaseEvaluatorJustification,
)
from agentevals_evaluator_sdk.standins.uipath.standin_evaluator import BaseEvaluator
from agentevals_evaluator_sdk.standins.uipath.standin_problems import UiPathEvaluationError
from agentevals_evaluator_sdk.standins.uipath.standin_results import (
    AgentExecution,
    BooleanEvaluationResult,
    ErrorEvaluationResult,
    EvaluationResultDto,
    NumericEvaluationResult,
)


class Criteria(BaseEvaluationCriteria):
    expected_values: list[str] = []


class Others(BaseEvaluationCriteria):
    pass


class Config(BaseEvaluatorConfig[Criteria]):
    name: str = "Mine"
    case_sensitive: bool = False


class Why(BaseEvaluatorJustification):
    pass


class Methods:
    @classmethod
    def get_evaluator_id(cls):
        return "Mine"

    async def evaluate(self, agent_execution, evaluation_criteria):
        return NumericEvaluationResult(score=len(evaluation_criteria.expected_values))


class Mine(Methods, BaseEvaluator[Criteria, Config, str]):
    """Counts."""


def mine(**fields):
    return Mine(**{"id": "test-evaluator", "config": {}, **fields})


def execution():
    return AgentExecution(agent_input={}, agent_output={"result": "x"}, agent_trace=[])


@pytest.mark.parametrize("key", ["config", "evaluatorConfig", "evaluator_config"])
def test_the_configuration_has_all_the_names_that_it_has_had(key):
    evaluator = Mine(id="e", **{key: {"name": "Other", "caseSensitive": True}})

    assert evaluator.evaluator_config == Config(name="Other", case_sensitive=True)
    assert (evaluator.name, evaluator.evaluator_type_id) == ("Other", "Mine")


def test_a_test_of_its_own_runs_as_the_documents_show_it():
    result = asyncio.run(mine().evaluate(execution(), Criteria(expected_values=["a"])))

    assert result.score == 1
    assert result.evaluation_time >= 0


@pytest.mark.parametrize(
    ("types", "code", "title"),
    [
        ((Criteria, Config, int), "INVALID_JUSTIFICATION_TYPE",
         "Invalid justification type <class 'int'> in Wrong"),
        ((Criteria, dict, str), "INVALID_CONFIG_TYPE",
         "Invalid config type <class 'dict'> in Wrong"),
        ((dict, Config, str), "INVALID_EVALUATION_CRITERIA_TYPE",
         "Invalid evaluation criteria type <class 'dict'> in Wrong"),
        ((Others, Config, str), "TYPE_INCONSISTENCY_IN_EVALUATOR",
         "Type inconsistency in Wrong: Config Config expects criteria type Criteria"),
    ],
)  # fmt: skip
def test_types_that_do_not_fit_are_refused(types, code, title):
    class Wrong(Methods, BaseEvaluator[types]):
        pass

    with pytest.raises(UiPathEvaluationError) as error:
        Wrong(id="w", config={})

    assert (error.value.error_info.code, error.value.error_info.title) == (f"Python.{code}", title)


def test_a_class_without_types_is_refused():
    class Wrong(Methods, BaseEvaluator):
        pass

    with pytest.raises(UiPathEvaluationError, match="~T must be a subclass"):
        Wrong(id="w", config={})


@pytest.mark.parametrize("types", [(Criteria, Config, Why), (Criteria, Config, None),
                                   (Criteria, BaseEvaluatorConfig[Criteria], str),
                                   (Criteria, BaseEvaluatorConfig, str)])  # fmt: skip
def test_types_that_fit_are_taken(types):
    class Right(Methods, BaseEvaluator[types]):
        pass

    assert Right(id="r", config={"name": "Right"}).name == "Right"


def test_a_missing_method_is_refused():
    class Half(BaseEvaluator[Criteria, Config, str]):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Half(id="h", config={})


@pytest.mark.parametrize(("fields", "error"), [
    ({"config": {"caseSensitive": "no idea"}}, UiPathEvaluationError),
    ({"config": 5}, UiPathEvaluationError),
    ({"id": None}, ValidationError),
])  # fmt: skip
def test_a_wrong_field_is_refused(fields, error):
    with pytest.raises(error):
        mine(**fields)


class Fields:
    def __init__(self):
        self.expected_values = ["a"]


@pytest.mark.parametrize(
    "given", [Criteria(expected_values=["a"]), {"expectedValues": ["a"]},
              {"expected_values": ["a"]}, Fields()]
)  # fmt: skip
def test_criteria_are_made_of_whatever_has_their_fields(given):
    assert mine().validate_evaluation_criteria(given) == Criteria(expected_values=["a"])


@pytest.mark.parametrize("given", [5, None, {"expectedValues": 1}])
def test_criteria_that_cannot_be_made_are_refused(given):
    with pytest.raises(UiPathEvaluationError) as error:
        mine().validate_evaluation_criteria(given)

    assert error.value.error_info.code == "Python.CANNOT_VALIDATE_EVALUATION_CRITERIA"
    assert "errors.pydantic.dev" not in str(error.value)


def test_without_criteria_the_default_ones_are_used_or_it_is_refused():
    usual = {"defaultEvaluationCriteria": {"expectedValues": ["a", "b"]}}

    found = asyncio.run(mine(config=usual).validate_and_evaluate_criteria(execution(), None))
    with pytest.raises(UiPathEvaluationError, match="No evaluation criteria provided"):
        asyncio.run(mine().validate_and_evaluate_criteria(execution(), None))

    assert found.score == 2


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [(str, None, ""), (str, 5, "5"), (None, "x", None),
     (Why, {"expected": "a", "actual": "b"}, Why(expected="a", actual="b"))],
)  # fmt: skip
def test_a_justification_is_made_of_what_is_given(kind, given, expected):
    class Right(Methods, BaseEvaluator[Criteria, Config, kind]):
        pass

    assert Right(id="r", config={}).validate_justification(given) == expected


def test_a_justification_that_cannot_be_read_is_none():
    assert Why.try_from({"expected": "a"}) is None
    assert Why.try_from({"expected": "a", "actual": "b"}) == Why(expected="a", actual="b")


def test_scores_are_reduced_to_their_mean():
    scores = [EvaluationResultDto(score=score) for score in (1, 0.5)]

    assert mine().reduce_scores(scores) == 0.75
    assert mine().reduce_scores([]) == 0


def test_a_yes_counts_one_when_it_is_handed_on():
    result = BooleanEvaluationResult(score=True, details=Why(expected="a", actual="b"))

    assert EvaluationResultDto.from_evaluation_result(result) == EvaluationResultDto(
        score=1, details={"expected": "a", "actual": "b"}
    )


def test_an_error_keeps_its_reason_under_both_names():
    for result in (ErrorEvaluationResult(error="why"), ErrorEvaluationResult(details="why")):
        assert (result.error, result.details, result.score) == ("why", "why", 0)


def test_the_execution_takes_and_gives_both_names_of_its_fields():
    newer = AgentExecution({"q": 1}, workload_output="x", workload_trace=[])

    assert newer == AgentExecution(agent_input={"q": 1}, agent_output="x", agent_trace=[])
    assert (newer.agent_output, newer.workload_output) == ("x", "x")
    assert newer.workload_trace is newer.agent_trace


def test_the_types_are_told_in_snake_case():
    told = Mine.generate_json_type()

    assert told["evaluatorTypeId"] == "Mine"
    assert list(told["evaluationCriteriaSchema"]["properties"]) == ["expected_values"]
    assert "case_sensitive" in told["evaluatorConfigSchema"]["properties"]
    assert told["justificationSchema"] == {"type": "string"}

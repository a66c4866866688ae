"""The keys of UiPath's eval sets and evaluators, in all three layouts."""

from typing import Annotated, Any

from pydantic import (
    AliasChoices,
    AliasGenerator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
)
from pydantic.alias_generators import to_camel

_TIMES = ("createdAt", "updatedAt")

# what says how an agent is run, or belongs to UiPath's cloud; recordings are judged as they are
OF_THE_RUN = frozenset(
    {
        *("modelSettings", "agentMemoryEnabled", "agentMemorySettings", "batchSize"),
        *("timeoutMinutes", "mockingStrategy", "inputMockingStrategy", "simulateInput"),
        *("simulateTools", "toolsToSimulate", "inputGenerationInstructions"),
        *("conversationalInputs", "conversationalExpectedOutput"),
    }
)
OF_A_SET = frozenset(
    {
        *("id", "name", "version", "description", "evaluatorRefs", "evaluatorConfigs"),
        *("evaluations", "evaluationItems", "fileName", "lineByLineEvaluation", *_TIMES),
        *("modelSettings", "agentMemoryEnabled", "agentMemorySettings", "batchSize"),
        "timeoutMinutes",
    }
)
OF_AN_ITEM = frozenset(
    {
        *("id", "name", "description", "inputs", "agentInput", "evaluationCriterias"),
        *("evaluations", "expectedOutput", "expectedAgentBehavior", "evalSetId", "source"),
        *("simulationInstructions", *_TIMES),
        *(OF_THE_RUN - {"modelSettings", "batchSize", "timeoutMinutes"}),
    }
)
OF_AN_EVALUATOR = frozenset(
    {
        *("version", "id", "name", "description", "evaluatorTypeId", "evaluatorSchema"),
        *("evaluatorConfig", "fileName", "category", "type", "prompt", "model"),
        *("targetOutputKey", "targetSubOutputKey", "lineByLineEvaluation", "lineDelimiter"),
        *_TIMES,
    }
)

OF_A_CRITERION = frozenset({"evaluatorId", "evaluationCriteria"})


def _read_text(given: Any) -> Any:
    return "" if given is None else given


def _read_object(given: Any) -> Any:
    return {} if given is None else given


Text = Annotated[str, BeforeValidator(_read_text)]


class _Written(BaseModel):
    """Keys in camel case; unknown ones are complained about by whoever knows the neighbours."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        alias_generator=AliasGenerator(
            validation_alias=lambda name: AliasChoices(to_camel(name), name)
        ),
    )


class Criterion(_Written):
    """The criteria of one evaluator for an item, in the layout of the documentation."""

    evaluator_id: str = Field(min_length=1)
    evaluation_criteria: dict[str, Any] | None = None


class Item(_Written):
    """One input of the agent, and what the evaluators are told about it."""

    id: str = Field(min_length=1)
    name: Text = ""
    inputs: Annotated[dict[str, Any], BeforeValidator(_read_object)] = Field(
        default={}, validation_alias=AliasChoices("inputs", "agentInput")
    )
    evaluation_criterias: dict[str, dict[str, Any] | None] | None = None
    evaluations: tuple[Criterion, ...] | None = None
    expected_output: Any = None
    expected_agent_behavior: Text = ""
    simulation_instructions: Text = ""


class Reference(_Written):
    """An evaluator, and how much it counts."""

    ref: str = Field(min_length=1)
    weight: float = Field(default=1.0, ge=0, allow_inf_nan=False)


class EvaluatorFile(_Written):
    """The file of an evaluator: of a class, of a prebuilt one, or of one before version 1.0."""

    id: str = Field(min_length=1)
    version: Any = None
    name: Text = ""
    description: Text = ""
    evaluator_type_id: Text = ""
    evaluator_schema: Text = ""
    evaluator_config: Annotated[dict[str, Any], BeforeValidator(_read_object)] = {}
    category: int | None = None
    type: int | None = None
    prompt: Text = ""
    model: Text = ""
    target_output_key: Text = ""
    target_sub_output_key: Text = ""
    line_by_line_evaluation: bool | None = None
    line_delimiter: str | None = None

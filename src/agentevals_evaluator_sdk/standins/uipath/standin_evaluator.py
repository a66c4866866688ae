"""The class that evaluators inherit from, and what it demands of them."""

import os
import sys
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import wraps
from inspect import isawaitable
from time import perf_counter
from typing import Any, Generic, TypeVar, cast

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, model_validator

from agentevals_evaluator_sdk.standins.uipath import standin_contract
from agentevals_evaluator_sdk.standins.uipath.standin_contract import BaseEvaluatorJustification
from agentevals_evaluator_sdk.standins.uipath.standin_problems import (
    UiPathEvaluationError,
    UiPathEvaluationErrorCategory,
)
from agentevals_evaluator_sdk.standins.uipath.standin_results import (
    BaseEvaluationResult,
    ErrorEvaluationResult,
    EvaluationResultDto,
)

__all__ = ["BaseEvaluator", "GenericBaseEvaluator", "track_evaluation_metrics"]

T = TypeVar("T")
C = TypeVar("C")
J = TypeVar("J")

_CONFIGURATIONS = ("evaluatorConfig", "evaluator_config", "config")

_GUARDED = "__agentevals_guarded__"
_LIBRARY = os.__file__.rpartition("/")[0]

Evaluate = Callable[..., Any]


class BaseEvaluator(BaseModel, Generic[T, C, J], ABC):
    """An evaluator: criteria T, configuration C, justification J."""

    model_config = ConfigDict(arbitrary_types_allowed=True, defer_build=True)

    id: str
    name: str = Field(default="", description="The name of the evaluator")
    description: str = Field(default="", description="The description of the evaluator")
    config_type: type[C] = Field(description="The class of the configuration")
    evaluation_criteria_type: type[T] = Field(description="The class of the criteria")
    justification_type: type[J] = Field(description="The class of the justification")
    version: str = "1.0"
    evaluator_type_id: str = Field(
        default="", validation_alias=AliasChoices("evaluatorTypeId", "evaluator_type_id")
    )
    evaluator_config: C = Field(validation_alias=AliasChoices(*_CONFIGURATIONS))

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = cls.evaluate
        if not getattr(own, "__isabstractmethod__", False) and not hasattr(own, _GUARDED):
            cls.evaluate = track_evaluation_metrics(own)  # type: ignore[method-assign]

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, given: Any) -> Any:
        """With the three types, a validated configuration, and the names it gives."""
        if not isinstance(given, dict):
            return given
        types = standin_contract.check_types(cls)
        values = {**given, **types._asdict()}
        key = next((key for key in _CONFIGURATIONS if key in given), "")
        if key:
            config = _build_config(cls, types.config_type, values.pop(key))
            values["evaluator_config"] = config
            values["name"] = given.get("name") or config.name
            values["description"] = given.get("description") or config.description
        if not given.get("evaluatorTypeId") and not given.get("evaluator_type_id"):
            values["evaluator_type_id"] = cls.get_evaluator_id()
        return values

    @classmethod
    @abstractmethod
    def get_evaluator_id(cls) -> str:
        """Return the id of this evaluator; no other has the same one."""

    @abstractmethod
    async def evaluate(self, agent_execution: Any, evaluation_criteria: T) -> Any:
        """Judge one execution by the criteria."""

    async def validate_and_evaluate_criteria(
        self, agent_execution: Any, evaluation_criteria: Any
    ) -> Any:
        """Judge by criteria as they were written; without any, by the default ones."""
        given = evaluation_criteria
        if given is None:
            given = getattr(self.evaluator_config, "default_evaluation_criteria", None)
        if given is None:
            what = "No evaluation criteria provided and no default evaluation criteria configured"
            raise UiPathEvaluationError(
                code="NO_EVALUATION_CRITERIA_PROVIDED",
                title=what,
                detail=what,
                category=UiPathEvaluationErrorCategory.USER,
            )
        return await self.evaluate(agent_execution, self.validate_evaluation_criteria(given))

    def validate_evaluation_criteria(self, criteria: Any) -> T:
        """Criteria of the right class, made of whatever holds their fields."""
        kind = cast("type[BaseModel]", self.evaluation_criteria_type)
        if isinstance(criteria, kind):
            return cast("T", criteria)
        return cast("T", _validate(kind, criteria, "CANNOT_VALIDATE_EVALUATION_CRITERIA"))

    def validate_justification(self, justification: Any) -> Any:
        """A text, or a justification of the right class."""
        kind = self.justification_type
        if kind is type(None):
            return None
        if not issubclass(kind, BaseEvaluatorJustification):
            return "" if justification is None else str(justification)
        if isinstance(justification, kind):
            return justification
        return _validate(kind, justification, "CANNOT_CONVERT_JUSTIFICATION")

    def reduce_scores(self, results: Sequence[EvaluationResultDto]) -> float:
        """Return the score of all cases: the mean, unless a class overrides this."""
        return sum(result.score for result in results) / len(results) if results else 0.0

    @classmethod
    def get_evaluation_criteria_schema(cls) -> dict[str, Any]:
        return _schema(standin_contract.find_types(cls).evaluation_criteria_type)

    @classmethod
    def get_config_schema(cls) -> dict[str, Any]:
        return _schema(standin_contract.find_types(cls).config_type)

    @classmethod
    def get_justification_schema(cls) -> dict[str, Any]:
        return _schema(standin_contract.find_types(cls).justification_type)

    @classmethod
    def generate_json_type(cls) -> dict[str, Any]:
        """Return the content of the file of its types."""
        return {
            "evaluatorTypeId": cls.get_evaluator_id(),
            "evaluatorConfigSchema": cls.get_config_schema(),
            "evaluationCriteriaSchema": cls.get_evaluation_criteria_schema(),
            "justificationSchema": cls.get_justification_schema(),
        }


GenericBaseEvaluator = BaseEvaluator


def track_evaluation_metrics(evaluate: Evaluate) -> Evaluate:
    """Takes the time, and makes a result of an exception. A plain function will do as well."""

    @wraps(evaluate)
    async def evaluate_guarded(*given: Any, **named: Any) -> Any:
        started = perf_counter()
        try:
            answer = evaluate(*given, **named)
            result = await answer if isawaitable(answer) else answer
        except Exception as error:  # noqa: BLE001 -- whatever it is, it belongs to this evaluator
            traceback.print_exc(file=sys.stderr)
            result = ErrorEvaluationResult(
                details=f"Exception thrown by evaluator: {error}{_place(error)}"
            )
        if isinstance(result, BaseEvaluationResult):
            result.evaluation_time = perf_counter() - started
        return result

    setattr(evaluate_guarded, _GUARDED, True)
    return evaluate_guarded


def _place(error: Exception) -> str:
    """Return the type of an exception and its place; a message such as `'x'` has neither."""
    frames = traceback.extract_tb(error.__traceback__)[1:]
    own = [frame for frame in frames if not frame.filename.startswith(_LIBRARY)]
    last = (own or frames)[-1:]
    where = "".join(f" at {frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in last)
    return f" ({type(error).__name__}{where})"


def _build_config(cls: type[BaseModel], kind: Any, given: Any) -> Any:
    if isinstance(given, kind):
        return given
    title = f"Failed to validate evaluator config for {cls.__name__}"
    return _validate(kind, given, "FAILED_TO_VALIDATE_EVALUATOR_CONFIG", title)


def _validate(kind: type[BaseModel], given: Any, code: str, title: str = "") -> BaseModel:
    """An object of a class, out of a dictionary or of another object's fields."""
    fields = given
    if not isinstance(given, dict) and hasattr(given, "__dict__"):
        fields = vars(given)
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise UiPathEvaluationError(
            code=code,
            title=title or f"Cannot validate {type(given)} to {kind}",
            detail=f"Error: {describe_error(error)}",
            category=UiPathEvaluationErrorCategory.SYSTEM,
        ) from error


def describe_error(error: ValidationError) -> str:
    """Return pydantic's message without the addresses of its documentation."""
    lines = str(error).splitlines()
    return "\n".join(line for line in lines if "For further information" not in line)


def _schema(kind: Any) -> dict[str, Any]:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind.model_json_schema(by_alias=False)
    return {"type": "string"} if kind is str else {}

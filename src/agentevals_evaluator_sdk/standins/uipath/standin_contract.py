"""The parts of an evaluator class: criteria, a configuration, a justification."""

from typing import Any, Generic, NamedTuple, Self, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from agentevals_evaluator_sdk.standins.uipath.standin_problems import (
    UiPathEvaluationError,
    UiPathEvaluationErrorCategory,
)

__all__ = ["BaseEvaluationCriteria", "BaseEvaluatorConfig", "BaseEvaluatorJustification"]


class BaseEvaluationCriteria(BaseModel):
    """The criteria for one case."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, defer_build=True)


T = TypeVar("T", bound=BaseEvaluationCriteria)


class BaseEvaluatorConfig(BaseModel, Generic[T]):
    """The configuration of an evaluator for all cases."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, defer_build=True)

    name: str = Field(description="The name of the evaluator")
    description: str = Field(default="", description="The description of the evaluator")
    default_evaluation_criteria: T | None = None


class BaseEvaluatorJustification(BaseModel):
    """Why a score is what it is, in fields."""

    expected: str
    actual: str

    @classmethod
    def try_from(cls, value: Any) -> Self | None:
        """Whatever can be read as one; None for what cannot."""
        fields = value if isinstance(value, dict) else getattr(value, "__dict__", None)
        try:
            return value if isinstance(value, cls) else cls.model_validate(fields)
        except ValidationError:
            return None


class Types(NamedTuple):
    """The types given to `BaseEvaluator[T, C, J]`."""

    evaluation_criteria_type: Any
    config_type: Any
    justification_type: Any


def find_types(cls: type[BaseModel]) -> Types:
    """The types, whatever they are: pydantic has put them into the fields."""
    fields = cls.model_fields
    justification = _argument(fields["justification_type"].annotation)
    return Types(
        _argument(fields["evaluation_criteria_type"].annotation),
        _argument(fields["config_type"].annotation),
        type(None) if justification is None else justification,
    )


def check_types(cls: type[BaseModel]) -> Types:
    """The types, or what is wrong with them. A justification may be None, as it once might."""
    types, name = find_types(cls), cls.__name__
    criteria, config, justification = types
    if not _is(criteria, BaseEvaluationCriteria):
        raise _wrong(
            code="INVALID_EVALUATION_CRITERIA_TYPE",
            title=f"Invalid evaluation criteria type {criteria} in {name}",
            detail=f"{criteria} must be a subclass of BaseEvaluationCriteria",
        )
    if not _is(config, BaseEvaluatorConfig):
        raise _wrong(
            code="INVALID_CONFIG_TYPE",
            title=f"Invalid config type {config} in {name}",
            detail=f"{config} must be a subclass of BaseEvaluatorConfig",
        )
    if justification not in {str, type(None)} and not _is(
        justification, BaseEvaluatorJustification
    ):
        raise _wrong(
            code="INVALID_JUSTIFICATION_TYPE",
            title=f"Invalid justification type {justification} in {name}",
            detail="Must be str or subclass of BaseEvaluatorJustification.",
        )
    _check_pair(name, criteria, config)
    return types


def _check_pair(name: str, criteria: type, config: type[BaseModel]) -> None:
    if config is BaseEvaluatorConfig:
        return
    annotation = config.model_fields["default_evaluation_criteria"].annotation
    options = [option for option in get_args(annotation) if option is not type(None)]
    wanted = options[0] if options else annotation
    if wanted is not criteria and not isinstance(wanted, TypeVar):
        raise _wrong(
            code="TYPE_INCONSISTENCY_IN_EVALUATOR",
            title=f"Type inconsistency in {name}: Config {config.__name__} expects criteria type "
            f"{getattr(wanted, '__name__', wanted)}",
            detail=f"Evaluator expects {criteria.__name__}. Ensure BaseEvaluator[T, C[T], J] has "
            "matching T and C[T] parameters.",
        )


def _argument(annotation: Any) -> Any:
    """The X of `type[X]`."""
    arguments = get_args(annotation)
    return arguments[0] if arguments else annotation


def _is(kind: Any, base: type) -> bool:
    return isinstance(kind, type) and issubclass(kind, base)


def _wrong(code: str, title: str, detail: str) -> UiPathEvaluationError:
    return UiPathEvaluationError(code, title, detail, UiPathEvaluationErrorCategory.SYSTEM)

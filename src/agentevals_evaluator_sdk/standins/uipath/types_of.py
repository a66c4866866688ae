"""The three types that an evaluator class is written with, and whether they fit each other."""

from typing import Any, NamedTuple, TypeVar, get_args

from pydantic import BaseModel

from agentevals_evaluator_sdk.standins.uipath.contract import (
    BaseEvaluationCriteria,
    BaseEvaluatorConfig,
    BaseEvaluatorJustification,
)
from agentevals_evaluator_sdk.standins.uipath.problems import (
    UiPathEvaluationError,
    UiPathEvaluationErrorCategory,
)


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

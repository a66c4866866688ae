"""The parts of an evaluator class: criteria, a configuration, a justification."""

from typing import Any, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

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

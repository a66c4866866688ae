"""The base of AgentV's evaluator types: they pass at 0.8, and need no name."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from agentevals.files.document_places import quote
from agentevals.graders.grader import REQUIRED, Grader
from agentevals.model.cases import Grade

_NO_NUMBER: Final = "float_type"  # pydantic's own word, for which there is a sentence


class Assertion(Grader):
    """An evaluator type of AgentV."""

    threshold: float = Field(
        default=REQUIRED, ge=0, le=1, description="A score at or above this value passes"
    )

    @field_validator("threshold", "weight", "required", mode="before")
    @classmethod
    def _refuse_quotes(cls, given: Any, info: ValidationInfo) -> Any:
        """A number in quotes is a text, as it is for AgentV."""
        if isinstance(given, str) and info.field_name == "required":
            msg = f"must be true, or the least score from 0 to 1, not {quote(given)}"
            raise ValueError(msg)
        if isinstance(given, str):
            raise PydanticCustomError(_NO_NUMBER, "must be a number")
        return given

    @classmethod
    def usual_name(cls, settings: Mapping[str, Any]) -> str:  # noqa: ARG003 -- the seam's
        """The type as AgentV writes it; a type that says more overrides this."""
        return cls.type.replace("_", "-")


def grade_checks(
    hits: tuple[str, ...], misses: tuple[str, ...], reasoning: str = "", **details: Any
) -> Grade:
    """The share of the checks that were met."""
    total = len(hits) + len(misses)
    score = len(hits) / total if total else 0.0
    return Grade(score=score, hits=hits, misses=misses, reasoning=reasoning, details=details)


def grade_binary(*, met: bool, hit: str = "", miss: str = "", reasoning: str = "") -> Grade:
    """All or nothing, with the sentence that says which."""
    said = hit if met else miss
    return Grade(
        score=float(met),
        hits=(hit,) if met else (),
        misses=() if met else (miss,),
        reasoning=reasoning or said,
    )

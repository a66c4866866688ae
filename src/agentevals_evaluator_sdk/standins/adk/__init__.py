"""Replacement modules for `google.adk.evaluation` and `google.genai.types`."""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

__all__ = ["EvalBaseModel"]


class EvalBaseModel(BaseModel):
    """Base of what evaluations are made of."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        arbitrary_types_allowed=True,
        defer_build=True,
    )

"""Write an evaluator in Python: decorate a function that scores, and call its `run`."""

from agentevals_evaluator_sdk.program import Evaluator, evaluator
from agentevals_evaluator_sdk.types import (
    PROTOCOL_VERSION,
    EvalInput,
    EvalResult,
    EvalStatus,
    IntermediateStepData,
    InvocationData,
    ToolCallData,
    ToolResponseData,
)

__all__ = [
    "PROTOCOL_VERSION", "EvalInput", "EvalResult", "EvalStatus", "Evaluator",
    "IntermediateStepData", "InvocationData", "ToolCallData", "ToolResponseData", "evaluator",
]  # fmt: skip

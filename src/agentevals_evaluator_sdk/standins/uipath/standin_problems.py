"""Errors of an evaluator class, its configuration or its criteria."""

from enum import Enum

from pydantic import BaseModel

__all__ = [
    "UiPathEvaluationError",
    "UiPathEvaluationErrorCategory",
    "UiPathEvaluationErrorContract",
]


class UiPathEvaluationErrorCategory(str, Enum):  # noqa: UP042 -- its text is part of what is shown
    """The side that can correct the error."""

    SYSTEM = "System"
    USER = "User"
    UNKNOWN = "Unknown"


class UiPathEvaluationErrorContract(BaseModel):
    """An error, for programs."""

    code: str
    title: str
    detail: str
    category: UiPathEvaluationErrorCategory = UiPathEvaluationErrorCategory.UNKNOWN


class UiPathEvaluationError(Exception):
    """Something is wrong with an evaluator. `error_info` says what; the text is its detail."""

    def __init__(  # noqa: PLR0913, PLR0917 -- theirs
        self,
        code: str,
        title: str,
        detail: str,
        category: UiPathEvaluationErrorCategory = UiPathEvaluationErrorCategory.UNKNOWN,
        prefix: str = "Python",
        include_traceback: bool = True,  # noqa: ARG002 -- theirs; ours shows none
    ) -> None:
        self.error_info = UiPathEvaluationErrorContract(
            code=f"{prefix}.{code}", title=title, detail=detail, category=category
        )
        super().__init__(detail)


def blame_user(code: str, what: str) -> UiPathEvaluationError:
    """Return the error of a mistake that the author of an eval set can correct."""
    return UiPathEvaluationError(code, what, what, UiPathEvaluationErrorCategory.USER)

"""What classes and agents import for simulated tools: nothing is simulated in a recording."""

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

__all__ = ["ExampleCall", "is_tool_simulated", "mockable"]

F = TypeVar("F", bound=Callable[..., Any])


class ExampleCall(BaseModel):
    """The input and output of a call."""

    model_config = ConfigDict(extra="allow")

    id: str
    input: str
    output: str


def mockable(*_: Any, **__: Any) -> Callable[[F], F]:
    """Leave the function as it is."""
    return lambda function: function


def is_tool_simulated(tool_name: str) -> bool:  # noqa: ARG001 -- theirs
    """Return whether the tool is played."""
    return False

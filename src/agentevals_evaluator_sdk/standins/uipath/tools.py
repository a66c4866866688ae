"""A tool that an agent called, and what came back."""

from typing import Any

from pydantic import BaseModel

__all__ = ["ToolCall", "ToolOutput"]


class ToolCall(BaseModel):
    """The call of a tool."""

    name: str
    args: dict[str, Any]
    id: str | None = None


class ToolOutput(BaseModel):
    """The output of a tool, as text."""

    name: str
    output: str
    id: str | None = None

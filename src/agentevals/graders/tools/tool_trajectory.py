"""`tool_trajectory`: which tools were called, in which order, with which arguments."""

from typing import Annotated, Literal, Self

from pydantic import AliasChoices, Field, model_validator

from agentevals.graders import messages
from agentevals.graders.assertions import Assertion
from agentevals.graders.grader import Services
from agentevals.graders.tools.sequences import UNORDERED, modes
from agentevals.graders.tools.sequences.arguments import ArgsComparison
from agentevals.graders.tools.sequences.expected import Expected
from agentevals.graders.tools.sequences.modes import Tally
from agentevals.model.cases import Case, Grade
from agentevals.model.conversations import ToolCall

Least = Annotated[float, Field(ge=0, strict=True)]

_IN_TURN = {
    "in_order": modes.match_in_order,
    "exact": modes.match_exactly,
    "superset": modes.match_superset,
    "subset": modes.match_subset,
}
_ORDERED = frozenset({"in_order", "exact"})


class ToolTrajectory(Assertion):
    """The share of what was expected of the agent's tool calls that was found in them."""

    type = "tool_trajectory"

    mode: Literal["any_order", "in_order", "exact", "superset", "subset"] = Field(
        default="any_order",
        description="`any_order`: each tool of `minimums` often enough and each of `expected` "
        "somewhere; `in_order`: `expected` in this order, others may come between; `exact`: these "
        "and no others; `superset`: each of these somewhere; `subset`: no others than these",
    )
    minimums: dict[str, Least] | None = Field(
        default=None, description="`any_order` alone: how often each tool must be called at least"
    )
    expected: tuple[Expected, ...] | None = Field(default=None, description="The expected calls")
    args_match: ArgsComparison | tuple[str, ...] = Field(
        default=ArgsComparison.EXACT,
        validation_alias=AliasChoices("args_match", "argsMatch"),
        description="`exact`: equal arguments; `superset`: those expected and perhaps more; "
        "`subset`: none but those expected; `ignore`: any; or a list of the dotted paths that "
        "alone are compared",
    )

    @model_validator(mode="after")
    def _expects_something(self) -> Self:
        if self.expected is not None or (self.mode == "any_order" and self.minimums is not None):
            return self
        besides = "'minimums' or " if self.mode == "any_order" else ""
        msg = f"mode {self.mode!r} needs {besides}'expected', the calls that it looks for"
        raise ValueError(msg)

    def grade(self, case: Case, services: Services) -> Grade:
        calls = tuple(messages.list_tool_calls(case.turns))
        if not calls and not messages.list_agent_messages(case.turns):
            return Grade(score=0.0, misses=("No trace available for evaluation",))
        if self.mode in _ORDERED and any(turn.unordered for turn in case.turns):
            return Grade.not_evaluated(UNORDERED)
        tally = self._count_matches(calls)
        return Grade(
            score=tally.score,
            hits=tuple(tally.hits),
            misses=tuple(tally.misses),
            details={"without_effect": self._list_inert()} if self._list_inert() else {},
        )

    def _count_matches(self, calls: tuple[ToolCall, ...]) -> Tally:
        expected = self.expected or ()
        if self.mode == "any_order":
            return modes.match_any_order(self.minimums or {}, expected, calls, self.args_match)
        return _IN_TURN[self.mode](expected, calls, self.args_match)

    def _list_inert(self) -> list[str]:
        """The settings that this mode does not look at."""
        timed = any(one.max_duration_ms is not None for one in self.expected or ())
        untimed = ["max_duration_ms"] if timed and self.mode in {"superset", "subset"} else []
        return untimed + (["minimums"] if self.minimums and self.mode != "any_order" else [])

"""`invocation_duration_v1`: a budget for the time that an agent takes to answer."""

import re
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from agentevals.graders.budgets.limits import Budget, Limit, Used
from agentevals.model.conversations import Turn

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_WRITTEN = r"^\d+(\.\d+)?\s*(ms|s|m|h)$"
_NANOSECONDS = 1e9


def _read_seconds(value: object) -> object:
    if not isinstance(value, str):
        return value
    if not re.match(_WRITTEN, value):
        msg = f"{value!r} is not a duration; write seconds, or a number with ms, s, m or h"
        raise ValueError(msg)
    number = value.rstrip("msh ")
    return float(number) * _SECONDS[value.removeprefix(number).strip()]


Duration = Annotated[
    Limit,
    BeforeValidator(_read_seconds),
    WithJsonSchema(
        {"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": _WRITTEN}]}
    ),
]


class InvocationDuration(Budget):
    """The duration of a turn, from what the user said to the answer."""

    type = "invocation_duration_v1"
    unit = "second"

    max: Duration | None = Field(
        default=None, description="At most this long passes: seconds, or `800ms`, `2.5s`, `1m`"
    )
    min: Duration | None = Field(
        default=None, description="At least this long passes, written like `max`"
    )
    per: Literal["conversation", "turn"] = Field(
        default="turn",
        description="Whether the limits are for each turn or for the sum of all turns",
    )

    def measure(self, turn: Turn) -> Used:
        if not 0 < turn.start_ns <= turn.end_ns:
            return Used(unrecorded="its start and end were not recorded")
        return Used(amount=(turn.end_ns - turn.start_ns) / _NANOSECONDS)

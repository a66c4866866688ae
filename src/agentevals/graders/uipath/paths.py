"""Paths into an output, as UiPath reads them: `summary.status`, `items[0].name`, `tags[1]`."""

import re
from typing import Any

from agentevals.files.places import quoted

WHOLE = "*"

Steps = tuple[int | str, ...]

_STEP = re.compile(r"\[(\d{1,9})\]|([^.\[\]]+)")


class MissingStepError(Exception):
    """A path leads nowhere: `there` has no such key or position as `step`."""

    def __init__(self, step: int | str, there: Any) -> None:
        self.step, self.there = f"[{step}]" if isinstance(step, int) else step, there
        super().__init__(self.step)


def steps(path: str) -> Steps:
    """The keys and positions that a path is made of."""
    return tuple(int(index) if index else key for index, key in _STEP.findall(path))


def at(whole: Any, path: Steps) -> Any:
    """The value at the end of a path; a MissingStepError if the path leads nowhere."""
    found = whole
    for step in path:
        kind: type[Any] = list if isinstance(step, int) else dict
        if not isinstance(found, kind):
            raise MissingStepError(step, found)
        try:
            found = found[step]
        except LookupError:
            raise MissingStepError(step, found) from None
    return found


def check(path: str) -> str:
    """The path; a ValueError if it names neither a key nor a position."""
    if path and path != WHOLE and not steps(path):
        msg = (
            f"{quoted(path)} names no key; write a path such as 'items[0].name', or '*' for the "
            "whole output"
        )
        raise ValueError(msg)
    return path

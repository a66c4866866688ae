"""Values in the output of an agent: by path, as numbers, by line."""

import re
from typing import Any

WHOLE = "*"

Steps = tuple[int | str, ...]

_PATH_STEP = re.compile(r"\[(\d{1,9})\]|([^.\[\]]+)")


class MissingStepError(Exception):
    """A path leads nowhere: `there` has no such key or position as `step`."""

    def __init__(self, step: int | str, there: Any) -> None:
        self.step, self.there = f"[{step}]" if isinstance(step, int) else step, there
        super().__init__(self.step)


def split_path(path: str) -> Steps:
    """The keys and positions that a path is made of."""
    return tuple(int(index) if index else key for index, key in _PATH_STEP.findall(path))


def follow_path(whole: Any, path: Steps) -> Any:
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


def convert_numbers(value: Any) -> Any:
    """Numbers as floats, at any depth; truth values stay what they are."""
    if isinstance(value, dict):
        return {key: convert_numbers(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [convert_numbers(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return value
    return value


def split_lines(value: Any, delimiter: str) -> list[str]:
    """The lines of a text that are not blank."""
    text = value if isinstance(value, str) else str(value)
    return [line for line in text.split(delimiter) if line.strip()]

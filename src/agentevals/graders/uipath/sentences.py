"""Grades with the sentences that say why."""

from collections.abc import Iterable
from typing import Any

from agentevals.files.places import quote
from agentevals.model.cases import Grade

_LONGEST = 200
_LISTED = 8


def quote_value(value: Any) -> str:
    """A value as a sentence names it."""
    return quote(value, _LONGEST)


def count_times(count: int) -> str:
    """`1 time`, `2 times`."""
    return f"{count} time{'' if count == 1 else 's'}"


def list_first(told: Iterable[str]) -> str:
    """The first of several, and how many there are besides."""
    every = list(told)
    more = len(every) - _LISTED
    return ", ".join(every[:_LISTED]) + (f" and {more} more" if more > 0 else "")


def grade_yes_or_no(*, met: bool, hit: str, miss: str, **details: Any) -> Grade:
    """1 or 0, with the one sentence that is true."""
    return Grade(
        score=float(met),
        hits=(hit,) if met else (),
        misses=() if met else (miss,),
        details=details,
    )


def grade_share(score: float, hits: list[str], misses: list[str], **details: Any) -> Grade:
    """A score with what speaks for it and against it."""
    return Grade(score=score, hits=tuple(hits), misses=tuple(misses), details=details)


def grade_missing_calls(expected: object, actual: object, /, **details: Any) -> Grade | None:
    """1 where nothing was expected and nothing done, 0 where only one of the two is so."""
    if expected and actual:
        return None
    if not expected and not actual:
        hit = "no tool call was expected, and there is none"
        return grade_yes_or_no(met=True, hit=hit, miss="", **details)
    miss = "there is no tool call" if expected else "no tool call was expected, but there are some"
    return grade_yes_or_no(met=False, hit="", miss=miss, **details)

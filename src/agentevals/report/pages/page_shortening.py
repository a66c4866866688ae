"""A table of what a page omits, and in which order, when it gets too long."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import NamedTuple

COMMENT = 65_536  # UTF-16 units that GitHub takes in a comment
CHECK = 65_535  # bytes of a check's summary, and of its text
SUMMARY = 1_048_576  # bytes of a job summary


class Gates(StrEnum):
    """The rows of a gate table that are written."""

    ALL = "all"
    FAILING = "failing"
    NONE = "none"


class Stage(NamedTuple):
    """The parts of a page that are written. `left_out` names the rest for the reader."""

    name: str
    gates: Gates = Gates.ALL
    rows: int = 10  # of the table of cases
    reason: int = 400  # characters of one reason
    reasons: int = 3  # of one case
    diffs: int = 5
    names: int = 30  # in each folded list
    passing: bool = True  # what needs nobody's attention
    findings: int = 20
    left_out: str = ""


FULL = Stage("full")
STAGES = (
    FULL,
    Stage("fold passing", names=5, passing=False, left_out="what passes"),
    Stage(
        "cut reasons",
        reason=120,
        reasons=1,
        diffs=1,
        names=3,
        passing=False,
        findings=10,
        left_out="what passes, most of the reasons and tool paths",
    ),
    Stage(
        "failures only",
        gates=Gates.FAILING,
        reason=80,
        reasons=1,
        diffs=0,
        names=0,
        passing=False,
        findings=3,
        left_out="everything but the failures",
    ),
    Stage(
        "gates only",
        gates=Gates.FAILING,
        rows=0,
        diffs=0,
        names=0,
        passing=False,
        findings=0,
        left_out="everything but the gates that fail",
    ),
    Stage(
        "link",
        gates=Gates.NONE,
        rows=0,
        diffs=0,
        names=0,
        passing=False,
        findings=0,
        left_out="everything but the first line",
    ),
)


def characters(page: str) -> int:
    """As GitHub counts them: an emoji is two."""
    return len(page.encode("utf-16-le", "replace")) // 2


def octets(page: str) -> int:
    return len(page.encode("utf-8", "replace"))


def fitting(
    candidates: Iterable[Callable[[], str]], limit: int, size: Callable[[str], int]
) -> str | None:
    """The first that fits; None when not even the last does."""
    return next((page for make in candidates if size(page := make()) <= limit), None)

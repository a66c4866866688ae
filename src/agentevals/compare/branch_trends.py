"""The trend of a base branch: how its last runs went, as a whole and case by case.

Each run of the base branch keeps the trend that it found, and its own record at the end. So nothing
is ever written over: two runs at once make two records, and a later run finds both.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from agentevals.model.noun import Noun
from agentevals.model.outcome import Outcome, Point
from agentevals.model.results import CaseReport, Verdict

LONGEST = 30  # runs that a trend shows
_CASES = 20_000  # of which a trend knows more than the run
_LETTERS = {Verdict.FAIL: "f", Verdict.ERROR: "e"}
_ABSENT = "-"
_KNOWN = frozenset("pfen")


class Trend(Noun, frozen=True):
    """The last runs of a base branch, oldest first, and a letter of each case for each of them.

    `p` is a case that passed, `f` one that failed, `e` an error, `n` one that lacked evidence, and
    `-` one that the run did not have.
    """

    points: tuple[Point, ...] = ()
    strips: dict[str, str] = {}


class _Column(NamedTuple):
    """One run of a trend, and the place of its letters in the strips."""

    point: Point
    strips: Mapping[str, str]
    at: int


def get_trend(outcome: Outcome) -> Trend:
    """Return the trend that a run found."""
    return Trend(points=outcome.trend, strips=outcome.strips or {})


def add_run(trend: Trend, point: Point, cases: Iterable[CaseReport]) -> Trend:
    """Return the trend with one more run at its end."""
    letters = {case.case_id: _choose_letter(case) for case in cases}
    run = Trend(points=(point,), strips=letters)
    return _join((run, trend), [*_list_columns(trend), *_list_columns(run)])


def add_missed(trend: Trend, others: Sequence[Trend]) -> Trend:
    """Return the trend with runs that only others know, because they ran at the same time."""
    every = [column for one in (*others, trend) for column in _list_columns(one)]
    times = [(read_time(column.point.made_at), at) for at, column in enumerate(every)]
    timed = [(when, at) for when, at in times if when is not None]
    if len(timed) < len(every):
        return trend
    return _join((trend, *others), [every[at] for _, at in sorted(timed)])


def read_time(text: str) -> datetime | None:
    """Return when something was; None if the text does not tell."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _list_columns(trend: Trend) -> Iterator[_Column]:
    return (_Column(point, trend.strips, at) for at, point in enumerate(trend.points))


def _join(trends: Sequence[Trend], columns: Sequence[_Column]) -> Trend:
    """Return the columns in their order, of each commit the last one."""
    last = {column.point.commit: at for at, column in enumerate(columns)}
    chosen = [
        column
        for at, column in enumerate(columns)
        if last[column.point.commit] == at or not column.point.commit
    ][-LONGEST:]
    names = dict.fromkeys(name for trend in trends for name in trend.strips)
    strips = {
        name: "".join(_read_letter(column.strips, name, column.at) for column in chosen)
        for name in list(names)[:_CASES]
    }
    return Trend(
        points=tuple(column.point for column in chosen),
        strips={name: strip for name, strip in strips.items() if strip.strip(_ABSENT)},
    )


def _read_letter(strips: Mapping[str, str], name: str, at: int) -> str:
    """Return one letter of a strip that may be damaged."""
    letter = strips.get(name, "")[at : at + 1]
    return letter if letter in _KNOWN else _ABSENT


def _choose_letter(case: CaseReport) -> str:
    return "n" if case.is_undecided else _LETTERS.get(case.verdict, "p")

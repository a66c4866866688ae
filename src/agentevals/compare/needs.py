"""How many cases would decide whether a limit is kept, if nothing has changed."""

from math import ceil, isfinite, log, log10

from agentevals.compare.changes import Question
from agentevals.compare.differences import Difference
from agentevals.compare.statistics import power
from agentevals.compare.statistics.domain import add_parts
from agentevals.compare.statistics.intervals import find_cases_without_flips
from agentevals.model.outcome import Unit

_MOST = 1_000_000  # cases; nobody has more
_DIGITS = 2


def find_needed_cases(question: Question) -> tuple[int, int] | None:
    """Return from how many cases on the limit would be kept: a range, as their spread is unsure.

    None without a limit, where it allows no change at all, and where a ratio would be to nothing.
    Families count as cases.
    """
    difference, margin = question.row.difference, _find_distance(question)
    if difference is None or not 0 < margin < _MOST:
        return None
    errors, reach = _list_errors(difference), difference.estimate.reach
    if not errors or not all(map(isfinite, (*errors, reach))):
        return None
    least, most = power.find_needed_cases(margin, errors, reach)
    if difference.counts_flips and not any(errors):
        least = find_cases_without_flips(margin)
    least, most = (_round_up(max(number, len(errors) + 1)) for number in (least, most))
    return (least, min(most, _MOST)) if least < _MOST else None


def _find_distance(question: Question) -> float:
    """Return how far the limit is from no change."""
    if question.margin is None:
        return 0.0
    if not question.is_ratio:
        return -question.margin
    typical = question.row.unit is Unit.MILLISECONDS
    return log(question.margin) if typical else question.margin - 1


def _list_errors(difference: Difference) -> list[float]:
    """Return how far each part is from the others, or from no change where most have none.

    None of them is known if they are shares of nothing.
    """
    parts = difference.parts
    total = add_parts(parts)
    scale = total.bottom / len(parts)
    if not scale:
        return []
    absent = 1.0 if difference.is_ratio_of_sums else 0.0
    usual = absent if difference.estimate.reach else total.ratio
    return [(part.top - usual * part.bottom) / scale for part in parts]


def _round_up(number: int) -> int:
    """Return a number with two digits, which says no more than is known."""
    unit: int = 10 ** max(0, int(log10(number)) + 1 - _DIGITS)
    return ceil(number / unit) * unit

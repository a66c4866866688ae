"""The gate table: what each figure must keep to, whether it does, what would decide it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, isfinite, log, log10

import msgspec

from agentevals.compare.figure_changes import ALPHA, Question, adjust
from agentevals.compare.figure_differences import Difference
from agentevals.compare.figures import Measured
from agentevals.compare.statistics import statistical_power
from agentevals.compare.statistics.confidence_intervals import find_cases_without_flips
from agentevals.compare.statistics.statistics_inputs import add_parts, cut_digits
from agentevals.model.outcome import Against, Change, Gate, Unit
from agentevals.model.policy import Limit, Policy, Unsure
from agentevals.model.results import Finding, Severity
from agentevals.text import wording

_WIDE = 10  # times; the upper end of such a range tells nobody anything
BROKEN = "broken"  # for certain: the limit of a change
_MOST = 1_000_000  # cases; nobody has more
_DIGITS = 2


def judge_gates(
    rows: Sequence[Measured], policy: Policy, against: Against, configs: int = 1
) -> tuple[Gate, ...]:
    """Return every figure with its verdict. As many configs share the chance of a false alarm."""
    asked = [Question(row, policy.limits.get(row.figure, Limit())) for row in rows]
    return tuple(
        _Judge(one, p_value, policy, against).gate()
        for one, p_value in zip(asked, adjust(asked, configs), strict=True)
        if one.row.head is not None or one.row.base is not None or one.row.figure in policy.limits
    )


def findings(judged: Iterable[Gate]) -> Iterator[Finding]:
    """Yield the gates that fail or warn, for readers who see no table of them."""
    for gate in judged:
        if gate.fails or gate.warns:
            value = amount(gate.head.value, gate.unit) if gate.head else "not measured"
            yield Finding(
                severity=Severity.ERROR if gate.fails else Severity.WARNING,
                rule="gate",
                message=f"gate: {gate.name} is {value}, the limit is {gate.limit}: {gate.reason}",
            )


@dataclass(frozen=True)
class _Judge:
    """One row: first on its own, then against the base."""

    question: Question
    p_value: float
    policy: Policy
    against: Against

    @property
    def row(self) -> Measured:
        return self.question.row

    @property
    def limit(self) -> Limit:
        return self.question.limit

    def gate(self) -> Gate:
        change = self._change()
        broken = list(self._broken(change))
        unsure = self._unsure(change)
        row = self.row
        return Gate(
            figure=row.figure,
            name=row.name,
            unit=row.unit,
            head=row.head,
            base=row.base,
            difference=row.difference.value if row.difference else None,
            interval=self.question.interval,
            p_value=cut_digits(self.p_value) if row.difference else None,
            pairs=row.pairs,
            limit=" and ".join(self._words()),
            change=change,
            fails=bool(broken) or unsure is Unsure.FAIL,
            warns=not broken and unsure is Unsure.WARN,
            reason="; ".join([*broken, *self._why(change, unsure)]),
            paired=row.paired or msgspec.UNSET,
            earlier=row.earlier or msgspec.UNSET,
            better=row.better,
            worse=row.worse,
            margin=_find_margin(self.limit),
        )

    def _change(self) -> Change:
        if self.row.head is None:
            return Change.NOT_EVALUATED
        if not self.row.pairs:
            return self.against.state or Change.NO_BASELINE
        return self.question.answer(self.p_value)

    def _broken(self, change: Change) -> Iterator[str]:
        head, limit = self.row.head, self.limit
        if head is not None and limit.at_least is not None and head.value < limit.at_least:
            yield "below the limit"
        if head is not None and limit.at_most is not None and head.value > limit.at_most:
            yield "above the limit"
        if change is Change.REGRESSED and limit.compares:
            yield BROKEN

    def _unsure(self, change: Change) -> Unsure | None:
        """Return what to do if the limit could not be checked."""
        if change is Change.NOT_EVALUATED and self.limit != Limit():
            return Unsure.FAIL if self.policy.fail_on_not_evaluated else Unsure.WARN
        if not self.limit.compares:
            return None
        if change in {Change.NO_BASELINE, Change.INCOMPATIBLE, Change.STALE}:
            return self.policy.on_no_baseline
        return self.policy.on_inconclusive if change is Change.UNDERPOWERED else None

    def _why(self, change: Change, unsure: Unsure | None) -> Iterator[str]:
        if change is Change.NOT_EVALUATED:
            yield "not evaluated"
        elif change is Change.UNDERPOWERED:
            yield self._explain_doubt()
        elif unsure is not None:
            yield {
                Change.NO_BASELINE: "nothing to compare with",
                Change.INCOMPATIBLE: "not comparable with the base",
                Change.STALE: "the baseline is too old",
            }.get(change, "")

    def _explain_doubt(self) -> str:
        """Say that it cannot be told, and how many cases it would take."""
        if self.question.p_value <= ALPHA:
            known = f"adjusted p = {self.p_value:.2f}"
            return f"beyond the limit, which is not sure among several limits ({known})"
        needed = find_needed_cases(self.question)
        if needed is None:
            return "too few cases to tell"
        least, most = (f"{number:,}" for number in needed)
        wide = needed[1] > _WIDE * needed[0]
        number = f"at least {least}" if wide else f"{least} to {most}"
        return f"too few cases to tell, {number} would decide"

    def _words(self) -> Iterator[str]:
        limit, unit = self.limit, self.row.unit
        if limit.at_least is not None:
            yield f"≥ {amount(limit.at_least, unit)}"
        if limit.at_most is not None:
            yield f"≤ {amount(limit.at_most, unit)}"
        if limit.max_drop is not None:
            drop = f"{limit.max_drop * 100:g} pp" if unit is Unit.SHARE else f"{limit.max_drop:g}"
            yield f"drop ≤ {drop}"
        if limit.max_ratio is not None:
            yield f"≤ ×{limit.max_ratio:g}"  # noqa: RUF001 -- the sign for "times"


def _find_margin(limit: Limit) -> float | msgspec.UnsetType:
    known = (limit.max_drop, limit.max_ratio)
    return next((margin for margin in known if margin is not None), msgspec.UNSET)


def amount(value: float, unit: Unit) -> str:
    """A figure in its unit, as people write it."""
    if unit is Unit.SHARE:
        return f"{value * 100:.1f} %".replace(".0 %", " %")
    if unit is Unit.SCORE:
        return wording.score(value)
    if unit is Unit.MILLISECONDS:
        return wording.duration(value)
    return f"{value:,.4f}" if unit is Unit.MONEY else f"{value:,.0f}"


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
    least, most = statistical_power.find_needed_cases(margin, errors, reach)
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

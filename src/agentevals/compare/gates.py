"""The gate table: what each figure must keep to, and whether it does."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from agentevals.compare.figures import RATIOS, Measured
from agentevals.compare.statistics import multiplicity
from agentevals.model.outcome import Against, Change, Gate, Unit
from agentevals.model.policy import Limit, Policy, Unsure
from agentevals.model.results import Finding, Severity
from agentevals.text import wording

_ALPHA = 0.05
_FEWEST = 10  # pairs below which a resampled interval calls no drop small
_LEAST = 3  # pairs below which not even that all of them were lost is sure


def judge_gates(rows: Sequence[Measured], policy: Policy, against: Against) -> tuple[Gate, ...]:
    """Every figure with its verdict, and with a p value that knows how many were tested.

    Those that can fail the run must hardly ever do so by chance (Holm); of those that are only
    shown, few of the ones that stand out may do so by chance (Benjamini and Hochberg).
    """
    p_values: dict[int, float] = {}
    for blocks, adjusted in ((True, multiplicity.holm), (False, multiplicity.benjamini_hochberg)):
        known = {
            at: row.p_value
            for at, row in enumerate(rows)
            if row.p_value is not None and _limit(policy, row).compares is blocks
        }
        p_values |= zip(known, adjusted(list(known.values())), strict=True)
    return tuple(
        _Judge(row, _limit(policy, row), p_values.get(at), policy, against).gate()
        for at, row in enumerate(rows)
        if row.head is not None or row.base is not None or row.figure in policy.limits
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


def _limit(policy: Policy, row: Measured) -> Limit:
    return policy.limits.get(row.figure, Limit())


@dataclass(frozen=True)
class _Judge:
    """One row: first on its own, then against the base."""

    row: Measured
    limit: Limit
    p_value: float | None
    policy: Policy
    against: Against

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
            difference=row.difference,
            interval=row.interval,
            p_value=self.p_value,
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
        )

    @property
    def _is_ratio(self) -> bool:
        return self.row.unit in RATIOS

    def _change(self) -> Change:
        row = self.row
        if row.head is None:
            return Change.NOT_EVALUATED
        if not row.pairs:
            return self.against.state or Change.NO_BASELINE
        if self.limit.compares:
            return self._against_margin()
        if row.same:
            return Change.UNCHANGED
        if self._is_significant:
            return Change.REGRESSED if self._loss > 0 else Change.IMPROVED
        return Change.INCONCLUSIVE

    def _against_margin(self) -> Change:
        """Non-inferiority: kept where the whole interval keeps it, broken where a drop is sure."""
        if self._is_significant and self._loss < 0:
            return Change.IMPROVED
        if self._is_broken:
            return Change.REGRESSED
        worst, trusted = self._worst, self.row.robust or self.row.pairs >= _FEWEST
        if worst is not None and worst <= self._margin and trusted:
            return Change.UNCHANGED if self.row.same else Change.EQUIVALENT
        return self._undecided

    @property
    def _is_significant(self) -> bool:
        return self.p_value is not None and self.p_value < _ALPHA

    @property
    def _is_broken(self) -> bool:
        """Return whether a drop beyond the margin is sure, or the whole interval lies beyond it."""
        if self._is_significant and self._loss > self._margin:
            return True
        best = self._best
        beyond = best is not None and best > self._margin
        return beyond and self.row.robust and self.row.pairs >= _LEAST

    @property
    def _undecided(self) -> Change:
        """Too few cases where the interval is too wide for the margin, whatever it lies around."""
        if not 0 < self._margin < math.inf:
            return Change.INCONCLUSIVE
        worst = self._worst
        wide = worst is not None and worst - self._loss > self._margin
        return Change.UNDERPOWERED if wide or self.row.pairs < _FEWEST else Change.INCONCLUSIVE

    @property
    def _loss(self) -> float:
        """Return how much worse the head is: a difference, or the logarithm of a ratio."""
        difference = self.row.difference
        if difference is None:
            return 0.0
        return _log(difference) if self._is_ratio else -difference

    @property
    def _margin(self) -> float:
        if self._is_ratio:
            return _log(self.limit.max_ratio or math.inf)
        return self.limit.max_drop if self.limit.max_drop is not None else math.inf

    @property
    def _worst(self) -> float | None:
        interval = self.row.interval
        if interval is None:
            return None
        return _log(interval.high) if self._is_ratio else -interval.low

    @property
    def _best(self) -> float | None:
        interval = self.row.interval
        if interval is None:
            return None
        return _log(interval.low) if self._is_ratio else -interval.high

    def _broken(self, change: Change) -> Iterator[str]:
        head, limit = self.row.head, self.limit
        if head is not None and limit.at_least is not None and head.value < limit.at_least:
            yield "below the limit"
        if head is not None and limit.at_most is not None and head.value > limit.at_most:
            yield "above the limit"
        if change is Change.REGRESSED and limit.compares:
            yield "regressed"

    def _unsure(self, change: Change) -> Unsure | None:
        """Return what to do if the limit could not be checked."""
        if change is Change.NOT_EVALUATED and self.limit != Limit():
            return Unsure.FAIL if self.policy.fail_on_not_evaluated else Unsure.WARN
        if not self.limit.compares:
            return None
        if change in {Change.NO_BASELINE, Change.INCOMPATIBLE, Change.STALE}:
            return self.policy.on_no_baseline
        if change in {Change.INCONCLUSIVE, Change.UNDERPOWERED}:
            return self.policy.on_inconclusive
        return None

    def _why(self, change: Change, unsure: Unsure | None) -> Iterator[str]:
        if change is Change.NOT_EVALUATED:
            yield "not evaluated"
        elif unsure is not None and change is Change.UNDERPOWERED:
            yield "too few cases to tell"
        elif unsure is not None and change is Change.INCONCLUSIVE:
            yield "cannot tell from these cases"
        elif unsure is not None:
            yield {
                Change.NO_BASELINE: "nothing to compare with",
                Change.INCOMPATIBLE: "not comparable with the base",
                Change.STALE: "the baseline is too old",
            }.get(change, "")

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


def amount(value: float, unit: Unit) -> str:
    """A figure in its unit, as people write it."""
    if unit is Unit.SHARE:
        return f"{value * 100:.1f} %".replace(".0 %", " %")
    if unit is Unit.SCORE:
        return wording.score(value)
    if unit is Unit.MILLISECONDS:
        return wording.duration(value)
    return f"{value:,.4f}" if unit is Unit.MONEY else f"{value:,.0f}"


def _log(ratio: float) -> float:
    return math.log(ratio) if ratio > 0 else -math.inf

"""The figures of a run: what each is on both sides, how they differ, and how sure that is."""

# ruff: noqa: SLF001 -- parts of a side are joined, each of the same class

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from agentevals.compare.case_pairs import OF_THE_CASE, Pair, find_reader, standing, values
from agentevals.compare.case_summaries import BaseCase
from agentevals.compare.figure_differences import RATIOS, Difference, Values, find_mean
from agentevals.compare.statistics import confidence_intervals
from agentevals.files.spool import Column
from agentevals.model.outcome import Apart, Figure, Interval, Kind, Unit
from agentevals.model.policy import Policy
from agentevals.model.results import Verdict

OF_EVALUATOR = "evaluator:"
EVALUATORS = 20  # that get a row of their own

_NAMES = {
    "pass_rate": ("Pass rate", Unit.SHARE),
    "score": ("Mean score", Unit.SCORE),
    "cost": ("Mean cost per case", Unit.MONEY),
    "tokens": ("Mean tokens per case", Unit.TOKENS),
    "latency": ("Typical latency per turn", Unit.MILLISECONDS),
}


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One figure on both sides, and how they differ."""

    figure: str
    name: str
    unit: Unit
    head: Figure | None
    base: Figure | None = None
    difference: Difference | None = None
    paired: Figure | None = None  # the head over the pairs, where it has other cases as well
    earlier: Figure | None = None  # all that the base had, where that is more
    apart: tuple[Pair, ...] = ()  # what is in no difference

    @property
    def pairs(self) -> int:
        """The number of cases in the difference."""
        return len(self.difference.cases) if self.difference else 0

    @property
    def worse(self) -> int:
        """The number of cases that got worse: of shares and scores fell, of amounts rose."""
        return self._count(-1.0)

    @property
    def better(self) -> int:
        return self._count(1.0)

    def _count(self, good: float) -> int:
        sign = -good if self.unit in RATIOS else good
        changes = self.difference.changes if self.difference else ()
        return sum(change * sign > 0 for change in changes)


def names(
    evaluators: Sequence[str], limited: Container[str] = (), *, most: int = EVALUATORS
) -> Iterator[str]:
    """The figures of a run, in the order in which they are shown; none with a limit is left out."""
    yield from ("pass_rate", "score")
    shown = most if len(evaluators) > 1 else 0
    for at, name in enumerate(evaluators):
        figure = f"{OF_EVALUATOR}{name}"
        if at < shown or figure in limited:
            yield figure
    yield from ("cost", "tokens", "latency")


class Side:
    """The figures of one side: its cases go by once, and leave a number of each for each figure."""

    def __init__(self, figures: Iterable[str], *, base: bool = False) -> None:
        self._means = {figure: Column() for figure in figures}
        self._read = [(name, find_reader(name), means) for name, means in self._means.items()]
        self._base, self._alone = base, True
        self._met, self._of = 0, 0  # attempts that passed

    def add(self, pair: Pair) -> None:
        """Add the next case."""
        self._alone = self._alone and not pair.family
        cases = pair.base if self._base else pair.head
        if len(cases) == 1:
            self._add_only(cases[0])
            return
        for figure, read, means in self._read:
            known = [value for case in cases if (value := read(case)) is not None]
            if known:
                means.append(_find_mean(known))
                if figure == "pass_rate":
                    self._met += round(sum(known))
                    self._of += len(known)

    def _add_only(self, case: BaseCase) -> None:
        """Add a case that has one attempt, as most have."""
        for figure, read, means in self._read:
            value = read(case)
            if value is not None:
                means.append(value)
                if figure == "pass_rate":
                    self._met += round(value)
                    self._of += 1

    def join(self, later: "Side") -> None:
        """Add the cases that follow, which have gone by in another process."""
        self._alone = self._alone and later._alone
        self._met += later._met
        self._of += later._of
        for figure, means in self._means.items():
            means.join(later._means[figure])

    def measure(self, figure: str) -> Figure | None:
        """Return a figure; None where nothing was measured."""
        found = self._means[figure]
        if not found:
            return None
        if figure == "pass_rate":
            return _describe_share(self._met, self._of, found, alone=self._alone)
        return Figure(value=find_mean(found, unit_of(figure)))


def measure_side(figure: str, cases: Iterable[Pair], *, base: bool = False) -> Figure | None:
    """A figure of one side; None where nothing was measured."""
    side = Side([figure], base=base)
    for pair in cases:
        side.add(pair)
    return side.measure(figure)


def _find_mean(side: Sequence[float]) -> float:
    """Return the mean of the attempts of a case. Most cases have one."""
    return float(side[0]) if len(side) == 1 else fmean(side)


def _describe_share(met: int, of: int, shares: Column, *, alone: bool) -> Figure:
    """Describe the share of attempts that passed, each case counting the same.

    Attempts of one case are not independent, nor are cases of one family: Wilson's interval holds
    for single ones that stand alone.
    """
    if of != len(shares):
        return Figure(value=fmean(shares), met=met, of=of, attempts=True)
    interval = _interval(confidence_intervals.wilson(met, of)) if alone else None
    return Figure(value=met / of, interval=interval, met=met, of=of)


def unit_of(figure: str) -> Unit:
    return _NAMES[figure][1] if figure in _NAMES else Unit.SCORE


def measure(
    figure: str, cases: Sequence[Pair], *, comparable: bool, side: Side | None = None
) -> Measured:
    """A figure on both sides, the difference over the cases that are on both.

    All cases have gone by the `side` of the head, if there is one.
    """
    name = _NAMES[figure][0] if figure in _NAMES else figure.removeprefix(OF_EVALUATOR)
    head = side.measure(figure) if side else measure_side(figure, cases)
    plain = Measured(figure=figure, name=name, unit=unit_of(figure), head=head)
    if not comparable:
        return plain
    both = [pair for pair in cases if pair.comparable and _is_proof(figure, pair)]
    found = [(pair, values(pair.base, figure), values(pair.head, figure)) for pair in both]
    pairs = [(pair, _find_mean(was), _find_mean(now)) for pair, was, now in found if was and now]
    if not pairs:
        return plain
    inside = [pair for pair, _, _ in pairs]
    flips = figure == "pass_rate" and all(len(p.head) == len(p.base) == 1 for p in inside)
    sides = [Values(was, now, pair.family) for pair, was, now in pairs]
    base = measure_side(figure, inside, base=True)
    row = replace(plain, base=base, difference=Difference(plain.unit, sides, flips))
    return _part(row, cases, inside)


def _part(row: Measured, cases: Sequence[Pair], inside: Sequence[Pair]) -> Measured:
    """Tell the cases of the row's difference from others, so that each side says what it is of."""
    known = {pair.case_id for pair in inside}
    apart = tuple(pair for pair in cases if pair.case_id not in known)
    new = any(values(pair.head, row.figure) for pair in apart)
    gone = any(values(pair.base, row.figure) for pair in apart)
    return replace(
        row,
        paired=measure_side(row.figure, inside) if new or gone else None,
        earlier=measure_side(row.figure, cases, base=True) if new or gone else None,
        apart=apart,
    )


def count_cases(row: Measured, cases: Sequence[Pair], policy: Policy) -> Measured:
    """Let the pass rate count cases, where it counts attempts: a rule says which of them pass.

    The difference stays that of the attempts.
    """
    sides = (row.head, row.base, row.earlier, row.paired)
    if row.head is None or not any(side is not None and side.attempts for side in sides):
        return row
    head, base = _count_passed(cases, policy)
    return replace(
        row,
        head=head,
        earlier=base if row.pairs else None,
        paired=(row.paired or row.head) if row.pairs else None,
    )


def _count_passed(cases: Sequence[Pair], policy: Policy) -> tuple[Figure | None, Figure | None]:
    """Return how many cases pass by the rule for attempts, on the head and on the base."""
    head = [pair.verdict for pair in cases if values(pair.head, "pass_rate")]
    stood = [standing(pair.base, None, policy) for pair in cases if values(pair.base, "pass_rate")]
    base = [side.verdict for side in stood if side is not None]
    alone = not any(pair.family for pair in cases)
    return _make_share(head, alone=alone), _make_share(base, alone=alone)


def _make_share(verdicts: Sequence[Verdict | None], *, alone: bool) -> Figure | None:
    met, of = sum(verdict is Verdict.PASS for verdict in verdicts), len(verdicts)
    if not of:
        return None
    interval = _interval(confidence_intervals.wilson(met, of)) if alone else None
    return Figure(value=met / of, interval=interval, met=met, of=of)


def count_apart(rows: Iterable[Measured], policy: Policy) -> tuple[Apart, ...]:
    """Count the cases that are in no difference of the pass rate, by why they are not."""
    row = next((row for row in rows if row.figure == "pass_rate" and row.pairs), None)
    found: dict[Kind, list[Pair]] = {kind: [] for kind in (*_APART, Kind.NOT_EVALUATED)}
    for pair in row.apart if row else ():
        fitting = (kind for kind, applies in _APART.items() if applies(pair))
        found[next(fitting, Kind.NOT_EVALUATED)].append(pair)
    return tuple(
        Apart(kind=kind, cases=len(pairs), head=head, base=base)
        for kind, pairs in found.items()
        if pairs
        for head, base in [_count_passed(pairs, policy)]
    )


_APART: dict[Kind, Callable[[Pair], bool]] = {
    Kind.ADDED: lambda pair: not pair.base,
    Kind.REMOVED: lambda pair: not pair.head,
    Kind.CHANGED: lambda pair: pair.changed,
}


def _is_proof(figure: str, pair: Pair) -> bool:
    """Return whether a pair tells of a change: no side is judged by less than it should be."""
    return figure not in OF_THE_CASE or not any(c.has_gap for c in (*pair.head, *pair.base))


def _interval(found: confidence_intervals.Interval) -> Interval:
    return Interval(low=found.low, high=found.high)

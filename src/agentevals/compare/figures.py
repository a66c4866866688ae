"""The figures of a run: what each is on both sides, how they differ, and how sure that is."""

import math
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

from agentevals.compare.cases import OF_THE_CASE, Pair, standing, value_of, values
from agentevals.compare.statistics import bootstrap, fisher, intervals, mcnemar, permutation
from agentevals.model.outcome import Apart, Figure, Interval, Kind, Unit
from agentevals.model.policy import Policy
from agentevals.model.results import Verdict

OF_EVALUATOR = "evaluator:"
EVALUATORS = 20  # that get a row of their own

_NAMES = {
    "pass_rate": ("Pass rate", Unit.SHARE),
    "score": ("Score", Unit.SCORE),
    "cost": ("Cost per case", Unit.MONEY),
    "tokens": ("Tokens per case", Unit.TOKENS),
    "latency": ("Latency per turn", Unit.MILLISECONDS),
}


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One figure on both sides, and how they differ."""

    figure: str
    name: str
    unit: Unit
    head: Figure | None
    base: Figure | None = None
    difference: float | None = None
    interval: Interval | None = None
    p_value: float | None = None
    pairs: int = 0
    same: bool = False  # not one pair differs
    robust: bool = False  # the interval keeps its confidence with few cases, too
    paired: Figure | None = None  # the head over the pairs, where it has other cases as well
    earlier: Figure | None = None  # all that the base had, where that is more
    better: int = 0
    worse: int = 0
    apart: tuple[Pair, ...] = ()  # what is in no difference


def names(evaluators: Sequence[str], limited: Container[str] = ()) -> Iterator[str]:
    """The figures of a run, in the order in which they are shown; none with a limit is left out."""
    yield from ("pass_rate", "score")
    shown = EVALUATORS if len(evaluators) > 1 else 0
    for at, name in enumerate(evaluators):
        figure = f"{OF_EVALUATOR}{name}"
        if at < shown or figure in limited:
            yield figure
    yield from ("cost", "tokens", "latency")


def measure_side(figure: str, cases: Iterable[Pair], *, base: bool = False) -> Figure | None:
    """A figure of one side; None where nothing was measured."""
    sides = (values(pair.base if base else pair.head, figure) for pair in cases)
    attempts = [side for side in sides if side]
    if not attempts:
        return None
    found = [fmean(side) for side in attempts]
    if figure == "pass_rate":
        return _describe_share(attempts, fmean(found))
    return Figure(value=median(found) if unit_of(figure) in RATIOS else fmean(found))


def _describe_share(attempts: Sequence[Sequence[float]], share: float) -> Figure:
    """Describe the share of attempts that passed, each case counting the same.

    Attempts of one case are not independent: Wilson's interval holds for single ones alone.
    """
    met, of = round(sum(map(sum, attempts))), sum(map(len, attempts))
    single = of == len(attempts)
    if not single:
        return Figure(value=share, met=met, of=of, attempts=True)
    interval = _interval(intervals.wilson(met, of))
    return Figure(value=met / of, interval=interval, met=met, of=of)


RATIOS = frozenset({Unit.MONEY, Unit.TOKENS, Unit.MILLISECONDS})


def unit_of(figure: str) -> Unit:
    return _NAMES[figure][1] if figure in _NAMES else Unit.SCORE


def measure(figure: str, cases: Sequence[Pair], *, comparable: bool) -> Measured:
    """A figure on both sides, the difference over the cases that are on both."""
    name = _NAMES[figure][0] if figure in _NAMES else figure.removeprefix(OF_EVALUATOR)
    head = measure_side(figure, cases)
    plain = Measured(figure=figure, name=name, unit=unit_of(figure), head=head)
    if not comparable:
        return plain
    both = [pair for pair in cases if pair.comparable and _is_proof(figure, pair)]
    found = [(p, values(p.base, figure), values(p.head, figure)) for p in both]
    pairs = [(pair, fmean(was), fmean(now)) for pair, was, now in found if was and now]
    if not pairs:
        return plain
    compare = _ratio if plain.unit in RATIOS else _difference
    inside = [pair for pair, _, _ in pairs]
    base = measure_side(figure, inside, base=True)
    return _part(compare(plain, base, figure, pairs), cases, inside)


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
    return _make_share(head), _make_share([side.verdict for side in stood if side is not None])


def _make_share(verdicts: Sequence[Verdict | None]) -> Figure | None:
    met, of = sum(verdict is Verdict.PASS for verdict in verdicts), len(verdicts)
    if not of:
        return None
    return Figure(value=met / of, interval=_interval(intervals.wilson(met, of)), met=met, of=of)


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


_Pairs = Sequence[tuple[Pair, float, float]]


def _difference(plain: Measured, base: Figure | None, figure: str, pairs: _Pairs) -> Measured:
    differences = [now - was for _, was, now in pairs]
    single = all(len(pair.head) == len(pair.base) == 1 for pair, _, _ in pairs)
    flips, alike = figure == "pass_rate" and single, len(set(differences)) == 1
    if flips:
        interval, p_value = _flips([pair for pair, _, _ in pairs])
    else:
        found = bootstrap.mean_difference(differences)
        if alike and found:  # resampling them gives no width
            found = intervals.constant_difference(differences[0], len(pairs))
        interval = _interval(found)
        if figure == "pass_rate":  # attempts of a case say more than their mean
            p_value = fisher.compare_all(_count(pair) for pair, _, _ in pairs)
        else:
            p_value = permutation.sign_flip(differences)
    return replace(
        plain,
        base=base,
        difference=fmean(differences),
        interval=interval,
        p_value=p_value,
        pairs=len(pairs),
        better=sum(change > 0 for change in differences),
        worse=sum(change < 0 for change in differences),
        same=not any(differences),
        robust=flips or alike,
    )


def _count(pair: Pair) -> fisher.Table:
    base, head = (values(side, "pass_rate") for side in (pair.base, pair.head))
    was, now = round(sum(base)), round(sum(head))
    return fisher.Table(was, len(base) - was, now, len(head) - now)


def _flips(pairs: Sequence[Pair]) -> tuple[Interval | None, float]:
    """Pass and fail of cases without repeats: McNemar's test and Newcombe's interval."""
    table = {(was, now): 0 for was in (0.0, 1.0) for now in (0.0, 1.0)}
    for pair in pairs:
        was, now = (value_of(side[0], "pass_rate") or 0.0 for side in (pair.base, pair.head))
        table[was, now] += 1
    lost, won = table[1.0, 0.0], table[0.0, 1.0]
    interval = intervals.estimate_difference(table[1.0, 1.0], lost, won, table[0.0, 0.0])
    return _interval(interval), mcnemar.mid_p(lost, won)


def _ratio(plain: Measured, base: Figure | None, _figure: str, pairs: _Pairs) -> Measured:
    was, now = [was for _, was, _ in pairs], [now for _, _, now in pairs]
    logs = [math.log(n) - math.log(w) for w, n in zip(was, now, strict=True) if w > 0 and n > 0]
    return replace(
        plain,
        base=base,
        difference=_quotient(median(now), median(was)),
        interval=_interval(bootstrap.median_ratio(was, now)),
        p_value=permutation.sign_flip(logs) if logs else None,
        pairs=len(pairs),
        better=sum(n < w for w, n in zip(was, now, strict=True)),
        worse=sum(n > w for w, n in zip(was, now, strict=True)),
        same=was == now,
        robust=was == now and intervals.wilson(0, len(pairs)).high < _HALF,
    )


_HALF = 0.5  # of the cases; fewer that differ do not move a median


def _quotient(now: float, was: float) -> float | None:
    """Divide. Nothing by nothing is 1: none of it was lost. None if it cannot be written."""
    if now == was:
        return 1.0
    quotient = now / was if was else math.inf
    return quotient if math.isfinite(quotient) else None


def _interval(found: intervals.Interval | None) -> Interval | None:
    return Interval(low=found.low, high=found.high) if found else None

"""The cases of both runs side by side, by their ids; attempts of a case are together.

Of a long run a pair is made when somebody asks for it.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import overload

import msgspec

from agentevals.compare.baselines import Baseline, Common, NoBaseline
from agentevals.compare.case_summaries import LARGEST, BaseCase, CaseSummary
from agentevals.model.cases import Status
from agentevals.model.outcome import Kind, Standing
from agentevals.model.policy import Policy
from agentevals.model.results import Verdict
from agentevals.run.attempts import is_undecided, pass_enough

OF_THE_CASE = frozenset({"pass_rate", "score"})  # figures that all its evaluators make together
MOST = Policy()  # most attempts of a case must pass
_GRADED = (Status.PASSED, Status.FAILED)
_KINDS = tuple(Kind)


class Pair(msgspec.Struct, frozen=True, gc=False):
    """One case on both sides, with its attempts on each. `at` is its place in the report."""

    case_id: str
    head: tuple[BaseCase, ...] = ()
    base: tuple[BaseCase, ...] = ()
    at: int = -1
    verdict: Verdict | None = None  # of the head, by the rule for attempts
    changed: bool = False  # what is expected of it is not what it was

    @property
    def family(self) -> str:
        """Cases of one family are not independent; without a name it is one of its own."""
        return next((case.family for case in self.head if case.family), "")

    @property
    def comparable(self) -> bool:
        """True if both sides judge it by the same expectation, and could judge it."""
        return self._shared and bool(_choose_decided(self.head) and _choose_decided(self.base))

    @property
    def lacks_evidence(self) -> bool:
        """True if it would be comparable with the evidence that is missing on either side."""
        return self._shared and not self.comparable and not self.has_error

    @property
    def has_error(self) -> bool:
        """True if an error on either side keeps it from being comparable."""
        errors = (case.verdict is Verdict.ERROR for case in (*self.head, *self.base))
        return self._shared and not self.comparable and any(errors)

    @property
    def _shared(self) -> bool:
        return bool(self.head and self.base) and not self.changed


def _choose_decided(cases: Iterable[BaseCase]) -> list[BaseCase]:
    """Return the attempts with a verdict: missing evidence or an error kept the others from one."""
    return [case for case in cases if case.is_decided]


def pairs(
    head: Sequence[CaseSummary],
    baseline: Baseline | NoBaseline,
    common: Common | None,
    policy: Policy = MOST,
) -> list[Pair]:
    """Pair cases in the order of the report; cases that only the baseline has come last."""
    base: dict[str, list[BaseCase]] = {}
    if isinstance(baseline, Baseline):
        for known in baseline.cases:
            base.setdefault(known.case_id, []).append(known)
    changed = common.changed_cases if common else frozenset[str]()
    found = [
        make_pair(one, at, _join_base(base.pop(name, []), policy), changed=name in changed)
        for at, one in enumerate(head)
        for name in (one.kept.case_id,)
    ]
    return [*found, *(Pair(name, base=_join_base(gone, policy)) for name, gone in base.items())]


def make_pair(
    one: CaseSummary, at: int, base: tuple[BaseCase, ...] = (), *, changed: bool = False
) -> Pair:
    """Return the case at a place of the report beside its attempts on the base."""
    return Pair(
        case_id=one.kept.case_id,
        # what has no verdict as a whole is in no figure, whatever its attempts are
        head=one.attempts if one.kept.is_decided else (one.kept,),
        base=base,
        at=at,
        verdict=one.kept.verdict,
        changed=changed,
    )


def _join_base(attempts: Sequence[BaseCase], policy: Policy) -> tuple[BaseCase, ...]:
    """Return the attempts of an earlier run; one without a verdict if they have none together."""
    lacking = [case for case in attempts if case.lacks_evidence]
    verdicts = [case.verdict for case in attempts if not case.lacks_evidence]
    if len(attempts) < 2 or not is_undecided(verdicts, len(lacking), policy):  # noqa: PLR2004
        return tuple(attempts)
    broken = [case for case in attempts if case.verdict is Verdict.ERROR]
    return ((broken or lacking)[0],)


def standing(
    cases: Sequence[BaseCase], common: Common | None, policy: Policy = MOST
) -> Standing | None:
    """Return how the attempts of a case stood together, by the rule of the policy.

    None if there is none that could be judged.
    """
    cases = _choose_decided(cases)
    if not cases:
        return None
    verdicts = [_verdict(case, common) for case in cases]
    scores = values(cases, "score")
    return Standing(
        verdict=pass_enough(verdicts, policy),
        score=sum(scores) / len(scores) if scores else None,
        runs=len(cases),
        passed=sum(verdict is not Verdict.FAIL for verdict in verdicts),
    )


def _verdict(case: BaseCase, common: Common | None) -> Verdict:
    """Return the verdict; if the runs do not judge alike, only by the evaluators that do."""
    if common is None or common.whole:
        return case.verdict
    shared = [one for name, one in case.outcomes.items() if common.holds(name)]
    failed = any(one.status is Status.FAILED for one in shared)
    return Verdict.FAIL if failed else Verdict.PASS


def find_other_names(
    found: Iterable[tuple[Pair, Kind]], before: Mapping[str, str], now: Mapping[str, str]
) -> dict[str, str]:
    """The other name of cases that went and came, by what is expected of them on each side.

    Where several went or came of which the same is expected, nobody can tell which is which.
    """
    gone: dict[str, list[str]] = {}
    new: dict[str, list[str]] = {}
    for pair, which in found:
        if which is Kind.REMOVED and pair.case_id in before:
            gone.setdefault(before[pair.case_id], []).append(pair.case_id)
        elif which is Kind.ADDED and pair.case_id in now:
            new.setdefault(now[pair.case_id], []).append(pair.case_id)
    alone = [d for d in gone.keys() & new.keys() if len(gone[d]) == len(new[d]) == 1]
    names = [(gone[digest][0], new[digest][0]) for digest in alone]
    return dict(names) | {came: went for went, came in names}


def values(cases: Iterable[BaseCase], figure: str) -> list[float]:
    """Return the values of a figure for the attempts of a case; none if nothing was measured."""
    read = find_reader(figure)
    return [value for case in cases if (value := read(case)) is not None]


@cache
def find_reader(figure: str) -> Callable[[BaseCase], float | None]:
    """Return what reads this figure of a case: None is no measurement, for files say anything."""
    if figure == "pass_rate":
        return _read_pass
    if figure == "score":
        return _read_score
    name = figure.removeprefix("evaluator:")
    return partial(_read_amount, figure) if name == figure else partial(_read_outcome, name)


def _read_pass(case: BaseCase) -> float | None:
    if case.lacks_evidence or not case.is_decided or _is_unscored(case):
        return None
    return float(case.verdict is Verdict.PASS)


def _read_score(case: BaseCase) -> float | None:
    return None if case.lacks_evidence or not case.is_decided else _drop_impossible(case.score)


def _read_amount(name: str, case: BaseCase) -> float | None:
    return None if case.lacks_evidence else _drop_impossible(case.amounts.get(name), least=0.0)


def _read_outcome(name: str, case: BaseCase) -> float | None:
    outcome = None if case.lacks_evidence else case.outcomes.get(name)
    return _drop_impossible(outcome.score) if outcome and outcome.status in _GRADED else None


def _drop_impossible(value: float | None, *, least: float = -LARGEST) -> float | None:
    return value if value is not None and least <= value < LARGEST else None


def _is_unscored(case: BaseCase) -> bool:
    """Return whether a case passes only because nothing of it could be evaluated."""
    if case.verdict is not Verdict.PASS:
        return False
    known = {outcome.status for outcome in case.outcomes.values()}
    return bool(known) and known.isdisjoint(_GRADED)


def find_flipped(
    before: Iterable[BaseCase], now: Iterable[BaseCase], common: Common | None
) -> list[str]:
    """The evaluators that pass a smaller share of the runs than before."""
    was, shares = _shares(before), _shares(now)
    return [
        name
        for name, share in shares.items()
        if common is not None and common.holds(name) and share < was.get(name, 0.0)
    ]


def _shares(cases: Iterable[BaseCase]) -> dict[str, float]:
    """Count the runs that each evaluator passed, of those that it could judge."""
    found: dict[str, list[bool]] = {}
    for case in cases:
        for name, outcome in case.outcomes.items():
            if outcome.status in _GRADED:
                found.setdefault(name, []).append(outcome.status is Status.PASSED)
    return {name: sum(passed) / len(passed) for name, passed in found.items()}


class LonePairs(Sequence[Pair]):
    """The cases of a run that nothing is compared with."""

    def __init__(self, summaries: Sequence[CaseSummary]) -> None:
        self._summaries = summaries

    def __len__(self) -> int:
        return len(self._summaries)

    @overload
    def __getitem__(self, index: int) -> Pair: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Pair]: ...
    def __getitem__(self, index: int | slice) -> Pair | Sequence[Pair]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        return make_pair(self._summaries[index], index)

    def __iter__(self) -> Iterator[Pair]:
        return (make_pair(one, at) for at, one in enumerate(self._summaries))


class Noted:
    """The places of pairs that somebody should look at, and why."""

    def __init__(self) -> None:
        self.places, self.kinds = array("I"), array("B")

    def add(self, place: int, kind: Kind) -> None:
        """Add the pair at this place."""
        self.places.append(place)
        self.kinds.append(_KINDS.index(kind))

    def join(self, later: "Noted") -> None:
        """Add those that follow."""
        self.places.extend(later.places)
        self.kinds.extend(later.kinds)


class Found(Sequence[tuple[Pair, Kind]]):
    """The pairs that somebody should look at, and why."""

    def __init__(self, paired: Sequence[Pair], noted: Noted) -> None:
        self._paired, self._places, self._kinds = paired, noted.places, noted.kinds

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> tuple[Pair, Kind]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[Pair, Kind]]: ...
    def __getitem__(self, index: int | slice) -> tuple[Pair, Kind] | Sequence[tuple[Pair, Kind]]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        return self._paired[self._places[index]], _KINDS[self._kinds[index]]

    def count_kinds(self) -> Counter[Kind]:
        """Return how many pairs there are of each kind. Nothing is read of them."""
        return Counter([_KINDS[number] for number in self._kinds])

    def choose(self, *wanted: Kind) -> Iterator[tuple[Pair, Kind]]:
        """Yield the pairs of some kinds. Nothing is read of the others."""
        numbers = {_KINDS.index(kind) for kind in wanted}
        return (self[at] for at, number in enumerate(self._kinds) if number in numbers)

    def __iter__(self) -> Iterator[tuple[Pair, Kind]]:
        return (self[at] for at in range(len(self)))

"""One walk over the cases of a run: what later runs and the pages need of each of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from sys import intern
from typing import Any, NamedTuple, overload

from agentevals.files.spool import Spool, encode
from agentevals.model.cases import Status
from agentevals.model.noun import Noun
from agentevals.model.results import CaseReport, Result, Verdict
from agentevals.run.attempts import describe_attempts, list_attempts
from agentevals.text import wording

LARGEST = 1e15  # what is more was not measured, whoever says so

_HELD_BYTES, _WEIGHT = 4 * 2**20, 600  # of all that are in memory, and of one
_TEXT = 601  # characters of a sentence; no page shows more, and one more says that there are more
_MISSED = 3  # results that did not pass


class Judgement(Noun, frozen=True):
    """One evaluator on one case."""

    status: Status
    score: float | None = None


class BaseCase(Noun, frozen=True):
    """One case of an earlier run; several have the same id where it was repeated.

    `recording` is the digest of what was recorded, and `family` the value of the key that
    `gate.cluster` names. `earlier` has a letter for each attempt of the runs before, oldest first:
    `p` or `f`. They are empty where nobody knows.
    """

    case_id: str
    verdict: Verdict
    score: float | None = None
    outcomes: dict[str, Judgement] = {}
    amounts: dict[str, float] = {}
    calls: tuple[str, ...] = ()
    has_gap: bool = False  # an evaluator could not judge it for want of evidence
    lacks_evidence: bool = False  # and so it has no verdict
    recording: str = ""
    earlier: str = ""
    family: str = ""

    @property
    def is_decided(self) -> bool:
        """True if it has a verdict: neither an error nor missing evidence kept it from one."""
        return not self.lacks_evidence and self.verdict is not Verdict.ERROR

    @property
    def has_failed(self) -> bool:
        """True if it failed by something that was recorded."""
        return self.verdict is Verdict.FAIL and not self.lacks_evidence


class Miss(NamedTuple):
    """A result that did not pass: why, in the words of its evaluator, or its score."""

    evaluator: str
    text: str
    scored: str


class Recording(NamedTuple):
    """The files of one attempt, and the digests of the agent that it was recorded of."""

    sources: tuple[str, ...]
    agents: tuple[str, ...]


class CaseSummary(NamedTuple):
    """A case in short. `missed` are the first results that did not pass, `more` counts the rest.

    `attempts` has the case itself where it was recorded once, and `told` is empty then.
    """

    kept: BaseCase
    attempts: tuple[BaseCase, ...]
    recordings: tuple[Recording, ...]
    is_undecided: bool
    error: str
    missed: tuple[Miss, ...]
    more: int
    told: str  # how many attempts passed


def pack_summary(summary: CaseSummary) -> bytes:
    """Return a summary as it is kept on disk."""
    return encode(_drop_repeat(summary))


def _drop_repeat(summary: CaseSummary) -> CaseSummary:
    """Return it without its only attempt, which is the case itself, and not written twice."""
    return CaseSummary(summary.kept, (), *summary[2:]) if len(summary.attempts) == 1 else summary


class Summaries(Sequence[CaseSummary]):
    """The summaries of a run, which lie on disk where they are many."""

    def __init__(self) -> None:
        self._kept = Spool(CaseSummary, budget=_HELD_BYTES)

    def append(self, summary: CaseSummary) -> None:
        """Add the next one."""
        self._kept.append(_drop_repeat(summary), weight=_WEIGHT)

    def append_frame(self, frame: bytes) -> None:
        """Add the next one, as `pack_summary` returns it."""
        self._kept.append_frame(frame)

    def __len__(self) -> int:
        return len(self._kept)

    @overload
    def __getitem__(self, index: int) -> CaseSummary: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[CaseSummary]: ...
    def __getitem__(self, index: int | slice) -> CaseSummary | Sequence[CaseSummary]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        found = self._kept[index]
        return found if found.attempts else CaseSummary(found.kept, (found.kept,), *found[2:])

    def __iter__(self) -> Iterator[CaseSummary]:
        return (self[at] for at in range(len(self)))


class SummarisedCases(Sequence[CaseReport]):
    """The cases of a run with a summary of each, so that nobody has to walk over them again.

    `earlier` are the attempts of each case in the baseline, by its id.
    """

    def __init__(
        self,
        cases: Sequence[CaseReport],
        summaries: Sequence[CaseSummary],
        earlier: Mapping[str, Sequence[BaseCase]],
    ) -> None:
        self._cases, self.summaries, self.earlier = cases, summaries, earlier

    def __len__(self) -> int:
        return len(self._cases)

    @overload
    def __getitem__(self, index: int) -> CaseReport: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[CaseReport]: ...
    def __getitem__(self, index: int | slice) -> CaseReport | Sequence[CaseReport]:
        return self._cases[index]

    def __iter__(self) -> Iterator[CaseReport]:
        return iter(self._cases)


def summarise_all(cases: Iterable[CaseReport]) -> Iterable[CaseSummary]:
    """Return the summaries that are there, or make them in a walk."""
    return cases.summaries if isinstance(cases, SummarisedCases) else map(summarise, cases)


def list_recordings(cases: Iterable[CaseReport]) -> Iterator[Recording]:
    """Yield the recording of every attempt."""
    for case in summarise_all(cases):
        yield from case.recordings


def summarise(case: CaseReport) -> CaseSummary:
    """Return a case in short."""
    bad = [result for result in case.results if result.case_status is not Status.PASSED]
    kept = keep_case(case)
    return CaseSummary(
        kept=kept,
        attempts=tuple(map(keep_case, case.attempts)) if case.attempts else (kept,),
        recordings=tuple([_describe_recording(one) for one in list_attempts(case)]),
        is_undecided=case.is_undecided,
        error=case.error[:_TEXT],
        missed=tuple([_explain(result) for result in bad[:_MISSED]]),
        more=max(0, len(bad) - _MISSED),
        told=describe_attempts(case),
    )


def _describe_recording(attempt: CaseReport) -> Recording:
    return _share(attempt.sources, attempt.provenance.agents if attempt.provenance else ())


def _keep_judgement(result: Result) -> Judgement:
    """Most cases of a run have theirs in common; 0.0 and -0.0 are equal, and not the same."""
    if not result.score:
        return Judgement(status=result.status, score=result.score)
    return _judge(result.status, result.score)


@lru_cache
def _share(sources: tuple[str, ...], agents: tuple[str, ...]) -> Recording:
    return Recording(sources, agents)


@lru_cache(typed=True)
def _judge(status: Status, score: float | None) -> Judgement:
    return Judgement(status=status, score=score)


def _explain(result: Result) -> Miss:
    errors = result.status is Status.ERROR  # a finding of the run tells which
    told = ("ended in an error",) if errors else result.problems[:3]
    said = (*wording.list_missed_gates(result), *told)
    known = result.score is not None and result.threshold is not None
    return Miss(
        evaluator=result.name,
        text=("; ".join(said) or result.reasoning)[:_TEXT],
        scored=wording.write_judgement(result) if known else "",
    )


def keep_case(case: CaseReport) -> BaseCase:
    """Return what later runs need of a case."""
    return BaseCase(
        case_id=case.case_id,
        verdict=case.verdict,
        score=case.score,
        outcomes={intern(r.name): _keep_judgement(r) for r in case.results},
        amounts=_complete_amounts(case),
        calls=tuple([intern(call) for call in case.calls]),
        has_gap=any(result.gap for result in case.results),
        lacks_evidence=bool(case.lacks_evidence),
        recording=case.recording or "",
        family=case.family or "",
    )


def _complete_amounts(case: CaseReport) -> dict[str, float]:
    """Return the amounts without those of which only a part was recorded."""
    partial = {gap.fact.value for gap in case.gaps} if case.gaps else ()
    found = _list_amounts(case.performance)
    return {name: value for name, value in found if value is not None and name not in partial}


def _list_amounts(performance: dict[str, Any]) -> tuple[tuple[str, float | None], ...]:
    """Return the tokens, time and cost of a case; None for what was not recorded."""
    overall = _find_member(performance.get("latency"), "overall")
    timed = _read_amount(overall, "count")
    return (
        ("tokens", _read_amount(performance.get("tokens"), "total") or None),
        ("latency", _read_amount(overall, "median") if timed else None),
        ("cost", _read_amount(performance.get("cost"), "total")),
    )


def _read_amount(measured: Any, name: str) -> float | None:
    """None for what nobody can have measured: clocks run backwards, and files say anything."""
    found = _find_member(measured, name)
    there = type(found) is float or type(found) is int
    return float(found) if there and 0 <= found < LARGEST else None


def _find_member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None

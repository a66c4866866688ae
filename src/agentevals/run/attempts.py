"""Attempts: several recordings of one case are one case, and a rule says when it passes."""

import operator
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import overload

import msgspec

from agentevals.files.key_numbering import Numbering
from agentevals.model.cases import Status
from agentevals.model.policy import Policy
from agentevals.model.results import CaseReport, Result, Verdict
from agentevals.text import wording

_WORST_FIRST = (Status.ERROR, Status.FAILED, Status.NOT_EVALUATED, Status.PASSED)
_LATEST = 2**63 - 1  # nanoseconds; a start beyond it was not recorded
_BEST_FIRST = (Verdict.PASS, Verdict.BORDERLINE)


class Attempts(Sequence[CaseReport]):
    """The cases of a run, attempts of one case together, in an order of their own."""

    def __init__(
        self, reports: Sequence[CaseReport], places: Sequence[int | list[int]], policy: Policy
    ) -> None:
        """Take the place of each case in `reports`, or those of its attempts."""
        self._reports, self._places, self._policy = reports, places, policy

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> CaseReport: ...
    @overload
    def __getitem__(self, index: slice) -> list[CaseReport]: ...
    def __getitem__(self, index: int | slice) -> CaseReport | list[CaseReport]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        place = self._places[index]
        if isinstance(place, int):
            return self._reports[place]
        return join_attempts([self._reports[at] for at in place], self._policy)

    def __iter__(self) -> Iterator[CaseReport]:
        return (self[index] for index in range(len(self)))


class Places:
    """The places of the attempts of each case in a run, found while they go by.

    It takes about fifty bytes for each: a run has as many as there are traces.
    """

    def __init__(self) -> None:
        self._names = Numbering()
        self._files: dict[str, int] = {}
        # of each attempt: the numbers of its name and of its file, and its start
        self._name, self._file, self._start = array("I"), array("I"), array("q")
        self._is_sorted, self._highest = True, 0  # the rank of the last, while they are sorted

    def add(self, case: CaseReport, start_ns: int = 0) -> None:
        """Remember the place of the next attempt, with its file and when it began."""
        self.add_name(case.case_id, case.sources[0] if case.sources else "", start_ns)

    def add_name(self, case_id: str, source: str, start_ns: int) -> None:
        """Remember the same of an attempt whose report is not at hand."""
        at = len(self._name)
        self._name.append(self._names.add(case_id))
        self._file.append(self._files.setdefault(source, len(self._files)))
        self._start.append(max(-_LATEST, min(start_ns, _LATEST)))
        rank = self._rank(at)
        self._is_sorted = self._is_sorted and self._highest <= rank
        self._highest = rank

    def _rank(self, at: int) -> int:
        """Return a number that grows with the file, and then with the time."""
        return self._file[at] << 64 | self._start[at] + _LATEST

    def join(self, reports: Sequence[CaseReport], policy: Policy) -> Sequence[CaseReport]:
        """Return the cases, by file and then by time.

        Where they stand so already, and none has several attempts, they are the reports.
        """
        if len(self._names) == len(self._name):
            if self._is_sorted:
                return reports
            order = array("I", sorted(range(len(self._name)), key=self._rank))
            return Attempts(reports, order, policy)
        known: dict[int, list[int]] = {}
        for at, number in enumerate(self._name):
            known.setdefault(number, []).append(at)
        places = [sorted(each, key=self._rank) for each in known.values()]
        places.sort(key=lambda found: self._rank(found[0]))
        return Attempts(reports, places, policy)


def list_attempts(case: CaseReport) -> tuple[CaseReport, ...]:
    """Return the attempts of a case; one that was recorded once is its only attempt."""
    return case.attempts or (case,)


def list_results(case: CaseReport) -> Sequence[Result]:
    """Return the results of all attempts of a case."""
    if not case.attempts:
        return case.results
    return [result for one in case.attempts for result in one.results]


def describe_attempts(case: CaseReport) -> str:
    """`2 of 3 attempts passed, 1 lacks evidence`; nothing where a case was recorded once."""
    if not case.attempts:
        return ""
    attempts = case.attempts
    lacking = sum(bool(one.lacks_evidence) for one in attempts)
    passed = sum(not one.verdict.is_bad and not one.is_undecided for one in attempts)
    told = wording.write_attempts(passed, len(attempts))
    verb = "lacks" if lacking == 1 else "lack"
    return f"{told}, {lacking} {verb} evidence" if told and lacking else told


def list_all(cases: Iterable[CaseReport]) -> Iterator[CaseReport]:
    """Yield every attempt of every case."""
    return chain.from_iterable(map(list_attempts, cases))


def list_sources(case: CaseReport) -> list[str]:
    """Return the files of the attempts that end as the case does."""
    alike = [one for one in list_attempts(case) if one.verdict is case.verdict]
    return [*_join(alike or [case], "sources")]


def find_worst(case: CaseReport) -> CaseReport:
    """Return the attempt that a reader looks at first: the first that failed, if any did."""
    attempts = list_attempts(case)
    failed = (one for one in attempts if one.verdict is Verdict.FAIL and not one.lacks_evidence)
    return next(failed, attempts[0])


def pass_enough(verdicts: Sequence[Verdict], policy: Policy) -> Verdict:
    """Return what attempts with these verdicts come to by the rule of the gate."""
    needed = _count_needed(len(verdicts), policy)
    for count, verdict in enumerate(_BEST_FIRST, start=1):
        if sum(one in _BEST_FIRST[:count] for one in verdicts) >= needed:
            return verdict
    return Verdict.FAIL


def is_undecided(verdicts: Sequence[Verdict], lacking: int, policy: Policy) -> bool:
    """Return whether attempts have no verdict together: with these, and so many without evidence.

    An error in one of them is never outvoted by others that pass.
    """
    known = [verdict for verdict in verdicts if verdict is not Verdict.ERROR]
    unknown = len(verdicts) - len(known) + lacking
    best, worst = (
        pass_enough([*known, *([end] * unknown)], policy) for end in (Verdict.PASS, Verdict.FAIL)
    )
    if Verdict.ERROR in verdicts:
        return best is not Verdict.FAIL or Verdict.FAIL not in known
    return lacking > 0 and best is not worst


def join_attempts(attempts: Sequence[CaseReport], policy: Policy) -> CaseReport:
    """Return the attempts as one case.

    Its verdict follows from theirs. Its results are those of an attempt that ended as the case
    did, the worst of each evaluator, with the mean of all scores.
    """
    if len(attempts) == 1:
        return attempts[0]
    deciding, lacks_evidence = _choose_deciding(attempts, policy)
    verdicts = [one.verdict for one in deciding]
    scores = [one.score for one in attempts if one.score is not None and _has_verdict(one)]
    return msgspec.structs.replace(
        deciding[0],
        verdict=Verdict.FAIL if lacks_evidence else max(verdicts, key=list(Verdict).index),
        score=sum(scores) / len(scores) if scores else None,
        trace_ids=_join(attempts, "trace_ids"),
        sources=_join(attempts, "sources"),
        warnings=_join(attempts, "warnings"),
        results=tuple(_join_results(attempts, deciding)),
        lacks_evidence=lacks_evidence or msgspec.UNSET,
        recording=msgspec.UNSET,
        attempts=tuple(attempts),
    )


def _choose_deciding(
    attempts: Sequence[CaseReport], policy: Policy
) -> tuple[Sequence[CaseReport], bool]:
    """Return the attempts that ended as the case does, and whether evidence for it is missing.

    An error decides, unless the case fails whatever the attempts in error would have been.
    Attempts without evidence decide where their verdicts could turn that of the case.
    """
    broken = [one for one in attempts if _is_broken(one)]
    lacking = [one for one in attempts if one.lacks_evidence]
    unscored = [one for one in attempts if one.is_unscored]
    judged = [one for one in attempts if not one.is_undecided]
    verdicts = _list_verdicts(judged)
    is_open = is_undecided(verdicts, len(lacking), policy)
    if broken:
        failed = [one for one in judged if one.verdict is Verdict.FAIL]
        return (broken if is_open or not failed else failed), False
    if is_open:
        return lacking, True
    best = pass_enough([*verdicts, *([Verdict.PASS] * len(lacking))], policy)
    return [one for one in judged if one.verdict is best] or unscored or attempts, False


def _has_verdict(case: CaseReport) -> bool:
    return not case.lacks_evidence and case.verdict is not Verdict.ERROR


def _count_needed(attempts: int, policy: Policy) -> int:
    """Return how many attempts must pass: more than half of them where no rule says otherwise."""
    return {"all": attempts, "any": min(1, attempts)}.get(policy.attempts or "", attempts // 2 + 1)


def _list_verdicts(cases: Iterable[CaseReport]) -> list[Verdict]:
    return [case.verdict for case in cases]


def _is_broken(case: CaseReport) -> bool:
    """Return whether an error kept it from a verdict. One that failed besides has a verdict."""
    return bool(case.error) or case.verdict is Verdict.ERROR


def _join(attempts: Iterable[CaseReport], name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(map(operator.attrgetter(name), attempts))))


def _join_results(
    attempts: Sequence[CaseReport], deciding: Sequence[CaseReport]
) -> Iterator[Result]:
    for name in dict.fromkeys(result.name for one in deciding for result in one.results):
        found = [result for one in deciding for result in one.results if result.name == name]
        worst = min(found, key=lambda result: _WORST_FIRST.index(result.case_status))
        every = [result for one in attempts for result in one.results if result.name == name]
        scores = [result.score for result in every if result.score is not None and result.evaluated]
        yield msgspec.structs.replace(
            worst,
            score=sum(scores) / len(scores) if scores and worst.evaluated else worst.score,
            duration_ms=sum(result.duration_ms for result in every),
        )

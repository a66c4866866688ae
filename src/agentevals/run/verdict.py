"""From results to verdicts: arithmetic, and nothing else."""

# ruff: noqa: SLF001 -- parts of a run are joined, each of the same class
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add

from agentevals.model.cases import Status
from agentevals.model.policy import Policy
from agentevals.model.results import Blame, CaseReport, Finding, Result, Severity, Verdict
from agentevals.text import wording

_MOST_GATES = 50  # that are named; the results of the cases name all of them
_CASES = 3  # named for each


def score_of(results: Sequence[Result]) -> float | None:
    """The weighted mean of what was evaluated; None when nothing was."""
    scored = [(r.weight, r.score) for r in results if r.score is not None and r.evaluated]
    weight = sum([w for w, _ in scored])
    return sum([w * s for w, s in scored]) / weight if weight else None


def judge_case(results: Sequence[Result], score: float | None, policy: Policy) -> Verdict:
    """One case. A gate that could not be graded counts as missed, an error is never a pass.

    A case in error has not failed, unless another evaluator objects to it.
    """
    ends = [result.status for result in results]
    if Status.ERROR in ends:
        return Verdict.FAIL if any(map(misses, results)) else Verdict.ERROR
    unjudged = policy.fail_on_not_evaluated and Status.NOT_EVALUATED in ends
    if not results or unjudged or any(result.misses_gate for result in results):
        return Verdict.FAIL
    if policy.pass_at is None:
        return Verdict.FAIL if Status.FAILED in ends else Verdict.PASS
    if score is not None and score >= policy.pass_at:
        return Verdict.PASS
    if score is not None and policy.borderline_at is not None and score >= policy.borderline_at:
        return Verdict.BORDERLINE
    return Verdict.FAIL


def lacks_evidence(results: Sequence[Result], score: float | None, policy: Policy) -> bool:
    """Return whether only what was not recorded keeps a case from a verdict.

    It does not if something else fails the case, or if full marks for the rest could not help.
    """
    unknown = [result for result in results if result.gap]
    if not unknown:
        return False
    others = [result for result in results if not result.gap]
    if any(_fails(result, policy) for result in others):
        return False
    if policy.pass_at is None:
        return not any(result.status is Status.FAILED for result in others)
    known = sum(result.weight for result in others if result.evaluated)
    best = (score or 0.0) * known + sum(result.weight for result in unknown)
    total = known + sum(result.weight for result in unknown)
    return not total or best / total >= policy.pass_at


def _fails(result: Result, policy: Policy) -> bool:
    if is_error(result):
        return True
    if result.status is Status.NOT_EVALUATED and policy.fail_on_not_evaluated:
        return True
    return result.misses_gate


def is_error(result: Result) -> bool:
    """Return whether something kept the evaluator from judging, so that nobody can tell."""
    return result.status is Status.ERROR


def misses(result: Result) -> bool:
    """Return whether a judgement went against the case: a low score, or a missed gate."""
    return result.status is Status.FAILED or (result.misses_gate and not is_error(result))


EXIT_CODES: Mapping[Blame, int] = {
    Blame.EVALUATOR: 1,
    Blame.INPUT: 2,
    Blame.OUTSIDE: 3,
    Blame.BUG: 4,
}


def find_code(blames: Iterable[Blame]) -> int:
    """Return the exit code of a run in error: that of the most severe one."""
    return max((EXIT_CODES[blame] for blame in blames), default=1)


class Tally:
    """Counts a run while its cases go by."""

    def __init__(self, *, attempts: int = 0, most_gates: int = _MOST_GATES) -> None:
        self._attempts, self._most_gates = attempts, most_gates
        self._gates: Counter[tuple[str, str]] = Counter()
        self._failed_by: dict[tuple[str, str], list[str]] = {}
        self._cases: Counter[Verdict] = Counter()
        self._unscored = 0
        self._lacking = 0
        self._results: Counter[Status] = Counter()
        self._scores = array("d")  # added up in one order, in whatever parts they come
        self._isolation: list[str] = []

    def add(self, case: CaseReport) -> None:
        lacking, unscored = bool(case.lacks_evidence), case.is_unscored
        self._cases[case.verdict] += not (lacking or unscored)
        self._lacking += lacking
        self._unscored += unscored and not lacking
        for result in case.results:
            self._results[result.status] += 1
            if result.misses_gate:
                for gate in wording.list_missed_gates(result):
                    self._note(result.name, gate, [case.case_id], 1)
            if result.isolation and result.isolation not in self._isolation:
                self._isolation.append(result.isolation)
        if case.error and not case.results:
            self._results[Status.ERROR] += 1
        if case.score is not None and not (case.lacks_evidence or case.verdict is Verdict.ERROR):
            self._scores.append(case.score)

    def join(self, later: "Tally") -> None:
        """Add the cases that follow, which another process has counted."""
        self._cases.update(later._cases)
        self._lacking += later._lacking
        self._unscored += later._unscored
        self._results.update(later._results)
        self._scores.extend(later._scores)
        self._isolation += [each for each in later._isolation if each not in self._isolation]
        for missed, count in later._gates.items():
            self._note(*missed, later._failed_by[missed], count)

    @property
    def missed_gates(self) -> tuple[Finding, ...]:
        """A note for each gate that was missed, with the cases that it fails."""
        return tuple(
            Finding(
                severity=Severity.NOTE,
                rule="missed-gate",
                message=f"evaluator {missed[0]!r}: {missed[1]}; "
                f"this fails {_name_cases(self._failed_by[missed], count)} at any score",
            )
            for missed, count in self._gates.items()
        )

    def _note(self, evaluator: str, gate: str, case_ids: Sequence[str], count: int) -> None:
        missed = (evaluator, gate)
        if missed not in self._gates and len(self._gates) >= self._most_gates:
            return
        self._gates[missed] += count
        named = self._failed_by.setdefault(missed, [])
        named += case_ids[: _CASES - len(named)]

    @property
    def isolation(self) -> str:
        """Return how third-party code was confined: every way that occurred."""
        return "; ".join(self._isolation)

    @property
    def score(self) -> float | None:
        return reduce(add, self._scores, 0.0) / len(self._scores) if self._scores else None

    @property
    def counts(self) -> dict[str, int]:
        """Return the number of cases and results of each kind.

        Every kind is named, but for cases in error or without evidence and attempts, where there
        are none.
        """
        rare = {
            "cases_error": self._cases[Verdict.ERROR],
            "cases_lacking_evidence": self._lacking,
            "attempts": self._attempts,
        }
        known = (verdict for verdict in Verdict if verdict is not Verdict.ERROR)
        return {
            "cases": sum(self._cases.values()) + self._unscored + self._lacking,
            **{f"cases_{verdict}": self._cases[verdict] for verdict in known},
            "cases_unscored": self._unscored,
            **{kind: count for kind, count in rare.items() if count},
            "results": sum(self._results.values()),
            **{f"results_{status.lower()}": self._results[status] for status in Status},
        }


def _name_cases(cases: Sequence[str], count: int) -> str:
    names = ", ".join(map(repr, cases))
    if count == 1:
        return f"case {names}"
    more = f" and {count - len(cases):,} more" if count > len(cases) else ""
    return f"{wording.plural(count, 'case')} ({names}{more})"

"""Evaluators that ended in an error: one finding for each reason, however many cases it has."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from agentevals.model.results import EVALUATOR_ERROR, Blame, CaseReport, Finding, Result, Severity
from agentevals.run.attempts import list_attempts
from agentevals.run.verdict import is_error
from agentevals.text.tracebacks import is_crash, shorten_error
from agentevals.text.wording import plural

_REASONS = 20  # different ones that are told
_NAMED = 3  # cases of each that are named
_ID = 80  # characters of a case
_HAPPENED = {
    Blame.EVALUATOR: "ended in an error",
    Blame.INPUT: "cannot use its input",
    Blame.OUTSIDE: "could not reach a service that it needs",
    Blame.BUG: "ran into a bug of agentevals",
}


class _Reason(NamedTuple):
    """An evaluator, what happened to it, and by whose doing."""

    evaluator: str
    blame: Blame
    happened: str
    text: str


class EvaluatorErrors:
    """The errors of a run, by their reasons."""

    def __init__(self) -> None:
        self._concerned: dict[_Reason, list[str]] = {}
        self._counts: Counter[_Reason] = Counter()
        self._others: Counter[tuple[str, Blame]] = Counter()
        self._cases = 0

    def add(self, case: CaseReport) -> None:
        """Add the errors of a case."""
        self._cases += 1
        errors = [
            result for one in list_attempts(case) for result in one.results if is_error(result)
        ]
        for reason in dict.fromkeys(map(_explain, errors)):
            if reason not in self._counts and len(self._counts) >= _REASONS:
                self._others[reason.evaluator, reason.blame] += 1
                continue
            self._counts[reason] += 1
            named = self._concerned.setdefault(reason, [])
            if len(named) < _NAMED:
                named.append(case.case_id[:_ID])

    def pass_over(self, cases: int) -> None:
        """Count cases in which no evaluator ended in an error."""
        self._cases += cases

    def findings(self) -> Iterator[Finding]:
        """Yield one for each reason, complete once all cases were added."""
        for reason, count in self._counts.items():
            where = self._locate(count, self._concerned[reason])
            said = f"{reason.happened} in {where}: {reason.text}".removesuffix(": ")
            yield _report(reason.evaluator, reason.blame, said)
        for (evaluator, blame), count in self._others.items():
            said = f"{_HAPPENED[blame]} {plural(count, 'more time')}, for other reasons"
            yield _report(evaluator, blame, said)

    def _locate(self, count: int, named: list[str]) -> str:
        if count >= self._cases:
            return "the only case" if count == 1 else f"all {plural(count, 'case')}"
        more = count - len(named)
        listed = ", ".join(named) + (f" and {more:,} more" if more else "")
        return f"{count:,} of {plural(self._cases, 'case')} ({listed})"


def _explain(result: Result) -> _Reason:
    blame = result.blame or Blame.EVALUATOR
    text = shorten_error(result.error).removeprefix(f"evaluator {result.name!r}").lstrip(": ")
    crashed = blame is Blame.EVALUATOR and is_crash(result.error)
    return _Reason(result.name, blame, "crashed" if crashed else _HAPPENED[blame], text)


def _report(evaluator: str, blame: Blame, said: str) -> Finding:
    message = f"evaluator {evaluator[:_ID]!r} {said}"
    return Finding(severity=Severity.ERROR, rule=EVALUATOR_ERROR, message=message, blame=blame)

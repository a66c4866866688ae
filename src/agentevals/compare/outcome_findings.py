"""Findings about a whole run: missing evidence, errors of evaluators, several recordings of a case.

One finding for each remedy or reason, however many cases it concerns.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from agentevals.compare.case_summaries import CaseSummary
from agentevals.model.completeness import Fact, Gap
from agentevals.model.results import (
    EVALUATOR_ERROR,
    Blame,
    CaseReport,
    Evaluation,
    Finding,
    Result,
    Severity,
)
from agentevals.run.attempts import list_attempts
from agentevals.run.verdict import is_error
from agentevals.text.tracebacks import is_crash, shorten_error
from agentevals.text.wording import plural

RULE = "missing-evidence"
_REASONS = 20  # different ones that are told
_NAMED = 3  # cases and evaluators of each that are named
_TEXT = 400  # characters of a remedy or of an evidence
_RULES = {
    "all": "a case passes if all of its attempts do",
    "any": "a case passes if one of its attempts does",
    "": "a case passes if most of its attempts do",
}
_ID = 80  # characters of a case
_HAPPENED = {
    Blame.EVALUATOR: "ended in an error",
    Blame.INPUT: "cannot use its input",
    Blame.OUTSIDE: "could not reach a service that it needs",
    Blame.BUG: "ran into a bug of agentevals",
}


@dataclass
class _Concerned:
    """The facts that one remedy would record, and what could not be judged without them."""

    remedy: str
    facts: dict[Fact, Gap] = field(default_factory=dict)
    evaluators: dict[str, None] = field(default_factory=dict)
    named: list[str] = field(default_factory=list)
    cases: int = 0

    def add(self, case: CaseReport, found: Iterable[tuple[str, Gap]]) -> None:
        self.cases += 1
        if len(self.named) < _NAMED:
            self.named.append(case.case_id)
        for evaluator, gap in found:
            self.evaluators[evaluator] = None
            self.facts.setdefault(gap.fact, gap)

    def describe(self) -> str:
        """Return the remedy, what is missing, and whom that concerns."""
        remedy = f"{self.remedy[:_TEXT].rstrip('. ')}. " if self.remedy else ""
        gaps = [self.facts[fact] for fact in Fact if fact in self.facts]
        missing = "; ".join(f"{gap.subject}, because {gap.evidence[:_TEXT]}" for gap in gaps)
        evaluators = _count(list(self.evaluators), len(self.evaluators), "evaluator")
        cases = _count(self.named, self.cases, "case")
        return f"{remedy}Not recorded: {missing}. {evaluators} could not judge {cases}"


class MissingEvidence:
    """The gaps of a run for want of which evaluators could not judge, by their remedies."""

    def __init__(self) -> None:
        self._found: dict[str, _Concerned] = {}
        self._others = 0

    def add(self, case: CaseReport) -> None:
        """Add the gaps of a case."""
        by_remedy: dict[str, list[tuple[str, Gap]]] = {}
        for result in case.results:
            if gap := result.gap:
                key = gap.remedy or gap.missing
                by_remedy.setdefault(key, []).append((result.name, gap))
        for key, found in by_remedy.items():
            if key not in self._found and len(self._found) >= _REASONS:
                self._others += 1
                continue
            remedy = found[0][1].remedy
            self._found.setdefault(key, _Concerned(remedy)).add(case, found)

    def findings(self) -> Iterator[Finding]:
        """Yield one warning for each remedy, complete once all cases were added."""
        for concerned in self._found.values():
            yield _warn(concerned.describe())
        if self._others:
            yield _warn(f"evidence is missing for other reasons as well, {self._others:,} times")


def _warn(message: str) -> Finding:
    return Finding(severity=Severity.WARNING, rule=RULE, message=message)


def _count(names: list[str], count: int, noun: str) -> str:
    more = count - len(names[:_NAMED])
    listed = ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more else "")
    return f"{plural(count, noun)} ({listed})"


def find_notes(run: Evaluation, summaries: Sequence[CaseSummary]) -> Iterator[Finding]:
    """Say by which rule several attempts are one case, and which are not of the same agent."""
    repeated = [one for one in summaries if len(one.attempts) > 1]
    if not repeated:
        return
    total = sum(len(one.attempts) for one in repeated)
    rule = _RULES[run.policy.attempts or ""]
    message = f"{plural(len(repeated), 'case')} recorded {total:,} times: {rule} ('gate.attempts')"
    yield Finding(severity=Severity.NOTE, rule="attempts", message=message)
    mixed = [one.kept.case_id for one in repeated if _is_mixed(one)]
    if mixed:
        more = f" and {len(mixed) - _NAMED:,} more" if len(mixed) > _NAMED else ""
        names = f"{', '.join(map(repr, mixed[:_NAMED]))}{more}"
        message = (
            f"attempts of {names} are recordings of different versions of the agent. Remove the "
            "older recordings, or record into another folder"
        )
        yield Finding(severity=Severity.WARNING, rule="mixed-attempts", message=message)


def _is_mixed(case: CaseSummary) -> bool:
    return len({recording.agents for recording in case.recordings}) > 1


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

"""Evidence that is missing: one finding for each remedy, however many cases it concerns."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from agentevals.model.completeness import Fact, Gap
from agentevals.model.results import CaseReport, Finding, Severity
from agentevals.text.wording import plural

RULE = "missing-evidence"

_REASONS = 20  # different ones that are told
_NAMED = 3  # cases and evaluators of each that are named
_TEXT = 400  # characters of a remedy or of an evidence


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

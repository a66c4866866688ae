"""The one walk over the cases of a run, on every core where there are many."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from sys import maxsize
from typing import NamedTuple

from agentevals.compare import figures, highlights
from agentevals.compare.acceptance import Acceptances
from agentevals.compare.case_pairs import Noted, make_pair
from agentevals.compare.case_summaries import CaseSummary, Summaries, pack_summary, summarise
from agentevals.compare.highlights import Beside
from agentevals.compare.outcome_findings import EvaluatorErrors, MissingEvidence
from agentevals.compare.settlement import Tried
from agentevals.files.workers import can_fork, count_cores, cut_range, do_parts
from agentevals.model.cases import Status
from agentevals.model.results import CaseReport, Evaluation
from agentevals.run.attempts import list_results
from agentevals.run.verdict import is_error

Watch = Callable[[CaseReport], None]

_GRADED = (Status.PASSED, Status.FAILED)
_PART = 128  # cases
_WORTH_IT = 2048  # cases, below which another process costs more than it saves


@dataclass
class Seen:
    """One walk over the cases of a run collects this.

    `side` and `noted` are of all cases only if nothing is compared with the run.
    """

    tried: Tried
    side: figures.Side
    judged: Counter[str] = field(default_factory=Counter)  # cases by evaluator
    summaries: Summaries = field(default_factory=Summaries)
    repeated: list[CaseSummary] = field(default_factory=list)
    missing: MissingEvidence = field(default_factory=MissingEvidence)
    errors: EvaluatorErrors = field(default_factory=EvaluatorErrors)
    noted: Noted = field(default_factory=Noted)

    def tell(self, case: CaseReport) -> None:
        """Add what only a look at the next case shows: its gaps and errors."""
        if has_problems(case):
            self.missing.add(case)
            self.errors.add(case)
        else:
            self.errors.pass_over(1)

    def join(self, part: "_Part", cases: Sequence[CaseReport]) -> None:
        """Add the next cases, which have gone by in another process."""
        self.tried.join(part.tried)
        self.side.join(part.side)
        self.judged.update(part.judged)
        self.repeated += part.repeated
        self.noted.join(part.noted)
        for frame in part.frames:
            self.summaries.append_frame(frame)
        self.errors.pass_over(len(part.frames) - len(part.problems))
        for place in part.problems:
            self.tell(cases[place])


class _Part(NamedTuple):
    """Holds the same of consecutive cases, and the places of those with `problems`."""

    tried: Tried
    side: figures.Side
    judged: Counter[str]
    repeated: list[CaseSummary]
    noted: Noted
    frames: list[bytes]
    problems: list[int]


@dataclass(frozen=True)
class _Walk:
    """Holds what all parts of a walk share."""

    run: Evaluation
    today: date
    is_lone: bool

    def begin(self) -> Seen:
        policy = self.run.policy
        # which of them are shown is known once all cases have gone by
        named = figures.names(self.run.evaluators, policy.limits, most=maxsize)
        return Seen(Tried(policy, Acceptances(policy.accepted, self.today)), figures.Side(named))

    def look(self, seen: Seen, place: int, case: CaseReport) -> CaseSummary:
        """Add all but the summary of a case, and its problems."""
        summary = summarise(case)
        seen.tried.add(case)
        for result in case.results:
            seen.judged[result.name] += 1
        if len(summary.attempts) > 1:
            seen.repeated.append(summary)
        if self.is_lone:
            pair = make_pair(summary, place)
            seen.side.add(pair)
            if (kind := highlights.kind(pair, self._beside)) is not None:
                seen.noted.add(place, kind)
        return summary

    def do_part(self, places: range) -> _Part:
        """Return what is collected of a part of the cases."""
        seen, frames, problems = self.begin(), list[bytes](), list[int]()
        for place in places:
            case = self.run.cases[place]
            frames.append(pack_summary(self.look(seen, place, case)))
            if has_problems(case):
                problems.append(place)
        return _Part(
            seen.tried, seen.side, seen.judged, seen.repeated, seen.noted, frames, problems
        )

    @cached_property
    def _beside(self) -> Beside:
        judged = frozenset(self.run.identity.judged)
        return Beside(judged, None, highlights.find_moved((), None), self.run.policy)


def walk(run: Evaluation, today: date, watch: Watch | None, *, is_lone: bool) -> Seen:
    """Walk over the cases of a run, which `is_lone` if nothing is compared with it."""
    walking, number = _Walk(run, today, is_lone), len(run.cases)
    seen, workers = walking.begin(), count_cores()
    if number >= _WORTH_IT and workers > 1 and can_fork() and not (watch or run.policy.accepted):
        parts = cut_range(range(number), _PART)
        for part in do_parts(lambda at: walking.do_part(parts[at]), len(parts), workers):
            seen.join(part, run.cases)
        return seen
    for place, case in enumerate(run.cases):
        seen.summaries.append(walking.look(seen, place, case))
        seen.tell(case)
        if watch:
            watch(case)
    return seen


def has_problems(case: CaseReport) -> bool:
    """Return whether an evaluator ended in an error, or could not judge for want of evidence."""
    others = [result for result in list_results(case) if result.status not in _GRADED]
    return any(is_error(result) or result.gap for result in others)

"""The verdict and the exit code of a run, and of all runs of a review."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from agentevals.compare.acceptance import Acceptances
from agentevals.compare.case_pairs import Found
from agentevals.model.cases import Status
from agentevals.model.outcome import Change, Counts, FailOn, Gate, Kind, Outcome
from agentevals.model.policy import Policy
from agentevals.model.results import (
    Blame,
    CaseReport,
    Decline,
    Evaluation,
    Finding,
    Result,
    Severity,
    Verdict,
)
from agentevals.model.review import Review, Scene, State
from agentevals.model.rule_changes import Rules
from agentevals.model.version import VERSION
from agentevals.run.attempts import list_results
from agentevals.run.verdict import EXIT_CODES, find_code, misses

CANCELLED = "cancelled"  # the rule of findings about what a cancelled run did not evaluate


_ADDED = (
    "failed", "excused", "errors", "unjudged", "graded", "passed", "unscored", "borderline",
    "lacking",
)  # fmt: skip


@dataclass
class Tried:
    """Adds up why the cases of a run failed, while they go by."""

    policy: Policy
    acceptances: Acceptances
    failed: int = 0  # by a score or a gate, and nobody answers for it
    accepted: set[str] = field(default_factory=set)  # cases, by id
    excused: int = 0  # failures that are accepted: each repeat of a case is one
    errors: int = 0  # cases in which an evaluator ended in an error
    unjudged: int = 0  # because there was nothing to judge, or an error in the recording
    graded: int = 0
    passed: int = 0  # cases, by a score
    unscored: int = 0  # cases
    borderline: int = 0
    lacking: int = 0  # cases that only missing evidence keeps from a verdict
    blames: set[Blame] = field(default_factory=set)

    def add(self, case: CaseReport) -> None:
        self.acceptances.look_at(case)
        graded = len([result for result in case.results if result.evaluated])
        self.graded += graded
        self.unscored += not graded
        every = list_results(case)
        self.blames.update([result.blame for result in every if result.blame is not None])
        if case.lacks_evidence:
            self.lacking += 1
            return
        self.passed += graded > 0 and case.verdict is Verdict.PASS
        self.borderline += case.verdict is Verdict.BORDERLINE
        in_error = any(result.status is Status.ERROR for result in every)
        self.errors += in_error
        if case.verdict is not Verdict.FAIL:
            return
        accepted, expired = self.acceptances.find(case)
        if accepted is not None and not expired:
            self.accepted.add(case.case_id)
            self.excused += 1
        else:
            unjudged = not case.results or any(map(self._is_unjudged, case.results))
            self.unjudged += unjudged
            self.failed += not (unjudged or in_error) or any(map(misses, case.results))

    def join(self, later: "Tried") -> None:
        """Add the cases that follow, which have gone by in another process."""
        for name in _ADDED:
            setattr(self, name, getattr(self, name) + getattr(later, name))
        self.accepted |= later.accepted
        self.blames |= later.blames

    def _is_unjudged(self, result: Result) -> bool:
        unjudged = result.status is Status.NOT_EVALUATED
        return unjudged and (self.policy.fail_on_not_evaluated or result.misses_gate)


@dataclass(frozen=True, kw_only=True)
class Settlement:
    """The outcome. Errors are never a pass; what else fails is what `fail_on` says.

    Where the agent has failed for certain, that is the verdict, whatever else is in error.

    `fell` are the cases that did and that nobody answers for. There is no `decline` without
    anything to compare with.
    """

    tried: Tried
    findings: tuple[Finding, ...]
    gates: tuple[Gate, ...]
    decline: Decline | None = None
    fell: int = 0
    fail_on: FailOn = FailOn.FAILED

    @property
    def verdict(self) -> Verdict:
        if self._missed:
            return Verdict.FAIL
        if self._has_errors:
            return Verdict.ERROR
        if self._broken:
            return Verdict.FAIL
        return Verdict.BORDERLINE if self.tried.borderline else Verdict.PASS

    @property
    def exit_code(self) -> int:
        if not self.verdict.is_bad or self.fail_on is FailOn.NEVER:
            return 0
        return find_code(self._blames) if self.verdict is Verdict.ERROR else 1

    @property
    def rests_on_evidence(self) -> bool:
        """True if nothing fails the run but cases that lack evidence."""
        others = self._missed or self._serious or self.tried.unjudged
        return self.verdict is Verdict.FAIL and self.tried.lacking > 0 and not others

    @property
    def _serious(self) -> list[Finding]:
        return [found for found in self.findings if found.severity is Severity.ERROR]

    @property
    def _blames(self) -> set[Blame]:
        return self.tried.blames | {f.blame for f in self._serious if f.blame is not None}

    @property
    def _has_errors(self) -> bool:
        return self.tried.errors > 0 or bool(self._blames)

    @property
    def _broken(self) -> bool:
        tried = self.tried
        strict = tried.policy.fail_on_not_evaluated
        # a config may allow cases that lack evidence, also where all of them do
        allowed = not strict and 0 < tried.lacking == tried.unscored
        nothing = not tried.graded and not allowed
        unjudged = tried.unjudged > 0 or (strict and tried.lacking > 0)
        return bool(self._serious) or unjudged or nothing

    @property
    def _missed(self) -> bool:
        if self.fail_on is FailOn.ERROR:
            return False
        if any(gate.fails and not self._is_lost(gate) for gate in self.gates):
            return True
        if self.decline and self.fail_on is FailOn.REGRESSED:
            return self.decline.proven
        if self.decline and self.fail_on is FailOn.ANY_FLIP:
            return self.fell > 0
        limit = self.tried.policy.limits.get("pass_rate")
        tolerated = limit is not None and limit.at_least is not None
        return self.tried.failed > 0 and not tolerated

    def _is_lost(self, gate: Gate) -> bool:
        """Return whether nothing was measured for a gate while evaluators ended in errors."""
        return gate.change is Change.NOT_EVALUATED and self.tried.errors > 0


def review_of(
    scene: Scene,
    outcomes: Sequence[Outcome],
    notes: Sequence[Finding] = (),
    rules: Rules | msgspec.UnsetType = msgspec.UNSET,
) -> Review:
    """All outcomes together, with the verdict and the exit code that follow from them."""
    verdict, exit_code = judge_all(outcomes, notes)
    if rules and rules.pending:
        verdict, exit_code = Verdict.FAIL, exit_code or 1
    return Review(
        scene=scene,
        verdict=verdict,
        exit_code=exit_code,
        state=State.DONE if outcomes else State.BROKEN,
        sections=tuple(outcomes),
        notes=tuple(notes),
        version=VERSION,
        rules=rules,
    )


def judge_all(outcomes: Sequence[Outcome], notes: Sequence[Finding]) -> tuple[Verdict | None, int]:
    """The verdict and the exit code of a review: as bad as its worst part.

    An agent that has failed comes before what is in error. A config that could not be judged is a
    note, and never a pass.
    """
    ends = [(outcome.verdict, outcome.exit_code) for outcome in outcomes]
    ends += [
        (Verdict.ERROR, EXIT_CODES.get(note.blame or Blame.EVALUATOR, 1))
        for note in notes
        if note.severity is Severity.ERROR
    ]
    if any(end == (Verdict.FAIL, 1) for end in ends):
        return Verdict.FAIL, 1
    verdicts = {verdict for verdict, _ in ends}
    if not any(outcome.counts.cases for outcome in outcomes):
        verdicts -= {Verdict.PASS}
    worst = max(verdicts, key=list(Verdict).index, default=None)
    return worst, max((code for _, code in ends), default=0)


def count_cases(found: Found, tried: Tried, run: Evaluation) -> Counts:
    """The counts of a run; `found` are the cases that somebody should look at."""
    kinds = found.count_kinds()
    failing = (any(case.has_failed for case in pair.base) for pair, _ in found.choose(Kind.REMOVED))
    return Counts(
        cases=run.counts.get("cases", 0),
        unscored=tried.unscored,
        passed=tried.passed,
        borderline=run.counts.get("cases_borderline", 0),
        failed=run.counts.get("cases_fail", 0),
        errors=run.counts.get("cases_error", 0),
        not_evaluated=run.counts.get("results_not_evaluated", 0),
        regressed=kinds[Kind.REGRESSED],
        fixed=kinds[Kind.FIXED],
        added=kinds[Kind.ADDED],
        removed=kinds[Kind.REMOVED],
        removed_failing=sum(failing),
        changed=kinds[Kind.CHANGED],
        flaky=kinds[Kind.FLAKY],
        accepted=tried.excused,
    )


def split_unevaluated(review: Review) -> tuple[Review, ...]:
    """Return each as a review of its own: it has no section, only errors among the notes."""
    if not review.sections:
        return ()
    found: dict[str, list[Finding]] = {}
    for note in review.notes:
        if note.severity is Severity.ERROR:
            found.setdefault(note.path, []).append(note)
    return tuple(_review_notes(review, notes) for notes in found.values())


def _review_notes(review: Review, notes: Sequence[Finding]) -> Review:
    return msgspec.structs.replace(
        review,
        state=State.CANCELLED if notes[0].rule == CANCELLED else State.BROKEN,
        verdict=Verdict.ERROR,
        exit_code=EXIT_CODES[notes[0].blame] if notes[0].blame else review.exit_code,
        sections=(),
        notes=tuple(notes),
    )

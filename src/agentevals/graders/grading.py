"""Grading one case with one grader: its judgement, or what kept it from judging."""

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from time import perf_counter

import msgspec

from agentevals.graders.bounds import cut_grade
from agentevals.graders.grader import Grader, Services
from agentevals.graders.javascript import to_fixed
from agentevals.model.cases import Case, Grade, Status
from agentevals.model.completeness import Gap
from agentevals.model.errors import EvaluatorError, InputError, UnavailableError
from agentevals.model.results import Blame, Finding, Result, Severity
from agentevals.sandbox import kept_runs

log = logging.getLogger(__name__)


def grade_case(grader: Grader, case: Case, services: Services) -> Result:
    """A grader's judgement on a case, or what kept it from judging. Never raises."""
    return _settle(grader, partial(_judge, grader, case, services), services, perf_counter())


def _judge(grader: Grader, case: Case, services: Services) -> Grade:
    obstacle = _find_obstacle(grader, case, services)
    if obstacle:
        return obstacle
    if services.kept is None:
        return _turn(grader, grader.grade(case, services))
    with kept_runs.attempt(services.kept if grader.is_repeatable else None):
        return _turn(grader, grader.grade(case, services))


def grade_cases(grader: Grader, cases: Sequence[Case], services: Services) -> list[Result]:
    """Its judgements on cases that it judges together. Each is as if it stood alone."""
    started = perf_counter()
    known = [_find_outcome(grader, case, services) for case in cases]
    asked = [case for case, outcome in zip(cases, known, strict=True) if outcome is None]
    judged = iter(_grade_together(grader, asked, services) if asked else ())
    outcomes = [next(judged) if outcome is None else outcome for outcome in known]
    each = (perf_counter() - started) / len(cases)
    return [
        _settle(grader, partial(_take, outcome), services, perf_counter() - each)
        for outcome in outcomes
    ]


def _find_outcome(grader: Grader, case: Case, services: Services) -> Grade | Exception | None:
    try:
        return _find_obstacle(grader, case, services)
    except Exception as error:  # noqa: BLE001 -- `_settle` tells them apart
        return error


def _grade_together(
    grader: Grader, cases: Sequence[Case], services: Services
) -> Iterable[Grade | Exception]:
    try:
        outcomes = grader.grade_batch(cases, services)
    except Exception as error:  # noqa: BLE001 -- `_settle` tells them apart
        return [error] * len(cases)
    return [one if isinstance(one, Exception) else _turn(grader, one) for one in outcomes]


def _take(outcome: Grade | Exception) -> Grade:
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def _settle(
    grader: Grader, judge: Callable[[], Grade], services: Services, started: float
) -> Result:
    try:
        grade, cut = cut_grade(judge())
    except EvaluatorError as error:
        return _build_failure(grader, str(error), Blame.EVALUATOR, started)
    except UnavailableError as error:
        return _build_failure(grader, str(error), Blame.OUTSIDE, started)
    except InputError as error:
        return _build_failure(grader, str(error), Blame.INPUT, started)
    except Exception as error:
        log.debug("%s failed", grader.name, exc_info=True)
        return _build_failure(grader, f"bug in {grader.type}: {error!r}", Blame.BUG, started)
    if cut:
        _warn_of_size(grader, cut, services)
    return Result(
        name=grader.name,
        type=grader.type,
        status=_decide_status(grade, grader.threshold),
        score=grade.score,
        threshold=grader.threshold,
        weight=grader.weight,
        required=grader.required,
        vetoes=grade.vetoes,
        hits=grade.hits,
        misses=grade.misses,
        reasoning=grade.reasoning,
        per_turn=grade.per_turn,
        details=grade.details,
        isolation=grade.isolation,
        scale=grade.scale,
        raw=grade.raw or msgspec.UNSET,
        duration_ms=(perf_counter() - started) * 1000,
    )


def _warn_of_size(grader: Grader, cut: Sequence[str], services: Services) -> None:
    named = ", ".join(f"'{name}'" for name in cut)
    said = f"evaluator {grader.name!r}: its {named} were too long for the report and were cut"
    services.findings[said] = Finding(severity=Severity.WARNING, rule="result-cut", message=said)


def _find_obstacle(grader: Grader, case: Case, services: Services) -> Grade | None:
    """Return why a case is not judged by a grader, if it is not."""
    if grader.needs_expectation and case.expected is None:
        return Grade.not_evaluated(case.unpaired)
    if (case.equal_turns or grader.needs_equal_turns) and case.uneven:
        return Grade.not_evaluated(case.uneven)
    gap = grader.find_gap(case)
    if gap is not None:
        return _grade_gap(gap)
    if services.unjudged and grader.judged:
        return Grade.not_evaluated(services.unjudged)
    return None


def _turn(grader: Grader, grade: Grade) -> Grade:
    return invert_grade(grade) if grader.negate else grade


def _grade_gap(gap: Gap) -> Grade:
    """Not evaluated, for want of evidence: the same sentence in every case with this gap."""
    grade = Grade.not_evaluated(gap.reason)
    return msgspec.structs.replace(grade, details={"reason": gap.reason, "gap": gap})


def invert_grade(grade: Grade) -> Grade:
    """The opposite. What was not evaluated is no more evaluated for being negated."""
    if grade.score is None:
        return grade
    original = f"riginal score: {to_fixed(grade.score, 2)}"
    said = f"{grade.reasoning} (o{original})" if grade.reasoning else f"O{original}"
    opposite = {Status.PASSED: Status.FAILED, Status.FAILED: Status.PASSED}
    return msgspec.structs.replace(
        grade,
        score=max(0.0, min(1.0, 1 - grade.score)),
        status=opposite.get(grade.status) if grade.status else None,
        vetoes=False,
        hits=grade.misses,
        misses=grade.hits,
        reasoning=f"[Negated] {said}",
        scale=(0.0, 1.0),
        raw=None,
        per_turn=tuple(None if score is None else 1 - score for score in grade.per_turn),
    )


def _decide_status(grade: Grade, threshold: float) -> Status:
    if grade.status is not None:
        return grade.status
    if grade.score is None:
        return Status.NOT_EVALUATED
    return Status.PASSED if grade.score >= threshold else Status.FAILED


def _build_failure(grader: Grader, error: str, blame: Blame, started: float) -> Result:
    return Result(
        name=grader.name,
        type=grader.type,
        status=Status.ERROR,
        threshold=grader.threshold,
        weight=grader.weight,
        required=grader.required,
        error=error,
        blame=blame,
        duration_ms=(perf_counter() - started) * 1000,
    )

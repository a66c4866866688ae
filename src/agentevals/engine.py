"""Grading every case with every grader, and surviving each of them."""

import logging
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from time import perf_counter

from agentevals.errors import EvaluatorError, InputError, UnavailableError
from agentevals.grading import Grader, Services
from agentevals.model import Case, Grade, Status
from agentevals.plan import Plan
from agentevals.report import Blame, Result

log = logging.getLogger(__name__)

_AHEAD = 8  # cases begun per worker before the first of them is handed on

Graded = tuple[Case, tuple[Result, ...]]


def grade_all(
    plan: Plan, cases: Iterable[Case], services: Services, *, jobs: int
) -> Iterator[Graded]:
    """Each case with its results, in the order of the cases and of the plan.

    Only graders that wait for something else run in threads, and only a bounded number of
    cases is under way at a time, so that a run of any length needs the same memory.
    """
    with ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="grade") as pool:
        pending: deque[tuple[Case, list[Result | Future[Result]]]] = deque()
        try:
            for case in cases:
                pending.append((case, _begin(plan, case, services, pool)))
                while len(pending) > jobs * _AHEAD or (pending and _is_done(pending[0][1])):
                    yield _finish(*pending.popleft())
            while pending:
                yield _finish(*pending.popleft())
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _begin(
    plan: Plan, case: Case, services: Services, pool: ThreadPoolExecutor
) -> list[Result | Future[Result]]:
    if case.conversation.error:
        return []
    return [
        pool.submit(_grade, case, grader, services)
        if grader.waits
        else _grade(case, grader, services)
        for grader in plan.graders_for(case)
    ]


def _is_done(results: list[Result | Future[Result]]) -> bool:
    return all(isinstance(result, Result) or result.done() for result in results)


def _finish(case: Case, results: list[Result | Future[Result]]) -> Graded:
    return case, tuple(r if isinstance(r, Result) else r.result() for r in results)


def _grade(case: Case, grader: Grader, services: Services) -> Result:
    started = perf_counter()
    try:
        grade = _judgement(case, grader, services)
    except EvaluatorError as error:
        return _failure(grader, str(error), Blame.EVALUATOR, started)
    except UnavailableError as error:
        return _failure(grader, str(error), Blame.OUTSIDE, started)
    except InputError as error:
        return _failure(grader, str(error), Blame.INPUT, started)
    except Exception as error:
        log.debug("%s failed on %s", grader.name, case.case_id, exc_info=True)
        return _failure(grader, f"bug in {grader.type}: {error!r}", Blame.BUG, started)
    return Result(
        name=grader.name,
        type=grader.type,
        status=_status(grade, grader.threshold),
        score=grade.score,
        threshold=grader.threshold,
        weight=grader.weight,
        required=grader.required,
        hits=grade.hits,
        misses=grade.misses,
        reasoning=grade.reasoning,
        per_turn=grade.per_turn,
        details=grade.details,
        isolation=grade.isolation,
        duration_ms=(perf_counter() - started) * 1000,
    )


def _judgement(case: Case, grader: Grader, services: Services) -> Grade:
    if grader.needs_expectation and case.expected is None:
        return Grade.not_evaluated(case.unpaired)
    if services.unjudged and grader.judged:
        return Grade.not_evaluated(services.unjudged)
    return grader.grade(case, services)


def _status(grade: Grade, threshold: float) -> Status:
    if grade.status is not None:
        return grade.status
    if grade.score is None:
        return Status.NOT_EVALUATED
    return Status.PASSED if grade.score >= threshold else Status.FAILED


def _failure(grader: Grader, error: str, blame: Blame, started: float) -> Result:
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

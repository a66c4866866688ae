"""Grading every case with every grader, and surviving each of them."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from agentevals.configs.plan import Plan
from agentevals.graders.grader import Services, grade_case
from agentevals.model.cases import Case
from agentevals.model.results import Result

_AHEAD = 8  # cases begun per worker before the first of them is handed on

Graded = tuple[Case, tuple[Result, ...]]


def grade_all(
    plan: Plan, cases: Iterable[Case], services: Services, *, jobs: int
) -> Iterator[Graded]:
    """Each case with its results, in the order of the cases and of the plan.

    Only graders that wait for something else run in threads, and only a bounded number of
    cases is under way at a time, so that a run of any length needs the same memory.
    """
    pool = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="grade")
    pending: deque[tuple[Case, list[Result | Future[Result]]]] = deque()
    try:
        for case in cases:
            pending.append((case, _begin(plan, case, services, pool)))
            while len(pending) > jobs * _AHEAD or (pending and _is_done(pending[0][1])):
                yield _finish(*pending.popleft())
        while pending:
            yield _finish(*pending.popleft())
    finally:  # a judge that does not answer must not keep anybody who cancels
        pool.shutdown(wait=False, cancel_futures=True)


def _begin(
    plan: Plan, case: Case, services: Services, pool: ThreadPoolExecutor
) -> list[Result | Future[Result]]:
    if case.conversation.error:
        return []
    return [
        pool.submit(grade_case, grader, case, services)
        if grader.waits
        else grade_case(grader, case, services)
        for grader in plan.graders_for(case)
    ]


def _is_done(results: list[Result | Future[Result]]) -> bool:
    return all(isinstance(result, Result) or result.done() for result in results)


def _finish(case: Case, results: list[Result | Future[Result]]) -> Graded:
    return case, tuple(r if isinstance(r, Result) else r.result() for r in results)

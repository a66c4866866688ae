"""Grading every case with every grader, and surviving each of them."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from agentevals.configs.plan import Plan
from agentevals.graders.grader import Grader, Services
from agentevals.graders.grading import grade_case
from agentevals.model.cases import Case
from agentevals.model.results import Result
from agentevals.sandbox import cancelling

_AHEAD = 8  # cases begun per worker before the first of them is handed on

Graded = tuple[Case, tuple[Result, ...]]


class Grading:
    """Each case with its results, in the order of the cases and of the plan.

    Only graders that wait for something else run in threads, and only a bounded number of
    cases is under way at a time, so that a run of any length needs the same memory.
    """

    def __init__(self, plan: Plan, cases: Iterable[Case], services: Services, *, jobs: int) -> None:
        self._plan, self._cases, self._services, self._jobs = plan, cases, services, jobs
        self._pending: deque[_Begun] = deque()

    def __iter__(self) -> Iterator[Graded]:
        pool = ThreadPoolExecutor(max_workers=self._jobs, thread_name_prefix="grade")
        pending = self._pending
        try:
            for case in self._cases:
                pending.append((case, self._begin(case, pool)))
                while len(pending) > self._jobs * _AHEAD or (pending and _is_done(pending[0])):
                    yield self._finish_first()
            while pending:
                yield self._finish_first()
        finally:  # a judge that does not answer must not keep anybody who cancels
            pool.shutdown(wait=False, cancel_futures=True)

    def list_ended(self) -> Iterator[Graded]:
        """Yield the cases under way that were graded in full before the run was cancelled."""
        for begun in self._pending:
            if all(isinstance(found, Result) or _has_result(found) for found in begun[1]):
                yield _finish(begun)

    def _begin(self, case: Case, pool: ThreadPoolExecutor) -> list[Result | Future[Result]]:
        if case.conversation.error:
            return []
        return [
            pool.submit(_grade_in_time, grader, case, self._services)
            if grader.waits
            else grade_case(grader, case, self._services)
            for grader in self._plan.graders_for(case)
        ]

    def _finish_first(self) -> Graded:
        graded = _finish(self._pending[0])
        self._pending.popleft()
        return graded


_Begun = tuple[Case, list[Result | Future[Result]]]


def _grade_in_time(grader: Grader, case: Case, services: Services) -> Result:
    """Grade a case. A result after the cancel is none: the program or request was ended."""
    with cancelling.insist():
        return grade_case(grader, case, services)


def _is_done(begun: _Begun) -> bool:
    return all(isinstance(found, Result) or found.done() for found in begun[1])


def _has_result(found: Future[Result]) -> bool:
    return found.done() and not found.cancelled() and found.exception() is None


def _finish(begun: _Begun) -> Graded:
    case, results = begun
    return case, tuple(r if isinstance(r, Result) else r.result() for r in results)

"""Grading every case with every grader, surviving each of them, and the report of each case."""

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

import msgspec

from agentevals.configs.plan import Plan
from agentevals.graders.grader import Grader, Services
from agentevals.graders.grading import grade_case, grade_cases
from agentevals.model.cases import Case
from agentevals.model.completeness import TurnGap
from agentevals.model.conversations import Conversation, ModelCall, Span, ToolCall, Turn
from agentevals.model.policy import Policy
from agentevals.model.provenance import PREFIX, Provenance, read_provenance
from agentevals.model.results import CaseReport, Result, TurnRef
from agentevals.run import verdict
from agentevals.sandbox import cancelling
from agentevals.text import aligned_calls
from agentevals.text.json_text import encode
from agentevals.traces import turn_performance

_AHEAD = 8  # cases begun per worker before the first of them is handed on
_BATCH = 8  # cases of which one start of a program judges the most
_BATCHES = 4  # times as many cases are begun where some graders judge only a part of them
Graded = tuple[Case, tuple[Result, ...]]
_Call = TypeVar("_Call", ToolCall, ModelCall)
_CALLS = 60  # tool calls outlined per case
_DIGITS = 16  # hexadecimal ones; enough that two recordings never agree by chance
_NOT_RECORDED: dict[str, Any] = {"turn_id": "", "trace_id": "", "gaps": (), "invocation": {}}


class Grading:
    """Each case with its results, in the order of the cases and of the plan.

    Only graders that wait for something else run in threads, and only a bounded number of
    cases is under way at a time, so that a run of any length needs the same memory.
    """

    def __init__(self, plan: Plan, cases: Iterable[Case], services: Services, *, jobs: int) -> None:
        self._plan, self._cases, self._services, self._jobs = plan, cases, services, jobs
        self._pending: deque[_Begun] = deque()
        # cases that wait for others of their batch, by the number of the grader
        self._open: dict[int, list[_Asked]] = {}
        batches = any(grader.batches for grader in plan.graders)
        self._most = jobs * _AHEAD * (_BATCHES if batches else 1)

    def __iter__(self) -> Iterator[Graded]:
        pool = ThreadPoolExecutor(max_workers=self._jobs, thread_name_prefix="grade")
        pending = self._pending
        try:
            for case in self._cases:
                pending.append((case, self._begin(case, pool)))
                while len(pending) > self._most or (pending and _is_done(pending[0])):
                    yield self._finish_first(pool)
            while pending:
                yield self._finish_first(pool)
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
        return [self._ask(grader, case, pool) for grader in self._plan.graders_for(case)]

    def _ask(self, grader: Grader, case: Case, pool: ThreadPoolExecutor) -> Result | Future[Result]:
        if grader.batches:
            return self._ask_later(grader, case, pool)
        if grader.waits:
            return pool.submit(_grade_in_time, grader, case, self._services)
        return grade_case(grader, case, self._services)

    def _ask_later(self, grader: Grader, case: Case, pool: ThreadPoolExecutor) -> Future[Result]:
        asked = _Asked(grader, case, Future())
        batch = self._open.setdefault(id(grader), [])
        batch.append(asked)
        if len(batch) == _BATCH:
            self._submit(id(grader), pool)
        return asked.result

    def _submit(self, grader: int, pool: ThreadPoolExecutor) -> None:
        pool.submit(_grade_batch, self._open.pop(grader), self._services)

    def _finish_first(self, pool: ThreadPoolExecutor) -> Graded:
        """Wait for the first case. Its batches are not made any larger."""
        case, results = self._pending[0]
        for grader, batch in list(self._open.items()):
            if any(asked.result in results for asked in batch):
                self._submit(grader, pool)
        graded = _finish((case, results))
        self._pending.popleft()
        return graded


_Begun = tuple[Case, list[Result | Future[Result]]]


class _Asked(NamedTuple):
    """A case of a batch, and where its result will be."""

    grader: Grader
    case: Case
    result: Future[Result]


def _grade_batch(batch: Sequence[_Asked], services: Services) -> None:
    """Grade the cases of a batch; what is raised in place of results is raised for each."""
    try:
        with cancelling.insist():
            results = grade_cases(batch[0].grader, [asked.case for asked in batch], services)
    except BaseException as error:  # noqa: BLE001 -- whoever waits for a result gets it
        for asked in batch:
            asked.result.set_exception(error)
        return
    for asked, result in zip(batch, results, strict=True):
        asked.result.set_result(result)


def _grade_in_time(grader: Grader, case: Case, services: Services) -> Result:
    """Grade a case. A result after the cancel is none: the program or request was ended."""
    with cancelling.insist():
        return grade_case(grader, case, services)


def _is_done(begun: _Begun) -> bool:
    waiting = [found for found in begun[1] if not isinstance(found, Result)]
    return all(found.done() for found in waiting)


def _has_result(found: Future[Result]) -> bool:
    return found.done() and not found.cancelled() and found.exception() is None


def _finish(begun: _Begun) -> Graded:
    case, results = begun
    return case, tuple([r if isinstance(r, Result) else r.result() for r in results])


def make_report(
    case: Case, results: tuple[Result, ...], policy: Policy, family: str = ""
) -> CaseReport:
    """Return everything that was found out about one case."""
    score = verdict.score_of(results)
    conversation = case.conversation
    turns = conversation.turns
    per_turn = tuple([turn_performance.measure((turn,)) for turn in turns])
    calls = [(turn, call) for turn in turns for call in turn.tool_calls]
    return CaseReport(
        case_id=case.case_id,
        verdict=verdict.judge_case(results, score, policy),
        score=score,
        eval_case_id=case.eval_case_id,
        conversation_id=conversation.conversation_id,
        trace_ids=conversation.trace_ids,
        sources=conversation.sources,
        user=turns[0].user if turns else "",
        turns=len(turns),
        results=results,
        warnings=conversation.warnings,
        error=conversation.error,
        performance=per_turn[0]
        if len(turns) == 1
        else turn_performance.measure(turns, elapsed_ns=conversation.elapsed_ns),
        turn_performance=per_turn,
        turn_refs=tuple(
            [
                TurnRef(trace_id=turn.trace_id, span_id=turn.span_id, agent=turn.agent)
                for turn in turns
            ]
        ),
        calls=tuple([_outline(turn, call) for turn, call in calls[:_CALLS]]),
        gaps=(case.has_gaps and tuple(_list_gaps(turns))) or msgspec.UNSET,
        lacks_evidence=verdict.lacks_evidence(results, score, policy) or msgspec.UNSET,
        provenance=_find_provenance(conversation.spans) or msgspec.UNSET,
        recording=digest_recording(conversation) or msgspec.UNSET,
        family=family or msgspec.UNSET,
    )


def digest_recording(conversation: Conversation) -> str:
    """Return a digest of all that was recorded; empty if nothing was.

    Times and ids of spans tell a new recording from an old one. The ids of turns and traces do not
    count, because formats without such ids make them of the name of the file.
    """
    if not conversation.turns and not conversation.spans:
        return ""
    turns = [
        msgspec.structs.replace(
            turn,
            tool_calls=_drop_agents(turn.tool_calls),
            model_calls=_drop_agents(turn.model_calls),
            **_NOT_RECORDED,
        )
        for turn in conversation.turns
    ]
    return hashlib.sha256(encode((turns, conversation.spans))).hexdigest()[:_DIGITS]


def _drop_agents(calls: tuple[_Call, ...]) -> tuple[_Call, ...]:
    """The spans name them; a digest made before they were read has to stay the same."""
    if not any(call.agent for call in calls):
        return calls
    return tuple([msgspec.structs.replace(call, agent="") for call in calls])


def _list_gaps(turns: Sequence[Turn]) -> Iterator[TurnGap]:
    for number, turn in enumerate(turns, start=1):
        for gap in turn.gaps:
            yield TurnGap(turn=number, **msgspec.structs.asdict(gap))


def _outline(turn: Turn, call: ToolCall) -> str:
    """`issue_refund(amount, order)`: what was called with which arguments, not their values.

    A call of another agent than the turn's names it.
    """
    outline = f"{call.name}({', '.join(call.args or ())})"
    return aligned_calls.name_agent(outline, turn.name_other(call))


def _find_provenance(spans: Sequence[Span]) -> Provenance | None:
    """Return what `record` wrote into each resource, if it is the same in all of them."""
    if not spans or not any(name.startswith(PREFIX) for name in spans[0].resource):
        return None
    return read_provenance({id(span.resource): span.resource for span in spans}.values())

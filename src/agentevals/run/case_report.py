"""The report of one case: its verdict, its results, and an outline of what was recorded."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice

import msgspec

from agentevals.model.cases import Case
from agentevals.model.completeness import TurnGap
from agentevals.model.conversations import Span, ToolCall, Turn
from agentevals.model.policy import Policy
from agentevals.model.provenance import PREFIX, Provenance, read_provenance
from agentevals.model.results import CaseReport, Result, TurnRef
from agentevals.run import verdict
from agentevals.traces import performance

_CALLS = 60  # tool calls outlined per case


def make_report(case: Case, results: tuple[Result, ...], policy: Policy) -> CaseReport:
    """Return everything that was found out about one case."""
    score = verdict.score_of(results)
    conversation = case.conversation
    turns = conversation.turns
    per_turn = tuple(performance.measure((turn,)) for turn in turns)
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
        else performance.measure(turns, elapsed_ns=conversation.elapsed_ns),
        turn_performance=per_turn,
        turn_refs=tuple(
            TurnRef(trace_id=turn.trace_id, span_id=turn.span_id, agent=turn.agent)
            for turn in turns
        ),
        calls=tuple(
            islice(map(_outline, chain.from_iterable(t.tool_calls for t in turns)), _CALLS)
        ),
        gaps=tuple(_list_gaps(turns)) or msgspec.UNSET,
        lacks_evidence=verdict.lacks_evidence(results, score, policy) or msgspec.UNSET,
        provenance=_find_provenance(conversation.spans) or msgspec.UNSET,
    )


def _list_gaps(turns: Sequence[Turn]) -> Iterator[TurnGap]:
    for number, turn in enumerate(turns, start=1):
        for gap in turn.gaps:
            yield TurnGap(turn=number, **msgspec.structs.asdict(gap))


def _outline(call: ToolCall) -> str:
    """`issue_refund(amount, order)`: what was called with which arguments, not their values."""
    return f"{call.name}({', '.join(call.args or ())})"


def _find_provenance(spans: Sequence[Span]) -> Provenance | None:
    """Return what `record` wrote into each resource, if it is the same in all of them."""
    if not spans or not any(name.startswith(PREFIX) for name in spans[0].resource):
        return None
    return read_provenance({id(span.resource): span.resource for span in spans}.values())

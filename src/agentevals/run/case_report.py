"""The report of one case: its verdict, its results, and an outline of what was recorded."""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

import msgspec

from agentevals.model.cases import Case
from agentevals.model.completeness import TurnGap
from agentevals.model.conversations import Conversation, ModelCall, Span, ToolCall, Turn
from agentevals.model.policy import Policy
from agentevals.model.provenance import PREFIX, Provenance, read_provenance
from agentevals.model.results import CaseReport, Result, TurnRef
from agentevals.run import verdict
from agentevals.text import calls
from agentevals.text.json_ import encode
from agentevals.traces import performance

_Call = TypeVar("_Call", ToolCall, ModelCall)

_CALLS = 60  # tool calls outlined per case
_DIGITS = 16  # hexadecimal ones; enough that two recordings never agree by chance
_NOT_RECORDED: dict[str, Any] = {"turn_id": "", "trace_id": "", "gaps": (), "invocation": {}}


def make_report(
    case: Case, results: tuple[Result, ...], policy: Policy, family: str = ""
) -> CaseReport:
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
        calls=tuple(islice((_outline(t, call) for t in turns for call in t.tool_calls), _CALLS)),
        gaps=tuple(_list_gaps(turns)) or msgspec.UNSET,
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
            tool_calls=tuple(map(_drop_agent, turn.tool_calls)),
            model_calls=tuple(map(_drop_agent, turn.model_calls)),
            **_NOT_RECORDED,
        )
        for turn in conversation.turns
    ]
    return hashlib.sha256(encode((turns, conversation.spans))).hexdigest()[:_DIGITS]


def _drop_agent(call: _Call) -> _Call:
    """The spans name it; a digest made before it was read has to stay the same."""
    return msgspec.structs.replace(call, agent="") if call.agent else call


def _list_gaps(turns: Sequence[Turn]) -> Iterator[TurnGap]:
    for number, turn in enumerate(turns, start=1):
        for gap in turn.gaps:
            yield TurnGap(turn=number, **msgspec.structs.asdict(gap))


def _outline(turn: Turn, call: ToolCall) -> str:
    """`issue_refund(amount, order)`: what was called with which arguments, not their values.

    A call of another agent than the turn's names it.
    """
    outline = f"{call.name}({', '.join(call.args or ())})"
    return calls.name_agent(outline, turn.name_other(call))


def _find_provenance(spans: Sequence[Span]) -> Provenance | None:
    """Return what `record` wrote into each resource, if it is the same in all of them."""
    if not spans or not any(name.startswith(PREFIX) for name in spans[0].resource):
        return None
    return read_provenance({id(span.resource): span.resource for span in spans}.values())

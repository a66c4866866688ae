"""The facts that the spans of a turn do not show, by the evidence that something is missing.

Each rule needs evidence about this turn. Spans of other scopes (HTTP, databases, queues) are none.
"""

from collections.abc import Sequence

from agentevals.model.completeness import (
    COVERED_REQUESTS,
    UNCOUNTED_TOKENS,
    UNREAD_REQUEST,
    Fact,
    Gap,
    Presence,
)
from agentevals.traces import instrumentations
from agentevals.traces.attribute_values import has_some, holds_withheld, parse_json
from agentevals.traces.chat_messages import SYSTEM, USER
from agentevals.traces.conventions import Reading
from agentevals.traces.turns.span_tree import find_torn
from agentevals.traces.turns.turn_drafts import Step
from agentevals.traces.turns.turn_edges import (
    TO_THE_END,
    TOGETHER,
    asks_without_text,
    find_open_call,
    find_team,
    find_uncovered,
    find_unseen,
)
from agentevals.traces.turns.turn_evidence import Evidence, Missing, advise
from agentevals.traces.turns.turn_output import RequestOutput
from agentevals.traces.turns.turn_tool_calls import names_tool
from agentevals.traces.turns.turn_wording import (
    REMEDY,
    explain_answer,
    explain_question,
    find_unseen_call,
)
from agentevals.traces.turns.turn_workflows import find_reworded, find_unheard

_RECORDED, _WITHHELD, _UNKNOWN = Presence.RECORDED, Presence.WITHHELD, Presence.UNKNOWN
_Shown = tuple[Step, RequestOutput]
NO_MESSAGES = "no span of the turn holds the messages that the model was given"


def find_gaps(found: Evidence) -> tuple[Gap, ...]:
    """Return the facts that the turn does not show, each with its evidence and its remedy."""
    missing = [gap for find in _FACTS if (gap := find(found))]
    if not missing:
        return ()
    steps = (*found.calls, *found.tools)
    return tuple(
        Gap(fact, presence, why, remedy or advise(fact, presence, found.drafts[0], steps))
        for fact, presence, why, remedy in missing
    )


def _question(found: Evidence) -> Missing | None:
    says = (own := found.drafts[0].reading) is not None and bool(own.input_messages)
    if around := find_torn(found.drafts[0], says=says) or _find_around(found):
        return Missing(Fact.QUESTION, _UNKNOWN, *around)
    if reworded := find_reworded(found.drafts, found.calls):
        return Missing(Fact.QUESTION, _UNKNOWN, *reworded)
    if not (says and found.agentic) and (why := explain_question(found.question)):
        return Missing(Fact.QUESTION, _UNKNOWN, why, REMEDY)
    if found.question:
        return None
    return _explain_no_question(found)


def _explain_no_question(found: Evidence) -> Missing | None:
    """Nobody has asked anything, unless the messages of the user are missing."""
    readings = [d.reading for d in found.drafts if d.reading] + [c.reading for c in found.calls]
    heard = [message for reading in readings for message in reading.input_messages]
    if heard and not any(message.role == USER for message in heard):
        first = next((message for message in heard if message.role != SYSTEM), None)
        if first is None or (first.text and not (first.asked or first.answers)):
            return None  # the messages are there, and none is a user's
        return Missing(
            Fact.QUESTION, _UNKNOWN, "the messages that the model was given begin after it"
        )
    if any(reading.withheld for reading in readings):
        return Missing(Fact.QUESTION, _WITHHELD, "a placeholder stands in its place")
    if any(asks_without_text(message) and not message.is_cut for message in heard):
        return Missing(Fact.QUESTION, _UNKNOWN, "the last message of the user holds no text")
    return Missing(Fact.QUESTION, _UNKNOWN, NO_MESSAGES)


def _answer(found: Evidence) -> Missing | None:
    """The answer of the agent's own span counts; else that of the last request outside of tools."""
    begun_last, ended_last = _find_last(_list_shown(found))
    own = [draft.reading for draft in found.drafts if draft.reading and draft.agentic]
    says = any(reading.output_messages for reading in own)
    further = find_torn(found.drafts[0], says=says) or _find_around(found)
    further = further or find_open_call(found.drafts, begun_last)
    if further := further or (None if says else find_unheard(found.drafts, found.calls)):
        return Missing(Fact.ANSWER, _UNKNOWN, *further)
    if why := explain_answer(found.answer, says=says):
        return Missing(Fact.ANSWER, _UNKNOWN, why, REMEDY)
    if says:
        return _find_joined(found)
    last = ended_last[1] if ended_last else None
    if last is not None and last.text is not _RECORDED:
        return Missing(Fact.ANSWER, last.text, last.why)
    if found.answer or any(draft.anchor.failed for draft in found.drafts):
        return None
    return _explain_silence(found, own, last)


def _find_joined(found: Evidence) -> Missing | None:
    """Tell of an answer that may begin with what the agent wrote beside its calls.

    An object is an answer of a given form, and nothing stands before it.
    """
    apart = next((d.reading.joins for d in found.drafts if d.reading and d.reading.joins), "")
    uses_tools = bool(found.called) or any(draft.unread_tools for draft in found.drafts)
    if not (apart and found.answer and uses_tools) or found.speaker:
        return None
    if isinstance(parse_json(found.answer), dict):
        return None
    why = "the agent's span may hold text beside calls before it, in one text"
    return Missing(Fact.ANSWER, _UNKNOWN, why, apart)


def _explain_silence(
    found: Evidence, own: list[Reading], last: RequestOutput | None
) -> Missing | None:
    """The agent has said nothing, unless its span shows that an answer is missing."""
    if any(step.reading.concludes for step in found.tools):
        return Missing(
            Fact.ANSWER, _UNKNOWN, "it is what a tool has returned, which is not in its span"
        )
    if last is None:
        withheld = any(reading.withheld for reading in own)
        presence = _WITHHELD if withheld else _UNKNOWN
        why = "the agent's span holds no output, and no model span is below it"
        return Missing(Fact.ANSWER, presence, why)
    if any(reading.input_messages for reading in own):
        return Missing(Fact.ANSWER, _UNKNOWN, "the agent's span holds its input, and no output")
    unread = [span for draft in found.drafts for span in draft.unread_agents]
    if unread:
        return Missing(
            Fact.ANSWER, _UNKNOWN, f"the span {unread[0].name!r} of the agent is not understood"
        )
    return None


def _find_around(found: Evidence) -> tuple[str, str] | None:
    """Return the evidence that others than these may be question and answer, and the remedy."""
    if above := _find_unread_above(found):
        return above, ""
    return find_team(found.drafts) or ((found.mixture, TOGETHER) if found.mixture else None)


def _find_unread_above(found: Evidence) -> str:
    """Name a span around the turn that may hold another question and answer."""
    draft = found.drafts[0]
    for span in draft.unread_agents:
        if draft.agentic and span.start_ns <= draft.anchor.start_ns and span is not draft.anchor:
            return f"the span {span.name!r} around the agent's is not understood"
    return ""


def _list_shown(found: Evidence) -> list[_Shown]:
    """Return the requests of the agent itself, or those of its tools if there are no others."""
    both = list(zip(found.requests, found.shown, strict=True))
    return [pair for pair in both if not pair[0].under_tool] or both


def _find_last(shown: Sequence[_Shown]) -> tuple[_Shown | None, _Shown | None]:
    """Return the request that has begun last, and the one that has ended last."""
    if not shown:
        return None, None
    begun = ended = shown[0]
    for pair in shown:
        step, other = pair[0], ended[0]
        if step.start_ns >= begun[0].start_ns:
            begun = pair
        if (step.end_ns, step.start_ns) > (other.end_ns, other.start_ns):
            ended = pair
    return begun, ended


def _tool_calls(found: Evidence) -> Missing | None:
    """A request whose messages are missing may have asked for tools; a tool's span shows that."""
    if found.mixture:
        return Missing(Fact.TOOL_CALLS, _UNKNOWN, found.mixture, TOGETHER)
    if found.drafts[0].torn:
        return Missing(Fact.TOOL_CALLS, _UNKNOWN, found.drafts[0].torn)
    uncovered = list(find_uncovered(found.requests, found.shown, found.tools))
    if uncovered:
        withheld = all(shown.asked is _WITHHELD for shown in uncovered)
        return Missing(Fact.TOOL_CALLS, _WITHHELD if withheld else _UNKNOWN, uncovered[0].why)
    if unseen := find_unseen(found.calls, found.called):
        return Missing(Fact.TOOL_CALLS, _UNKNOWN, unseen, "" if found.agentic else TOGETHER)
    why = find_unseen_call(found.calls, found.called) or _find_odd_span(found)
    return Missing(Fact.TOOL_CALLS, _UNKNOWN, why) if why else None


def _find_odd_span(found: Evidence) -> str:
    """Tell of a span that may be of a tool, or of an agent without any span below it."""
    for step in found.tools:
        if not names_tool(step):
            return f"the span {step.reading.span.name!r} of a tool does not name the tool"
    unread = [span for draft in found.drafts for span in draft.unread_tools]
    if unread:
        called = {call.name for call in found.called}
        unread = [span for span in unread if instrumentations.read_tool_name(span) not in called]
    if unread and len(unread) > sum([not call.timed for call in found.called]):
        return f"the span {unread[0].name!r} of a tool is not understood"
    anchors = [draft.anchor for draft in found.drafts if draft.agentic]
    if anchors and not found.requests and not found.called and not anchors[0].failed:
        return "no span of a model or of a tool is below the agent's span"
    return ""


def _arguments(found: Evidence) -> Missing | None:
    missing = [call for call in found.called if call.args is None]
    if not missing:
        return None
    withheld = any(holds_withheld(parse_json(step.reading.args)) for step in found.tools)
    why = f"neither a span nor a message holds those of {missing[0].name!r}"
    return Missing(Fact.ARGUMENTS, _WITHHELD if withheld else _UNKNOWN, why)


def _tool_answers(found: Evidence) -> Missing | None:
    """A tool that has run has answered; one that was only asked for may never have run."""
    last = found.requests[-1].reading if found.requests else None
    unread = any(draft.unread_tools for draft in found.drafts)
    for call in found.called:
        if call.answered or call.failed:
            continue
        # a request that follows shows that the tool has run
        asked_last = last is not None and any(
            call.call_id == asked.call_id and call.name == asked.name for asked in last.output_calls
        )
        if call.answered or call.failed:
            continue
        if call.timed or unread or not asked_last:
            withheld = any(step.reading.withheld for step in found.tools)
            why = f"neither a span nor a message holds that of {call.name!r}"
            return Missing(Fact.TOOL_ANSWERS, _WITHHELD if withheld else _UNKNOWN, why)
        stopped = _answer(found)
        if stopped and stopped.remedy in {TO_THE_END, TOGETHER}:
            return Missing(Fact.TOOL_ANSWERS, _UNKNOWN, stopped.why, stopped.remedy)
    return None


def _tokens(found: Evidence) -> Missing | None:
    """Some counts without the others are less than what was used. None at all are no gap here."""
    if len(found.requests) > len(found.calls):
        return Missing(Fact.TOKENS, _UNKNOWN, UNREAD_REQUEST)
    counts: list[int | None] = []
    for call in found.calls:
        if call.reading.hides_calls or (call.uses_tools and call.reading.asks_again):
            return Missing(Fact.TOKENS, _UNKNOWN, COVERED_REQUESTS)
        if not call.failed:
            counts += (call.reading.input_tokens, call.reading.output_tokens)
    if has_some(counts):
        return Missing(Fact.TOKENS, _UNKNOWN, UNCOUNTED_TOKENS)
    return None


def _cost(found: Evidence) -> Missing | None:
    costs = [call.reading.cost for call in found.calls if not call.failed]
    if len(found.requests) > len(found.calls) and any(cost is not None for cost in costs):
        return Missing(Fact.COST, _UNKNOWN, UNREAD_REQUEST)
    if has_some(costs):
        return Missing(Fact.COST, _UNKNOWN, "a request has no cost, and others have one")
    return None


def _time(found: Evidence) -> Missing | None:
    above = _find_unread_above(found)
    return Missing(Fact.TIME, _UNKNOWN, above) if above else None


_FACTS = (_question, _answer, _tool_calls, _arguments, _tool_answers, _tokens, _cost, _time)

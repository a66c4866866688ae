"""Evidence that a workflow was asked, or has answered, something else than its requests show."""

from collections.abc import Sequence
from operator import attrgetter

from agentevals.model.conversations import Span
from agentevals.traces.turns.turn_drafts import Draft, Step
from agentevals.traces.turns.turn_edges import find_question

_BEGIN = "Let an agent be the first step of the workflow, and record again"
_ASK = "Give the chain its question as a message, and record again"
_END = "Let an agent be the last step of the workflow, and record again"
_read_end = attrgetter("end_ns", "start_ns")


def find_reworded(drafts: Sequence[Draft], requests: Sequence[Step]) -> tuple[str, str] | None:
    """Return the evidence that the user has asked something else, and how to record it.

    A step may put the question in other words before an agent is asked.
    """
    if _has_lost_key(drafts[0], requests):
        return "the input is one value, and its key, which tells what it is, was not recorded", _ASK
    steps = _list_steps(drafts, requests)
    first = min([request.start_ns for request in requests], default=0) if steps else 0
    for step in steps:
        if step.reading.rewords and step.start_ns < first:
            return (
                f"the step {step.reading.span.name!r} of the workflow ran before the first request,"
                " and what it was given is not recorded"
            ), _BEGIN
    return None


def find_unheard(drafts: Sequence[Draft], requests: Sequence[Step]) -> tuple[str, str] | None:
    """Return the evidence that nobody knows which text was the answer, and how to record it."""
    tools = [tool for draft in drafts for tool in draft.tools]
    answering = [each for each in requests if _answers(each) and not _is_of_tool(each, tools)]
    if not answering:
        return None
    last = max(answering, key=_read_end)
    for step in _list_steps(drafts, requests):
        if step.start_ns >= last.end_ns:
            return (
                f"the step {step.reading.span.name!r} of the workflow ran last, and what it "
                "returned is not recorded"
            ), _END
    if len(answering) > 1 and any(_speaks_beside(other, last) for other in answering):
        return "several requests were answered side by side, and nothing followed them", _END
    return None


def _has_lost_key(draft: Draft, requests: Sequence[Step]) -> bool:
    """Return whether the input may be a part of the question, by what the model was asked."""
    own = draft.reading
    given = find_question(own.input_messages) if own is not None else ""
    if own is None or not given or given not in {own.keyless, *draft.values} or not requests:
        return False
    return find_question(requests[0].reading.input_messages).strip() != given.strip()


def _list_steps(drafts: Sequence[Draft], requests: Sequence[Step]) -> list[Step]:
    """Return the steps of a workflow around which there is no request."""
    steps = [step for draft in drafts for step in draft.steps]
    if not steps:
        return steps
    return [step for step in steps if not any(_is_around(step, each) for each in requests)]


def _is_around(step: Step, request: Step) -> bool:
    return step.start_ns <= request.start_ns and request.end_ns <= step.end_ns


def _is_of_tool(request: Step, tools: Sequence[Step]) -> bool:
    """Return whether a tool has asked, or called the agent that has, by spans or by times."""
    asking = _find_span(request)
    start, end = asking.start_ns, asking.end_ns
    return request.under_tool or any(
        tool.start_ns <= start and end <= tool.end_ns for tool in tools
    )


def _answers(request: Step) -> bool:
    said = request.reading
    return bool(said.output_text) and all(call.is_hosted for call in said.output_calls)


def _speaks_beside(other: Step, last: Step) -> bool:
    """Return whether two agents, or two requests of one, have said different things at a time."""
    if other is last or _read(other) == _read(last):
        return False
    one, two = _find_span(other), _find_span(last)
    if one is two:
        one, two = other, last
    return one.start_ns < two.end_ns and two.start_ns < one.end_ns


def _find_span(request: Step) -> Step | Span:
    return request.speaker or request


def _read(request: Step) -> str:
    return request.reading.output_text.strip()

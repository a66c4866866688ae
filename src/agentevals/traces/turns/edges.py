"""Evidence that the requests of a turn are not all there, or are not those of one turn."""

from collections import Counter
from collections.abc import Sequence

from agentevals.model.completeness import Presence
from agentevals.traces.conventions import Reading
from agentevals.traces.messages import USER, Message
from agentevals.traces.turns.drafts import Draft, Step
from agentevals.traces.turns.request_output import RequestOutput

TOGETHER = "Put one span around all requests of each turn, and record again"
TO_THE_END = "Let the agent come to its end, and record again"


def find_question(messages: Sequence[Message]) -> str:
    """Return what the user has said last, however many messages it took."""
    run: list[str] = []
    for message in reversed(messages):
        if message.role == USER and message.text:
            run.append(message.text)
        elif run:
            break
    return "".join(reversed(run))


def find_mixture(around: str, requests: Sequence[Step]) -> str:
    """Tell of requests with different questions, where no agent's span says that they are one turn.

    A span of the user's own may be around a turn, around a conversation, or around several.
    """
    own = (step.reading.input_messages for step in requests if not step.under_tool)
    questions = dict.fromkeys(filter(None, map(find_question, own)))
    if len(questions) < 2:  # noqa: PLR2004 -- one question is one turn
        return ""
    return (
        f"requests below the span {around!r} have different questions: nobody says whose is whose"
    )


def find_open_call(
    drafts: Sequence[Draft], last: tuple[Step, RequestOutput] | None
) -> tuple[str, str] | None:
    """Return the evidence that a turn goes on after its last request, and how to record the rest.

    An agent may end with a tool, and then says nothing: its span, and that of the tool, show that.
    """
    if last is None or last[1].asked is not Presence.RECORDED or _has_ended(drafts):
        return None
    asked = [call for message in last[0].reading.output_messages for call in message.asked]
    agentic = any(draft.agentic for draft in drafts)
    run = Counter(_name(step.reading) for draft in drafts for step in draft.tools)
    followed = Counter(call.name for call in asked) <= run
    if not asked or (agentic and followed):
        return None
    why = f"the last request asks for the tool {asked[0].name!r}, and nothing shows what followed"
    return why, TO_THE_END if agentic else TOGETHER


def _name(reading: Reading) -> str:
    return reading.tool or reading.span.name


def _has_ended(drafts: Sequence[Draft]) -> bool:
    """Return whether the agent's own span says what it answered, or that it failed."""
    if any(draft.anchor.failed for draft in drafts):
        return True
    own = [d.reading for d in drafts if d.reading is not None and d.agentic]
    return any(message.text for reading in own for message in reading.output_messages)


def is_cut(drafts: Sequence[Draft], requests: Sequence[Step], size: int) -> bool:
    """Return whether JSON beside a text of this length ends at the same length, in the middle."""
    spans = [draft.anchor for draft in drafts] + [step.reading.span for step in requests]
    beside = (value for span in spans for value in span.attributes.values())
    return any(
        isinstance(value, str)
        and len(value) == size
        and value.startswith(("[", "{"))
        and not value.endswith(("]", "}"))
        for value in beside
    )

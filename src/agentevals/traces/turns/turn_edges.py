"""Evidence that the requests of a turn are not all there, or are not those of one turn."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from agentevals.model.completeness import Presence
from agentevals.model.conversations import ToolCall
from agentevals.traces.chat_messages import ASSISTANT, TOOL, USER, Message
from agentevals.traces.conventions import Reading
from agentevals.traces.turns.turn_drafts import Draft, Step
from agentevals.traces.turns.turn_output import RequestOutput, asks_for_tool

TOGETHER = "Put one span around all requests of each turn, and record again"
_OF_TEAM = "the agent is one of a team, and what the team was asked and answered is in no trace"
_LEADER = "Let one agent lead, with the others as its tools, and record again"
TO_THE_END = "Let the agent come to its end, and record again"


def find_question(messages: Sequence[Message]) -> str:
    """Return what the user has said last, however many messages it took."""
    run: list[str] = []
    for message in reversed(messages):
        if message.role == USER and message.text:
            run.append(message.text)
        elif run or asks_without_text(message):
            break
    return "".join(reversed(run))


def asks_without_text(message: Message) -> bool:
    """Return whether a user has sent a picture, or what was said was not recorded."""
    return message.role == USER and not message.answers and not message.asked


def _asks_something(message: Message) -> bool:
    return message.role == USER and (bool(message.text) or asks_without_text(message))


def sort_by_agent(requests: Sequence[Step]) -> list[Step]:
    """Return the requests of the agent that began first before those of another.

    A check of what the user asks may have a model of its own, which is asked before the agent's.
    """
    return sorted(
        requests,
        key=lambda each: (each.under_tool, (each.speaker or each).start_ns),
    )


def find_team(drafts: Sequence[Draft]) -> tuple[str, str] | None:
    """Tell of an agent whose words are a part of what others, in other traces, ask and answer."""
    for draft in drafts:
        if draft.is_of_team or (draft.reading is not None and draft.reading.is_of_team):
            return _OF_TEAM, _LEADER
    return None


def find_mixture(drafts: Sequence[Draft], requests: Sequence[Step]) -> str:
    """Tell of requests with different questions, where no agent's span says that they are one turn.

    A span of the user's own may be around a turn, around a conversation, or around several. So may
    be that of a workflow without messages, where a later question comes after an earlier answer.
    """
    own = [step.reading for step in requests if not step.under_tool]
    if any(draft.agentic for draft in drafts):
        is_run = any(draft.reading is not None and draft.reading.is_run for draft in drafts)
        mixed = not is_run and not _has_messages(drafts) and _goes_on(own)
    else:
        mixed = len({question for each in own if (question := _ask(each))}) > 1
    if not mixed:
        return ""
    name = drafts[0].anchor.name
    return f"requests below the span {name!r} have different questions: nobody says whose is whose"


def _ask(reading: Reading) -> str:
    return find_question(reading.input_messages)


def _has_messages(drafts: Sequence[Draft]) -> bool:
    own = [draft.reading for draft in drafts if draft.reading is not None]
    return any(reading.input_messages or reading.output_messages for reading in own)


def _goes_on(own: Sequence[Reading]) -> bool:
    """Return whether a request asks something else after the answer of an earlier one."""
    answers: set[str] = set()
    for reading in own:
        for each in reading.input_messages:
            if each.role == ASSISTANT and each.text in answers:
                if _ask(reading) != _ask(own[0]):
                    return True
                break
        for each in reading.output_messages:
            if each.text and not each.asked:
                answers.add(each.text)
    return False


def find_open_call(
    drafts: Sequence[Draft], last: tuple[Step, RequestOutput] | None
) -> tuple[str, str] | None:
    """Return the evidence that a turn goes on after its last request, and how to record the rest.

    What a tool returns may be the answer, and a program may have been stopped while it ran.
    """
    if last is None:
        return None
    asked = [call for call in last[0].reading.output_calls if not call.is_hosted]
    if last[1].asked is Presence.RECORDED and asked:
        tool = f"the tool {asked[0].name!r}"
    elif last[1].asked is Presence.UNKNOWN and asks_for_tool(last[0].reading):
        tool = "a tool"
    else:
        return _find_late_tool(drafts, last[0])
    if _has_ended(drafts):
        return _find_late_tool(drafts, last[0])
    why = f"the last request asks for {tool}, and nothing shows what followed"
    return why, TO_THE_END if any(draft.agentic for draft in drafts) else TOGETHER


def _find_late_tool(drafts: Sequence[Draft], last: Step) -> tuple[str, str] | None:
    """Return the evidence that a run was stopped, where only a step of the agent has a span."""
    draft = drafts[-1]
    if not (draft.agentic and draft.is_below_lost) or draft.reading is None:
        return None
    said = draft.reading.output_messages
    asked = [call.name for call in said[-1].asked if not call.is_hosted] if said else []
    tools = [tool for tool in draft.tools if not (tool.under_tool or tool.reading.concludes)]
    late = (t.reading.tool for t in tools if t.start_ns >= last.end_ns)
    name = next((tool for tool in (*asked, *late)), "")
    why = f"the tool {name!r} was called last, and nothing shows what followed"
    return (why, TO_THE_END) if name else None


def _has_ended(drafts: Sequence[Draft]) -> bool:
    """Return whether the agent's own span or a tool of it says what it answered, or it failed."""
    if any(draft.anchor.failed for draft in drafts):
        return True
    if any(step.reading.concludes for draft in drafts for step in draft.tools):
        return True
    own = [d.reading.output_messages for d in drafts if d.reading is not None and d.agentic]
    return any(said[-1].text and not said[-1].asked for said in own if said)


def find_unseen(requests: Sequence[Step], called: Sequence[ToolCall]) -> str:
    """Tell of a tool that was called since the question, by what the model was told of it."""
    own = [call for call in requests if not call.under_tool]
    known = [call.name for call in called]
    for call in (*own[:1], *own[1:][-1:]):  # the last was told all, unless it is another agent's
        since = _list_since_question(call.reading.input_messages)
        told = [asked.name for message in since for asked in message.asked]
        if told and told != known and (unseen := Counter(told) - Counter(known)):
            tool = f"the tool {next(iter(unseen))!r}"
            return f"a request tells of {tool}, and the request that asked for it is missing"
        if sum([len(m.answers) or m.role == TOOL for m in since]) > len(called):
            return "a request tells of the answer of a tool, and nothing tells of the call"
    return ""


def _list_since_question(messages: Sequence[Message]) -> Sequence[Message]:
    for number in range(len(messages) - 1, -1, -1):
        if _asks_something(messages[number]):
            return messages[number + 1 :]
    return messages


def find_uncovered(
    requests: Sequence[Step], shown: Sequence[RequestOutput], tools: Sequence[Step]
) -> Iterator[RequestOutput]:
    """Yield requests that may have asked for tools, and that no span of a tool follows.

    Where tools have spans, a last request without one has asked for none.
    """
    open_requests = [at for at, output in enumerate(shown) if output.asked is not Presence.RECORDED]
    starts = sorted([step.start_ns for step in tools]) if open_requests else []
    for at in open_requests:
        call = requests[at]
        later = [each.start_ns for each in requests[at + 1 :]]
        end = next((start for start in later if start > call.start_ns), math.inf)
        covered = any(call.start_ns <= start < end for start in starts)
        is_last = not later and starts and not asks_for_tool(call.reading)
        if not covered and not is_last:
            yield shown[at]
